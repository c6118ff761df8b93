//! The clauses of a Horn problem under a model, each as a problem of its own.
//!
//! A clause holds in a model if its negation, with constants in place of the variables that are bound at its top, has no
//! model once the predicates are defined as the model says. The problem consists of pieces of the two texts, letter by
//! letter, so that a short program can see that it is the right one (`scripts/check-certificate`).

use std::collections::BTreeSet;
use std::io::Write;

use shem_base::Budget;
use shem_term::smtlib::{Lexer, Span, TokenKind};

use super::problem::Problem;
use crate::error::{ProofError, Result, malformed, unsupported};

/// The parts of a list in a text: symbols, literals and lists.
fn parts(text: &str) -> Result<Vec<&str>> {
    let mut lexer = Lexer::new(text).map_err(|error| ProofError::Malformed(error.to_string()))?;
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0usize, 0);
    loop {
        let token = lexer.next_token();
        match token.kind {
            TokenKind::Open => {
                if depth == 0 {
                    start = token.start;
                }
                depth += 1;
            }
            TokenKind::Close if depth == 0 => return malformed("there is a ) too many"),
            TokenKind::Close => {
                depth -= 1;
                if depth == 0 {
                    parts.push(lexer.slice(Span::new(start, token.end)));
                }
            }
            TokenKind::End if depth == 0 => return Ok(parts),
            TokenKind::End | TokenKind::Malformed => return malformed("the text ends within a list"),
            _ if depth == 0 => parts.push(lexer.slice(token.span())),
            _ => {}
        }
    }
}

/// The parts of a list that is given with its parentheses.
fn members(list: &str) -> Result<Vec<&str>> {
    match list.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(inner) => parts(inner),
        None => malformed("expected a list"),
    }
}

/// A name without the bars that may be around it.
fn plain(name: &str) -> &str {
    name.strip_prefix('|').and_then(|rest| rest.strip_suffix('|')).unwrap_or(name)
}

/// For each assertion of a script, the problem that has no model if the assertion holds in the model, which is a list of
/// definitions.
pub fn clause_problems(script: &str, model: &str) -> Result<Vec<String>> {
    let (mut prelude, mut macros, mut assertions) = (String::new(), String::new(), Vec::new());
    let (mut declared, mut taken) = (BTreeSet::new(), BTreeSet::new());
    for command in parts(script)? {
        let words = members(command)?;
        match words[..] {
            ["declare-fun" | "declare-const", name, ..] => {
                declared.insert(plain(name));
            }
            ["declare-sort" | "define-sort" | "declare-datatype" | "declare-datatypes", ..] => {
                prelude += &format!("{command}\n");
            }
            ["define-fun" | "define-const" | "define-fun-rec" | "define-funs-rec", name, ..] => {
                taken.insert(plain(name));
                macros += &format!("{command}\n");
            }
            ["assert", formula] => assertions.push(formula),
            ["push" | "pop" | "reset" | "reset-assertions", ..] => {
                return unsupported("assertions that are withdrawn");
            }
            _ => {}
        }
    }
    let [model] = parts(model)?[..] else { return malformed("the model is no list") };
    for definition in members(model)? {
        let ["define-fun", name, ..] = members(definition)?[..] else {
            return malformed("the model has something else than definitions");
        };
        if !declared.remove(plain(name)) {
            return malformed("the model defines what is not declared");
        }
        taken.insert(plain(name));
        prelude += &format!("{definition}\n");
    }
    if let Some(name) = declared.first() {
        return malformed(format!("the model does not define {name}"));
    }
    let mut words = Lexer::new(script).map_err(|error| ProofError::Malformed(error.to_string()))?;
    let (mut real, mut int) = (false, false);
    loop {
        let token = words.next_token();
        match words.slice(token.span()) {
            "Real" => real = true,
            "Int" => int = true,
            _ if token.kind == TokenKind::End => break,
            _ => {}
        }
    }
    // Where all numbers are real, numerals are.
    let logic = if real && !int { "QF_LRA" } else { "ALL" };
    let prelude = format!("(set-logic {logic})\n{prelude}{macros}");
    assertions.into_iter().map(|assertion| clause_problem(&prelude, &taken, assertion)).collect()
}

fn clause_problem(prelude: &str, taken: &BTreeSet<&str>, assertion: &str) -> Result<String> {
    let mut problem = prelude.to_owned();
    let mut names = taken.clone();
    let (mut formula, mut positive) = (assertion, true);
    while formula.starts_with('(') {
        match (&members(formula)?[..], positive) {
            (&["!", inner, ..], _) => formula = inner,
            (&["not", inner], _) => (formula, positive) = (inner, !positive),
            (&["forall", variables, body], true) | (&["exists", variables, body], false) => {
                for variable in members(variables)? {
                    let [name, sort] = members(variable)?[..] else {
                        return malformed("a variable without a sort");
                    };
                    if !names.insert(plain(name)) {
                        return unsupported(format!("two meanings of {name} in one clause"));
                    }
                    problem += &format!("(declare-const {name} {sort})\n");
                }
                formula = body;
            }
            _ => break,
        }
    }
    problem +=
        &if positive { format!("(assert (not {formula}))\n") } else { format!("(assert {formula})\n") };
    Ok(problem)
}

/// Proves a problem of [`clause_problems`]. Returns its text, with the definitions of quotients and the like that the proof
/// may use, and whether there is a proof.
pub fn prove_clause(mut text: String, budget: &mut Budget, out: impl Write) -> (String, Result<u64>) {
    let mut problem = Problem::default();
    let result = problem.read(&text).and_then(|()| {
        for axiom in problem.axioms()? {
            problem.read(&axiom)?;
            text += &axiom;
            text.push('\n');
        }
        problem.refute(budget, out)
    });
    text += "(check-sat)\n";
    (text, result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_both_texts() {
        let script = "(set-logic HORN) (declare-fun p (Int) Bool)
            (assert (forall ((x Int)) (=> (= x 0) (p x)))) ; start
            (assert (not (exists ((x Int)) (and (p x) (< x 0)))))
            (check-sat)";
        let model = "((define-fun p ((x0 Int)) Bool (>= x0 0)))";
        let prelude = "(set-logic ALL)\n(define-fun p ((x0 Int)) Bool (>= x0 0))\n(declare-const x Int)\n";
        let expected = [
            format!("{prelude}(assert (not (=> (= x 0) (p x))))\n"),
            format!("{prelude}(assert (and (p x) (< x 0)))\n"),
        ];
        assert_eq!(clause_problems(script, model).expect("clauses"), expected);
        assert!(clause_problems(script, "()").is_err());
        assert!(clause_problems(&script.replace("(x Int)", "(p Int)"), model).is_err());
    }
}
