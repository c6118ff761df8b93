//! A fuzzer of the reader: mutated scripts must neither panic nor take long, and what is read can be printed,
//! read again and normalised. See `shem_test_support::mutate` for its settings.

use std::path::Path;
use std::time::Duration;

use shem_base::StopToken;
use shem_chc::{Request, Script, normalise, write_dot, write_system};
use shem_term::Store;
use shem_test_support::mutate::Mutator;

/// How long one script may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// What is put into scripts.
const WORDS: &[&str] = &[
    "(",
    ")",
    "x",
    "y",
    "m",
    "n",
    "P",
    "Q",
    "N",
    "a",
    "b",
    "c",
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
    "div",
    "mod",
    "<",
    "<=",
    ">",
    "let",
    "forall",
    "exists",
    "!",
    "_",
    ":named",
    "Int",
    "Real",
    "Bool",
    "0",
    "1",
    "2.5",
    "18446744073709551616",
    "|",
    "\"",
    ";",
    "ç",
    "assert",
    "rule",
    "query",
    "(push 1)",
    "(pop 1)",
    "(check-sat)",
    "(reset)",
    "(reset-assertions)",
    "(get-proof)",
    "(exit)",
    "(declare-const z Int)",
    "(declare-const z Bool)",
    "(declare-rel z (Int))",
    "(declare-var z Int)",
    "(declare-fun z (Int Bool) Bool)",
    "(assert false)",
    "(forall ((x Int)) ",
    "(exists ((x Int)) ",
    "(forall ((x Int) (b Bool)) (=> ",
    "(not ",
    "(P x)",
    "(Q x y)",
    "(B b)",
    "(mc m n)",
    "(next x y)",
    "(c x x)",
    "(let ((x (P 1))) ",
    "(* 2 ",
    "(_ divisible 3)",
    "(set-option :global-declarations true)",
];

/// Reads the text and uses what was read. Whether it was without mistakes.
fn digest(text: &str) -> bool {
    let mut store = Store::new();
    let Ok(script) = Script::read(&mut store, text, &StopToken::new()) else { return false };
    for request in &script.requests {
        let Request::Check { system, .. } = request else { continue };
        let mut printed = Vec::new();
        write_system(&mut printed, &mut store, system).expect("written");
        let printed = String::from_utf8(printed).expect("text");
        if let Err(error) = Script::read(&mut store, &printed, &StopToken::new()) {
            panic!("{error} at {:?} in\n{printed}", error.span);
        }
        let graph = normalise(&mut store, system);
        write_dot(&mut std::io::sink(), &store, &graph).expect("written");
    }
    true
}

#[test]
fn mutated_scripts_neither_panic_nor_hang() {
    let mutator = Mutator::new(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/systems"), WORDS);
    let (run, good) = mutator.run(PATIENCE, |script| digest(&String::from_utf8_lossy(script)));
    assert!(good > run / 100, "{run} scripts were run, {good} of them without mistakes");
}
