//! Why there is no interpolant.

use std::fmt;

use shem_base::UnknownReason;
use shem_proof::ProofError;

use super::equality::Obstacle;

/// Why there is no interpolant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItpError {
    /// The partition names an assertion that is not in force.
    NoSuchAssertion(u32),
    /// A partition needs at least two groups and at most 1025.
    Groups(usize),
    /// The parents do not describe a tree with the last group as its root, children before parents.
    NotATree,
    /// Dual rules do not give tree interpolants.
    DualTree,
    /// The record of the search is not a proof: a bug of the solver.
    Proof(ProofError),
    /// A limit was reached or the problem is out of reach; the reason says which.
    Unknown(UnknownReason),
}

impl fmt::Display for ItpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ItpError::NoSuchAssertion(number) => write!(f, "assertion {number} is not in force"),
            ItpError::Groups(count) => write!(f, "a partition of {count} groups, not 2 to 1025"),
            ItpError::NotATree => f.write_str("the groups do not form a tree"),
            ItpError::DualTree => f.write_str("dual interpolation rules do not suit trees"),
            ItpError::Proof(error) => write!(f, "the proof is broken: {error}"),
            ItpError::Unknown(reason) => reason.fmt(f),
        }
    }
}

impl std::error::Error for ItpError {}

impl From<ProofError> for ItpError {
    fn from(error: ProofError) -> Self {
        ItpError::Proof(error)
    }
}

impl From<UnknownReason> for ItpError {
    fn from(reason: UnknownReason) -> Self {
        ItpError::Unknown(reason)
    }
}

/// What keeps a proof from being interpolated as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mixed {
    /// It has a clause or a literal that belongs to neither side of some cut.
    Clause,
    /// It ties an equation to arithmetic of which neither side of some cut has both terms.
    Bridge,
    /// It may have clauses about products or quotients without circuits, which belong to no side.
    Abstraction,
    /// It may have lemmas about conversions between integers and bit-vectors, which belong to no side.
    Conversion,
    /// It has a lemma about equations that cannot be derived by steps of single sides.
    Lemma(Obstacle),
}

impl Mixed {
    /// The reason in words.
    pub(super) fn reason(self) -> UnknownReason {
        UnknownReason::Incomplete(match self {
            Mixed::Clause => "no interpolant: the proof has a literal that neither side of a cut can write",
            Mixed::Bridge => {
                "no interpolant: the proof needs an equation of numbers of different sides of a cut"
            }
            Mixed::Abstraction => "no interpolant: circuits of products and quotients do not give one",
            Mixed::Conversion => "no interpolant: integers are converted to bit-vectors or back",
            Mixed::Lemma(Obstacle::MixedTerm) => {
                "no interpolant: the proof has a term that neither side of a cut can write"
            }
            Mixed::Lemma(Obstacle::NoDerivation) => {
                "no interpolant: a lemma about equations does not follow by steps of single sides of a cut"
            }
        })
    }
}
