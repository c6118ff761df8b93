//! Choices of interpolation algorithms.

use std::fmt;
use std::str::FromStr;

/// The labelled interpolation system that combines the leaves of a proof: to which side a variable that both
/// sides have counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum InterpolationSystem {
    /// McMillan's: shared variables count to B. The strongest of the systems.
    #[default]
    McMillan,
    /// Pudlák's: shared variables count to both.
    Pudlak,
    /// The dual of McMillan's: shared variables count to A. The weakest of the systems.
    DualMcMillan,
    /// McMillan's, but where only variables that occur on both sides are shared, in assertions or in the
    /// definitions of gates that do: one whose occurrences are all on the A side counts to A, even if B knows
    /// its symbols. Between McMillan's and its dual.
    Occurrence,
    /// A shared variable counts to A if more of its occurrences in the proof's input clauses are there. It
    /// tends to give small interpolants.
    ProofSensitive,
}

impl InterpolationSystem {
    /// All systems.
    pub const ALL: [InterpolationSystem; 5] = [
        InterpolationSystem::McMillan,
        InterpolationSystem::Pudlak,
        InterpolationSystem::DualMcMillan,
        InterpolationSystem::Occurrence,
        InterpolationSystem::ProofSensitive,
    ];
}

/// How a lemma of linear arithmetic is interpolated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TheoryRule {
    /// The weighted sum of the A part.
    #[default]
    Farkas,
    /// The negation of the weighted sum of the B part.
    DualFarkas,
    /// A conjunction of sums of the A part, each without A's own variables; implies the Farkas interpolant.
    Decomposed,
    /// The negation of such a conjunction of the B part; implied by the dual Farkas interpolant.
    DualDecomposed,
}

impl TheoryRule {
    /// Whether the B part is summed up.
    pub fn is_dual(self) -> bool {
        matches!(self, TheoryRule::DualFarkas | TheoryRule::DualDecomposed)
    }

    /// Whether sums are decomposed.
    pub fn is_decomposed(self) -> bool {
        matches!(self, TheoryRule::Decomposed | TheoryRule::DualDecomposed)
    }
}

/// Options of one interpolation query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItpOptions {
    /// The propositional system. Default: McMillan's.
    pub system: InterpolationSystem,
    /// The rule for lemmas of arithmetic. Default: Farkas.
    pub theory: TheoryRule,
    /// Whether interpolants are simplified, without changing their meaning. Default: true.
    pub simplify: bool,
    /// Whether conjuncts that the others imply are dropped, and disjuncts that imply another one; a solver decides,
    /// with little effort for each. Default: false, since it may cost more than the interpolant did.
    pub prune: bool,
    /// Case splits allowed when a problem is solved again because its first proof does not suit the
    /// cuts. Default: 1000.
    pub retry_splits: u64,
}

impl Default for ItpOptions {
    fn default() -> Self {
        ItpOptions {
            system: InterpolationSystem::default(),
            theory: TheoryRule::default(),
            simplify: true,
            prune: false,
            retry_splits: 1000,
        }
    }
}

impl fmt::Display for InterpolationSystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            InterpolationSystem::McMillan => "mcmillan",
            InterpolationSystem::Pudlak => "pudlak",
            InterpolationSystem::DualMcMillan => "dual-mcmillan",
            InterpolationSystem::Occurrence => "occurrence",
            InterpolationSystem::ProofSensitive => "proof-sensitive",
        })
    }
}

impl FromStr for InterpolationSystem {
    type Err = String;

    fn from_str(text: &str) -> Result<InterpolationSystem, String> {
        let found = InterpolationSystem::ALL.into_iter().find(|system| system.to_string() == text);
        found.ok_or_else(|| {
            let names: Vec<String> =
                InterpolationSystem::ALL.iter().map(InterpolationSystem::to_string).collect();
            format!("'{text}' is none of {}", names.join(", "))
        })
    }
}

impl fmt::Display for TheoryRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TheoryRule::Farkas => "farkas",
            TheoryRule::DualFarkas => "dual-farkas",
            TheoryRule::Decomposed => "decomposed",
            TheoryRule::DualDecomposed => "dual-decomposed",
        })
    }
}

impl FromStr for TheoryRule {
    type Err = String;

    fn from_str(text: &str) -> Result<TheoryRule, String> {
        let all =
            [TheoryRule::Farkas, TheoryRule::DualFarkas, TheoryRule::Decomposed, TheoryRule::DualDecomposed];
        let found = all.into_iter().find(|rule| rule.to_string() == text);
        found.ok_or_else(|| format!("'{text}' is none of farkas, dual-farkas, decomposed, dual-decomposed"))
    }
}
