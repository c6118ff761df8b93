//! The settings of interpolation, which several engines have.
//!
//! Each macro is the row of one field, given the way to it and the section with its measurement, if there is one: names,
//! values and help are the same for all engines.

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
    ($($path:ident).+ $(, $section:literal)?) => {
        $crate::field!(
            "lra-itp-algorithm",
            $($path).+,
            "interpolants of linear arithmetic: 0 Farkas, 2 dual, 4 decomposed, 5 dual decomposed"
            $(, $section)?
        )
    };
}

macro_rules! proof_system {
    ($($path:ident).+ $(, $section:literal)?) => {
        $crate::field!("bool-itp-algorithm", $($path).+, "interpolation system for resolution proofs" $(, $section)?)
    };
}

pub(crate) use {proof_system, theory_rule};
