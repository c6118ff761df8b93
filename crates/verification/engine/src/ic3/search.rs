//! The search: obligations are blocked frame by frame, lemmas are pushed forward, until two frames agree.

use shem_base::{Budget, Lit, StampSet, Statistics, TieBreak, UnknownReason, Var};
use shem_chc::Path;
use shem_term::{Store, Term};

use super::frames::Frames;
use super::initial::Initial;
use super::obligations::{Obligation, ObligationId, Obligations};
use super::settings::Ic3Settings;
use crate::bits::{BitSystem, CircuitSolver, Cube};
use crate::context::{Events, Progress};
use crate::counters::counters;
use crate::strengthen::invariants;

/// How the search ended.
pub(super) enum Found {
    /// No state of these cubes is reached, and the others are closed under steps.
    Invariant(Vec<Cube>),
    /// A path to a bad state.
    Path(Path),
    /// Others have found this invariant: the search goes on with the stronger system.
    Known(Term),
}

/// What a search has come to, for one on a stronger system: what holds of the first steps of a system holds of those of
/// a stronger one.
pub(super) struct Progressed {
    /// The bits of the state, which cubes are about.
    state: Vec<Var>,
    frames: Frames,
    frontier: usize,
    activities: Vec<f64>,
    gain: f64,
    counters: Counters,
    past: Statistics,
}

/// What may be known of the states before a cube.
pub(super) enum Before {
    /// There are none; this part of the cube is enough for that.
    None(Cube),
    /// There are some; the solver of the frame has one.
    Some,
}

counters! {
    /// What the search counts.
    pub(super) struct Counters {
        /// Queries about the states before a cube.
        queries: "queries",
        /// Queries of generalisation.
        generalisations: "queries.generalise",
        /// Queries of pushing.
        pushes: "queries.push",
        /// Obligations.
        obligations: "obligations",
        /// Lemmas that were found.
        lemmas: "lemmas.found",
        /// Their literals.
        literals: "lemmas.literals",
        /// Lemmas about counterexamples to generalisation.
        ctgs: "lemmas.ctg",
        /// Solvers made anew.
        rebuilt: "solvers.rebuilt",
    }
}

/// The state of the search.
pub(super) struct Search<'a> {
    pub(super) system: &'a BitSystem,
    pub(super) settings: Ic3Settings,
    seed: u64,
    /// The order of literals of the same activity.
    pub(super) ties: TieBreak,
    pub(super) budget: &'a mut Budget,
    pub(super) initial: Initial,
    /// By frame: its lemmas, and the constraint of steps. The frontier has none.
    steps: Vec<CircuitSolver>,
    /// The lemmas of the frontier, to look for bad states.
    top: CircuitSolver,
    pub(super) frames: Frames,
    obligations: Obligations,
    /// By variable of the circuit: how often it was in lemmas, of late.
    pub(super) activities: Vec<f64>,
    pub(super) gain: f64,
    marks: StampSet,
    pub(super) counters: Counters,
    /// The counters of solvers that are gone.
    past: Statistics,
}

