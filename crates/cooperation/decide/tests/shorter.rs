//! Shorter derivations: of which length they are, and that the judge takes them.

use shem_base::{Budget, StopToken};
use shem_chc::{ClauseId, Derivation, Script, StepId, System};
use shem_check::{Validity, check_derivation};
use shem_decide::{Shortening, ShorterDerivation, shorter_derivation};
use shem_term::{Store, Value};

/// A step by hand: the number of the clause, those of the premises, the arguments.
type ByHand<'a> = (usize, &'a [usize], Vec<i64>);

fn read(store: &mut Store, text: &str) -> System {
    let script = Script::read(store, text, &StopToken::new()).expect("a system");
    (**script.first_system()).clone()
}

fn derivation<'a>(steps: impl IntoIterator<Item = ByHand<'a>>) -> Derivation<ClauseId> {
    let mut derivation = Derivation::new();
    for (clause, premises, values) in steps {
        let premises: Vec<StepId> = premises.iter().map(|&at| StepId::new(at)).collect();
        let values = values.into_iter().map(|value| Value::Num(value.into()));
        derivation.push(ClauseId::new(clause), &premises, values);
    }
    derivation
}

/// Shortens a derivation, and has both judged.
fn shorten(
    store: &mut Store,
    system: &System,
    found: &Derivation<ClauseId>,
    shortening: Shortening,
) -> ShorterDerivation {
    let mut judge =
        |derivation| check_derivation(store, system, derivation, &mut Budget::unlimited()) == Validity::Valid;
    assert!(judge(found), "the derivation by hand is one");
    let shorter = shorter_derivation(store, system, found, shortening, &StopToken::new());
    if let Some(derivation) = &shorter.derivation {
        assert_eq!(derivation.step_count(), shorter.left);
        let validity = check_derivation(store, system, derivation, &mut Budget::unlimited());
        assert_eq!(validity, Validity::Valid);
    }
    assert_eq!(shorter.found, found.step_count());
    shorter
}

/// The greatest absolute value of a number in a derivation.
fn greatest(derivation: &Derivation<ClauseId>) -> i64 {
    let numbers = derivation.steps().flat_map(|(_, step)| step.values.to_vec()).map(|value| match value {
        Value::Num(number) => {
            number.to_int().and_then(|number| number.to_i64()).expect("a small integer").abs()
        }
        _ => 0,
    });
    numbers.max().unwrap_or(0)
}

const COUNTER: &str = "(declare-fun p (Int) Bool)
    (assert (forall ((x Int)) (=> (>= x START) (p x))))
    (assert (forall ((x Int)) (=> (p x) (p (+ x 1)))))
    (assert (forall ((x Int)) (=> (and (p x) (> x 500)) false)))";

/// A run of 502 steps where two are enough, and another that cannot be shorter.
#[test]
fn linear_derivations_become_the_shortest() {
    for (text, start, least) in
        [(COUNTER.replace("START", "0"), 0, 2), (COUNTER.replace("(>= x START)", "(= x 490)"), 490, 13)]
    {
        let mut store = Store::new();
        let system = read(&mut store, &text);
        let premises: Vec<[usize; 1]> = (0..502).map(|at| [at]).collect();
        let mut steps: Vec<ByHand<'_>> = vec![(0, &[], vec![start])];
        for x in start + 1..=501 {
            steps.push((1, &premises[steps.len() - 1], vec![x]));
        }
        steps.push((2, &premises[steps.len() - 1], vec![]));
        let found = derivation(steps);
        for shortening in [Shortening::Share(None), Shortening::Shortest] {
            let shorter = shorten(&mut store, &system, &found, shortening);
            assert!(shorter.is_shortest);
            assert_eq!(shorter.left, least);
            assert_eq!(greatest(shorter.derivation.as_ref().unwrap_or(&found)), 501);
        }
    }
}

