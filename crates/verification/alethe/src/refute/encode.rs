//! The problem as clauses, each with the reason why it holds.
//!
//! Every formula that is written gets a Boolean variable of the solver, every term that is no sum a variable or an
//! application, and the solver is given one clause at a time: what the rules of Alethe say of a connective, and what an
//! atom as it is written has to do with the linear atoms that the solver makes of it. So the solver's proof begins with
//! clauses each of which is one rule or one lemma away from what is written, and no rewriting has to be proved.
//! Symbols of theories that Alethe has no rules for are functions without a meaning.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use shem_base::Rat;
use shem_smt::{Solver, SolverOptions};
use shem_term::{Sort as StoreSort, Store, Symbol, Term, Value};

use crate::error::{Result, unsupported};
use crate::written::{Forms, Head, Script, Shape, Sort, TermId, compute, is_arithmetic_operation};

/// A formula, or its negation if the second part is false.
pub(crate) type Literal = (TermId, bool);

/// Why a clause holds.
#[derive(Clone, Debug)]
pub(crate) enum Reason {
    /// It is this premise.
    Premise(TermId),
    /// It is this clause of a rule of Alethe, with an argument or without.
    Rule(&'static str, Vec<Literal>, Option<usize>),
    /// The first formula is equivalent to the second by this rule, and implies it, or the other way round.
    Equivalence(&'static str, TermId, TermId, bool),
    /// A conditional is equal to one of its branches: the first if it holds.
    Branch(TermId, bool),
    /// It follows from what its literals say.
    Meaning,
}

/// Makes the clauses.
pub(crate) struct Encoder<'p> {
    pub(crate) script: &'p mut Script,
    pub(crate) forms: Forms,
    pub(crate) store: Store,
    pub(crate) solver: Solver,
    /// By number of assertion of the solver.
    pub(crate) reasons: Vec<Reason>,
    /// What the constants of the solver are.
    pub(crate) constants: FxHashMap<Symbol, TermId>,
    /// What the terms of the solver are that are values of terms.
    pub(crate) written: FxHashMap<Term, TermId>,
    /// What the functions of the solver are.
    pub(crate) heads: FxHashMap<Symbol, Head>,
    /// Symbols with a meaning that the solver is not told.
    pub(crate) uninterpreted: BTreeSet<String>,
    literals: FxHashMap<TermId, Term>,
    values: FxHashMap<TermId, Term>,
    functions: FxHashMap<(Head, Vec<StoreSort>, StoreSort), Symbol>,
    sorts: FxHashMap<Sort, StoreSort>,
    /// Whether functions have bit-vectors as arguments or values.
    pub(crate) has_functions_of_bits: bool,
    /// The bit-vectors whose bits are defined.
    pub(crate) vectors: FxHashSet<TermId>,
    /// Terms whose clauses are still to be made.
    pending: Vec<TermId>,
}

impl<'p> Encoder<'p> {
    /// The clauses of premises.
    pub(crate) fn new(script: &'p mut Script, premises: &[TermId]) -> Result<Encoder<'p>> {
        let mut encoder = Encoder {
            script,
            forms: Forms::default(),
            store: Store::new(),
            solver: Solver::new(SolverOptions::default()),
            reasons: Vec::new(),
            constants: FxHashMap::default(),
            written: FxHashMap::default(),
            heads: FxHashMap::default(),
            uninterpreted: BTreeSet::new(),
            literals: FxHashMap::default(),
            values: FxHashMap::default(),
            functions: FxHashMap::default(),
            sorts: FxHashMap::default(),
            has_functions_of_bits: false,
            vectors: FxHashSet::default(),
            pending: Vec::new(),
        };
        encoder.compare_arguments(premises)?;
        for &premise in premises {
            encoder.clause(&[(premise, true)], Reason::Premise(premise));
        }
        while let Some(id) = encoder.pending.pop() {
            if *encoder.script.terms.sort(id) == Sort::Bool {
                encoder.define_formula(id)?;
            } else {
                encoder.define_term(id);
            }
        }
        Ok(encoder)
    }

    fn assert(&mut self, formula: Term, reason: Reason) {
        let number = self.solver.assert(&mut self.store, formula);
        debug_assert_eq!(number as usize, self.reasons.len());
        self.reasons.push(reason);
    }

    fn clause(&mut self, clause: &[Literal], reason: Reason) {
        let literals: Vec<Term> =
            clause.iter().map(|&(id, positive)| self.literal(id).xor(!positive)).collect();
        let formula = self.store.or(&literals);
        self.assert(formula, reason);
    }

    pub(crate) fn rule(&mut self, name: &'static str, clause: Vec<Literal>, arg: Option<usize>) {
        self.clause(&clause.clone(), Reason::Rule(name, clause, arg));
    }

    pub(crate) fn equivalence(&mut self, rule: &'static str, left: TermId, right: TermId) {
        self.clause(&[(left, false), (right, true)], Reason::Equivalence(rule, left, right, true));
        self.clause(&[(left, true), (right, false)], Reason::Equivalence(rule, left, right, false));
    }

    /// The literal of the solver for a formula.
    pub(crate) fn literal(&mut self, id: TermId) -> Term {
        let (id, positive) = self.script.terms.literal(id);
        let term = match self.literals.get(&id) {
            Some(&known) => known,
            None => {
                let term = self.constant(id, StoreSort::Bool);
                self.literals.insert(id, term);
                self.pending.push(id);
                term
            }
        };
        term.xor(!positive)
    }

    /// A constant of the solver that stands for a term.
    fn constant(&mut self, id: TermId, sort: StoreSort) -> Term {
        let term = self.store.variable("v", sort);
        self.constants.insert(self.store.as_var(term).expect("a variable"), id);
        self.written.insert(term, id);
        term
    }

    fn sort(&mut self, id: TermId) -> StoreSort {
        match self.script.terms.sort(id) {
            Sort::Bool => StoreSort::Bool,
            Sort::Int => StoreSort::Int,
            Sort::Real => StoreSort::Real,
            other => match self.sorts.get(other) {
                Some(&known) => known,
                None => {
                    let sort = self.store.declare_sort(&other.text());
                    self.sorts.insert(other.clone(), sort);
                    sort
                }
            },
        }
    }

    /// The sort of the problem that a sort of the solver is.
    pub(crate) fn written_sort(&self, sort: StoreSort) -> Sort {
        match sort {
            StoreSort::Bool => Sort::Bool,
            StoreSort::Int => Sort::Int,
            StoreSort::Real => Sort::Real,
            _ => {
                // Any order: each sort of the problem was declared as another one.
                let mut known = self.sorts.iter().filter(|(_, declared)| **declared == sort);
                known.next().expect("all other sorts were declared for some of the problem").0.clone()
            }
        }
    }

    /// The term of the solver that is an argument, a side of an equation or a leaf of a form.
    pub(crate) fn value(&mut self, root: TermId) -> Term {
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            if self.values.contains_key(&id) {
                stack.pop();
                continue;
            }
            let sort = self.sort(id);
            let term = match self.script.terms.shape(id) {
                Shape::Number(value, _) => self.store.numeral(&value.clone(), sort),
                Shape::Variable(_) | Shape::Quantifier(_) => unreachable!("quantifiers have been refused"),
                Shape::Apply(..) if sort == StoreSort::Bool => self.formula_value(id),
                Shape::Apply(head, args) => {
                    let (head, args) = (*head, args.clone());
                    let name = self.script.terms.head_name(head);
                    if args.is_empty() || self.is_plain_vector(id) {
                        self.constant(id, sort)
                    } else if name == "ite" || is_arithmetic_operation(&self.script.terms, id) {
                        self.pending.push(id);
                        self.constant(id, sort)
                    } else {
                        let before = stack.len();
                        stack.extend(args.iter().filter(|arg| !self.values.contains_key(arg)));
                        if stack.len() > before {
                            continue;
                        }
                        self.remainder_of_numerals(id);
                        self.application(head, &args, sort)
                    }
                }
            };
            self.values.insert(id, term);
            self.written.insert(term, id);
            stack.pop();
        }
        self.values[&root]
    }

