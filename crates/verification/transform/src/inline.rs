//! Inlining: an edge from a vertex that only one of the edges to the vertex can feed is composed with it.
//!
//! The typical case is a vertex where several paths of a program meet and part again, with a variable that says
//! which path was taken: the composition of most edges to it with an edge from it has no solution. If
//! no edge to the vertex can feed an edge from it, the latter goes; if exactly one can, their composition takes
//! its place. The vertex stays for the others. Whether an edge can feed another is decided by the constants that
//! their labels give to the arguments and, where these do not suffice, by a query of little effort.
//!
//! A loop at the vertex is not inlined, and every edge is looked at once, so that composed edges are not
//! composed again by the same application: either would unroll loops without end.
//!
//! The interpretation of the vertex is made stronger by an interpolant that excludes what the edge alone would
//! do (see `repair`); a step by the composed edge is replayed (see `replay`).

use std::collections::BTreeMap;

use shem_base::{Budget, Statistics};
use shem_chc::{Edge, EdgeId, Graph, VertexId};
use shem_smt::Status;
use shem_term::{Store, Term, Value};

use crate::compose::compose;
use crate::pass::{Back, Pass, PassDescription, Work};
use crate::reduce::Reducer;
use crate::repair::{Composed, Repair};
use crate::scan::{QuerySolver, constants, fresh_all, source_variables};

/// Inlines edges that only one edge can feed.
#[derive(Clone, Debug)]
pub struct Inline {
    /// The number of edges to a vertex up to which the edges from it are looked at.
    pub feeders: usize,
    /// How large a composed label may be, in subterms, before it is reduced.
    pub label_size: usize,
    /// How many subterms of labels are given to solvers, at most.
    pub effort: usize,
}

impl Default for Inline {
    fn default() -> Inline {
        Inline { feeders: 24, label_size: 2_000, effort: 200_000 }
    }
}

impl Pass for Inline {
    fn description(&self) -> PassDescription {
        PassDescription::new("inline", "composes an edge with the only edge that can feed it")
    }

    fn apply(&self, Work { store, graph, statistics, budget }: Work<'_>) -> Option<Box<dyn Back>> {
        let mut reducer = Reducer::until(&budget.stop);
        let mut asker = QuerySolver::default();
        let mut back = Composed::default();
        let mut effort = 0;
        let mut constants = FeederConstants::default();
        let candidates: Vec<(EdgeId, VertexId, usize)> = graph
            .edges()
            .filter_map(|(id, edge)| {
                // A vertex that is there once, and that several edges can feed.
                let position = edge.sources.iter().position(|v| {
                    let few = (2..=self.feeders).contains(&graph.incoming(*v).len());
                    few && edge.sources.iter().filter(|w| w == &v).count() == 1
                })?;
                Some((id, edge.sources[position], position))
            })
            .collect();
        for (id, vertex, position) in candidates {
            if budget.check_stop().is_err() || effort > self.effort {
                break;
            }
            if !(2..=self.feeders).contains(&graph.incoming(vertex).len()) {
                continue;
            }
            let edge = graph.edge(id).clone();
            let feeders = self.feeders(
                store,
                graph,
                (&mut reducer, &mut asker, &mut constants),
                (&edge, position),
                &mut effort,
                budget,
                statistics,
            );
            let found = match feeders[..] {
                [] => None,
                [feeder] => Some(feeder),
                _ => continue,
            };
            let incoming: Vec<Edge> = graph.incoming(vertex).map(|id| graph.edge(id).clone()).collect();
            if let Some(feeder) = found {
                let feeding = graph.edge(feeder).clone();
                let size = reducer.scan.size(store, feeding.label) + reducer.scan.size(store, edge.label);
                if !feeding.is_linear() || feeding.sources.contains(&vertex) || size > self.label_size {
                    continue;
                }
                let mut list = vec![None; edge.sources.len()];
                list[position] = Some((feeder, &feeding));
                let (composed, origin) = compose(store, graph, &mut reducer, (id, &edge), &list);
                back.replay.keep(id, &edge);
                back.replay.keep(feeder, &feeding);
                if composed.label != Term::FALSE {
                    let new = graph.add_edge(store, composed.clone());
                    back.replay.record(new, &composed, vec![origin]);
                }
                statistics.add("inlined", 1);
            } else {
                statistics.add("removed", 1);
            }
            graph.remove_edge(id);
            back.repairs.push(Repair { vertex, stays: true, incoming, outgoing: vec![edge] });
        }
        (!back.repairs.is_empty()).then(|| Box::new(back) as Box<dyn Back>)
    }
}

/// By edge, the constants that its label gives to arguments of its target.
type FeederConstants = BTreeMap<EdgeId, BTreeMap<usize, Value>>;

impl Inline {
    /// The edges that can feed an edge at this position; as soon as there are two, only these.
    #[expect(clippy::too_many_arguments, reason = "the cost of a query is counted in three ways")]
    fn feeders(
        &self,
        store: &mut Store,
        graph: &Graph,
        (reducer, asker, known): (&mut Reducer, &mut QuerySolver, &mut FeederConstants),
        (edge, position): (&Edge, usize),
        effort: &mut usize,
        budget: &Budget,
        statistics: &mut Statistics,
    ) -> Vec<EdgeId> {
        let inputs = source_variables(graph, &edge.sources);
        let wanted = constants(store, edge.label, &inputs[position]);
        let target = graph.vertex(edge.sources[position]).target();
        let fitting: Vec<EdgeId> = graph
            .incoming(edge.sources[position])
            .filter(|&id| {
                let label = graph.edge(id).label;
                let given = known.entry(id).or_insert_with(|| constants(store, label, target));
                given.iter().all(|(at, value)| wanted.get(at).is_none_or(|w| w == value))
            })
            .collect();
        let mut feeders = Vec::new();
        for id in fitting {
            if feeders.len() >= 2 {
                break;
            }
            let feeding = graph.edge(id);
            // A loop would not be inlined, and feeds most of what it is asked about.
            if feeding.sources.contains(&edge.sources[position]) {
                feeders.push(id);
                continue;
            }
            *effort += reducer.scan.size(store, feeding.label) + reducer.scan.size(store, edge.label);
            if *effort > self.effort {
                // Nothing is known of the rest.
                feeders.push(id);
                continue;
            }
            // The label to the vertex, about the variables of the source; its other variables are its own.
            let mut ends = Vec::with_capacity(feeding.sources.len());
            for &source in &feeding.sources {
                ends.push(fresh_all(store, graph.vertex(source).state()));
            }
            let first = reducer.scan.instance(store, graph, feeding, &ends, &inputs[position]);
            let both = store.and2(first, edge.label);
            statistics.add("checks", 1);
            if asker.ask(store, both, budget) != Status::Unsat {
                feeders.push(id);
            }
        }
        feeders
    }
}
