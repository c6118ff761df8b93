//! Reading of clauses whose runs are asked for, so that no step is lost.
//!
//! `(=> (and (p x) (> x 3)) (p x))` is a step that leads from a state to itself. As a formula it is true, whatever `p` is, and
//! formulas that are read are simplified: nothing is left of it. So each occurrence of a predicate in a script gets a name of its
//! own, and the clauses of the script with these names, in which nothing of the kind can happen, get the predicates back.
//!
//! Where an occurrence stands for several, under a name that `let` or a definition gives it, this does not help. Then [`Runs`] are not
//! complete: that all of them end shows nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use shem_base::StopToken;
use shem_chc::{PredicateId, Script, System};
use shem_term::smtlib::{Lexer, ReadError, TokenKind};
use shem_term::{Store, quote_symbol};

use crate::ari::{is_ari, read_ari};

/// Clauses whose runs are asked for.
#[derive(Clone, Debug)]
pub struct Runs {
    /// The clauses.
    pub system: Arc<System>,
    /// Whether they have all steps of the input.
    pub complete: bool,
}

impl Runs {
    /// Reads a file in ARI, or a script; of a script with several checks, the clauses of the first one.
    ///
    /// # Errors
    /// A mistake in the text, with its place.
    pub fn read(store: &mut Store, text: &str) -> Result<Runs, ReadError> {
        if is_ari(text) {
            return Ok(Runs { system: Arc::new(read_ari(store, text)?), complete: true });
        }
        // Mistakes have to be told about the text as it is.
        let script = Script::read(store, text, &StopToken::new())?;
        let system = Arc::clone(script.first_system());
        let found = told_apart(store, text, &system);
        let complete = found.is_some();
        Ok(Runs { system: found.unwrap_or(system), complete })
    }
}

/// The clauses of a script with each occurrence of a predicate told apart while it is read.
fn told_apart(store: &mut Store, text: &str, system: &System) -> Option<Arc<System>> {
    let mut ending = "!".to_owned();
    while text.contains(&ending) {
        ending.push('!');
    }
    let index: BTreeMap<&str, PredicateId> = system
        .predicates
        .iter()
        .enumerate()
        .map(|(at, predicate)| (&*predicate.name, PredicateId::new(at)))
        .collect();
    let renamed = Renaming { index: &index, ending: &ending }.apply(text)?;
    let script = Script::read(store, &renamed, &StopToken::new()).ok()?;
    let read = script.first_system();
    let mut result = System { predicates: system.predicates.clone(), ..System::clone(read) };
    let original = |predicate: PredicateId| {
        let name = &read.predicate(predicate).name;
        // An occurrence without a number has not been told apart.
        index.get(&name[..name.rfind(&ending)?]).copied()
    };
    for clause in &mut result.clauses {
        for atom in clause.body.iter_mut().chain(&mut clause.head) {
            atom.predicate = original(atom.predicate)?;
        }
    }
    // Universal premises have predicates, too; such clauses have no runs anyway.
    (!result.has_premises()).then(|| Arc::new(result))
}

/// A change of the names of predicates: in each command that is no declaration each occurrence gets a number, and is declared before.
struct Renaming<'a> {
    index: &'a BTreeMap<&'a str, PredicateId>,
    ending: &'a str,
}

/// A parenthesis that is open: what it is, and whether a predicate has occurred in it.
struct Open<'t> {
    kind: Kind<'t>,
    children: usize,
    has_predicate: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind<'t> {
    Plain,
    Let,
    Bindings,
    /// A binding of this name.
    Binding(&'t str),
}

