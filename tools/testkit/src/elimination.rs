//! Quantifier elimination judged by z3.
//!
//! What Shem returns for a block must be equivalent to it. One direction is a problem without quantifiers:
//! for `(exists x. F)` and the result G, `F and (not G)` has no model. The other one, `G and (not (exists
//! x. F))`, leaves z3 the block. Both are stand-alone problems that declare nothing but what may occur: a
//! bound variable that is left in the result makes z3 reject the second. No result is a failure, too,
//! whatever the reason: every loop has to end.

use crate::batch::{Oracle, Solver};
use crate::generate::Quantified;
use crate::judge::{Answer, in_z3_dialect};
use crate::sexpr::Sexpr;
use crate::sorts::{Signature, Sort};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;

/// The verdict on one elimination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The result is equivalent to the block.
    Equivalent,
    /// z3 left this direction open; the result is not refuted.
    Undecided(String),
    /// There is a result, and nobody was asked about it.
    Unjudged,
    /// The result is not equivalent, not a formula over the free variables, or there is none.
    Failed(String),
}

/// How many eliminations got which verdict, and how large results are.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Equivalent ones.
    pub equivalent: usize,
    /// Those that z3 did not decide.
    pub undecided: usize,
    /// Failures.
    pub failed: usize,
    /// Those that nobody was asked about.
    pub unjudged: usize,
    /// The distinct atoms of each result; none for `true` and `false`.
    pub atoms: Vec<usize>,
}

impl Tally {
    /// Counts a verdict.
    pub fn note(&mut self, verdict: &Verdict) {
        match verdict {
            Verdict::Equivalent => self.equivalent += 1,
            Verdict::Undecided(_) => self.undecided += 1,
            Verdict::Unjudged => self.unjudged += 1,
            Verdict::Failed(_) => self.failed += 1,
        }
    }

    /// Adds another tally.
    pub fn add(&mut self, other: &Self) {
        self.equivalent += other.equivalent;
        self.undecided += other.undecided;
        self.failed += other.failed;
        self.unjudged += other.unjudged;
        self.atoms.extend_from_slice(&other.atoms);
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { equivalent, undecided, failed, unjudged, atoms } = self;
        let all = equivalent + undecided + failed + unjudged;
        write!(
            f,
            "{all} eliminations: {equivalent} equivalent, {failed} failed, {undecided} undecided by z3"
        )?;
        if *unjudged > 0 {
            write!(f, ", {unjudged} not judged")?;
        }
        let open = atoms.iter().filter(|&&count| count > 0).count();
        let (sum, most) = (atoms.iter().sum::<usize>(), atoms.iter().max().unwrap_or(&0));
        write!(
            f,
            "; {open} results other than true and false, with {sum} distinct atoms, at most {most} in one"
        )
    }
}

/// Has the solver eliminate all blocks and z3, if it is given, judge the results.
pub fn judge(
    oracle: Option<&Oracle>,
    solver: &impl Solver,
    formulas: &[Quantified],
) -> io::Result<(Vec<Verdict>, Tally)> {
    let scripts: Vec<_> = formulas.iter().map(Quantified::script).collect();
    let replies = solver.respond(&scripts)?;
    let mut tally = Tally::default();
    let mut verdicts = Vec::with_capacity(formulas.len());
    // By formula: its two problems, as far as there is a result.
    let mut problems = Vec::new();
    let mut owners = Vec::new();
    for (at, (formula, reply)) in formulas.iter().zip(replies).enumerate() {
        verdicts.push(match (&reply.trouble, reply.responses.as_slice()) {
            (Some(trouble), _) => Verdict::Failed(trouble.clone()),
            (None, [result]) if result.text() == Some("unknown") => {
                Verdict::Failed("no result: unknown".to_owned())
            }
            (None, [result]) => {
                tally.atoms.push(distinct_atoms(result, &formula.free));
                problems.extend(directions(formula, result));
                owners.extend([at, at]);
                if oracle.is_some() { Verdict::Equivalent } else { Verdict::Unjudged }
            }
            (None, responses) => Verdict::Failed(format!("{} responses", responses.len())),
        });
    }
    let decisions = match oracle {
        Some(oracle) => oracle.decide(&problems)?,
        None => Vec::new(),
    };
    for ((&at, problem), decision) in owners.iter().zip(&problems).zip(decisions) {
        let verdict = match decision {
            Ok(Answer::Unsat) => continue,
            Ok(Answer::Unknown) if verdicts[at] == Verdict::Equivalent => Verdict::Undecided(problem.clone()),
            Ok(Answer::Unknown) => continue,
            Ok(Answer::Sat) => Verdict::Failed(format!("not equivalent: there is a model of\n{problem}")),
            Err(error) => Verdict::Failed(format!("{error} in\n{problem}")),
        };
        verdicts[at] = verdict;
    }
    for verdict in &verdicts {
        tally.note(verdict);
    }
    Ok((verdicts, tally))
}

