//! Quantifier elimination against z3 itself, where z3 is at hand.
//!
//! The long run is the command `shem-qe`.

mod common;

use common::Library;
use shem_testkit::batch::{Oracle, Reply, Solver};
use shem_testkit::elimination::{Verdict, judge};
use shem_testkit::generate::{FAMILIES, Family, Quantified};
use shem_testkit::process::Program;
use shem_testkit::sexpr::Sexpr;
use std::io;
use std::time::Duration;

const FIRST_SEED: u64 = 500_000;

fn formulas(count: usize) -> Vec<(Family, u64, Quantified)> {
    (0..count * FAMILIES.len())
        .map(|number| {
            let (family, seed) = Family::numbered(number as u64, FIRST_SEED);
            (family, seed, family.generate(seed))
        })
        .collect()
}

#[test]
fn results_are_equivalent_according_to_z3() {
    let Ok(z3) = Program::parse("z3", &[]) else { return };
    let oracle = Oracle::new(z3, Duration::from_secs(5)).expect("a scratch folder");
    let named = formulas(10);
    let formulas: Vec<_> = named.iter().map(|(_, _, formula)| formula.clone()).collect();
    let (verdicts, tally) = judge(Some(&oracle), &Library, &formulas).expect("z3 runs");
    for ((family, seed, formula), verdict) in named.iter().zip(verdicts) {
        if let Verdict::Failed(detail) = verdict {
            panic!("{} {seed}: {detail}\n{}", family.name(), formula.script());
        }
    }
    assert!(tally.undecided * 20 <= formulas.len(), "{tally}");
}

/// Shem, but each result passes through a lie.
struct Liar(fn(&Sexpr) -> Sexpr);

impl Solver for Liar {
    fn respond(&self, scripts: &[String]) -> io::Result<Vec<Reply>> {
        let mut replies = Library.respond(scripts)?;
        for reply in &mut replies {
            reply.responses = reply.responses.iter().map(self.0).collect();
        }
        Ok(replies)
    }
}

#[test]
fn wrong_results_are_found_out() {
    let Ok(z3) = Program::parse("z3", &[]) else { return };
    let oracle = Oracle::new(z3, Duration::from_secs(5)).expect("a scratch folder");
    let formulas: Vec<_> = formulas(4).into_iter().map(|(_, _, formula)| formula).collect();
    // Too weak, too strong, no formula over the free variables, none at all: none of them may pass as equivalent
    // more often than the truth is just that.
    let lies: [fn(&Sexpr) -> Sexpr; 4] = [
        |_| Sexpr::atom("true"),
        |_| Sexpr::atom("false"),
        |result| Sexpr::app("and", [result.clone(), Sexpr::app("=", ["x0", "x0"].map(Sexpr::atom))]),
        |_| Sexpr::atom("unknown"),
    ];
    let results =
        Library.respond(&formulas.iter().map(Quantified::script).collect::<Vec<_>>()).expect("no file");
    for lie in lies {
        let (verdicts, _) = judge(Some(&oracle), &Liar(lie), &formulas).expect("z3 runs");
        let mut caught = 0;
        for (verdict, truth) in verdicts.iter().zip(&results) {
            let told_truth = truth.responses.first() == Some(&lie(&truth.responses[0]));
            assert!(told_truth || *verdict != Verdict::Equivalent);
            caught += usize::from(matches!(verdict, Verdict::Failed(_)));
        }
        assert!(caught >= 10, "{caught} lies were caught");
    }
}