impl Renaming<'_> {
    /// The text with the names changed; nothing if an occurrence stands for several.
    fn apply(&self, text: &str) -> Option<String> {
        let mut lexer = Lexer::new(text).ok()?;
        let mut result = String::with_capacity(2 * text.len());
        // The declarations of predicates, without their names: the word before it and the sorts after it.
        let mut declared: BTreeMap<&str, (&str, &str)> = BTreeMap::new();
        let mut count = 0_usize;
        loop {
            let open = lexer.next_token();
            match open.kind {
                TokenKind::Open => {}
                TokenKind::End => return Some(result),
                _ => return None,
            }
            let start = open.span().start as usize;
            let word = lexer.next_token();
            let word = if word.kind == TokenKind::Symbol { lexer.slice(word.span()) } else { return None };
            let mut command = String::new();
            // What of the text is in the command already.
            let mut copied = start;
            let mut bound: BTreeSet<&str> = BTreeSet::new();
            let mut used: BTreeSet<&str> = BTreeSet::new();
            let mut stack = vec![Open { kind: Kind::Plain, children: 1, has_predicate: false }];
            let mut name: Option<(&str, usize)> = None;
            let mut end = start;
            while let Some(top) = stack.last_mut() {
                let token = lexer.next_token();
                let span = token.span();
                let slice = lexer.slice(span);
                end = span.end as usize;
                match token.kind {
                    TokenKind::End | TokenKind::Malformed => return None,
                    TokenKind::Open => {
                        let kind = match (top.kind, top.children) {
                            (Kind::Let, 1) => Kind::Bindings,
                            (Kind::Bindings, _) => Kind::Binding(""),
                            _ => Kind::Plain,
                        };
                        top.children += 1;
                        stack.push(Open { kind, children: 0, has_predicate: false });
                    }
                    TokenKind::Close => {
                        let closed = stack.pop().expect("a parenthesis is open");
                        if let (Kind::Binding(name), true) = (closed.kind, closed.has_predicate) {
                            // Twice the same name may be two things; that is too hard to tell.
                            if !bound.insert(name) {
                                return None;
                            }
                        }
                        if let Some(outer) = stack.last_mut() {
                            outer.has_predicate |= closed.has_predicate;
                        }
                    }
                    TokenKind::Symbol | TokenKind::Quoted => {
                        let plain = slice.trim_matches('|');
                        let first = top.children == 0;
                        top.children += 1;
                        if name.is_none() {
                            name = Some((plain, end));
                        }
                        if first && slice == "let" && top.kind == Kind::Plain {
                            top.kind = Kind::Let;
                        } else if first && matches!(top.kind, Kind::Binding(_)) {
                            top.kind = Kind::Binding(plain);
                        } else if bound.contains(plain) {
                            if !used.insert(plain) {
                                return None;
                            }
                            top.has_predicate = true;
                        } else if self.index.contains_key(plain) && !word.starts_with("declare") {
                            top.has_predicate = true;
                            if word.starts_with("define") {
                                return None;
                            }
                            let new = format!("{plain}{}{count}", self.ending);
                            let new = quote_symbol(&new).into_owned();
                            count += 1;
                            let (word, sorts) = declared.get(plain)?;
                            result.push_str(&format!("({word} {new}{sorts}\n"));
                            command.push_str(&text[copied..span.start as usize]);
                            command.push_str(&new);
                            copied = end;
                        }
                    }
                    _ => top.children += 1,
                }
            }
            command.push_str(&text[copied..end]);
            if let Some((name, after)) = name.filter(|_| word.starts_with("declare"))
                && self.index.contains_key(name)
            {
                declared.insert(name, (word, &text[after..end]));
            }
            result.push_str(&command);
            result.push('\n');
            if ["check-sat", "check-sat-assuming", "query"].contains(&word) {
                return Some(result);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A clause as the numbers of the predicates of body and head.
    type Ends = (Option<usize>, Option<usize>);

    /// The clauses of a script, and whether they are complete.
    fn steps(text: &str) -> (Vec<Ends>, bool) {
        let mut store = Store::new();
        let Runs { system, complete } = Runs::read(&mut store, text).expect(text);
        let ends = system.clauses.iter().map(|clause| {
            let body = clause.body.first().map(|atom| atom.predicate.index());
            (body, clause.head.as_ref().map(|atom| atom.predicate.index()))
        });
        (ends.collect(), complete)
    }

    const START: &str =
        "(set-logic HORN)\n(declare-fun p (Int) Bool)\n(declare-fun |q r| (Int) Bool)\n(assert (p 7))\n";

    #[track_caller]
    fn check(rest: &str, expected: &[Ends], is_complete: bool) {
        let (found, complete) =
            steps(&format!("{START}{rest}\n(check-sat)\n(assert (|q r| 3))\n(check-sat)"));
        let all = [&[(None, Some(0))], expected].concat();
        assert_eq!((found, complete), (all, is_complete), "{rest}");
    }

    #[test]
    fn steps_to_the_same_state_are_kept() {
        let (p, q) = (Some(0), Some(1));
        check("(assert (forall ((x Int)) (=> (p x) (p x))))", &[(p, p)], true);
        check("(assert (forall ((x Int)) (=> (and (p x) (> x 3)) (p x))))", &[(p, p)], true);
        check("(assert (forall ((x Int)) (=> (p x) (p (- (+ x 1) 1)))))", &[(p, p)], true);
        check("(assert (forall ((x Int)) (or (|q r| x) (not (|q r| x)))))", &[(q, q)], true);
        check("(assert (forall ((x Int)) (=> (p x) (and (p x) (|q r| x)))))", &[(p, p), (p, q)], true);
        check("(assert (forall ((x Int)) (=> (|q r| x) (p x))))", &[(q, p)], true);
        check("(assert (forall ((x Int)) (=> (and (p x) (> x 9)) false)))", &[(p, None)], true);
        check("(assert (! (forall ((x Int)) (=> (p x) (p x))) :named p_x))", &[(p, p)], true);
    }

    #[test]
    fn names_for_occurrences_are_seen() {
        let p = Some(0);
        check(
            "(assert (forall ((x Int)) (let ((a (p x)) (b (> x 2))) (=> (and a b) (p x)))))",
            &[(p, p)],
            true,
        );
        check(
            "(assert (forall ((x Int)) (let ((a (p x)) (b (> x 2))) (=> (and a b) (or b (p x))))))",
            &[],
            true,
        );
        check("(assert (forall ((x Int)) (let ((a (p x))) (=> a a))))", &[], false);
        check("(assert (forall ((x Int)) (let ((a (p x))) (let ((b (not a))) (or b a)))))", &[], false);
        check(
            "(define-fun f ((x Int)) Bool (p x))\n(assert (forall ((x Int)) (=> (f x) (f x))))",
            &[],
            false,
        );
    }

    #[test]
    fn rules_are_read_like_assertions() {
        let text = "(declare-rel p (Int))\n(declare-var x Int)\n(rule (p 1))\n(rule (=> (and (p x) (> x 0)) (p x)))\n(query p)";
        let (p, all) = (Some(0), steps(text));
        assert_eq!(all, (vec![(None, p), (p, p), (p, None)], true));
    }
}
