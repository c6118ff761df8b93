//! Steps as functions of the state and of inputs, under a constraint.
//!
//! A transition is a relation. Conjuncts that are equations define variables of the next state; where the transition is a
//! disjunction, each disjunct defines them in its own way, and a new truth value among the inputs says which is meant,
//! unless a condition of both does. What nothing defines is an input itself. So every relation becomes functions
//! with a constraint, which is what lifting needs: state and inputs determine the rest. (Circuits are given in this form;
//! clauses are not.)

use std::collections::{BTreeMap, BTreeSet};

use shem_chc::TransitionSystem;
use shem_term::{Sort, Store, Substitution, Term, View};

/// How deep conjunctions and disjunctions are looked into.
const MOST_DEPTH: usize = 6;

/// The steps of a transition system: the states after them are the values of `next` for those states and inputs that
/// satisfy the constraint. All variables but those of the state are inputs.
#[derive(Clone, Debug)]
pub(super) struct Functional {
    /// The next state.
    pub next: Vec<Term>,
    /// Which inputs a state allows.
    pub constraint: Term,
}

/// A relation, taken apart.
struct Branch {
    /// The variables that it defines; the terms have none of these.
    values: BTreeMap<Term, Term>,
    /// What it says besides.
    rest: Term,
}

impl Functional {
    /// The steps of a system.
    pub(super) fn of(store: &mut Store, system: &TransitionSystem) -> Functional {
        let open: BTreeSet<Term> = system.next.iter().copied().collect();
        let Branch { values, rest } = define(store, system.transition, &open, 0);
        let next = system.next.iter().map(|v| values.get(v).copied().unwrap_or(*v)).collect();
        Functional { next, constraint: rest }
    }
}

/// Takes a formula apart; the open variables are those that may be defined.
fn define(store: &mut Store, formula: Term, open: &BTreeSet<Term>, depth: usize) -> Branch {
    let mut values = BTreeMap::new();
    let mut open = open.clone();
    let mut parts = store.conjuncts(formula);
    define_by_equations(store, &mut parts, &mut open, &mut values, true);
    if depth < MOST_DEPTH {
        for part in &mut parts {
            *part = put_in(store, *part, &values);
            let Some(branch) = define_by_cases(store, *part, &open, depth + 1) else { continue };
            *part = branch.rest;
            open.retain(|v| !branch.values.contains_key(v));
            // A variable that a value mentions is an input from now on.
            let used: Vec<Term> = branch.values.values().copied().collect();
            for v in store.free_variables(&used) {
                open.remove(&v);
            }
            values.extend(branch.values);
        }
        define_by_equations(store, &mut parts, &mut open, &mut values, true);
    }
    define_by_equations(store, &mut parts, &mut open, &mut values, false);
    // Parts may mention what later ones define.
    let rest = store.and(&parts);
    Branch { rest: put_in(store, rest, &values), values }
}

/// A term with the variables that are defined replaced.
fn put_in(store: &mut Store, term: Term, values: &BTreeMap<Term, Term>) -> Term {
    let mut substitution = Substitution::new();
    for (&variable, &value) in values {
        substitution.bind(store, &[variable], &[value]);
    }
    store.substitute(term, &substitution)
}

/// Takes those of the parts away that define an open variable: if `strict`, without mentioning another open one, which
/// would become an input.
fn define_by_equations(
    store: &mut Store,
    parts: &mut Vec<Term>,
    open: &mut BTreeSet<Term>,
    values: &mut BTreeMap<Term, Term>,
    strict: bool,
) {
    loop {
        let before = parts.len();
        let mut left = Vec::with_capacity(before);
        let mut substitution = Substitution::new();
        for (&variable, &value) in values.iter() {
            substitution.bind(store, &[variable], &[value]);
        }
        for part in parts.drain(..) {
            let Some((variable, value)) = equation(store, part, open) else {
                left.push(part);
                continue;
            };
            let value = store.substitute(value, &substitution);
            let mut others = store.free_variables(&[value]);
            others.retain(|v| open.contains(v));
            if others.contains(&variable) || strict && !others.is_empty() {
                left.push(part);
                continue;
            }
            for other in others.into_iter().chain([variable]) {
                open.remove(&other);
            }
            substitution.bind(store, &[variable], &[value]);
            values.insert(variable, value);
        }
        *parts = left;
        if parts.len() == before {
            return;
        }
    }
}

