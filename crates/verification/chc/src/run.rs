//! Runs: many steps of which each follows from the fact before by evaluation.
//!
//! A loop whose arguments are no polynomials of the number of the round, such as a generator of random numbers, has no
//! shorter description than itself. A *run* says what the next fact is, as terms over the arguments of a fact, for each
//! of some cases; the first case whose guard holds is taken, and has the rule of the step. So all steps can be listed,
//! one after another, in constant memory. Whether they are right, the judge says of each.

use shem_base::Rat;
use shem_term::{Evaluator, Sort, Store, Substitution, Symbol, Term, Value, View};

use std::collections::BTreeSet;

/// A case of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunCase<R> {
    /// The rule of the step.
    pub rule: R,
    /// When it is taken, over the arguments.
    pub guard: Term,
    /// The arguments of the next fact, over those of this one.
    pub next: Vec<Term>,
}

/// Steps that are found by evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct Run<R> {
    /// The variables that stand for the arguments of a fact.
    pub arguments: Vec<Term>,
    /// The cases, the first of which that is possible is taken.
    pub cases: Vec<RunCase<R>>,
    /// The number of steps, at least one.
    pub steps: u64,
}

/// Takes the steps of a run.
pub struct RunEvaluator {
    positions: Positions,
    cases: Vec<Function>,
}

/// A step as a guard and an update, over the arguments of a fact.
pub struct Function {
    guard: Evaluator,
    update: Vec<Evaluator>,
}

/// Variables by symbol, with their positions in a list.
pub struct Positions(Vec<(Symbol, usize)>);

impl<R> Run<R> {
    /// The same run with other rules.
    pub fn map_rules<S>(self, mut rule: impl FnMut(R) -> S) -> Run<S> {
        let case = |case: RunCase<R>| RunCase { rule: rule(case.rule), guard: case.guard, next: case.next };
        let cases = self.cases.into_iter().map(case).collect();
        Run { arguments: self.arguments, cases, steps: self.steps }
    }

    /// Whether the terms are of the sorts of the arguments and over them.
    pub fn is_closed(&self, store: &Store, sorts: &[Sort]) -> bool {
        let over_arguments =
            |term: Term| store.free_variables(&[term]).iter().all(|v| self.arguments.contains(v));
        let are_of = |terms: &[Term]| terms.iter().map(|&term| store.sort(term)).eq(sorts.iter().copied());
        are_of(&self.arguments)
            && self.cases.iter().all(|case| {
                store.sort(case.guard) == Sort::Bool
                    && are_of(&case.next)
                    && over_arguments(case.guard)
                    && case.next.iter().all(|&term| over_arguments(term))
            })
    }
}

impl RunEvaluator {
    /// Prepares for the steps of a run.
    pub fn new<R>(store: &Store, run: &Run<R>) -> RunEvaluator {
        let cases = run.cases.iter().map(|case| Function::new(store, case.guard, &case.next)).collect();
        RunEvaluator { positions: Positions::new(store, &run.arguments), cases }
    }

    /// The number of the case that is taken from a fact, and the next fact; `None` if there is none.
    pub fn step(&mut self, store: &Store, fact: &[Value]) -> Option<(usize, Vec<Value>)> {
        let RunEvaluator { positions, cases } = self;
        let mut cases = cases.iter_mut().enumerate();
        cases.find_map(|(at, case)| Some((at, case.step(store, positions, fact)?)))
    }
}

impl Function {
    /// A guard and an update.
    pub fn new(store: &Store, guard: Term, update: &[Term]) -> Function {
        let update = update.iter().map(|&term| Evaluator::new(store, term)).collect();
        Function { guard: Evaluator::new(store, guard), update }
    }

    /// The state after the step, if the guard allows it.
    pub fn step(&mut self, store: &Store, positions: &Positions, state: &[Value]) -> Option<Vec<Value>> {
        let assignment = positions.assign(state);
        if self.guard.evaluate(store, &assignment)?.as_bool() != Some(true) {
            return None;
        }
        self.update.iter_mut().map(|update| update.evaluate(store, &assignment)).collect()
    }
}

