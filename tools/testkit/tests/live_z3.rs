//! Shem against z3 itself on a few scripts, where z3 is at hand.
//!
//! The long run is the command `shem-diff`; continuous integration installs z3 and so runs this test.

mod common;

use common::Library;
use shem_testkit::batch::Oracle;
use shem_testkit::compare::compare;
use shem_testkit::generate::{generate, numbered};
use shem_testkit::process::Program;
use shem_testkit::script::print;
use std::time::Duration;

/// Scripts of the live comparison, from a seed that the recorded answers do not reach.
const SCRIPTS: u64 = 280;
const FIRST_SEED: u64 = 900_000;

#[test]
fn shem_agrees_with_z3() {
    let Ok(z3) = Program::parse("z3", &[]) else { return };
    let oracle = Oracle::new(z3, Duration::from_secs(5)).expect("a scratch folder");
    let names: Vec<_> = (0..SCRIPTS).map(|number| numbered(number, FIRST_SEED)).collect();
    let scripts: Vec<_> = names.iter().map(|&(profile, seed)| generate(profile, seed)).collect();
    let (failures, tally) = compare(&oracle, &Library, &scripts).expect("z3 runs");
    for ((&(profile, seed), script), failure) in names.iter().zip(&scripts).zip(failures) {
        if let Some(failure) = failure {
            panic!("{} {seed}: {failure}\n{}", profile.name(), print(script));
        }
    }
    assert!(tally.models > 0 && tally.cores > 0);
}
