//! What the tests of several crates share: random formulas, systems, graphs and transition systems, oracles that
//! find their answers by enumeration, and judges of witnesses.
//!
//! Everything random comes from a seed, so that a failure can be had again. A judge shares no code with what it
//! judges beyond the term store and, where it has to refute something, a fresh solver.

pub mod bits;
#[cfg(feature = "horn")]
pub mod case;
#[cfg(feature = "horn")]
pub mod encode;
#[cfg(feature = "engine")]
pub mod engine;
#[cfg(feature = "proptest")]
pub mod expression;
pub mod external;
#[cfg(feature = "horn")]
pub mod finite;
#[cfg(feature = "smt")]
pub mod formula;
#[cfg(feature = "horn")]
pub mod graph;
#[cfg(feature = "smt")]
pub mod interpolants;
#[cfg(feature = "engine")]
pub mod liar;
pub mod mutate;
#[cfg(feature = "horn")]
pub mod oracle;
#[cfg(feature = "proptest")]
pub mod shrink;
#[cfg(feature = "horn")]
pub mod structured;
#[cfg(feature = "horn")]
pub mod system;
pub mod theories;
#[cfg(feature = "horn")]
pub mod transition;
#[cfg(feature = "horn")]
pub mod witness;

/// The number of rounds of a random test: by default this many, or as many times more as the environment
/// variable SHEM_ROUNDS says.
pub fn rounds(default: u64) -> u64 {
    std::env::var("SHEM_ROUNDS").ok().and_then(|n| n.parse::<u64>().ok()).unwrap_or(1) * default
}
