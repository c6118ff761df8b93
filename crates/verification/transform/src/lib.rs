//! Passes: rewriting of graphs, each with its way back for the witnesses.
//!
//! A pass changes a graph and returns a [`Back`], which turns a witness for the graph afterwards into one for
//! the graph before. Identifiers of vertices and edges are never used again, and removed vertices keep their
//! variables, so a way back holds only what was removed.
//!
//! Ways back are shared: `replay` for derivations by edges that were made of others, `repair` for the
//! interpretation of vertices that were taken out, by interpolation, and `rewired` for vertices that got other arguments.

mod abstract_products;
pub mod abstraction;
mod cases;
mod catalogue;
mod collapse;
mod compose;
mod contract;
mod definitions;
mod direct;
pub mod domain;
#[cfg(test)]
mod drop_false;
#[cfg(test)]
mod drop_false_tests;
mod eliminate_quantifiers;
mod established;
mod few_values;
mod flatten;
mod free;
mod ground;
mod infeasible;
mod inline;
mod int_blast;
mod interval;
mod invariant;
mod locations;
mod merge;
mod merged_vertices;
mod nested_loop;
mod partition;
mod pass;
mod path;
mod pipeline;
mod prepare;
mod preprocessed;
mod reachable;
mod reduce;
mod repair;
mod replay;
mod rewired;
mod rewrite;
mod scalars;
mod scan;
mod simplify;
mod single_loop;
mod slice;
mod steps;
mod strengthened;
mod subsume;

pub use abstract_products::AbstractProducts;
pub use cases::open_conditionals;
pub use catalogue::{DisabledPasses, UnknownPass, all_passes, passes};
pub use collapse::Collapse;
pub use contract::Contract;
pub use definitions::Definitions;
pub use direct::Direct;
pub use eliminate_quantifiers::{EliminateQuantifiers, QUANTIFIED, has_quantifiers};
pub use few_values::FewValues;
pub use flatten::Flatten;
pub use free::Free;
pub use infeasible::Infeasible;
pub use inline::Inline;
pub use int_blast::IntBlast;
pub use interval::Propagate;
pub use invariant::{Invariants, WordInvariants};
pub use locations::Locations;
pub use merge::Merge;
pub use merged_vertices::share_arguments;
pub use nested_loop::{NestedLoop, mutual_components};
pub use partition::{Partition, PartitionBy};
pub use pass::{After, Back, BackError, Pass, PassDescription, PassObserver, PassTimes, Returned, Work};
pub use path::derivation_of;
pub use pipeline::Pipeline;
pub use prepare::{Passes, Preparation, Stage};
pub use preprocessed::{Decision, Preprocessed};
pub use reachable::Reachable;
pub use scalars::Scalars;
pub use simplify::Simplify;
pub use single_loop::SingleLoop;
pub use slice::Slice;
pub use subsume::Subsume;
