//! Runs of a transition system for other engines: what they have found may be a path of millions of steps, of which they
//! know an initial state and, perhaps, which steps come in turn.

use std::collections::BTreeMap;

use shem_base::{Budget, Rat, Rng, UnknownReason};
use shem_chc::{Derivation, Edge, EdgeId, Graph, TransitionSystem, VertexId};
use shem_term::{Sort, Store, Term, Value};

use super::code::Number;
use super::run::{CompiledGraph, number};
use super::search::{End, Limits, RunSearch};
use super::trace::Trace;
use super::words::{Plan, Route, follow};

/// The states from which runs are made.
const MOST_RUNS: usize = 16;

/// What a run may cost: others have to be served, too.
const LIMITS: Limits = Limits { steps: 100_000, stream: 0, jumps: 2_000, work: MOST_WORK };

/// The work that a run may cost.
pub(crate) const MOST_WORK: u64 = 4_000_000;

/// Runs a transition system whose steps are functions, or may be guessed.
pub(crate) struct Runner {
    compiled: CompiledGraph,
    /// The variables of the state after a step.
    targets: Vec<Term>,
    seed: u64,
    /// The states from which runs have begun, with the work that they were allowed, or that no other would help.
    tried: BTreeMap<Vec<Value>, u64>,
    /// The same of plans.
    followed: BTreeMap<Route, u64>,
    /// The work of all runs.
    pub(crate) work: u64,
}

/// What became of a run.
pub(crate) enum Ran {
    /// The states to a bad one.
    Reached(Derivation<()>),
    /// No bad state, and more work would not help.
    InVain,
    /// No bad state within the work that it was allowed.
    Cut,
}

impl Runner {
    /// Compiles a system; `None` if it has other sorts than numbers and truth values or is too large.
    pub(crate) fn new(store: &mut Store, system: &TransitionSystem, seed: u64) -> Option<Runner> {
        let TransitionSystem { state, next, initial, transition, bad } = system;
        let mut graph = Graph::new();
        let sorts: Vec<Sort> = state.iter().map(|&v| store.sort(v)).collect();
        let vertex = graph.add_vertex(store, "run", &sorts);
        let own = [graph.vertex(vertex).state(), graph.vertex(vertex).target()].concat();
        let targets = graph.vertex(vertex).target().to_vec();
        let (here, after) = own.split_at(sorts.len());
        let both = [&state[..], &next[..]].concat();
        let label = store.rename(*initial, state, after);
        graph.add_edge(store, Edge { sources: vec![], target: vertex, label });
        let label = store.rename(*transition, &both, &own);
        graph.add_edge(store, Edge { sources: vec![vertex], target: vertex, label });
        let label = store.rename(*bad, state, here);
        graph.add_edge(store, Edge { sources: vec![vertex], target: VertexId::FALSE, label });
        let compiled = CompiledGraph::new(store, &graph).ok()?;
        (!compiled.starts.is_empty()).then_some(Runner {
            compiled,
            targets,
            seed,
            tried: BTreeMap::new(),
            followed: BTreeMap::new(),
            work: 0,
        })
    }

    /// The work with which it is worth the while to repeat a run that was cut after this work: four times as much, or all
    /// that a run may have. What had that is not repeated.
    pub(crate) fn worth_more_than(work: u64) -> u64 {
        if work >= MOST_WORK { u64::MAX } else { work.saturating_mul(4).min(MOST_WORK) }
    }

    /// Whether every step is determined by the state and the case that is chosen.
    pub(crate) fn is_functional(&self) -> bool {
        self.compiled.moves.iter().flatten().all(|&case| self.compiled.cases[case].free.is_empty())
    }

    /// Whether there are several cases, or free variables, in some step.
    fn has_choice(&self) -> bool {
        !self.is_functional() || self.compiled.moves.iter().any(|moves| moves.len() > 1)
    }

