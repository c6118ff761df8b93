//! The compiler.
//!
//! Connectives become gates in the manner of Plaisted and Greenbaum (1986): of a gate's definition only the
//! directions that are needed are written, and the other one follows when it is asked for later. A gate's
//! literal exists before its definition does, so definitions are taken from a work list in any order and
//! depth costs no stack. Assertions are opened up at the top, so that a conjunction of clauses needs no
//! gate at all.
//!
//! Arithmetic: `p = c` is a gate over its two bounds. A conditional inside an atom is lifted out of it if
//! it is the only one there (`x = (ite c a b)` becomes `(ite c (x = a) (x = b))`), otherwise it is named by
//! an auxiliary variable. `t div k` is named by an integer `q` with `0 <= t - k q <= k - 1`; `t mod k` is
//! `t - k q`, and `k` divides `t` if `t - k q <= 0`.
//!
//! Applications and terms of other sorts are nodes (see `nodes`): an arithmetic application is a variable of the
//! arithmetic, a Boolean one an atom, and an equation of nodes is an atom, too.

use hashbrown::HashSet;
use rustc_hash::FxBuildHasher;
use shem_base::{Int, Lit, Rat};
use shem_proof::Origin;
use shem_term::{Poly, Sort, Store, Term, View};

use super::Target;
use super::common::common_equations;
use super::memo::{Image, Memo};

/// A definition that is still to be written.
#[derive(Clone, Debug)]
pub(super) enum Pending<N, V> {
    /// The directions of a gate's definition.
    Gate(Term, u8),
    /// The conditional that the number stands for.
    Conditional(Term, N),
    /// The number is the term divided by the modulus, rounded down.
    Quotient(Term, Int, N),
    /// The number is the real term, rounded down.
    Floor(Term, N),
    /// The conditional, neither Boolean nor arithmetic, that the node stands for.
    Choice(Term, V),
}

/// The buffers of a compilation, kept from one to the next.
#[derive(Debug)]
pub(crate) struct Compiler<N, V> {
    pub(super) pending: Vec<Pending<N, V>>,
    roots: Vec<Term>,
    /// Conjunctions inside conjunctions that have been taken apart: they may be shared.
    opened: HashSet<Term, FxBuildHasher>,
    clause: Vec<Lit>,
    pub(super) sum: Vec<(N, Rat)>,
    expansion: Vec<(Term, Rat)>,
    /// Terms whose nodes, or whose subterms' nodes, are to be made; each with whether its subterms have been.
    pub(super) visits: Vec<(Term, bool)>,
    /// The terms, not negated, that have been visited.
    pub(super) visited: HashSet<Term, FxBuildHasher>,
    pub(super) args: Vec<V>,
}

impl<N, V> Default for Compiler<N, V> {
    fn default() -> Self {
        Compiler {
            pending: Vec::new(),
            roots: Vec::new(),
            opened: HashSet::default(),
            clause: Vec::new(),
            sum: Vec::new(),
            expansion: Vec::new(),
            visits: Vec::new(),
            visited: HashSet::default(),
            args: Vec::new(),
        }
    }
}

/// One use of the compiler on a target.
pub(super) struct Run<'a, T: Target> {
    pub(super) store: &'a mut Store,
    pub(super) memo: &'a mut Memo<T::Number, T::Row, T::Node>,
    pub(super) target: &'a mut T,
    pub(super) buffers: &'a mut Compiler<T::Number, T::Node>,
}

impl<N: Copy + Ord, V: Copy> Compiler<N, V> {
    /// Asserts the formula, or, with a guard, that the guard implies it.
    pub(crate) fn assert<T: Target<Number = N, Node = V>>(
        &mut self,
        store: &mut Store,
        memo: &mut Memo<N, T::Row, V>,
        target: &mut T,
        formula: Term,
        guard: Option<Lit>,
        origin: Origin,
    ) {
        let mut run = Run { store, memo, target, buffers: self };
        run.assert(formula, guard, origin);
        run.write_definitions();
    }

    /// A literal that implies the formula.
    pub(crate) fn literal<T: Target<Number = N, Node = V>>(
        &mut self,
        store: &mut Store,
        memo: &mut Memo<N, T::Row, V>,
        target: &mut T,
        formula: Term,
    ) -> Lit {
        let mut run = Run { store, memo, target, buffers: self };
        let lit = run.lit(formula);
        run.write_definitions();
        lit
    }
}

