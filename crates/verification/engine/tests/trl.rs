//! Transitive relation learning: what is learnt from random loops, answers on random systems, and certificates.

use shem_base::{Budget, Rng, Statistics};
use shem_chc::{Trail, TransitionSystem};
use shem_check::CertificateError;
use shem_check::certificate::{Argument, Exclusion, FiniteDiameter, TransitionCertificate};
use shem_engine::trl::{Direction, Learner, Settings, Trl, Vocabulary};
use shem_engine::{Context, NoEvents, Outcome, TransitionEngine};
use shem_smt::project::eliminate;
use shem_smt::{Answer, Solver};
use shem_term::{Sort, Store, Term};
use shem_test_support::engine::{Found, run_transition};
use shem_test_support::finite::{Finite, is_safe, random_system};
use shem_test_support::{rounds, transition};

/// Every kind of search.
fn engines() -> Vec<(Settings, Trl)> {
    let mut engines = Vec::new();
    for direction in [Direction::Forward, Direction::Backward, Direction::Interleaved] {
        for (divisibility, growth) in [(true, true), (false, true), (true, false)] {
            let settings = Settings { direction, divisibility, growth, ..Settings::default() };
            engines.push((settings.clone(), Trl::new(settings)));
        }
    }
    engines
}

fn run(store: &mut Store, system: &TransitionSystem, engine: &mut Trl) -> Found {
    run_transition(store, system, engine, Budget { conflicts: 20_000, ..Budget::unlimited() }).0
}

/// A random round of a loop over two or three numbers: guards, and for each number a sum, a bound, or nothing.
fn random_round(store: &mut Store, rng: &mut Rng, state: &[Term], next: &[Term]) -> Vec<Term> {
    let sort = store.sort(state[0]);
    let mut literals = Vec::new();
    let sum = |store: &mut Store, rng: &mut Rng| {
        let mut terms = Vec::new();
        for &v in state {
            if rng.chance(50) {
                terms.push((rng.range(-2..=2).into(), v));
            }
        }
        store.linear(&terms, &rng.range(-3..=3).into(), sort)
    };
    let zero = store.numeral(&0.into(), sort);
    for _ in 0..rng.below(3) {
        let guard = sum(store, rng);
        literals.push(if rng.chance(30) { store.lt(guard, zero) } else { store.ge(guard, zero) });
    }
    if sort == Sort::Int && rng.chance(40) {
        let guard = sum(store, rng);
        literals.push(store.divisible(&rng.range(2..=4).into(), guard));
    }
    for (&before, &after) in state.iter().zip(next) {
        let shift = rng.range(-3..=3).into();
        let moved = match rng.below(4) {
            0 => sum(store, rng),
            1 => store.linear(&[(rng.range(-2..=3).into(), before)], &0.into(), sort),
            _ => store.linear(&[(1.into(), before)], &shift, sort),
        };
        literals.push(match rng.below(5) {
            0 => store.ge(after, moved),
            1 => store.lt(after, moved),
            _ => store.eq(after, moved),
        });
    }
    literals.retain(|&literal| literal != Term::TRUE);
    literals
}

