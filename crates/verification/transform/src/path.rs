//! From paths of a transition system to derivations of the graph that it was made of.
//!
//! Parallel edges have become one relation; so each step asks them in order, as on the way back of a pass, and a
//! repetition stays one as far as the same edges go on allowing its steps.

use shem_chc::{Derivation, Edge, EdgeId, Graph, StepId, Trail, VertexId};
use shem_term::Value;

use crate::ground::GroundEdge;
use crate::pass::{After, BackError, Returned};
use crate::steps::{Given, StepTranslator, translate};

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
        at: After<'_>,
        given: Given<'_>,
        to: &mut Derivation<EdgeId>,
    ) -> Returned<StepId> {
        let edges = if given.facts.is_empty() { &mut self.initial } else { &mut self.transition };
        let id = allowing(at, edges, given.facts, given.values)?;
        Ok(to.push(id, given.premises, given.values.iter().cloned()))
    }
}

/// The first of the edges that allows a step.
fn allowing(
    After { store, budget, .. }: After<'_>,
    edges: &mut [(EdgeId, GroundEdge)],
    facts: &[&[Value]],
    values: &[Value],
) -> Returned<EdgeId> {
    for (id, edge) in edges {
        if edge.allows(store, facts, values, budget)? {
            return Ok(*id);
        }
    }
    Err(BackError::Broken("no edge allows a step of a path".into()))
}

/// The derivation that a path of the transition system of a graph stands for, each step by the first edge that allows it.
/// The path ends in a bad state. A derivation of listed states is compressed.
pub fn derivation_of(mut at: After<'_>, trail: Trail) -> Returned<Derivation<EdgeId>> {
    let graph = at.graph;
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
        list.push((id, GroundEdge::new(at.store, graph, edge)));
    }
    if path.is_empty() {
        return Err(BackError::Broken("a path without states".into()));
    }
    // The rules are not looked at.
    let path = path.map_rules(|()| EdgeId::new(0));
    let mut derivation = translate(at.reborrow(), &path, &mut steps)?;
    let last = StepId::new(derivation.len() - 1);
    let state = derivation.step(last).values.to_vec();
    let query = allowing(at, &mut bad, &[&state], &[])?;
    derivation.push(query, &[last], []);
    Ok(if listed { derivation.compressed() } else { derivation })
}
