//! What engines need from outside.

use shem_base::{Budget, Meter, Statistics};
use shem_proof::ProofSink;
use shem_smt::{Recorder, Solver};

use crate::port::Port;

/// What an engine is given beside its problem.
pub struct Context<'a> {
    /// Limits, and the stop token that every loop of an engine has to ask (each check of a solver does).
    pub budget: Budget,
    /// The seed of everything random.
    pub seed: u64,
    /// Whether a witness is wanted; if not, an engine may leave out what serves only the witness.
    pub witness: bool,
    /// Where progress is told.
    pub events: &'a mut dyn Events,
    /// Counters of the engine, without its name as a prefix.
    pub statistics: Statistics,
}

/// Where an engine is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The depth of unrolling, the level or the bound.
    pub depth: u64,
    /// The lemmas that hold there.
    pub lemmas: u64,
}

/// Listens to an engine.
pub trait Events {
    /// The engine has got this far.
    fn progress(&mut self, progress: Progress);

    /// An engine begins, and its queries are counted here.
    fn metered(&mut self, _meter: &Meter) {}

    /// Where the queries of one more solver are to be written; nowhere, unless the listener wants them.
    fn recorder(&mut self) -> Option<Recorder> {
        None
    }

    /// The exchange of lemmas, if the engine takes part in one.
    fn port(&mut self) -> Option<&mut dyn Port> {
        None
    }
}

impl Context<'_> {
    /// Lets the listener record the queries of a solver, if it wants to.
    pub fn record<P: ProofSink>(&mut self, solver: &mut Solver<P>) {
        if let Some(recorder) = self.events.recorder() {
            solver.observe(recorder);
        }
    }
}

/// Listens to nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoEvents;

impl Events for NoEvents {
    fn progress(&mut self, _: Progress) {}
}
