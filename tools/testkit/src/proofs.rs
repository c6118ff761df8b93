//! Proofs in Alethe, judged by Carcara.
//!
//! Each check of a script stands alone; Shem decides it and prints the proof after `unsat`, and Carcara checks the proof
//! against the same text. So that the judge is known to be able to refuse, proofs are changed, too: a *mutant* has one change
//! in one step. A mutant that is refused is fine. One that is accepted is a proof all the same if nothing that its
//! steps say is wrong (a coefficient may be larger than it has to be, a premise may not be needed), which z3 is
//! asked about, step by step. One that is accepted and wrong is a failure.

use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use crate::process::{Ending, Program, Scratch};
use crate::rng::Rng;
use crate::script::{Check, print};
use crate::sexpr::Sexpr;
use crate::steps::{Questions, Rightness};

/// The options with which Carcara reads problems as Shem does.
pub const CARCARA: &[&str] =
    &["check", "--expand-let-bindings", "--apply-function-defs", "--allow-int-real-subtyping"];

/// What became of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The answer was not `unsat`.
    NoProof,
    /// Alethe has no rules for something in the script.
    NoRules(String),
    /// Carcara accepts the proof, which is this text.
    Accepted(String),
    /// Something is wrong: this.
    Failed(String),
}

/// A change of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mutation {
    /// A coefficient of `la_generic` is another number.
    Coefficient,
    /// A step of resolution has one premise less.
    Premise,
    /// The clause of a step has one literal less.
    Literal,
    /// A numeral in a term is another one.
    Numeral,
    /// An assumption is negated.
    Assumption,
}

impl Mutation {
    /// All kinds.
    pub const ALL: [Mutation; 5] = [
        Mutation::Coefficient,
        Mutation::Premise,
        Mutation::Literal,
        Mutation::Numeral,
        Mutation::Assumption,
    ];
}

/// The check as a script of its own.
pub fn standalone(commands: &[Sexpr], check: &Check) -> String {
    let logic = commands.iter().find(|command| command.head() == Some("set-logic"));
    let mut script: Vec<Sexpr> = logic.into_iter().chain(&check.preamble).cloned().collect();
    script.extend(check.assertions.iter().map(|assertion| Sexpr::app("assert", [assertion.formula.clone()])));
    // Carcara cannot read an empty list of assumptions.
    script.push(match &check.assumptions {
        Some(assumptions) if !assumptions.is_empty() => {
            Sexpr::app("check-sat-assuming", [Sexpr::List(assumptions.clone())])
        }
        _ => Sexpr::app("check-sat", []),
    });
    print(&script)
}

/// Shem and Carcara, and z3 as the judge of changed proofs.
pub struct Judges {
    shem: Program,
    carcara: Program,
    z3: Program,
    guard: Option<Program>,
    scratch: Scratch,
    limit: Duration,
}

impl Judges {
    /// Runs of these programs, each of which may take so long. The guard, if there is one, has to accept what Carcara
    /// accepts: a proof and a problem.
    pub fn new(
        shem: Program,
        carcara: Program,
        z3: Program,
        guard: Option<Program>,
        limit: Duration,
    ) -> io::Result<Judges> {
        Ok(Judges { shem, carcara, z3, guard, scratch: Scratch::new()?, limit })
    }

    /// Has Shem prove the script, and Carcara judge the proof.
    pub fn judge(&self, script: &str) -> io::Result<Outcome> {
        let problem = self.scratch.path("problem.smt2");
        fs::write(&problem, format!("(set-option :produce-proofs true)\n{script}(get-proof)\n"))?;
        let run = self.shem.run(&[], &problem, self.limit)?;
        let Some(proof) = run.output.strip_prefix("unsat\n") else {
            let is_error =
                run.output.starts_with("unknown\n(error ") || run.output.starts_with("sat\n(error ");
            return Ok(if is_error || run.ending == Ending::Limit {
                Outcome::NoProof
            } else {
                Outcome::Failed(format!("Shem answers {}", first_line(&run.output)))
            });
        };
        if proof.starts_with("(error ") {
            let message = first_line(proof);
            return Ok(if message.contains("Alethe has no rules") {
                Outcome::NoRules(message)
            } else {
                Outcome::Failed(message)
            });
        }
        match self.accepts(&problem, proof)? {
            Ok(()) => Ok(Outcome::Accepted(proof.to_owned())),
            Err(message) => Ok(Outcome::Failed(message)),
        }
    }

    /// Whether Carcara accepts a changed proof of the script that was judged last.
    pub fn accepts_mutant(&self, proof: &str) -> io::Result<bool> {
        Ok(self.accepts(&self.scratch.path("problem.smt2"), proof)?.is_ok())
    }

    /// Whether a changed proof of the script that was judged last is right all the same.
    pub fn rightness(&self, proof: &str) -> io::Result<Rightness> {
        let problem = fs::read_to_string(self.scratch.path("problem.smt2"))?;
        let questions = match Questions::new(&problem, proof) {
            Ok(questions) => questions,
            Err(message) => return Ok(Rightness::Wrong(message)),
        };
        let path = self.scratch.path("steps.smt2");
        fs::write(&path, &questions.script)?;
        let run = self.z3.run(&[], &path, self.limit)?;
        Ok(questions.judge(&run.output))
    }

