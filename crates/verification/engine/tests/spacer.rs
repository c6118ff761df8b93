//! Spacer on random systems, linear or not, with repeated and nullary predicates: the answer is that of listing
//! all facts, and every witness is judged.

use shem_engine::spacer::{LemmaStyle, Retry, Settings, Spacer};
use shem_smt::interpolate::{ItpOptions, TheoryRule};
use shem_test_support::engine::{decide_encoded_systems, decide_random_systems};

fn variants() -> Vec<Settings> {
    let rule = |theory| ItpOptions { theory, ..ItpOptions::default() };
    vec![
        Settings::default(),
        Settings { lemmas: LemmaStyle::Core, ..Settings::default() },
        Settings { retry: Retry::NextBound, clauses: false, gas: 3, ..Settings::default() },
        Settings {
            subsume: false,
            conjecture: false,
            concretise: false,
            restrain: false,
            ..Settings::default()
        },
        Settings { interpolation: rule(TheoryRule::DualFarkas), ..Settings::default() },
        Settings { retry: Retry::Never, interpolation: rule(TheoryRule::Decomposed), ..Settings::default() },
    ]
}

#[test]
fn random_systems_are_decided_and_witnessed() {
    let engines =
        || variants().into_iter().map(|s| (format!("{s:?}"), Box::new(Spacer::new(s)) as _)).collect();
    decide_random_systems(150, |_| true, engines);
}

/// The same with numbers in arrays and datatypes, recursive ones among them.
#[test]
fn systems_with_arrays_and_datatypes_are_decided_and_witnessed() {
    let engines =
        || variants().into_iter().map(|s| (format!("{s:?}"), Box::new(Spacer::new(s)) as _)).collect();
    let (decided, all) = decide_encoded_systems(60, |_| true, engines, 100);
    assert!(decided.iter().all(|&count| count == all), "{decided:?} of {all}");
}
