//! Literals by what they say.
//!
//! Two literals are the same if they say the same: formulas are compared by identity, inequalities as a primitive
//! form (coprime integer coefficients, the first one positive) with a bound, rounded if all leaves are integers.
//! An atom with exactly one conditional is read as the conditional of two atoms, because translations like to do
//! so: `x = (ite c a b)` says the same as `(ite c (x = a) (x = b))`.

use std::collections::BTreeMap;
use std::rc::Rc;

use hashbrown::{HashMap, HashSet};
use rustc_hash::FxBuildHasher;
use shem_base::{Int, Lit, Rat, Var};
use shem_term::{Poly, Sort, Store, Symbol, Term, View};

use crate::bits::Gate;
use crate::intern::Interner;
use crate::linear::{Forms, Leaf, Linear};
use crate::operations::Bounds;
use crate::translation::{self, Meaning, NumberMeaning, Translation};
use crate::value::Value;

/// A statement or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Literal(u32);

impl Literal {
    pub(crate) const TRUE: Literal = Literal(0);
    pub(crate) const FALSE: Literal = Literal(1);

    pub(crate) fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    pub(crate) fn xor(self, flip: bool) -> Literal {
        Literal(self.0 ^ u32::from(flip))
    }
}

impl std::ops::Not for Literal {
    type Output = Literal;

    fn not(self) -> Literal {
        self.xor(true)
    }
}

/// What a literal that is not negated says.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Statement {
    Truth,
    /// A formula, not negated, that is no inequality.
    Formula(Term),
    /// The form is at most, or less than, the bound.
    Inequality {
        form: Vec<(u32, Int)>,
        bound: Rat,
        strict: bool,
    },
    /// A symbol applied to values.
    Application(Symbol, Box<[u32]>),
    /// Two values are equal; the smaller number is first.
    Equal(u32, u32),
    /// The bit of a value at a place.
    Bit(u32, u32),
    /// The output of a gate.
    Gate(Gate),
    /// A variable of the proof that means nothing in particular.
    Free(Var),
    /// A node of the proof that means nothing in particular.
    FreeNode(u32),
}

/// The statements of a judgement.
pub(crate) struct Statements<'a, T> {
    pub(crate) store: &'a mut Store,
    pub(crate) translation: &'a T,
    pub(crate) forms: Forms,
    pub(crate) values: Interner<Value>,
    statements: Interner<Statement>,
    /// The literals of formulas that are not negated.
    formulas: HashMap<Term, Literal, FxBuildHasher>,
    /// Terms whose applications have values.
    pub(crate) prepared: HashSet<Term, FxBuildHasher>,
    /// The values of applications.
    pub(crate) applications: HashMap<Term, u32, FxBuildHasher>,
    /// The values of nodes of the proof; `None` for one that means nonsense.
    pub(crate) nodes: HashMap<u32, Option<u32>, FxBuildHasher>,
    /// The bits of values.
    pub(crate) words: HashMap<u32, Rc<[Literal]>, FxBuildHasher>,
    /// The products and quotients whose bits are variables of the proof, with the clauses that bound them, if they have been
    /// asked for.
    pub(crate) bounds: BTreeMap<u32, Option<Bounds>>,
    /// The literals of the variables of the proof; `None` for one that means nonsense.
    vars: HashMap<Var, Option<Literal>, FxBuildHasher>,
}

impl<'a, T: Translation> Statements<'a, T> {
    pub(crate) fn new(store: &'a mut Store, translation: &'a T) -> Self {
        let mut result = Statements {
            store,
            translation,
            forms: Forms::default(),
            values: Interner::default(),
            statements: Interner::default(),
            formulas: HashMap::default(),
            prepared: HashSet::default(),
            applications: HashMap::default(),
            nodes: HashMap::default(),
            words: HashMap::default(),
            bounds: BTreeMap::new(),
            vars: HashMap::default(),
        };
        result.state(Statement::Truth);
        result
    }

    /// The literal of a statement.
    pub(crate) fn state(&mut self, statement: Statement) -> Literal {
        Literal(self.statements.intern(statement) << 1)
    }

    /// What a literal says, apart from its negation.
    pub(crate) fn statement(&self, literal: Literal) -> &Rc<Statement> {
        self.statements.get(literal.0 >> 1)
    }

    /// What a literal of the proof says, or `None` if its variable means nonsense.
    pub(crate) fn of_lit(&mut self, lit: Lit) -> Option<Literal> {
        if !self.vars.contains_key(&lit.var()) {
            self.understand(lit.var());
        }
        let literal = self.vars.get(&lit.var()).copied().flatten()?;
        Some(literal.xor(!lit.is_positive()))
    }

