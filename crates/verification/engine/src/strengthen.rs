//! Transition systems that know an invariant.
//!
//! An inductive invariant I of a system holds in all states that are reached, so the steps and the bad states outside
//! of it can be left out: paths stay what they are. An invariant of the system that is left is one of the first system
//! together with I. An engine that cannot take I in while it runs may start again with the system that knows it.

use shem_base::Budget;
use shem_chc::TransitionSystem;
use shem_smt::Solver;
use shem_term::{Store, Term};

use crate::context::Context;
use crate::induction::expect_unsat;
use crate::reason::CertificateError;
use crate::verdict::{Certificate, Outcome, Proven, TransitionVerdict};

/// The invariants of the system that others have found since the last call, as one formula. They have been checked.
pub(crate) fn invariants(store: &mut Store, context: &mut Context<'_>) -> Option<Term> {
    let port = context.events.port()?;
    let found = port.invariants(store);
    port.taken(found.len() as u64);
    (!found.is_empty()).then(|| store.and(&found))
}

/// What others have found while an engine runs that has to start again to make use of it.
///
/// Others may find something at every step of theirs. So what has been heard waits until the present run has cost as
/// much as all those that were given up: there are few of them, and they cost no more than what is left.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    waiting: Vec<Term>,
    /// The work of runs that were given up.
    wasted: u64,
    /// The work before the present run.
    before: u64,
}

impl Heard {
    /// A run begins at this much work; gives what it should know beside what the last one knew.
    pub(crate) fn begin(&mut self, store: &mut Store, work: u64) -> Term {
        self.before = work;
        store.and(&std::mem::take(&mut self.waiting))
    }

    /// Whether it is worth starting again, at this much work.
    pub(crate) fn is_news(&mut self, store: &mut Store, context: &mut Context<'_>, work: u64) -> bool {
        self.waiting.extend(invariants(store, context));
        let spent = work.saturating_sub(self.before);
        let worth = !self.waiting.is_empty() && spent >= self.wasted;
        if worth {
            self.wasted += spent;
        }
        worth
    }
}

/// The system without the steps and bad states outside of the invariant.
pub(crate) fn strengthen(store: &mut Store, system: &TransitionSystem, invariant: Term) -> TransitionSystem {
    let after = store.rename(invariant, &system.state, &system.next);
    TransitionSystem {
        transition: store.and(&[system.transition, invariant, after]),
        bad: store.and2(system.bad, invariant),
        ..system.clone()
    }
}

/// A verdict on the system that knows the invariant, as one on the system itself.
pub(crate) fn weaken(
    system: &TransitionSystem,
    invariant: Term,
    verdict: TransitionVerdict,
) -> TransitionVerdict {
    if invariant == Term::TRUE {
        return verdict;
    }
    let Outcome::Safe(Proven { witness, certificate }) = verdict else { return verdict };
    let witness = witness.then(move |store, _, formula| Ok(store.and2(formula, invariant)));
    let certificate = certificate.map(|inner| {
        Box::new(Strengthened { system: system.clone(), invariant, inner }) as Box<dyn Certificate>
    });
    Outcome::Safe(Proven { witness, certificate })
}

/// A certificate for a system that knows an invariant, and that the invariant is one.
#[derive(Debug)]
struct Strengthened {
    system: TransitionSystem,
    invariant: Term,
    inner: Box<dyn Certificate>,
}

impl Certificate for Strengthened {
    fn check(&self, store: &mut Store, budget: &mut Budget) -> Result<(), CertificateError> {
        let Strengthened { system, invariant, inner } = self;
        let after = store.rename(*invariant, &system.state, &system.next);
        for formulas in [[system.initial, Term::TRUE, !*invariant], [system.transition, *invariant, !after]] {
            let mut solver = Solver::new(Default::default());
            for formula in formulas {
                solver.assert(store, formula);
            }
            expect_unsat(&solver.check(store, budget), "the invariant of others is not inductive")?;
        }
        inner.check(store, budget)
    }
}
