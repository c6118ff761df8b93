//! Linear clauses as locations and transitions.
//!
//! A predicate is a location with variables for its arguments, before a step and after it; a clause is a transition: a
//! formula over the variables of its source before the step and those of its target after it. Where an argument of an
//! atom is a variable of the clause that no other argument has taken, it is replaced, as in the normal form of graphs; here
//! the terms that took the places of the clause's variables are kept, since a recurrence says what their values are.

use shem_chc::{Atom, Clause, ClauseId, PredicateId, System};
use shem_term::{Sort, Store, Substitution, Term, View};

/// Linear clauses without those whose head is falsehood.
pub(crate) struct Problem {
    /// For each predicate its variables before a step.
    pub(crate) states: Vec<Vec<Term>>,
    /// For each predicate its variables after a step.
    pub(crate) nexts: Vec<Vec<Term>>,
    pub(crate) facts: Vec<Transition>,
    pub(crate) transitions: Vec<Transition>,
}

/// A clause as a transition; a fact has no source.
#[derive(Clone, Debug)]
pub(crate) struct Transition {
    pub(crate) clause: ClauseId,
    pub(crate) source: Option<PredicateId>,
    pub(crate) target: PredicateId,
    /// Over the variables of the source before the step, those of the target after it, and auxiliary variables.
    pub(crate) formula: Term,
    /// The terms over the same variables that stand for the variables of the clause.
    pub(crate) values: Vec<Term>,
}

impl Problem {
    /// The problem of a system; the error says why it is not looked at.
    pub(crate) fn of(store: &mut Store, system: &System) -> Result<Problem, &'static str> {
        let mut problem =
            Problem { states: Vec::new(), nexts: Vec::new(), facts: Vec::new(), transitions: Vec::new() };
        if system.has_premises() {
            return Err("a clause has a predicate under a quantifier");
        }
        let names = system.argument_names(store);
        let names: Vec<Option<Vec<String>>> = names
            .into_iter()
            .map(|names| names.map(|names| names.into_iter().map(str::to_owned).collect()))
            .collect();
        for (predicate, names) in system.predicates.iter().zip(&names) {
            let variables = |store: &mut Store, suffix: &str| {
                let name = |at: usize| match names {
                    Some(names) => format!("{}{suffix}", names[at]),
                    None => format!("x{at}{suffix}"),
                };
                let sorts = predicate.sorts.iter().enumerate();
                sorts.map(|(at, &sort)| store.variable(&name(at), sort)).collect::<Vec<Term>>()
            };
            problem.states.push(variables(store, ""));
            problem.nexts.push(variables(store, "'"));
        }
        for (at, clause) in system.clauses.iter().enumerate() {
            let Some(head) = &clause.head else { continue };
            if clause.constraint == Term::FALSE {
                continue;
            }
            if clause.body.len() > 1 {
                return Err("a clause has several atoms in its body");
            }
            let transition = problem.transition(store, ClauseId::new(at), clause, head);
            check_theory(store, &transition)?;
            if transition.source.is_some() {
                problem.transitions.push(transition);
            } else {
                problem.facts.push(transition);
            }
        }
        Ok(problem)
    }

    fn transition(&self, store: &mut Store, id: ClauseId, clause: &Clause, head: &Atom) -> Transition {
        let mut substitution = Substitution::new();
        let mut equations = Vec::new();
        let source = clause.body.first();
        let places = source.map(|atom| (atom, &self.states)).into_iter().chain([(head, &self.nexts)]);
        for (atom, variables) in places {
            for (&variable, &argument) in variables[atom.predicate.index()].iter().zip(&atom.args) {
                match store.as_var(argument) {
                    Some(symbol) if !argument.is_negated() && substitution.get(symbol).is_none() => {
                        substitution.insert(symbol, variable);
                    }
                    _ => equations.push((variable, argument)),
                }
            }
        }
        let mut conjuncts = vec![store.substitute(clause.constraint, &substitution)];
        for (variable, argument) in equations {
            let argument = store.substitute(argument, &substitution);
            conjuncts.push(store.eq(variable, argument));
        }
        let values = clause.variables.iter().map(|&variable| store.substitute(variable, &substitution));
        Transition {
            clause: id,
            source: source.map(|atom| atom.predicate),
            target: head.predicate,
            values: values.collect(),
            formula: opened(store, &conjuncts),
        }
    }
}

/// The conjunction of formulas, with new variables for those that some of them quantify existentially.
fn opened(store: &mut Store, formulas: &[Term]) -> Term {
    let mut conjuncts = Vec::new();
    let mut pending = formulas.to_vec();
    while let Some(formula) = pending.pop() {
        for conjunct in store.conjuncts(formula) {
            let (View::Forall(bound, body), true) = (store.view(conjunct), conjunct.is_negated()) else {
                conjuncts.push(conjunct);
                continue;
            };
            let bound = bound.to_vec();
            let fresh = |store: &mut Store, variable: Term| {
                let sort = store.sort(variable);
                store.variable("some", sort)
            };
            let fresh: Vec<Term> = bound.iter().map(|&variable| fresh(store, variable)).collect();
            pending.push(!store.rename(body, &bound, &fresh));
        }
    }
    store.and(&conjuncts)
}

/// Numbers and truth values without quantifiers.
fn check_theory(store: &Store, transition: &Transition) -> Result<(), &'static str> {
    let mut roots = vec![transition.formula];
    roots.extend(&transition.values);
    for term in store.subterms(&roots) {
        match store.view(term) {
            View::Forall(..) => return Err("a clause has a quantifier in its constraint"),
            _ if !matches!(store.sort(term), Sort::Bool | Sort::Int | Sort::Real) => {
                return Err("a clause has values that are neither numbers nor truth values");
            }
            View::App(..) => return Err("a clause has a term that is not linear"),
            _ => {}
        }
    }
    Ok(())
}
