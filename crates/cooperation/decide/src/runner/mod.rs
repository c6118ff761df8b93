//! Runners: ways to run engines on a graph.
//!
//! A [`Runner`] gives claims with their evidence and knows nothing of what becomes of them; the driver
//! ([`decide`](crate::decide)) has them judged and tells the runner who was wrong. The kinds are one engine in this
//! thread ([`Single`]), engines in threads ([`Threads`]), workers in processes ([`Processes`]), and any of the latter
//! joined with other processes through a broker ([`Joined`]).

mod joined;
mod processes;
mod schedule;
mod single;
mod station;
mod threads;
mod worker;

pub use joined::Joined;
pub(crate) use joined::{PEER, connect, number};
pub use processes::{Job, Processes};
pub use schedule::Schedule;
pub use single::Single;
pub use threads::{Member, Problem, Threads};

use std::task::Poll;

use shem_base::Statistics;
use shem_chc::System;
use shem_exchange::Station;
use shem_term::Store;

use crate::answer::{Verdict, Word};
use crate::evidence::Claim;
use crate::observer::Observer;
use crate::reason::Undecided;

/// What a runner has to tell.
pub enum Event {
    /// Somebody has decided.
    Claim(Claim),
    /// Somebody gave up.
    GaveUp {
        /// Who.
        by: String,
        /// Why.
        reason: Undecided,
        /// The figures of the engine.
        statistics: Statistics,
    },
    /// Somebody is out because of a mistake of its own.
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
    /// Nobody runs any more, and nothing follows.
    Over,
}

/// What a runner leaves at the end.
#[derive(Default)]
pub struct Leftovers {
    /// Its figures.
    pub statistics: Statistics,
    /// What went wrong without harm.
    pub warnings: Vec<String>,
}

/// Runs engines.
pub trait Runner {
    /// Waits a little for what happens next.
    fn next(&mut self, store: &mut Store, observer: &mut dyn Observer) -> Event;

    /// How many engines there are.
    fn size(&self) -> usize;

    /// What somebody claimed was rejected.
    fn reject(&mut self, _member: usize) {}

    /// What somebody claims who has accepted a certificate and has had no time to finish: the last resort.
    fn certified(&mut self) -> Option<Claim> {
        None
    }

    /// A verdict was accepted: the claim of somebody who contradicts it, if there is one; it may be pending, as long
    /// as it is not late. Everybody else ends.
    fn opposition(&mut self, _word: Word, _late: bool) -> Poll<Option<Claim>> {
        Poll::Ready(None)
    }

    /// Where lemmas of other processes come in and those for them go out; there is one such place.
    fn station(&mut self) -> Option<Box<dyn Station>> {
        None
    }

    /// Ends everybody. The verdict is the one that was found here and accepted, with its witness.
    fn finish(&mut self, _store: &mut Store, _system: &System, _found: Option<&Verdict>) -> Leftovers {
        Leftovers::default()
    }
}

/// A claim that is there already.
impl Runner for Option<Claim> {
    fn next(&mut self, _: &mut Store, _: &mut dyn Observer) -> Event {
        self.take().map_or(Event::Over, Event::Claim)
    }

    fn size(&self) -> usize {
        1
    }
}
