//! Engines that accept all sorts, on random linear systems whose numbers are hidden in arrays and datatypes: the answer
//! is that of listing the facts of the system behind, and every witness is judged. What interpolation does not reach
//! stays open.

use shem_chc::Shape;
use shem_engine::{Answers, Registry, Theories};
use shem_test_support::engine::decide_encoded_systems;

#[test]
fn answers_and_witnesses_are_right() {
    let registry = Registry::standard();
    let names: Vec<&str> = registry
        .engines()
        .iter()
        .filter(|engine| engine.theories == Theories::All && engine.name != "spacer")
        .map(|engine| engine.name)
        .collect();
    assert!(names.contains(&"bmc") && names.contains(&"kind"), "{names:?}");
    let engines = || {
        let engine = |&name: &&str| (name.to_owned(), registry.choose(name).expect("an engine").make());
        names.iter().map(engine).collect()
    };
    let linear = |shape| shape != Shape::Nonlinear;
    let (decided, all) = decide_encoded_systems(120, linear, engines, 8);
    for (&name, decided) in names.iter().zip(decided) {
        // Engines that find models only leave all unsafe systems open, and safe ones without a model of their form.
        let finds_both = registry.engine(name).expect("an engine").answers == Answers::Both;
        let least = if finds_both { all / 2 + 1 } else { 1 };
        assert!(decided >= least, "{name} has decided {decided} of {all}");
    }
}
