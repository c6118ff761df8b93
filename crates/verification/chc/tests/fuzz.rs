//! A fuzzer of the reader: mutated scripts must neither panic nor take long, and what is read can be printed,
//! read again and normalised.
//!
//! Scripts of `tests/systems` are mutated in tokens and in bytes, by a seeded generator: run `n` of a seed is
//! always the same. `SHEM_FUZZ_SECONDS` says how long to go on (2 unless set), `SHEM_FUZZ_SEED` where to start. A
//! script that fails is printed whole.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use shem_base::{Rng, StopToken};
use shem_chc::{Request, Script, normalise, write_dot, write_system};
use shem_term::Store;
use shem_term::smtlib::{Lexer, TokenKind};

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

fn corpus() -> Vec<Vec<String>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/systems");
    let mut paths: Vec<_> = fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    paths.iter().map(|path| tokens(&fs::read_to_string(path).expect("a readable file"))).collect()
}

fn tokens(text: &str) -> Vec<String> {
    let mut lexer = Lexer::new(text).expect("a short text");
    let mut tokens = Vec::new();
    loop {
        let token = lexer.next_token();
        if matches!(token.kind, TokenKind::End | TokenKind::Malformed) {
            return tokens;
        }
        tokens.push(lexer.slice(token.span()).to_owned());
    }
}

/// The range of tokens from an open parenthesis to the one that closes it, or one token.
fn expression(tokens: &[String], start: usize) -> std::ops::Range<usize> {
    let mut depth = 0usize;
    for (offset, token) in tokens[start..].iter().enumerate() {
        match token.as_str() {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return start..start + offset + 1;
        }
    }
    start..tokens.len()
}

fn mutate(rng: &mut Rng, tokens: &mut Vec<String>, others: &[String]) {
    for _ in 0..1 + rng.below(3) {
        let at = rng.index(tokens.len() + 1);
        let range = if at < tokens.len() { expression(tokens, at) } else { at..at };
        match rng.below(6) {
            0 => drop(tokens.drain(range)),
            1 => tokens.insert(at, (*rng.pick(WORDS)).to_owned()),
            2 if at < tokens.len() => tokens[at] = (*rng.pick(WORDS)).to_owned(),
            3 => {
                let copy = tokens[range].to_vec();
                let to = rng.index(tokens.len() + 1);
                tokens.splice(to..to, copy);
            }
            4 if !tokens.is_empty() => {
                // An expression of the same script, or of another one, in the place of this one.
                let source: &[String] = if rng.below(2) == 0 { others } else { &tokens.clone() };
                let piece = source[expression(source, rng.index(source.len()))].to_vec();
                tokens.splice(range, piece);
            }
            _ => {
                let copy = tokens[range.clone()].to_vec();
                let wrapped =
                    [vec!["(".to_owned(), (*rng.pick(WORDS)).to_owned()], copy, vec![")".to_owned()]];
                tokens.splice(range, wrapped.concat());
            }
        }
    }
}

fn script(rng: &mut Rng, corpus: &[Vec<String>]) -> String {
    let mut first = corpus[rng.index(corpus.len())].clone();
    let second = rng.index(corpus.len());
    mutate(rng, &mut first, &corpus[second]);
    let mut text = first.join(" ");
    if rng.below(8) == 0 {
        let mut bytes = text.into_bytes();
        let at = rng.index(bytes.len() + 1);
        match rng.below(3) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, rng.below(256) as u8),
            _ if at < bytes.len() => bytes[at] = rng.below(256) as u8,
            _ => {}
        }
        text = String::from_utf8_lossy(&bytes).into_owned();
    }
    text
}

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
    let number = |name: &str, default: u64| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let time = Duration::from_secs(number("SHEM_FUZZ_SECONDS", 2));
    let seed = number("SHEM_FUZZ_SEED", 1);
    let corpus = corpus();
    let start = Instant::now();
    let (mut run, mut good) = (0, 0);
    while start.elapsed() < time {
        let mut rng = Rng::new(seed.wrapping_mul(1 << 32).wrapping_add(run));
        let text = script(&mut rng, &corpus);
        let begin = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(|| digest(&text)));
        assert!(result.is_ok(), "run {run} of seed {seed} panics:\n{text}");
        assert!(begin.elapsed() < PATIENCE, "run {run} of seed {seed} takes {:?}:\n{text}", begin.elapsed());
        good += u64::from(result.is_ok_and(|good| good));
        run += 1;
    }
    assert!(run > 10 && good > run / 100, "{run} scripts were run, {good} of them without mistakes");
}
