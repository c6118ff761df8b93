//! Contraction of vertices: every edge to a vertex is composed with every edge from it, and the vertex goes.
//!
//! A vertex may go if no edge from it leads to it directly, and if the graph does not grow by more than the
//! settings allow: in the number of edges (contraction of a vertex with `n` edges to it and `m` from it makes
//! `n m` linear edges out of `n + m`), in the number of sources of an edge, and in the size of labels. If the
//! vertex is `k` times among the sources of an edge, every choice of `k` edges to it is composed with that
//! edge. A chain of vertices is a case of this, with one edge to each and one from it.
//!
//! A vertex where many paths join and part again stays: a row of `n` diamonds would become one formula with `2^n` paths,
//! whose interpretation has to be found for all of them at once instead of join by join.
//!
//! The interpretation of a vertex that went is an interpolant (see `repair`); a step by a composed edge is
//! replayed (see `replay`).

use std::collections::{BTreeSet, VecDeque};

use shem_chc::{Edge, EdgeId, Graph, VertexId};
use shem_term::{Store, Term};

use crate::compose::compose;
use crate::pass::{Back, Pass, PassDescription, Work};
use crate::reduce::Reducer;
use crate::repair::{Composed, Repair};
use crate::replay::{Origin, Replay};

/// Contracts vertices.
#[derive(Clone, Debug)]
pub struct Contract {
    /// The name of the pass with these settings.
    pub name: &'static str,
    /// What the pass with these settings does.
    pub summary: &'static str,
    /// Whether only vertices with one edge to them and one from them go, both linear.
    pub chains_only: bool,
    /// Whether edges with several sources are composed.
    pub hyperedges: bool,
    /// How many edges more than before there may be after the contraction of one vertex.
    pub extra_edges: usize,
    /// The number of sources up to which an edge may grow; one that is longer already may keep its length.
    pub sources: usize,
    /// How large a composed label may be, in subterms, before it is reduced.
    pub label_size: usize,
    /// By which factor the labels around a vertex may grow, before they are reduced.
    pub growth: usize,
    /// How many paths may lead from before a vertex to behind it, if they part before it and behind it: where they join,
    /// an interpretation of the vertex says once what the composed labels would say of each path.
    pub paths: u32,
    /// How many subterms of labels the pass builds, at most.
    pub effort: usize,
}

impl Default for Contract {
    fn default() -> Contract {
        Contract {
            name: "contract",
            summary: "removes predicates by composing the edges to and from them, if the graph does not grow",
            chains_only: false,
            hyperedges: true,
            extra_edges: 0,
            sources: 2,
            label_size: 4_000,
            growth: 4,
            paths: 512,
            effort: 500_000,
        }
    }
}

impl Contract {
    /// Summarises chains: vertices with one linear edge to them and one from them.
    pub fn chains() -> Contract {
        Contract {
            name: "chains",
            summary: "removes predicates with one edge to them and one from them",
            chains_only: true,
            ..Contract::default()
        }
    }

    /// Allows more growth, where an engine gains much from few vertices.
    pub fn eager() -> Contract {
        Contract {
            name: "contract-eager",
            summary: "removes predicates by composing edges, even if the graph grows somewhat",
            extra_edges: 4,
            label_size: 20_000,
            growth: 16,
            paths: 4_096,
            ..Contract::default()
        }
    }
}

impl Pass for Contract {
    fn description(&self) -> PassDescription {
        PassDescription::new(self.name, self.summary)
    }

    fn apply(&self, Work { store, graph, statistics, budget }: Work<'_>) -> Option<Box<dyn Back>> {
        let mut reducer = Reducer::until(&budget.stop);
        let mut back = Composed::default();
        let mut effort = 0;
        let mut left = graph.vertices().count();
        let mut queue: VecDeque<VertexId> = graph.vertices().collect();
        let mut queued: BTreeSet<VertexId> = queue.iter().copied().collect();
        while let Some(vertex) = queue.pop_front() {
            queued.remove(&vertex);
            if budget.check_stop().is_err() || effort > self.effort {
                break;
            }
            let paths = if left <= FEW { self.paths.saturating_mul(FEW_PATHS) } else { self.paths };
            if !graph.is_live(vertex)
                || !self.may_contract(store, graph, &mut reducer, vertex, &mut effort)
                || !keeps_paths(store, graph, &mut reducer, vertex, paths)
            {
                continue;
            }
            for neighbour in contract(store, graph, &mut reducer, vertex, &mut back, &mut effort) {
                if neighbour != VertexId::FALSE && queued.insert(neighbour) {
                    queue.push_back(neighbour);
                }
            }
            statistics.add("vertices", 1);
            left -= 1;
        }
        (!back.repairs.is_empty()).then(|| Box::new(back) as Box<dyn Back>)
    }
}

