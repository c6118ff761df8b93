//! The engine, from a transition system to its verdict.

use shem_base::UnknownReason;
use shem_chc::TransitionSystem;
use shem_term::{Store, Term};

use super::description::DESCRIPTION;
use super::search::{Found, Progressed, Search};
use super::settings::Ic3Settings;
use crate::TransitionEngine;
use crate::bits::BitSystem;
use crate::context::Context;
use crate::scope::Scope;
use crate::verdict::{Outcome, TransitionVerdict};

/// IC3 over the bits of a state.
#[derive(Clone, Debug, Default)]
pub struct Ic3 {
    settings: Ic3Settings,
}

impl Ic3 {
    /// The engine with these settings.
    pub fn new(settings: Ic3Settings) -> Ic3 {
        Ic3 { settings }
    }

    fn run(
        &self,
        store: &mut Store,
        system: &TransitionSystem,
        context: &mut Context<'_>,
    ) -> Result<TransitionVerdict, UnknownReason> {
        let mut stronger = system.clone();
        let mut known = Term::TRUE;
        let mut progressed: Option<Progressed> = None;
        loop {
            let bits = BitSystem::new(store, &stronger, self.settings.most_gates, &context.budget)?;
            context.statistics.set("state-bits", bits.state.len() as u64);
            context.statistics.set("circuit", bits.num_vars() as u64);
            let mut search = Search::new(&bits, self.settings.clone(), context.seed, &mut context.budget);
            if let Some(progressed) = progressed.take() {
                search = search.resume(progressed);
            }
            let found = search.run(store, context.events);
            if let Ok(Found::Known(invariant)) = found {
                progressed = Some(search.progressed());
                known = store.and2(known, invariant);
                // The invariant holds before every step, so it need not be said of the state after it.
                stronger.transition = store.and2(system.transition, known);
                stronger.bad = store.and2(system.bad, known);
                context.statistics.add("shared.invariants", 1);
                continue;
            }
            search.report(&mut context.statistics);
            return Ok(match found? {
                Found::Path(path) => Outcome::unsafe_by(path),
                Found::Known(_) => unreachable!("the search goes on"),
                Found::Invariant(cubes) => {
                    let mut clauses: Vec<Term> = Vec::with_capacity(cubes.len() + 1);
                    for cube in &cubes {
                        clauses.push(bits.clause_of(store, cube));
                    }
                    clauses.push(known);
                    Outcome::safe(store.and(&clauses))
                }
            });
        }
    }
}

impl TransitionEngine for Ic3 {
    fn scope(&self) -> Scope {
        DESCRIPTION.scope()
    }

    fn solve(
        &mut self,
        store: &mut Store,
        system: &TransitionSystem,
        context: &mut Context<'_>,
    ) -> TransitionVerdict {
        self.run(store, system, context).unwrap_or_else(Outcome::unknown)
    }
}
