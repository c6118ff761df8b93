//! Engines on transition systems: small systems with known answers, and random finite ones whose answer is
//! found by visiting all states. Every witness is judged.

use std::collections::BTreeSet;

use shem_base::{Budget, Rng, Statistics};
use shem_chc::{Path, TransitionSystem};
use shem_engine::pdkind::{Depth, Order, PdKind, Settings, Unroller};
use shem_engine::{
    Context, Imc, ImcSettings, Kind, KindSettings, NoEvents, Outcome, TransitionEngine, TransitionVerdict,
};
use shem_smt::Solver;
use shem_smt::interpolate::{InterpolationSystem, ItpOptions, TheoryRule};
use shem_term::{Sort, Store, Symbol, Term, Value};

/// PD-KIND with the plainest engine of reachability.
struct Plain;

impl TransitionEngine for Plain {
    fn name(&self) -> &'static str {
        "pdkind with unrolling"
    }

    fn solve(
        &mut self,
        store: &mut Store,
        system: &TransitionSystem,
        context: &mut Context<'_>,
    ) -> TransitionVerdict {
        let mut unroller = Unroller::new(store, system);
        PdKind::default().solve_with(store, system, &mut unroller, context)
    }
}

fn pdkind(theory: TheoryRule, depth: Depth, order: Order) -> Box<dyn TransitionEngine> {
    let interpolation = ItpOptions { theory, ..ItpOptions::default() };
    Box::new(PdKind::new(Settings { interpolation, depth, order }))
}

/// Engines that decide every finite system.
fn engines() -> Vec<Box<dyn TransitionEngine>> {
    let imc = |theory| {
        Box::new(Imc::new(ImcSettings { interpolation: ItpOptions { theory, ..ItpOptions::default() } }))
    };
    vec![
        Box::new(Kind::new(KindSettings { simple_paths: true })),
        imc(TheoryRule::Farkas),
        imc(TheoryRule::DualDecomposed),
        pdkind(TheoryRule::Farkas, Depth::One, Order::Newest),
        pdkind(TheoryRule::DualFarkas, Depth::Level(3), Order::Oldest),
        pdkind(TheoryRule::Decomposed, Depth::Level(usize::MAX), Order::Newest),
        pdkind(TheoryRule::DualDecomposed, Depth::Level(2), Order::Newest),
        Box::new(Plain),
    ]
}

fn context(events: &mut NoEvents, budget: Budget) -> Context<'_> {
    Context { budget, seed: 0, witness: true, events, statistics: Statistics::new() }
}

/// Runs an engine and judges its witness; the answer, unless it is unknown.
fn run(store: &mut Store, system: &TransitionSystem, engine: &mut dyn TransitionEngine) -> Option<bool> {
    run_within(store, system, engine, Budget { conflicts: 200_000, ..Budget::unlimited() })
}

fn run_within(
    store: &mut Store,
    system: &TransitionSystem,
    engine: &mut dyn TransitionEngine,
    budget: Budget,
) -> Option<bool> {
    let mut events = NoEvents;
    let mut context = context(&mut events, budget);
    match engine.solve(store, system, &mut context) {
        Outcome::Safe(proven) => {
            let budget = &mut Budget::unlimited();
            if let Some(certificate) = &proven.certificate {
                certificate.check(store, budget).unwrap_or_else(|e| panic!("{}: {e}", engine.name()));
            }
            let invariant =
                proven.witness.get(store, budget).unwrap_or_else(|e| panic!("{}: {e}", engine.name()));
            judge_invariant(store, system, invariant, engine.name());
            Some(true)
        }
        Outcome::Unsafe(proven) => {
            let path = proven.witness.get(store, &mut Budget::unlimited()).expect("a path");
            judge_path(store, system, &path, engine.name());
            Some(false)
        }
        Outcome::Unknown(_) => None,
    }
}

