//! Transition systems that know an invariant.
//!
//! An inductive invariant I of a system holds in all states that are reached, so the steps and the bad states outside
//! of it can be left out: paths stay what they are. An invariant of the system that is left is one of the first system
//! together with I. An engine that cannot take I in while it runs may start again with the system that knows it.

use shem_base::Budget;
use shem_chc::TransitionSystem;
use shem_smt::{Answer, Solver};
use shem_term::{Store, Term};

use crate::context::Context;
use crate::port::Claim;
use crate::steps::rename;
use crate::verdict::{Certificate, Outcome, Proven, TransitionVerdict};

/// The invariants of the system that others have found since the last call, as one formula. They have been checked.
pub(crate) fn invariants(store: &mut Store, context: &mut Context<'_>) -> Option<Term> {
    let port = context.events.port()?;
    let mut found = Vec::new();
    for received in port.poll(store) {
        if received.lemma.claim == Claim::Invariant {
            found.push(received.lemma.formula);
        }
    }
    (!found.is_empty()).then(|| store.and(&found))
}

/// The system without the steps and bad states outside of the invariant.
pub(crate) fn strengthen(store: &mut Store, system: &TransitionSystem, invariant: Term) -> TransitionSystem {
    let after = rename(store, invariant, &system.state, &system.next);
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
    fn check(&self, store: &mut Store, budget: &mut Budget) -> Result<(), String> {
        let Strengthened { system, invariant, inner } = self;
        let after = rename(store, *invariant, &system.state, &system.next);
        for formulas in [[system.initial, Term::TRUE, !*invariant], [system.transition, *invariant, !after]] {
            let mut solver = Solver::new(Default::default());
            for formula in formulas {
                solver.assert(store, formula);
            }
            match solver.check(store, budget) {
                Answer::Unsat => {}
                Answer::Sat => return Err("the invariant of others is not inductive".to_owned()),
                Answer::Unknown(reason) => return Err(reason.to_string()),
            }
        }
        inner.check(store, budget)
    }
}
