//! Sets in which no state is the last one, by questions of safety.
//!
//! Take some moves and a state, or all facts. If no state without a move can be reached by the moves, a model that shows it is
//! a recurrent set: it has the states that are reached, is closed under the moves, and each of its states has one. This is
//! how a safety prover finds recurrent sets of any form (Chen, Cook, Fuhs, Nimkar and O'Hearn 2014 exclude runs that end one by
//! one; here the moves are functions, and the model is asked for at once).

use shem_chc::{Atom, Clause, ClauseId, Model, PredicateId, System};
use shem_check::Choice;
use shem_term::smtlib::Span;
use shem_term::{Store, Term};

use crate::cycles::query;
use crate::invariants::{formulas_of, model_of};
use crate::moves::Move;
use crate::problem::Problem;
use crate::runs::State;
use crate::safety::{Safe, Safety};

/// Where the states come from.
pub(crate) enum From<'a> {
    /// All facts of the clauses.
    Facts(&'a System),
    /// One state.
    State(&'a State),
}

/// A set from which the moves never lead to a state without one: a model, with a choice for each move.
pub(crate) fn endless(
    store: &mut Store,
    problem: &Problem,
    system: &System,
    moves: &[(&Move, ClauseId, PredicateId, PredicateId)],
    from: From<'_>,
    safety: &mut dyn Safety,
    effort: u64,
) -> Option<(Model, Vec<Vec<Choice>>)> {
    let mut walked = System { predicates: system.predicates.clone(), ..System::default() };
    match from {
        From::Facts(system) => {
            let facts =
                system.clauses.iter().filter(|clause| clause.body.is_empty() && clause.head.is_some());
            walked.clauses.extend(facts.cloned());
        }
        From::State(state) => {
            let sorts = &system.predicate(state.predicate).sorts;
            let values = state.values.iter().zip(sorts);
            walked.clauses.push(Clause {
                variables: [].into(),
                constraint: Term::TRUE,
                body: [].into(),
                premises: [].into(),
                head: Some(Atom {
                    predicate: state.predicate,
                    args: values.map(|(value, &sort)| store.value_term(value, sort)).collect(),
                }),
                span: Span::new(0, 0),
            });
        }
    }
    let count = problem.states.len();
    let mut guards: Vec<Vec<Term>> = vec![Vec::new(); count];
    let mut choices: Vec<Vec<Choice>> = vec![Vec::new(); count];
    for &(one, clause, source, target) in moves {
        let guard = store.and(&one.guard);
        guards[source.index()].push(guard);
        choices[source.index()].push(Choice { clause, values: one.values.clone().into() });
        let state = &problem.states[source.index()];
        let mut step = query(store, state, source, guard);
        let args = one.updates.iter().map(|&update| store.rename(update, state, &step.variables)).collect();
        step.head = Some(Atom { predicate: target, args });
        walked.clauses.push(step);
    }
    for (index, state) in problem.states.iter().enumerate() {
        let some = store.or(&guards[index]);
        walked.clauses.push(query(store, state, PredicateId::new(index), !some));
    }
    match safety.decide(store, &walked.into(), effort)? {
        // The values of the choices are over the variables of the problem, and so is the set.
        Safe::Yes(model) => {
            let formulas = formulas_of(store, problem, &model);
            Some((model_of(problem, &formulas), choices))
        }
        Safe::No(_) => None,
    }
}
