//! Runs of random graphs, judged by enumeration and by their derivations.

use shem_base::{Budget, Rng};
use shem_engine::{Scout, ScoutSettings};
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
