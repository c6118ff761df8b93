//! Runs by evaluation, from a few states at the start.
//!
//! Cases are walked as functions (`moves`); where several can be taken, a policy chooses. A state that is met again makes an
//! infinite run. Of a run that does not end, the word of moves that it repeats at its end says which cycle to look at.

use std::collections::{BTreeMap, VecDeque};

use shem_base::{Budget, Effort, Rat};
use shem_chc::{ClauseId, Derivation, PredicateId};
use shem_proof::NoProof;
use shem_smt::{Answer, Solver};
use shem_term::{Evaluator, Sort, Store, Symbol, Term, Value};

use crate::cube::Cases;
use crate::moves::Move;
use crate::problem::Problem;

/// The greatest number of steps of a run.
const MOST_STEPS: usize = 200;
/// The greatest number of states at the start.
const MOST_STARTS: usize = 30;
/// The states at the start of each path, and the policies that are tried from each.
const STARTS: usize = 6;
const POLICIES: u64 = 4;
/// The paths of cases from each fact for which states at the start are looked for, and the longest of them.
const MOST_PATHS: usize = 12;
const LONGEST_PATH: usize = 3;
/// The effort of one question.
const EFFORT: Effort = Effort { conflicts: 2_000, pivots: 20_000, splits: 500 };
/// The longest word that a run repeats.
const LONGEST_WORD: usize = 16;

/// A state: the values of the arguments of a predicate.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct State {
    pub(crate) predicate: PredicateId,
    pub(crate) values: Vec<Value>,
}

/// A run, state by state.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    fact: ClauseId,
    pub(crate) states: Vec<State>,
    /// The moves from each state to the next one.
    pub(crate) moves: Vec<usize>,
    /// The state that the last one is equal to, if there is one.
    pub(crate) repeats: Option<usize>,
}

impl Run {
    /// The first states as a derivation.
    pub(crate) fn stem(&self, length: usize, clauses: &[ClauseId]) -> Derivation<ClauseId> {
        let mut stem = Derivation::new();
        let mut last = stem.push(self.fact, &[], self.states[0].values.iter().cloned());
        for (state, step) in self.states[1..length].iter().zip(&self.moves) {
            last = stem.push(clauses[*step], &[last], state.values.iter().cloned());
        }
        stem
    }

    /// The shortest word of moves that the run repeats at its end, with the state at which its last round begins.
    pub(crate) fn word(&self) -> Option<(usize, &[usize])> {
        let count = self.moves.len();
        if count < MOST_STEPS {
            return None;
        }
        let repeats = |length: usize| {
            let tail = &self.moves[count - 3 * length.max(10)..];
            tail.iter().zip(&tail[length..]).all(|(a, b)| a == b)
        };
        let length = (1..=LONGEST_WORD).find(|&length| repeats(length))?;
        Some((count - length, &self.moves[count - length..]))
    }
}

/// Evaluates moves.
pub(crate) struct Walker {
    symbols: Vec<Vec<Symbol>>,
    /// The moves from each predicate, with its guard, its updates and its target.
    from: Vec<Vec<usize>>,
    guards: Vec<Evaluator>,
    updates: Vec<(PredicateId, Vec<Evaluator>)>,
}

impl Walker {
    pub(crate) fn new(
        store: &mut Store,
        problem: &Problem,
        moves: &[Move],
        ends: &[(PredicateId, PredicateId)],
    ) -> Walker {
        let symbol = |&variable: &Term| store.as_var(variable).expect("a variable");
        let symbols: Vec<Vec<Symbol>> =
            problem.states.iter().map(|state| state.iter().map(symbol).collect()).collect();
        let mut walker = Walker {
            from: vec![Vec::new(); symbols.len()],
            symbols,
            guards: Vec::new(),
            updates: Vec::new(),
        };
        for (at, (one, &(source, target))) in moves.iter().zip(ends).enumerate() {
            walker.from[source.index()].push(at);
            let guard = store.and(&one.guard);
            walker.guards.push(Evaluator::new(store, guard));
            let updates = one.updates.iter().map(|&update| Evaluator::new(store, update)).collect();
            walker.updates.push((target, updates));
        }
        walker
    }

