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
    /// Receives progress, and gives access to the exchange of lemmas.
    pub events: &'a mut dyn Events,
    /// Counters of the engine, without its name as a prefix.
    pub statistics: Statistics,
}

/// How far an engine is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The depth of unrolling, the level or the bound.
    pub depth: u64,
    /// The lemmas that hold there.
    pub lemmas: u64,
}

/// Receives the events of an engine.
pub trait Events {
    /// Reports the progress of the engine.
    fn progress(&mut self, progress: Progress);

    /// Gives the meter that counts the queries of an engine, when it begins.
    fn metered(&mut self, _meter: &Meter) {}

    /// The recorder for the queries of a new solver, if they are to be recorded.
    fn recorder(&mut self) -> Option<Recorder> {
        None
    }

    /// The exchange of lemmas, if the engine takes part in one.
    fn port(&mut self) -> Option<&mut dyn Port> {
        None
    }
}

impl Context<'_> {
    /// Gives a new solver the seed, and records its queries if that was asked for.
    pub fn set_up<P: ProofSink>(&mut self, solver: &mut Solver<P>) {
        solver.set_seed(self.seed);
        if let Some(recorder) = self.events.recorder() {
            solver.observe(recorder);
        }
    }
}

/// Ignores all events.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoEvents;

impl Events for NoEvents {
    fn progress(&mut self, _: Progress) {}
}
