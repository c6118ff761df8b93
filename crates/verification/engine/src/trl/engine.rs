//! The engine: searches in one or both directions.

use shem_base::{Budget, Effort, UnknownReason};
use shem_chc::{Path, Trail, TransitionSystem};
use shem_check::certificate::{self, Argument, TransitionCertificate};
use shem_proof::NoProof;
use shem_smt::{Answer, Solver};
use shem_term::Store;

use super::description::DESCRIPTION;
use super::invariant::reachable;
use super::runs::Runs;
use super::search::{Found, TrlSearch};
use super::settings::{Direction, Settings};
use crate::TransitionEngine;
use crate::context::{Context, Progress};
use crate::reason::Incomplete;
use crate::scope::Scope;
use crate::unroll::{Compiled, Unrolling};
use crate::verdict::{Outcome, Proven, TransitionVerdict, WitnessSource};

/// Transitive relation learning.
#[derive(Clone, Debug, Default)]
pub struct Trl {
    settings: Settings,
}

/// A search with its place in the schedule.
struct Directed {
    search: TrlSearch,
    backwards: bool,
    /// The work done so far.
    spent: u64,
    /// Whether it has reached a bad state by learnt relations, and so cannot prove anything.
    failed: bool,
}

/// The work of each search after which others, more precise, begin beside them: this much for the second level, and
/// twice as much for each further one. Most searches that succeed on multi-phase-safe and extra-small-lia take less.
const PATIENCE: u64 = 1_000;

/// The work that a step of a search counts for beside conflicts and pivots.
const STEP_WORK: u64 = 50;

/// No limit, but one that is counted.
const MEASURED: Effort = Effort { conflicts: u64::MAX - 1, pivots: u64::MAX - 1, splits: u64::MAX - 1 };

/// The length of paths among which an error is looked for once relations have reached one, and the effort.
const NEAR: usize = 24;
const NEAR_EFFORT: Effort = Effort { conflicts: 2_000, pivots: 50_000, splits: 1_000 };

impl Trl {
    /// The engine with these settings.
    pub fn new(settings: Settings) -> Trl {
        Trl { settings }
    }

    fn run(
        &self,
        store: &mut Store,
        system: &TransitionSystem,
        context: &mut Context<'_>,
        searches: &mut Vec<Directed>,
    ) -> Result<TransitionVerdict, UnknownReason> {
        let directions: &[bool] = match self.settings.direction {
            Direction::Forward => &[false],
            Direction::Backward => &[true],
            Direction::Interleaved => &[false, true],
        };
        let reversed = system.reversed(store);
        let mut gap = "a bad state is reached by learnt relations only";
        let mut looked = false;
        let mut runs = Runs::default();
        // The work of all searches.
        let mut total = 0;
        let mut patience = PATIENCE / 2;
        let precisions = self.settings.precision.levels();
        let plain = [0].into_iter().chain(self.settings.prefixes());
        let mut levels = plain.flat_map(|plain| precisions.iter().map(move |&precision| (precision, plain)));
        loop {
            context.budget.check_stop()?;
            let next = searches.iter_mut().filter(|directed| !directed.failed).min_by_key(|d| d.spent);
            if next.as_ref().is_none_or(|directed| directed.spent > patience)
                && let Some(level) = levels.next()
            {
                patience *= 2;
                for &backwards in directions {
                    let system = if backwards { &reversed } else { system };
                    let search = TrlSearch::new(store, system.clone(), &self.settings, level, context);
                    searches.push(Directed { search, backwards, spent: 0, failed: false });
                }
                continue;
            }
            let Some(Directed { search, backwards, spent, failed }) = next else {
                return Ok(match runs.finish(context)? {
                    Some(path) => Outcome::unsafe_by(Trail::Rounds(path)),
                    None => Outcome::unknown(Incomplete::Method(gap)),
                });
            };
            let (found, work) = context.budget.within(MEASURED, |budget| {
                let given = (budget.conflicts, budget.pivots);
                let found = search.advance(store, budget);
                (found, 10 * (given.0 - budget.conflicts) + (given.1 - budget.pivots))
            });
            *spent += STEP_WORK + work;
            total += STEP_WORK + work;
            if let Some(path) = runs.again(total, context)? {
                return Ok(Outcome::unsafe_by(Trail::Rounds(path)));
            }
            let found = match found {
                Ok(found) => found,
                // What one search cannot do, another may.
                Err(UnknownReason::Incomplete(what)) => {
                    gap = what;
                    *failed = true;
                    continue;
                }
                Err(reason) => return Err(reason),
            };
            context
                .events
                .progress(Progress { depth: search.counters.depth, lemmas: search.counters.learnt });
            match found {
                Found::Nothing => {}
                Found::Safe => return Ok(safe(search, *backwards)),
                Found::Unsafe(mut path) => {
                    if *backwards {
                        path.reverse();
                    }
                    return Ok(Outcome::unsafe_by(path));
                }
                Found::Reached(start, plan) => {
                    *failed = true;
                    let ran = if *backwards {
                        let end = plan.end().unwrap_or(&start).to_vec();
                        runs.follow(store, system, (end, plan.reversed(&start)), total, context)?
                    } else {
                        runs.follow(store, system, (start, plan), total, context)?
                    };
                    if let Some(path) = ran {
                        return Ok(Outcome::unsafe_by(Trail::Rounds(path)));
                    }
                    if !std::mem::replace(&mut looked, true)
                        && let Some(path) = near_error(store, system, context)?
                    {
                        return Ok(Outcome::unsafe_by(path));
                    }
                }
            }
        }
    }
}

