//! What holds of all facts, as far as abstract interpretation finds it.

use shem_base::{Budget, Statistics};
use shem_chc::{Definition, Interpretation, Model, PredicateId, System, VertexId, normalise};
use shem_term::{Store, Term};
use shem_transform::{After, Invariants, Pass, Work};

use crate::problem::Problem;

/// The clauses of a system that derive facts.
pub(crate) fn without_queries(system: &System) -> System {
    System {
        predicates: system.predicates.clone(),
        clauses: system.clauses.iter().filter(|clause| clause.head.is_some()).cloned().collect(),
        ..System::default()
    }
}

/// For each predicate a formula over its variables before a step; together they are closed under the clauses.
pub(crate) fn invariants(
    store: &mut Store,
    system: &System,
    problem: &Problem,
    budget: &mut Budget,
) -> Vec<Term> {
    let mut found = vec![Term::TRUE; problem.states.len()];
    let steps = without_queries(system);
    let mut graph = normalise(store, &steps);
    let mut statistics = Statistics::new();
    let work = Work::new(store, &mut graph, &mut statistics, budget);
    let Some(back) = Invariants::default().apply(work) else { return found };
    let nothing = Interpretation::new().without_queries();
    let Ok(interpretation) = back.interpretation(After::new(store, &graph, budget), nothing) else {
        return found;
    };
    for (index, state) in problem.states.iter().enumerate() {
        let vertex = VertexId::of(PredicateId::new(index));
        if let Some(formula) = interpretation.get(vertex) {
            found[index] = store.rename(formula, graph.vertex(vertex).state(), state);
        }
    }
    found
}

/// Formulas over the variables before a step as a model.
pub(crate) fn model_of(problem: &Problem, formulas: &[Term]) -> Model {
    let definition =
        |(state, &body): (&Vec<Term>, &Term)| Definition { parameters: state.clone().into(), body };
    Model { definitions: problem.states.iter().zip(formulas).map(definition).collect() }
}

/// A model over any parameters as formulas over the variables before a step.
pub(crate) fn formulas_of(store: &mut Store, problem: &Problem, model: &Model) -> Vec<Term> {
    let states = problem.states.iter().enumerate();
    states.map(|(index, state)| model.apply(store, PredicateId::new(index), state)).collect()
}
