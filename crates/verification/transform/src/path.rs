//! From paths of a transition system to derivations of the graph that it was made of.
//!
//! Parallel edges have become one relation; so each step asks them in order, as on the way back of a pass, and a
//! repetition stays one as far as the same edges go on allowing its steps.

use shem_base::Budget;
use shem_chc::{Derivation, Edge, EdgeId, Graph, Step, StepId, Trail, VertexId};
use shem_term::{Store, Value};

use crate::ground::GroundEdge;
use crate::pass::BackError;
use crate::steps::{StepTranslator, translate};

/// Finds the edges by which states follow from each other.
struct PathSteps<'a> {
    graph: &'a Graph,
    initial: Vec<(EdgeId, GroundEdge)>,
    transition: Vec<(EdgeId, GroundEdge)>,
}

impl StepTranslator for PathSteps<'_> {
    fn leaves(&self, _: EdgeId) -> bool {
        false
    }

    fn edge(&self, rule: EdgeId) -> Option<&Edge> {
        Some(self.graph.edge(rule))
    }

    fn translate(
        &mut self,
        store: &mut Store,
        result: &mut Derivation<EdgeId>,
        step: &Step<'_, EdgeId>,
        facts: &[&[Value]],
        premises: &[StepId],
        budget: &mut Budget,
    ) -> Result<StepId, BackError> {
        let edges = if facts.is_empty() { &mut self.initial } else { &mut self.transition };
        let id = allowing(store, edges, facts, step.values, budget)?;
        Ok(result.push(id, premises, step.values.iter().cloned()))
    }
}

/// The first of the edges that allows a step.
fn allowing(
    store: &mut Store,
    edges: &mut [(EdgeId, GroundEdge)],
    facts: &[&[Value]],
    values: &[Value],
    budget: &mut Budget,
) -> Result<EdgeId, BackError> {
    for (id, edge) in edges {
        if edge.allows(store, facts, values, budget)? {
            return Ok(*id);
        }
    }
    Err(BackError::Broken("no edge allows a step of a path".into()))
}

/// The derivation that a path of the transition system of a graph stands for, each step by the first edge that allows it.
/// The path ends in a bad state. A derivation of listed states is compressed.
pub fn derivation_of(
    store: &mut Store,
    graph: &Graph,
    trail: Trail,
    budget: &mut Budget,
) -> Result<Derivation<EdgeId>, BackError> {
    let (path, listed) = match trail {
        Trail::Rounds(path) => (path, false),
        Trail::States(states) => {
            let (mut path, mut before) = (Derivation::new(), None);
            for state in states {
                before = Some(path.push((), before.as_slice(), state));
            }
            (path, true)
        }
    };
    let mut steps = PathSteps { graph, initial: Vec::new(), transition: Vec::new() };
    let mut bad = Vec::new();
    for (id, edge) in graph.edges() {
        let list = match (edge.sources.is_empty(), edge.target == VertexId::FALSE) {
            (true, true) => continue,
            (true, false) => &mut steps.initial,
            (false, false) => &mut steps.transition,
            (false, true) => &mut bad,
        };
        list.push((id, GroundEdge::new(store, graph, edge)));
    }
    if path.is_empty() {
        return Err(BackError::Broken("a path without states".into()));
    }
    // The rules are not looked at.
    let path = path.map_rules(|()| EdgeId::new(0));
    let mut derivation = translate(store, graph, &path, &mut steps, budget)?;
    let last = StepId::new(derivation.len() - 1);
    let state = derivation.step(last).values.to_vec();
    let query = allowing(store, &mut bad, &[&state], &[], budget)?;
    derivation.push(query, &[last], []);
    Ok(if listed { derivation.compressed() } else { derivation })
}