#[test]
fn learnt_relations_are_transitive_and_contain_their_round() {
    let limit = || Budget { conflicts: 2_000, pivots: 20_000, splits: 500, ..Budget::unlimited() };
    let (mut learnt, mut judged, mut whole) = (0, 0, 0);
    for seed in 0..rounds(400) {
        let mut rng = Rng::new(seed);
        let mut store = Store::new();
        let sort = if rng.chance(25) { Sort::Real } else { Sort::Int };
        let count = 2 + rng.below(2) as usize;
        let variables = |store: &mut Store, suffix: &str| -> Vec<Term> {
            (0..count).map(|i| store.variable(&format!("x{i}{suffix}"), sort)).collect()
        };
        let (state, next) = (variables(&mut store, ""), variables(&mut store, "'"));
        let round = random_round(&mut store, &mut rng, &state, &next);
        let formula = store.and(&round);
        let mut solver = Solver::new(Default::default());
        solver.assert(&mut store, formula);
        let budget = &mut limit();
        let Answer::Sat(mut solution) = solver.check(&mut store, budget) else { continue };
        let model = solution.model();
        let vocabulary = Vocabulary::new(&mut store, &state, &next);
        let settings = Settings { divisibility: rng.bool(), growth: rng.chance(70), ..Settings::default() };
        let literals: Vec<Term> = store.conjuncts(formula);
        let mut learner = Learner::new(vocabulary.clone(), &settings);
        let relation = learner.learn(&mut store, &literals, &model, budget).expect("a relation");
        learnt += 1;
        let counted = store.and(&relation.literals);
        let Ok(relation_itself) = eliminate(&mut store, &[vocabulary.rounds()], counted, &mut limit()) else {
            continue;
        };
        let covered = store.and(&relation.covered);
        // Coefficients grow under elimination; what takes too long is not judged.
        let refuted = |store: &mut Store, formula: Term| {
            let mut solver = Solver::new(Default::default());
            solver.assert(store, formula);
            match solver.check(store, &mut limit()) {
                Answer::Unsat(_) => Some(true),
                Answer::Sat(_) => Some(false),
                Answer::Unknown(_) => None,
            }
        };
        for &formula in [relation_itself, covered].iter() {
            let value = store.evaluate(formula, &model.completed(&store));
            assert_eq!(
                value.and_then(|v| v.as_bool()),
                Some(true),
                "seed {seed}: the round is in the relation"
            );
        }
        let outside = store.and2(covered, !relation_itself);
        assert_ne!(
            refuted(&mut store, outside),
            Some(false),
            "seed {seed}: what is covered is in the relation"
        );
        let broken = vocabulary.composition(&mut store, relation_itself, relation_itself);
        let transitive = refuted(&mut store, broken);
        assert_ne!(transitive, Some(false), "seed {seed}: the relation is transitive");
        let beyond = store.and2(formula, !relation_itself);
        whole += u64::from(refuted(&mut store, beyond) == Some(true));
        judged += u64::from(transitive == Some(true));
    }
    assert!(learnt > rounds(400) / 2, "{learnt} rounds can be made");
    assert!(judged > learnt * 9 / 10, "{judged} of {learnt} relations are known to be transitive");
    assert!(whole > learnt / 4, "{whole} of {learnt} relations contain all rounds, not one only");
}

#[test]
fn random_finite_systems_are_decided_and_witnessed() {
    let rounds = rounds(60);
    let (mut safe_count, mut decided, mut asked, mut invariants) = (0, 0, 0, 0);
    for seed in 0..rounds {
        let mut rng = Rng::new(seed);
        let mut store = Store::new();
        let (system, safe) = if seed.is_multiple_of(2) {
            let finite = Finite::random(&mut rng);
            (finite.system(&mut store), finite.distance().is_none())
        } else {
            let system = random_system(&mut store, &mut rng, 2, 4);
            let safe = is_safe(&store, &system, 4);
            (system, safe)
        };
        safe_count += u64::from(safe);
        for (settings, mut engine) in engines() {
            asked += 1;
            match run(&mut store, &system, &mut engine) {
                Found::Unknown(_) => continue,
                Found::Unsafe { .. } => assert!(!safe, "seed {seed}: {settings:?}"),
                Found::Safe { invariant } => {
                    assert!(safe, "seed {seed}: {settings:?}");
                    invariants += u64::from(invariant);
                }
            }
            decided += 1;
        }
    }
    assert!(safe_count > rounds / 5 && safe_count < rounds, "both answers occur");
    assert!(decided * 2 > asked, "{decided} of {asked}");
    assert!(invariants > 0);
}

/// A loop of a billion rounds in two phases, which only relations can leap over.
fn phases(store: &mut Store, bad: &str) -> TransitionSystem {
    transition::system(
        store,
        &[("x", Sort::Int), ("y", Sort::Int)],
        "(and (= x 0) (= y 0))",
        "(and (< x 2000000000) (= x.next (+ x 1)) (= y.next (ite (< x 1000000000) (+ y 1) (- y 1))))",
        bad,
    )
}

#[test]
fn phases_of_any_length_are_proven() {
    for direction in [Direction::Forward, Direction::Interleaved] {
        let mut store = Store::new();
        let system = phases(&mut store, "(and (= x 2000000000) (not (= y 0)))");
        let mut engine = Trl::new(Settings { direction, ..Settings::default() });
        assert_eq!(run(&mut store, &system, &mut engine), Found::Safe { invariant: true });
    }
}

/// A number that grows by any even number stays even, which nothing but a divisibility says.
#[test]
fn divisibility_is_needed_for_parity() {
    let mut store = Store::new();
    let mut system = transition::system(
        &mut store,
        &[("x", Sort::Int), ("y", Sort::Int), ("k", Sort::Int)],
        "(and (= x 0) (= y 0))",
        "(and (>= k 1) (= x.next (+ x (* 2 k))) (= y.next (+ y 1)))",
        "(= x 1000001)",
    );
    // k is no part of the state.
    system.state.pop();
    system.next.pop();
    for (divisibility, provable) in [(true, true), (false, false)] {
        let settings = Settings { divisibility, prefix: 0, ..Settings::default() };
        let found = run(&mut store, &system, &mut Trl::new(settings));
        assert_eq!(matches!(found, Found::Safe { .. }), provable, "{found:?}");
    }
}

