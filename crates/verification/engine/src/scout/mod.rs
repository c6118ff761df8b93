//! Counterexamples by running the system as a program.
//!
//! `running` says how a system is run and how rounds of its loops are jumped over; here is where runs begin (`start`),
//! and how many there are (`engine`). Nothing is said about other states than those that are reached, and so nothing is
//! proved: where no run reaches falsehood, the answer is unknown.

mod engine;
mod start;

pub(crate) use engine::DESCRIPTION;
pub use engine::{Scout, ScoutSettings};
