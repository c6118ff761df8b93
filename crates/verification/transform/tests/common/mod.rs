//! What the tests of passes share: random systems, an engine that lists facts, and a judge of witnesses.

#![allow(dead_code, reason = "each test uses a part of it")]

pub mod generate;
pub mod judge;
pub mod oracle;

/// The number of rounds of a random test: by default this many, or as many times more as the environment
/// variable SHEM_ROUNDS says.
pub fn rounds(default: u64) -> u64 {
    std::env::var("SHEM_ROUNDS").ok().and_then(|n| n.parse::<u64>().ok()).unwrap_or(1) * default
}
