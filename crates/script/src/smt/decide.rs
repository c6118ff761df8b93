//! Queries: by the solver of the script, or by several solvers once that has taken long.

use std::io::Write;

use shem_base::{Budget, StopToken, UnknownReason, work_done};
use shem_decide::allocator;
use shem_smt::{Answer, Solver};
use shem_term::Term;

use super::interpreter::Interpreter;
use super::last::{Core, Last};
use super::options::Options;
use super::parts::{self, Cores, FIRST_EFFORT, Query, SPLIT_AFTER};
use crate::conversation::Halt;

impl Options {
    /// The solvers of a query that takes long, if there may be several or their time is counted.
    pub(super) fn cores(&self) -> Option<Cores> {
        match self.virtual_cores {
            Some(solvers) => Some(Cores { solvers, at_a_time: self.jobs.max(1) }),
            None => (self.jobs > 1).then_some(Cores { solvers: self.jobs, at_a_time: self.jobs }),
        }
    }
}

impl Interpreter<'_> {
    /// Decides the assertions together with the assumptions, which have these texts if there may be any.
    pub(super) fn decide<'s>(
        &mut self,
        solver: &'s mut Solver,
        assumptions: Vec<Term>,
        texts: Option<Vec<Box<str>>>,
    ) -> Result<Last<'s>, Halt> {
        let (budget, limits) = self.budget();
        if self.limits.has_memory_limit() {
            // Should the limit be exceeded by far, the program ends with the answer that is owed, after all earlier ones.
            self.talk.out.flush()?;
            allocator::set_answer_owed(true);
        }
        let before = work_done();
        let split_after = self.options.split_after.unwrap_or(SPLIT_AFTER);
        let first = match self.options.cores().filter(|cores| cores.solvers > 1 && self.may_split(&budget)) {
            // A search that has hardly begun loses little by being ended, and need not have a thread.
            Some(_) => StopToken::after_work(&budget.stop, split_after.min(FIRST_EFFORT)),
            None => budget.stop.clone(),
        };
        let mut first = Budget { stop: first, ..budget.clone() };
        let answer = solver.into_answer(&mut self.store, &assumptions, &mut first);
        let work = work_done().saturating_sub(before);
        self.cost.time += work;
        self.cost.work += work;
        let last = match (answer, self.options.cores()) {
            (Err((UnknownReason::Stopped, solver)), Some(cores)) if !budget.stop.is_stopped() => {
                self.decide_in_parts(solver, (&budget.stop, split_after), cores, assumptions, texts)?
            }
            (Err((reason, solver)), _) => Last::Unknown(reason, solver),
            (Ok(answer), _) => self.own_answer(answer, &assumptions, texts)?,
        };
        drop(limits);
        allocator::set_answer_owed(false);
        Ok(last)
    }

    /// The answer of the solver of the script, once it is judged.
    fn own_answer<'s>(
        &mut self,
        mut answer: Answer<'s>,
        assumptions: &[Term],
        texts: Option<Vec<Box<str>>>,
    ) -> Result<Last<'s>, Halt> {
        self.judge(&mut answer, assumptions)?;
        Ok(match answer {
            Answer::Sat(solution) => Last::Sat { solution, model: None },
            Answer::Unsat(refutation) => Last::Unsat { refutation, assumptions: texts, gave_up: None },
            Answer::Unknown(_) => unreachable!("it is an error"),
        })
    }

    /// Whether several solvers may decide a query: their derivations are not joined, and limits are those of one solver.
    fn may_split(&self, budget: &Budget) -> bool {
        let limits = [budget.conflicts, budget.pivots, budget.splits];
        !self.talk.script.produce_proofs && limits.iter().all(|&limit| limit == u64::MAX)
    }

    fn decide_in_parts<'s>(
        &mut self,
        solver: &'s mut Solver,
        (stop, split_after): (&StopToken, u64),
        cores: Cores,
        assumptions: Vec<Term>,
        texts: Option<Vec<Box<str>>>,
    ) -> Result<Last<'s>, Halt> {
        let formulas = solver.asserted_formulas();
        let query = Query {
            formulas: &formulas,
            assumptions: &assumptions,
            options: self.solver_options(),
            seed: self.talk.script.random_seed,
            stop,
            split_after: split_after.saturating_sub(FIRST_EFFORT),
        };
        Ok(match parts::solve((solver, &mut self.store), &query, cores, &mut self.cost) {
            parts::Answer::Own(answer) => self.own_answer(answer, &assumptions, texts)?,
            parts::Answer::Sat(model, solver) => {
                self.judge_model(&model, &assumptions)?;
                Last::SatInParts { model, solver }
            }
            parts::Answer::Unsat(parts::Core { used, assumptions: failed }, solver) => {
                if self.options.check_cores {
                    self.judge_core(&used, failed.clone())?;
                }
                let core = Core { assertions: used, assumptions, failed };
                Last::UnsatInParts { core, texts, solver }
            }
            parts::Answer::Unknown(reason, solver) => Last::Unknown(reason, solver),
        })
    }

    /// Has the solver of the script decide a query again that several solvers have decided, for whoever asks for
    /// interpolants or a proof.
    pub(super) fn decide_alone<'s>(
        &mut self,
        core: Core,
        texts: Option<Vec<Box<str>>>,
        solver: &'s mut Solver,
    ) -> Result<Last<'s>, Halt> {
        let (mut budget, limits) = self.budget();
        let answer = solver.into_answer(&mut self.store, &core.assumptions, &mut budget);
        drop(limits);
        match answer {
            Ok(Answer::Unsat(refutation)) => {
                Ok(Last::Unsat { refutation, assumptions: texts, gave_up: None })
            }
            Ok(_) => Err(Halt::Failure("several solvers say unsat, and one finds a model".to_owned())),
            Err((reason, solver)) => Ok(Last::Unknown(reason, solver)),
        }
    }
}
