//! Graphs of several loops: known ones, and random finite ones whose answer is found by visiting all states.
//! Witnesses are judged on the system as read, certificates by themselves.

use std::collections::BTreeSet;
use std::fmt::Write;

use shem_base::{Budget, Rng, Statistics, StopToken};
use shem_chc::{EdgeId, Model, Script, Shape, normalise};
use shem_check::{Validity, check_derivation, check_model};
use shem_engine::tpa::{DagTpa, StepOrder, Tpa, TpaSettings};
use shem_engine::{Context, Engine, NoEvents, Outcome, Reason};
use shem_term::Store;

/// What was found out, with a witness that was accepted.
#[derive(Debug, PartialEq)]
enum Found {
    Safe { model: bool },
    Unsafe { steps: usize },
    Unknown(Reason),
}

fn run(text: &str, engine: Tpa, conflicts: u64) -> Found {
    let mut store = Store::new();
    let script = Script::read(&mut store, text, &StopToken::new()).expect("a script");
    let system = &script.system;
    let graph = normalise(&mut store, system);
    assert!(matches!(Shape::of(&graph), Shape::Dag | Shape::TransitionSystem), "{text}");
    let mut context = Context {
        budget: Budget { conflicts, ..Budget::unlimited() },
        seed: 1,
        witness: true,
        events: &mut NoEvents,
        statistics: Statistics::new(),
    };
    let free = &mut Budget::unlimited();
    match DagTpa::new(engine).solve(&mut store, &graph, &mut context) {
        Outcome::Unknown(reason) => Found::Unknown(reason),
        Outcome::Unsafe(witness) => {
            let derivation = witness.get(&mut store, free).expect("a derivation");
            let steps = derivation.step_count() as usize;
            let derivation = derivation.map_rules(EdgeId::clause);
            assert_eq!(check_derivation(&mut store, system, &derivation, free), Validity::Valid, "{text}");
            Found::Unsafe { steps }
        }
        Outcome::Safe(proven) => {
            if let Some(certificate) = proven.certificate {
                assert_eq!(certificate.check(&mut store, &graph, free), Ok(()), "{text}");
            }
            let interpretation = proven.witness.get(&mut store, free);
            if let Ok(interpretation) = &interpretation {
                let model = Model::of(&graph, interpretation, system.predicates.len());
                assert_eq!(check_model(&mut store, system, &model, free), Validity::Valid, "{text}");
            }
            Found::Safe { model: interpretation.is_ok() }
        }
    }
}

fn engines() -> [Tpa; 2] {
    [Tpa::new(TpaSettings::default()), Tpa::split(TpaSettings::default())]
}

/// A loop that counts to n, and one that counts back; the sum of both counters is kept.
fn there_and_back(n: u32, bad: &str) -> String {
    format!(
        "(set-logic HORN)
        (declare-fun up (Int Int) Bool)
        (declare-fun down (Int Int) Bool)
        (assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y {n})) (up x y))))
        (assert (forall ((x Int) (y Int)) (=> (and (up x y) (< x {n})) (up (+ x 1) (- y 1)))))
        (assert (forall ((x Int) (y Int)) (=> (and (up x y) (>= x {n})) (down x y))))
        (assert (forall ((x Int) (y Int)) (=> (and (down x y) (> x 0)) (down (- x 1) (+ y 1)))))
        (assert (forall ((x Int) (y Int)) (=> (and (down x y) (<= x 0) {bad}) false)))"
    )
}

#[test]
fn chains_of_loops() {
    for engine in engines() {
        for n in [1, 7, 100] {
            // The fact, n steps, the edge, n steps, the query.
            let found = run(&there_and_back(n, &format!("(= y {n})")), engine.clone(), u64::MAX);
            assert_eq!(found, Found::Unsafe { steps: 2 * n as usize + 3 });
        }
        // That the sum is kept: two sequences say by how much exactly so many steps change each counter. With one
        // sequence, a proof says of a path only that one of the counters is out of step with its length, and
        // as many lengths have to be excluded as there are.
        let lengths: &[u32] = if engine.is_split() { &[1, 7, 100, 1000] } else { &[1, 2, 7] };
        for &n in lengths {
            let found = run(&there_and_back(n, &format!("(> y {n})")), engine.clone(), 50_000);
            assert!(matches!(found, Found::Safe { .. }), "{n}: {found:?}");
        }
    }
}

#[test]
fn branches_come_together() {
    // Two ways from the first loop to the last; only one of them is bad, and only if taken late.
    let text = |limit: u32| {
        format!(
            "(set-logic HORN)
            (declare-fun a (Int Int) Bool)
            (declare-fun b (Int Int) Bool)
            (declare-fun c (Int Int) Bool)
            (declare-fun d (Int Int) Bool)
            (assert (forall ((y Int)) (=> (>= y 0) (a 0 y))))
            (assert (forall ((x Int) (y Int)) (=> (and (a x y) (< x 20)) (a (+ x 1) y))))
            (assert (forall ((x Int) (y Int)) (=> (and (a x y) (< x 10)) (b x y))))
            (assert (forall ((x Int) (y Int)) (=> (and (a x y) (>= x 10)) (c x y))))
            (assert (forall ((x Int) (y Int)) (=> (b x y) (d x (+ y 1)))))
            (assert (forall ((x Int) (y Int)) (=> (c x y) (d x (- y 1)))))
            (assert (forall ((x Int) (y Int)) (=> (and (d x y) (< y 30)) (d x (+ y 1)))))
            (assert (forall ((x Int) (y Int)) (=> (and (d x y) (< y 0) (> x {limit})) false)))"
        )
    };
    for engine in engines() {
        assert!(matches!(run(&text(15), engine.clone(), u64::MAX), Found::Unsafe { .. }));
        let found = run(&text(20), engine, 50_000);
        assert!(matches!(found, Found::Safe { model: true }), "{found:?}");
    }
}