    pub(crate) fn application(&mut self, head: Head, args: &[TermId], sort: StoreSort) -> Term {
        let args: Vec<Term> = args.iter().map(|&arg| self.value(arg)).collect();
        let name = self.script.terms.head_name(head);
        if !self.script.is_declared(name) {
            self.uninterpreted.insert(name.to_owned());
        }
        let sorts: Vec<StoreSort> = args.iter().map(|&arg| self.store.sort(arg)).collect();
        let key = (head, sorts, sort);
        let symbol = match self.functions.get(&key) {
            Some(&known) => known,
            None => {
                let symbol = self.store.declare(name, &key.1, sort);
                self.heads.insert(symbol, head);
                self.functions.insert(key, symbol);
                symbol
            }
        };
        self.store.apply(symbol, &args)
    }

    /// The checker computes remainders of numerals.
    fn remainder_of_numerals(&mut self, id: TermId) {
        let ("mod", &[a, b]) = self.script.terms.parts(id) else { return };
        let literal = |id: TermId| self.script.terms.signed_literal(id).map(Value::Num);
        let (Some(a), Some(b)) = (literal(a), literal(b)) else { return };
        let Some(Value::Num(remainder)) = compute("mod", &[&a, &b]) else { return };
        let value = self.script.terms.number(&remainder, false);
        let equation = self.script.terms.equation(id, value);
        self.rule("mod_simplify", vec![(equation, true)], None);
    }

