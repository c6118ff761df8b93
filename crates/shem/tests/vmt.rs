//! Transition systems in VMT: answers, witnesses and mistakes.
//!
//! Each file of `tests/vmt` is run with the options of its first line, `; shem OPTIONS`. Its second line says the
//! answers, and what is printed is compared with the file beside it; `SHEM_BLESS=1` writes these files anew.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vmt")
}

fn files() -> Vec<PathBuf> {
    let entries = fs::read_dir(folder()).expect("the folder is there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "vmt"));
    paths.sort();
    assert!(paths.len() >= 12);
    paths
}

/// The options of a file and its answers.
fn header(text: &str) -> (Vec<&str>, Vec<&str>) {
    let mut lines = text.lines();
    let mut words = |prefix: &str| -> Vec<&str> {
        let line = lines.next().unwrap_or_default();
        line.strip_prefix(prefix)
            .expect("a first line with options, a second one with answers")
            .split_whitespace()
            .collect()
    };
    (words("; shem"), words("; answers:"))
}

/// The options that say what is asked.
fn questions<'a>(args: &[&'a str]) -> Vec<&'a str> {
    let is_question = |pair: &&[&str]| ["--live-bound", "--property", "--ltl"].contains(&pair[0]);
    args.windows(2).filter(is_question).flatten().copied().collect()
}

