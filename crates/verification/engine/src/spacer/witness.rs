//! From the fact of falsehood to a derivation.
//!
//! Every state of a fact is derived by its edge from states of the facts that are its premises. So values are
//! found from the last step to the first, one small query each: the values of the target are fixed, those of
//! the sources are read off the model. The same values of the same fact are derived once.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use shem_base::Budget;
use shem_chc::{Derivation, EdgeId, Graph, StepId, VertexId};
use shem_smt::{Solver, Status};
use shem_term::{Store, Term, Value};

use super::summary::{Fact, FactId};
use crate::reason::WitnessError;

/// The facts of all vertices.
pub(super) type Facts = Vec<Vec<Fact>>;

/// A fact with one of its states.
type Instance = (VertexId, FactId, Vec<Value>);

/// The derivation of falsehood by this fact.
pub(super) fn derive(
    store: &mut Store,
    graph: &Graph,
    facts: &Facts,
    last: FactId,
    budget: &mut Budget,
) -> Result<Derivation<EdgeId>, WitnessError> {
    let mut derivation = Derivation::new();
    let mut solvers: BTreeMap<EdgeId, Solver> = BTreeMap::new();
    let mut done: HashMap<Instance, StepId, FxBuildHasher> = HashMap::default();
    // An instance is met twice: to find its premises, and, when they are derived, to be derived itself.
    let root: Instance = (VertexId::FALSE, last, Vec::new());
    let mut stack: Vec<(Instance, Option<Vec<Instance>>)> = vec![(root, None)];
    while let Some((instance, premises)) = stack.pop() {
        if done.contains_key(&instance) {
            continue;
        }
        let fact = &facts[instance.0.index()][instance.1.index()];
        match premises {
            None => {
                let premises = premises_of(store, graph, facts, &mut solvers, &instance, budget)?;
                stack.push((instance, Some(premises.clone())));
                stack.extend(premises.into_iter().rev().map(|premise| (premise, None)));
            }
            Some(premises) => {
                let steps: Vec<StepId> = premises.iter().map(|premise| done[premise]).collect();
                let step = derivation.push(fact.edge, &steps, instance.2.iter().cloned());
                done.insert(instance, step);
            }
        }
    }
    Ok(derivation)
}

fn premises_of(
    store: &mut Store,
    graph: &Graph,
    facts: &Facts,
    solvers: &mut BTreeMap<EdgeId, Solver>,
    instance: &Instance,
    budget: &mut Budget,
) -> Result<Vec<Instance>, WitnessError> {
    let (vertex, fact, values) = instance;
    let Fact { edge: id, premises, .. } = &facts[vertex.index()][fact.index()];
    let edge = graph.edge(*id);
    let solver = solvers.entry(*id).or_insert_with(|| {
        let mut solver = Solver::new(Default::default());
        solver.assert(store, edge.label);
        solver
    });
    solver.push();
    let fixed = store.value_cube(graph.vertex(*vertex).target(), values);
    solver.assert(store, fixed);
    for (position, premise) in premises.iter().enumerate() {
        let source = edge.sources[position];
        let states = facts[source.index()][premise.index()].states;
        let variables: Vec<Term> = graph.source_variables(edge, position).to_vec();
        let states = store.rename(states, graph.vertex(source).state(), &variables);
        solver.assert(store, states);
    }
    let answer = solver.check(store, budget).into_model();
    solver.pop();
    let model = answer.map_err(|status| match status {
        Status::Unknown(reason) => reason.into(),
        _ => WitnessError::broken("a fact has a state without a derivation"),
    })?;
    let mut result = Vec::with_capacity(premises.len());
    for (position, &premise) in premises.iter().enumerate() {
        let variables = graph.source_variables(edge, position);
        let value = |v: &Term| model.value_or_default(store, store.as_var(*v).expect("a variable"));
        result.push((edge.sources[position], premise, variables.iter().map(value).collect()));
    }
    Ok(result)
}