impl<T: Target> Run<'_, T> {
    fn assert(&mut self, formula: Term, guard: Option<Lit>, origin: Origin) {
        self.buffers.roots.clear();
        self.buffers.opened.clear();
        self.buffers.roots.push(formula);
        while let Some(root) = self.buffers.roots.pop() {
            let negated = root.is_negated();
            match self.store.view(root) {
                View::True if !negated => {}
                View::And(args) if !negated => {
                    if root == formula || self.buffers.opened.insert(root) {
                        self.buffers.roots.extend(args.iter().rev());
                    }
                }
                View::And(args) => {
                    let count = args.len();
                    let mut clause = self.take_clause(guard);
                    for i in 0..count {
                        let View::And(args) = self.store.view(root) else { unreachable!() };
                        let arg = args[i];
                        clause.push(self.lit(!arg));
                    }
                    self.target.clause(&clause, origin);
                    self.buffers.clause = clause;
                    if guard.is_none() {
                        self.decide_common_equations(root);
                    }
                }
                View::Iff(a, b) => {
                    let b = b.xor(negated);
                    let (not_a, pos_b) = (self.lit(!a), self.lit(b));
                    self.emit(guard, &[not_a, pos_b], origin);
                    let (pos_a, not_b) = (self.lit(a), self.lit(!b));
                    self.emit(guard, &[pos_a, not_b], origin);
                }
                View::Ite(c, a, b) => {
                    let (a, b) = (a.xor(negated), b.xor(negated));
                    let (not_c, pos_a) = (self.lit(!c), self.lit(a));
                    self.emit(guard, &[not_c, pos_a], origin);
                    let (pos_c, pos_b) = (self.lit(c), self.lit(b));
                    self.emit(guard, &[pos_c, pos_b], origin);
                }
                View::Eq(poly, value) => {
                    let value = value.clone();
                    if let Some(lifted) = self.lifted(root, poly) {
                        self.buffers.roots.push(lifted);
                        continue;
                    }
                    let (le, ge) = self.sides(poly, &value);
                    if negated {
                        self.emit(guard, &[!le, !ge], origin);
                    } else {
                        self.emit(guard, &[le], origin);
                        self.emit(guard, &[ge], origin);
                    }
                }
                View::True => self.emit(guard, &[], origin),
                _ => {
                    let lit = self.lit(root);
                    self.emit(guard, &[lit], origin);
                }
            }
        }
    }

    /// Has the equations decided that all disjuncts of a disjunction imply.
    fn decide_common_equations(&mut self, disjunction: Term) {
        let View::And(negations) = self.store.view(disjunction) else {
            unreachable!("a negated conjunction")
        };
        for (a, b) in common_equations(self.store, negations.iter().map(|&negation| !negation)) {
            let (a, b) = (self.node(a), self.node(b));
            self.target.refute_difference(a, b);
        }
    }

    fn take_clause(&mut self, guard: Option<Lit>) -> Vec<Lit> {
        let mut clause = std::mem::take(&mut self.buffers.clause);
        clause.clear();
        clause.extend(guard.map(|g| !g));
        clause
    }

    fn emit(&mut self, guard: Option<Lit>, lits: &[Lit], origin: Origin) {
        match guard {
            None => self.target.clause(lits, origin),
            Some(_) => {
                let mut clause = self.take_clause(guard);
                clause.extend_from_slice(lits);
                self.target.clause(&clause, origin);
                self.buffers.clause = clause;
            }
        }
    }

    pub(super) fn define(&mut self, lits: &[Lit]) {
        self.target.clause(lits, Origin::Definition);
    }

    /// A literal that implies the formula; its definition is written later.
    pub(super) fn lit(&mut self, formula: Term) -> Lit {
        let mut formula = formula;
        loop {
            let negated = formula.is_negated();
            let lit = match self.store.view(formula) {
                View::True => self.target.truth(),
                View::Var(symbol) => self.target.boolean(self.store, symbol),
                View::Le(poly, bound) => {
                    let bound = bound.clone();
                    if let Some(lifted) = self.lifted(formula, poly) {
                        formula = lifted;
                        continue;
                    }
                    self.upper(poly, &bound, false)
                }
                View::Lt(poly, bound) => {
                    let bound = bound.clone();
                    if let Some(lifted) = self.lifted(formula, poly) {
                        formula = lifted;
                        continue;
                    }
                    self.upper(poly, &bound, true)
                }
                View::Eq(poly, _) => {
                    if let Some(lifted) = self.lifted(formula, poly) {
                        formula = lifted;
                        continue;
                    }
                    return self.gate(formula);
                }
                View::Divisible(modulus, poly, offset) => {
                    let (modulus, offset) = (modulus.clone(), offset.clone());
                    self.divisibility(&modulus, poly, &offset)
                }
                View::App(..) => {
                    let node = self.node(formula.positive());
                    self.target.node_literal(node)
                }
                View::Equal(a, b) => {
                    let (a, b) = (self.node(a), self.node(b));
                    self.target.equation(a, b)
                }
                View::Forall(..) => match self.memo.gate(formula.positive()) {
                    Some(gate) => gate.lit,
                    None => {
                        let lit = self.target.gate();
                        self.target.opaque();
                        self.memo.add_gate(formula.positive(), lit);
                        lit
                    }
                },
                _ => return self.gate(formula),
            };
            return lit.xor(negated);
        }
    }

    /// The literal of a gate, with the direction that its use needs.
    fn gate(&mut self, formula: Term) -> Lit {
        let node = formula.positive();
        let lit = match self.memo.gate(node) {
            Some(gate) => gate.lit,
            None => {
                let lit = self.target.gate();
                self.memo.add_gate(node, lit);
                lit
            }
        };
        let direction = if formula.is_negated() { 2 } else { 1 };
        let missing = self.memo.write(node, direction);
        if missing != 0 {
            self.buffers.pending.push(Pending::Gate(node, missing));
        }
        lit.xor(formula.is_negated())
    }

    /// The literals of `poly <= value` and `poly >= value`.
    fn sides(&mut self, poly: Poly, value: &Rat) -> (Lit, Lit) {
        (self.upper(poly, value, false), !self.upper(poly, value, true))
    }

    /// The atom with its conditional moved outside, if it has exactly one.
    fn lifted(&mut self, atom: Term, poly: Poly) -> Option<Term> {
        let mut found = None;
        for t in self.store.poly_terms(poly) {
            if let View::Ite(..) = self.store.view(t.leaf)
                && found.replace(t.leaf).is_some()
            {
                return None;
            }
        }
        let leaf = found?;
        let View::Ite(cond, then, els) = self.store.view(leaf) else { unreachable!() };
        let then = self.store.replace_leaf(atom, leaf, then);
        let els = self.store.replace_leaf(atom, leaf, els);
        Some(self.store.ite(cond, then, els))
    }

    /// The literal of `poly <= bound` or `poly < bound`.
    fn upper(&mut self, poly: Poly, bound: &Rat, strict: bool) -> Lit {
        if self.memo.image(poly).is_none() {
            let mut sum = self.take_sum();
            let mut constant = Rat::ZERO;
            self.expand_poly(poly, &Rat::ONE, &mut sum, &mut constant);
            let image = self.image(&mut sum, constant);
            self.buffers.sum = sum;
            self.memo.add_image(poly, image);
        }
        let image = self.memo.image(poly).expect("just added");
        upper_of_image(self.target, image, bound, strict)
    }

    /// The literal of `sum + constant <= 0`, or `< 0`.
    fn upper_of_sum(&mut self, mut sum: Vec<(T::Number, Rat)>, constant: Rat, strict: bool) -> Lit {
        let image = self.image(&mut sum, constant);
        self.buffers.sum = sum;
        upper_of_image(self.target, &image, &Rat::ZERO, strict)
    }

    fn image(&mut self, sum: &mut Vec<(T::Number, Rat)>, constant: Rat) -> Image<T::Row> {
        match self.target.row(sum) {
            Some((row, factor)) => Image { row: Some(row), factor, constant },
            None => Image { row: None, factor: Rat::ONE, constant },
        }
    }

    fn divisibility(&mut self, modulus: &Int, poly: Poly, offset: &Int) -> Lit {
        let offset = Rat::from(offset.clone());
        let term = self.store.poly_sum(poly, &offset, Sort::Int);
        let quotient = self.quotient(term, modulus);
        let mut sum = self.take_sum();
        let mut constant = offset;
        self.expand_poly(poly, &Rat::ONE, &mut sum, &mut constant);
        sum.push((quotient, -Rat::from(modulus.clone())));
        self.upper_of_sum(sum, constant, false)
    }

    pub(super) fn take_sum(&mut self) -> Vec<(T::Number, Rat)> {
        let mut sum = std::mem::take(&mut self.buffers.sum);
        sum.clear();
        sum
    }

    fn expand_poly(&mut self, poly: Poly, scale: &Rat, sum: &mut Vec<(T::Number, Rat)>, constant: &mut Rat) {
        for i in 0..self.store.poly_terms(poly).len() {
            let t = &self.store.poly_terms(poly)[i];
            let (leaf, coeff) = (t.leaf, scale.mul_int(&t.coeff));
            match self.store.view(leaf) {
                View::Var(symbol) => {
                    let number = self.target.number(self.store, symbol);
                    sum.push((number, coeff));
                }
                _ => self.expand(leaf, coeff, sum, constant),
            }
        }
    }

    /// Adds `scale * term` to the sum, in numbers of the target.
    pub(super) fn expand(
        &mut self,
        term: Term,
        scale: Rat,
        sum: &mut Vec<(T::Number, Rat)>,
        constant: &mut Rat,
    ) {
        let mut stack = std::mem::take(&mut self.buffers.expansion);
        let base = stack.len();
        stack.push((term, scale));
        while stack.len() > base {
            let (term, scale) = stack.pop().expect("not below the base");
            match self.store.view(term) {
                View::Num(value) => constant.add_mul(&scale, value),
                View::Linear(factor, poly, offset) => {
                    constant.add_mul(&scale, offset);
                    let scale = &scale * factor;
                    for t in self.store.poly_terms(poly) {
                        stack.push((t.leaf, scale.mul_int(&t.coeff)));
                    }
                }
                View::Var(symbol) => {
                    let number = self.target.number(self.store, symbol);
                    sum.push((number, scale));
                }
                View::Ite(..) => {
                    let number = self.named(term, |n| Pending::Conditional(term, n));
                    sum.push((number, scale));
                }
                View::ToInt(inner) => {
                    let number = self.named(term, |n| Pending::Floor(inner, n));
                    sum.push((number, scale));
                }
                View::Div(inner, modulus) => {
                    let modulus = modulus.clone();
                    let number = self.quotient(inner, &modulus);
                    sum.push((number, scale));
                }
                View::App(..) => {
                    let node = self.node(term);
                    sum.push((self.target.node_number(node), scale));
                }
                View::Mod(inner, modulus) => {
                    let modulus = modulus.clone();
                    let number = self.quotient(inner, &modulus);
                    sum.push((number, -scale.mul_int(&modulus)));
                    stack.push((inner, scale));
                }
                _ => unreachable!("a Boolean term in a sum"),
            }
        }
        self.buffers.expansion = stack;
    }

    fn named(
        &mut self,
        leaf: Term,
        pending: impl FnOnce(T::Number) -> Pending<T::Number, T::Node>,
    ) -> T::Number {
        if let Some(number) = self.memo.leaf(leaf) {
            return number;
        }
        let number = self.target.auxiliary(self.store.sort(leaf) == Sort::Int);
        self.memo.add_leaf(leaf, number);
        self.buffers.pending.push(pending(number));
        number
    }

    fn quotient(&mut self, term: Term, modulus: &Int) -> T::Number {
        if let Some(number) = self.memo.quotient(term, modulus) {
            return number;
        }
        let number = self.target.auxiliary(true);
        self.memo.add_quotient(term, modulus, number);
        self.buffers.pending.push(Pending::Quotient(term, modulus.clone(), number));
        number
    }

    fn write_definitions(&mut self) {
        while let Some(pending) = self.buffers.pending.pop() {
            match pending {
                Pending::Gate(node, directions) => self.write_gate(node, directions),
                Pending::Conditional(term, number) => self.write_conditional(term, number),
                Pending::Quotient(term, modulus, number) => {
                    let modulus = Rat::from(modulus);
                    let slack = &modulus - &Rat::ONE;
                    self.write_rounding(term, modulus, number, slack, false);
                }
                Pending::Choice(term, node) => self.write_choice(term, node),
                Pending::Floor(term, number) => {
                    self.write_rounding(term, Rat::ONE, number, Rat::ONE, true);
                }
            }
        }
    }

    fn write_gate(&mut self, node: Term, directions: u8) {
        let g = self.memo.gate(node).expect("a gate is in the memo").lit;
        let (forward, backward) = (directions & 1 != 0, directions & 2 != 0);
        match self.store.view(node) {
            View::And(args) => {
                let count = args.len();
                let mut clause = self.take_clause(None);
                clause.push(g);
                for i in 0..count {
                    let View::And(args) = self.store.view(node) else { unreachable!() };
                    let arg = args[i];
                    if forward {
                        let lit = self.lit(arg);
                        self.define(&[!g, lit]);
                    }
                    if backward {
                        clause.push(self.lit(!arg));
                    }
                }
                if backward {
                    self.define(&clause);
                }
                self.buffers.clause = clause;
            }
            View::Iff(a, b) => {
                let (pos_a, neg_a) = (self.lit(a), self.lit(!a));
                let (pos_b, neg_b) = (self.lit(b), self.lit(!b));
                if forward {
                    self.define(&[!g, neg_a, pos_b]);
                    self.define(&[!g, pos_a, neg_b]);
                }
                if backward {
                    self.define(&[g, neg_a, neg_b]);
                    self.define(&[g, pos_a, pos_b]);
                }
            }
            View::Ite(c, a, b) => {
                let (pos_c, neg_c) = (self.lit(c), self.lit(!c));
                if forward {
                    let (a, b) = (self.lit(a), self.lit(b));
                    self.define(&[!g, neg_c, a]);
                    self.define(&[!g, pos_c, b]);
                }
                if backward {
                    let (a, b) = (self.lit(!a), self.lit(!b));
                    self.define(&[g, neg_c, a]);
                    self.define(&[g, pos_c, b]);
                }
            }
            View::Eq(poly, value) => {
                let value = value.clone();
                let (le, ge) = self.sides(poly, &value);
                if forward {
                    self.define(&[!g, le]);
                    self.define(&[!g, ge]);
                }
                if backward {
                    self.define(&[g, !le, !ge]);
                }
            }
            _ => unreachable!("not a gate"),
        }
    }

    /// `c` implies `number = a`, `!c` implies `number = b`.
    fn write_conditional(&mut self, term: Term, number: T::Number) {
        let View::Ite(cond, then, els) = self.store.view(term) else { unreachable!() };
        let (pos, neg) = (self.lit(cond), self.lit(!cond));
        for (premise, branch) in [(neg, then), (pos, els)] {
            for sign in [1, -1] {
                let mut sum = self.take_sum();
                let mut constant = Rat::ZERO;
                self.expand(branch, Rat::from(-sign), &mut sum, &mut constant);
                sum.push((number, Rat::from(sign)));
                let lit = self.upper_of_sum(sum, constant, false);
                self.define(&[premise, lit]);
            }
        }
    }

    /// `0 <= term - modulus * number <= slack`, or `< slack` if strict.
    fn write_rounding(&mut self, term: Term, modulus: Rat, number: T::Number, slack: Rat, strict: bool) {
        let mut sum = self.take_sum();
        let mut constant = Rat::ZERO;
        self.expand(term, Rat::ONE, &mut sum, &mut constant);
        sum.push((number, -modulus));
        let image = self.image(&mut sum, constant);
        self.buffers.sum = sum;
        let below_zero = upper_of_image(self.target, &image, &Rat::ZERO, true);
        let in_range = upper_of_image(self.target, &image, &slack, strict);
        self.define(&[!below_zero]);
        self.define(&[in_range]);
    }
}

/// The literal of `image <= bound`, or `image < bound`.
fn upper_of_image<T: Target>(target: &mut T, image: &Image<T::Row>, bound: &Rat, strict: bool) -> Lit {
    let Some(row) = image.row else {
        let holds = if strict { image.constant < *bound } else { image.constant <= *bound };
        return target.truth().xor(!holds);
    };
    let bound = if image.constant.is_zero() { bound.clone() } else { bound - &image.constant };
    if image.factor.is_one() {
        return target.upper(row, &bound, strict);
    }
    let bound = &bound / &image.factor;
    if image.factor.is_positive() {
        target.upper(row, &bound, strict)
    } else {
        // row >= bound is the negation of row < bound.
        !target.upper(row, &bound, !strict)
    }
}