/// An error that is near is found with its path.
#[test]
fn near_errors_have_paths() {
    let mut store = Store::new();
    let system = phases(&mut store, "(= y 3)");
    for direction in [Direction::Forward, Direction::Backward, Direction::Interleaved] {
        let mut engine = Trl::new(Settings { direction, ..Settings::default() });
        match run(&mut store, &system, &mut engine) {
            Found::Unsafe { steps } => assert_eq!(steps, 3),
            other => panic!("{direction:?}: {other:?}"),
        }
    }
}

/// A certificate for `phases`, written by hand: the first phase, the second one, and that neither is repeated.
fn certificate(store: &mut Store) -> (TransitionSystem, FiniteDiameter) {
    let system = phases(store, "(and (= x 2000000000) (not (= y 0)))");
    let parsed = |store: &mut Store, text: &str| {
        let other = transition::system(store, &[("x", Sort::Int), ("y", Sort::Int)], "true", text, "false");
        let from = [&other.state[..], &other.next[..]].concat();
        let to = [&system.state[..], &system.next[..]].concat();
        store.rename(other.transition, &from, &to)
    };
    let rising = parsed(
        store,
        "(and (< x 1000000000) (> x.next x) (<= x.next 1000000000) (= (- x.next x) (- y.next y)))",
    );
    let falling = parsed(
        store,
        "(and (>= x 1000000000) (> x.next x) (<= x.next 2000000000) (= (- x.next x) (- y y.next)))",
    );
    let older = |rule, formula| Exclusion::Older { rule, formula };
    let each = vec![older(1, rising), older(2, falling)];
    let diameter =
        FiniteDiameter { learnt: vec![rising, falling], known: vec![3; 3], exclusions: vec![each; 3] };
    (system, diameter)
}

fn check(
    store: &mut Store,
    system: &TransitionSystem,
    diameter: FiniteDiameter,
) -> Result<(), CertificateError> {
    let certificate = TransitionCertificate::from(Argument::FiniteDiameter(diameter));
    certificate.check(store, system, &mut Budget::unlimited())
}

#[test]
fn a_right_certificate_is_accepted() {
    let mut store = Store::new();
    let (system, diameter) = certificate(&mut store);
    check(&mut store, &system, diameter).expect("a right certificate");
}

#[test]
fn forged_certificates_are_refused() {
    type Forgery = fn(&mut Store, &mut TransitionSystem, &mut FiniteDiameter);
    let forgeries: &[(&str, Forgery)] = &[
        ("another transition", |_, system, _| system.transition = Term::TRUE),
        ("another system", |store, system, _| {
            let zero = store.int(0);
            system.bad = store.gt(system.state[1], zero);
        }),
        ("a rule that is missing where it is needed", |_, _, c| c.known[1] = 2),
        ("no rules", |_, _, c| c.known[0] = 0),
        ("a step too few", |_, _, c| {
            c.known.pop();
            c.exclusions.pop();
        }),
        ("no steps at all", |_, _, c| {
            c.known.clear();
            c.exclusions.clear();
        }),
        ("a step that is not described", |_, _, c| {
            c.exclusions.pop();
        }),
        ("a rule with fewer pairs than are excluded", |store, system, c| {
            let one = store.int(1_000);
            let small = store.le(system.next[0], one);
            c.learnt[0] = store.and2(c.learnt[0], small);
        }),
        ("everything is excluded", |_, _, c| {
            c.exclusions[2].push(Exclusion::Longer { first: 0, rule: 1, formula: Term::TRUE });
        }),
        ("several steps that are one", |_, _, c| {
            let formula = c.learnt[0];
            c.exclusions[1].push(Exclusion::Longer { first: 1, rule: 1, formula });
        }),
        ("a rule that is not transitive", |store, system, c| {
            let sum = store.linear(&[(1.into(), system.state[0])], &1.into(), Sort::Int);
            let single = store.eq(system.next[0], sum);
            for rule in 1..3 {
                c.learnt[rule - 1] = store.and2(c.learnt[rule - 1], single);
                let formula = c.learnt[rule - 1];
                for exclusions in &mut c.exclusions {
                    exclusions[rule - 1] = Exclusion::Older { rule, formula };
                }
            }
        }),
        ("an exclusion about something else", |store, _, c| {
            let p = store.variable("p", Sort::Bool);
            let formula = store.and2(c.learnt[0], p);
            c.exclusions[0].push(Exclusion::Older { rule: 1, formula });
        }),
    ];
    for (what, forge) in forgeries {
        let mut store = Store::new();
        let (mut system, mut forged) = certificate(&mut store);
        forge(&mut store, &mut system, &mut forged);
        match check(&mut store, &system, forged) {
            Err(CertificateError::Wrong(_)) => {}
            other => panic!("{what}: {other:?}"),
        }
    }
}

