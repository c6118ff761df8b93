//! Runs of what relations have reached.
//!
//! Relations contain more than their loops do, so a bad state that they reach may be out of reach; on safe systems all of
//! these runs are in vain. Therefore they may cost a share of the work of the searches, and no more: a run that would
//! need more is cut, and tried again when four times as much is left. What is the same run as one before, by another
//! search or another precision, is not repeated. When no search is left, nothing is lost by giving the runs that were cut
//! all that a run may have.

use shem_base::UnknownReason;
use shem_chc::{Derivation, TransitionSystem};
use shem_term::{Store, Value};

use crate::context::Context;
use crate::running::{MOST_WORK, Plan, Ran, Runner};

/// The work that runs are allowed from the beginning, a tenth of a second: enough for a thousand jumps, as s_split_16 of
/// the multi-phase loops needs.
const FIRST_WORK: u64 = 1_000_000;

/// The work that they are allowed for each unit of work of the searches, which takes twenty times as long or more.
const SHARE: u64 = 10;

/// The work that a run counts for beside its steps and jumps, and the least that one is begun for.
const RUN_WORK: u64 = 1_000;

/// How many runs that were cut are remembered.
const MOST_CUT: usize = 8;

/// A run that was cut: the start, the plan, and the work that it was allowed.
struct Cut {
    start: Vec<Value>,
    plan: Plan,
    work: u64,
}

/// Runs of one system.
#[derive(Default)]
pub(super) struct Runs {
    /// Made when it is needed first; `None` inside if the system cannot be run.
    runner: Option<Option<Runner>>,
    /// How many there were.
    count: u64,
    /// Those that were cut, the least work first.
    cut: Vec<Cut>,
}

impl Runs {
    /// Runs what a search has reached, if that is not too much beside the work of the searches so far.
    pub(super) fn follow(
        &mut self,
        store: &mut Store,
        system: &TransitionSystem,
        (start, plan): (Vec<Value>, Plan),
        searched: u64,
        context: &mut Context<'_>,
    ) -> Result<Option<Derivation<()>>, UnknownReason> {
        self.runner.get_or_insert_with(|| Runner::new(store, system, context.seed));
        self.run(Cut { start, plan, work: 0 }, self.allowed(searched), "runs.work", context)
    }

    /// Runs what was cut again, if four times as much is allowed now.
    pub(super) fn again(
        &mut self,
        searched: u64,
        context: &mut Context<'_>,
    ) -> Result<Option<Derivation<()>>, UnknownReason> {
        let allowed = self.allowed(searched);
        match self.cut.first() {
            Some(first) if allowed >= Runner::worth_more_than(first.work).max(RUN_WORK) => {
                let first = self.cut.remove(0);
                self.run(first, allowed, "runs.work", context)
            }
            _ => Ok(None),
        }
    }

    /// Runs what was cut with all that a run may have.
    pub(super) fn finish(
        &mut self,
        context: &mut Context<'_>,
    ) -> Result<Option<Derivation<()>>, UnknownReason> {
        for cut in std::mem::take(&mut self.cut) {
            if let Some(path) = self.run(cut, MOST_WORK, "runs.last-work", context)? {
                return Ok(Some(path));
            }
        }
        Ok(None)
    }

    /// The work that runs may do now.
    fn allowed(&self, searched: u64) -> u64 {
        let spent =
            self.runner.iter().flatten().map(|runner| runner.work).sum::<u64>() + RUN_WORK * self.count;
        (FIRST_WORK + SHARE * searched).saturating_sub(spent)
    }

    fn run(
        &mut self,
        cut: Cut,
        work: u64,
        counter: &str,
        context: &mut Context<'_>,
    ) -> Result<Option<Derivation<()>>, UnknownReason> {
        let Some(Some(runner)) = &mut self.runner else { return Ok(None) };
        if work < RUN_WORK {
            self.keep(cut);
            return Ok(None);
        }
        self.count += 1;
        let before = runner.work;
        let ran = runner.follow(&cut.start, &cut.plan, work, &context.budget);
        context.statistics.add("runs", 1);
        context.statistics.add(counter, RUN_WORK + runner.work - before);
        match ran? {
            Ran::Reached(path) => return Ok(Some(path)),
            Ran::InVain => {}
            Ran::Cut => self.keep(Cut { work, ..cut }),
        }
        Ok(None)
    }

    /// Remembers a run that was cut.
    fn keep(&mut self, cut: Cut) {
        let at = self.cut.partition_point(|other| other.work <= cut.work);
        self.cut.insert(at, cut);
        self.cut.truncate(MOST_CUT);
    }
}
