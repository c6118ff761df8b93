//! Whether a script is a Horn problem, from its opening.

use std::io::{self, Read};

use shem_base::StopToken;
use shem_chc::Script;
use shem_term::Store;
use shem_term::smtlib::{Lexer, TokenKind};

/// What is read at once from a stream that may go on as a conversation.
const PIECE: usize = 1 << 16;

/// Reads a script up to where it is clear whether it is a Horn problem; gives what was read and whether it is one.
/// Nothing is waited for that is not needed: whoever talks to a solver waits for answers, too.
pub(crate) fn split_opening(input: &mut dyn Read) -> io::Result<(Vec<u8>, bool)> {
    let mut opening = Vec::new();
    let mut piece = vec![0; PIECE];
    loop {
        let text = valid_text(&opening);
        if let Some(answer) = is_horn(text) {
            return Ok((opening, answer));
        }
        match input.read(&mut piece) {
            Ok(0) => return Ok((opening, false)),
            Ok(count) => opening.extend_from_slice(&piece[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Whether a whole script that sets no logic is a Horn problem: clauses with variables, over predicates.
pub(crate) fn is_horn_without_logic(text: &[u8]) -> bool {
    let text = valid_text(text);
    if text.contains("(set-logic") || !text.contains("(forall") {
        return false;
    }
    let read = Script::read(&mut Store::new(), text, &StopToken::new());
    read.is_ok_and(|script| {
        let clauses = &script.first_system().clauses;
        clauses.iter().any(|clause| !clause.variables.is_empty() && clause.head.is_some())
    })
}

/// The longest beginning that is text.
fn valid_text(bytes: &[u8]) -> &str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
    }
}

/// Whether the commands belong to a Horn problem: the logic is HORN, or there are relations, rules or queries before
/// any logic. `None` if only commands that settle nothing have come so far.
fn is_horn(text: &str) -> Option<bool> {
    let Ok(mut lexer) = Lexer::new(text) else { return Some(false) };
    let mut depth = 0_usize;
    let mut command = "";
    let mut position = 0;
    loop {
        let token = lexer.next_token();
        let word = &text[token.start as usize..token.end as usize];
        // The last word may go on in what has not come yet.
        if token.kind == TokenKind::End || token.end as usize == text.len() && word != ")" {
            return None;
        }
        match token.kind {
            TokenKind::Open => {
                depth += 1;
                position = 0;
                continue;
            }
            TokenKind::Close => depth = depth.saturating_sub(1),
            _ if depth == 1 && position == 0 => match word {
                "set-info" | "set-option" | "echo" | "push" | "pop" | "reset" => command = "",
                "set-logic" => command = word,
                "declare-rel" | "declare-var" | "rule" | "query" => return Some(true),
                // Sorts and constants may come before relations, and assertions before a set-logic do not.
                "declare-datatypes" | "declare-datatype" | "declare-sort" | "define-sort" => command = "",
                _ => return Some(false),
            },
            _ if depth == 1 && command == "set-logic" => return Some(word == "HORN"),
            _ => {}
        }
        position += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<bool>) {
        assert_eq!(is_horn(text), expected, "{text}");
        // In pieces of one byte the same comes out.
        let mut input = text.as_bytes();
        let mut trickle = Trickle(&mut input);
        let (opening, answer) = split_opening(&mut trickle).expect("memory is read");
        assert_eq!(answer, expected.unwrap_or(false), "{text}");
        assert!(text.as_bytes().starts_with(&opening));
    }

    /// Gives a byte at a time.
    struct Trickle<'a, 'b>(&'a mut &'b [u8]);

    impl Read for Trickle<'_, '_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = buffer.len().min(1);
            self.0.read(&mut buffer[..length])
        }
    }

    #[test]
    fn clauses_tell_where_there_is_no_logic() {
        let clause = "(declare-fun p (Int) Bool) (assert (forall ((x Int)) (=> (= x 0) (p x)))) (check-sat)";
        for (text, expected) in [
            (clause.to_owned(), true),
            (format!("(set-logic UFLIA) {clause}"), false),
            (format!("(declare-const a Int) (assert (= a 1)) {clause}"), false),
            ("(assert (forall ((x Int)) (= x x))) (check-sat)".to_owned(), false),
        ] {
            assert_eq!(is_horn_without_logic(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn the_logic_or_the_first_command_tells() {
        check("(set-logic HORN)\n", Some(true));
        check("(set-option :timeout 1000)(set-info :status sat)\n(set-logic HORN)(check-sat)", Some(true));
        check("; (set-logic HORN)\n(set-logic QF_LIA)\n", Some(false));
        check("(set-info :source |(set-logic HORN)|) (set-logic ALL)", Some(false));
        check("(declare-rel p (Int))\n", Some(true));
        check("(declare-datatypes ((P 0)) (((p (query Int)))))\n(declare-var x P)", Some(true));
        check("(declare-fun p (Int) Bool)", Some(false));
        check("(set-option :produce-proofs true)(set-logic HORN)", Some(true));
        check("(set-logic HORNY)", Some(false));
        check("", None);
        check("(set-log", None);
        check("(set-logic HORN", None);
        check(")(set-logic HORN)", Some(true));
    }
}
