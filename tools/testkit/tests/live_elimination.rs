//! Quantifier elimination against z3 itself, where z3 is at hand; without it they fail if
//! `SHEM_REQUIRE_Z3` is set.
//!
//! The long run is the command `shem-qe`.

use shem_testkit::batch::Solver;
use shem_testkit::elimination::{Verdict, judge};
use shem_testkit::generate::{FAMILIES, Family, Quantified};
use shem_testkit::sexpr::Sexpr;

use crate::common::{Liar, Library, z3};

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
    let Some(oracle) = z3() else { return };
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

#[test]
fn wrong_results_are_found_out() {
    let Some(oracle) = z3() else { return };
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
