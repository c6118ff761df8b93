//! With `--pure` an engine does what its paper describes, and nothing else.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use shem_transform::Stage;

/// The passes that the papers describe.
const PASSES: [&str; 8] = [
    "eliminate-quantifiers",
    "simplify",
    "reachable",
    "chains",
    "contract",
    "contract-eager",
    "merge",
    "direct",
];

/// The engines that the papers are about.
const ENGINES: [&str; 8] = ["bmc", "imc", "kind", "lawi", "pdkind", "spacer", "split-tpa", "tpa"];

/// A loop of 2000 steps to a bad state, in two phases; an argument is always zero, and one step changes nothing.
const PHASES: &str = "(set-logic HORN)
    (declare-fun p (Int Int Int) Bool)
    (assert (forall ((x Int) (y Int) (z Int)) (=> (and (= x 0) (= y 1000) (= z 0)) (p x y z))))
    (assert (forall ((x Int) (y Int) (z Int))
        (=> (and (p x y z) (< x 2000)) (p (+ x 1) (ite (< x 1000) y (+ y 1)) z))))
    (assert (forall ((x Int) (y Int) (z Int)) (=> (p x y z) (p x y z))))
    (assert (forall ((x Int) (y Int) (z Int)) (=> (and (p x y z) (= x y) (> x 1000)) false)))
    (check-sat)";

fn file(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).expect("the file can be written");
    path
}

/// The answer, and the figures by name.
fn run(words: &[&str], path: &Path) -> (String, Vec<(String, f64)>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_shem"));
    let output = command.args(words).arg("--stats").arg(path).stdin(Stdio::null()).output().expect("it runs");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{words:?}: {err}");
    let figure = |line: &str| {
        let (name, value) = line.trim().split_once(char::is_whitespace)?;
        Some((name.to_owned(), value.trim().parse().ok()?))
    };
    let answer = String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().to_owned();
    (answer, err.lines().filter_map(figure).collect())
}

fn count(figures: &[(String, f64)], name: &str) -> f64 {
    figures.iter().find(|(found, _)| found == name).map_or(0.0, |(_, value)| *value)
}

/// The names of passes that any stage has, of which some figure speaks.
fn passes(figures: &[(String, f64)]) -> BTreeSet<&'static str> {
    let all = Stage::ALL.into_iter().flat_map(|stage| stage.pipeline().into_passes());
    let names: BTreeSet<&'static str> = all.map(|pass| pass.name()).collect();
    let speaks = |name: &&str| {
        let prefix = format!("preprocess.{name}.");
        figures.iter().any(|(figure, _)| figure.starts_with(&prefix))
    };
    names.into_iter().filter(speaks).collect()
}

#[test]
fn only_the_passes_of_the_papers_run() {
    let path = file("pure-passes.smt2", PHASES);
    let known: BTreeSet<&str> = PASSES.into();
    for engine in ENGINES {
        let (_, figures) = run(&["-e", engine, "--pure", "--verdict-timeout", "1"], &path);
        let found = passes(&figures);
        assert!(found.is_subset(&known), "{engine}: {found:?}");
    }
    let (_, figures) = run(&["-e", "spacer", "--verdict-timeout", "1"], &path);
    assert!(passes(&figures).contains("invariants"), "{figures:?}");
}

#[test]
fn pure_transition_powers_are_searched() {
    let path = file("pure-powers.smt2", PHASES);
    for engine in ["tpa", "split-tpa"] {
        let runs = format!("{engine}.runs");
        let (answer, figures) = run(&["-e", engine, "--validate"], &path);
        assert_eq!(answer, "unsat", "{engine}");
        assert!(count(&figures, &runs) > 0.0, "{engine}: {figures:?}");
        let (answer, figures) = run(&["-e", engine, "--pure", "--validate"], &path);
        assert_eq!(answer, "unsat", "{engine}");
        assert_eq!(count(&figures, &runs), 0.0, "{engine}: {figures:?}");
        // What was given is stronger than what pure engines do.
        let (_, figures) = run(&["-e", engine, "--pure", "--tpa.runs=yes"], &path);
        assert!(count(&figures, &runs) > 0.0, "{engine}: {figures:?}");
    }
}

/// Guidance of Spacer is off, also in a mix, in instances and in the default strategy, whose entries are told so.
#[test]
fn everybody_is_pure() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/horn/two-loops-safe.smt2");
    for words in [
        &["-e", "spacer", "--pure"][..],
        &["-e", "spacer,kind", "--pure"],
        &["-e", "spacer --pure, spacer"],
        &["-e", "spacer", "--instances", "3", "--pure"],
        &["-e", "pdkind", "--instances", "4", "--pure", "--virtual-cores", "4", "--share", "all"],
        &["--pure"],
        &["--pure", "--virtual-cores", "4"],
    ] {
        let (answer, figures) = run(&[words, &["--validate"]].concat(), &path);
        assert_eq!(answer, "sat", "{words:?}");
        if words.contains(&"--pure") {
            let guided = figures.iter().filter(|(name, _)| name.contains("guidance."));
            assert_eq!(guided.map(|(_, value)| value).sum::<f64>(), 0.0, "{words:?}: {figures:?}");
            let found = passes(&figures);
            assert!(found.is_subset(&PASSES.into()), "{words:?}: {found:?}");
        }
    }
    let strategy = Command::new(env!("CARGO_BIN_EXE_shem")).args(["strategy", "--pure"]).arg(&path).output();
    let text = String::from_utf8(strategy.expect("it runs").stdout).expect("text");
    let entries = text.lines().filter(|line| line.contains("-e ")).count();
    assert!(entries > 2 && text.lines().filter(|line| line.contains("--pure")).count() == entries, "{text}");
}

/// Whatever is left out, answers are right.
#[test]
fn answers_of_pure_engines_are_right() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/regressions");
    let mut solved = 0;
    for answer in ["sat", "unsat"] {
        let mut paths: Vec<PathBuf> = std::fs::read_dir(root.join(answer))
            .expect("the folder is there")
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "smt2"))
            .collect();
        paths.sort();
        for (number, path) in paths.iter().enumerate() {
            let engine = ENGINES[number % ENGINES.len()];
            let words = ["-e", engine, "--pure", "--validate", "-t", "2", "--verdict-timeout", "0.3"];
            let (found, _) = run(&words, path);
            assert!(found == answer || found == "unknown", "{engine} on {}: {found}", path.display());
            solved += usize::from(found == answer);
        }
    }
    assert!(solved > 20, "{solved}");
}
