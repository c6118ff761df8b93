//! Merging of parallel edges: one edge with the disjunction of their labels.
//!
//! Edges are parallel if they have the same target and the same sources, each as often. The order of the
//! sources does not matter: the copies of a vertex are numbered among themselves, so a label does not depend on
//! how the occurrences of different vertices are mixed. A quantifier distributes over a disjunction, so the
//! disjuncts share auxiliary variables of the same sort. Interpretations stay as they are; a step by the merged
//! edge is replayed by one of the old ones.

use std::collections::BTreeMap;

use shem_chc::{Edge, EdgeId, VertexId};

use crate::pass::{Back, Pass, PassDescription, Work};
use crate::replay::{Feed, Origin, Replay};
use crate::scan::{Scan, SharedAuxiliaries};

/// Merges parallel edges.
#[derive(Clone, Copy, Debug, Default)]
pub struct Merge;

impl Pass for Merge {
    fn description(&self) -> PassDescription {
        PassDescription::new("merge", "merges parallel edges into one with a disjunction")
    }

    fn apply(&self, Work { store, graph, statistics, budget }: Work<'_>) -> Option<Box<dyn Back>> {
        let mut scan = Scan::default();
        let mut groups: BTreeMap<(VertexId, Vec<VertexId>), Vec<EdgeId>> = BTreeMap::new();
        for (id, edge) in graph.edges() {
            let mut sources = edge.sources.clone();
            sources.sort_unstable();
            groups.entry((edge.target, sources)).or_default().push(id);
        }
        let mut replay = Replay::default();
        for group in groups.into_values().filter(|group| group.len() > 1) {
            let mut labels = Vec::with_capacity(group.len());
            let mut auxiliaries = SharedAuxiliaries::default();
            for &id in group.iter().take_while(|_| budget.check_stop().is_ok()) {
                labels.push(auxiliaries.rename(store, &mut scan, graph, graph.edge(id)));
            }
            if labels.len() < group.len() {
                break;
            }
            let olds: Vec<(EdgeId, Edge)> = group.into_iter().map(|id| (id, graph.remove_edge(id))).collect();
            statistics.add("edges", olds.len() as u64);
            let label = store.or(&labels);
            let sources = olds[0].1.sources.clone();
            let merged = Edge { sources, target: olds[0].1.target, label };
            let mut origins = Vec::with_capacity(olds.len());
            for (id, edge) in &olds {
                replay.keep(*id, edge);
                origins.push(Origin { edge: *id, feeds: matching(&edge.sources, &merged.sources) });
            }
            let id = graph.add_edge(store, merged.clone());
            replay.record(id, &merged, origins);
        }
        (!replay.is_empty()).then(|| Box::new(replay) as Box<dyn Back>)
    }
}

/// For each source of `old` the position of the same occurrence in `new`, a permutation of it.
fn matching(old: &[VertexId], new: &[VertexId]) -> Vec<Feed> {
    let occurrences = |sources: &[VertexId]| {
        let mut positions: Vec<usize> = (0..sources.len()).collect();
        // The sort is stable, so occurrences of one vertex keep their order.
        positions.sort_by_key(|&at| sources[at]);
        positions
    };
    let mut feeds = vec![0; old.len()];
    for (from, to) in occurrences(old).into_iter().zip(occurrences(new)) {
        feeds[from] = to;
    }
    feeds.into_iter().map(Feed::Source).collect()
}
