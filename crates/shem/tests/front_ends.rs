//! Shem as other programs call it: by the command lines of Golem, Eldarica and z3, with a file or standard input, and
//! by links with the names of those solvers.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

const SAFE: &str = "(set-logic HORN)
(declare-fun Inv (Int) Bool)
(assert (forall ((x Int)) (=> (= x 0) (Inv x))))
(assert (forall ((x Int) (y Int)) (=> (and (Inv x) (< x 5) (= y (+ x 1))) (Inv y))))
(assert (forall ((x Int)) (=> (and (Inv x) (> x 5)) false)))
(check-sat)
";

const UNSAFE: &str = "(set-logic HORN)
(declare-fun Inv (Int) Bool)
(declare-fun target () Bool)
(assert (forall ((x Int)) (=> (= x 0) (Inv x))))
(assert (forall ((x Int) (y Int)) (=> (and (Inv x) (= y (- x 1))) (Inv y))))
(assert (forall ((x Int)) (=> (and (Inv x) (< x 0)) target)))
(assert (forall ((UNUSED Bool)) (=> target false)))
(check-sat)
";

/// A folder with links to the program and with files; it goes when this is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("shem-front-ends-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder");
        for link in ["shem", "golem", "eld", "z3"] {
            let link = path.join(link);
            let _ = fs::remove_file(&link);
            std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_shem"), link).expect("a link");
        }
        fs::write(path.join("safe.smt2"), SAFE).expect("a file");
        fs::write(path.join("unsafe.smt2"), UNSAFE).expect("a file");
        Folder(path)
    }

    /// Starts a command line in the folder.
    fn start(&self, line: &str) -> Child {
        let mut words = line.split_whitespace();
        let program = self.0.join(words.next().expect("a program"));
        let mut command = Command::new(program);
        command.args(words).current_dir(&self.0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("the program runs")
    }

    fn run(&self, line: &str, input: &str) -> Output {
        let mut child = self.start(line);
        // A program that does not read its input may be gone before it is written.
        let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
        child.wait_with_output().expect("the program ends")
    }

    /// Standard output of a command line that succeeds.
    #[track_caller]
    fn answer(&self, line: &str, input: &str) -> String {
        let output = self.run(line, input);
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{line}: {err}");
        String::from_utf8(output.stdout).expect("text")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Each line is how some program calls a solver for the verdict alone; with nothing else on the output.
#[test]
fn verdicts() {
    let folder = Folder::new("verdicts");
    // The line, and whether the problem comes on standard input.
    let lines = [
        ("shem", true),
        ("shem -", true),
        ("shem -in", true),
        ("shem FILE", false),
        ("golem -l QF_LIA -e spacer FILE", false),
        ("golem -l QF_LIA -e kind", true),
        ("golem -l QF_LIA -e split-tpa -i FILE", false),
        ("golem --logic QF_LIA --engine spacer --input FILE", false),
        ("golem -l QF_LIA", true),
        ("golem -l QF_LIA -e dar FILE", false),
        ("golem -l QF_LIA -e pa FILE", false),
        ("golem -l QF_LIA -e trl FILE", false),
        ("golem -l QF_LIA -e spacer -f forward FILE", false),
        ("golem -l QF_LIA -e spacer --flow backward --lra-itp-algorithm 1 FILE", false),
        ("golem -l QF_LIA -e lawi --forced-covering=no FILE", false),
        ("golem -l QF_LIA -e split-tpa --tpa.use-qe=yes FILE", false),
        ("golem -l QF_LIA -e spacer --termination-backend step-counter FILE", false),
        ("eld FILE", false),
        ("eld -horn -t:10 FILE", false),
        ("eld -hsmt -in", true),
        ("eld -hsmt -in -t:10", true),
        ("z3 FILE", false),
        ("z3 -in", true),
        ("z3 -smt2 -in", true),
        ("z3 -T:10 FILE", false),
        ("z3 -t:10000 -smt2 FILE", false),
        (
            "z3 -smt2 rlimit=20000000 rewriter.pull_cheap_ite=true fp.spacer.q3.use_qgen=true \
             fp.spacer.mbqi=false fp.spacer.ground_pobs=false FILE",
            false,
        ),
        (
            "z3 -in -smt2 rlimit=2000000 rewriter.pull_cheap_ite=true fp.spacer.q3.use_qgen=true \
             fp.spacer.mbqi=false fp.spacer.ground_pobs=false fp.xform.slice=true \
             fp.xform.inline_linear=true fp.xform.inline_eager=true",
            true,
        ),
        ("z3 fp.spacer.global=true fp.validate=true FILE", false),
    ];
    for (line, piped) in lines {
        for (file, text, verdict) in [("safe.smt2", SAFE, "sat\n"), ("unsafe.smt2", UNSAFE, "unsat\n")] {
            let input = if piped { text } else { "" };
            // k-induction and the like are not asked for what they cannot do: both problems are easy for all.
            assert_eq!(folder.answer(&line.replace("FILE", file), input), verdict, "{line} on {file}");
        }
    }
}

#[test]
fn witnesses_after_the_verdict() {
    let folder = Folder::new("witnesses");
    let korn = folder.answer("golem -l QF_LIA -e spacer --print-witness unsafe.smt2", "");
    assert!(korn.starts_with("unsat\n0:\ttrue\n1:\t(Inv 0) ->  0\n"), "{korn}");
    for line in ["eld -hsmt -in -ssol", "z3 -in -smt2 -model", "golem -l QF_LIA -e spacer --print-witness"] {
        let model = folder.answer(line, SAFE);
        assert!(model.starts_with("sat\n(\n  (define-fun Inv ((x Int)) Bool\n"), "{line}: {model}");
    }
    for line in ["eld -hsmt -in -ssol", "z3 -in -smt2 -model"] {
        assert_eq!(folder.answer(line, UNSAFE), "unsat\n", "{line}");
    }
}

#[test]
fn proofs_in_the_words_of_z3() {
    let folder = Folder::new("proofs");
    let query = format!("(set-option :produce-proofs true){UNSAFE}\n(get-proof)");
    let proof = folder.answer("z3 -in -smt2 rlimit=2000000 fp.xform.slice=false", &query);
    let expected = "unsat
((set-logic HORN)
(declare-fun query!0 () Bool)
(proof
(let ((@c0 (forall ((x Int)) (=> (= x 0) (Inv x)))))
(let ((@s0 ((_ hyper-res 0 0) (asserted @c0) (Inv 0))))
(let ((@c1 (forall ((x Int) (y Int)) (=> (and (Inv x) (= (+ x (- y)) 1)) (Inv y)))))
(let ((@s1 ((_ hyper-res 0 0 0 1) (asserted @c1) @s0 (Inv (- 1)))))
(let ((@c2 (forall ((x Int)) (=> (and (Inv x) (<= x (- 1))) target))))
(let ((@s2 ((_ hyper-res 0 0 0 1) (asserted @c2) @s1 target)))
(let ((@c3 (forall ((UNUSED Bool)) (=> target query!0))))
(let ((@s3 ((_ hyper-res 0 0 0 1) (asserted @c3) @s2 query!0)))
(mp @s3 (asserted (=> query!0 false)) false)))))))))))
";
    assert_eq!(proof, expected);
    // z3 tells that there is no model; the verdict stays.
    let answer = folder.answer("z3 -in", &format!("{UNSAFE}(get-model)"));
    assert_eq!(answer, "unsat\n(error \"model is not available\")\n");
    let answer = folder.answer("z3 -in", &format!("{SAFE}(get-proof)"));
    assert_eq!(answer, "sat\n(error \"proof is not available\")\n");
}

/// In the fixed-point form z3's verdict is about the query.
#[test]
fn queries_in_the_words_of_z3() {
    let folder = Folder::new("queries");
    let text = "(declare-rel p (Int)) (declare-rel bad ()) (declare-var x Int)
        (rule (p 0)) (rule (=> (and (p x) (< x 3)) (p (+ x 1)))) (rule (=> (and (p x) (= x 2)) bad))
        (query bad)";
    assert_eq!(folder.answer("z3 -in", text), "sat\n");
    assert_eq!(folder.answer("shem -", text), "unsat\n");
    let text = text.replace("(= x 2)", "(= x 4)");
    assert_eq!(folder.answer("z3 -in", &text), "unsat\n");
    assert_eq!(folder.answer("shem -", &text), "sat\n");
}

/// What is no Horn problem is answered, too, and as it comes: whoever asks waits for each answer.
#[test]
fn other_scripts_in_the_words_of_z3() {
    let folder = Folder::new("scripts");
    let text =
        "(set-option :produce-models true)(set-logic QF_LIA)(declare-const x Int)(assert (= (* 2 x) 6))\n";
    let answer = folder.answer("z3 -in -smt2 -t:1000", &format!("{text}(check-sat)(get-value (x))"));
    assert_eq!(answer, "sat\n((x 3))\n");
    let mut child = folder.start("z3 -in");
    let mut input = child.stdin.take().expect("a pipe");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut line = String::new();
    for (question, answer) in [("(check-sat)\n", "sat\n"), ("(assert (> x 3)) (check-sat)\n", "unsat\n")] {
        let opening = if answer == "sat\n" { text } else { "" };
        input.write_all(format!("{opening}{question}").as_bytes()).expect("the program reads");
        line.clear();
        output.read_line(&mut line).expect("an answer");
        assert_eq!(line, answer, "{question}");
    }
    drop(input);
    assert!(child.wait().expect("the program ends").success());
}

#[test]
fn mistakes() {
    let folder = Folder::new("mistakes");
    let broken = SAFE.replace("(check-sat)", "(assert (Inv true))");
    for (line, input) in [
        ("eld -hsmt -in", &*broken),
        ("z3 -in", &broken),
        ("shem", &broken),
        ("eld -horn missing.smt2", ""),
        ("z3 missing.smt2", ""),
        ("eld -unheard-of safe.smt2", ""),
        ("z3 -unheard-of safe.smt2", ""),
        ("z3 rlimit=x safe.smt2", ""),
    ] {
        let output = folder.run(line, input);
        assert_eq!(output.status.code(), Some(1), "{line}");
        let out = String::from_utf8_lossy(&output.stdout);
        assert!(out.starts_with("(error \"") && out.ends_with("\")\n"), "{line}: {out}");
    }
    assert!(!Path::new("missing.smt2").exists());
}

/// Files as other solvers take them: clauses without a logic, and a file without a question.
#[test]
fn what_is_left_out_is_understood() {
    let folder = Folder::new("left-out");
    let without_logic = UNSAFE.replace("(set-logic HORN)\n", "");
    fs::write(folder.0.join("clauses.smt2"), &without_logic).expect("a file");
    assert_eq!(folder.answer("z3 clauses.smt2", ""), "unsat\n");
    let without_question = SAFE.replace("(check-sat)", "");
    fs::write(folder.0.join("question.smt2"), &without_question).expect("a file");
    assert_eq!(folder.answer("eld question.smt2", ""), "sat\n");
    assert_eq!(folder.answer("shem question.smt2", ""), "");
}

/// A script cannot take more time than its caller allows.
#[test]
fn timeouts_of_scripts_do_not_exceed_those_of_callers() {
    let folder = Folder::new("timeouts");
    // Sums of the first numbers never meet this line, for which there is no linear invariant.
    let endless = "(set-option :timeout 100000)(declare-fun p (Int Int) Bool)
        (assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 0)) (p x y))))
        (assert (forall ((x Int) (y Int)) (=> (p x y) (p (+ x 1) (+ y x)))))
        (assert (forall ((x Int) (y Int)) (=> (and (p x y) (= (* 2 y) (+ 5 (* 1000003 x)))) false)))(check-sat)";
    fs::write(folder.0.join("endless.smt2"), endless).expect("a file");
    let since = std::time::Instant::now();
    assert_eq!(folder.answer("z3 -t:1000 endless.smt2", ""), "unknown\n");
    assert!(since.elapsed() < std::time::Duration::from_secs(30), "{:?}", since.elapsed());
}
