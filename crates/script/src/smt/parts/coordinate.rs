//! Rounds: who works on which part, and what comes of it.

use std::collections::BTreeSet;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread::ScopedJoinHandle;

use shem_base::{Statistics, StopToken, UnknownReason};
use shem_decide::virtual_figures;
use shem_smt::{Model, Solver, SolverOptions};
use shem_term::{Store, Term};

use super::clauses::Pool;
use super::tree::{NodeId, Tree};
use super::turns::Board;
use super::worker::{OF_SCRIPT, OwnAnswer, Reply, SplitSlot, Task, go_on, run, take_split};

/// The units of work of a round are no fewer and no more than this, and a part of those so far.
const FEWEST: u64 = 300_000;
const MOST: u64 = 6_000_000;
const ROUNDS: u64 = 40;

/// Beside the solver of the script, one solver of so many stays at the root, if there are as many: it has the clauses of all
/// parts.
const SOLVERS_PER_ROOT: usize = 4;

/// How many solvers there are, and how many of them run at a time.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Cores {
    pub(in super::super) solvers: usize,
    pub(in super::super) at_a_time: usize,
}

/// A query.
pub(in super::super) struct Query<'a> {
    pub(in super::super) formulas: &'a [Term],
    pub(in super::super) assumptions: &'a [Term],
    pub(in super::super) options: SolverOptions,
    /// The first new solver has this seed, the next ones those after it.
    pub(in super::super) seed: u64,
    pub(in super::super) stop: &'a StopToken,
    /// The units of work of the solver of the script before there are others.
    pub(in super::super) split_after: u64,
}

