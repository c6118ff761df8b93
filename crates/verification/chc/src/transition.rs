//! Transition systems: a graph with one vertex, as most engines want to see it.

use shem_base::Budget;
use shem_smt::{Answer, Solver};
use shem_term::{Sort, Store, Term, Value};

use crate::derivation::Derivation;
use crate::graph::{Edge, EdgeId, Graph, VertexId};
use crate::shape::Shape;

/// Initial states, transitions and bad states, as formulas.
///
/// All other variables of a formula are auxiliary and quantified existentially; the three formulas share none.
#[derive(Clone, Debug)]
pub struct TransitionSystem {
    /// The variables of a state.
    pub state: Vec<Term>,
    /// The variables of the state after a step.
    pub next: Vec<Term>,
    /// The initial states, over `state` and auxiliaries.
    pub initial: Term,
    /// The steps, over `state`, `next` and auxiliaries.
    pub transition: Term,
    /// The bad states, over `state` and auxiliaries.
    pub bad: Term,
}

/// The witness against a transition system: states from an initial to a bad one, each step a transition.
pub type Path = Vec<Vec<Value>>;

impl TransitionSystem {
    /// The transition system that a graph of shape [`Shape::TransitionSystem`] is, with its vertex; parallel
    /// edges become disjunctions. `None` for other shapes, or if an edge leads from true to false.
    pub fn of(store: &mut Store, graph: &mut Graph) -> Option<(VertexId, TransitionSystem)> {
        if Shape::of(graph) != Shape::TransitionSystem {
            return None;
        }
        let vertex = graph.vertices().next()?;
        if graph.edges().any(|(_, e)| e.sources.is_empty() && e.target == VertexId::FALSE) {
            return None;
        }
        let state = graph.vertex(vertex).state().to_vec();
        let next = graph.vertex(vertex).target().to_vec();
        let (mut initial, mut transition, mut bad) = (Vec::new(), Vec::new(), Vec::new());
        let edges: Vec<Edge> = graph.edges().map(|(_, e)| e.clone()).collect();
        for edge in edges {
            match (edge.sources.is_empty(), edge.target == VertexId::FALSE) {
                (true, _) => initial.push(graph.instantiate(store, &edge, &[], &state)),
                (false, true) => bad.push(edge.label),
                (false, false) => transition.push(edge.label),
            }
        }
        let initial = store.or(&initial);
        let transition = store.or(&transition);
        let bad = store.or(&bad);
        Some((vertex, TransitionSystem { state, next, initial, transition, bad }))
    }

    /// The derivation in the graph that a path of its transition system stands for: each step by the first
    /// edge that allows it. `None` if some step is allowed by no edge, or if the budget ends.
    pub fn derivation(
        store: &mut Store,
        graph: &Graph,
        vertex: VertexId,
        path: &Path,
        budget: &mut Budget,
    ) -> Option<Derivation<EdgeId>> {
        let mut derivation = Derivation::new();
        let mut premise = None;
        let mut solvers: Vec<(EdgeId, Solver)> = Vec::new();
        for (id, edge) in graph.edges() {
            let mut solver = Solver::new(Default::default());
            solver.assert(store, edge.label);
            solvers.push((id, solver));
        }
        for at in 0..=path.len() {
            let mut fixed = Vec::new();
            if let Some(before) = at.checked_sub(1) {
                fixed.extend(fix(store, graph.vertex(vertex).state(), &path[before]));
            }
            let target = if at == path.len() { VertexId::FALSE } else { vertex };
            if let Some(values) = path.get(at) {
                fixed.extend(fix(store, graph.vertex(vertex).target(), values));
            }
            let mut found = None;
            for (id, solver) in &mut solvers {
                let edge = graph.edge(*id);
                if edge.target == target
                    && edge.sources.is_empty() == (at == 0)
                    && solver.check_assuming(store, &fixed, budget) == Answer::Sat
                {
                    found = Some(*id);
                    break;
                }
            }
            let values = path.get(at).cloned().unwrap_or_default();
            premise = Some(derivation.push(found?, premise.as_slice(), values));
        }
        Some(derivation)
    }
}

/// Literals that give variables these values.
fn fix(store: &mut Store, variables: &[Term], values: &[Value]) -> Vec<Term> {
    let mut literals = Vec::with_capacity(variables.len());
    for (&variable, value) in variables.iter().zip(values) {
        literals.push(match value {
            Value::Bool(truth) => variable.xor(!truth),
            Value::Num(number) => {
                let sort: Sort = store.sort(variable);
                let number = store.numeral(number, sort);
                store.eq(variable, number)
            }
        });
    }
    literals
}
