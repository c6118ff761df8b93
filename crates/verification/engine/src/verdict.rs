//! Verdicts with their witnesses inside.

use std::fmt;

use shem_base::Budget;
use shem_chc::{Derivation, EdgeId, Interpretation, Trail};
use shem_term::{Store, Term};

use crate::induction::KInductive;
use crate::reason::{CertificateError, Reason, Unavailable, WitnessError};

/// The answer to a problem whose witnesses of safety are of type `M` and of unsafety of type `D`.
#[derive(Debug)]
pub enum Outcome<M, D> {
    /// Falsehood cannot be derived.
    Safe(Proven<M>),
    /// Falsehood can be derived.
    Unsafe(Proven<D>),
    /// The engine gave up, and says why.
    Unknown(Reason),
}

/// The verdict on a graph.
pub type Verdict = Outcome<Interpretation, Derivation<EdgeId>>;

/// The verdict on a transition system; the witness of safety is an inductive invariant over the state, which
/// contains the initial states and no bad one.
pub type TransitionVerdict = Outcome<Term, Trail>;

/// What stands behind a verdict.
#[derive(Debug)]
pub struct Proven<W> {
    /// The witness, or the means to build it.
    pub witness: Evidence<W>,
    /// A certificate of the engine's own kind, if it has one: cheap to check, about the very problem that the
    /// engine saw.
    pub certificate: Option<Box<dyn Certificate>>,
}

/// Builds a witness within a budget.
pub type Recipe<W> = Box<dyn FnOnce(&mut Store, &mut Budget) -> Result<W, WitnessError> + Send>;

/// A witness, or the means to build it.
pub enum Evidence<W> {
    /// The witness.
    Ready(W),
    /// How to build the witness.
    Deferred(Recipe<W>),
    /// There is none, and this is why.
    Missing(Unavailable),
}

/// Evidence other than a witness that can be checked on the problem that the engine saw.
pub trait Certificate: fmt::Debug + Send + Sync {
    /// The number of its parts. Each can be checked by itself, so several can be checked at the same time.
    fn parts(&self) -> usize {
        1
    }

    /// Checks the part of this number; the error says whether it is wrong or could not be checked.
    fn check_part(&self, part: usize, store: &mut Store, budget: &mut Budget)
    -> Result<(), CertificateError>;

    /// Checks all parts, one after the other.
    fn check(&self, store: &mut Store, budget: &mut Budget) -> Result<(), CertificateError> {
        (0..self.parts()).try_for_each(|part| self.check_part(part, store, budget))
    }

    /// Whether it is the witness as the engine has found it, before the passes are undone.
    fn is_witness(&self) -> bool {
        false
    }

    /// The k-inductive formula that it consists of, if that is all, and it is about the states of the transition
    /// system that the engine was given: others who see the same states can check it by [`Replay`](crate::Replay).
    fn k_inductive(&self) -> Option<&KInductive> {
        None
    }
}

/// A certificate about something that others do not see.
#[derive(Debug)]
pub(crate) struct Private(pub(crate) Box<dyn Certificate>);

impl Certificate for Private {
    fn parts(&self) -> usize {
        self.0.parts()
    }

    fn check_part(
        &self,
        part: usize,
        store: &mut Store,
        budget: &mut Budget,
    ) -> Result<(), CertificateError> {
        self.0.check_part(part, store, budget)
    }
}

impl<M, D> Outcome<M, D> {
    /// Unknown, for this reason.
    pub fn unknown(reason: impl Into<Reason>) -> Self {
        Outcome::Unknown(reason.into())
    }

    /// Safe, with the witness at hand.
    pub fn safe(witness: M) -> Self {
        Outcome::Safe(Proven { witness: Evidence::Ready(witness), certificate: None })
    }

    /// Unsafe, with the witness at hand.
    pub fn unsafe_by(witness: impl Into<D>) -> Self {
        Outcome::Unsafe(Proven { witness: Evidence::Ready(witness.into()), certificate: None })
    }
}

impl<W: 'static> Evidence<W> {
    /// The witness, built if need be.
    pub fn get(self, store: &mut Store, budget: &mut Budget) -> Result<W, WitnessError> {
        match self {
            Evidence::Ready(witness) => Ok(witness),
            Evidence::Deferred(recipe) => recipe(store, budget),
            Evidence::Missing(reason) => Err(reason.into()),
        }
    }

    /// The evidence for something else that follows from the witness.
    pub fn then<V>(
        self,
        step: impl FnOnce(&mut Store, &mut Budget, W) -> Result<V, WitnessError> + Send + 'static,
    ) -> Evidence<V>
    where
        W: Send,
    {
        match self {
            Evidence::Missing(reason) => Evidence::Missing(reason),
            evidence => Evidence::Deferred(Box::new(move |store, budget| {
                let witness = evidence.get(store, budget)?;
                step(store, budget, witness)
            })),
        }
    }
}

impl<W: fmt::Debug> fmt::Debug for Evidence<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Evidence::Ready(witness) => f.debug_tuple("Ready").field(witness).finish(),
            Evidence::Deferred(_) => f.write_str("Deferred"),
            Evidence::Missing(reason) => f.debug_tuple("Missing").field(reason).finish(),
        }
    }
}
