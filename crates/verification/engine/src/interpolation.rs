//! The settings of interpolation, which several engines have.
//!
//! Each macro is the row of one field, given the way to it: names, values and help are the same for all engines.

use shem_smt::interpolate::{InterpolationSystem, TheoryRule};

use crate::choice;

choice!(TheoryRule {
    "0" => TheoryRule::Farkas,
    "2" => TheoryRule::DualFarkas,
    "4" => TheoryRule::Decomposed,
    "5" => TheoryRule::DualDecomposed,
});

choice!(InterpolationSystem {
    "mcmillan" => InterpolationSystem::McMillan,
    "pudlak" => InterpolationSystem::Pudlak,
    "dual-mcmillan" => InterpolationSystem::DualMcMillan,
    "occurrence" => InterpolationSystem::Occurrence,
    "proof-sensitive" => InterpolationSystem::ProofSensitive,
});

macro_rules! theory_rule {
    ($($path:ident).+) => {
        $crate::field!(
            "lra-itp-algorithm",
            $($path).+,
            "interpolants of linear arithmetic: 0 Farkas, 2 dual, 4 decomposed, 5 dual decomposed"
        )
    };
}

macro_rules! proof_system {
    ($($path:ident).+) => {
        $crate::field!("bool-itp-algorithm", $($path).+, "interpolation system for resolution proofs")
    };
}

macro_rules! simplify {
    ($($path:ident).+) => {
        $crate::field!("itp.simplify", $($path).+, "simplify interpolants without changing their meaning")
    };
}

macro_rules! prune {
    ($($path:ident).+) => {
        $crate::field!("itp.prune", $($path).+, "drop parts of interpolants that the other parts imply")
    };
}

macro_rules! retry_splits {
    ($($path:ident).+) => {
        $crate::field!(
            "itp.retry-splits",
            $($path).+,
            "case splits for solving a problem again whose first proof does not suit the interpolants"
        )
    };
}

pub(crate) use {proof_system, prune, retry_splits, simplify, theory_rule};