/// Which counter grows is chosen in each step, and only one number of steps of each kind is bad: what relations have
/// reached tells which word comes when, and up to which state.
#[test]
fn what_relations_reach_is_run() {
    let xy = [("x", Sort::Int), ("y", Sort::Int)];
    let step = "(or (and (= x.next (+ x 1)) (= y.next y)) (and (= x.next x) (= y.next (+ y 3))))";
    for (x, y, is_bad) in [(50_000, 2_100_000, true), (1_000_000_000, 30_000, true), (7, 1_000_000, false)] {
        for direction in [Direction::Forward, Direction::Backward, Direction::Interleaved] {
            let mut store = Store::new();
            let bad = format!("(and (= x {x}) (= y {y}))");
            let system = transition::system(&mut store, &xy, "(and (= x 0) (= y 0))", step, &bad);
            let mut engine = Trl::new(Settings { direction, ..Settings::default() });
            let mut context = Context {
                budget: Budget::unlimited(),
                seed: 1,
                witness: true,
                events: &mut NoEvents,
                statistics: Statistics::new(),
            };
            match engine.solve(&mut store, &system, &mut context) {
                Outcome::Unsafe(witness) if is_bad => {
                    let path = witness.get(&mut store, &mut Budget::unlimited()).expect("a path");
                    let Trail::Rounds(path) = path else { panic!("it is not listed") };
                    assert_eq!(path.step_count(), x + y / 3 + 1, "{direction:?}");
                    assert!(path.len() < 1000, "{direction:?}: {} steps", path.len());
                }
                Outcome::Safe(_) if !is_bad => {}
                other => panic!("{direction:?}, {x}, {y}: {other:?}"),
            }
        }
    }
}

/// Relations reach a bad state that no run does. Runs cost a share of what the searches do, also where a run never
/// repeats itself.
#[test]
fn runs_cost_a_share_of_the_work() {
    let xyz = [("x", Sort::Int), ("y", Sort::Int), ("z", Sort::Int)];
    let mut runs = Vec::new();
    for (initial, step, bad) in [
        (
            "(and (= x 0) (>= y 0) (= z 0))",
            "(and (= x.next (+ x 1)) (= y.next y) (= z.next (ite (= y (div x 1000)) (+ z 1) z)))",
            "(and (> x (* 1000 (+ 1 y))) (not (= z 1000)))",
        ),
        (
            "(and (= x 1) (= y 0) (= z 0))",
            "(and (= x.next (mod (+ (* 5003 x) 12345) 1000003)) (= y.next (+ y 1)) (= z.next (ite (< x 500000) (+ z 2) z)))",
            "(> z (* 2 y))",
        ),
        (
            "(and (= x 1) (= y 1) (= z 0))",
            "(and (= x.next (* 3 x)) (= y.next (+ y x)) (= z.next (+ z 1)))",
            "(or (= (mod x 2) 0) (< y z))",
        ),
    ] {
        let mut store = Store::new();
        let system = transition::system(&mut store, &xyz, initial, step, bad);
        let mut context = Context {
            budget: Budget { conflicts: 1_000, pivots: 20_000, splits: 1_000, ..Budget::unlimited() },
            seed: 1,
            witness: true,
            events: &mut NoEvents,
            statistics: Statistics::new(),
        };
        let outcome = Trl::default().solve(&mut store, &system, &mut context);
        assert!(!matches!(outcome, Outcome::Unsafe(_)), "{step}");
        let count = |name: &str| context.statistics.count(name);
        let searched = count("forwards.work") + count("backwards.work");
        runs.push((count("runs"), count("runs.work")));
        // The last run may end a little beyond what is allowed.
        assert!(
            count("runs.work") <= 1_200_000 + 10 * searched,
            "{step}: {} of {searched}",
            count("runs.work")
        );
    }
    // Most of a run of the first system would be jumps by words of a thousand steps, for ever.
    let (count, work) = runs[0];
    assert!(count > 0 && work < 200_000, "{runs:?}");
}
