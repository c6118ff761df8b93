//! Regressions: each script of `tests/scripts` with its expected output.
//!
//! The expected file holds what goes to standard output, then, after a line `--- stderr`, what goes to standard
//! error, if anything, and at the end the exit code if it is not 0. Models and cores are checked in every run.
//! With `SHEM_BLESS=1` in the environment the expected files are written anew.

use std::fs;
use std::path::{Path, PathBuf};

use shem_script::options::RunOptions;
use shem_script::smt::{Options, Outcome, run_stream, run_text};

/// All scripts, in the order of their names.
fn scripts() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts");
    let entries = fs::read_dir(folder).expect("the folder of scripts is there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "smt2"));
    paths.sort();
    assert!(!paths.is_empty());
    paths
}

/// The whole behaviour of a run in one text.
fn behaviour(out: &[u8], err: &[u8], outcome: Outcome) -> String {
    let mut text = String::from_utf8_lossy(out).into_owned();
    if !err.is_empty() {
        text.push_str("--- stderr\n");
        text.push_str(&String::from_utf8_lossy(err));
    }
    if outcome == Outcome::Failed {
        text.push_str("--- exit code 1\n");
    }
    text
}

fn with(run: RunOptions) -> Options {
    Options { run, ..Options::default() }
}

fn options() -> Options {
    Options { check_models: true, check_cores: true, check_interpolants: true, ..Options::default() }
}

#[test]
fn scripts_answer_as_expected() {
    let bless = std::env::var_os("SHEM_BLESS").is_some();
    let mut differing = Vec::new();
    for path in scripts() {
        let script = fs::read(&path).expect("a readable script");
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let outcome = run_text(&name, &*script, &options(), &mut out, &mut err);
        let found = behaviour(&out, &err, outcome);
        let expected_path = path.with_extension("out");
        if bless {
            fs::write(&expected_path, &found).expect("a writable folder");
        }
        let expected = fs::read_to_string(&expected_path).unwrap_or_default();
        if found != expected {
            differing.push(format!("{name}\n=== expected\n{expected}=== found\n{found}"));
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

/// A script gives the same answers if it arrives byte by byte.
#[test]
fn streams_answer_like_files() {
    struct Bytes<'a>(&'a [u8]);

    impl std::io::Read for Bytes<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let Some((&first, rest)) = self.0.split_first() else { return Ok(0) };
            buffer[0] = first;
            self.0 = rest;
            Ok(1)
        }
    }

    for path in scripts() {
        let script = fs::read(&path).expect("a readable script");
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let outcome = run_text("script", &*script, &options(), &mut out, &mut err);
        let (mut stream_out, mut stream_err) = (Vec::new(), Vec::new());
        let stream_outcome =
            run_stream("script", &mut Bytes(&script), &options(), &mut stream_out, &mut stream_err);
        let name = path.display();
        assert_eq!(String::from_utf8_lossy(&out), String::from_utf8_lossy(&stream_out), "{name}");
        assert_eq!(outcome, stream_outcome, "{name}");
        // The line that is shown may be cut where the piece starts, but the place is the same.
        let first_line = |text: &[u8]| String::from_utf8_lossy(text).lines().next().map(str::to_owned);
        assert_eq!(first_line(&err), first_line(&stream_err), "{name}");
    }
}

#[test]
fn a_wrong_status_can_fail_the_run() {
    let script = b"(set-info :status unsat) (check-sat)";
    let mut err = Vec::new();
    let options = with(RunOptions { check_status: true, ..RunOptions::default() });
    let outcome = run_text("s", script, &options, &mut Vec::new(), &mut err);
    assert_eq!(outcome, Outcome::Failed);
    assert_eq!(String::from_utf8_lossy(&err), "s:1:26: warning: the answer is sat, the status is unsat\n");
}

#[test]
fn limits_make_queries_unknown() {
    let script =
        b"(declare-const x Int) (declare-const y Int) (assert (< 0 (- (* 3 x) (* 6 y)) 3)) (check-sat)
        (get-info :reason-unknown)";
    let options = with(RunOptions { timeout: Some(std::time::Duration::ZERO), ..RunOptions::default() });
    let mut out = Vec::new();
    let outcome = run_text("s", script, &options, &mut out, &mut std::io::sink());
    let out = String::from_utf8_lossy(&out);
    // The solver may decide so small a query before it looks at its token.
    assert!(out == "unknown\n(:reason-unknown timeout)\n" || out.starts_with("unsat\n"), "{out}");
    assert_eq!(outcome == Outcome::Failed, out.starts_with("unsat"));
}

