//! Whether bit-vectors are read with a sign.
//!
//! Terms that are added, compared or equated should be read alike, since a change of the reading takes a case distinction.
//! They form classes, together with the arguments that flow into one another; a class is read as most of the comparisons
//! in which its members occur ask for, and so that the arcs of its arguments are not torn, and with a sign where nothing
//! speaks for either.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use shem_chc::{EdgeId, Graph, VertexId};
use shem_term::{BitOp, Store, Term, View};

use crate::interval::{Intervals, Values};
use crate::scan::source_variables;

/// How much a comparison counts; another operation that needs a reading counts one.
const COMPARISON: i64 = 4;

/// The readings of arguments and of auxiliary variables: whether they have a sign.
pub(super) struct Readings {
    /// By vertex; false for what is no bit-vector.
    pub(super) arguments: BTreeMap<VertexId, Vec<bool>>,
    /// By edge, the variables of its label that are bit-vectors.
    pub(super) variables: BTreeMap<EdgeId, BTreeMap<Term, bool>>,
}

/// Classes of terms, each with the votes for a sign less those against it.
#[derive(Default)]
struct Classes {
    parents: Vec<usize>,
    votes: Vec<i64>,
}

impl Classes {
    fn add(&mut self) -> usize {
        self.parents.push(self.parents.len());
        self.votes.push(0);
        self.parents.len() - 1
    }

    fn root(&mut self, mut at: usize) -> usize {
        while self.parents[at] != at {
            self.parents[at] = self.parents[self.parents[at]];
            at = self.parents[at];
        }
        at
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        if a != b {
            self.parents[a] = b;
            self.votes[b] += self.votes[a];
        }
    }

    fn vote(&mut self, at: usize, votes: i64) {
        let root = self.root(at);
        self.votes[root] += votes;
    }

    fn has_sign(&mut self, at: usize) -> bool {
        let root = self.root(at);
        self.votes[root] >= 0
    }
}

impl Readings {
    /// Chooses the readings for a graph, whose arguments are within these arcs.
    pub(super) fn of(store: &Store, graph: &Graph, arcs: Option<&Intervals>) -> Readings {
        let mut classes = Classes::default();
        let mut arguments: BTreeMap<VertexId, Vec<usize>> = BTreeMap::new();
        for vertex in graph.vertices() {
            let sorts = graph.vertex(vertex).sorts();
            let own: Vec<usize> = sorts.iter().map(|_| classes.add()).collect();
            for (&at, values) in
                own.iter().zip(arcs.iter().filter_map(|arcs| arcs[vertex.index()].as_ref()).flatten())
            {
                if let Values::Bits(arc) = values {
                    let votes = i64::from(arc.is_torn(false)) - i64::from(arc.is_torn(true));
                    classes.vote(at, votes * COMPARISON);
                }
            }
            arguments.insert(vertex, own);
        }
        let mut variables: BTreeMap<EdgeId, BTreeMap<Term, usize>> = BTreeMap::new();
        for (id, edge) in graph.edges() {
            let mut local: FxHashMap<Term, usize> = FxHashMap::default();
            let mut own = store.free_variables(&[edge.label]);
            let ends = edge.sources.iter().copied().zip(source_variables(graph, &edge.sources));
            let target = (edge.target, graph.vertex(edge.target).target().to_vec());
            for (vertex, arguments_here) in ends.chain([target]) {
                own.extend_from_slice(&arguments_here);
                // Truth and falsehood have no arguments.
                let nodes = arguments.get(&vertex).into_iter().flatten().copied();
                local.extend(arguments_here.into_iter().zip(nodes));
            }
            collect(store, edge.label, &mut local, &mut classes);
            own.retain(|&variable| store.sort(variable).bit_width().is_some());
            variables.insert(id, own.into_iter().map(|variable| (variable, local[&variable])).collect());
        }
        let mut signs = |nodes: Vec<usize>| nodes.into_iter().map(|at| classes.has_sign(at)).collect();
        let arguments = arguments.into_iter().map(|(vertex, nodes)| (vertex, signs(nodes))).collect();
        let mut signs = |nodes: BTreeMap<Term, usize>| {
            nodes.into_iter().map(|(term, at)| (term, classes.has_sign(at))).collect()
        };
        let variables = variables.into_iter().map(|(id, nodes)| (id, signs(nodes))).collect();
        Readings { arguments, variables }
    }
}

/// Joins the terms of a label that should be read alike, and counts their votes.
fn collect(store: &Store, label: Term, local: &mut FxHashMap<Term, usize>, classes: &mut Classes) {
    for term in store.subterms(&[label]) {
        let is_bits =
            |term: Term| store.sort(term).bit_width().is_some() && store.as_bit_vector(term).is_none();
        if is_bits(term) {
            local.entry(term).or_insert_with(|| classes.add());
        }
        let mut alike = |terms: &[Term]| {
            let known: Vec<usize> = terms.iter().filter_map(|term| local.get(term).copied()).collect();
            known.windows(2).for_each(|pair| classes.join(pair[0], pair[1]));
        };
        if let View::Equal(a, b) = store.view(term) {
            alike(&[a, b]);
            continue;
        }
        if let View::Ite(_, a, b) = store.view(term) {
            alike(&[a, b, term]);
            continue;
        }
        let Some((op, args)) = store.as_bit_op(term) else { continue };
        let votes = match op {
            BitOp::Add | BitOp::Multiply | BitOp::Not | BitOp::And | BitOp::Xor => {
                alike(&[args, &[term]].concat());
                if matches!(op, BitOp::And | BitOp::Xor) { -1 } else { 0 }
            }
            BitOp::SignedLessEqual | BitOp::LessEqual => {
                alike(args);
                if op == BitOp::LessEqual { -COMPARISON } else { COMPARISON }
            }
            BitOp::SignExtend(_) => 1,
            BitOp::Extract { high, low } if high == low && high + 1 == store.width(args[0]) => COMPARISON,
            BitOp::ToInt | BitOp::Quotient | BitOp::Remainder | BitOp::Concat => -1,
            BitOp::ShiftLeft | BitOp::ShiftRight => -1,
            BitOp::Extract { .. } | BitOp::ShiftRightSigned | BitOp::FromInt | BitOp::Constant(_) => 0,
        };
        for arg in args {
            if let Some(&at) = local.get(arg) {
                classes.vote(at, votes);
            }
        }
    }
}
