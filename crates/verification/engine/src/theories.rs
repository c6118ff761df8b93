//! The theories of a graph, and those that an engine accepts.
//!
//! Engines were made for linear arithmetic; which of them know more is in their descriptions.

use std::fmt;

use shem_chc::Graph;
use shem_term::{Sort, Store, View};

/// What the labels and arguments of a graph are made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theories {
    /// Truth values and linear arithmetic.
    #[default]
    Arithmetic,
    /// Truth values and bit-vectors, so that there are finitely many states.
    Bits,
    /// All sorts: arrays, datatypes, declared sorts; products and quotients of terms.
    All,
}

impl Theories {
    /// The theories of a graph.
    pub fn of(store: &Store, graph: &Graph) -> Theories {
        let basic = |vertex| graph.vertex(vertex).sorts().iter().all(|sort| sort.is_basic());
        if !graph.vertices().all(basic) {
            return Theories::All;
        }
        let labels: Vec<_> = graph.edges().map(|(_, edge)| edge.label).collect();
        let beyond = |&term: &_| match store.view(term) {
            View::App(..) | View::Equal(..) => true,
            View::Var(_) => !store.sort(term).is_basic(),
            _ => false,
        };
        if store.subterms(&labels).iter().any(beyond) { Theories::All } else { Theories::Arithmetic }
    }

    /// Whether an engine that accepts these accepts a graph with those.
    pub fn include(self, others: Theories) -> bool {
        self == Theories::All || self == others
    }

    /// Whether an engine that accepts these accepts a graph.
    pub fn accept(self, store: &Store, graph: &Graph) -> bool {
        match self {
            Theories::Arithmetic => Theories::of(store, graph) == Theories::Arithmetic,
            Theories::Bits => has_bits_only(store, graph),
            Theories::All => true,
        }
    }
}

/// Whether all arguments and all parts of labels are truth values and bit-vectors.
fn has_bits_only(store: &Store, graph: &Graph) -> bool {
    let is_finite = |sort: Sort| sort == Sort::Bool || sort.bit_width().is_some();
    let labels: Vec<_> = graph.edges().map(|(_, edge)| edge.label).collect();
    graph.vertices().all(|vertex| graph.vertex(vertex).sorts().iter().all(|&sort| is_finite(sort)))
        && store.subterms(&labels).iter().all(|&term| {
            let is_known = match store.view(term) {
                View::App(..) => store.as_bit_op(term).is_some(),
                _ => true,
            };
            is_known && is_finite(store.sort(term))
        })
}

impl fmt::Display for Theories {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Theories::Arithmetic => "linear arithmetic",
            Theories::Bits => "truth values and bit-vectors",
            Theories::All => "all sorts",
        })
    }
}
