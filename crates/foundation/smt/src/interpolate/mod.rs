//! Craig interpolation: formulas that say why one part of a contradiction excludes the rest.
//!
//! Everything here is a function of a proof, of what its variables mean and of a partition, which may all
//! be chosen after the check. `partition` says which assertions go together and which cuts are asked for;
//! `vocabulary` finds out on which sides of the cuts each variable of the proof occurs; `label` is the
//! choice of a labelled interpolation system; `walk` goes through the proof once for all cuts, with the
//! partial interpolants of `partial` and `sketch`; `leaf`,
//! `sum`, `decompose` and `divide` interpolate the lemmas of arithmetic; `tidy`, `simplify` and `prune`
//! make the results smaller.
//! Where a proof cannot be coloured, `fallback` finds another way. The methods of
//! [`Refutation`](crate::Refutation) are in `query`.

mod cutset;
mod decompose;
mod divide;
mod error;
mod fallback;
mod label;
mod leaf;
mod options;
mod partial;
mod partition;
mod prune;
mod query;
mod simplify;
mod sketch;
mod statistics;
mod sum;
mod tidy;
mod vocabulary;
mod walk;

pub use error::ItpError;
pub use options::{ItpOptions, System, TheoryRule};
pub use partition::Partition;
pub use simplify::simplify;

/// What interpolation queries keep from one to the next.
#[derive(Debug, Default)]
pub(crate) struct Interpolation {
    pub(crate) counters: statistics::ItpCounters,
    /// Those for up to 64 cuts, which is what most queries have.
    workshop: Option<Box<query::Workshop<1>>>,
    tidier: Option<Box<tidy::Tidier>>,
}
