//! Shorter derivations for printing, judged like any other.
//!
//! The engine that is first has seldom looked for the shortest run: one that follows a loop until something breaks gives
//! hundreds of steps where five are enough. Before a derivation is shown to a person, three things are tried in turn:
//!
//! - the shortest one is looked for from below, on the graph as read, whose edges are the steps that are printed: by
//!   bounded model checking where clauses are linear, by slots otherwise (`slots`). What is found first is the shortest;
//! - if that takes too long, detours go: what lies between two facts of one predicate is left out, as long as values
//!   can be found for the rest (`skeleton`);
//! - the steps stay, and their values are made smaller.
//!
//! All of it is done within a budget, and nothing is believed: the judge sees each result, and what it does not accept is
//! not used.

mod skeleton;
mod slots;

use std::time::Duration;

use shem_base::{Budget, Statistics, StopToken};
use shem_chc::{ClauseId, Derivation, EdgeId, Graph, Shape, System, normalise};
use shem_check::{Validity, check_derivation};
use shem_engine::{Bmc, BmcOptions, Context, Engine, Incomplete, NoEvents, Outcome, Reason};
use shem_term::Store;

use crate::clock::{Scheduled, stop_after};
use crate::runner::work_for;
use skeleton::Skeletons;

/// How long a derivation is made shorter: so long, or this part of the time that it took to find it.
const TIME: Duration = Duration::from_millis(500);
const PART: u32 = 10;

/// What there is for the search from below, for detours and for values, in hundredths of it. The judge has the rest.
const SEARCH: u32 = 40;
const DETOURS: u32 = 25;
const VALUES: u32 = 10;

/// Derivations of more steps are not looked at as a whole.
const LONGEST: u64 = 500;

/// How much a shorter derivation is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shortening {
    /// A part of the time that it took to find the derivation, and at least half a second. Where nothing is to depend on
    /// time, that is not told, and the work that stands for half a second is counted.
    Share(Option<Duration>),
    /// All the time that there is, until the shortest derivation is found.
    Shortest,
}

/// A derivation that was made shorter.
#[derive(Clone, Debug, PartialEq)]
pub struct ShorterDerivation {
    /// The derivation, if a shorter one or one with smaller values was found and accepted by the judge.
    pub derivation: Option<Derivation<ClauseId>>,
    /// The steps of the derivation that was found.
    pub found: u64,
    /// The steps of the shorter one, or of the one that was found.
    pub left: u64,
    /// Whether no derivation has fewer steps.
    pub is_shortest: bool,
}

impl ShorterDerivation {
    /// What is counted of it.
    pub fn figures(&self) -> Statistics {
        let mut figures = Statistics::new();
        figures.set("derivation.steps.found", self.found);
        figures.set("derivation.steps.printed", self.left);
        figures.set("derivation.shortest", u64::from(self.is_shortest));
        figures
    }
}

/// A shorter derivation of the system.
pub fn shorter_derivation(
    store: &mut Store,
    system: &System,
    derivation: &Derivation<ClauseId>,
    shortening: Shortening,
    stop: &StopToken,
) -> ShorterDerivation {
    let found = derivation.step_count();
    let mut result = ShorterDerivation { derivation: None, found, left: found, is_shortest: found <= 1 };
    if system.clauses.iter().any(|clause| store.has_quantifier(clause.constraint)) {
        return result;
    }
    let mut shortener = Shortener { graph: normalise(store, system), system, shortening, stop };
    if !result.is_shortest {
        let (shorter, is_shortest) = shortener.search(store, found);
        result.is_shortest = shortener.accept(store, shorter, &mut result) && is_shortest;
    }
    let plain = |store: &Store, result: &ShorterDerivation| {
        let kept = result.derivation.as_ref().unwrap_or(derivation);
        Some(kept.expanded(store, LONGEST)?.map_rules(EdgeId::of))
    };
    let mut skeletons = Skeletons::new(&shortener.graph);
    if !result.is_shortest
        && let Some(plain) = plain(store, &result)
    {
        let (mut budget, _scheduled) = shortener.budget(DETOURS);
        let shorter = skeletons.without_detours(store, &plain, &mut budget);
        shortener.accept(store, shorter, &mut result);
    }
    if let Some(plain) = plain(store, &result) {
        let (mut budget, _scheduled) = shortener.budget(VALUES);
        let simpler = skeletons.smaller_values(store, &plain, &mut budget);
        shortener.accept(store, simpler, &mut result);
    }
    result
}

struct Shortener<'a> {
    /// The graph as read.
    graph: Graph,
    system: &'a System,
    shortening: Shortening,
    stop: &'a StopToken,
}

impl Shortener<'_> {
    /// A budget of so many hundredths of the time.
    fn budget(&self, hundredths: u32) -> (Budget, Option<Scheduled>) {
        let share = |time: Duration| time * hundredths / 100;
        match self.shortening {
            Shortening::Shortest => (Budget::until(self.stop.clone()), None),
            Shortening::Share(None) => {
                (Budget::until(StopToken::after_work(self.stop, work_for(share(TIME)))), None)
            }
            Shortening::Share(Some(elapsed)) => {
                let (token, scheduled) = stop_after(self.stop, share(TIME.max(elapsed / PART)));
                (Budget::until(token), Some(scheduled))
            }
        }
    }

    /// Puts what the judge accepts in the place of what was there; whether there is nothing that it refuses.
    fn accept(
        &self,
        store: &mut Store,
        derivation: Option<Derivation<EdgeId>>,
        result: &mut ShorterDerivation,
    ) -> bool {
        let Some(derivation) = derivation else { return true };
        let predicate = |clause| self.system.clause(clause).head.as_ref().map(|head| head.predicate);
        let derivation = derivation.map_rules(EdgeId::clause).concise(predicate);
        let (mut budget, _scheduled) = self.budget(100);
        if check_derivation(store, self.system, &derivation, &mut budget) != Validity::Valid {
            return false;
        }
        result.left = derivation.step_count();
        result.derivation = Some(derivation);
        true
    }

    /// The shortest derivation, if it has fewer steps, and whether the length of the shortest one is known.
    fn search(&mut self, store: &mut Store, found: u64) -> (Option<Derivation<EdgeId>>, bool) {
        let (mut budget, _scheduled) = self.budget(SEARCH);
        let fewer = usize::try_from(found - 1).unwrap_or(usize::MAX);
        if Shape::of(&self.graph) == Shape::Nonlinear {
            return slots::shortest(store, &mut self.graph, fewer, &mut budget);
        }
        // A path through the first layer has two steps.
        let options = BmcOptions { max_depth: Some(fewer.saturating_sub(2)), ..BmcOptions::default() };
        let mut context =
            Context { budget, seed: 0, witness: true, events: &mut NoEvents, statistics: Statistics::new() };
        match Bmc::new(options).solve(store, &self.graph, &mut context) {
            Outcome::Unsafe(witness) => (witness.get(store, &mut context.budget).ok(), true),
            Outcome::Unknown(Reason::Incomplete(Incomplete::Depth(_))) => (None, true),
            Outcome::Safe(_) | Outcome::Unknown(_) => (None, false),
        }
    }
}
