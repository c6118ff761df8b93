//! Whether the steps of a proof follow, whatever their rules say: questions about a proof in Alethe for an SMT solver.
//!
//! A proof is right if each assumption says what an assertion of the problem says, each step's clause follows from those
//! of its premises, which come before it, and the last clause is empty. That is less than the rules ask for, and
//! enough: what follows from the assertions step by step follows from them. The questions are text; of the program that
//! answers them nothing is expected but right answers.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::sexpr::{Sexpr, read_all};

/// What the answers to the questions say of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rightness {
    /// Every step follows.
    Right,
    /// This step does not follow, or this assumption is none.
    Wrong(String),
    /// Whether this one does was not found out.
    Open(String),
}

/// The questions about a proof: one script, and for each command of the proof the answers that belong to it, one of
/// which has to be `unsat`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Questions {
    /// The script.
    pub script: String,
    /// The names of steps and assumptions, and how many answers belong to each.
    counts: Vec<(String, usize)>,
}

impl Questions {
    /// The questions about a proof of a problem's unsatisfiability; an error if it is no such proof by its form.
    pub fn new(problem: &str, proof: &str) -> Result<Questions, String> {
        let (mut script, mut asserted) = (String::new(), Vec::new());
        for command in read_all(problem).map_err(|error| error.to_string())? {
            match (command.head(), command.list()) {
                (Some("assert"), Some([_, formula])) => asserted.push(formula.clone()),
                (Some("check-sat-assuming"), Some([_, Sexpr::List(assumed)])) => {
                    asserted.extend(assumed.iter().cloned());
                }
                (Some(head), _) if head.starts_with("declare-") || head.starts_with("define-") => {
                    let _ = writeln!(script, "{command}");
                }
                _ => {}
            }
        }
        let mut clauses: BTreeMap<String, Vec<Sexpr>> = BTreeMap::new();
        let (mut counts, mut last) = (Vec::new(), None);
        let read = read_all(proof).map_err(|error| error.to_string())?;
        // The commands stand in one list, or alone.
        let commands = match &read[..] {
            [Sexpr::List(inner)] if read[0].head().is_none() => inner,
            _ => &read,
        };
        for command in commands {
            let strange = || format!("no command of a proof: {command}");
            match (command.head(), command.list()) {
                (Some("define-fun"), _) => {
                    let _ = writeln!(script, "{command}");
                }
                (Some("assume"), Some([_, Sexpr::Atom(name), formula])) => {
                    for assertion in &asserted {
                        let _ = writeln!(
                            script,
                            "(push 1) (assert (not (= {assertion} {formula}))) (check-sat) (pop 1)"
                        );
                    }
                    counts.push((name.clone(), asserted.len()));
                    clauses.insert(name.clone(), vec![formula.clone()]);
                }
                (Some("step"), Some([_, Sexpr::Atom(name), clause, rest @ ..])) => {
                    let literals =
                        clause.list().filter(|_| clause.head() == Some("cl")).ok_or_else(strange)?;
                    script.push_str("(push 1)");
                    let premises = rest.iter().position(|part| part.text() == Some(":premises"));
                    let premises = premises.and_then(|at| rest.get(at + 1)?.list()).unwrap_or_default();
                    for premise in premises {
                        let known = premise.text().and_then(|name| clauses.get(name));
                        let literals = known.ok_or_else(|| format!("no premise before {name}: {premise}"))?;
                        let _ = write!(script, " (assert (or false {}))", Joined(literals));
                    }
                    for literal in &literals[1..] {
                        let _ = write!(script, " (assert (not {literal}))");
                    }
                    script.push_str(" (check-sat) (pop 1)\n");
                    counts.push((name.clone(), 1));
                    clauses.insert(name.clone(), literals[1..].to_vec());
                    last = Some(literals.len());
                }
                _ => return Err(strange()),
            }
        }
        if last != Some(1) {
            return Err("the last clause is not empty".to_owned());
        }
        Ok(Questions { script, counts })
    }

    /// What the answers say, a line each.
    pub fn judge(&self, answers: &str) -> Rightness {
        if let Some(error) = answers.lines().find(|line| line.starts_with("(error")) {
            return Rightness::Open(error.to_owned());
        }
        let mut lines = answers.lines();
        let mut open = None;
        for (name, count) in &self.counts {
            let own: Vec<&str> = lines.by_ref().take(*count).collect();
            if own.contains(&"unsat") {
                continue;
            }
            if own.len() == *count && own.iter().all(|&line| line == "sat") {
                return Rightness::Wrong(name.clone());
            }
            open = open.or(Some(name.clone()));
        }
        open.map_or(Rightness::Right, Rightness::Open)
    }
}

struct Joined<'a>(&'a [Sexpr]);

impl std::fmt::Display for Joined<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|item| write!(f, "{item} "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROBLEM: &str = "(declare-const x Int) (assert (< x 3)) (assert (> x 5)) (check-sat)";
    const PROOF: &str = "((define-fun @1 () Bool (< x 3)) (assume h0 @1) (assume h1 (> x 5))
        (step t1 (cl (not @1) (not (> x 5))) :rule la_generic :args (1 1))
        (step t2 (cl) :rule resolution :premises (t1 h0 h1)))";

    #[test]
    fn each_command_is_asked_for() {
        let questions = Questions::new(PROBLEM, PROOF).expect("questions");
        assert_eq!(questions.script.matches("(check-sat)").count(), 6);
        // Two assertions may be an assumption.
        assert_eq!(questions.judge("unsat\nsat\nsat\nunsat\nunsat\nunsat\n"), Rightness::Right);
        assert_eq!(
            questions.judge("unsat\nsat\nsat\nsat\nunsat\nunsat\n"),
            Rightness::Wrong("h1".to_owned())
        );
        assert_eq!(
            questions.judge("unsat\nsat\nsat\nunsat\nsat\nunsat\n"),
            Rightness::Wrong("t1".to_owned())
        );
        assert_eq!(questions.judge("unsat\nsat\nsat\nunsat\nunsat\n"), Rightness::Open("t2".to_owned()));
        assert_eq!(
            questions.judge("unsat\nsat\nsat\nunsat\nunsat\nunknown\n"),
            Rightness::Open("t2".to_owned())
        );
    }

    #[test]
    fn the_form_is_checked() {
        let early = PROOF.replace("t1 h0 h1", "t3 h0 h1");
        assert!(Questions::new(PROBLEM, &early).is_err());
        let unfinished = PROOF.replace("(cl)", "(cl @1)");
        assert!(Questions::new(PROBLEM, &unfinished).is_err());
    }
}
