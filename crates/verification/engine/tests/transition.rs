//! Engines on transition systems: small systems with known answers, and random finite ones whose answer is
//! found by visiting all states. Every witness is judged.

use shem_base::{Budget, Rng};
use shem_chc::TransitionSystem;
use shem_engine::pdkind::{Depth, Order, PdKind, Settings, Unroller};
use shem_engine::{
    Context, Imc, ImcSettings, Kind, KindSettings, Scope, TransitionEngine, TransitionVerdict,
};
use shem_smt::interpolate::{InterpolationSystem, ItpOptions, TheoryRule};
use shem_term::{Sort, Store};
use shem_test_support::engine::{Found, run_transition};
use shem_test_support::finite::{is_safe, random_system};
use shem_test_support::rounds;

/// PD-KIND with the plainest engine of reachability.
struct Plain;

impl TransitionEngine for Plain {
    fn scope(&self) -> Scope {
        Scope { name: "pdkind with unrolling", ..PdKind::default().scope() }
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
    match run_transition(store, system, engine, budget).0 {
        Found::Safe { invariant } => {
            assert!(invariant, "{} has an invariant", engine.scope().name);
            Some(true)
        }
        Found::Unsafe { .. } => Some(false),
        Found::Unknown(_) => None,
    }
}

#[test]
fn random_finite_systems_are_decided_and_witnessed() {
    let rounds = rounds(60);
    let mut answers = [0; 2];
    let mut unknown = 0;
    for seed in 0..rounds {
        let mut rng = Rng::new(seed);
        let mut store = Store::new();
        let (count, most) = if seed.is_multiple_of(2) { (1, 12) } else { (2, 4) };
        let system = random_system(&mut store, &mut rng, count, most);
        let safe = is_safe(&store, &system, most);
        answers[usize::from(safe)] += 1;
        for mut engine in engines() {
            match run(&mut store, &system, engine.as_mut()) {
                Some(answer) => assert_eq!(answer, safe, "seed {seed}: {}", engine.scope().name),
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
