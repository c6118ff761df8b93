//! Proofs in Alethe: of scripts, as `get-proof` prints them, and of the clauses of a certificate.
//!
//! Every proof has to be well-formed: names are defined before they are used, and the last clause is empty. Where
//! Carcara is at hand it judges them, and refuses changed ones; without it these tests fail if `SHEM_REQUIRE_CARCARA` is set.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use shem_script::smt::{Options, Outcome, run_text};
use shem_test_support::external::CARCARA;

const FLAGS: [&str; 4] =
    ["check", "--expand-let-bindings", "--apply-function-defs", "--allow-int-real-subtyping"];

/// A folder of its own for a test.
fn scratch(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("shem-alethe-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn has_carcara() -> bool {
    let found = Command::new("carcara").arg("--version").output().is_ok();
    if !found {
        CARCARA.is_absent();
    }
    found
}

/// Whether Carcara accepts a proof, if it is at hand.
fn judge(folder: &Path, script: &str, proof: &str) -> Option<bool> {
    if !has_carcara() {
        return None;
    }
    let (problem, file) = (folder.join("problem.smt2"), folder.join("proof.alethe"));
    fs::write(&problem, script).expect("written");
    fs::write(&file, proof).expect("written");
    let run = Command::new("carcara").args(FLAGS).args([&file, &problem]).output().expect("Carcara runs");
    Some(run.status.success() && String::from_utf8_lossy(&run.stdout).trim() == "valid")
}

fn answer(script: &str) -> (Outcome, String) {
    let script = format!("(set-option :produce-proofs true) {script} (get-proof)");
    let mut out = Vec::new();
    let outcome = run_text("script", script.as_bytes(), &Options::default(), &mut out, &mut std::io::sink());
    (outcome, String::from_utf8_lossy(&out).into_owned())
}

/// The words of a line that may be names of terms or steps.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split([' ', '(', ')']).filter(|word| !word.is_empty())
}

/// The proof of a script that has no model; it uses this rule.
#[track_caller]
fn prove(name: &str, script: &str, rule: &str) -> String {
    let (outcome, output) = answer(script);
    assert_eq!(outcome, Outcome::Completed, "{output}");
    let proof = output.strip_prefix("unsat\n").unwrap_or_else(|| panic!("{output}"));
    let mut known: BTreeSet<&str> = BTreeSet::new();
    let mut last = "";
    for line in proof.lines().filter(|line| line.len() > 1) {
        let name = words(line).nth(1).expect("a name");
        let is_term = |word: &str| word.starts_with('@') && !["@bbterm", "@bit_of"].contains(&word);
        for used in words(line).skip(2).filter(|word| is_term(word)) {
            assert!(known.contains(used), "{used} is not defined before {line}");
        }
        if let Some(premises) = line.split(":premises (").nth(1) {
            let premises = premises.split(')').next().expect("a list");
            assert!(words(premises).all(|premise| known.contains(premise)), "premises of {line}");
        }
        known.insert(name);
        last = line;
    }
    assert!(last.contains(" (cl) "), "the last step is {last}");
    assert!(proof.contains(&format!(":rule {rule}")), "{rule} is not used:\n{proof}");
    assert!(!proof.contains("hole") && !proof.contains("lia_generic"));
    let folder = scratch(name);
    assert_ne!(judge(&folder, script, proof), Some(false), "Carcara refuses\n{script}\n{proof}");
    let negated = proof.replacen("(assume h0 ", "(assume h0 (not ", 1);
    let at = negated.find("(assume h0").expect("an assumption");
    let end = at + negated[at..].find('\n').expect("a line");
    let negated = format!("{}){}", &negated[..end], &negated[end..]);
    assert_ne!(judge(&folder, script, &negated), Some(true), "Carcara accepts\n{script}\n{negated}");
    fs::remove_dir_all(&folder).ok();
    proof.to_owned()
}

#[test]
fn connectives() {
    let script = "(declare-const a Bool) (declare-const b Bool) (declare-const c Bool)
        (assert (and (=> a b c) (xor a (not b)) (ite a b (= b c)) (distinct a c)))
        (assert (let ((d (or a c))) (= d (! (and b d) :named e)))) (assert (=> a c)) (check-sat)";
    prove("connectives", script, "resolution");
}