    /// Runs a plan from an initial state, and then on, in the same way, with at most this work. What was run before is
    /// run again with much more work only.
    pub(crate) fn follow(
        &mut self,
        start: &[Value],
        plan: &Plan,
        work: u64,
        budget: &Budget,
    ) -> Result<Ran, UnknownReason> {
        let limits = Limits { work: work.min(MOST_WORK), ..LIMITS };
        // Where nothing is chosen, a plan adds nothing to the state that it begins with.
        if !self.has_choice() {
            return self.run_from(start, limits, budget);
        }
        let Some(route) = Route::new(&self.compiled, start, plan, &self.targets) else {
            return Ok(Ran::InVain);
        };
        if self.followed.get(&route).is_some_and(|&work| limits.work < Runner::worth_more_than(work)) {
            return Ok(Ran::InVain);
        }
        let (end, work) = follow(&self.compiled, &route, limits, self.seed, budget)?;
        self.work += work;
        let ran = Ran::of(end, work >= limits.work);
        self.followed.insert(route, ran.enough(limits));
        Ok(ran)
    }

    /// Runs from an initial state; the states to a bad one, if the run has reached one. A state is tried once only, and
    /// not too many of them.
    pub(crate) fn run(
        &mut self,
        start: &[Value],
        budget: &Budget,
    ) -> Result<Option<Derivation<()>>, UnknownReason> {
        if self.tried.len() >= MOST_RUNS {
            return Ok(None);
        }
        match self.run_from(start, LIMITS, budget)? {
            Ran::Reached(path) => Ok(Some(path)),
            Ran::InVain | Ran::Cut => Ok(None),
        }
    }

    /// Runs from an initial state, unless it was run with not much less work.
    fn run_from(&mut self, start: &[Value], limits: Limits, budget: &Budget) -> Result<Ran, UnknownReason> {
        if self.tried.get(start).is_some_and(|&work| limits.work < Runner::worth_more_than(work)) {
            return Ok(Ran::InVain);
        }
        let ran = match self.compiled.integral {
            true => self.run_with::<i64>(start, limits, budget),
            false => self.run_with::<Rat>(start, limits, budget),
        }?;
        self.tried.insert(start.to_vec(), ran.enough(limits));
        Ok(ran)
    }

    fn run_with<N: Number>(
        &mut self,
        start: &[Value],
        limits: Limits,
        budget: &Budget,
    ) -> Result<Ran, UnknownReason> {
        let exact: Vec<Rat> = start.iter().map(number).collect();
        let case = self.compiled.starts[0];
        let mut search = RunSearch::new(&self.compiled, limits, Rng::new(self.seed));
        let state: Option<Vec<N>> = exact.iter().map(N::of_rat).collect();
        let end = match state {
            Some(state) => {
                let mut trace = Trace::new();
                trace.push(case, &state);
                match search.run(trace, None, budget)? {
                    End::Overflow(trace) => {
                        search.limits.work = limits.work.saturating_sub(search.work);
                        search.run(trace.exact(), None, budget)?.exact()
                    }
                    end => end.exact(),
                }
            }
            None => {
                let mut trace = Trace::new();
                trace.push(case, &exact);
                search.run(trace, None, budget)?
            }
        };
        let ran = Ran::of(end, search.work >= limits.work);
        self.work += search.work;
        Ok(ran)
    }
}

impl Ran {
    fn of(end: End<Rat>, is_work_done: bool) -> Ran {
        match end {
            End::Reached(derivation) => Ran::Reached(path(derivation)),
            End::Steps if is_work_done => Ran::Cut,
            End::Steps | End::Stuck | End::Endless | End::Overflow(_) => Ran::InVain,
        }
    }

    /// The work that would not help if it were allowed again.
    fn enough(&self, limits: Limits) -> u64 {
        match self {
            Ran::Cut => limits.work,
            Ran::Reached(_) | Ran::InVain => u64::MAX,
        }
    }
}

/// The states of a derivation of falsehood.
fn path(mut derivation: Derivation<EdgeId>) -> Derivation<()> {
    derivation.pop();
    derivation.map_rules(|_| ())
}

#[cfg(test)]
mod tests {
    use shem_test_support::transition;

    use super::*;
    use crate::running::words::Part;

    fn runner(store: &mut Store, step: &str, bad: &str) -> Runner {
        let xy = [("x", Sort::Int), ("y", Sort::Int)];
        let system = transition::system(store, &xy, "(and (= x 0) (= y 1))", step, bad);
        Runner::new(store, &system, 0).expect("a program")
    }

