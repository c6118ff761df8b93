//! Spacer on random systems, linear or not, with repeated and nullary predicates: the answer is that of listing
//! all facts, and every witness is judged.

#[path = "../../transform/tests/common/mod.rs"]
mod common;

use common::oracle::Facts;
use common::{generate, judge};
use shem_base::{Budget, Rng, Statistics};
use shem_chc::normalise;
use shem_engine::spacer::{LemmaStyle, Retry, Settings, Spacer};
use shem_engine::{Context, Engine, NoEvents, Outcome};
use shem_smt::interpolate::{ItpOptions, TheoryRule};
use shem_term::Store;

fn variants() -> Vec<Settings> {
    let rule = |theory| ItpOptions { theory, ..ItpOptions::default() };
    vec![
        Settings::default(),
        Settings { lemmas: LemmaStyle::Core, ..Settings::default() },
        Settings {
            retry: Retry::NextBound,
            weaken_bounds: false,
            split_obligations: false,
            clauses: false,
            gas: 3,
            discharge: false,
            remember_stuck: false,
            ..Settings::default()
        },
        Settings {
            lift_lemmas: false,
            subsume: false,
            conjecture: false,
            concretise: false,
            restrain: false,
            forget_implied: false,
            ..Settings::default()
        },
        Settings { drop_literals: false, interpolation: rule(TheoryRule::DualFarkas), ..Settings::default() },
        Settings { retry: Retry::Never, interpolation: rule(TheoryRule::Decomposed), ..Settings::default() },
    ]
}

#[test]
fn random_systems_are_decided_and_witnessed() {
    let mut answers = [0; 2];
    for seed in 0..common::rounds(150) {
        let mut store = Store::new();
        let system = generate::system(&mut store, &mut Rng::new(seed));
        let graph = normalise(&mut store, &system);
        let is_unsafe = Facts::of(&mut store, &graph).is_unsafe();
        answers[usize::from(is_unsafe)] += 1;
        for settings in variants() {
            let mut events = NoEvents;
            let mut context = Context {
                budget: Budget { conflicts: 200_000, ..Budget::unlimited() },
                seed: 0,
                witness: true,
                events: &mut events,
                statistics: Statistics::new(),
            };
            let budget = &mut Budget::unlimited();
            match Spacer::new(settings.clone()).solve(&mut store, &graph, &mut context) {
                Outcome::Safe(proven) => {
                    assert!(!is_unsafe, "seed {seed}, {settings:?}: wrongly safe");
                    let found = proven.witness.get(&mut store, budget).expect("an interpretation");
                    judge::interpretation(&mut store, &graph, &found)
                        .unwrap_or_else(|e| panic!("seed {seed}, {settings:?}: {e}"));
                }
                Outcome::Unsafe(proven) => {
                    assert!(is_unsafe, "seed {seed}, {settings:?}: wrongly unsafe");
                    let found = proven.witness.get(&mut store, budget).expect("a derivation");
                    judge::derivation(&mut store, &graph, &found)
                        .unwrap_or_else(|e| panic!("seed {seed}, {settings:?}: {e}"));
                }
                Outcome::Unknown(reason) => panic!("seed {seed}, {settings:?}: {reason}"),
            }
        }
    }
    assert!(answers.iter().all(|&count| count > 20), "both answers occur: {answers:?}");
}
