//! The engine, from a transition system to its verdict.

use shem_base::UnknownReason;
use shem_chc::TransitionSystem;
use shem_term::{Store, Term};

use super::description::DESCRIPTION;
use super::search::{Found, Search};
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
        let bits = BitSystem::new(store, system, self.settings.most_gates, &context.budget)?;
        context.statistics.set("state-bits", bits.state.len() as u64);
        context.statistics.set("circuit", bits.num_vars() as u64);
        let mut search = Search::new(&bits, self.settings.clone(), context.seed, &mut context.budget);
        let found = search.run(context.events);
        search.report(&mut context.statistics);
        Ok(match found? {
            Found::Path(path) => Outcome::unsafe_by(path),
            Found::Invariant(cubes) => {
                let mut clauses: Vec<Term> = Vec::with_capacity(cubes.len());
                for cube in &cubes {
                    clauses.push(bits.clause_of(store, cube));
                }
                Outcome::safe(store.and(&clauses))
            }
        })
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
