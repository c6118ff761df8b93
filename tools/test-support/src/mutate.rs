//! Mutated scripts for fuzz tests: what is read must neither panic nor take long.
//!
//! The scripts of a folder are mutated in tokens and in bytes by a seeded generator: run `n` of a seed is always
//! the same. `SHEM_FUZZ_SECONDS` says how long to go on (2 unless set), `SHEM_FUZZ_SEED` where to start. A script
//! that fails is printed whole. Most mutations keep parentheses balanced, since a reader that has given up at
//! the first one has not been tested.

use std::fs;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use shem_base::Rng;
use shem_term::smtlib::{Lexer, TokenKind};

/// Scripts, and words to put into them.
#[derive(Clone, Debug)]
pub struct Mutator {
    words: &'static [&'static str],
    corpus: Vec<Vec<String>>,
}

impl Mutator {
    /// A mutator of all scripts in a folder.
    ///
    /// # Panics
    ///
    /// If the folder cannot be read or has no scripts: a test without its data must not pass.
    pub fn new(folder: &Path, words: &'static [&'static str]) -> Mutator {
        let entries = fs::read_dir(folder).expect("the folder of scripts is there");
        let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "smt2"));
        paths.sort();
        assert!(!paths.is_empty(), "no scripts in {}", folder.display());
        let read = |path| tokens(&fs::read_to_string(path).expect("a readable script"));
        Mutator { words, corpus: paths.iter().map(read).collect() }
    }

    /// A mutated script; in one of four the bytes are mutated, too, so it may be no text.
    pub fn script(&self, rng: &mut Rng) -> Vec<u8> {
        let mut script = self.corpus[rng.index(self.corpus.len())].clone();
        let other = rng.index(self.corpus.len());
        self.mutate_tokens(rng, &mut script, &self.corpus[other]);
        let mut bytes = script.join(" ").into_bytes();
        if rng.below(4) == 0 {
            mutate_bytes(rng, &mut bytes);
        }
        bytes
    }

    fn mutate_tokens(&self, rng: &mut Rng, tokens: &mut Vec<String>, other: &[String]) {
        for _ in 0..1 + rng.below(4) {
            let at = rng.index(tokens.len() + 1);
            let range = if at < tokens.len() { expression(tokens, at) } else { at..at };
            match rng.below(6) {
                0 => drop(tokens.drain(range)),
                1 => tokens.insert(at, self.word(rng)),
                2 if at < tokens.len() => tokens[at] = self.word(rng),
                3 => {
                    let copy = tokens[range].to_vec();
                    let to = rng.index(tokens.len() + 1);
                    tokens.splice(to..to, copy);
                }
                4 if !tokens.is_empty() && !other.is_empty() => {
                    let source = if rng.below(2) == 0 { other } else { &tokens.clone() };
                    let piece = source[expression(source, rng.index(source.len()))].to_vec();
                    tokens.splice(range, piece);
                }
                _ => {
                    let mut wrapped = vec!["(".to_owned(), self.word(rng)];
                    wrapped.extend_from_slice(&tokens[range.clone()]);
                    wrapped.push(")".to_owned());
                    tokens.splice(range, wrapped);
                }
            }
        }
    }

    fn word(&self, rng: &mut Rng) -> String {
        (*rng.pick(self.words)).to_owned()
    }

    /// Feeds mutated scripts to a reader until the time is up; returns how many there were and how many of them
    /// the reader called good.
    ///
    /// # Panics
    ///
    /// If the reader panics or takes longer than `patience` for a script.
    pub fn run(&self, patience: Duration, mut reader: impl FnMut(&[u8]) -> bool) -> (u64, u64) {
        let time = Duration::from_secs(setting("SHEM_FUZZ_SECONDS", 2));
        let seed = setting("SHEM_FUZZ_SEED", 1);
        let start = Instant::now();
        let (mut run, mut good) = (0, 0);
        while start.elapsed() < time {
            let mut rng = Rng::new(seed.wrapping_mul(1 << 32).wrapping_add(run));
            let script = self.script(&mut rng);
            let begin = Instant::now();
            let result = catch_unwind(AssertUnwindSafe(|| reader(&script)));
            let shown = String::from_utf8_lossy(&script);
            assert!(result.is_ok(), "run {run} of seed {seed} panics:\n{shown}");
            let spent = begin.elapsed();
            assert!(spent < patience, "run {run} of seed {seed} takes {spent:?}:\n{shown}");
            good += u64::from(result.is_ok_and(|good| good));
            run += 1;
        }
        assert!(run > 10, "only {run} scripts were run");
        (run, good)
    }
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
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
fn expression(tokens: &[String], start: usize) -> Range<usize> {
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