fn unsatisfiable(store: &mut Store, formulas: &[Term]) -> bool {
    let mut solver = Solver::new(Default::default());
    for &formula in formulas {
        solver.assert(store, formula);
    }
    solver.check(store, &mut Budget::unlimited()).is_unsat()
}

fn rename(store: &mut Store, term: Term, from: &[Term], to: &[Term]) -> Term {
    let mut substitution = shem_term::Substitution::new();
    for (&variable, &by) in from.iter().zip(to) {
        substitution.insert(store.as_var(variable).unwrap(), by);
    }
    store.substitute(term, &substitution)
}

fn judge_invariant(store: &mut Store, system: &TransitionSystem, invariant: Term, name: &str) {
    let foreign = store.free_variables(&[invariant]).into_iter().find(|v| !system.state.contains(v));
    assert_eq!(foreign, None, "{name}: a foreign variable");
    assert!(unsatisfiable(store, &[system.initial, !invariant]), "{name}: initial states outside");
    assert!(unsatisfiable(store, &[system.bad, invariant]), "{name}: bad states inside");
    let next = rename(store, invariant, &system.state, &system.next);
    assert!(unsatisfiable(store, &[invariant, system.transition, !next]), "{name}: not inductive");
}

fn equations(store: &mut Store, variables: &[Term], values: &[Value]) -> Vec<Term> {
    let equation = |(&variable, value): (&Term, &Value)| match value {
        Value::Bool(truth) => variable.xor(!truth),
        Value::Num(number) => {
            let sort = store.sort(variable);
            let number = store.numeral(number, sort);
            store.eq(variable, number)
        }
    };
    variables.iter().zip(values).map(equation).collect()
}

fn judge_path(store: &mut Store, system: &TransitionSystem, path: &Path, name: &str) {
    let mut first = equations(store, &system.state, &path[0]);
    first.push(system.initial);
    assert!(!unsatisfiable(store, &first), "{name}: the path does not begin in an initial state");
    for pair in path.windows(2) {
        let mut step = equations(store, &system.state, &pair[0]);
        step.extend(equations(store, &system.next, &pair[1]));
        step.push(system.transition);
        assert!(!unsatisfiable(store, &step), "{name}: not a step");
    }
    let mut last = equations(store, &system.state, path.last().unwrap());
    last.push(system.bad);
    assert!(!unsatisfiable(store, &last), "{name}: the path does not end in a bad state");
}

/// A random system over `count` integers from 0 to `most`, with an auxiliary in the transition.
fn random_system(store: &mut Store, rng: &mut Rng, count: usize, most: i64) -> TransitionSystem {
    let state: Vec<Term> = (0..count).map(|i| store.variable(&format!("x{i}"), Sort::Int)).collect();
    let next: Vec<Term> = (0..count).map(|i| store.variable(&format!("y{i}"), Sort::Int)).collect();
    let flag = store.variable("flag", Sort::Bool);
    let mut branches = Vec::new();
    for branch in 0..2 {
        let mut parts = vec![flag.xor(branch == 0)];
        let guarded = state[rng.below(count as u64) as usize];
        let bound = store.int(rng.below(most as u64 + 1) as i64);
        parts.push(if rng.below(2) == 0 { store.le(guarded, bound) } else { store.ge(guarded, bound) });
        for &y in &next {
            let from = state[rng.below(count as u64) as usize];
            let shift = rng.below(5) as i64 - 2;
            let sum = store.linear(&[(1.into(), from)], &shift.into(), Sort::Int);
            parts.push(store.eq(y, sum));
        }
        branches.push(store.and(&parts));
    }
    let mut parts = vec![store.or(&branches)];
    let (zero, top) = (store.int(0), store.int(most));
    for &variable in &next {
        parts.push(store.ge(variable, zero));
        parts.push(store.le(variable, top));
    }
    let transition = store.and(&parts);
    let start: Vec<Value> =
        (0..count).map(|_| Value::Num((rng.below(most as u64 + 1) as i64).into())).collect();
    let initial = equations(store, &state, &start);
    let initial = store.and(&initial);
    let parity = store.linear(&[(1.into(), state[0]), (1.into(), state[count - 1])], &0.into(), Sort::Int);
    let threshold = store.int(most + rng.below(most as u64) as i64);
    let bad = if rng.below(3) == 0 {
        let goal: Vec<Value> =
            (0..count).map(|_| Value::Num((rng.below(most as u64 + 1) as i64).into())).collect();
        let goal = equations(store, &state, &goal);
        store.and(&goal)
    } else {
        store.ge(parity, threshold)
    };
    TransitionSystem { state, next, initial, transition, bad }
}