    /// A formula that is an argument.
    fn formula_value(&mut self, id: TermId) -> Term {
        let literal = self.literal(id);
        if !literal.is_negated() {
            return literal;
        }
        let value = self.constant(id, StoreSort::Bool);
        let (forward, backward) = (self.store.or2(!value, literal), self.store.or2(value, !literal));
        self.assert(forward, Reason::Meaning);
        self.assert(backward, Reason::Meaning);
        value
    }

    /// The formula of the solver is equivalent to the written one, by what they say.
    pub(crate) fn link(&mut self, id: TermId, formula: Term) {
        let literal = self.literal(id);
        let (forward, backward) = (self.store.or2(!literal, formula), self.store.or2(literal, !formula));
        self.assert(forward, Reason::Meaning);
        self.assert(backward, Reason::Meaning);
    }

    /// The clauses of a sum or of a conditional that is a constant of the solver.
    pub(crate) fn define_term(&mut self, id: TermId) {
        if let ("ite", &[condition, then, otherwise]) = self.script.terms.parts(id) {
            let (first, second) =
                (self.script.terms.equation(id, then), self.script.terms.equation(id, otherwise));
            self.clause(&[(condition, false), (first, true)], Reason::Branch(id, true));
            self.clause(&[(condition, true), (second, true)], Reason::Branch(id, false));
            return;
        }
        if !self.script.terms.sort(id).is_arithmetic() {
            return;
        }
        let form = self.forms.of(&mut self.script.terms, id);
        if form.terms.contains_key(&id) {
            return; // A product of several leaves.
        }
        let mut terms: Vec<(Rat, Term)> = vec![(-Rat::ONE, self.values[&id])];
        for (&leaf, coeff) in &form.terms {
            terms.push((coeff.clone(), self.value(leaf)));
        }
        let bound = -form.constant.clone();
        let at_most = self.store.linear_le(&terms, &bound, false);
        let at_least = !self.store.linear_le(&terms, &bound, true);
        self.assert(at_most, Reason::Meaning);
        self.assert(at_least, Reason::Meaning);
    }

