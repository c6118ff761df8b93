//! The worklist: edges are visited until no set grows any more.
//!
//! Edges are visited in an order in which they lead forwards, but for loops. An edge is visited again when a set of its
//! sources has grown. A set may consist of parts; an edge with one source is then visited for each part by itself.

use std::collections::BTreeSet;

use shem_chc::{EdgeId, Graph, VertexId};

/// A vertex whose set has grown, and in which part, if its parts are visited by themselves.
pub type Grown<P> = (VertexId, Option<P>);

/// Visits edges, other than those to false, until no set grows: those without sources, and those whose sources have grown,
/// the given ones to begin with. A visit returns what has grown.
///
/// With `again`, an edge whose target has grown by others is visited once more in the end: for sets, without parts, whose
/// description need not follow from that of a smaller set, so that an edge that was closed may not be so any more.
pub fn fixpoint<P: Clone + Ord, E>(
    graph: &Graph,
    ranks: &[usize],
    start: impl IntoIterator<Item = Grown<P>>,
    again: bool,
    mut visit: impl FnMut(EdgeId, Option<P>) -> Result<Vec<Grown<P>>, E>,
) -> Result<(), E> {
    let leads_on = |id: &EdgeId| graph.edge(*id).target != VertexId::FALSE;
    let rank = |id: EdgeId| ranks[graph.edge(id).target.index()];
    let after = |(vertex, part): Grown<P>| {
        graph.outgoing(vertex).filter(leads_on).map(move |id| {
            let alone = graph.edge(id).sources.len() == 1;
            (rank(id), id, part.clone().filter(|_| alone))
        })
    };
    let mut open: BTreeSet<(usize, EdgeId, Option<P>)> =
        facts(graph).filter(leads_on).map(|id| (rank(id), id, None)).collect();
    open.extend(start.into_iter().flat_map(after));
    let mut stale: BTreeSet<(usize, EdgeId, Option<P>)> = BTreeSet::new();
    while let Some(next) = open.pop_first().or_else(|| stale.pop_first()) {
        stale.remove(&next);
        let (_, id, part) = next;
        for (vertex, part) in visit(id, part)? {
            if again {
                let others = graph.incoming(vertex).filter(|&other| other != id);
                stale.extend(others.map(|other| (rank(other), other, None)));
            }
            open.extend(after((vertex, part)));
        }
    }
    Ok(())
}

/// The edges without sources.
fn facts(graph: &Graph) -> impl Iterator<Item = EdgeId> + '_ {
    graph.edges().filter(|(_, edge)| edge.sources.is_empty()).map(|(id, _)| id)
}

/// The places of the vertices in an order in which edges lead forwards, but for loops: the last one that a search in
/// depth leaves comes first.
pub fn ranks(graph: &Graph) -> Vec<usize> {
    let mut ranks = vec![graph.vertex_bound(); graph.vertex_bound()];
    let mut seen = vec![false; graph.vertex_bound()];
    let mut next = graph.vertex_bound();
    let mut stack: Vec<(VertexId, bool)> = facts(graph).map(|id| (graph.edge(id).target, false)).collect();
    while let Some((vertex, is_done)) = stack.pop() {
        if is_done {
            next -= 1;
            ranks[vertex.index()] = next;
        } else if !std::mem::replace(&mut seen[vertex.index()], true) {
            stack.push((vertex, true));
            stack.extend(graph.outgoing(vertex).map(|id| (graph.edge(id).target, false)));
        }
    }
    ranks
}
