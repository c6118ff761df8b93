//! Composition: an edge whose sources are fed by other edges, as one edge.

use shem_chc::{Edge, EdgeId, Graph, VertexId};
use shem_term::{Store, Term};

use crate::reduce::Reducer;
use crate::replay::{Feed, Origin};
use crate::scan::{fresh_all, source_variables};

/// The edge that does what `edge` does after others: `feeding` gives, for each of its sources, the edge that
/// derives it, or `None` where the source stays. The label is reduced. With the edge comes its origin.
pub(crate) fn compose(
    store: &mut Store,
    graph: &mut Graph,
    reducer: &mut Reducer,
    edge: (EdgeId, &Edge),
    feeding: &[Option<(EdgeId, &Edge)>],
) -> (Edge, Origin) {
    let (id, edge) = edge;
    let mut sources: Vec<VertexId> = Vec::new();
    let mut feeds = Vec::with_capacity(edge.sources.len());
    for (&source, feeding) in edge.sources.iter().zip(feeding) {
        match feeding {
            None => {
                feeds.push(Feed::Source(sources.len()));
                sources.push(source);
            }
            Some((id, feeding)) => {
                let positions = sources.len()..sources.len() + feeding.sources.len();
                feeds.push(Feed::Edge(*id, positions.collect()));
                sources.extend_from_slice(&feeding.sources);
            }
        }
    }
    for (at, &source) in sources.iter().enumerate() {
        let copy = sources[..at].iter().filter(|&&v| v == source).count();
        graph.ensure_copy(store, source, copy);
    }
    let variables = source_variables(graph, &sources);
    let mut parts = Vec::with_capacity(sources.len() + 1);
    let mut inputs: Vec<Vec<Term>> = Vec::with_capacity(edge.sources.len());
    for (position, feed) in feeds.iter().enumerate() {
        match feed {
            Feed::Source(at) => inputs.push(variables[*at].clone()),
            Feed::Edge(_, at) => {
                let (_, feeding) = feeding[position].expect("an edge feeds this source");
                let middle = fresh_all(store, graph.vertex(edge.sources[position]).state());
                let ends: Vec<Vec<Term>> = at.iter().map(|&at| variables[at].clone()).collect();
                parts.push(reducer.scan.instance(store, graph, feeding, &ends, &middle));
                inputs.push(middle);
            }
        }
    }
    let target = graph.vertex(edge.target).target().to_vec();
    parts.push(reducer.scan.instance(store, graph, edge, &inputs, &target));
    let label = store.and(&parts);
    let mut composed = Edge { sources, target: edge.target, label };
    composed.label = reducer.label(store, graph, &composed);
    (composed, Origin { edge: id, feeds })
}