/// The queries that are dumped can be run again, with the same answers.
#[test]
fn dumped_queries_run_again() {
    let folder = std::env::temp_dir();
    for path in scripts() {
        let script = fs::read(&path).expect("a readable script");
        let stem = path.file_stem().expect("a file").to_string_lossy().into_owned();
        let dump = folder.join(format!("shem-dump-{}-{stem}.smt2", std::process::id()));
        let options = with(RunOptions { dump_queries: Some(dump.clone()), ..RunOptions::default() });
        let mut out = Vec::new();
        run_text("script", &*script, &options, &mut out, &mut std::io::sink());
        let queries = fs::read(&dump).expect("the dump is written");
        fs::remove_file(&dump).expect("the dump can be removed");
        let (mut again, mut err) = (Vec::new(), Vec::new());
        let options = with(RunOptions { check_status: true, ..RunOptions::default() });
        let outcome = run_text("dump", &*queries, &options, &mut again, &mut err);
        assert_eq!(outcome, Outcome::Completed, "{stem}: {}", String::from_utf8_lossy(&err));
        let answers = |text: &[u8]| {
            let text = String::from_utf8_lossy(text).into_owned();
            let lines = text.lines().filter(|line| matches!(*line, "sat" | "unsat" | "unknown"));
            lines.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(answers(&out), answers(&again), "{stem}");
    }
}

/// Beyond arithmetic, interpolants and eliminations are right or there are none, with the reason.
#[test]
fn what_cannot_be_given_is_unknown() {
    let check = |script: &str| {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let outcome = run_text("s", script.as_bytes(), &options(), &mut out, &mut err);
        assert_eq!(outcome, Outcome::Completed, "{}", String::from_utf8_lossy(&err));
        let out = String::from_utf8_lossy(&out).into_owned();
        let lines: Vec<&str> = out.lines().collect();
        if let Some(at) = lines.iter().position(|&line| line == "unknown") {
            // The command that asks for the reason is run only where there is one.
            let script = format!("{script} (get-info :reason-unknown)");
            let mut out = Vec::new();
            run_text("s", script.as_bytes(), &options(), &mut out, &mut std::io::sink());
            let out = String::from_utf8_lossy(&out).into_owned();
            let reason = out.lines().nth(at + 1).unwrap_or_default();
            assert!(reason.starts_with("(:reason-unknown (incomplete \""), "{out}");
        }
    };
    check(
        "(declare-fun f (Int) Int) (declare-const x Int) (declare-const y Int) (declare-const z Int)
         (assert (! (and (= x y) (= (f x) 1)) :named left)) (assert (! (and (= y z) (= (f z) 2)) :named right))
         (check-sat) (get-interpolants left right)",
    );
    check(
        "(declare-const a (Array Int Int)) (declare-const b (Array Int Int)) (declare-const i Int)
         (declare-const j Int) (declare-const k Int)
         (assert (! (= b (store a i 0)) :named left))
         (assert (! (and (distinct j k) (distinct (select a j) (select b j)) (distinct (select a k) (select b k)))
           :named right))
         (check-sat) (get-interpolants left right)",
    );
    check("(declare-const x Int) (get-qe (exists ((a (Array Int Int))) (= (select a x) 3)))");
    check("(declare-fun f (Int) Int) (declare-const x Int) (get-qe (exists ((y Int)) (< x (f y) y)))");
}

/// A declared sort may have one element only.
#[test]
fn quantifiers_over_declared_sorts_are_not_eliminated() {
    let script = b"(declare-sort U 0) (declare-const u U) (get-qe (forall ((v U)) (= u v)))
        (assert (forall ((v U)) (= u v))) (check-sat)";
    let mut out = Vec::new();
    run_text("s", script, &options(), &mut out, &mut std::io::sink());
    assert_eq!(String::from_utf8_lossy(&out), "unknown\nunknown\n");
}
