//! Problems that are divided into parts: the answer is that of the whole, with a witness of the whole.

use std::sync::Arc;

use shem_base::{Rng, StopToken};
use shem_chc::{Script, System, normalise};
use shem_decide::{
    Answer, Checked, Division, Engines, Observer, Request, SolveOptions, Status, Verdict, decide,
};
use shem_engine::{Events, Progress, Registry};
use shem_term::Store;
use shem_test_support::oracle::Facts;
use shem_test_support::{rounds, system, witness};
use shem_transform::PartitionBy;

/// Three loops one after the other, with a query at each.
const SAFE: &str = "(declare-fun p (Int) Bool) (declare-fun q (Int) Bool) (declare-fun r (Int Int) Bool)
    (assert (forall ((x Int)) (=> (or (= x 0) (= x 4)) (p x))))
    (assert (forall ((x Int)) (=> (p x) (p (+ x 2)))))
    (assert (forall ((x Int)) (=> (and (p x) (> x 10)) (q x))))
    (assert (forall ((x Int)) (=> (q x) (q (+ x 4)))))
    (assert (forall ((x Int)) (=> (and (q x) (> x 20)) (r x 0))))
    (assert (forall ((x Int) (y Int)) (=> (r x y) (r (+ x 6) (+ y 1)))))
    (assert (forall ((x Int)) (=> (p x) (not (= x 7)))))
    (assert (forall ((x Int)) (=> (q x) (not (= x 31)))))
    (assert (forall ((x Int) (y Int)) (=> (and (r x y) (< y 0)) false)))";

/// Keeps warnings.
#[derive(Default)]
struct Warnings(Vec<String>);

impl Events for Warnings {
    fn progress(&mut self, _: Progress) {}
}

impl Observer for Warnings {
    fn warning(&mut self, words: &str) {
        self.0.push(words.to_owned());
    }
}

fn read(text: &str) -> (Store, Arc<System>) {
    let mut store = Store::new();
    let system = Script::read(&mut store, text, &StopToken::new()).expect("a script").system;
    (store, system)
}

/// Options without passes, so that there is something to divide.
fn divided(engine: &str, parts: usize, by: PartitionBy) -> SolveOptions {
    let division = Division { parts: Some(parts), by, ..Division::default() };
    let engine = Registry::standard().choose(engine).expect("an engine");
    let mut options =
        SolveOptions { engines: Engines::One, engine, division: Some(division), ..SolveOptions::default() };
    for pass in shem_transform::passes() {
        options.disabled_passes.disable(pass.name).expect("a pass");
    }
    options
}

/// The same in rounds, on two virtual cores.
fn in_rounds(options: SolveOptions) -> SolveOptions {
    SolveOptions { deterministic: true, virtual_cores: Some(2), ..options }
}

fn answer(
    store: &mut Store,
    system: &Arc<System>,
    options: &SolveOptions,
    warnings: &mut Warnings,
) -> Answer {
    let request = Request { system, options, launch: None };
    decide(store, &request, &StopToken::new(), warnings).expect("no fault")
}

const BY: [PartitionBy; 4] =
    [PartitionBy::Either, PartitionBy::Queries, PartitionBy::Facts, PartitionBy::Both];

