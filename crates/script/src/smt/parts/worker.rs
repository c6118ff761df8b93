//! A solver in a thread.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use shem_base::{Budget, Lit, StopToken, UnknownReason, Var};
use shem_smt::{Answer, Model, Solver};
use shem_term::{Store, Term};

use super::clauses::Port;
use super::coordinate::Query;
use super::turns::Board;

/// The units of work that a lookahead may take, about.
const WORK_OF_LOOKAHEAD: u64 = 1_000_000;

/// What a solver is to do.
pub(super) enum Task {
    /// The solver of the script: to go on with the query.
    GoOn,
    /// To make its solver.
    Build(Port),
    /// To solve a part.
    Solve(Vec<Lit>),
    /// To split a part, and to solve the half in which the variable is true.
    Split(Vec<Lit>),
    /// To tell what clauses that it has sent depend on.
    Trace(Vec<usize>),
}

/// What came of it.
pub(super) enum Reply {
    /// There is a solver, with so many variables that all have.
    Built { common: usize, fingerprint: u64 },
    /// The part has a model.
    Sat(Box<Model>),
    /// The part has none.
    Unsat { cube: Vec<Lit>, assumptions: Vec<Term>, used: Vec<u32> },
    /// The solver of the script has decided the query.
    Decided,
    /// The solver gave up, or was stopped.
    Unknown(UnknownReason),
    /// The assertions that clauses depend on.
    Traced(Vec<u32>),
    /// A mistake of ours.
    Failed,
}

/// The variable on which a part was split while it is being solved: nothing before, and then nothing if there is none.
pub(super) type SplitSlot = Mutex<Option<Option<Var>>>;

/// Takes the choice of a split, if one was made.
pub(super) fn take_split(slot: &SplitSlot) -> Option<Option<Var>> {
    slot.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// A solver of the query.
struct Worker<'q> {
    query: &'q Query<'q>,
    store: Store,
    solver: Solver,
    common: usize,
    split: &'q SplitSlot,
}

/// The number of the solver of the script.
pub(super) const OF_SCRIPT: usize = 0;

/// What came of a query that the solver of the script was asked.
pub(super) type OwnAnswer<'s> = Result<Answer<'s>, (UnknownReason, &'s mut Solver)>;

/// Has the solver of the script go on with the query.
pub(super) fn go_on<'s>(
    (solver, store): (&'s mut Solver, &mut Store),
    query: &Query<'_>,
    board: &Arc<Board<Task, Reply>>,
) -> OwnAnswer<'s> {
    let Some(_) = board.next_task(OF_SCRIPT) else { return Err((UnknownReason::Stopped, solver)) };
    let token = board.token(OF_SCRIPT, query.stop);
    token.is_stopped();
    let (mut budget, assumptions) = (Budget::until(token.clone()), query.assumptions);
    let search = move || {
        // Moved, so that the answer may keep it.
        let solver = solver;
        solver.into_answer(store, assumptions, &mut budget)
    };
    let answer = catch_unwind(AssertUnwindSafe(search)).unwrap_or_else(|panic| {
        board.end_task(OF_SCRIPT, Reply::Failed);
        resume_unwind(panic)
    });
    token.is_stopped();
    let reply = match &answer {
        Ok(_) => Reply::Decided,
        Err((reason, _)) => Reply::Unknown(*reason),
    };
    board.end_task(OF_SCRIPT, reply);
    answer
}

/// Does tasks until there are no more.
pub(super) fn run(
    (number, store): (usize, Store),
    query: &Query<'_>,
    board: &Arc<Board<Task, Reply>>,
    split: &SplitSlot,
) {
    let mut solver = Solver::new(query.options.clone());
    // The first one has the seed of the script.
    solver.set_seed(query.seed.wrapping_add(number as u64 - 1));
    let mut worker = Worker { query, store, solver, common: 0, split };
    while let Some(task) = board.next_task(number) {
        let token = board.token(number, query.stop);
        // The first look waits for units; the last one pays for what was done.
        token.is_stopped();
        let reply = catch_unwind(AssertUnwindSafe(|| worker.work(task, &token))).unwrap_or(Reply::Failed);
        token.is_stopped();
        board.end_task(number, reply);
    }
}

impl Worker<'_> {
    fn work(&mut self, task: Task, token: &StopToken) -> Reply {
        let mut budget = Budget::until(token.clone());
        match task {
            Task::Build(port) => self.build(port, &budget),
            Task::Solve(cube) => self.solve(&cube, &mut budget),
            Task::Split(mut cube) => {
                let Worker { query, store, solver, common, split } = self;
                let part = (query.assumptions, &cube[..]);
                let var = solver.split_variable(store, part, *common, WORK_OF_LOOKAHEAD, &mut budget);
                cube.extend(var.map(Var::positive));
                *split.lock().unwrap_or_else(PoisonError::into_inner) = Some(var);
                self.solve(&cube, &mut budget)
            }
            Task::GoOn => Reply::Failed,
            Task::Trace(clauses) => Reply::Traced(self.solver.assertions_behind_sent(&clauses)),
        }
    }

    fn build(&mut self, port: Port, budget: &Budget) -> Reply {
        let Worker { query, store, solver, common, .. } = self;
        for &formula in query.formulas {
            solver.assert(store, formula);
            if budget.stop.is_stopped() {
                return Reply::Unknown(UnknownReason::Stopped);
            }
        }
        match solver.share_clauses(store, query.assumptions, Box::new(port), budget) {
            Ok((count, fingerprint)) => {
                *common = count;
                Reply::Built { common: count, fingerprint }
            }
            Err(reason) => Reply::Unknown(reason),
        }
    }

    fn solve(&mut self, cube: &[Lit], budget: &mut Budget) -> Reply {
        match self.solver.check_part(&mut self.store, self.query.assumptions, cube, budget) {
            Answer::Sat(mut solution) => Reply::Sat(Box::new(solution.model())),
            Answer::Unsat(refutation) => Reply::Unsat {
                cube: refutation.failed_cube(cube),
                assumptions: refutation.failed_assumptions(),
                used: refutation.used_assertions(),
            },
            Answer::Unknown(reason) => Reply::Unknown(reason),
        }
    }
}