/// Whether no bad state is reached, by visiting all states.
fn explore(store: &Store, system: &TransitionSystem, most: i64) -> bool {
    let count = system.state.len();
    let all: Vec<Vec<i64>> = (0..(most + 1).pow(count as u32))
        .map(|mut code| {
            (0..count)
                .map(|_| {
                    let digit = code % (most + 1);
                    code /= most + 1;
                    digit
                })
                .collect()
        })
        .collect();
    let flag = store.free_variables(&[system.transition]);
    let flag = flag.into_iter().find(|&v| store.sort(v) == Sort::Bool);
    let holds = |formula: Term, here: &[i64], there: &[i64], choice: bool| {
        let value = |symbol: Symbol| {
            let place = |list: &[Term]| list.iter().position(|&v| store.as_var(v) == Some(symbol));
            if flag.and_then(|f| store.as_var(f)) == Some(symbol) {
                return Some(Value::Bool(choice));
            }
            let number = place(&system.state).map(|i| here[i]).or(place(&system.next).map(|i| there[i]));
            number.map(|n| Value::Num(n.into()))
        };
        store.evaluate(formula, &value) == Some(Value::Bool(true))
    };
    let mut seen: BTreeSet<Vec<i64>> =
        all.iter().filter(|s| holds(system.initial, s, s, false)).cloned().collect();
    let mut work: Vec<Vec<i64>> = seen.iter().cloned().collect();
    while let Some(here) = work.pop() {
        if holds(system.bad, &here, &here, false) {
            return false;
        }
        for there in &all {
            let step = [false, true].iter().any(|&choice| holds(system.transition, &here, there, choice));
            if step && seen.insert(there.clone()) {
                work.push(there.clone());
            }
        }
    }
    true
}

#[test]
fn random_finite_systems_are_decided_and_witnessed() {
    let rounds: u64 = std::env::var("SHEM_ROUNDS").ok().and_then(|s| s.parse().ok()).unwrap_or(60);
    let mut answers = [0; 2];
    let mut unknown = 0;
    for seed in 0..rounds {
        let mut rng = Rng::new(seed);
        let mut store = Store::new();
        let (count, most) = if seed.is_multiple_of(2) { (1, 12) } else { (2, 4) };
        let system = random_system(&mut store, &mut rng, count, most);
        let safe = explore(&store, &system, most);
        answers[usize::from(safe)] += 1;
        for mut engine in engines() {
            match run(&mut store, &system, engine.as_mut()) {
                Some(answer) => assert_eq!(answer, safe, "seed {seed}: {}", engine.name()),
                None => unknown += 1,
            }
        }
    }
    assert!(answers[0] > 5 && answers[1] > 5, "both answers occur");
    assert!(unknown * 20 <= rounds * 8, "{unknown} answers are missing");
}

/// x = 0; x' = x + 2 while x < bound; bad: x = odd.
#[test]
fn a_counter_in_steps_of_two_is_never_odd() {
    let mut store = Store::new();
    let x = store.variable("x", Sort::Int);
    let y = store.variable("x'", Sort::Int);
    let zero = store.int(0);
    let initial = store.eq(x, zero);
    let step = store.linear(&[(1.into(), x)], &2.into(), Sort::Int);
    let transition = store.eq(y, step);
    let seven = store.int(7);
    let bad = store.eq(x, seven);
    let system = TransitionSystem { state: vec![x], next: vec![y], initial, transition, bad };
    let mut engine = pdkind(TheoryRule::Decomposed, Depth::Level(usize::MAX), Order::Newest);
    assert_eq!(run(&mut store, &system, engine.as_mut()), Some(true));
    assert_eq!(run(&mut store, &system, &mut Imc::default()), Some(true));
}

