//! Verdicts with their witnesses inside.

use std::fmt;

use shem_base::Budget;
use shem_chc::{Derivation, EdgeId, Interpretation, Trail};
use shem_check::Certificate;
use shem_check::certificate::TransitionCertificate;
use shem_term::{Store, Term};

use crate::reason::{Reason, Unavailable, WitnessError};

/// The answer to a problem whose witnesses of safety are of type `M` and of unsafety of type `D`, and whose certificates,
/// which are of safety, are of type `C`.
#[derive(Debug)]
pub enum Outcome<M, D, C> {
    /// Falsehood cannot be derived.
    Safe(Proven<M, C>),
    /// Falsehood can be derived.
    Unsafe(WitnessSource<D>),
    /// The engine gave up, and says why.
    Unknown(Reason),
}

/// The verdict on a graph.
pub type Verdict = Outcome<Interpretation, Derivation<EdgeId>, Certificate>;

/// The verdict on a transition system; the witness of safety is an inductive invariant over the state, which
/// contains the initial states and no bad one.
pub type TransitionVerdict = Outcome<Term, Trail, TransitionCertificate>;

/// What stands behind a verdict.
#[derive(Debug)]
pub struct Proven<W, C = Certificate> {
    /// The witness, or the means to build it.
    pub witness: WitnessSource<W>,
    /// A certificate, if there is one: cheap to check, about the very problem that the engine was given.
    pub certificate: Option<C>,
}

/// Builds a witness within a budget.
pub type Recipe<W> = Box<dyn FnOnce(&mut Store, &mut Budget) -> Result<W, WitnessError> + Send>;

/// A witness, or the means to build it.
pub enum WitnessSource<W> {
    /// The witness.
    Ready(W),
    /// How to build the witness.
    Deferred(Recipe<W>),
    /// There is none, and this is why.
    Missing(Unavailable),
}

impl<M, D, C> Outcome<M, D, C> {
    /// Unknown, for this reason.
    pub fn unknown(reason: impl Into<Reason>) -> Self {
        Outcome::Unknown(reason.into())
    }

    /// Safe, with the witness at hand.
    pub fn safe(witness: M) -> Self {
        Outcome::Safe(Proven { witness: WitnessSource::Ready(witness), certificate: None })
    }

    /// Unsafe, with the witness at hand.
    pub fn unsafe_by(witness: impl Into<D>) -> Self {
        Outcome::Unsafe(WitnessSource::Ready(witness.into()))
    }
}

impl<W: 'static> WitnessSource<W> {
    /// The witness, built if need be.
    pub fn get(self, store: &mut Store, budget: &mut Budget) -> Result<W, WitnessError> {
        match self {
            WitnessSource::Ready(witness) => Ok(witness),
            WitnessSource::Deferred(recipe) => recipe(store, budget),
            WitnessSource::Missing(reason) => Err(reason.into()),
        }
    }

    /// The evidence for something else that follows from the witness.
    pub fn then<V>(
        self,
        step: impl FnOnce(&mut Store, &mut Budget, W) -> Result<V, WitnessError> + Send + 'static,
    ) -> WitnessSource<V>
    where
        W: Send,
    {
        match self {
            WitnessSource::Missing(reason) => WitnessSource::Missing(reason),
            evidence => WitnessSource::Deferred(Box::new(move |store, budget| {
                let witness = evidence.get(store, budget)?;
                step(store, budget, witness)
            })),
        }
    }
}

impl<W: fmt::Debug> fmt::Debug for WitnessSource<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WitnessSource::Ready(witness) => f.debug_tuple("Ready").field(witness).finish(),
            WitnessSource::Deferred(_) => f.write_str("Deferred"),
            WitnessSource::Missing(reason) => f.debug_tuple("Missing").field(reason).finish(),
        }
    }
}
