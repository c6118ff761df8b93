//! Shem against z3 itself on a few scripts, where z3 is at hand; without it they fail if
//! `SHEM_REQUIRE_Z3` is set.
//!
//! The long run is the command `shem-diff`; continuous integration installs z3 and so runs this test.

use shem_testkit::compare::{Kind, compare};
use shem_testkit::generate::{Profile, generate, numbered};
use shem_testkit::interpolants;
use shem_testkit::script::print;
use shem_testkit::sexpr::Sexpr;

use crate::common::{Liar, Library, z3};

/// Scripts of the live comparison, from a seed that the recorded answers do not reach.
const SCRIPTS: u64 = 280;
const FIRST_SEED: u64 = 900_000;

#[test]
fn shem_agrees_with_z3() {
    let Some(oracle) = z3() else { return };
    let names: Vec<_> = (0..SCRIPTS).map(|number| numbered(number, FIRST_SEED)).collect();
    let scripts: Vec<_> = names.iter().map(|&(profile, seed)| generate(profile, seed)).collect();
    let (failures, tally) = compare(&oracle, None, &Library, &scripts).expect("z3 runs");
    for ((&(profile, seed), script), failure) in names.iter().zip(&scripts).zip(failures) {
        if let Some(failure) = failure {
            panic!("{} {seed}: {failure}\n{}", profile.name(), print(script));
        }
    }
    assert!(tally.models > 0 && tally.cores > 0);
}

#[test]
fn lies_are_found_out() {
    let Some(oracle) = z3() else { return };
    let scripts: Vec<_> = (0..84)
        .map(|number| {
            let (profile, seed) = numbered(number, FIRST_SEED);
            generate(profile, seed)
        })
        .collect();
    let all_unsat = |_: &Sexpr| Sexpr::atom("unsat");
    // Every value of a model becomes 77; every core loses its first item.
    let all_alike = |response: &Sexpr| match response {
        Sexpr::List(pairs) => {
            Sexpr::List(pairs.iter().map(|pair| with_last(pair, Sexpr::atom("77"))).collect())
        }
        Sexpr::Atom(_) => response.clone(),
    };
    let shorter = |response: &Sexpr| match response {
        Sexpr::List(items)
            if items.iter().all(|item| item.text().is_some() || item.head() == Some("not")) =>
        {
            Sexpr::List(items.iter().skip(1).cloned().collect())
        }
        _ => response.clone(),
    };
    for (kind, lie) in [
        (Kind::Answer, all_unsat as fn(&Sexpr) -> Sexpr),
        (Kind::Model, all_alike as fn(&Sexpr) -> Sexpr),
        (Kind::Core, shorter as fn(&Sexpr) -> Sexpr),
    ] {
        let (failures, _) = compare(&oracle, None, &Liar(lie), &scripts).expect("z3 runs");
        let caught = failures.iter().flatten().filter(|failure| failure.kind == kind).count();
        assert!(caught >= 10, "{caught} lies of kind {kind:?} were caught");
    }
}

#[test]
fn interpolants_satisfy_z3() {
    let Some(oracle) = z3() else { return };
    let scripts: Vec<_> = (0..112)
        .map(|number| {
            let (profile, seed) = numbered(number, FIRST_SEED);
            generate(profile, seed)
        })
        .collect();
    let (failures, tally) = interpolants::compare(&oracle, &Library, &scripts).expect("z3 runs");
    for (script, failure) in scripts.iter().zip(failures) {
        assert!(failure.is_none(), "{}\n{}", failure.unwrap(), print(script));
    }
    assert!(tally.interpolants > 500);
    // Integers and bit-vectors that are converted to each other.
    let profile = Profile::named("bit-integers").expect("a profile");
    let converted: Vec<_> = (0..40).map(|seed| generate(profile, FIRST_SEED + seed)).collect();
    let (failures, tally) = interpolants::compare(&oracle, &Library, &converted).expect("z3 runs");
    for (script, failure) in converted.iter().zip(failures) {
        assert!(failure.is_none(), "{}\n{}", failure.unwrap(), print(script));
    }
    assert!(tally.interpolants > 100);
    // Interpolants in the reverse order, none but falsehood, and none at all.
    let reversed = |response: &Sexpr| match response {
        Sexpr::List(items) => Sexpr::List(items.iter().rev().cloned().collect()),
        Sexpr::Atom(_) => response.clone(),
    };
    let all_false = |response: &Sexpr| match response {
        Sexpr::List(items) => Sexpr::List(items.iter().map(|_| Sexpr::atom("false")).collect()),
        Sexpr::Atom(_) => response.clone(),
    };
    let shorter = |response: &Sexpr| match response {
        Sexpr::List(items) => Sexpr::List(items.iter().skip(1).cloned().collect()),
        Sexpr::Atom(_) => response.clone(),
    };
    for lie in [reversed as fn(&Sexpr) -> Sexpr, all_false, shorter] {
        let (failures, _) = interpolants::compare(&oracle, &Liar(lie), &scripts).expect("z3 runs");
        let caught = failures.iter().flatten().filter(|failure| failure.kind == Kind::Interpolant).count();
        assert!(caught >= 10, "{caught} lies were caught");
    }
}

fn with_last(pair: &Sexpr, last: Sexpr) -> Sexpr {
    match pair {
        Sexpr::List(items) => {
            let mut items = items.clone();
            items.pop();
            items.push(last);
            Sexpr::List(items)
        }
        Sexpr::Atom(_) => pair.clone(),
    }
}
