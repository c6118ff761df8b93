//! A fuzzer of reader and interpreter: mutated scripts must neither panic nor run for long.
//!
//! Scripts of `tests/scripts` are mutated in bytes and in tokens, by a seeded generator: run `n` of a seed is
//! always the same. `SHEM_FUZZ_SECONDS` says how long to go on (2 unless set), `SHEM_FUZZ_SEED` where to start. A
//! script that fails is printed whole.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use shem::smt::{Limits, Options, run_text};
use shem_base::Rng;
use shem_term::smtlib::{Lexer, TokenKind};

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
];

fn corpus() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts");
    let entries = fs::read_dir(folder).expect("the folder of scripts is there");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "smt2"));
    paths.sort();
    paths.iter().map(|path| fs::read_to_string(path).expect("a readable script")).collect()
}

/// The tokens of a text, as far as it has some.
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

fn mutate_tokens(rng: &mut Rng, tokens: &mut Vec<String>, others: &[String]) {
    for _ in 0..1 + rng.below(4) {
        let at = rng.index(tokens.len() + 1);
        let range = if at < tokens.len() { expression(tokens, at) } else { at..at };
        match rng.below(6) {
            0 => drop(tokens.drain(range)),
            1 => tokens.insert(at, (*rng.pick(WORDS)).to_owned()),
            2 => {
                if at < tokens.len() {
                    tokens[at] = (*rng.pick(WORDS)).to_owned();
                }
            }
            3 => {
                let copy = tokens[range].to_vec();
                let to = rng.index(tokens.len() + 1);
                tokens.splice(to..to, copy);
            }
            4 if !others.is_empty() => {
                let from = rng.index(others.len());
                let piece = others[expression(others, from)].to_vec();
                tokens.splice(range, piece);
            }
            _ => {
                let copy = tokens[range].to_vec();
                let wrapped =
                    [vec!["(".to_owned(), (*rng.pick(WORDS)).to_owned()], copy, vec![")".to_owned()]]
                        .concat();
                tokens.splice(at..at, wrapped);
            }
        }
    }
}

fn mutate_bytes(rng: &mut Rng, bytes: &mut Vec<u8>) {
    for _ in 0..1 + rng.below(6) {
        let at = rng.index(bytes.len() + 1);
        match rng.below(4) {
            0 => bytes.insert(at, rng.below(256) as u8),
            1 => bytes.truncate(at),
            _ if at == bytes.len() => {}
            2 => drop(bytes.remove(at)),
            _ => bytes[at] = rng.below(256) as u8,
        }
    }
}

fn script(rng: &mut Rng, corpus: &[String]) -> Vec<u8> {
    let mut pick = || tokens(&corpus[rng.index(corpus.len())]);
    let (mut first, second) = (pick(), pick());
    mutate_tokens(rng, &mut first, &second);
    let mut bytes = first.join(" ").into_bytes();
    if rng.below(4) == 0 {
        mutate_bytes(rng, &mut bytes);
    }
    bytes
}

#[test]
fn mutated_scripts_neither_panic_nor_hang() {
    let number = |name: &str, default: u64| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let time = Duration::from_secs(number("SHEM_FUZZ_SECONDS", 2));
    let seed = number("SHEM_FUZZ_SEED", 1);
    let corpus = corpus();
    let options = Options {
        check_models: true,
        check_cores: true,
        limits: Limits { conflicts: 1_000, pivots: 20_000, splits: 1_000 },
        ..Options::default()
    };
    let start = Instant::now();
    let mut run = 0;
    while start.elapsed() < time {
        let mut rng = Rng::new(seed.wrapping_mul(1 << 32).wrapping_add(run));
        let script = script(&mut rng, &corpus);
        let begin = Instant::now();
        let mut out = Vec::new();
        let result = catch_unwind(AssertUnwindSafe(|| {
            run_text("fuzz", &script, &options, &mut out, &mut std::io::sink());
        }));
        let shown = String::from_utf8_lossy(&script);
        assert!(result.is_ok(), "run {run} of seed {seed} panics:\n{shown}");
        assert!(begin.elapsed() < PATIENCE, "run {run} of seed {seed} takes {:?}:\n{shown}", begin.elapsed());
        let out = String::from_utf8_lossy(&out);
        for refuted in ["the model makes", "the model gives", "the unsatisfiable core"] {
            assert!(!out.contains(refuted), "run {run} of seed {seed}: {out}\n{shown}");
        }
        run += 1;
    }
    assert!(run > 10, "only {run} scripts were run");
}