/// Values that could be anything become small, and the steps stay.
#[test]
fn values_become_small() {
    let mut store = Store::new();
    let text = "(declare-fun p (Int Int) Bool)
        (assert (forall ((x Int) (y Int)) (=> (> x 5) (p x y))))
        (assert (forall ((x Int) (y Int)) (=> (and (p x y) (> y x)) false)))";
    let system = read(&mut store, text);
    let found = derivation([(0, &[][..], vec![1_000_000, 1_000_001]), (1, &[0], vec![])]);
    let shorter = shorten(&mut store, &system, &found, Shortening::Share(None));
    assert_eq!((shorter.left, shorter.is_shortest), (2, true));
    assert!(greatest(&shorter.derivation.expect("smaller values")) <= 8);
}

/// `r(n)` by `r(n - 1)` twice, with a detour over a second predicate; five facts and falsehood are needed.
#[test]
fn nonlinear_derivations_become_the_shortest() {
    let mut store = Store::new();
    let text = "(declare-fun r (Int) Bool) (declare-fun s (Int Int) Bool)
        (assert (r 0))
        (assert (forall ((x Int) (y Int)) (=> (and (r x) (r y)) (r (+ x y 1)))))
        (assert (forall ((x Int) (y Int)) (=> (and (r x) (r y)) (s x y))))
        (assert (forall ((x Int) (y Int)) (=> (and (s x y) (= (+ x y) 10)) false)))";
    let system = read(&mut store, text);
    // r(0), r(1), ..., r(10) one by one, s(10, 0), falsehood.
    let mut premises: Vec<[usize; 2]> = (0..10).map(|at| [at, 0]).collect();
    premises.push([10, 0]);
    let mut steps: Vec<ByHand<'_>> = vec![(0, &[], vec![0])];
    steps.extend((1..=10).map(|x| (1, &premises[x - 1][..], vec![x as i64])));
    steps.push((2, &premises[10], vec![10, 0]));
    steps.push((3, &[11], vec![]));
    let found = derivation(steps);
    assert_eq!(found.step_count(), 13);
    let shorter = shorten(&mut store, &system, &found, Shortening::Shortest);
    // r(0), r(1), r(3), r(7), s(7, 3), falsehood.
    assert_eq!((shorter.left, shorter.is_shortest), (6, true));
}

/// What stands between two facts of one predicate goes where other values fit, in derivations that are no paths.
#[test]
fn detours_go() {
    let mut store = Store::new();
    let text = "(declare-fun t (Int) Bool)
        (assert (forall ((x Int)) (=> (>= x 0) (t x))))
        (assert (forall ((x Int) (y Int)) (=> (and (t x) (t y)) (t (+ x y)))))
        (assert (forall ((x Int) (y Int)) (=> (and (t x) (t y) (> x y) (> y 40)) false)))";
    let system = read(&mut store, text);
    let premises: Vec<[usize; 2]> = (0..60).map(|at| [at, 0]).collect();
    let mut steps: Vec<ByHand<'_>> = vec![(0, &[], vec![1])];
    steps.extend((1..60).map(|x| (1, &premises[x - 1][..], vec![x as i64 + 1])));
    steps.push((2, &[59, 58], vec![]));
    let found = derivation(steps);
    let shorter = shorten(&mut store, &system, &found, Shortening::Share(None));
    assert_eq!(shorter.left, 3, "two facts and falsehood");
}

/// A search that is stopped leaves the derivation as it was.
#[test]
fn a_stop_is_heeded() {
    let mut store = Store::new();
    let system = read(&mut store, &COUNTER.replace("START", "0"));
    let found = derivation([(0, &[][..], vec![900]), (1, &[0], vec![901]), (2, &[1], vec![])]);
    let stop = StopToken::new();
    stop.stop();
    let shorter = shorter_derivation(&mut store, &system, &found, Shortening::Shortest, &stop);
    assert_eq!((shorter.derivation, shorter.left, shorter.is_shortest), (None, 3, false));
}