/// A path of the system to a bad state, if a short one is found without much effort. Relations contain more than the
/// loops do, so that what they reach may be out of reach.
fn near_error(
    store: &mut Store,
    system: &TransitionSystem,
    context: &mut Context<'_>,
) -> Result<Option<Path>, UnknownReason> {
    let compiled = Compiled::new(store, system);
    let mut unrolling = Unrolling::new(Solver::with_proof(Default::default(), NoProof), &compiled);
    context.set_up(&mut unrolling.solver);
    context.budget.within(NEAR_EFFORT, |budget| {
        unrolling.assert_at(store, compiled.initial(), 0);
        for length in 0..=NEAR {
            unrolling.reach(store, length);
            unrolling.solver.push();
            unrolling.assert_at(store, compiled.bad(), length);
            match unrolling.solver.check(store, budget) {
                Answer::Sat(mut solution) => {
                    return Ok(Some(unrolling.states.path(&mut solution, length)));
                }
                Answer::Unknown(UnknownReason::Stopped) => return Err(UnknownReason::Stopped),
                Answer::Unknown(_) => return Ok(None),
                Answer::Unsat(_) => unrolling.solver.pop(),
            }
            unrolling.assert_step(store, compiled.transition(), length);
        }
        Ok(None)
    })
}

/// Safe, by a search that has come to its end.
fn safe(search: &TrlSearch, backwards: bool) -> TransitionVerdict {
    let diameter = search.certificate();
    let (system, recipe) = (search.system.clone(), diameter.clone());
    let witness = WitnessSource::Deferred(Box::new(move |store: &mut Store, budget: &mut Budget| {
        let invariant = reachable(store, &system, &recipe, budget)?;
        Ok(if backwards { !invariant } else { invariant })
    }));
    let direction =
        if backwards { certificate::Direction::Backward } else { certificate::Direction::Forward };
    let argument = Argument::FiniteDiameter(diameter);
    let certificate = Some(TransitionCertificate { direction, ..argument.into() });
    Outcome::Safe(Proven { witness, certificate })
}

impl TransitionEngine for Trl {
    fn scope(&self) -> Scope {
        DESCRIPTION.scope()
    }

    fn solve(
        &mut self,
        store: &mut Store,
        system: &TransitionSystem,
        context: &mut Context<'_>,
    ) -> TransitionVerdict {
        let mut searches = Vec::new();
        let verdict = self.run(store, system, context, &mut searches);
        for Directed { search, backwards, spent, .. } in &searches {
            let counters = search.counters;
            let prefix = if *backwards { "backwards" } else { "forwards" };
            for (name, count) in [
                ("depth", counters.depth),
                ("queries", counters.queries),
                ("learnt", counters.learnt),
                ("covered", counters.covered),
                ("work", *spent),
            ] {
                context.statistics.add(&format!("{prefix}.{name}"), count);
            }
        }
        verdict.unwrap_or_else(Outcome::unknown)
    }
}
