//! Abstractions: from a graph over arrays, datatypes and other sorts to one of arithmetic, on which any engine works.
//!
//! Every derivation of the graph is one of its abstraction, so if the abstraction is safe, the graph is; an
//! interpretation of the abstraction comes back as one of the graph, perhaps with quantifiers or sizes. A derivation of
//! the abstraction is only an *outline*: which edges are used, and in which order. Whether there are values for it in
//! the graph itself is asked of a solver (see `concrete`). If there are none, the abstraction is refined: arguments that
//! were dropped come back, or the sources of edges are used at more indices.
//!
//! [`Wraps`] is of another kind: neither its derivations nor its interpretations carry over by themselves.

mod bases;
mod cells;
mod concrete;
mod encode;
mod sizes;
mod wraps;

use std::collections::BTreeSet;

use shem_chc::{Derivation, EdgeId, Graph, Interpretation, VertexId};
use shem_term::Store;

pub use concrete::{Concrete, concrete};
pub use wraps::Wraps;

/// Arguments of vertices, by position, that are not abstracted.
pub type Kept = BTreeSet<(VertexId, usize)>;

/// Which abstraction is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Abstraction {
    /// None at all.
    #[default]
    None,
    /// Arrays are dropped, and come back where counterexamples need them.
    NoArrays,
    /// An array has one cell.
    Cells,
    /// An array has one cell, and all arrays of a predicate have the same index.
    SharedCells,
    /// An array has two cells, and all arrays of a predicate have the same indices.
    TwoCells,
    /// Values of recursive datatypes become their sizes.
    Sizes,
    /// Machine integers do not wrap around.
    NoWraps,
}

impl Abstraction {
    /// How the arguments of a graph are abstracted, if they are.
    pub fn form(self) -> Option<Form> {
        let form = |cells, shared, copies| Some(Form::Arrays(ArrayForm { cells, shared, copies }));
        match self {
            Abstraction::None | Abstraction::NoWraps => None,
            Abstraction::NoArrays => form(0, false, 1),
            Abstraction::Cells => form(1, false, 4),
            Abstraction::SharedCells => form(1, true, 5),
            Abstraction::TwoCells => form(2, true, 5),
            Abstraction::Sizes => Some(Form::Sizes),
        }
    }

    /// Whether no predicate may be composed away before: interpretations come back with quantifiers or with sizes, and
    /// there are no interpolants of these.
    pub fn excludes_composition(self) -> bool {
        !matches!(self, Abstraction::None | Abstraction::NoArrays | Abstraction::NoWraps)
    }
}

/// How a graph is abstracted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Arrays become cells, or are dropped.
    Arrays(ArrayForm),
    /// Values of recursive datatypes become their sizes.
    Sizes,
}

/// How arrays are abstracted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayForm {
    /// How many cells an array has.
    pub cells: usize,
    /// Whether all arrays of a predicate with the same sort of indices have cells at the same indices.
    pub shared: bool,
    /// How often a source of an edge may stand there at different indices.
    pub copies: usize,
}

/// The number of copies of a source that is not doubled any more.
const MAX_COPIES: usize = 16;

/// A step of an outline: an edge, and the steps before that derive its sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlineStep {
    /// The edge.
    pub edge: EdgeId,
    /// For each of its sources the step that derives it.
    pub premises: Vec<usize>,
}

/// A derivation without values: each step after its premises, falsehood last.
pub type Outline = Vec<OutlineStep>;

/// The way back from an abstraction.
pub trait Abstract: Send + Sync {
    /// The interpretation of the graph `before` by one of the abstraction, the graph `after`.
    fn interpretation(
        &self,
        store: &mut Store,
        before: &Graph,
        after: &Graph,
        interpretation: &Interpretation,
    ) -> Interpretation;

    /// Whether more copies of sources would say more.
    fn is_limited(&self) -> bool;

    /// What a derivation of the abstraction suggests.
    fn outline(&self, derivation: &Derivation<EdgeId>) -> Outline;
}

impl Form {
    /// The abstraction of a graph, but for the arguments that are kept, with the way back.
    pub fn apply(self, store: &mut Store, graph: &Graph, kept: &Kept) -> (Graph, Box<dyn Abstract>) {
        match self {
            Form::Arrays(form) => cells::Cells { form, kept }.apply(store, graph),
            Form::Sizes => sizes::apply(store, graph),
        }
    }

    /// Makes the abstraction finer after a derivation that the graph has not, because of the arguments that are needed;
    /// `is_limited` says whether more copies of sources would say more. `false` if there is nothing finer.
    pub fn refine(&mut self, kept: &mut Kept, needed: Kept, is_limited: bool) -> bool {
        match self {
            Form::Arrays(form) if form.cells == 0 => {
                let before = kept.len();
                kept.extend(needed);
                kept.len() > before
            }
            Form::Arrays(form) if is_limited && form.copies < MAX_COPIES => {
                form.copies *= 2;
                true
            }
            Form::Arrays(_) | Form::Sizes => false,
        }
    }
}
