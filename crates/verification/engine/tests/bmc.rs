//! Bounded model checking, judged by enumeration and by its witnesses.

mod support;

use shem_base::{Budget, Rng};
use shem_engine::{Adaptor, BmcOptions, TransitionBmc};
use shem_term::Store;
use support::{Judged, Plan, is_unsafe, random_graph, run};

/// Depths beyond the number of facts of a random graph find nothing new.
const ENOUGH: usize = 27;

#[test]
fn random_transition_systems() {
    let mut counts = [0; 3];
    for seed in 0..400 {
        let mut store = Store::new();
        let mut rng = Rng::new(seed);
        let plan = Plan { vertices: 1, edges: 2 + rng.index(5), arguments: 3, nonlinear: false };
        let graph = random_graph(&mut store, &mut rng, plan);
        let options = BmcOptions { max_depth: Some(ENOUGH), ..BmcOptions::default() };
        let mut engine = Adaptor::new(TransitionBmc::new(options));
        let (judged, _) = run(&mut store, &graph, &mut engine, Budget::unlimited());
        assert_eq!(judged == Judged::Unsafe, is_unsafe(&store, &graph), "seed {seed}");
        counts[judged as usize] += 1;
    }
    assert!(counts.iter().all(|&n| n > 20), "a one-sided test: {counts:?}");
}
