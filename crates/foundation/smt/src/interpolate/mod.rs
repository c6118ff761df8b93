//! Craig interpolation.
//!
//! Everything here is a function of a proof, of what its variables mean and of a partition, which may all
//! be chosen after the check. `partition` says which assertions go together and which cuts are asked for;
//! `vocabulary` finds out on which sides of the cuts each variable of the proof occurs, with `dag` for subterms and
//! `equations` for the nodes of equations and `wires` for the circuits of bit-vectors; `label` is the choice of a labelled interpolation system; `walk` goes
//! through the proof once for all cuts, with the partial interpolants of `partial` and `lazy_formula`; `leaf`,
//! `sum`, `decompose` and `divide` interpolate the lemmas of arithmetic; `equality` derives those about equations
//! from clauses of single sides; `postprocess`, `simplify`, `lift` and `prune` make the results smaller. Where a proof has
//! clauses that belong to neither side of a cut, `fallback` finds another way. The methods of
//! [`Refutation`](crate::Refutation) are in `query`.

mod conversions;
mod cutset;
mod dag;
mod decompose;
mod divide;
mod equality;
mod equations;
mod error;
mod fallback;
mod label;
mod lazy_formula;
mod leaf;
mod lift;
mod options;
mod partial;
mod partition;
mod postprocess;
mod prune;
mod query;
mod refutation;
mod simplify;
mod statistics;
mod steps;
mod sum;
mod vocabulary;
mod walk;
mod wires;

pub use error::ItpError;
pub use options::{InterpolationSystem, ItpOptions, TheoryRule};
pub use partition::Partition;
pub use simplify::simplify;

/// What interpolation queries keep from one to the next.
#[derive(Debug, Default)]
pub(crate) struct Interpolation {
    pub(crate) counters: statistics::ItpCounters,
    /// Those for up to 64 cuts, which is what most queries have.
    buffers: Option<Box<query::QueryBuffers<1>>>,
    postprocessor: Option<Box<postprocess::Postprocessor>>,
}