fn shem(args: &[&str], input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_shem"));
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program runs");
    // It does not read where the command line is wrong.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    child.wait_with_output().expect("the program ends")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The verdicts in an output, as text or as JSON.
fn verdicts(output: &str) -> Vec<String> {
    if let Ok(serde_json::Value::Object(object)) = serde_json::from_str(output) {
        let checks = object["checks"].as_array().expect("a list").iter();
        return checks.map(|check| check["answer"].as_str().expect("a word").to_owned()).collect();
    }
    output.lines().filter(|line| ["sat", "unsat", "unknown"].contains(line)).map(str::to_owned).collect()
}

#[test]
fn files_answer_as_expected() {
    let bless = std::env::var_os("SHEM_BLESS").is_some();
    let mut differing = Vec::new();
    for path in files() {
        let file = fs::read_to_string(&path).expect("a readable file");
        let (mut args, answers) = header(&file);
        args.push("-");
        let output = shem(&args, &file);
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(verdicts(&out), answers, "{}: {err}", path.display());
        assert_eq!(output.status.code(), Some(0), "{}: {err}", path.display());
        let mut found = out;
        if let Ok(serde_json::Value::Object(mut object)) = serde_json::from_str(&found) {
            // Times and memory differ from run to run.
            let check = &object.remove("checks").expect("checks")[0];
            found = format!("{:#}\n{:#}\n", check["property"], check["witness"]);
        }
        if !err.is_empty() {
            found += &format!("--- standard error\n{err}");
        }
        let expected = path.with_extension("out");
        if bless {
            fs::write(&expected, &found).expect("a file that can be written");
        } else if fs::read_to_string(&expected).unwrap_or_default() != found {
            differing.push(format!("{}:\n{found}", path.display()));
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

/// Live properties and formulas about systems with infinitely many states, whose answers are known by construction.
#[test]
fn infinite_systems_answer_as_expected() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/live");
    let entries = fs::read_dir(folder).expect("the folder is there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    assert!(paths.len() >= 20);
    let mut wrong = Vec::new();
    for path in paths {
        let file = fs::read_to_string(&path).expect("a readable file");
        let expected =
            file.lines().next().and_then(|line| line.strip_prefix("; expect ")).expect("an answer");
        let output = shem(&["--print-witness", "--validate", "-"], &file);
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        let argument = if expected == "sat" { "(ranking" } else { "(recurrence" };
        if verdicts(&out) != [expected] || !out.contains(argument) || err != "shem: checked: witness\n" {
            wrong.push(format!("{}: {out}{err}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The default strategy starts processes, which read the clauses of a property.
#[test]
fn the_default_strategy_agrees() {
    for path in files() {
        let file = fs::read_to_string(&path).expect("a readable file");
        let (args, answers) = header(&file);
        let mut args = questions(&args);
        let name = path.to_string_lossy().into_owned();
        args.extend(["--validate", "-t", "60", &name]);
        let output = shem(&args, "");
        assert_eq!(verdicts(&text(&output.stdout)), answers, "{name}: {}", text(&output.stderr));
    }
}

/// A file in another language asks the same.
#[test]
fn conversions_keep_answers() {
    for path in files() {
        let file = fs::read_to_string(&path).expect("a readable file");
        let (args, answers) = header(&file);
        if answers.iter().all(|answer| *answer == "unknown") {
            continue;
        }
        // Without one, whether runs end is no question of safety.
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        if name.starts_with("live-infinite") || name.starts_with("ltl-infinite") {
            continue;
        }
        // With a bound, the question is whether there are more failures.
        if path.file_stem().is_some_and(|name| name == "live-bound-lasso") {
            continue;
        }
        let kept = questions(&args);
        for format in ["chc", "fixedpoint"] {
            let converted = shem(&[&["convert", format, "-"], &kept[..]].concat(), &file);
            let script = text(&converted.stdout);
            assert_eq!(converted.status.code(), Some(0), "{}: {script}", path.display());
            let output = shem(&["-e", "spacer", "-t", "60", "-"], &script);
            assert_eq!(verdicts(&text(&output.stdout)), answers, "{}: {script}", path.display());
            let back = shem(&["convert", "vmt", "-"], &script);
            let vmt = text(&back.stdout);
            if answers.len() > 1
                || file.contains(":live-property") && !args.contains(&"--live-bound")
                || file.contains(":ltl-property")
            {
                let expected = if answers.len() > 1 { "questions" } else { "several predicates" };
                assert!(text(&back.stderr).contains(expected), "{}: {vmt}", path.display());
                assert_eq!(back.status.code(), Some(1));
                continue;
            }
            assert_eq!(back.status.code(), Some(0), "{}: {vmt}", path.display());
            let output = shem(&["-e", "spacer", "-t", "60", "-"], &vmt);
            assert_eq!(verdicts(&text(&output.stdout)), answers, "{}: {vmt}", path.display());
        }
    }
}

const STATE: &str = "(declare-fun x () Int)\n(declare-fun y () Int)\n(define-fun s () Int (! x :next y))\n";

#[track_caller]
fn refuse(file: &str, expected: &str) {
    let output = shem(&["-"], file);
    let err = text(&output.stderr);
    assert!(err.starts_with(&format!("<stdin>:{expected}\n")), "{expected}, not {err}");
    assert_eq!(output.status.code(), Some(1));
    let converted = shem(&["convert", "chc", "-"], file);
    assert!(text(&converted.stderr).contains(&format!("<stdin>:{expected}")), "{}", text(&converted.stderr));
    assert_eq!(converted.status.code(), Some(1));
}

#[test]
fn mistakes_and_their_places() {
    let after = |rest: &str| format!("{STATE}{rest}");
    refuse(
        "(declare-fun x () Int)\n(define-fun s () Int (! x :next y))",
        "2:33: error: the symbol y is not declared",
    );
    refuse(
        "(declare-fun x () Int)\n(define-fun s () Int (! (+ x 1) :next x))",
        "2:33: error: :next needs a declared constant",
    );
    refuse(
        "(declare-fun x () Int)\n(define-fun s () Int (! x :next))",
        "2:27: error: :next needs the constant for the next value",
    );
    refuse(
        "(declare-fun x () Int)\n(declare-fun r () Real)\n(define-fun s () Int (! x :next r))",
        "3:33: error: x has sort Int, and r, its next value, Real",
    );
    refuse(
        &after("(declare-fun z () Int)\n(define-fun t () Int (! z :next y))"),
        "5:27: error: y is a value of another state variable already",
    );
    refuse(
        &after("(define-fun i () Bool (! (= y 0) :init true))"),
        "4:34: error: y is the value after a step, which has no place in init",
    );
    refuse(
        &after("(define-fun i () Bool (! (= x 0) :init false))"),
        "4:40: error: :init has the value true, not false",
    );
    refuse(
        &after("(define-fun i () Int (! x :trans true))"),
        "4:27: error: :trans needs a formula, not a term of sort Int",
    );
    refuse(
        &after("(define-fun p () Bool (! (= x 0) :invar-property))"),
        "4:34: error: :invar-property needs a number",
    );
    refuse(
        &after("(define-fun p () Bool (! (= x 0) :invar-property a))"),
        "4:50: error: :invar-property needs a number, not a",
    );
    refuse(
        &after(
            "(define-fun p () Bool (! (= x 0) :invar-property 1))\n(define-fun q () Bool (! (= x 0) :live-property 1))",
        ),
        "5:49: error: there are two properties with the number 1",
    );
    refuse(
        &after("(define-fun p () Bool (and (! (= x 0) :invar-property 1) true))"),
        "4:39: error: :invar-property has to stand around the body of a definition without parameters",
    );
    refuse(
        &after("(define-fun p ((z Int)) Bool (! (= z 0) :init true))"),
        "4:41: error: :init has to stand around the body of a definition without parameters",
    );
    refuse(
        &after("(assert (! (= x 0) :init true))"),
        "4:20: error: :init has to stand around the body of a definition without parameters",
    );
    refuse(
        &after("(assert (= x 0))"),
        "4:1: error: an assertion has no effect in VMT: write it into :init or :trans",
    );
    refuse(&after("(check-sat)"), "4:1: error: this command does not belong into a VMT file");
    refuse(&after("(declare-fun f (Int) Int)"), "4:1: error: the function f is not supported in VMT");
    refuse(
        &after("(define-fun p () Bool (! (= x 0) :invar true))"),
        "4:34: error: the annotation :invar: constraints on states are not supported: write them into :init and :trans",
    );
    refuse(
        &after("(define-fun p () Bool (! (ltl.F (= x 0)) :live-property 1))"),
        "4:42: error: temporal operators need :ltl-property",
    );
    refuse(
        &after("(define-fun p () Bool (! (ltl.F (= x 0)) :trans true))"),
        "1:1: error: temporal operators have no place in :init and :trans",
    );
    refuse(
        &after("(define-fun p () Bool (! (= x (ite (ltl.F (= x 0)) 1 y)) :ltl-property 1))"),
        "4:58: error: a temporal operator stands inside of a term",
    );
    refuse(
        &after("(define-fun p () Bool (! (ltl.U (= x 0)) :ltl-property 1))"),
        "4:26: error: ltl.U takes 2 arguments, not 1",
    );
    refuse(
        &after("(declare-fun ltl.G (Int) Bool)"),
        "4:1: error: the function ltl.G is not supported in VMT",
    );
    refuse(
        &after("(define-fun p () Bool (let ((a (= x 0))) (and a (! a :init true))))"),
        "4:54: error: :init has to stand around the body of a definition without parameters",
    );
    refuse(
        &after("(define-fun p () Bool (! (= x z) :init true))"),
        "4:31: error: the symbol z is not declared",
    );
    refuse(
        &after("(define-fun p () Bool (! (= x 0) :init true)"),
        "4:45: error: the text ends where a closing parenthesis is expected",
    );
}

#[test]
fn other_mistakes() {
    let file = format!("{STATE}(define-fun p () Bool (! (= x 0) :invar-property 1))");
    let fails = |args: &[&str], input: &str, expected: &str| {
        let output = shem(args, input);
        assert!(text(&output.stderr).contains(expected), "{}", text(&output.stderr));
        assert_eq!(output.status.code(), Some(1));
    };
    fails(&["--property", "2", "-"], &file, "there is no property 2");
    fails(&["convert", "--property", "2", "chc", "-"], &file, "there is no property 2");
    fails(
        &["convert", "vtm", "-"],
        &file,
        "there is no format vtm; formats: chc, fixedpoint, vmt, btor2, aag, aig; did you mean vmt?",
    );
    fails(&["convert", "chc"], "", "convert needs a format and a file");
    let several = "(declare-fun P (Int) Bool) (declare-fun Q (Int) Bool)
        (assert (forall ((x Int)) (=> (P x) (Q x)))) (check-sat)";
    fails(&["convert", "vmt", "-"], several, "they have several predicates, P and Q among them");
    let tree =
        "(declare-fun P (Int) Bool) (assert (forall ((x Int) (y Int)) (=> (and (P x) (P y)) (P (+ x y)))))";
    fails(&["convert", "vmt", "-"], tree, "the body of clause 1 has several facts");
    fails(&["convert", "vmt", "-"], "(assert false)", "no predicate");
}

#[test]
fn mistakes_in_formulas() {
    let file = format!("{STATE}(define-fun p () Bool (! (= x 0) :init true))");
    let fails = |args: &[&str], input: &str, expected: &str| {
        let output = shem(args, input);
        assert!(text(&output.stderr).contains(expected), "{}", text(&output.stderr));
        assert_eq!(output.status.code(), Some(1));
    };
    fails(&["--ltl", "G (p -> ", "-"], &file, "--ltl:1:9: error: a formula is expected");
    fails(&["--ltl", "G p", "--ltl", "G q", "-"], &file, "--ltl:1:3: error: the symbol q is not declared");
    fails(&["--ltl", "O (F p)", "-"], &file, "an operator of the past stands around one of the future");
    fails(
        &["convert", "--ltl", "G (p", "chc", "-"],
        &file,
        "--ltl:1:3: error: this parenthesis is not closed",
    );
    let script = "(declare-fun P (Int) Bool) (assert (P 0)) (check-sat)";
    fails(
        &["--ltl", "G p", "-"],
        script,
        "formulas are asked about transition systems in VMT, not in SMT-LIB",
    );
    fails(&["--ltl", "G p", "--terminates", "-"], &file, "cannot be used with");
}

/// Keywords of VMT in comments, strings and elsewhere do not make a script one of VMT.
#[test]
fn clauses_stay_clauses() {
    let script = "; (! x :next y)\n(set-info :source |(! x :init true)|)\n(set-info :trans 1)
        (declare-fun P (Int) Bool) (assert (! (P 0) :named first)) (check-sat)";
    let output = shem(&["-e", "spacer", "-"], script);
    assert_eq!(text(&output.stdout), "sat\n", "{}", text(&output.stderr));
}