#[test]
fn bit_vectors() {
    let declared = "(declare-const x (_ BitVec 3)) (declare-const y (_ BitVec 3))";
    for (operation, rule) in [
        ("bvand", "bitblast_and"),
        ("bvor", "bitblast_or"),
        ("bvxor", "bitblast_xor"),
        ("bvxnor", "bitblast_xnor"),
        ("bvadd", "bitblast_add"),
        ("bvmul", "bitblast_mult"),
        ("bvcomp", "bitblast_comp"),
    ] {
        let script =
            format!("{declared} (assert (distinct ({operation} x y) ({operation} y x))) (check-sat)");
        prove(operation, &script, rule);
    }
    for (name, formula, rule) in [
        ("literals", "(= #x7 #b0110)", "bitblast_const"),
        ("not", "(= (bvnot x) x)", "bitblast_not"),
        ("negation", "(distinct (bvneg x) (bvadd (bvnot x) (_ bv1 3)))", "bitblast_neg"),
        ("extract", "(distinct ((_ extract 1 0) (concat x y)) ((_ extract 1 0) y))", "bitblast_extract"),
        ("concat", "(distinct ((_ extract 8 6) (concat x y x)) x)", "bitblast_concat"),
        (
            "extend",
            "(distinct ((_ extract 5 5) ((_ sign_extend 3) x)) ((_ extract 2 2) x))",
            "bitblast_sign_extend",
        ),
        ("extend-by-none", "(distinct ((_ sign_extend 0) x) x)", "bitblast_sign_extend"),
        ("less", "(and (bvult x y) (bvult y x))", "bitblast_ult"),
        ("signed-less", "(and (bvslt x y) (bvslt y x))", "bitblast_slt"),
        ("signs", "(bvslt (bvand ((_ extract 0 0) x) #b0) ((_ extract 0 0) x))", "bitblast_slt"),
        ("sums", "(distinct (bvadd x y #b010) (bvadd #b010 x y))", "bitblast_add"),
        ("branches", "(distinct (ite (= x y) x y) y)", "bitblast_equal"),
        // What has no rule is a function without a meaning.
        ("quotients", "(and (= x #b001) (distinct (bvudiv y x) (bvudiv y #b001)))", "eq_congruent"),
    ] {
        prove(name, &format!("{declared} (assert {formula}) (check-sat)"), rule);
    }
    prove(
        "functions-of-bits",
        "(declare-const x (_ BitVec 4)) (declare-const y (_ BitVec 4)) (declare-const c Bool)
         (declare-fun f ((_ BitVec 4)) (_ BitVec 4)) (declare-fun p ((_ BitVec 4) Bool) Bool)
         (assert (= (bvxor x y) #b0000))
         (assert (or (distinct (f x) (ite c (f y) (f x))) (and (p (f x) c) (not (p (f y) c))))) (check-sat)",
        "eq_congruent",
    );
    for (formula, missing) in [
        ("(and (bvult x y) (bvule y x))", "the contradiction needs the meaning of bvule"),
        (
            "(distinct ((_ zero_extend 1) x) (concat #b0 x))",
            "the contradiction needs the meaning of (_ zero_extend 1)",
        ),
    ] {
        let (_, output) = answer(&format!("{declared} (assert {formula}) (check-sat)"));
        assert!(output.starts_with("unsat\n") && output.contains(missing), "{output}");
    }
}

#[test]
fn linear_arithmetic() {
    prove(
        "integers",
        "(declare-const x Int) (declare-const y Int)
         (assert (and (< (+ x 1) (* 2 y)) (or (= y 1) (= y 0)))) (assert (not (or (< x 0) (distinct y 1))))
         (assert (=> (= y 1) (> x 2))) (check-sat)",
        "la_generic",
    );
    prove(
        "no-integer-solution",
        "(declare-const x Int) (declare-const y Int) (declare-const z Int)
         (assert (= (+ (* 6 x) (* 10 y)) (+ 5 (* 4 z)))) (check-sat)",
        "la_generic",
    );
    prove(
        "reals",
        "(set-logic QF_LRA) (declare-const x Real) (declare-const y Real)
         (assert (and (< (/ x 2) (* 0.5 y)) (>= x (+ y (/ 1 3))))) (check-sat)",
        "poly_simp",
    );
    prove(
        "conditionals",
        "(declare-const x Int) (declare-const y Int) (declare-fun min (Int Int) Int)
         (define-fun least ((a Int) (b Int)) Int (ite (< a b) a b)) (assert (> (least x y) (least y x))) (check-sat)",
        "ite_intro",
    );
}

#[test]
fn names_of_sorts_and_rounding() {
    prove(
        "names-of-sorts",
        "(define-sort Number () Int) (declare-const x Number) (declare-const y Number)
         (define-fun below ((a Number) (b Number)) Bool (< a b)) (assert (and (<= x y) (below y x))) (check-sat)",
        "la_generic",
    );
    prove(
        "rounding",
        "(declare-const x Real) (declare-const y Real) (assert (= x y))
         (assert (or (< (to_int x) (to_int y)) (and (is_int x) (not (is_int y))))) (check-sat)",
        "eq_congruent",
    );
}

#[test]
fn functions() {
    prove(
        "functions",
        "(declare-sort U 0) (declare-const a U) (declare-const b U) (declare-const c U) (declare-fun f (U) U)
         (declare-fun p (U) Bool) (assert (and (= a b c) (p (f a)) (not (p (f (ite (= a b) c a)))))) (check-sat)",
        "eq_congruent",
    );
    prove(
        "functions-of-integers",
        "(declare-const x Int) (declare-const y Int) (declare-fun f (Int) Int)
         (assert (and (<= x y) (not (= (f (+ x 1)) (f (+ 1 y)))))) (check-sat-assuming ((>= x y)))",
        "la_disequality",
    );
    // Without a meaning of arrays this is a contradiction, too.
    prove(
        "arrays",
        "(declare-const a (Array Int Int)) (declare-const i Int) (declare-const j Int)
         (assert (= i j)) (assert (< (select a i) (select a j))) (check-sat)",
        "eq_congruent",
    );
}

#[test]
fn what_has_no_rules_is_an_error() {
    for (script, reason) in [
        ("(declare-const x Int) (assert (< (mod x 2) 0)) (check-sat)", "needs the meaning of mod"),
        (
            "(declare-const a (Array Int Int)) (assert (= (select (store a 0 1) 0) 2)) (check-sat)",
            "needs the meaning of select, store",
        ),
        (
            "(declare-datatype L ((nil) (cons (head Int) (tail L)))) (declare-const l L)
             (assert (= l (cons 0 l))) (check-sat)",
            "no rules for declare-datatype",
        ),
    ] {
        let (outcome, output) = answer(script);
        assert_eq!(outcome, Outcome::Failed);
        assert!(output.starts_with("unsat\n(error ") && output.contains(reason), "{output}");
    }
}

const SYSTEM: &str = "(set-logic HORN) (declare-fun p (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 0)) (p x y))))
(assert (forall ((x Int) (y Int)) (=> (p x y) (p (+ x 2) (ite (= (mod x 2) 0) (+ y 1) 0)))))
(assert (not (exists ((x Int) (y Int)) (and (p x y) (< y 0)))))
(check-sat)
";

fn check_certificate(input: &Path, folder: &Path) -> Output {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/check-certificate");
    Command::new("python3").arg(script).args([input, folder]).output().expect("python3 runs")
}

#[test]
fn certificates_are_checked_without_shem() {
    let folder = scratch("certificate");
    let (input, certificate) = (folder.join("input.smt2"), folder.join("certificate"));
    fs::write(&input, SYSTEM).expect("written");
    let run = Command::new(env!("CARGO_BIN_EXE_shem"))
        .arg("--print-certificate")
        .args([&certificate, &input])
        .output()
        .expect("the program runs");
    assert_eq!(String::from_utf8_lossy(&run.stdout), "sat\n");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    for name in ["model.smt2", "clause-1.alethe", "clause-2.smt2", "clause-3.alethe"] {
        assert!(certificate.join(name).exists(), "{name} is missing");
    }
    if !has_carcara() {
        return;
    }
    let verdict = check_certificate(&input, &certificate);
    assert!(verdict.status.success(), "{}", String::from_utf8_lossy(&verdict.stderr));
    assert_eq!(String::from_utf8_lossy(&verdict.stdout), "right: 3 clauses hold in the model\n");

    // Another problem, an assumption too many, a proof of something else, a clause too many, another model.
    let change = |name: &str, edit: &dyn Fn(&str) -> String| {
        let path = certificate.join(name);
        let before = fs::read_to_string(&path).expect("read");
        let after = edit(&before);
        assert_ne!(before, after, "{name} stays as it is");
        fs::write(&path, after).expect("written");
        let verdict = check_certificate(&input, &certificate);
        assert!(!verdict.status.success(), "a changed {name} is accepted");
        fs::write(&path, before).expect("written");
    };
    change("clause-3.smt2", &|text| text.replace("(< y 0)", "(< y (- 9))"));
    change("clause-3.smt2", &|text| text.replace("(check-sat)", "(assert (>= y 0))"));
    change("clause-2.smt2", &|text| text.replace("(<= 0 (mod", "(<= 1 (mod"));
    change("clause-1.alethe", &|text| text.replacen(":rule la_generic", ":rule hole", 1));
    change("clause-1.alethe", &|text| text.lines().skip(1).collect::<Vec<_>>().join("\n"));
    change("model.smt2", &|text| text.replace("((x Int) (y Int))", "((y Int) (x Int))"));
    fs::write(&input, SYSTEM.replace("(check-sat)", "(assert (p 0 0)) (check-sat)")).expect("written");
    assert!(
        !check_certificate(&input, &certificate).status.success(),
        "a clause without a proof is overlooked"
    );
    fs::remove_dir_all(&folder).ok();
}