/// What came of a query, with the solver of the script.
pub(in super::super) enum Answer<'s> {
    /// That solver has decided it.
    Own(shem_smt::Answer<'s>),
    Sat(Model, &'s mut Solver),
    Unsat(Core, &'s mut Solver),
    Unknown(UnknownReason, &'s mut Solver),
}

/// The numbers of the assertions of a core, and its assumptions.
pub(in super::super) struct Core {
    pub(in super::super) used: Vec<u32>,
    pub(in super::super) assumptions: Vec<Term>,
}

/// What solvers have found.
enum Found {
    Own,
    Sat(Model),
    Unsat(Core),
    Unknown(UnknownReason),
}

/// What queries have cost.
#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct Cost {
    /// The units of work that pass on as many cores as there are solvers.
    pub(in super::super) time: u64,
    /// The units of work of all solvers.
    pub(in super::super) work: u64,
    /// The queries that were split, their parts, and the clauses that solvers shared.
    pub(in super::super) split: u64,
    pub(in super::super) parts: u64,
    pub(in super::super) clauses: u64,
}

impl Cost {
    /// The figures of a run with so many solvers; those of virtual time if it was asked for.
    pub(in super::super) fn statistics(&self, solvers: usize, virtual_time: bool) -> Statistics {
        let mut statistics = match virtual_time {
            true => virtual_figures(solvers, self.time, self.work),
            false => Statistics::new(),
        };
        statistics.set("parts.queries", self.split);
        statistics.set("parts.nodes", self.parts);
        statistics.set("parts.clauses", self.clauses);
        statistics
    }
}

/// Decides a query, which the solver of the script has begun, with several solvers, itself among them. What it takes is added
/// to the cost.
pub(in super::super) fn solve<'s>(
    (solver, store): (&'s mut Solver, &mut Store),
    query: &Query<'_>,
    cores: Cores,
    cost: &mut Cost,
) -> Answer<'s> {
    let board: Arc<Board<Task, Reply>> = Arc::new(Board::new(cores.solvers));
    let splits: Vec<SplitSlot> = (0..cores.solvers).map(|_| SplitSlot::default()).collect();
    std::thread::scope(|scope| {
        // The solver of the script keeps the store; the others have what it was.
        let before = store.clone();
        let own = {
            let board = Arc::clone(&board);
            scope.spawn(move || go_on((solver, store), query, &board))
        };
        board.give(OF_SCRIPT, Task::GoOn);
        let first = board.round(&[OF_SCRIPT], query.split_after, 1).pop();
        let used = first.as_ref().map_or(query.split_after, |(_, used, _)| *used);
        cost.time += used;
        cost.work += used;
        if let Some((_, _, reply)) = first {
            return finish(Found::of_script(reply), own, &board);
        }
        let mut started = OF_SCRIPT + 1;
        for (number, split) in splits.iter().enumerate().skip(started) {
            let (board, store) = (Arc::clone(&board), before.clone());
            let thread = std::thread::Builder::new().name(format!("solver-{number}"));
            if thread.spawn_scoped(scope, move || run((number, store), query, &board, split)).is_err() {
                break;
            }
            started += 1;
        }
        let mut coordinator = Coordinator {
            board: &board,
            splits: &splits,
            query,
            cores: Cores { solvers: started, ..cores },
            tree: Tree::new(),
            places: vec![None; started],
            splitting: vec![false; started],
            pool: Pool::new(started, query.formulas.len() as u32),
            refutations: Vec::new(),
            elapsed: 0,
            cost,
        };
        let found = coordinator.run();
        coordinator.cost.split += 1;
        coordinator.cost.parts += coordinator.tree.len() as u64;
        coordinator.cost.clauses += coordinator.pool.len() as u64;
        finish(found, own, &board)
    })
}

impl Found {
    /// What the solver of the script has found.
    fn of_script(reply: Reply) -> Found {
        match reply {
            Reply::Decided => Found::Own,
            Reply::Unknown(reason) => Found::Unknown(reason),
            _ => Found::Unknown(UnknownReason::Incomplete("a solver failed")),
        }
    }
}

/// Ends all solvers. The answer, with the solver of the script.
fn finish<'s>(
    found: Found,
    own: ScopedJoinHandle<'_, OwnAnswer<'s>>,
    board: &Board<Task, Reply>,
) -> Answer<'s> {
    board.end();
    let own = own.join().unwrap_or_else(|panic| resume_unwind(panic));
    let solver = match own {
        Ok(answer) if matches!(found, Found::Own) => return Answer::Own(answer),
        Ok(shem_smt::Answer::Sat(solution)) => solution.into_solver(),
        Ok(shem_smt::Answer::Unsat(refutation)) => refutation.into_solver(),
        Ok(shem_smt::Answer::Unknown(_)) => unreachable!("it is an error"),
        Err((_, solver)) => solver,
    };
    match found {
        Found::Own => Answer::Unknown(UnknownReason::Incomplete("a solver failed"), solver),
        Found::Sat(model) => Answer::Sat(model, solver),
        Found::Unsat(core) => Answer::Unsat(core, solver),
        Found::Unknown(reason) => Answer::Unknown(reason, solver),
    }
}

/// What a solver used to refute a part: numbers of assertions and of clauses, and the assumptions.
struct Refutation {
    used: Vec<u32>,
    assumptions: Vec<Term>,
}

struct Coordinator<'a> {
    board: &'a Board<Task, Reply>,
    splits: &'a [SplitSlot],
    query: &'a Query<'a>,
    cores: Cores,
    tree: Tree,
    /// By solver: the node that it works on.
    places: Vec<Option<NodeId>>,
    /// By solver: whether it looks for a variable to split its part on.
    splitting: Vec<bool>,
    pool: Pool,
    refutations: Vec<Refutation>,
    /// The time of this query so far.
    elapsed: u64,
    cost: &'a mut Cost,
}

