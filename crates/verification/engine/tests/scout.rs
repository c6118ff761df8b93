//! Runs of random graphs, judged by enumeration and by their derivations.

use shem_base::{Budget, Rng, Statistics, StopToken};
use shem_chc::{EdgeId, Node, Script, normalise};
use shem_check::{Validity, check_derivation};
use shem_engine::{Context, Engine, NoEvents, Outcome, Scout, ScoutSettings};
use shem_term::Store;
use shem_test_support::engine::{Judged, refuses_nonlinear_graphs, run};
use shem_test_support::graph::{Plan, is_unsafe, random_graph};

#[test]
fn random_linear_graphs() {
    let (mut found, mut missed) = (0, 0);
    for seed in 0..600 {
        let mut store = Store::new();
        let mut rng = Rng::new(seed);
        let vertices = 1 + rng.index(3);
        let plan =
            Plan { vertices, edges: vertices + rng.index(2 * vertices + 4), arguments: 2, nonlinear: false };
        let graph = random_graph(&mut store, &mut rng, plan);
        let settings = ScoutSettings { steps: 50, ..ScoutSettings::default() };
        let (judged, _) = run(&mut store, &graph, &mut Scout::new(settings), Budget::unlimited());
        match (judged, is_unsafe(&store, &graph)) {
            (Judged::Unsafe, true) => found += 1,
            (Judged::Unknown, is_unsafe) => missed += usize::from(is_unsafe),
            (judged, is_unsafe) => panic!("seed {seed}: {judged:?}, unsafe: {is_unsafe}"),
        }
    }
    assert!(found > 100 && missed < found / 10, "{found} found, {missed} missed");
}

#[test]
fn nonlinear_graphs_are_refused() {
    refuses_nonlinear_graphs(&mut Scout::default());
}

/// A generator of random numbers is neither periodic nor polynomial: its steps are run and judged without being kept.
#[test]
fn steps_that_are_not_kept() {
    let (modulus, factor, more) = (1_000_003i64, 5_003i64, 12_345i64);
    let (mut x, mut steps, mut count) = (1i64, 0u64, 0i64);
    while steps < 40_000 {
        count += i64::from(x % 2 == 0);
        x = (x * factor + more) % modulus;
        steps += 1;
    }
    let text = format!(
        "(set-logic HORN)(declare-fun p (Int Int Int) Bool)
        (assert (p 1 0 0))
        (assert (forall ((x Int) (n Int) (k Int)) (=> (and (p x n k) (= (mod x 2) 0))
            (p (mod (+ (* {factor} x) {more}) {modulus}) (+ n 1) (+ k 1)))))
        (assert (forall ((x Int) (n Int) (k Int)) (=> (and (p x n k) (= (mod x 2) 1))
            (p (mod (+ (* {factor} x) {more}) {modulus}) (+ n 1) k))))
        (assert (forall ((x Int) (n Int) (k Int)) (=> (and (p x n k) (= n {steps}) (= k {count})) false)))"
    );
    let mut store = Store::new();
    let script = Script::read(&mut store, &text, &StopToken::new()).expect("a script");
    let graph = normalise(&mut store, &script.system);
    let free = &mut Budget::unlimited();
    let mut context = Context {
        budget: Budget::unlimited(),
        seed: 1,
        witness: true,
        events: &mut NoEvents,
        statistics: Statistics::new(),
    };
    let settings = ScoutSettings { steps: 1_000, ..ScoutSettings::default() };
    let Outcome::Unsafe(witness) = Scout::new(settings).solve(&mut store, &graph, &mut context) else {
        panic!("falsehood is reached")
    };
    let derivation = witness.get(&mut store, free).expect("a derivation");
    assert!(derivation.nodes().any(|node| matches!(node, Node::Run(..))));
    assert!(derivation.len() < 2_000);
    assert_eq!(derivation.step_count(), steps + 2);
    let derivation = derivation.map_rules(EdgeId::clause);
    assert_eq!(check_derivation(&mut store, &script.system, &derivation, free), Validity::Valid);
}
