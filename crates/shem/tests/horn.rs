//! The command line on Horn problems: outputs byte for byte, exit codes, options, mistakes.
//!
//! Each script of `tests/horn` is run with the options of its first line, `; shem OPTIONS`, if it has one, and
//! its whole behaviour compared with the file beside it, as in `tests/scripts.rs`. `SHEM_BLESS=1` writes these
//! files anew. Further tests run the program itself.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// A file of the examples.
fn example(name: &str) -> String {
    folder("../../examples/horn").join(name).to_string_lossy().into_owned()
}

fn shem(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_shem"));
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(args: &[&str]) -> Output {
    shem(args).output().expect("the program runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs the program and compares standard output and exit code; gives standard error.
#[track_caller]
fn check(args: &[&str], expected: &str, code: i32) -> String {
    let output = run(args);
    let err = text(&output.stderr);
    assert_eq!(text(&output.stdout), expected, "{args:?}: {err}");
    assert_eq!(output.status.code(), Some(code), "{args:?}: {err}");
    err
}

/// Runs the program on a text from standard input.
fn pipe(args: &[&str], input: &[u8]) -> Output {
    let mut child = shem(args).stdin(Stdio::piped()).spawn().expect("the program runs");
    child.stdin.take().expect("a pipe").write_all(input).expect("the program reads");
    child.wait_with_output().expect("the program ends")
}

/// A system that only a very long unrolling decides.
const ENDLESS: &str = "(declare-fun p (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 1)) (p x y))))
(assert (forall ((x Int) (y Int) (z Int)) (=> (and (p x y) (< z x) (> (* 3 z) (- x 7))) (p (+ x 1) (+ y (* 3 z))))))
(assert (forall ((x Int) (y Int)) (=> (and (p x y) (= y 100000000)) false)))
(check-sat)";

const LEGACY: &str = "unsat\n0:\ttrue\n1:\t(Inv 0) ->  0\n2:\t(Inv 1) ->  1\n3:\tfalse ->  2\n\n";

#[test]
fn scripts_answer_as_expected() {
    let bless = std::env::var_os("SHEM_BLESS").is_some();
    let mut paths: Vec<PathBuf> = fs::read_dir(folder("tests/horn"))
        .expect("the folder is there")
        .map(|e| e.expect("an entry").path())
        .collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "smt2"));
    paths.sort();
    assert!(!paths.is_empty());
    let mut differing = Vec::new();
    for path in paths {
        let script = fs::read_to_string(&path).expect("a readable script");
        let first = script.lines().next().unwrap_or_default();
        let mut args: Vec<&str> =
            first.strip_prefix("; shem ").unwrap_or_default().split_whitespace().collect();
        args.push("-");
        let output = pipe(&args, script.as_bytes());
        let mut found = text(&output.stdout);
        if !output.stderr.is_empty() {
            found.push_str(&format!("--- stderr\n{}", text(&output.stderr)));
        }
        if output.status.code() != Some(0) {
            found.push_str(&format!("--- exit code {:?}\n", output.status.code()));
        }
        let expected_path = path.with_extension("out");
        if bless {
            fs::write(&expected_path, &found).expect("a writable folder");
        }
        let expected = fs::read_to_string(&expected_path).unwrap_or_default();
        if found != expected {
            differing.push(format!("{}\n=== expected\n{expected}=== found\n{found}", path.display()));
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

#[test]
fn a_derivation_is_printed_byte_for_byte() {
    check(&["--print-witness", &example("counter-unsafe.smt2")], LEGACY, 0);
}

/// Examples 1, 2 and 3 of the tool paper: preprocessing decides them.
#[test]
fn the_examples_of_the_paper() {
    let unsat = run(&["--print-witness", "--validate", &example("two-steps-unsafe.smt2")]);
    let out = text(&unsat.stdout);
    let facts: Vec<&str> = out.lines().filter_map(|l| l.split_once('\t')?.1.split(" -> ").next()).collect();
    assert_eq!(out.lines().next(), Some("unsat"));
    for fact in ["true", "(L1 1)", "(T 1 2)", "(L2 2)", "false"] {
        assert!(facts.contains(&fact), "{fact} in {out}");
    }
    assert_eq!(text(&unsat.stderr), "shem: checked: witness\n");
    let sat = run(&["--print-witness", "--validate", &example("two-steps-safe.smt2")]);
    let out = text(&sat.stdout);
    assert!(out.starts_with("sat\n(\n  (define-fun L1 ((x Int)) Bool\n"), "{out}");
    let positions: Vec<usize> = ["L1", "T", "L2"]
        .iter()
        .map(|p| out.find(&format!("(define-fun {p} ")).expect("a definition"))
        .collect();
    assert!(positions.is_sorted(), "{out}");
    assert_eq!(text(&sat.stderr), "shem: checked: witness\n");
}

/// The command lines of programs that call Horn solvers.
#[test]
fn callers_are_served() {
    let file = example("counter-unsafe.smt2");
    check(&["-l", "QF_LIA", "-e", "bmc", "--print-witness", &file], LEGACY, 0);
    check(&["--print-witness", &file], LEGACY, 0);
    check(&["--logic=QF_LRA", "--engine=kind", &file], "unsat\n", 0);
    check(
        &["-i", &file, "-f", "forward", "--force-ts", "--simplify-nested", "--forced-covering"],
        "unsat\n",
        0,
    );
    check(&["--lra-itp-algorithm", "4", "--tpa.use-qe", "--verbose=0", &file], "unsat\n", 0);
    check(&["--compute-witness=no", &file], "unsat\n", 0);
    let script = fs::read(&file).expect("the example");
    let output = pipe(&["-t", "10", "-"], &script);
    assert_eq!((text(&output.stdout), output.status.code()), ("unsat\n".to_owned(), Some(0)));
}

#[test]
fn mistakes_have_exit_code_1_and_no_verdict() {
    let file = example("counter-unsafe.smt2");
    for (args, words) in [
        (&["--no-such-option", &file][..], "unexpected argument '--no-such-option' found"),
        (&["-e", "magic", &file], "there is no engine magic"),
        (&["-e", "bmc,magic", &file], "there is no engine magic"),
        (&["-e", "bmc,", &file], "an engine is missing"),
        (&["-e", "bmc --json, kind", &file], "--json does not concern engines"),
        (&["-e", "bmc, kind --seed x", &file], "(in the mix: kind --seed x)"),
        (&["-p", "xml", &file], "[possible values: legacy, intermediate, alethe]"),
        (&["--lra-itp-algorithm", "all", &file], "--lra-itp-algorithm takes 0, 2, 4 or 5, not 'all'"),
        (&["-l", "QF_FP", &file], "the logic QF_FP is not supported"),
        (&["/no/such/file.smt2"], "/no/such/file.smt2: "),
        (&["/"], "/: "),
    ] {
        let output = run(args);
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        assert!(out.starts_with("(error \"") && out.contains(words), "{args:?}: {out}");
        assert!(err.contains(words), "{args:?}: {err}");
    }
}

#[test]
fn texts_that_are_no_problems() {
    for (script, words, place) in [
        (&b"(assert (forall ((x Int)) (p x)))"[..], "p", "<stdin>:1:"),
        (b"(declare-fun p (Int) Bool)\n(assert (p 1 2))", "p", "<stdin>:2:"),
        (b"(declare-fun p (Int) Bool)\n(assert (p true))", "p", "<stdin>:2:"),
        (b"(declare-fun p (Int) Bool)\n(assert (or (p 1) (p 2)))", "not a Horn clause", "<stdin>:2:"),
        (b"(declare-fun p ((_ FloatingPoint 8 24)) Bool)", "FloatingPoint", "<stdin>:1:"),
        (b"(declare-fun p ((_ BitVec 0)) Bool)", "at least one bit", "<stdin>:1:"),
        (b"(declare-fun p (Int) Bool)\n(assert (forall ((x Int)) (=> (p x)", "", "<stdin>:2:"),
        (b"(declare-fun p () Bool)\n\xff", "UTF-8", "<stdin>:2:1"),
        (b"(set-logic QF_LIA)", "QF_LIA", "<stdin>:1:"),
    ] {
        let output = pipe(&["-"], script);
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        let shown = text(script);
        assert_eq!(output.status.code(), Some(1), "{shown}");
        assert!(out.starts_with("(error \"line ") && out.contains(words), "{shown}: {out}");
        assert_eq!(out.lines().count(), 1, "{shown}: {out}");
        assert!(err.starts_with(place) && err.contains('^'), "{shown}: {err}");
    }
}

#[test]
fn time_limits_hold() {
    for args in [&["-t", "0.3", "-e", "bmc", "-"][..], &["--timeout-ms", "300", "-e", "kind", "-"]] {
        let start = Instant::now();
        let output = pipe(args, ENDLESS.as_bytes());
        assert_eq!(text(&output.stdout), "unknown\n");
        assert_eq!(text(&output.stderr), "shem: unknown: the time limit of 0.3 s is reached\n");
        assert_eq!(output.status.code(), Some(0));
        assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    }
    let output = pipe(&["--verdict-timeout", "0.3", "-t", "60", "-e", "bmc", "-"], ENDLESS.as_bytes());
    assert_eq!(text(&output.stderr), "shem: unknown: no verdict within 0.3 s\n");
    let script = format!("(set-option :timeout 200)\n{ENDLESS}\n(get-model)\n(get-info :reason-unknown)");
    let output = pipe(&["-e", "bmc", "-"], script.as_bytes());
    let out = text(&output.stdout);
    let missing = "(error \"there is no model: the answer is unknown\")";
    let reason = "(:reason-unknown \"the time limit of 0.2 s is reached\")";
    assert_eq!(out, format!("unknown\n{missing}\n{reason}\n"));
    // Every check is answered, after the limit as well.
    let script = format!("{ENDLESS}\n(check-sat)\n");
    let output = pipe(&["-t", "0.3", "-e", "bmc", "-"], script.as_bytes());
    assert_eq!(text(&output.stdout), "unknown\nunknown\n");
}

/// A worker is of use only to whoever started it.
#[test]
#[cfg(target_os = "linux")]
fn a_worker_without_its_parent_ends() {
    let output = run(&["--worker=1", "-e", "bmc"]);
    assert_eq!((text(&output.stdout), output.status.code()), (String::new(), Some(1)));
    assert_eq!(text(&output.stderr), "shem: process 1 is not there\n");
}

/// Entries are command lines that can be run alone.
#[test]
fn strategies_are_listed() {
    let file = example("counter-safe.smt2");
    for jobs in ["1", "2"] {
        let args =
            ["strategy", "--jobs", jobs, "--seed", "3", "--disable-pass", "equalities,invariants", &file];
        let out = text(&run(&args).stdout);
        let mut lines = out.lines();
        assert_eq!(lines.next(), Some(&*format!("# transition system; {jobs} cores")));
        assert!(out.contains("shem -e spacer --seed=3 "), "{out}");
        for line in lines {
            let words: Vec<&str> = line.split_once("  #").expect("a comment").0.split(' ').collect();
            assert_eq!((words[0], words[1]), ("shem", "-e"), "{line}");
            // The one that runs first proves nothing.
            let answer = if words[2] == "scout" { "unknown\n" } else { "sat\n" };
            check(&words[1..], answer, 0);
        }
    }
    let out = text(&run(&["strategy", &example("two-steps-safe.smt2")]).stdout);
    assert_eq!(out, "# preprocessing decides it\n");
    assert_eq!(run(&["strategy", "/no/such/file"]).status.code(), Some(1));
}

/// Progress is for terminals.
#[test]
fn long_runs_are_quiet_in_pipes() {
    let output = pipe(&["-t", "1.5", "-e", "bmc", "-"], ENDLESS.as_bytes());
    assert_eq!(text(&output.stdout), "unknown\n");
    assert_eq!(text(&output.stderr), "shem: unknown: the time limit of 1.5 s is reached\n");
}

/// Limits beyond all clocks are no limits.
#[test]
fn huge_limits_are_no_limits() {
    let script =
        "(set-option :timeout 18446744073709551615)\n(declare-fun p () Bool)\n(assert p)\n(check-sat)";
    let args =
        ["-t", "1e18", "--memory", "18446744073709551615", "--witness-budget", "1e18", "--validate", "-"];
    let output = pipe(&args, script.as_bytes());
    assert_eq!(
        (text(&output.stdout), output.status.code()),
        ("sat\n".to_owned(), Some(0)),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn memory_limits_hold() {
    let output = pipe(&["--memory", "3", "-t", "60", "-e", "bmc", "-"], ENDLESS.as_bytes());
    assert_eq!(text(&output.stdout), "unknown\n");
    assert_eq!(text(&output.stderr), "shem: unknown: the memory limit of 3 MB is reached\n");
    assert_eq!(output.status.code(), Some(0));
}

/// Factors of a prime number: the circuit alone needs more than the limit, or the search does.
#[test]
fn memory_limits_hold_in_scripts() {
    let script = "(set-logic QF_BV) (declare-const a (_ BitVec 64)) (declare-const b (_ BitVec 64))
        (assert (= a (concat #x00000000 ((_ extract 31 0) a)))) (assert (bvugt a (_ bv1 64)))
        (assert (= b (concat #x00000000 ((_ extract 31 0) b)))) (assert (bvugt b (_ bv1 64)))
        (assert (= (bvmul a b) (_ bv18446744073709551557 64)))
        (check-sat) (get-info :reason-unknown)";
    let output = pipe(&["smt", "--memory", "3", "-t", "60", "-"], script.as_bytes());
    assert_eq!(text(&output.stdout), "unknown\n(:reason-unknown memout)\n");
    assert_eq!(output.status.code(), Some(0));
}

/// Where the system has no more memory to give, the answer is still a verdict.
#[test]
#[cfg(target_os = "linux")]
fn a_failed_allocation_is_no_abort() {
    let program = env!("CARGO_BIN_EXE_shem");
    let mut child = Command::new("sh")
        .args(["-c", &format!("ulimit -v 40000; exec '{program}' -")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a shell");
    // A text of 200 MB does not fit; the program may stop to read before all is written.
    let mut pipe = child.stdin.take().expect("a pipe");
    let line = b"; a comment that is read and forgotten, over and over again, until there is no room left\n"
        .repeat(1000);
    for _ in 0..2300 {
        if pipe.write_all(&line).is_err() {
            break;
        }
    }
    drop(pipe);
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(text(&output.stdout), "unknown\n", "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("out of memory"), "{}", text(&output.stderr));
    assert_eq!(output.status.code(), Some(0));
}

#[test]
#[cfg(unix)]
fn signals_are_answered() {
    use std::os::unix::process::ExitStatusExt;
    for (signal, number) in [("INT", 2), ("TERM", 15)] {
        let mut child = shem(&["-e", "bmc", "-"]).stdin(Stdio::piped()).spawn().expect("the program runs");
        child.stdin.take().expect("a pipe").write_all(ENDLESS.as_bytes()).expect("the program reads");
        std::thread::sleep(Duration::from_millis(700));
        let id = child.id().to_string();
        let killed =
            Command::new("sh").args(["-c", &format!("kill -{signal} {id}")]).status().expect("a shell");
        assert!(killed.success());
        let output = child.wait_with_output().expect("the program ends");
        assert_eq!(text(&output.stdout), "unknown\n", "{signal}");
        let err = text(&output.stderr);
        assert!(err.starts_with(&format!("shem: unknown: interrupted by SIG{signal}\n")), "{err}");
        assert_eq!(err.lines().count(), 1, "nothing that nobody asked for: {err}");
        // A shell that runs the program in a loop has to see that it was ended.
        assert_eq!(output.status.signal(), Some(number));
    }
}

/// A witness that is out of its budget is no reason to withhold the verdict, unless `--validate` says so; but that it was
/// not checked is told.
#[test]
fn without_witness_there_is_a_verdict() {
    let file = example("counter-unsafe.smt2");
    for engines in [&["-e", "spacer"][..], &[]] {
        let with = |more: &[&str]| {
            let args = [engines, &["--witness-budget", "0"], more, &[file.as_str()]].concat();
            let output = run(&args);
            assert_eq!(output.status.code(), Some(0));
            (text(&output.stdout), text(&output.stderr))
        };
        for more in [&["--print-witness"][..], &[]] {
            let (out, err) = with(more);
            assert_eq!(out, "unsat\n");
            assert!(err.starts_with("shem: unsat was not checked: ") && err.lines().count() == 1, "{err}");
        }
        let (out, _) = with(&["--json"]);
        assert!(out.contains("\"checked\":\"nothing\""), "{out}");
        let (out, err) = with(&["--validate", "-v"]);
        assert_eq!(out, "unknown\n");
        assert!(err.contains(" says unsat, but nothing shows it: "), "{err}");
    }
    let output = run(&["--trust", &file]);
    assert_eq!((text(&output.stdout), text(&output.stderr)), ("unsat\n".to_owned(), String::new()));
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let counts = |out: &str| {
        out[out.find("\"counts\"").expect("counts")..out.find("\"rates\"").expect("rates")].to_owned()
    };
    for file in ["two-loops-safe.smt2", "switch-unsafe.smt2"] {
        let args = ["-e", "imc", "--seed", "7", "--json", "--print-witness", &example(file)];
        let (first, second) = (text(&run(&args).stdout), text(&run(&args).stdout));
        let witness = |out: &str| out[..out.find("\"seconds\"").expect("seconds")].to_owned();
        assert_eq!(witness(&first), witness(&second));
        assert_eq!(counts(&first), counts(&second));
    }
}

#[test]
fn statistics_go_to_standard_error() {
    let err = check(&["--stats", &example("counter-unsafe.smt2")], "unsat\n", 0);
    for name in ["checked.witness", "memory.peak", "portfolio.started", "read.clauses", "time.total"] {
        assert!(err.contains(name), "{name} in {err}");
    }
    let err = check(&["--stats", "-e", "bmc", &example("counter-unsafe.smt2")], "unsat\n", 0);
    assert!(err.contains("checked.witness") && !err.contains("portfolio"), "{err}");
}

#[test]
fn graphs_are_dumped() {
    let out = text(&run(&["--dump-graph", "read", &example("counter-unsafe.smt2")]).stdout);
    assert!(out.starts_with("digraph ") && out.contains("Inv") && out.ends_with("}\n"), "{out}");
    let out = text(&run(&["--dump-graph", "preprocessed", &example("two-steps-safe.smt2")]).stdout);
    assert!(out.starts_with("digraph ") && !out.contains("L1(Int)"), "{out}");
}

/// What is dumped can be run again, and every answer is the recorded one.
#[test]
fn queries_are_dumped() {
    let path = std::env::temp_dir().join(format!("shem-queries-{}", std::process::id()));
    let folder = path.to_string_lossy().into_owned();
    let file = example("switch-unsafe.smt2");
    check(&["-e", "bmc", "--dump-queries", &folder, &file], "unsat\n", 0);
    let dumps: Vec<PathBuf> =
        fs::read_dir(&path).expect("the folder").map(|e| e.expect("a file").path()).collect();
    assert!(!dumps.is_empty());
    for dump in &dumps {
        let name = dump.to_string_lossy().into_owned();
        let output = run(&["smt", "--check-status", &name]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert!(text(&output.stdout).contains("sat"), "a query in {name}");
    }
    fs::remove_dir_all(&path).expect("the folder can be removed");
}

#[test]
fn instances_dump_their_queries_apart() {
    let path = std::env::temp_dir().join(format!("shem-instances-{}", std::process::id()));
    let folder = path.to_string_lossy().into_owned();
    let file = example("counter-unsafe.smt2");
    let output = run(&["-e", "pdkind", "--instances", "3", "--stats", "--dump-queries", &folder, &file]);
    assert_eq!((&*text(&output.stdout), output.status.code()), ("unsat\n", Some(0)));
    // The others may have been ended in the middle of a query.
    let statistics = text(&output.stderr);
    let winner =
        statistics.lines().find_map(|line| line.trim().strip_prefix("instances.winner")).unwrap_or("0");
    for number in 0..3 {
        let part = path.join(format!("{number}-pdkind"));
        let dump = part.join("queries-0000.smt2");
        assert!(part.is_dir(), "{}", part.display());
        if winner.trim() == number.to_string() {
            let output = run(&["smt", "--check-status", &dump.to_string_lossy()]);
            assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
            assert!(text(&output.stdout).contains("sat"), "a query in {}", dump.display());
        }
    }
    fs::remove_dir_all(&path).expect("the folder can be removed");
}

#[test]
fn compressed_files_are_read() {
    let gzip = Command::new("gzip").args(["-c", &example("counter-unsafe.smt2")]).output().expect("gzip");
    let output = pipe(&["-"], &gzip.stdout);
    assert_eq!((text(&output.stdout), output.status.code()), ("unsat\n".to_owned(), Some(0)));
    let output = pipe(&["-"], &gzip.stdout[..gzip.stdout.len() / 2]);
    assert!(text(&output.stdout).starts_with("(error \"<stdin>: "), "{}", text(&output.stdout));
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn help_manual_and_completions() {
    for (args, words) in [
        (&["--help"][..], "--print-witness"),
        (&["--help-all"], "fixed-point form"),
        (&["-h"], "shem --help-all lists all options"),
        (&["--version"], "shem "),
        (&["man"], ".TH SHEM 1"),
        (&["completions", "bash"], "complete -F _shem"),
        (&["completions", "zsh"], "#compdef shem"),
        (&["completions", "fish"], "complete -c shem"),
    ] {
        let output = run(args);
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        assert!(text(&output.stdout).contains(words), "{args:?}");
        assert!(output.stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn shapes_are_listed() {
    let out =
        text(&run(&["shapes", &example("two-steps-safe.smt2"), &example("two-loops-safe.smt2")]).stdout);
    // Vertices, edges, the shape, then arguments and how many of them are arrays and datatypes.
    assert!(out.contains("3 4 nonlinear ") && out.contains(" 0 0 | 0 0 trivial 0 0 0 | "), "{out}");
    assert!(out.contains("2 5 DAG of transition systems "), "{out}");
    let output = run(&["shapes", "/no/such/file"]);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_wrong_status_can_fail_the_run() {
    let script =
        b"(set-info :status sat)\n(declare-fun p () Bool)\n(assert p)\n(assert (not p))\n(check-sat)";
    let output = pipe(&["--check-status", "-"], script);
    assert_eq!((text(&output.stdout), output.status.code()), ("unsat\n".to_owned(), Some(1)));
    assert_eq!(text(&output.stderr), "<stdin>:5:1: warning: the answer is unsat, the status is sat\n");
}