#[test]
fn random_systems_in_parts() {
    let (mut divisions, mut answers) = (0, [0; 2]);
    for seed in 0..rounds(60) {
        let mut store = Store::new();
        let mut rng = Rng::new(seed);
        let system = Arc::new(system::system(&mut store, &mut rng));
        let graph = normalise(&mut store, &system);
        let is_unsafe = Facts::of(&mut store, &graph).is_unsafe();
        let options = divided("spacer", 2 + rng.index(4), *rng.pick(&BY));
        for options in [options.clone(), in_rounds(options)] {
            let mut warnings = Warnings::default();
            let found = answer(&mut store, &system, &options, &mut warnings);
            let parts = found.statistics.count("parts.all");
            divisions += u64::from(parts > 1);
            assert!(
                parts > 1 || warnings.0.iter().any(|words| words.contains("divided")) || is_decided(&found)
            );
            assert_eq!(found.verdict.word(), if is_unsafe { "unsat" } else { "sat" }, "seed {seed}");
            assert_eq!(found.checked, Checked::Witness, "seed {seed}");
            match (found.model(), found.derivation()) {
                (Some(model), _) => witness::model(&mut store, &system, model).expect("a model"),
                (_, Some(derivation)) => {
                    witness::refutation(&mut store, &system, derivation).expect("a derivation");
                }
                _ => panic!("seed {seed}: no witness"),
            }
            answers[usize::from(is_unsafe)] += 1;
        }
    }
    assert!(divisions > 25 && answers.iter().all(|&count| count > 10), "{divisions} {answers:?}");
}

/// Whether the passes have decided.
fn is_decided(answer: &Answer) -> bool {
    answer.engine == shem_decide::PREPROCESSING
}

#[test]
fn all_parts_are_needed_for_a_model_and_one_for_a_derivation() {
    for (text, status, by) in [
        (SAFE.to_owned(), Status::Sat, PartitionBy::Queries),
        (SAFE.to_owned(), Status::Sat, PartitionBy::Facts),
        (SAFE.to_owned(), Status::Sat, PartitionBy::Both),
        (SAFE.replace("31", "32"), Status::Unsat, PartitionBy::Queries),
        (SAFE.replace("31", "32"), Status::Unsat, PartitionBy::Facts),
    ] {
        let options = divided("spacer", 4, by);
        for options in [options.clone(), in_rounds(options)] {
            let (mut store, system) = read(&text);
            let found = answer(&mut store, &system, &options, &mut Warnings::default());
            assert_eq!(found.verdict.word(), status.to_string());
            let (all, solved) = (found.statistics.count("parts.all"), found.statistics.count("parts.solved"));
            assert!(all > 1, "{by:?}: {all} parts");
            assert_eq!(solved == all, status == Status::Sat, "{by:?}: {solved} of {all}");
        }
    }
}

/// What comes out of rounds is the same every time, with all figures, whatever parts are solved when.
#[test]
fn rounds_on_parts_can_be_repeated() {
    for engines in [Engines::One, Engines::Strategy] {
        let run = |cores| {
            let (mut store, system) = read(SAFE);
            let options = SolveOptions { engines: engines.clone(), ..in_rounds(divided("spacer", 3, BY[1])) };
            let options = SolveOptions { virtual_cores: Some(cores), ..options };
            let found = answer(&mut store, &system, &options, &mut Warnings::default());
            let Verdict::Sat(_) = found.verdict else { panic!("not safe: {:?}", found.verdict) };
            let figures = found.statistics.iter().filter(|(name, _)| !name.contains("time"));
            figures.map(|(name, figure)| format!("{name} {figure}")).collect::<Vec<_>>()
        };
        for cores in [1, 4] {
            assert_eq!(run(cores), run(cores));
        }
    }
}

/// A part that cannot be divided is solved whole.
#[test]
fn what_cannot_be_divided_is_solved_whole() {
    let text = "(declare-fun p (Int) Bool) (declare-fun q (Int) Bool)
        (assert (p 0)) (assert (q 0))
        (assert (forall ((x Int) (y Int)) (=> (and (p x) (q y)) (p (+ x y 1)))))
        (assert (forall ((x Int)) (=> (p x) (>= x 0))))";
    let (mut store, system) = read(text);
    let mut warnings = Warnings::default();
    let found = answer(&mut store, &system, &divided("spacer", 3, PartitionBy::Facts), &mut warnings);
    assert_eq!(found.verdict.word(), "sat");
    assert!(warnings.0.iter().any(|words| words.contains("cannot be divided")), "{:?}", warnings.0);
}
