//! A fuzzer of the reader beyond arithmetic: mutated scripts must not panic, and what is read is printed in a form
//! that is read as the same term. See `shem_test_support::mutate` for its settings.

use std::path::Path;
use std::time::Duration;

use shem_term::Store;
use shem_term::smtlib::{Command, Lexer, Reader};
use shem_test_support::mutate::Mutator;

/// How long one script may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// What is put into scripts.
const WORDS: &[&str] = &[
    "(",
    ")",
    "()",
    "x",
    "xs",
    "a",
    "u",
    "red",
    "nil",
    "cons",
    "box",
    "head",
    "left",
    "true",
    "=",
    "distinct",
    "ite",
    "+",
    "*",
    "/",
    "div",
    "select",
    "store",
    "const",
    "match",
    "par",
    "_",
    "as",
    "is",
    "is-cons",
    "(_ is box)",
    "(as nil (List Int))",
    "Int",
    "Real",
    "Bool",
    "Array",
    "List",
    "(List Int)",
    "(Array Int Int)",
    "Color",
    "U",
    "Map",
    "0",
    "1",
    "2",
    "0.5",
    "declare-datatypes",
    "declare-datatype",
    "declare-sort",
    "define-sort",
    "declare-fun",
    "define-fun-rec",
    "assert",
    "push",
    "pop",
    "let",
    "forall",
    "!",
    ":named",
];

/// Reads a script, whose formulas must survive printing; whether it is good.
fn read(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let (mut store, mut reader) = (Store::new(), Reader::new());
    let mut lexer = Lexer::new(text).expect("a short text");
    loop {
        match reader.next_command(&mut lexer, &mut store) {
            Err(_) => return false,
            Ok(None) => return true,
            Ok(Some((Command::Reset, _))) => store = Store::new(),
            Ok(Some((Command::Assert { formula, .. }, _))) => {
                let printed = store.display(formula).to_string();
                if store.has_quantifier(formula) || printed.len() > 10_000 {
                    continue;
                }
                let mut lexer = Lexer::new(&printed).expect("a short text");
                // A symbol of the formula may be hidden, or have lost its name with its level.
                if let Ok(again) = reader.read_term(&mut lexer, &mut store) {
                    let same = store.display(again).to_string();
                    assert_eq!(printed, same, "for {text}");
                }
            }
            Ok(Some(_)) => {}
        }
    }
}

#[test]
fn mutated_scripts_are_read_or_refused() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts");
    let (all, good) = Mutator::new(&folder, WORDS).run(PATIENCE, read);
    assert!(all > 0 && good < all, "{all} scripts, {good} of them good");
}

#[test]
fn the_scripts_themselves_are_good() {
    for name in ["arrays", "datatypes"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/scripts/{name}.smt2"));
        assert!(read(&std::fs::read(path).expect("a script")), "{name}");
    }
}
