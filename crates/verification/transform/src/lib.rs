//! Passes: rewriting of graphs, each with its way back for the witnesses.
//!
//! A pass changes a graph and returns a [`Back`], which turns a witness for the graph afterwards into one for
//! the graph before. Identifiers of vertices and edges are never used again, and removed vertices keep their
//! variables, so a way back holds only what was removed.

mod merge;
mod nested_loop;
mod pass;
mod pipeline;
mod single_loop;

pub use merge::share_arguments;
pub use nested_loop::NestedLoop;
pub use pass::{Back, BackError, Pass};
pub use pipeline::{Pipeline, Preprocessed};
pub use single_loop::SingleLoop;
