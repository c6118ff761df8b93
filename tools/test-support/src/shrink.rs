//! How tests with shrinking are run: with a fixed seed and without files beside the sources.

use proptest::test_runner::{Config, RngSeed};

/// The settings of a test of so many cases; `SHEM_ROUNDS` multiplies them. The cases are the same in every run,
/// unless `SHEM_SEED` says where to start.
pub fn config(cases: u32) -> Config {
    let seed = std::env::var("SHEM_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    Config {
        cases: u32::try_from(crate::rounds(u64::from(cases))).unwrap_or(u32::MAX),
        rng_seed: RngSeed::Fixed(seed),
        failure_persistence: None,
        ..Config::default()
    }
}
