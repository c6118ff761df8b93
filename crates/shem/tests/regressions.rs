//! Systems with a known answer under every engine and under the default strategy, with validation.
//!
//! The systems of `regressions/sat` have a model, those of `regressions/unsat` have none. A line
//! `; solved-by: ENGINES` in each says which engines have to solve it; `preprocessing` stands there if the passes
//! decide it, so that no engine is needed, and `strategy` if no engine has to solve it by itself: it takes an entry of the
//! default strategy with an abstraction. The default strategy has to solve all of them. The other engines may
//! give up after a short time or, at once, because the system is outside of their fragment; whatever they do
//! answer has to be right and its witness accepted.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Seconds for an engine that has to solve a system: far more than needed, so that a busy machine is no failure.
const MUST: &str = "60";
/// Seconds for one that need not.
const MAY: &str = "0.3";

/// The word in the place of engines where the passes decide.
const PREPROCESSING: &str = "preprocessing";

/// The word in the place of engines where it takes an abstraction.
const STRATEGY: &str = "strategy";

/// Switches off the passes that decide many small systems: engines have to solve them here.
const LEAVE_TO_ENGINES: [&str; 2] = ["--disable-pass", "equalities,invariants"];

/// The names of all engines.
fn engine_names() -> Vec<&'static str> {
    shem_engine::Registry::standard().names().collect()
}

/// A system and what has to happen to it.
struct Case {
    path: PathBuf,
    answer: &'static str,
    solved_by: Vec<String>,
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The systems of a folder.
fn read(name: &str, answer: impl Fn(&str) -> &'static str, cases: &mut Vec<Case>) {
    let entries = fs::read_dir(folder(name)).expect("the folder is there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "smt2"));
    paths.sort();
    for path in paths {
        let text = fs::read_to_string(&path).expect("a readable script");
        let line = text.lines().find_map(|line| line.strip_prefix("; solved-by: "));
        let line = line.unwrap_or_else(|| panic!("{} says who solves it", path.display()));
        let solved_by = line.split(',').map(|name| name.trim().to_owned()).collect();
        cases.push(Case { answer: answer(&text), path, solved_by });
    }
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    read("tests/regressions/sat", |_| "sat", &mut cases);
    read("tests/regressions/unsat", |_| "unsat", &mut cases);
    let status = |text: &str| if text.contains("(set-info :status sat)") { "sat" } else { "unsat" };
    read("../../examples/horn", status, &mut cases);
    read("../../examples/overflow", status, &mut cases);
    cases
}

fn shem(args: &[&str], path: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_shem"));
    command.args(args).arg(path).stdin(Stdio::null()).output().expect("the program runs")
}

/// What is wrong with a run, if anything: `must` says whether it has to answer, `at_once` that it must not be the
/// clock that ended it.
fn judge(output: &Output, expected: &str, must: bool, at_once: bool) -> Result<bool, String> {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let told = format!("expected {expected}, found {out}{err}");
    if output.status.code() != Some(0) {
        return Err(format!("exit code {:?}: {told}", output.status.code()));
    }
    match out.lines().next().unwrap_or_default() {
        "unknown" if must => Err(told),
        "unknown" => match err.lines().find_map(|line| line.strip_prefix("shem: unknown: ")) {
            None | Some("") => Err(format!("no reason: {told}")),
            Some(reason) if at_once && reason.contains("time limit") => Err(format!("not refused: {told}")),
            Some(_) => Ok(false),
        },
        answer if answer != expected => Err(told),
        // The answer came in time, its witness did not.
        _ if !must && err.starts_with("no witness: the time limit") => Ok(false),
        _ if !err.contains("shem: checked: witness") && !err.contains("shem: checked: certificate") => {
            Err(format!("not validated: {told}"))
        }
        "unsat" => needless(&out).map_or(Ok(true), Err),
        _ => Ok(true),
    }
}

/// What is not needed in a derivation that was printed: a fact that nobody uses, or one that is there twice.
fn needless(text: &str) -> Option<String> {
    let mut lines = BTreeMap::new();
    for line in text.lines().filter(|line| line.contains(" -> ")) {
        let (number, rest) = line.split_once(":\t").expect("a numbered line");
        let (fact, premises) = rest.split_once(" -> ").expect("a fact with premises");
        lines.insert(number.parse::<usize>().expect("a number"), (fact, premises));
    }
    let used: BTreeSet<usize> = lines
        .values()
        .flat_map(|(_, premises)| premises.split_whitespace().map(|number| number.parse().expect("a number")))
        .collect();
    let mut facts = BTreeSet::new();
    let needless = lines.iter().find(|(number, (fact, _))| {
        let again = !facts.insert(*fact);
        again || (*fact != "false" && !used.contains(number))
    });
    needless.map(|(number, (fact, _))| format!("step {number} is not needed: {fact}"))
}

/// Runs everybody on a system; who has solved it. Failures go to the list.
fn run(case: &Case, failures: &Mutex<Vec<String>>) -> Vec<&'static str> {
    let shapes = shem(&["shapes"], &case.path);
    let shapes = String::from_utf8_lossy(&shapes.stdout).into_owned();
    // The shape as read, then the one that engines see.
    let nonlinear = shapes.split('|').nth(1).is_some_and(|after| after.contains("nonlinear"));
    let decided = case.solved_by.iter().any(|name| name == PREPROCESSING);
    let mut solved = Vec::new();
    let mut record = |who: &'static str, judged: Result<bool, String>| match judged {
        Ok(true) => solved.push(who),
        Ok(false) => {}
        Err(error) => {
            failures.lock().expect("no panic").push(format!("{} by {who}: {error}", case.path.display()));
        }
    };
    let registry = shem_engine::Registry::standard();
    for name in engine_names() {
        let engine = registry.engine(name).expect("an engine of the registry");
        // What an engine for bits gets is prepared otherwise, and it refuses the rest at once; no pass runs for one that
        // takes systems as they are read.
        let is_decided = decided
            && engine.theories != shem_engine::Theories::Bits
            && !matches!(engine.fragment, shem_engine::Fragment::AsRead | shem_engine::Fragment::Uncomposed);
        let must = is_decided || case.solved_by.iter().any(|engine| engine == name);
        let limit = if must { MUST } else { MAY };
        let words = ["-e", name, "--validate", "--print-witness", "-t", limit];
        let output = shem(&[&words[..], &LEAVE_TO_ENGINES].concat(), &case.path);
        let takes_all = engine.fragment.includes(shem_chc::Shape::Nonlinear);
        let refuses = nonlinear && !takes_all;
        record(name, judge(&output, case.answer, must, refuses));
    }
    let output = shem(&["--validate", "--print-witness", "--jobs", "2", "-t", MUST], &case.path);
    record("the default strategy", judge(&output, case.answer, true, false));
    solved
}