const SIZE: i64 = 4;

struct Step {
    /// `None` for the fact or the query.
    from: Option<usize>,
    to: Option<usize>,
    guard: (i64, i64, i64),
    change: (i64, i64),
}

struct Finite {
    vertices: usize,
    steps: Vec<Step>,
}

impl Finite {
    fn random(rng: &mut Rng) -> Finite {
        let vertices = 2 + rng.index(3);
        let mut steps = Vec::new();
        let mut step = |rng: &mut Rng, from: Option<usize>, to: Option<usize>| {
            let guard = (rng.range(-1..=1), rng.range(-1..=1), rng.range(-2..=3));
            steps.push(Step { from, to, guard, change: (rng.range(-1..=1), rng.range(-1..=1)) });
        };
        step(rng, None, Some(0));
        for v in 0..vertices {
            for _ in 0..rng.index(3) {
                step(rng, Some(v), Some(v));
            }
            if v > 0 {
                let from = rng.index(v);
                step(rng, Some(from), Some(v));
                if rng.chance(30) {
                    let from = rng.index(v);
                    step(rng, Some(from), Some(v));
                }
            }
        }
        step(rng, Some(vertices - 1), None);
        if rng.chance(30) {
            let from = rng.index(vertices);
            step(rng, Some(from), None);
        }
        Finite { vertices, steps }
    }

    fn is_unsafe(&self) -> bool {
        let all = (0..SIZE).flat_map(|x| (0..SIZE).map(move |y| (x, y)));
        let mut seen: BTreeSet<(usize, i64, i64)> = BTreeSet::new();
        let mut todo: Vec<(Option<usize>, i64, i64)> = all.map(|(x, y)| (None, x, y)).collect();
        while let Some((vertex, x, y)) = todo.pop() {
            for step in self.steps.iter().filter(|step| step.from == vertex) {
                let (p, q, c) = step.guard;
                let next = (x + step.change.0, y + step.change.1);
                if p * x + q * y < c || ![next.0, next.1].iter().all(|v| (0..SIZE).contains(v)) {
                    continue;
                }
                match step.to {
                    None => return true,
                    Some(to) if seen.insert((to, next.0, next.1)) => todo.push((Some(to), next.0, next.1)),
                    Some(_) => {}
                }
            }
        }
        false
    }

    fn text(&self) -> String {
        let mut text = "(set-logic HORN)\n".to_owned();
        for v in 0..self.vertices {
            writeln!(text, "(declare-fun p{v} (Int Int) Bool)").unwrap();
        }
        for step in &self.steps {
            let (p, q, c) = step.guard;
            let number = |n: i64| if n < 0 { format!("(- {})", -n) } else { n.to_string() };
            let (p, q, c) = (number(p), number(q), number(c));
            let (a, b) = (number(step.change.0), number(step.change.1));
            let mut body = format!(
                "(>= (+ (* {p} x) (* {q} y)) {c}) (= u (+ x {a})) (= v (+ y {b})) (<= 0 u) (< u {SIZE}) (<= 0 v) (< v {SIZE})"
            );
            match step.from {
                Some(v) => write!(body, " (p{v} x y)").unwrap(),
                None => write!(body, " (<= 0 x) (< x {SIZE}) (<= 0 y) (< y {SIZE})").unwrap(),
            }
            let head = step.to.map_or("false".to_owned(), |v| format!("(p{v} u v)"));
            writeln!(text, "(assert (forall ((x Int) (y Int) (u Int) (v Int)) (=> (and {body}) {head})))")
                .unwrap();
        }
        text
    }
}

#[test]
fn answers_agree_with_a_visit_of_all_states() {
    let mut rng = Rng::new(23);
    let (mut safe, mut models, mut unsafes, mut unknown) = (0, 0, 0, 0);
    for round in 0..80 {
        let finite = Finite::random(&mut rng);
        let is_unsafe = finite.is_unsafe();
        let settings = TpaSettings {
            base: 2 + rng.index(2),
            step_order: *rng.pick(&[StepOrder::LessFirst, StepOrder::EqualFirst]),
            use_qe: rng.chance(20),
            ..TpaSettings::default()
        };
        for engine in [Tpa::new(settings.clone()), Tpa::split(settings.clone())] {
            match run(&finite.text(), engine, 20_000) {
                Found::Safe { model } => {
                    assert!(!is_unsafe, "round {round}\n{}", finite.text());
                    safe += 1;
                    models += usize::from(model);
                }
                Found::Unsafe { .. } => {
                    assert!(is_unsafe, "round {round}\n{}", finite.text());
                    unsafes += 1;
                }
                Found::Unknown(_) => unknown += 1,
            }
        }
    }
    assert!(safe > 20 && unsafes > 20, "{safe} safe, {unsafes} unsafe");
    assert!(unknown <= 8, "{unknown} unknown");
    assert!(models * 10 > 9 * safe, "{models} models of {safe}");
}