impl Positions {
    /// The positions of these variables.
    pub fn new(store: &Store, variables: &[Term]) -> Positions {
        let symbol = |&v: &Term| store.as_var(v).expect("a variable");
        let mut positions: Vec<(Symbol, usize)> = variables.iter().map(symbol).zip(0..).collect();
        positions.sort_unstable();
        Positions(positions)
    }

    /// The assignment of a state to the variables.
    pub fn assign<'a>(&'a self, state: &'a [Value]) -> impl Fn(Symbol) -> Option<Value> + 'a {
        move |symbol| {
            let at = self.0.binary_search_by_key(&symbol, |entry| entry.0).ok()?;
            Some(state[self.0[at].1].clone())
        }
    }
}

/// A formula as a function from some variables to others: the guard and the terms, over the former; `None` if the
/// formula does not define all of the latter, or says something about further variables.
pub fn functional(
    store: &mut Store,
    formula: Term,
    inputs: &[Term],
    outputs: &[Term],
) -> Option<(Term, Vec<Term>)> {
    let (definitions, rest) = define(store, formula, inputs);
    let guard: Vec<Term> = rest.iter().map(|&part| store.substitute(part, &definitions)).collect();
    let guard = store.and(&guard);
    let symbol = |&v: &Term| store.as_var(v).expect("a variable");
    let update: Vec<Term> = outputs.iter().map(|v| definitions.get(symbol(v))).collect::<Option<_>>()?;
    let within = |terms: &[Term]| store.free_variables(terms).iter().all(|v| inputs.contains(v));
    (within(&[guard]) && within(&update)).then_some((guard, update))
}

/// The variables that conjuncts of a formula define over the given ones, and the other conjuncts.
pub fn define(store: &mut Store, formula: Term, given: &[Term]) -> (Substitution, Vec<Term>) {
    let mut rest = store.conjuncts(formula);
    let mut definitions = Substitution::new();
    let mut known: BTreeSet<Term> = given.iter().copied().collect();
    loop {
        let before = rest.len();
        let mut left = Vec::new();
        for part in std::mem::take(&mut rest) {
            match definition(store, part, &known) {
                Some((variable, value)) => {
                    let value = store.substitute(value, &definitions);
                    definitions.insert(store.as_var(variable).expect("a variable"), value);
                    known.insert(variable);
                }
                None => left.push(part),
            }
        }
        rest = left;
        if rest.len() == before {
            return (definitions, rest);
        }
    }
}

/// The variable that a formula defines over the known ones, with its value.
fn definition(store: &mut Store, part: Term, known: &BTreeSet<Term>) -> Option<(Term, Term)> {
    let is_known =
        |store: &Store, term: Term| store.free_variables(&[term]).iter().all(|v| known.contains(v));
    let is_free = |store: &Store, term: Term| store.as_var(term).is_some() && !known.contains(&term);
    match store.view(part) {
        View::Var(_) if is_free(store, part.positive()) => {
            Some((part.positive(), Term::from_bool(!part.is_negated())))
        }
        View::Iff(a, b) => {
            for (variable, value) in [(a, b), (b, a)] {
                if is_free(store, variable) && is_known(store, value) {
                    return Some((variable, value.xor(part.is_negated())));
                }
            }
            None
        }
        View::Eq(poly, value) if !part.is_negated() => {
            let value = value.clone();
            let terms = store.poly_terms(poly).to_vec();
            let mut unknown = terms.iter().enumerate().filter(|(_, term)| !is_known(store, term.leaf));
            let (at, own) = unknown.next()?;
            if unknown.next().is_some() || !is_free(store, own.leaf) {
                return None;
            }
            let sort = store.sort(own.leaf);
            if sort == Sort::Int && !own.coeff.is_one() && !own.coeff.is_minus_one() {
                return None;
            }
            let scale = Rat::from(own.coeff.clone()).recip();
            let summands: Vec<(Rat, Term)> = terms
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != at)
                .map(|(_, term)| (-(&Rat::from(term.coeff.clone()) * &scale), term.leaf))
                .collect();
            // A mixed sum would need a conversion.
            if summands.iter().any(|(_, leaf)| store.sort(*leaf) != sort) {
                return None;
            }
            let leaf = own.leaf;
            let constant = &value * &scale;
            if sort == Sort::Int && !constant.is_integer() {
                return None;
            }
            Some((leaf, store.linear(&summands, &constant, sort)))
        }
        _ => None,
    }
}
