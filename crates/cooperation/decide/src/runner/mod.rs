//! Runners: ways to run engines on a graph.
//!
//! A [`Runner`] gives claims with their evidence and knows nothing of what becomes of them; the driver
//! ([`decide`](crate::decide)) has them judged and tells the runner who was wrong. The kinds are one engine in this
//! thread ([`Single`]), engines in threads ([`Threads`]), engines in rounds that are counted in steps ([`Rounds`]), workers
//! in processes ([`Processes`]), any of these joined with other processes through a broker ([`Joined`]), engines on parts of the
//! problem ([`Divided`]), and those whose parts are a queue for all processes that have joined ([`Queued`]).

mod divided;
mod joined;
mod processes;
mod queued;
mod rounds;
mod schedule;
mod single;
mod threads;
mod worker;

pub(crate) use divided::Divided;
pub use joined::Joined;
pub(crate) use joined::{PEER, connect, connect_queue, number, random_number};
pub use processes::{Early, Job, Processes};
pub(crate) use queued::{Crew, CurrentExchange, Queued};
pub use rounds::virtual_figures;
pub(crate) use rounds::work_for;
pub use rounds::{Cores, Rounds};
pub use schedule::Schedule;
pub use single::Single;
pub(crate) use single::run_engine;
pub use threads::{Member, Team, Threads};

use std::sync::Arc;
use std::task::Poll;

use shem_base::Statistics;
use shem_chc::System;
use shem_engine::{Outcome, Verdict as GraphVerdict};
use shem_term::Store;

use crate::answer::Status;
use crate::evidence::{Claim, Evidence, Local, Proof};
use crate::judge::Accepted;
use crate::observer::{Exchanged, Observer};
use crate::prepare::{Prepared, Variant};
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
        variant: Arc<Variant>,
        outcome: GraphVerdict,
        statistics: Statistics,
    ) -> Event {
        let (status, proof) = match outcome {
            Outcome::Safe(proven) => (Status::Sat, Proof::Safe(proven)),
            Outcome::Unsafe(witness) => (Status::Unsat, Proof::Unsafe(witness)),
            Outcome::Unknown(reason) => return Event::GaveUp { by, reason: reason.into(), statistics },
        };
        let evidence = Evidence::Local(Local { store, variant, proof });
        Event::Claim(Claim { member, by, engine, status, evidence, statistics })
    }
}

/// Runs engines.
pub trait Runner {
    /// Waits a little for what happens next. Engines may need graphs that have to be prepared first.
    fn next(&mut self, store: &mut Store, prepared: &mut Prepared, observer: &mut dyn Observer) -> Event;

    /// How many engines there are.
    fn size(&self) -> usize;

    /// A claim of this member was rejected.
    fn reject(&mut self, member: usize);

    /// What this member works on is decided: its core is for others. A runner that cannot end one alone lets it go on.
    fn release(&mut self, _member: usize) {}

    /// A verdict was accepted: a claim that contradicts it, if there is one; it may be pending, as long as it is not
    /// late. All other engines end.
    fn opposition(&mut self, status: Status, late: bool) -> Poll<Option<Claim>>;

    /// Ends all engines. The verdict is the one that was found here and accepted, with what shows it.
    fn finish(&mut self, store: &mut Store, system: &System, found: Option<&Accepted>) -> Ending;
}

/// What is left of a runner.
#[derive(Default)]
pub struct Ending {
    /// Figures.
    pub statistics: Statistics,
    /// What went wrong without harm.
    pub warnings: Vec<String>,
    /// What engines have told each other.
    pub exchanged: Exchanged,
}

/// A runner of which the only event is known before it starts: the passes have decided.
pub struct Decided(pub Option<Event>);

impl Runner for Decided {
    fn next(&mut self, _: &mut Store, _: &mut Prepared, _: &mut dyn Observer) -> Event {
        self.0.take().unwrap_or(Event::Over)
    }

    fn size(&self) -> usize {
        1
    }

    fn reject(&mut self, _: usize) {}

    fn opposition(&mut self, _: Status, _: bool) -> Poll<Option<Claim>> {
        Poll::Ready(None)
    }

    fn finish(&mut self, _: &mut Store, _: &System, _: Option<&Accepted>) -> Ending {
        Ending::default()
    }
}