impl<'a> Search<'a> {
    /// The search before its first query.
    pub(super) fn new(
        system: &'a BitSystem,
        settings: Ic3Settings,
        seed: u64,
        budget: &'a mut Budget,
    ) -> Search<'a> {
        let mut first = CircuitSolver::new(seed);
        first.add_clause(system, [system.initial].into_iter());
        first.add_clause(system, [system.constraint].into_iter());
        Search {
            system,
            settings,
            seed,
            ties: TieBreak::new(seed),
            budget,
            initial: Initial::new(system, seed),
            steps: vec![first],
            top: CircuitSolver::new(seed),
            frames: Frames::default(),
            obligations: Obligations::new(TieBreak::new(seed)),
            activities: vec![0.0; system.num_vars()],
            gain: 1.0,
            marks: StampSet::new(),
            counters: Counters::default(),
            past: Statistics::new(),
        }
    }

    /// Goes on where a search on a weaker system has ended. Bits of states have to be the same variables.
    pub(super) fn resume(mut self, from: Progressed) -> Search<'a> {
        let Progressed { state, frames, frontier, activities, gain, counters, past } = from;
        (self.counters, self.past) = (counters, past);
        if state != self.system.state {
            return self;
        }
        self.frames = frames;
        self.gain = gain;
        for var in state {
            self.activities[var.index()] = activities[var.index()];
        }
        while self.frontier() < frontier {
            let solver = self.step_solver(self.frontier());
            self.steps.push(solver);
        }
        self.top = self.top_solver();
        self
    }

    /// What the search has come to.
    pub(super) fn progressed(mut self) -> Progressed {
        let frontier = self.frontier();
        for solver in self.steps.iter().chain([&self.top]) {
            solver.statistics().report(&mut self.past);
        }
        let Search { system, frames, activities, gain, counters, past, .. } = self;
        Progressed { state: system.state.clone(), frames, frontier, activities, gain, counters, past }
    }

    /// The last frame.
    pub(super) fn frontier(&self) -> usize {
        self.steps.len()
    }

    /// Runs the search to its end, or until others have found an invariant.
    pub(super) fn run(&mut self, store: &mut Store, events: &mut dyn Events) -> Result<Found, UnknownReason> {
        if let Some(state) = self.initial.state(self.system, &[self.system.bad], self.budget)? {
            return Ok(Found::Path(vec![self.system.state_values(&state)]));
        }
        loop {
            while let Some(cube) = self.bad_cube()? {
                let bad = Obligation { cube, successor: None, inputs: Vec::new(), depth: 0 };
                if let Some(first) = self.add_obligation(bad, self.frontier())? {
                    return Ok(Found::Path(self.path(first)?));
                }
                if let Some(first) = self.block_all()? {
                    return Ok(Found::Path(self.path(first)?));
                }
            }
            self.obligations.clear();
            events.progress(Progress { depth: self.frontier() as u64, lemmas: self.frames.len() as u64 });
            let solver = self.step_solver(self.frontier());
            self.steps.push(solver);
            if let Some(closed) = self.push_lemmas()? {
                let cubes = self.frames.at_or_above(closed + 1).map(|lemma| lemma.cube.clone()).collect();
                return Ok(Found::Invariant(cubes));
            }
            let top = self.top_solver();
            self.retire_top(top);
            if let Some(known) = invariants(store, events) {
                return Ok(Found::Known(known));
            }
            self.suggest(store, events);
        }
    }

    /// Offers the shortest of the lemmas that hold longest to others, each time that there are twice as many frames: the
    /// part that is an invariant has to be found among them.
    fn suggest(&mut self, store: &mut Store, events: &mut dyn Events) {
        let frontier = self.frontier();
        let Some(port) = events.port().filter(|port| frontier.is_power_of_two() && port.wants_invariants())
        else {
            return;
        };
        let mut cubes: Vec<&Cube> = self.frames.at_or_above(frontier - 1).map(|lemma| &lemma.cube).collect();
        cubes.sort_by_key(|cube| cube.len());
        cubes.truncate(MOST_SUGGESTED);
        let clauses: Vec<Term> = cubes.into_iter().map(|cube| self.system.clause_of(store, cube)).collect();
        let formula = store.and(&clauses);
        if formula != Term::TRUE {
            port.suggest(store, formula, self.budget);
        }
    }

    /// A solver with the lemmas of the frontier.
    fn top_solver(&self) -> CircuitSolver {
        let mut top = CircuitSolver::new(self.seed);
        for lemma in self.frames.at_or_above(self.frontier()) {
            top.add_clause(self.system, lemma.cube.iter().map(|&lit| !lit));
        }
        top
    }

    /// Adds the counters to the statistics.
    pub(super) fn report(&self, statistics: &mut Statistics) {
        self.counters.report(statistics);
        statistics.set("frames", self.frontier() as u64);
        statistics.set("lemmas", self.frames.len() as u64);
        statistics.set("solver.size", self.steps.iter().map(|solver| solver.size() as u64).sum::<u64>());
        let mut all = self.past.clone();
        for solver in self.steps.iter().chain([&self.top]) {
            solver.statistics().report(&mut all);
        }
        statistics.merge_prefixed("solver", &all);
    }

    fn retire_top(&mut self, new: CircuitSolver) {
        let old = std::mem::replace(&mut self.top, new);
        old.statistics().report(&mut self.past);
    }

    /// A solver with the lemmas of a frame and the constraint of steps.
    fn step_solver(&self, level: usize) -> CircuitSolver {
        let mut solver = CircuitSolver::new(self.seed);
        solver.add_clause(self.system, [self.system.constraint].into_iter());
        for lemma in self.frames.at_or_above(level) {
            solver.add_clause(self.system, lemma.cube.iter().map(|&lit| !lit));
        }
        solver
    }

    /// A cube of bad states with one of the frontier in it.
    fn bad_cube(&mut self) -> Result<Option<Cube>, UnknownReason> {
        let bad = self.system.bad;
        if !self.top.solve(self.system, None, &[bad], self.budget)? {
            return Ok(None);
        }
        let (system, top) = (self.system, &self.top);
        let leaves = system.justify(&[bad], |lit| top.value(system, lit), &mut self.marks);
        Ok(Some(leaves.into_iter().filter(|lit| system.is_state(lit.var())).collect()))
    }

    /// Adds an obligation; if initial states are in it, it is given back.
    fn add_obligation(
        &mut self,
        obligation: Obligation,
        frame: usize,
    ) -> Result<Option<ObligationId>, UnknownReason> {
        self.counters.obligations += 1;
        let meets = self.initial.conflict(self.system, &obligation.cube, self.budget)?.is_none();
        let id = self.obligations.add(obligation, frame);
        Ok(meets.then_some(id))
    }

    /// Blocks all open obligations. If that is impossible, the one that initial states are in.
    fn block_all(&mut self) -> Result<Option<ObligationId>, UnknownReason> {
        while let Some((id, frame)) = self.obligations.pop() {
            let cube = self.obligations.get(id).cube.clone();
            if self.frames.excludes(&cube, frame) {
                self.reopen(id, frame + 1);
                continue;
            }
            match self.before(&cube, frame, true)? {
                Before::None(core) => {
                    let cube = self.outside_initial(core, &cube)?;
                    let cube = self.generalise(cube, frame, 0)?;
                    let level = self.push_cube(&cube, frame)?;
                    self.add_lemma(cube, level);
                    self.reopen(id, level + 1);
                }
                Before::Some => {
                    let (cube, inputs) = self.predecessor(&cube, frame);
                    let depth = self.obligations.get(id).depth + 1;
                    self.reopen(id, frame);
                    let before = Obligation { cube, successor: Some(id), inputs, depth };
                    if let Some(first) = self.add_obligation(before, frame - 1)? {
                        return Ok(Some(first));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Opens an obligation in a frame, unless that is beyond the frontier.
    fn reopen(&mut self, id: ObligationId, frame: usize) {
        if frame <= self.frontier() {
            self.obligations.reopen(id, frame);
        }
    }

    /// Whether a state of the frame before, outside of the cube if `is_new`, has a step into the cube.
    pub(super) fn before(
        &mut self,
        cube: &[Lit],
        frame: usize,
        is_new: bool,
    ) -> Result<Before, UnknownReason> {
        self.counters.queries += 1;
        let mut order: Vec<Lit> = cube.to_vec();
        order.sort_by(|a, b| {
            let [x, y] = [a, b].map(|lit| self.activities[lit.var().index()]);
            y.total_cmp(&x).then(self.ties.rank(a.index()).cmp(&self.ties.rank(b.index())))
        });
        let assumptions: Vec<Lit> = order.iter().map(|&lit| self.system.after(lit)).collect();
        let outside: Vec<Lit> = cube.iter().map(|&lit| !lit).collect();
        let solver = &mut self.steps[frame - 1];
        if solver.solve(self.system, is_new.then_some(&outside[..]), &assumptions, self.budget)? {
            return Ok(Before::Some);
        }
        self.marks.clear();
        for lit in solver.core() {
            self.marks.insert(lit.index());
        }
        // Bits that are the same after a step are needed once.
        let mut core = Vec::new();
        for (&lit, after) in order.iter().zip(&assumptions) {
            if self.marks.remove(after.index()) {
                core.push(lit);
            }
        }
        core.sort_unstable();
        Ok(Before::None(core))
    }

    /// After [`Before::Some`]: states that all have a step into the cube by some inputs, and these.
    pub(super) fn predecessor(&mut self, cube: &[Lit], frame: usize) -> (Cube, Vec<Lit>) {
        let system = self.system;
        let mut targets: Vec<Lit> = cube.iter().map(|&lit| system.after(lit)).collect();
        targets.push(system.constraint);
        let solver = &self.steps[frame - 1];
        let leaves = system.justify(&targets, |lit| solver.value(system, lit), &mut self.marks);
        leaves.into_iter().partition(|lit| system.is_state(lit.var()))
    }

    /// After [`Before::Some`]: whether the literal is true in the state that was found.
    pub(super) fn is_true_before(&self, lit: Lit, frame: usize) -> bool {
        self.steps[frame - 1].value(self.system, lit)
    }

    /// A part of a cube, with what is needed of the whole to be outside of the initial states. The whole is outside.
    pub(super) fn outside_initial(&mut self, part: Cube, whole: &[Lit]) -> Result<Cube, UnknownReason> {
        if self.initial.conflict(self.system, &part, self.budget)?.is_some() {
            return Ok(part);
        }
        let needed = self.initial.conflict(self.system, whole, self.budget)?;
        let mut cube = part;
        cube.extend(needed.into_iter().flatten());
        cube.sort_unstable();
        cube.dedup();
        Ok(cube)
    }

    /// The highest level up to which the cube, which is excluded in a frame, is excluded.
    pub(super) fn push_cube(&mut self, cube: &[Lit], frame: usize) -> Result<usize, UnknownReason> {
        let mut level = frame;
        while level < self.frontier() {
            match self.before(cube, level + 1, true)? {
                Before::None(_) => level += 1,
                Before::Some => break,
            }
        }
        Ok(level)
    }

    /// Adds a lemma to the frames and to their solvers.
    pub(super) fn add_lemma(&mut self, cube: Cube, level: usize) {
        self.counters.lemmas += 1;
        self.counters.literals += cube.len() as u64;
        for lit in &cube {
            let activity = &mut self.activities[lit.var().index()];
            *activity += self.gain;
            if *activity > RESCALE {
                self.activities.iter_mut().for_each(|activity| *activity /= RESCALE);
                self.gain /= RESCALE;
            }
        }
        self.gain /= DECAY;
        self.extend_solvers(&cube, 1, level);
        self.frames.add(cube, level);
    }

    /// Tells the solvers of these frames of a lemma.
    fn extend_solvers(&mut self, cube: &[Lit], from: usize, to: usize) {
        let frontier = self.frontier();
        let solvers = self.steps[from.min(frontier)..(to + 1).min(frontier)].iter_mut();
        let top = (to >= frontier).then_some(&mut self.top);
        for solver in solvers.chain(top) {
            solver.add_clause(self.system, cube.iter().map(|&lit| !lit));
        }
    }

    /// Makes the solver of a frame anew if most of its clauses are implied by others. What was loaded for cubes that do
    /// not matter any more goes with it.
    fn renew_solver(&mut self, level: usize) {
        let live = self.frames.at_or_above(level).count();
        if self.steps[level].clauses() > 2 * live + FEW_CLAUSES {
            let new = self.step_solver(level);
            let old = std::mem::replace(&mut self.steps[level], new);
            old.statistics().report(&mut self.past);
            self.counters.rebuilt += 1;
        }
    }

    /// Pushes lemmas to the next frame, frame by frame. If one is left without lemmas, it is closed under steps.
    fn push_lemmas(&mut self) -> Result<Option<usize>, UnknownReason> {
        for level in 1..self.frontier() {
            self.renew_solver(level);
            let mut cubes: Vec<Cube> =
                self.frames.level(level).iter().map(|lemma| lemma.cube.clone()).collect();
            cubes.sort_by_key(Vec::len);
            for cube in cubes {
                if !self.frames.has(&cube, level) {
                    continue;
                }
                self.counters.pushes += 1;
                if let Before::None(core) = self.before(&cube, level + 1, false)? {
                    let smaller = self.outside_initial(core, &cube)?;
                    let from = if smaller.len() < cube.len() { 1 } else { level + 1 };
                    self.extend_solvers(&smaller, from, level + 1);
                    self.frames.add(smaller, level + 1);
                }
            }
            if self.frames.level(level).is_empty() {
                return Ok(Some(level));
            }
        }
        Ok(None)
    }

    /// The path from an initial state in the cube of an obligation to a bad state.
    fn path(&mut self, first: ObligationId) -> Result<Path, UnknownReason> {
        let mut obligation = self.obligations.get(first);
        let start = self.initial.state(self.system, &obligation.cube, self.budget)?;
        let mut state = start.expect("an initial state is in the cube");
        let mut path = vec![self.system.state_values(&state)];
        while let Some(next) = obligation.successor {
            let bits = self.system.state.iter().zip(&state).map(|(var, &bit)| var.lit(bit));
            let truths: Vec<Lit> = bits.chain(obligation.inputs.iter().copied()).collect();
            let values = self.system.simulate(&truths);
            let value = |lit: &Lit| values[lit.var().index()] == lit.is_positive();
            debug_assert!(value(&self.system.constraint), "the step is possible");
            state = self.system.next.iter().map(value).collect();
            path.push(self.system.state_values(&state));
            obligation = self.obligations.get(next);
        }
        Ok(path)
    }
}

/// The clauses up to which a solver is not made anew.
const FEW_CLAUSES: usize = 200;

/// How many lemmas are offered to others at once.
const MOST_SUGGESTED: usize = 64;

/// Above this activities are made small.
const RESCALE: f64 = 1e100;

/// What is left of activities after another lemma.
const DECAY: f64 = 0.99;