impl Coordinator<'_> {
    fn run(&mut self) -> Found {
        // That of the script is at work.
        self.places[OF_SCRIPT] = Some(Tree::ROOT);
        match self.build() {
            Ok(true) => return Found::Own,
            Ok(false) => {}
            Err(reason) => return Found::Unknown(reason),
        }
        loop {
            self.assign();
            let busy: Vec<usize> =
                (0..self.cores.solvers).filter(|&solver| self.places[solver].is_some()).collect();
            if busy.is_empty() {
                return Found::Unknown(UnknownReason::Incomplete("no part can be decided"));
            }
            let ended = self.round(&busy);
            self.note_splits(&busy);
            let mut end = None;
            for (solver, _, reply) in ended {
                self.leave(solver);
                match reply {
                    Reply::Decided => return Found::Own,
                    Reply::Sat(model) => return Found::Sat(*model),
                    Reply::Unsat { cube, assumptions, used } => {
                        self.tree.refute(&cube, self.refutations.len());
                        self.refutations.push(Refutation { used, assumptions });
                    }
                    Reply::Unknown(reason) => end = Some(reason),
                    Reply::Failed | Reply::Built { .. } | Reply::Traced(_) => {
                        end = Some(UnknownReason::Incomplete("a solver failed"));
                    }
                }
            }
            if let Some(refutations) = self.tree.refutations() {
                return self.core(&refutations);
            }
            if let Some(reason) = end {
                return Found::Unknown(reason);
            }
            if self.query.stop.is_stopped() {
                return Found::Unknown(UnknownReason::Stopped);
            }
            self.pool.deliver();
        }
    }

    /// Has all solvers made. Whether that of the script has decided the query meanwhile.
    fn build(&mut self) -> Result<bool, UnknownReason> {
        let mut busy: Vec<usize> = (0..self.cores.solvers).collect();
        for &solver in &busy[OF_SCRIPT + 1..] {
            self.board.give(solver, Task::Build(self.pool.port(solver)));
        }
        let mut common = None;
        while busy.len() > 1 {
            for (solver, _, reply) in self.round(&busy) {
                busy.retain(|&other| other != solver);
                match reply {
                    Reply::Decided => return Ok(true),
                    Reply::Built { common: count, fingerprint } => {
                        // They are the same by construction; clauses are shared only because of that.
                        if *common.get_or_insert((count, fingerprint)) != (count, fingerprint) {
                            return Err(UnknownReason::Incomplete("solvers differ in their variables"));
                        }
                    }
                    Reply::Unknown(reason) => return Err(reason),
                    _ => return Err(UnknownReason::Incomplete("a solver failed")),
                }
            }
        }
        Ok(false)
    }

    /// Lets these solvers work for a round.
    fn round(&mut self, busy: &[usize]) -> Vec<(usize, u64, Reply)> {
        let units = (self.elapsed / ROUNDS).clamp(FEWEST, MOST);
        let ended = self.board.round(busy, units, self.cores.at_a_time);
        let longest = ended.iter().map(|(_, used, _)| *used).max().unwrap_or(0);
        let decided = ended.iter().filter(|(_, _, reply)| matches!(reply, Reply::Sat(_) | Reply::Decided));
        // An answer comes when it is found. Otherwise all have used their units, unless all have ended.
        let first = decided.map(|(_, used, _)| *used).min();
        let time = first.unwrap_or(if ended.len() == busy.len() { longest } else { units });
        self.elapsed += time;
        self.cost.time += time;
        let idle: u64 = ended.iter().map(|(_, used, _)| units.saturating_sub(*used)).sum();
        self.cost.work += (units * busy.len() as u64).saturating_sub(idle);
        ended
    }

    /// Takes note of the parts that solvers have split.
    fn note_splits(&mut self, busy: &[usize]) {
        for &solver in busy {
            let (Some(choice), Some(node)) = (take_split(&self.splits[solver]), self.places[solver]) else {
                continue;
            };
            self.splitting[solver] = false;
            match choice {
                Some(var) => {
                    let [first, _] = self.tree.split(node, var);
                    self.enter(solver, first);
                }
                None => self.tree.keep_whole(node),
            }
        }
    }

    fn enter(&mut self, solver: usize, node: NodeId) {
        self.leave(solver);
        self.places[solver] = Some(node);
        self.tree.enter(node, self.elapsed);
    }

    /// A solver ends its work on a node. That of the script has no part.
    fn leave(&mut self, solver: usize) {
        if let Some(node) = self.places[solver].take().filter(|_| solver != OF_SCRIPT) {
            self.tree.leave(node);
        }
    }

    /// Gives solvers without work something to do, between two rounds.
    fn assign(&mut self) {
        for solver in OF_SCRIPT + 1..self.cores.solvers {
            if self.places[solver].is_some_and(|node| self.tree.is_refuted(node)) {
                self.abandon(solver);
                self.leave(solver);
            }
        }
        let mut idle = 0_usize;
        for solver in OF_SCRIPT + 1..self.cores.solvers {
            if self.places[solver].is_some() {
                continue;
            }
            let of_root = (solver + 1) % SOLVERS_PER_ROOT == 0;
            match if of_root { Some(Tree::ROOT) } else { self.tree.waiting_leaf() } {
                Some(node) => self.solve(solver, node),
                None => idle += 1,
            }
        }
        // Splits take effect in the next round, while the others go on.
        let under_way = self.splitting.iter().filter(|&&splitting| splitting).count();
        let mut wanted = idle.saturating_sub(under_way);
        for leaf in self.tree.leaves_to_split() {
            let workers = OF_SCRIPT + 1..self.cores.solvers;
            let owners = || workers.clone().filter(|&solver| self.places[solver] == Some(leaf));
            if wanted == 0 || owners().any(|solver| self.splitting[solver]) {
                continue;
            }
            if let Some(solver) = owners().next() {
                self.abandon(solver);
                self.board.give(solver, Task::Split(self.tree.cube(leaf).to_vec()));
                self.splitting[solver] = true;
                wanted -= 1;
            }
        }
    }

    /// Has a solver give up its part.
    fn abandon(&mut self, solver: usize) {
        self.board.abandon(solver);
        take_split(&self.splits[solver]);
        self.splitting[solver] = false;
    }

    /// Has an idle solver work on a node.
    fn solve(&mut self, solver: usize, node: NodeId) {
        self.board.give(solver, Task::Solve(self.tree.cube(node).to_vec()));
        self.enter(solver, node);
    }

    /// What these refutations depend on. Solvers may be at work, which is given up.
    fn core(&mut self, refutations: &[usize]) -> Found {
        for solver in 0..self.cores.solvers {
            if self.places[solver].take().is_some() {
                self.abandon(solver);
            }
        }
        let mut assumptions = BTreeSet::new();
        let mut open = BTreeSet::new();
        for &number in refutations {
            let refutation = &self.refutations[number];
            assumptions.extend(refutation.assumptions.iter().copied());
            open.extend(refutation.used.iter().copied());
        }
        let mut seen = BTreeSet::new();
        loop {
            let mut wanted: Vec<Vec<usize>> = vec![Vec::new(); self.cores.solvers];
            for number in std::mem::take(&mut open) {
                if seen.insert(number)
                    && let Some((sender, clause)) = self.pool.sender(number)
                {
                    wanted[sender].push(clause);
                }
            }
            let mut busy = Vec::new();
            for (solver, clauses) in wanted.into_iter().enumerate().filter(|(_, clauses)| !clauses.is_empty())
            {
                self.board.give(solver, Task::Trace(clauses));
                busy.push(solver);
            }
            if busy.is_empty() {
                break;
            }
            while !busy.is_empty() {
                for (solver, _, reply) in self.board.round(&busy, MOST, self.cores.at_a_time) {
                    busy.retain(|&other| other != solver);
                    match reply {
                        Reply::Traced(used) => open.extend(used),
                        _ => return Found::Unknown(UnknownReason::Incomplete("a solver failed")),
                    }
                }
            }
        }
        let used = seen.into_iter().filter(|&number| self.pool.sender(number).is_none()).collect();
        Found::Unsat(Core { used, assumptions: assumptions.into_iter().collect() })
    }
}