/// The two problems that have no model if the result is equivalent to the block.
fn directions(formula: &Quantified, result: &Sexpr) -> [String; 2] {
    let (free, bound) = (formula.declarations(), formula.bound_declarations());
    let (body, block) = (in_z3_dialect(&formula.body), in_z3_dialect(&formula.formula()));
    let result = in_z3_dialect(result);
    if formula.universal {
        [
            format!("{free}{bound}(assert (not {body}))\n(assert {result})\n"),
            format!("{free}(assert {block})\n(assert (not {result}))\n"),
        ]
    } else {
        [
            format!("{free}{bound}(assert {body})\n(assert (not {result}))\n"),
            format!("{free}(assert (not {block}))\n(assert {result})\n"),
        ]
    }
}

/// The number of distinct atoms of a formula without quantifiers, wherever they stand: relations between numbers,
/// divisibilities and Boolean variables. Bindings of `let` are replaced first.
pub fn distinct_atoms(formula: &Sexpr, variables: &[(String, Sort)]) -> usize {
    let mut signature = Signature::default();
    for (name, sort) in variables {
        signature.bind(name, Some(*sort));
    }
    let expanded = expand(formula, &BTreeMap::new());
    let mut atoms = BTreeSet::new();
    let mut stack = vec![&expanded];
    while let Some(term) = stack.pop() {
        let items = term.list().unwrap_or(&[]);
        let relation = match term.head() {
            Some("<" | "<=" | ">" | ">=" | "is_int") => true,
            Some("=" | "distinct") => signature.sort_of(&items[1]) != Some(Sort::Bool),
            Some(_) => false,
            None => match term.text() {
                Some(text) => variables.iter().any(|v| v.0 == text && v.1 == Sort::Bool),
                None => !items.is_empty() && items[0].head() == Some("_"),
            },
        };
        if relation {
            atoms.insert(term.to_string());
        }
        stack.extend(items);
    }
    atoms.len()
}

/// The term without `let`. The reader bounds the nesting of terms, and so the recursion.
fn expand(term: &Sexpr, bound: &BTreeMap<String, Sexpr>) -> Sexpr {
    match term {
        Sexpr::Atom(text) => bound.get(text).unwrap_or(term).clone(),
        Sexpr::List(items) => match (term.head(), items.as_slice()) {
            (Some("let"), [_, bindings, body]) => {
                let mut inner = bound.clone();
                for binding in bindings.list().unwrap_or_default() {
                    if let Some([Sexpr::Atom(name), value]) = binding.list() {
                        inner.insert(name.clone(), expand(value, bound));
                    }
                }
                expand(body, &inner)
            }
            _ => Sexpr::List(items.iter().map(|item| expand(item, bound)).collect()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sexpr::read_all;

    #[test]
    fn atoms_are_counted_once_and_in_all_places() {
        let variables = [("a", Sort::Int), ("b", Sort::Int), ("p", Sort::Bool)];
        let variables = variables.map(|(name, sort)| (name.to_owned(), sort));
        for (text, count) in [
            ("true", 0),
            ("(not p)", 1),
            ("(and (<= a 1) (or p (not (<= a 1))))", 2),
            ("(= p (= a 1))", 2),
            ("((_ divisible 3) (+ a 1))", 1),
            ("(<= (ite (= a 0) b (+ b 1)) 0)", 2),
            ("(let ((k (<= a 1)) (m (<= b 1))) (or (and k m) (and (not k) p)))", 3),
        ] {
            assert_eq!(distinct_atoms(&read_all(text).unwrap()[0], &variables), count, "{text}");
        }
    }
}
