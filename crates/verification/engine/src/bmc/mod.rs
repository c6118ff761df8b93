//! Bounded model checking: is there a derivation of falsehood of length 1, 2, 3, …? (Biere, Cimatti, Clarke
//! and Zhu, 1999.)
//!
//! `transition` unrolls transition systems, `linear` any linear graph without making it a transition system
//! first. Where no path is long enough for the next depth, everything was seen and the answer is safe:
//! `extension` asks, `exhausted` makes the invariant.

mod description;
mod engine;
pub(crate) mod exhausted;
mod extension;
mod linear;
mod options;
mod transition;

pub(crate) use description::DESCRIPTION;
pub use engine::Bmc;
pub use options::BmcOptions;
pub use transition::TransitionBmc;

/// How a search ends.
enum End<T> {
    /// At the current depth falsehood is reached.
    Reached(T),
    /// No path is as long as the current depth.
    Exhausted,
    /// The greatest depth that was asked for is done.
    MaxDepth,
}
