//! Bounded model checking: is there a derivation of falsehood of length 1, 2, 3, …? (Biere, Cimatti, Clarke
//! and Zhu, 1999.)
//!
//! [`transition`] unrolls transition systems, [`linear`] any linear graph without making it a transition
//! system first. Where no path is long enough for the next depth, everything was seen and the answer is
//! safe; [`exhausted`] makes the invariant.

mod exhausted;
mod options;
mod transition;

pub use options::BmcOptions;
pub use transition::TransitionBmc;