/// Every run from an initial state comes by another initial state or ends, while from bad states one can go
/// back for ever through good ones: a case for the search forwards.
#[test]
fn k_induction_works_in_both_directions() {
    let mut store = Store::new();
    let [a, b, c, d, e, f] = ["a", "b", "c", "a'", "b'", "c'"].map(|n| store.variable(n, Sort::Real));
    let zero = store.real(0);
    let starts = [store.gt(a, zero), store.gt(b, a), store.gt(c, a)];
    let initial = store.and(&starts);
    let minus_one = |store: &mut Store, x| store.linear(&[(1.into(), x)], &(-1).into(), Sort::Real);
    let (fewer_a, fewer_b, fewer_c) =
        (minus_one(&mut store, a), minus_one(&mut store, b), minus_one(&mut store, c));
    let usual = [store.gt(c, zero), store.eq(f, fewer_c), store.eq(e, b)];
    let other = [store.le(c, zero), store.gt(f, d), store.eq(e, fewer_b)];
    let (usual, other) = (store.and(&usual), store.and(&other));
    let steps = [store.gt(a, zero), store.eq(d, fewer_a), store.or2(usual, other)];
    let transition = store.and(&steps);
    let wrong = [store.gt(a, zero), store.lt(b, zero)];
    let bad = store.and(&wrong);
    let system = TransitionSystem { state: vec![a, b, c], next: vec![d, e, f], initial, transition, bad };
    for simple_paths in [false, true] {
        let mut engine = Kind::new(KindSettings { simple_paths });
        assert_eq!(run(&mut store, &system, &mut engine), Some(true));
    }
}

/// Real x, y from 0: x grows by y, y by one; x never gets negative. Induction of depth one needs y >= 0. The
/// states of x + y < 0 are excluded by the initial ones because of x >= 0 and y >= 0. The Farkas interpolant adds
/// the two up, x + y >= 0, and what is learnt from its failure to be inductive has the same flaw, without end;
/// decomposed, they are two conjuncts, of which one is what is needed. McMillan's system by symbols shows no
/// difference: the equations of the initial states are over symbols that both sides have, so they count to B, no
/// sum is made of them, and the interpolant is x = 0 and y = 0 whatever the rule.
#[test]
fn decomposed_interpolants_prove_the_motivating_example() {
    let mut store = Store::new();
    let [x, y, u, v] = ["x", "y", "x'", "y'"].map(|name| store.variable(name, Sort::Real));
    let zero = store.real(0);
    let starts = [store.eq(x, zero), store.eq(y, zero)];
    let initial = store.and(&starts);
    let sum = store.add(&[x, y]);
    let increment = store.linear(&[(1.into(), y)], &1.into(), Sort::Real);
    let steps = [store.eq(u, sum), store.eq(v, increment)];
    let transition = store.and(&steps);
    let bad = store.lt(x, zero);
    let system = TransitionSystem { state: vec![x, y], next: vec![u, v], initial, transition, bad };
    let mut solve = |proofs, theory| {
        let interpolation = ItpOptions { system: proofs, theory, ..ItpOptions::default() };
        let mut engine = PdKind::new(Settings { interpolation, depth: Depth::One, order: Order::Newest });
        run_within(&mut store, &system, &mut engine, Budget { pivots: 3_000, ..Budget::unlimited() })
    };
    assert_eq!(solve(InterpolationSystem::Occurrence, TheoryRule::Decomposed), Some(true));
    assert_eq!(solve(InterpolationSystem::Occurrence, TheoryRule::Farkas), None);
    assert_eq!(solve(InterpolationSystem::McMillan, TheoryRule::Farkas), Some(true));
}
