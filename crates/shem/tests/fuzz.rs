//! A fuzzer of reader and interpreter: mutated scripts must neither panic nor run for long. See
//! `shem_test_support::mutate` for its settings.

use std::path::Path;
use std::time::Duration;

use shem_script::smt::{Options, run_text};
use shem_test_support::mutate::Mutator;

/// How long one script may take. The budget of its queries is small, so this is generous.
const PATIENCE: Duration = Duration::from_secs(10);

/// What is put into scripts: words of the language and things that are hard to digest.
const WORDS: &[&str] = &[
    "(",
    ")",
    "()",
    "x",
    "y",
    "p",
    "true",
    "false",
    "and",
    "or",
    "not",
    "=>",
    "xor",
    "=",
    "distinct",
    "ite",
    "+",
    "-",
    "*",
    "/",
    "div",
    "mod",
    "abs",
    "<",
    "<=",
    ">",
    ">=",
    "to_real",
    "to_int",
    "is_int",
    "let",
    "forall",
    "exists",
    "!",
    "_",
    "as",
    "divisible",
    "(_ divisible 3)",
    ":named",
    ":pattern",
    "Int",
    "Real",
    "Bool",
    "0",
    "1",
    "2",
    "0.5",
    "18446744073709551616",
    "(- 9223372036854775808)",
    "#b01",
    "\"\"",
    "|x|",
    "|",
    "\"",
    ";",
    "\\",
    "ç",
    "(push 1)",
    "(pop 1)",
    "(check-sat)",
    "(get-model)",
    "(reset)",
    "(reset-assertions)",
    "(get-unsat-core)",
    "(declare-const z Int)",
    "(assert (! false :named n))",
    "(get-value (x))",
    "(check-sat-assuming (p))",
    "(define-fun f ((x Int)) Int x)",
    "(set-option :global-declarations true)",
    "(let ((x 1)) ",
    "(exists ((x Int)) ",
    "(* 2 ",
    "(mod x 7)",
    "(mod x 0)",
    "(* x x)",
    "U",
    "(Array Int Int)",
    "(Array U (Array Int Bool))",
    "(as const (Array Int Int))",
    "(as nil (List Int))",
    "select",
    "store",
    "match",
    "(_ is cons)",
    "par",
    "(declare-sort U 0)",
    "(declare-fun g (U Int) Bool)",
    "(declare-datatype L ((nil) (cons (head Int) (tail L))))",
    "(set-option :produce-proofs true)",
    "(get-proof)",
    "(set-option :produce-assignments true)",
    "(get-assignment)",
];

#[test]
fn mutated_scripts_neither_panic_nor_hang() {
    let options = Options {
        check_models: true,
        check_cores: true,
        conflict_limit: Some(1_000),
        pivot_limit: Some(20_000),
        split_limit: Some(1_000),
        ..Options::default()
    };
    let mutator = Mutator::new(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts"), WORDS);
    mutator.run(PATIENCE, |script| {
        let mut out = Vec::new();
        run_text("fuzz", script, &options, &mut out, &mut std::io::sink());
        let out = String::from_utf8_lossy(&out);
        for refuted in ["the model makes", "the model gives", "the unsatisfiable core"] {
            assert!(!out.contains(refuted), "{out}");
        }
        true
    });
}