    /// Finds out what a variable says; the inputs of gates come first.
    fn understand(&mut self, root: Var) {
        let mut stack = vec![root];
        while let Some(&var) = stack.last() {
            if self.vars.contains_key(&var) {
                stack.pop();
                continue;
            }
            let Meaning::Gate(gate) = self.translation.meaning(var) else {
                let literal = self.of_var(var);
                self.vars.insert(var, literal);
                continue;
            };
            let inputs = gate.inputs();
            if inputs.iter().any(|input| input.var() >= var) {
                self.vars.insert(var, None);
                continue;
            }
            let before = stack.len();
            let unknown = inputs.iter().map(|input| input.var());
            stack.extend(unknown.filter(|input| !self.vars.contains_key(input)));
            if stack.len() == before {
                let known =
                    |input: &Lit| self.vars[&input.var()].map(|literal| literal.xor(!input.is_positive()));
                let literal = match inputs.iter().map(known).collect::<Option<Vec<Literal>>>().as_deref() {
                    Some(&[a, b]) if matches!(gate, translation::Gate::And(_)) => Some(self.and(a, b)),
                    Some(&[a, b]) => Some(self.xor(a, b)),
                    Some(&[a, b, c]) if matches!(gate, translation::Gate::Choose(_)) => {
                        Some(self.choose(a, b, c))
                    }
                    Some(&[a, b, c]) => Some(self.majority(a, b, c)),
                    _ => None,
                };
                self.vars.insert(var, literal);
            }
        }
    }

    /// The literal of a guard, or `None` if the variable means something. Guards that are not assumed may be
    /// false, and so may be nothing but guards.
    pub(crate) fn of_guard(&mut self, guard: Var) -> Option<Literal> {
        let literal = self.of_lit(guard.positive())?;
        matches!(**self.statement(literal), Statement::Free(_)).then_some(literal)
    }

    fn of_var(&mut self, var: Var) -> Option<Literal> {
        match self.translation.meaning(var) {
            Meaning::Truth => Some(Literal::TRUE),
            Meaning::Free => Some(self.state(Statement::Free(var))),
            Meaning::Bit(node, place) => self.bit_of_node(node, place),
            Meaning::Gate(_) => unreachable!("gates are understood after their inputs"),
            Meaning::Symbol(symbol) => {
                let formula = self.variable(symbol)?;
                (self.store.sort(formula) == Sort::Bool).then(|| self.of_formula(formula))
            }
            Meaning::Formula(formula) => {
                (self.store.sort(formula) == Sort::Bool).then(|| self.of_formula(formula))
            }
            Meaning::Inequality(atom) => {
                let mut sum = Linear::default();
                for (number, coeff) in &atom.terms {
                    let form = self.of_number(*number)?;
                    sum.add(&form, coeff);
                }
                sum.constant = &sum.constant - &atom.bound;
                sum.add_up();
                Some(self.inequality(sum, atom.strict))
            }
            Meaning::Equation(a, b) => {
                if !self.are_comparable(a, b) {
                    return None;
                }
                let (a, b) = (self.value_of_node(a)?, self.value_of_node(b)?);
                Some(self.equation(a, b))
            }
        }
    }

    /// Whether two nodes have the same sort.
    pub(crate) fn are_comparable(&self, a: u32, b: u32) -> bool {
        let sort = self.sort_of_node(a);
        sort.is_some() && sort == self.sort_of_node(b)
    }

    fn variable(&mut self, symbol: Symbol) -> Option<Term> {
        self.is_constant(symbol).then(|| self.store.var(symbol))
    }

    /// The form of an arithmetic variable of the proof.
    pub(crate) fn of_number(&mut self, number: u32) -> Option<Rc<Linear>> {
        let leaf = match self.translation.number(number) {
            NumberMeaning::Term(term) => return self.form(term),
            NumberMeaning::Symbol(symbol) => {
                let term = self.variable(symbol)?;
                return self.form(term);
            }
            NumberMeaning::Node(node) => {
                let value = self.value_of_node(node)?;
                return match &**self.values.get(value) {
                    Value::Number(form) => Some(Rc::new(form.clone())),
                    _ => None,
                };
            }
            NumberMeaning::Quotient(term, modulus) => {
                if !modulus.is_positive() {
                    return None;
                }
                let form = self.form(term)?;
                self.forms.quotient(&form, &modulus)
            }
            NumberMeaning::Digit(lit) => {
                let literal = self.of_lit(lit)?;
                self.forms.intern(Leaf::Digit(literal), true)
            }
            NumberMeaning::NodeQuotient(node, modulus) => {
                let value = self.value_of_node(node)?;
                let Value::Number(form) = (**self.values.get(value)).clone() else { return None };
                if !modulus.is_positive() {
                    return None;
                }
                self.forms.quotient(&form, &modulus)
            }
            NumberMeaning::Free { integral } => self.forms.intern(Leaf::Free(number), integral),
        };
        Some(Rc::new(Linear::leaf(leaf)))
    }

    /// The form of a term, or `None` if the term is not arithmetic.
    pub(crate) fn form(&mut self, term: Term) -> Option<Rc<Linear>> {
        self.prepare(term);
        self.forms.of_term(self.store, term)
    }

