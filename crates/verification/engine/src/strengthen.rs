//! Transition systems strengthened by an invariant.
//!
//! An inductive invariant I of a system holds in all states that are reached, so the steps and the bad states outside
//! of it can be left out: paths stay what they are. An invariant of the system that is left is one of the first system
//! together with I. An engine that cannot use I while it runs may restart with the strengthened system.

use shem_check::certificate::TransitionCertificate;
use shem_term::{Store, Term};

use crate::context::{Context, Events};
use crate::verdict::{Outcome, Proven, TransitionVerdict};

/// The invariants of the system that others have found since the last call, as one formula. They have been checked.
pub(crate) fn invariants(store: &mut Store, events: &mut dyn Events) -> Option<Term> {
    let port = events.port()?;
    let found = port.invariants(store);
    port.taken(&found);
    (!found.is_empty()).then(|| store.and(&found))
}

/// Invariants received while an engine runs that has to restart to use them.
///
/// Invariants may come often. So they wait until the current run has cost as much as all abandoned runs together: the
/// number of restarts is at most logarithmic in the work.
#[derive(Debug, Default)]
pub(crate) struct PendingInvariants {
    waiting: Vec<Term>,
    /// The work of runs that were given up.
    wasted: u64,
    /// The work before the present run.
    before: u64,
}

impl PendingInvariants {
    /// Starts a run at this much work; returns the invariants that the last run did not have.
    pub(crate) fn start_run(&mut self, store: &mut Store, work: u64) -> Term {
        self.before = work;
        store.and(&std::mem::take(&mut self.waiting))
    }

    /// Whether to restart, at this much work.
    pub(crate) fn should_restart(&mut self, store: &mut Store, context: &mut Context<'_>, work: u64) -> bool {
        self.waiting.extend(invariants(store, context.events));
        let spent = work.saturating_sub(self.before);
        let worth = !self.waiting.is_empty() && spent >= self.wasted;
        if worth {
            self.wasted += spent;
        }
        worth
    }
}

/// A verdict on the strengthened system, as one on the system itself.
pub(crate) fn weaken(invariant: Term, verdict: TransitionVerdict) -> TransitionVerdict {
    if invariant == Term::TRUE {
        return verdict;
    }
    let Outcome::Safe(Proven { witness, certificate }) = verdict else { return verdict };
    let witness = witness.then(move |store, _, formula| Ok(store.and2(formula, invariant)));
    let certificate = certificate.map(|own| TransitionCertificate { invariant, ..own });
    Outcome::Safe(Proven { witness, certificate })
}
