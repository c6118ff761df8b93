//! The theories of a graph, and those that an engine accepts.
//!
//! Engines were made for linear arithmetic; which of them know more is in their descriptions.

use std::fmt;

use shem_chc::Graph;
use shem_term::{Store, View};

/// What the labels and arguments of a graph are made of; each accepts the ones before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Theories {
    /// Truth values and linear arithmetic.
    #[default]
    Arithmetic,
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
        others <= self
    }
}

impl fmt::Display for Theories {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Theories::Arithmetic => "linear arithmetic",
            Theories::All => "all sorts",
        })
    }
}