/// An open variable and the term that a formula says it is.
fn equation(store: &mut Store, part: Term, open: &BTreeSet<Term>) -> Option<(Term, Term)> {
    let negated = part.is_negated();
    match store.view(part) {
        View::Var(_) if open.contains(&part.positive()) => Some((part.positive(), Term::from_bool(!negated))),
        View::Iff(a, b) => {
            let (variable, value) =
                [(a, b), (b, a)].into_iter().find(|(variable, _)| open.contains(variable))?;
            (!store.free_variables(&[value]).contains(&variable)).then(|| (variable, value.xor(negated)))
        }
        View::Equal(a, b) if !negated && store.sort(a).bit_width().is_some() => {
            let variables = store.free_variables(&[a, b]);
            let candidates: Vec<Term> = variables.into_iter().filter(|v| open.contains(v)).collect();
            candidates.into_iter().find_map(|variable| Some((variable, store.bv_solve(a, b, variable)?)))
        }
        _ => None,
    }
}

/// Takes a disjunction or a choice apart whose cases define open variables.
fn define_by_cases(store: &mut Store, part: Term, open: &BTreeSet<Term>, depth: usize) -> Option<Branch> {
    let mentions = |store: &Store, term: Term| store.free_variables(&[term]).iter().any(|v| open.contains(v));
    if !mentions(store, part) {
        return None;
    }
    let branch = match store.view(part) {
        View::Ite(condition, then, otherwise) => {
            let [then, otherwise] = [then, otherwise].map(|case| case.xor(part.is_negated()));
            if mentions(store, condition) {
                return None;
            }
            let [then, otherwise] = [then, otherwise].map(|case| define(store, case, open, depth));
            choose(store, condition, then, otherwise)
        }
        View::And(_) if part.is_negated() => {
            let cases = store.disjuncts(part);
            let branches = cases.into_iter().map(|case| (case, define(store, case, open, depth))).collect();
            join(store, branches, open)?
        }
        _ => return None,
    };
    (!branch.values.is_empty()).then_some(branch)
}

/// The disjunction of formulas that were taken apart, as a tree.
fn join(store: &mut Store, mut branches: Vec<(Term, Branch)>, open: &BTreeSet<Term>) -> Option<Branch> {
    while branches.len() > 1 {
        let mut joined = Vec::with_capacity(branches.len() / 2 + 1);
        let mut rest = branches.into_iter();
        while let Some((case, branch)) = rest.next() {
            let Some((other_case, other)) = rest.next() else {
                joined.push((case, branch));
                break;
            };
            let condition = distinction(store, case, other_case, open).unwrap_or_else(|| new_choice(store));
            let either = store.or2(case, other_case);
            joined.push((either, choose(store, condition, branch, other)));
        }
        branches = joined;
    }
    branches.pop().map(|(_, branch)| branch)
}

/// A formula without open variables of which it is enough to look at the first case where it holds, and at the second
/// where it does not.
fn distinction(store: &Store, a: Term, b: Term, open: &BTreeSet<Term>) -> Option<Term> {
    let is_known = |term: Term| !store.free_variables(&[term]).iter().any(|v| open.contains(v));
    if is_known(a) {
        return Some(a);
    }
    if is_known(b) {
        return Some(!b);
    }
    let theirs: BTreeSet<Term> = store.conjuncts(b).into_iter().collect();
    store.conjuncts(a).into_iter().find(|&part| theirs.contains(&!part) && is_known(part))
}

/// A new truth value.
fn new_choice(store: &mut Store) -> Term {
    let mut number = store.symbol_count();
    loop {
        let known = store.symbol_count();
        let choice = store.variable(&format!("choice#{number}"), Sort::Bool);
        if store.symbol_count() > known {
            return choice;
        }
        number += 1;
    }
}

/// One formula if the condition holds, and the other otherwise.
fn choose(store: &mut Store, condition: Term, then: Branch, otherwise: Branch) -> Branch {
    let variables: BTreeSet<Term> = then.values.keys().chain(otherwise.values.keys()).copied().collect();
    let mut values = BTreeMap::new();
    for variable in variables {
        let [a, b] =
            [&then, &otherwise].map(|branch| branch.values.get(&variable).copied().unwrap_or(variable));
        values.insert(variable, store.ite(condition, a, b));
    }
    Branch { values, rest: store.ite(condition, then.rest, otherwise.rest) }
}