    /// What a formula says.
    pub(crate) fn of_formula(&mut self, formula: Term) -> Literal {
        let node = formula.positive();
        if let Some(literal) = self.formulas.get(&node) {
            return literal.xor(formula.is_negated());
        }
        let mut current = node;
        let literal = loop {
            self.prepare(current);
            let literal = match self.store.view(current) {
                View::True => Literal::TRUE,
                View::Le(poly, bound) => {
                    let bound = bound.clone();
                    if let Some(lifted) = self.lifted(current, poly) {
                        current = lifted;
                        continue;
                    }
                    self.comparison(poly, &bound, false)
                }
                View::Lt(poly, bound) => {
                    let bound = bound.clone();
                    if let Some(lifted) = self.lifted(current, poly) {
                        current = lifted;
                        continue;
                    }
                    self.comparison(poly, &bound, true)
                }
                View::Eq(poly, _) => {
                    if let Some(lifted) = self.lifted(current, poly) {
                        current = lifted;
                        continue;
                    }
                    self.state(Statement::Formula(current.positive()))
                }
                View::Divisible(modulus, poly, offset) => {
                    // t mod k <= 0
                    let (modulus, offset) = (modulus.clone(), Rat::from(offset.clone()));
                    let mut form = self.forms.of_poly(self.store, poly);
                    form.constant = &form.constant + &offset;
                    let quotient = self.forms.quotient(&form, &modulus);
                    form.terms.push((quotient, -Rat::from(modulus)));
                    form.add_up();
                    self.inequality(form, false)
                }
                View::Equal(a, b) => {
                    let (a, b) = (self.prepared_value(a), self.prepared_value(b));
                    self.equation(a, b)
                }
                View::App(..) => match **self.values.get(self.applications[&current.positive()]) {
                    Value::Truth(literal) => literal,
                    _ => unreachable!("a formula"),
                },
                _ => self.state(Statement::Formula(current.positive())),
            };
            break literal.xor(current.is_negated());
        };
        self.formulas.insert(node, literal);
        literal.xor(formula.is_negated())
    }

    /// The conditional of two atoms that says the same as the atom, if exactly one leaf of it is a conditional.
    pub(crate) fn lifted(&mut self, atom: Term, poly: Poly) -> Option<Term> {
        let mut conditionals = self
            .store
            .poly_terms(poly)
            .iter()
            .filter(|summand| matches!(self.store.view(summand.leaf), View::Ite(..)));
        let (first, second) = (conditionals.next(), conditionals.next());
        let (Some(summand), None) = (first, second) else { return None };
        let leaf = summand.leaf;
        let View::Ite(condition, then, otherwise) = self.store.view(leaf) else { return None };
        let then = self.store.replace_leaf(atom, leaf, then);
        let otherwise = self.store.replace_leaf(atom, leaf, otherwise);
        Some(self.store.ite(condition, then, otherwise))
    }

    /// The polynomial is at most, or less than, the bound.
    pub(crate) fn comparison(&mut self, poly: Poly, bound: &Rat, strict: bool) -> Literal {
        let leaves = self.store.poly_terms(poly).iter().map(|summand| summand.leaf);
        let unprepared: Vec<Term> = leaves.filter(|&leaf| !self.is_prepared(leaf)).collect();
        unprepared.into_iter().for_each(|leaf| self.prepare(leaf));
        let mut form = self.forms.of_poly(self.store, poly);
        form.constant = &form.constant - bound;
        self.inequality(form, strict)
    }

    /// The form is at most, or less than, 0.
    pub(crate) fn inequality(&mut self, form: Linear, strict: bool) -> Literal {
        let Some((_, first)) = form.terms.first() else {
            let holds = if strict { form.constant.is_negative() } else { !form.constant.is_positive() };
            return if holds { Literal::TRUE } else { Literal::FALSE };
        };
        let negative = first.is_negative();
        let denominator = form.terms.iter().fold(Int::ONE, |lcm, (_, c)| lcm.lcm(&c.denom()));
        let scaled: Vec<(u32, Int)> = form
            .terms
            .iter()
            .map(|(leaf, c)| (*leaf, (c * &Rat::from(denominator.clone())).numer()))
            .collect();
        let divisor = scaled.iter().fold(Int::ZERO, |gcd, (_, c)| gcd.gcd(c));
        let divisor = if negative { -divisor } else { divisor };
        let primitive: Vec<(u32, Int)> =
            scaled.into_iter().map(|(leaf, c)| (leaf, c.div_exact(&divisor))).collect();
        // The form is `divisor / denominator` times the primitive one.
        let mut bound = -(&form.constant * &Rat::new(denominator, divisor));
        // Of `-p <= -c` the negation is said: p < c.
        let mut strict = strict != negative;
        if primitive.iter().all(|(leaf, _)| self.forms.is_integral(*leaf)) {
            let rounded = if strict { bound.ceil() - Int::ONE } else { bound.floor() };
            bound = Rat::from(rounded);
            strict = false;
        }
        self.state(Statement::Inequality { form: primitive, bound, strict }).xor(negative)
    }
}