    fn define_formula(&mut self, id: TermId) -> Result<()> {
        let (name, args) = self.script.terms.parts(id);
        let (name, args) = (name.to_owned(), args.to_vec());
        let arithmetic = args.first().is_some_and(|&arg| self.script.terms.sort(arg).is_arithmetic());
        let bits = args.first().is_some_and(|&arg| matches!(self.script.terms.sort(arg), Sort::BitVec(_)));
        let boolean = args.first().is_some_and(|&arg| *self.script.terms.sort(arg) == Sort::Bool);
        let every = |sign: bool| args.iter().map(move |&arg| (arg, sign));
        if self.script.is_declared(&name) {
            if !args.is_empty() {
                let head = self.script.terms.head(&name);
                let application = self.application(head, &args, StoreSort::Bool);
                self.link(id, application);
            }
            return Ok(());
        }
        match (&*name, &args[..]) {
            ("true", []) => self.rule("true", vec![(id, true)], None),
            ("false", []) => self.rule("false", vec![(id, false)], None),
            ("and", _) => {
                for (i, &arg) in args.iter().enumerate() {
                    self.rule("and_pos", vec![(id, false), (arg, true)], Some(i));
                }
                self.rule("and_neg", [(id, true)].into_iter().chain(every(false)).collect(), None);
            }
            ("or", _) => {
                for (i, &arg) in args.iter().enumerate() {
                    self.rule("or_neg", vec![(id, true), (arg, false)], Some(i));
                }
                self.rule("or_pos", [(id, false)].into_iter().chain(every(true)).collect(), None);
            }
            ("=>", &[a, b]) => {
                self.rule("implies_pos", vec![(id, false), (a, false), (b, true)], None);
                self.rule("implies_neg1", vec![(id, true), (a, true)], None);
                self.rule("implies_neg2", vec![(id, true), (b, false)], None);
            }
            ("=>", _) => {
                let last = args[args.len() - 1];
                let terms = &mut self.script.terms;
                let nested =
                    args.iter().rev().skip(1).fold(last, |inner, &arg| terms.formula("=>", &[arg, inner]));
                self.equivalence("nary_elim", id, nested);
            }
            ("xor", &[a, b]) => {
                self.rule("xor_pos1", vec![(id, false), (a, true), (b, true)], None);
                self.rule("xor_pos2", vec![(id, false), (a, false), (b, false)], None);
                self.rule("xor_neg1", vec![(id, true), (a, true), (b, false)], None);
                self.rule("xor_neg2", vec![(id, true), (a, false), (b, true)], None);
            }
            ("ite", &[condition, then, otherwise]) => {
                self.rule("ite_pos1", vec![(id, false), (condition, true), (otherwise, true)], None);
                self.rule("ite_pos2", vec![(id, false), (condition, false), (then, true)], None);
                self.rule("ite_neg1", vec![(id, true), (condition, true), (otherwise, false)], None);
                self.rule("ite_neg2", vec![(id, true), (condition, false), (then, false)], None);
            }
            ("=", &[a, b]) if boolean => {
                self.rule("equiv_pos1", vec![(id, false), (a, true), (b, false)], None);
                self.rule("equiv_pos2", vec![(id, false), (a, false), (b, true)], None);
                self.rule("equiv_neg1", vec![(id, true), (a, false), (b, false)], None);
                self.rule("equiv_neg2", vec![(id, true), (a, true), (b, true)], None);
            }
            ("=", &[a, b]) if arithmetic => {
                let (terms, bound) = self.difference(a, b);
                let literal = self.literal(id);
                let more = !self.store.linear_le(&terms, &bound, false);
                let less = self.store.linear_le(&terms, &bound, true);
                let clauses = [
                    self.store.or2(!literal, !more),
                    self.store.or2(!literal, !less),
                    self.store.or(&[literal, less, more]),
                ];
                clauses.into_iter().for_each(|clause| self.assert(clause, Reason::Meaning));
            }
            ("=", &[a, b]) if bits => self.define_equal_vectors(id, a, b),
            ("=", &[a, b]) => {
                let (a, b) = (self.value(a), self.value(b));
                let equal = self.store.eq(a, b);
                self.link(id, equal);
            }
            ("=" | "<" | "<=" | ">" | ">=", [_, _, _, ..]) => {
                let terms = &mut self.script.terms;
                let pairs: Vec<TermId> = args.windows(2).map(|pair| terms.formula(&name, pair)).collect();
                let all = terms.formula("and", &pairs);
                self.equivalence("nary_elim", id, all);
            }
            ("distinct", &[a, b]) => {
                let equal = self.script.terms.equation(a, b);
                let differ = self.script.terms.not(equal);
                self.equivalence("distinct_elim", id, differ);
            }
            ("distinct", _) if boolean => {
                let falsity = self.script.terms.truth(false);
                self.equivalence("distinct_elim", id, falsity);
            }
            ("distinct", _) => {
                let mut pairs = Vec::new();
                for (i, &a) in args.iter().enumerate() {
                    for &b in &args[i + 1..] {
                        let equal = self.script.terms.equation(a, b);
                        pairs.push(self.script.terms.not(equal));
                    }
                }
                let all = self.script.terms.formula("and", &pairs);
                self.equivalence("distinct_elim", id, all);
            }
            (relation @ ("<" | "<=" | ">" | ">="), &[a, b]) => {
                let (terms, bound) = self.difference(a, b);
                // a < b says that a - b < 0, and a > b that a - b <= 0 does not hold.
                let below = self.store.linear_le(&terms, &bound, matches!(relation, "<" | ">="));
                self.link(id, below.xor(matches!(relation, ">" | ">=")));
            }
            ("select" | "is_int", _) => {
                let head = self.script.terms.head(&name);
                let application = self.application(head, &args, StoreSort::Bool);
                self.link(id, application);
            }
            _ if self.define_bit_formula(id)? => {}
            _ => return unsupported(format!("{name} with {} arguments", args.len())),
        }
        Ok(())
    }

    /// Multiples of terms of the solver whose sum is at most the bound if the first term is at most the second.
    fn difference(&mut self, a: TermId, b: TermId) -> (Vec<(Rat, Term)>, Rat) {
        let mut form = (*self.forms.of(&mut self.script.terms, a)).clone();
        form.add(&self.forms.of(&mut self.script.terms, b), &-Rat::ONE);
        let terms = form.terms.iter().map(|(&leaf, coeff)| (coeff.clone(), self.value(leaf))).collect();
        (terms, -form.constant)
    }
}