#[test]
fn needless_steps_are_seen() {
    let unused = "unsat\n0:\ttrue\n1:\t(p 1) ->  0\n2:\t(p 2) ->  1\n3:\tfalse ->  1\n\n";
    assert_eq!(needless(unused).as_deref(), Some("step 2 is not needed: (p 2)"));
    let twice = "unsat\n0:\ttrue\n1:\t(p 1) ->  0\n2:\t(p 1) ->  1\n3:\tfalse ->  2\n\n";
    assert_eq!(needless(twice).as_deref(), Some("step 2 is not needed: (p 1)"));
    assert_eq!(needless("unsat\n0:\ttrue\n1:\t(p 1) ->  0\n2:\tfalse ->  1 1\n\n"), None);
}

#[test]
fn every_engine_on_every_system() {
    let cases = cases();
    let (failures, next) = (Mutex::new(Vec::new()), AtomicUsize::new(0));
    let solved: Mutex<BTreeMap<&str, usize>> = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from).min(4) {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    for name in run(case, &failures) {
                        *solved.lock().expect("no panic").entry(name).or_default() += 1;
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().expect("no panic");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let solved = solved.into_inner().expect("no panic");
    assert_eq!(solved["the default strategy"], cases.len());
}

/// Answer and counts of an engine with a seed.
fn counts(engine: &str, seed: &str, path: &Path) -> (String, String) {
    let words = ["-e", engine, "--seed", seed, "--json", "--deterministic", "--trust", "-t", MUST];
    let output = shem(&[&words[..], &LEAVE_TO_ENGINES].concat(), path);
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("an object of JSON");
    let check = &found["checks"][0];
    (check["answer"].to_string(), check["counts"].to_string())
}

/// Every engine follows its seed: runs of several seeds differ on some system and agree in their answers, and those of
/// one seed are the same.
#[test]
fn seeds_decide_between_runs() {
    let cases = cases();
    for name in engine_names() {
        let mut own = cases.iter().filter(|case| case.solved_by.iter().any(|engine| engine == name));
        let differs = own.any(|case| {
            let runs = ["1", "2", "3"].map(|seed| counts(name, seed, &case.path));
            for (answer, _) in &runs {
                assert_eq!(answer.trim_matches('"'), case.answer, "{name} on {}", case.path.display());
            }
            let again = counts(name, "3", &case.path);
            assert_eq!(again, runs[2], "{name} on {}", case.path.display());
            runs[0] != runs[1] && runs[1] != runs[2] && runs[0] != runs[2]
        });
        assert!(differs, "{name} does not heed its seed");
    }
}

/// The lists of engines say something: names are names, and every engine has to solve systems of each kind that it
/// decides.
#[test]
fn every_engine_is_needed() {
    let cases = cases();
    let names = engine_names();
    for case in &cases {
        for name in &case.solved_by {
            let known = [PREPROCESSING, STRATEGY].contains(&name.as_str()) || names.contains(&name.as_str());
            assert!(known, "{}: there is no engine {name}", case.path.display());
        }
    }
    let reach_engines = cases.iter().filter(|case| case.solved_by[0] != PREPROCESSING).count();
    assert!(reach_engines >= 35, "only {reach_engines} systems are left to engines");
    for engine in shem_engine::Registry::standard().engines() {
        let name = engine.name;
        let answers = [("sat", engine.answers.include_safe()), ("unsat", engine.answers.include_unsafe())];
        for (answer, _) in answers.into_iter().filter(|(_, given)| *given) {
            let count = cases
                .iter()
                .filter(|case| case.answer == answer && case.solved_by.iter().any(|engine| engine == name))
                .count();
            assert!(count >= 3, "{name} has to solve only {count} systems that are {answer}");
        }
    }
}
