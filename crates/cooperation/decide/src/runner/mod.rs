//! Runners: ways to run engines on a graph.
//!
//! A [`Runner`] gives claims with their evidence and knows nothing of what becomes of them; the driver
//! ([`decide`](crate::decide)) has them judged and tells the runner who was wrong. The kinds are one engine in this
//! thread ([`Single`]), engines in threads ([`Threads`]), engines in rounds that are counted in steps ([`Rounds`]), workers
//! in processes ([`Processes`]), and any of these joined with other processes through a broker ([`Joined`]).

mod joined;
mod processes;
mod rounds;
mod schedule;
mod single;
mod threads;
mod worker;

pub use joined::Joined;
pub(crate) use joined::{PEER, connect, number};
pub use processes::{Job, Processes};
pub use rounds::Rounds;
pub(crate) use rounds::work_for;
pub use schedule::Schedule;
pub use single::Single;
pub use threads::{Member, Problem, Threads};

use std::sync::Arc;
use std::task::Poll;

use shem_base::{Statistics, StopToken};
use shem_chc::System;
use shem_engine::{Outcome, Verdict as GraphVerdict};
use shem_exchange::LocalExchange;
use shem_term::Store;
use shem_transform::Preprocessed;

use crate::answer::Status;
use crate::evidence::{Claim, Evidence, Local, Proof};
use crate::judge::Accepted;
use crate::observer::{Exchanged, Observer};
use crate::reason::Undecided;

/// What happens in a runner.
pub enum Event {
    /// An engine has decided.
    Claim(Claim),
    /// An engine gave up.
    GaveUp {
        /// Who.
        by: String,
        /// Why.
        reason: Undecided,
        /// The figures of the engine.
        statistics: Statistics,
    },
    /// An engine was dropped because of a mistake of its own.
    Failed {
        /// Who.
        by: String,
        /// What happened.
        what: String,
    },
    /// Something went wrong without harm.
    Warning(String),
    /// Nothing happened for a while.
    Nothing,
    /// No engine runs any more, and nothing follows.
    Over,
}

impl Event {
    /// What an engine of this process has come to: its number and names, its store if that is not the caller's, and the
    /// graph that it saw.
    pub(crate) fn of(
        (member, by, engine): (usize, String, &'static str),
        store: Option<Box<Store>>,
        preprocessed: Arc<Preprocessed>,
        outcome: GraphVerdict,
        statistics: Statistics,
    ) -> Event {
        let (status, proof) = match outcome {
            Outcome::Safe(proven) => (Status::Sat, Proof::Safe(proven)),
            Outcome::Unsafe(witness) => (Status::Unsat, Proof::Unsafe(witness)),
            Outcome::Unknown(reason) => return Event::GaveUp { by, reason: reason.into(), statistics },
        };
        let evidence = Evidence::Local(Local { store, preprocessed, proof });
        Event::Claim(Claim { member, by, engine, status, evidence, statistics })
    }
}

/// Runs engines.
pub trait Runner {
    /// Waits a little for what happens next.
    fn next(&mut self, store: &mut Store, observer: &mut dyn Observer) -> Event;

    /// How many engines there are.
    fn size(&self) -> usize;

    /// A claim of this member was rejected.
    fn reject(&mut self, _member: usize) {}

    /// The claim of a worker that has accepted a certificate and has had no time to finish: the last resort.
    fn certified(&mut self) -> Option<Claim> {
        None
    }

    /// Stopped when a worker has accepted a certificate.
    fn has_certified(&self) -> Option<StopToken> {
        None
    }

    /// A verdict was accepted: a claim that contradicts it, if there is one; it may be pending, as long as it is not
    /// late. All other engines end.
    fn opposition(&mut self, _status: Status, _late: bool) -> Poll<Option<Claim>> {
        Poll::Ready(None)
    }

    /// Where lemmas of other processes come in and those for them go out. It can be taken once.
    fn local_exchange(&mut self) -> Box<dyn LocalExchange> {
        Box::new(())
    }

    /// Stopped when another process has shown a verdict, if there are any.
    fn shown_elsewhere(&self) -> Option<StopToken> {
        None
    }

    /// Ends all engines, and gives figures and what went wrong without harm. The verdict is the one that was found here
    /// and accepted, with what shows it.
    fn finish(&mut self, _: &mut Store, _: &System, _found: Option<&Accepted>) -> (Statistics, Vec<String>) {
        Default::default()
    }

    /// What engines have told each other, once they have ended.
    fn exchanged(&mut self) -> Exchanged {
        Exchanged::default()
    }
}

/// All that happens is known already.
impl Runner for Option<Event> {
    fn next(&mut self, _: &mut Store, _: &mut dyn Observer) -> Event {
        self.take().unwrap_or(Event::Over)
    }

    fn size(&self) -> usize {
        1
    }
}