    fn start(x: i64, y: i64) -> [Value; 2] {
        [Value::Num(x.into()), Value::Num(y.into())]
    }

    /// A loop that nothing ever ends is seen to be one after some steps, whether there are remainders in it or not. One
    /// that ends beyond all words, after more rounds than a jump may have, is followed to its end.
    #[test]
    fn endless_runs_end() {
        let free = &Budget::unlimited();
        let counter = "(and (= x.next (+ x 1)) (= y.next (ite (= (div x 1000) 5) (+ y 1) y)))";
        for (step, bad) in [
            ("(and (= x.next (+ x 1)) (= y.next (+ y x)))", "(< y 0)"),
            (counter, "(and (> x 6000) (not (= y 1001)))"),
            ("(and (= x.next (ite (< x 7) (+ x 1) 0)) (= y.next (- y 2)))", "(or (> x 7) (> y 1))"),
        ] {
            let mut store = Store::new();
            let mut runner = runner(&mut store, step, bad);
            let ran = runner.follow(&start(0, 1), &Plan::default(), MOST_WORK, free).expect("no stop");
            assert!(matches!(ran, Ran::InVain), "{step}");
            assert!(runner.work < 1_000_000, "{step}: {}", runner.work);
        }
        let mut store = Store::new();
        let bad = "(= x 3000000000000000000000000000007)";
        let mut runner = runner(&mut store, "(and (= x.next (+ x 1000000000000)) (= y.next y))", bad);
        let from = start(7, 0);
        let Ran::Reached(path) = runner.follow(&from, &Plan::default(), MOST_WORK, free).expect("no stop")
        else {
            panic!("it is reached")
        };
        assert!(path.len() < 1_000, "{}", path.len());
    }

    /// Numbers that grow as powers are long soon: the work counts their length, and the run is cut. It is run again
    /// with more work only.
    #[test]
    fn work_is_limited_and_not_repeated() {
        let free = &Budget::unlimited();
        let mut store = Store::new();
        let mut runner = runner(&mut store, "(and (= x.next (+ x y)) (= y.next (* 3 y)))", "(< x 0)");
        let plan = Plan::default();
        let follow =
            |runner: &mut Runner, work| runner.follow(&start(0, 1), &plan, work, free).expect("no stop");
        assert!(matches!(follow(&mut runner, 5_000), Ran::Cut));
        let once = runner.work;
        assert!((5_000..10_000).contains(&once), "{once}");
        assert!(matches!(follow(&mut runner, 5_000), Ran::InVain));
        assert_eq!(runner.work, once);
        assert!(matches!(follow(&mut runner, 20_000), Ran::Cut));
        assert!((25_000..50_000).contains(&runner.work), "{}", runner.work);
    }

    /// Plans that are the same in terms of the program are one, whatever their words are called.
    #[test]
    fn the_same_route_is_followed_once() {
        let free = &Budget::unlimited();
        let step = "(or (and (= x.next (+ x 1)) (= y.next y)) (and (= x.next x) (= y.next (+ y 3))))";
        let mut store = Store::new();
        let mut runner = runner(&mut store, step, "(and (= x 50000) (= y 4))");
        let step = |from: [i64; 2], to: [i64; 2]| Part::Step {
            before: start(from[0], from[1]).to_vec(),
            after: start(to[0], to[1]).to_vec(),
            others: Vec::new(),
        };
        let word = |number| Part::Loop { word: number, after: start(50_001, 1).to_vec() };
        let first = Plan { parts: vec![word(1)], words: vec![vec![], vec![step([0, 1], [1, 1])]] };
        let same = Plan { parts: vec![word(0)], words: vec![vec![step([8, 1], [9, 1])]] };
        let other = Plan { parts: vec![step([0, 1], [0, 4]), word(0)], words: same.words.clone() };
        let mut follow = |plan: &Plan| {
            let before = runner.work;
            let ran = runner.follow(&start(0, 1), plan, 100_000, free).expect("no stop");
            (matches!(ran, Ran::Reached(_)), runner.work - before)
        };
        let (reached, work) = follow(&first);
        assert!(!reached && work > 0);
        assert_eq!(follow(&same), (false, 0));
        assert!(follow(&other).0);
    }
}
