//! Engines on abstractions of arrays: answers that are known, witnesses that are judged on the clauses as read, and
//! random systems on which no two abstractions contradict each other.

use shem_base::{Budget, Effort, Rng, Statistics, StopToken};
use shem_chc::EdgeId;
use shem_chc::{Model, Script, normalise};
use shem_check::{Validity, check_derivation, check_model};
use shem_engine::{Context, NoEvents, Outcome, Registry};
use shem_term::Store;

const ABSTRACTIONS: [&str; 4] = ["no-arrays", "cells", "shared-cells", "cells2"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Judged {
    Safe,
    Unsafe,
    Unknown,
}

/// Decides a script by an engine on an abstraction; the witness is judged.
fn decide(text: &str, engine: &str, abstraction: &str, effort: Effort) -> Judged {
    let mut store = Store::new();
    let script = Script::read(&mut store, text, &StopToken::new()).expect("a script");
    let graph = normalise(&mut store, &script.system);
    let mut choice = Registry::standard().choose(engine).expect("an engine");
    choice.set("abstraction", abstraction).expect("a setting");
    let (mut events, statistics) = (NoEvents, Statistics::new());
    let budget = Budget::unlimited().at_most(effort);
    let mut context = Context { budget, seed: 0, witness: true, events: &mut events, statistics };
    let verdict = choice.make().solve(&mut store, &graph, &mut context);
    let mut budget = Budget::unlimited();
    match verdict {
        Outcome::Unknown(_) => Unknown,
        Outcome::Safe(proven) => {
            let witness = proven.witness.get(&mut store, &mut budget).expect("an interpretation");
            let model = Model::of(&graph, &witness, script.system.predicates.len());
            let validity = check_model(&mut store, &script.system, &model, &mut budget);
            // The judge may give up on a model with quantifiers.
            assert!(!matches!(validity, Validity::Invalid(_)), "{engine} on {abstraction}: {text}");
            if validity == Validity::Valid { Safe } else { Unknown }
        }
        Outcome::Unsafe(proven) => {
            let witness = proven.witness.get(&mut store, &mut budget).expect("a derivation");
            let derivation = witness.map_rules(EdgeId::clause);
            let validity = check_derivation(&mut store, &script.system, &derivation, &mut budget);
            assert_eq!(validity, Validity::Valid, "{engine} on {abstraction}: {text}");
            Unsafe
        }
    }
}

const MUCH: Effort = Effort { conflicts: 200_000, pivots: 2_000_000, splits: 20_000 };

#[track_caller]
fn check(text: &str, expected: [Judged; 4]) {
    for (abstraction, expected) in ABSTRACTIONS.into_iter().zip(expected) {
        assert_eq!(decide(text, "spacer", abstraction, MUCH), expected, "{abstraction}");
    }
}

use Judged::{Safe, Unknown, Unsafe};

/// All elements from 0 to n - 1 are set to `value`, and then one of them is looked at.
fn initialised(value: &str, bad: &str) -> String {
    format!(
        "(declare-fun p ((Array Int Int) Int Int) Bool)
        (assert (forall ((a (Array Int Int)) (n Int)) (=> (> n 0) (p a 0 n))))
        (assert (forall ((a (Array Int Int)) (i Int) (n Int))
          (=> (and (p a i n) (< i n)) (p (store a i {value}) (+ i 1) n))))
        (assert (forall ((a (Array Int Int)) (i Int) (n Int) (j Int))
          (=> (and (p a i n) (>= i n) (<= 0 j) (< j n) {bad}) false)))"
    )
}

#[test]
fn initialisation() {
    for abstraction in ["cells", "shared-cells", "cells2"] {
        assert_eq!(decide(&initialised("7", "(distinct (select a j) 7)"), "spacer", abstraction, MUCH), Safe);
        assert_eq!(decide(&initialised("i", "(distinct (select a j) j)"), "spacer", abstraction, MUCH), Safe);
    }
    check(&initialised("7", "(= (select a j) 7)"), [Unsafe; 4]);
    check(&initialised("i", "(and (= j 1) (= (select a j) 1))"), [Unsafe; 4]);
}

#[test]
fn two_cells_relate_two_elements() {
    // Two elements that are written together are equal, which one cell cannot say.
    let text = "(declare-fun p ((Array Int Int) Int) Bool)
        (assert (forall ((a (Array Int Int))) (=> (= (select a 0) (select a 1)) (p a 0))))
        (assert (forall ((a (Array Int Int)) (i Int) (x Int)) (=> (p a i) (p (store (store a 0 x) 1 x) (+ i 1)))))
        (assert (forall ((a (Array Int Int)) (i Int)) (=> (and (p a i) (distinct (select a 0) (select a 1))) false)))";
    assert_eq!(decide(text, "spacer", "cells2", MUCH), Safe);
}

#[test]
fn heaps_that_are_equal() {
    // Two programs write the same; at the end their heaps are equal.
    let text = "(declare-fun p ((Array Int Int) (Array Int Int) Int) Bool)
        (assert (forall ((a (Array Int Int)) (b (Array Int Int))) (=> (= a b) (p a b 0))))
        (assert (forall ((a (Array Int Int)) (b (Array Int Int)) (i Int) (v Int))
          (=> (p a b i) (p (store a i v) (store b i v) (+ i 1)))))
        (assert (forall ((a (Array Int Int)) (b (Array Int Int)) (i Int))
          (=> (and (p a b i) (not (= a b))) false)))";
    assert_eq!(decide(text, "spacer", "shared-cells", MUCH), Safe);
    assert_eq!(decide(text, "spacer", "cells", MUCH), Safe);
    let wrong = text.replace("(store b i v)", "(store b i (+ v (ite (= i 2) 1 0)))");
    check(&wrong, [Unsafe; 4]);
}

#[test]
fn what_is_not_about_arrays_needs_none() {
    let text = "(declare-fun p ((Array Int Int) Int) Bool)
        (assert (forall ((a (Array Int Int))) (p a 0)))
        (assert (forall ((a (Array Int Int)) (i Int) (j Int))
          (=> (and (p a i) (or (= (select a j) 3) (= (store a j 1) a))) (p (store a i j) (+ i 2)))))
        (assert (forall ((a (Array Int Int)) (i Int)) (=> (and (p a i) (= (mod i 2) 1)) false)))";
    check(text, [Safe; 4]);
    // Other engines see arithmetic, too.
    for engine in ["kind", "imc", "lawi", "pdkind", "split-tpa"] {
        assert_eq!(decide(text, engine, "no-arrays", MUCH), Safe, "{engine}");
    }
}

#[test]
fn a_constant_array_and_an_array_of_arrays() {
    let text = "(declare-fun p ((Array Int Int) (Array Int (Array Int Int)) Int) Bool)
        (assert (forall ((m (Array Int (Array Int Int)))) (p ((as const (Array Int Int)) 0) m 0)))
        (assert (forall ((a (Array Int Int)) (m (Array Int (Array Int Int))) (i Int))
          (=> (and (p a m i) (> (select (select m i) i) 0)) (p (store a i 1) (store m i a) (+ i 1)))))
        (assert (forall ((a (Array Int Int)) (m (Array Int (Array Int Int))) (i Int) (j Int))
          (=> (and (p a m i) (> (select a j) 1)) false)))";
    assert_eq!(decide(text, "spacer", "cells", MUCH), Safe);
}

/// A random system: two loops over an array, the second after the first, and a query.
fn random_script(rng: &mut Rng) -> String {
    let index = |rng: &mut Rng| (*rng.pick(&["i", "(+ i 1)", "0", "(- n i)", "(select a i)"])).to_owned();
    let value = |rng: &mut Rng| {
        (*rng.pick(&["0", "1", "i", "(select a i)", "(+ 1 (select a (+ i 1)))", "v", "(ite (> v i) 1 0)"]))
            .to_owned()
    };
    let start = *rng.pick(&["true", "(= a ((as const (Array Int Int)) 0))", "(= (select a 0) 1)", "(= n 2)"]);
    let guard = *rng.pick(&["(< i n)", "(and (< i n) (< i 3))", "(< i 2)"]);
    let update = |rng: &mut Rng| {
        let write = format!("(store a {} {})", index(rng), value(rng));
        match rng.index(4) {
            0 => format!("(= b (store {write} {} {}))", index(rng), value(rng)),
            1 => format!("(= b (ite (> v 0) {write} a))"),
            2 => format!("(or (= b {write}) (= b a))"),
            _ => format!("(= b {write})"),
        }
    };
    let (first, second) = (update(rng), update(rng));
    let bad = *rng.pick(&[
        "(= (select a j) 2)",
        "(distinct (select a j) 0)",
        "(< (select a j) 0)",
        "(distinct a (store a j 0))",
        "(and (= a ((as const (Array Int Int)) 1)) (> i 0))",
        "(> (select a j) (select a (+ j 1)))",
    ]);
    format!(
        "(declare-fun p ((Array Int Int) Int Int) Bool)
        (declare-fun q ((Array Int Int) Int Int) Bool)
        (assert (forall ((a (Array Int Int)) (n Int)) (=> (and {start} (> n 0)) (p a 0 n))))
        (assert (forall ((a (Array Int Int)) (b (Array Int Int)) (i Int) (n Int) (v Int))
          (=> (and (p a i n) {guard} {first}) (p b (+ i 1) n))))
        (assert (forall ((a (Array Int Int)) (i Int) (n Int)) (=> (and (p a i n) (>= i n)) (q a 0 n))))
        (assert (forall ((a (Array Int Int)) (b (Array Int Int)) (i Int) (n Int) (v Int))
          (=> (and (q a i n) (< i n) {second}) (q b (+ i 1) n))))
        (assert (forall ((a (Array Int Int)) (i Int) (n Int) (j Int))
          (=> (and (q a i n) (<= 0 j) (< j i) {bad}) false)))"
    )
}

#[test]
fn random_systems_are_decided_alike() {
    let little = Effort { conflicts: 3_000, pivots: 30_000, splits: 500 };
    let mut answers = [0; 3];
    for seed in 0..shem_test_support::rounds(60) {
        let text = random_script(&mut Rng::new(seed));
        let mut known = Unknown;
        for abstraction in ["none"].into_iter().chain(ABSTRACTIONS) {
            let judged = decide(&text, "spacer", abstraction, little);
            answers[judged as usize] += 1;
            assert!(judged == Unknown || known == Unknown || judged == known, "{abstraction}: {text}");
            if judged != Unknown {
                known = judged;
            }
        }
    }
    assert!(answers[Safe as usize] > 20 && answers[Unsafe as usize] > 20, "{answers:?}");
}