    /// Whether a formula over the variables of a state's predicate is true in the state.
    pub(crate) fn holds(&self, store: &Store, state: &State, formula: Term) -> bool {
        let symbols = &self.symbols[state.predicate.index()];
        let value = |symbol: Symbol| Some(state.values[symbols.iter().position(|&s| s == symbol)?].clone());
        store.evaluate(formula, &value) == Some(Value::Bool(true))
    }

    /// The moves that can be taken in a state.
    fn enabled(&mut self, store: &Store, state: &State) -> Vec<usize> {
        let Walker { symbols, from, guards, .. } = self;
        let symbols = &symbols[state.predicate.index()];
        let value = |symbol: Symbol| Some(state.values[symbols.iter().position(|&s| s == symbol)?].clone());
        let is_true = |at: &usize| guards[*at].evaluate(store, &value) == Some(Value::Bool(true));
        from[state.predicate.index()].iter().copied().filter(is_true).collect()
    }

    fn step(&mut self, store: &Store, state: &State, at: usize) -> Option<State> {
        let Walker { symbols, updates, .. } = self;
        let symbols = &symbols[state.predicate.index()];
        let value = |symbol: Symbol| Some(state.values[symbols.iter().position(|&s| s == symbol)?].clone());
        let (predicate, updates) = &mut updates[at];
        let values =
            updates.iter_mut().map(|update| update.evaluate(store, &value)).collect::<Option<_>>()?;
        Some(State { predicate: *predicate, values })
    }

    /// A run from a state by a policy: the first move, the last one, or one by a random number.
    pub(crate) fn run(&mut self, store: &Store, fact: ClauseId, start: State, policy: u64) -> Run {
        let mut seen = BTreeMap::from([(key(&start), 0)]);
        let mut run = Run { fact, states: vec![start], moves: Vec::new(), repeats: None };
        let mut random = policy;
        while run.moves.len() < MOST_STEPS && run.repeats.is_none() {
            let state = run.states.last().expect("a state at the start");
            let enabled = self.enabled(store, state);
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let chosen = match (policy, enabled.len()) {
                (_, 0) => break,
                (0, _) => enabled[0],
                (1, count) => enabled[count - 1],
                (_, count) => enabled[(random >> 33) as usize % count],
            };
            let Some(next) = self.step(store, state, chosen) else { break };
            run.repeats = seen.insert(key(&next), run.states.len());
            run.moves.push(chosen);
            run.states.push(next);
        }
        run
    }
}

/// What tells states apart.
fn key(state: &State) -> (usize, Vec<Rat>) {
    let number = |value: &Value| match value {
        Value::Num(number) => number.clone(),
        Value::Bool(truth) => Rat::from(i64::from(*truth)),
        _ => Rat::from(0),
    };
    (state.predicate.index(), state.values.iter().map(number).collect())
}

/// Runs from a few states of each fact.
pub(crate) fn walk(
    store: &mut Store,
    problem: &Problem,
    cases: &Cases,
    walker: &mut Walker,
    budget: &mut Budget,
) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (fact, start) in starts(store, problem, cases, budget).into_iter().take(MOST_STARTS) {
        for policy in 0..POLICIES {
            if budget.check_stop().is_err() {
                return runs;
            }
            let run = walker.run(store, fact, start.clone(), policy);
            if !runs.iter().any(|other| other.states == run.states) {
                runs.push(run);
            }
        }
    }
    runs
}