    fn accepts(&self, problem: &Path, proof: &str) -> io::Result<Result<(), String>> {
        let path = self.scratch.path("proof.alethe");
        fs::write(&path, proof)?;
        let further = [path.display().to_string()];
        let run = self.carcara.run(&further, problem, self.limit)?;
        if let (Ending::Exit(0), "valid", Some(guard)) = (run.ending, run.output.trim(), &self.guard) {
            let run = guard.run(&further, problem, self.limit)?;
            return Ok(match run.ending {
                Ending::Exit(0) => Ok(()),
                _ => Err(format!("the guard says {}", first_line(&run.complaints))),
            });
        }
        Ok(match (run.ending, run.output.trim()) {
            (Ending::Exit(0), "valid") => Ok(()),
            _ => Err(format!("Carcara says {} {}", run.output.trim(), first_line(&run.complaints))),
        })
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

/// The proof with one change of this kind, if it has a place for it.
pub fn mutate(proof: &str, mutation: Mutation, rng: &mut Rng) -> Option<String> {
    let lines: Vec<&str> = proof.lines().collect();
    let fits = |line: &&str| match mutation {
        Mutation::Coefficient => line.contains(":rule la_generic"),
        Mutation::Premise => line.contains(":rule resolution"),
        Mutation::Literal => line.starts_with("(step") && !line.contains("(cl)"),
        Mutation::Numeral => line.starts_with("(define-fun") && numerals(line).next().is_some(),
        Mutation::Assumption => line.starts_with("(assume"),
    };
    let places: Vec<usize> = (0..lines.len()).filter(|&at| fits(&lines[at])).collect();
    if places.is_empty() {
        return None;
    }
    let at = *rng.pick(&places);
    let line = lines[at];
    let changed = match mutation {
        Mutation::Coefficient => {
            let start = line.find(":args")?;
            let (range, value) = pick(numerals(line).filter(|(range, _)| range.start > start), rng)?;
            replace(line, range, &(value + 1 + rng.range(0, 3)).to_string())
        }
        Mutation::Numeral => {
            let (range, value) = pick(numerals(line), rng)?;
            replace(line, range, &(value + 1 + rng.range(0, 3)).to_string())
        }
        Mutation::Premise => {
            let start = line.find(":premises (")? + ":premises (".len();
            let end = start + line[start..].find(')')?;
            let mut premises: Vec<&str> = line[start..end].split(' ').collect();
            premises.remove(rng.below(premises.len()));
            replace(line, start..end, &premises.join(" "))
        }
        Mutation::Literal => {
            let start = line.find("(cl ")? + "(cl ".len();
            let literals = literals(&line[start..]);
            let (from, to) = *rng.pick(&literals);
            replace(line, start + from..start + to, "")
        }
        Mutation::Assumption => {
            let mut parts = line.splitn(3, ' ');
            let (assume, name, term) = (parts.next()?, parts.next()?, parts.next()?.strip_suffix(')')?);
            format!("{assume} {name} (not {term}))")
        }
    };
    let mut lines: Vec<String> = lines.into_iter().map(str::to_owned).collect();
    lines[at] = changed;
    Some(lines.join("\n"))
}

fn pick<T>(items: impl Iterator<Item = T>, rng: &mut Rng) -> Option<T> {
    let mut items: Vec<T> = items.collect();
    if items.is_empty() { None } else { Some(items.swap_remove(rng.below(items.len()))) }
}

fn replace(line: &str, range: std::ops::Range<usize>, by: &str) -> String {
    format!("{}{by}{}", &line[..range.start], &line[range.end..])
}

/// Numbers of digits that are words of their own, with their places.
fn numerals(line: &str) -> impl Iterator<Item = (std::ops::Range<usize>, i64)> + '_ {
    let mut start = 0;
    line.split([' ', '(', ')']).filter_map(move |word| {
        let range = start..start + word.len();
        start += word.len() + 1;
        let digits = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| word.parse().ok()).flatten().map(|value| (range, value))
    })
}

/// Where the literals of a clause are, of which the text begins with the first.
fn literals(text: &str) -> Vec<(usize, usize)> {
    let (mut depth, mut start, mut found) = (0, None, Vec::new());
    for (at, byte) in text.bytes().enumerate() {
        let ends = match byte {
            b'(' => {
                depth += 1;
                start = start.or(Some(at));
                false
            }
            b')' if depth == 0 => {
                found.extend(start.map(|start| (start, at)));
                return found;
            }
            b')' => {
                depth -= 1;
                false
            }
            b' ' => depth == 0,
            _ => {
                start = start.or(Some(at));
                false
            }
        };
        if ends && let Some(start) = start.take() {
            found.push((start, at));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROOF: &str = "(\n(assume h0 @1)\n(define-fun @2 () Bool (<= x 3))\n\
        (step t1 (cl (not @1) @2) :rule la_generic :args (1 2))\n\
        (step t2 (cl @2) :rule resolution :premises (t1 h0))\n)";

    #[test]
    fn each_kind_changes_one_line() {
        for mutation in Mutation::ALL {
            let mutant = mutate(PROOF, mutation, &mut Rng::new(1)).expect("a place for it");
            let changed = PROOF.lines().zip(mutant.lines()).filter(|(before, after)| before != after).count();
            assert_eq!(
                (changed, mutant.lines().count()),
                (1, PROOF.lines().count()),
                "{mutation:?}: {mutant}"
            );
        }
    }

    #[test]
    fn literals_are_found() {
        assert_eq!(literals("(not @1) @2 (f (g x))) :rule"), [(0, 8), (9, 11), (12, 21)]);
    }
}