impl Contract {
    fn may_contract(
        &self,
        store: &Store,
        graph: &Graph,
        reducer: &mut Reducer,
        vertex: VertexId,
        effort: &mut usize,
    ) -> bool {
        let (ins, outs) = (graph.incoming(vertex).len(), graph.outgoing(vertex).len());
        // A vertex without edges on one side is unreachable or not relevant: another pass removes it.
        if ins == 0 || outs == 0 || (self.chains_only && (ins > 1 || outs > 1)) {
            return false;
        }
        // A test that costs nothing comes first.
        if ins.saturating_mul(outs) > ins + outs + self.extra_edges {
            return false;
        }
        let mut made = 0usize;
        let mut edges: Vec<&Edge> = Vec::with_capacity(ins + outs);
        let longest = graph.incoming(vertex).map(|id| graph.edge(id).sources.len()).max().unwrap_or(0);
        for id in graph.outgoing(vertex) {
            let edge = graph.edge(id);
            let occurrences = edge.sources.iter().filter(|&&s| s == vertex).count();
            let choices = u32::try_from(occurrences).ok().and_then(|k| ins.checked_pow(k));
            made = made.saturating_add(choices.unwrap_or(usize::MAX));
            let length = edge.sources.len() - occurrences + occurrences * longest;
            if edge.is_loop() && edge.target == vertex
                || length > edge.sources.len().max(longest).max(self.sources)
            {
                return false;
            }
            edges.push(edge);
        }
        edges.extend(graph.incoming(vertex).map(|id| graph.edge(id)));
        if made > ins + outs + self.extra_edges {
            return false;
        }
        if (self.chains_only || !self.hyperedges) && edges.iter().any(|edge| !edge.is_linear()) {
            return false;
        }
        let sizes: Vec<usize> = edges.iter().map(|edge| reducer.scan.size(store, edge.label)).collect();
        let largest = |sizes: &[usize]| sizes.iter().copied().max().unwrap_or(0);
        let (out_sizes, in_sizes) = sizes.split_at(outs);
        let total: usize = sizes.iter().sum();
        *effort += total;
        // Every composed label is at most as large as one from the vertex and as many to it as fit.
        let occurrences = |edge: &Edge| edge.sources.iter().filter(|&&s| s == vertex).count();
        let most = edges[..outs].iter().map(|edge| occurrences(edge)).max().unwrap_or(1);
        let each = largest(out_sizes) + most * largest(in_sizes);
        each <= self.label_size && made.saturating_mul(each) <= self.growth * total + 1_000
    }
}

/// Where at most so many vertices are left, the bound on paths is so many times as high: what is multiplied then is
/// multiplied a few times only, and an engine gains much from a graph without vertices.
const FEW: usize = 4;
const FEW_PATHS: u32 = 8;

/// Whether paths do not part before and behind a vertex, or at most so many lead past it. Labels that have more paths by
/// themselves are no rows of joins, and whatever is asked about them has to deal with these paths anyway.
fn keeps_paths(store: &Store, graph: &Graph, reducer: &mut Reducer, vertex: VertexId, most: u32) -> bool {
    let mut count = |edges: &mut dyn Iterator<Item = EdgeId>| {
        let paths = edges.map(|id| reducer.scan.paths(store, graph.edge(id).label));
        paths.fold(0, u32::saturating_add)
    };
    let (before, behind) = (count(&mut graph.incoming(vertex)), count(&mut graph.outgoing(vertex)));
    before.min(behind) <= 1 || before.max(behind) > most || before.saturating_mul(behind) <= most
}

/// Contracts a vertex; the vertices whose edges have changed.
fn contract(
    store: &mut Store,
    graph: &mut Graph,
    reducer: &mut Reducer,
    vertex: VertexId,
    back: &mut Composed,
    effort: &mut usize,
) -> BTreeSet<VertexId> {
    let ins: Vec<EdgeId> = graph.incoming(vertex).collect();
    let outs: Vec<EdgeId> = graph.outgoing(vertex).collect();
    let ins: Vec<(EdgeId, Edge)> = ins.into_iter().map(|id| (id, graph.remove_edge(id))).collect();
    let outs: Vec<(EdgeId, Edge)> = outs.into_iter().map(|id| (id, graph.remove_edge(id))).collect();
    graph.remove_vertex(vertex);
    let mut neighbours = BTreeSet::new();
    for (id, edge) in ins.iter().chain(&outs) {
        back.replay.keep(*id, edge);
        neighbours.extend(edge.sources.iter().copied().filter(|&v| v != vertex));
        neighbours.extend((edge.target != vertex).then_some(edge.target));
    }
    for (id, edge) in &outs {
        let occurrences = edge.sources.iter().filter(|&&s| s == vertex).count();
        // The choices of an edge for each occurrence, counted up like the digits of a number.
        let mut choice = vec![0; occurrences];
        loop {
            let mut chosen = choice.iter().map(|&at: &usize| (ins[at].0, &ins[at].1));
            let feeding: Vec<Option<(EdgeId, &Edge)>> =
                edge.sources.iter().map(|&s| if s == vertex { chosen.next() } else { None }).collect();
            let (composed, origin) = compose(store, graph, reducer, (*id, edge), &feeding);
            *effort += reducer.scan.size(store, composed.label);
            if composed.label != Term::FALSE {
                record(store, graph, &mut back.replay, composed, origin);
            }
            let Some(digit) = choice.iter().position(|&at| at + 1 < ins.len()) else { break };
            choice[digit] += 1;
            choice[..digit].fill(0);
        }
    }
    let edges = |list: Vec<(EdgeId, Edge)>| list.into_iter().map(|(_, edge)| edge).collect();
    back.repairs.push(Repair { vertex, stays: false, incoming: edges(ins), outgoing: edges(outs) });
    neighbours
}

fn record(store: &mut Store, graph: &mut Graph, replay: &mut Replay, edge: Edge, origin: Origin) {
    let id = graph.add_edge(store, edge.clone());
    replay.record(id, &edge, vec![origin]);
}