/// States at the start from which short paths of cases can be taken, small ones and some farther away.
fn starts(
    store: &mut Store,
    problem: &Problem,
    cases: &Cases,
    budget: &mut Budget,
) -> Vec<(ClauseId, State)> {
    let mut found: Vec<(ClauseId, State)> = Vec::new();
    for fact in &problem.facts {
        let first = &problem.nexts[fact.target.index()];
        let begin = Path { formula: fact.formula, end: first.clone(), predicate: fact.target, length: 0 };
        let mut paths = VecDeque::from([begin]);
        let mut count = 0;
        while let Some(path) = paths.pop_front() {
            if count >= MOST_PATHS || budget.check_stop().is_err() {
                break;
            }
            let mut solver = Solver::with_proof(Default::default(), NoProof);
            solver.assert(store, path.formula);
            if !budget.within(EFFORT, |part| solver.check(store, part).is_sat()) {
                continue;
            }
            count += 1;
            for profile in 0..STARTS {
                if let Some(values) = model_beyond(store, &mut solver, first, profile, budget) {
                    let start = (fact.clause, State { predicate: fact.target, values });
                    if !found.contains(&start) {
                        found.push(start);
                    }
                }
            }
            if path.length < LONGEST_PATH {
                paths.extend(path.longer(store, problem, cases));
            }
        }
    }
    found
}

/// A path of cases from a fact, as a formula about the start.
struct Path {
    formula: Term,
    /// The variables of its last state.
    end: Vec<Term>,
    predicate: PredicateId,
    length: usize,
}

impl Path {
    /// The paths with one case more.
    fn longer(&self, store: &mut Store, problem: &Problem, cases: &Cases) -> Vec<Path> {
        let mut longer = Vec::new();
        for case in &cases.cases {
            let transition = &problem.transitions[case.transition];
            if transition.source != Some(self.predicate) {
                continue;
            }
            let state = &problem.states[self.predicate.index()];
            let next = &problem.nexts[transition.target.index()];
            let mut others = store.free_variables(&case.literals);
            others.extend(next);
            others.sort_unstable();
            others.dedup();
            others.retain(|variable| !state.contains(variable));
            let fresh: Vec<Term> = others
                .iter()
                .map(|&variable| {
                    let sort = store.sort(variable);
                    store.variable("later", sort)
                })
                .collect();
            let old: Vec<Term> = state.iter().chain(&others).copied().collect();
            let new: Vec<Term> = self.end.iter().chain(&fresh).copied().collect();
            let step = store.and(&case.literals);
            let step = store.rename(step, &old, &new);
            let end = next.iter().map(|&variable| store.rename(variable, &old, &new)).collect();
            let (formula, predicate) = (store.and2(self.formula, step), transition.target);
            longer.push(Path { formula, end, predicate, length: self.length + 1 });
        }
        longer
    }
}

/// Values of variables in a solution in which they are as far away as a profile wishes, where that is possible.
fn model_beyond(
    store: &mut Store,
    solver: &mut Solver<NoProof>,
    variables: &[Term],
    profile: usize,
    budget: &mut Budget,
) -> Option<Vec<Value>> {
    solver.push();
    for (at, &variable) in variables.iter().enumerate() {
        let sort = store.sort(variable);
        if sort == Sort::Bool || profile == 0 {
            continue;
        }
        let bound = wish(profile, at as i64);
        let number = store.numeral(&Rat::from(bound), sort);
        let wish = if bound > 0 { store.ge(variable, number) } else { store.le(variable, number) };
        if budget.within(EFFORT, |part| solver.check_assuming(store, &[wish], part).is_sat()) {
            solver.assert(store, wish);
        }
    }
    let values = budget.within(EFFORT, |part| match solver.check(store, part) {
        Answer::Sat(mut solution) => {
            let model = solution.model();
            let value =
                |&variable: &Term| model.value_or_default(store, store.as_var(variable).expect("a variable"));
            Some(variables.iter().map(value).collect())
        }
        _ => None,
    });
    solver.pop();
    values
}

/// What a variable should be beyond, at the start.
fn wish(profile: usize, at: i64) -> i64 {
    let sign = if at % 2 == 0 { 1 } else { -1 };
    match profile {
        1 => 3 + 2 * at,
        2 => -4 - at,
        3 => sign * (10 + at),
        4 => -sign * (7 + 3 * at),
        _ => 40 - 7 * at.min(5),
    }
}
