//! Interpolants, judged by z3.
//!
//! Every assertion of a script gets a name. After each check that z3 finds unsatisfiable Shem is asked
//! for interpolants of random groups of these names: two, a path, a tree, with random algorithms. Each
//! formula is then judged in the form that defines all three: a group, with the interpolants of its
//! children, implies its own, which at the root is falsehood. (So what is below a cut implies its
//! interpolant, which contradicts the rest.) Which symbols are shared is read off the text.

use crate::batch::{Oracle, Reply, Solver};
use crate::compare::{Failure, Kind, Tally, decide};
use crate::judge::{self, Answer};
use crate::rng::Rng;
use crate::script::{self, Assertion, Check, print};
use crate::sexpr::Sexpr;
use crate::symbols::Symbols;
use std::collections::BTreeSet;
use std::fmt;
use std::fmt::Write;
use std::io;

const SYSTEMS: [&str; 5] = ["mcmillan", "pudlak", "occurrence", "proof-sensitive", "dual-mcmillan"];
const RULES: [&str; 4] = ["farkas", "decomposed", "dual-farkas", "dual-decomposed"];
/// How many of the systems and rules suit trees; these come first.
const TREE_SYSTEMS: usize = 4;
const TREE_RULES: usize = 2;

/// A request for interpolants.
#[derive(Clone, Debug)]
struct Question {
    /// By group: the names in it.
    names: Vec<Vec<String>>,
    /// By group: its formulas, also those that are not named.
    formulas: Vec<Vec<Sexpr>>,
    /// By group: its parent; the last group is the root.
    parents: Vec<usize>,
    system: &'static str,
    rule: &'static str,
    simplify: bool,
    prune: bool,
}

/// An assertion or assumption: its name, if it has one, and its formula.
type Item = (Option<String>, Sexpr);

impl Question {
    /// A random question about these items; none if there are too few.
    fn random(rng: &mut Rng, items: &[Item], shape: usize) -> Option<Question> {
        let named: Vec<usize> = (0..items.len()).filter(|&index| items[index].0.is_some()).collect();
        let groups = match shape {
            0 => 2,
            _ => named.len().min(3 + rng.below(4)),
        };
        if named.len() < groups || groups < 2 {
            return None;
        }
        let mut places = vec![groups - 1; items.len()];
        let mut listed = vec![false; items.len()];
        // Each group gets one of the names, then the others go where they fall; some are not listed.
        let mut order = named.clone();
        for index in (1..order.len()).rev() {
            order.swap(index, rng.below(index + 1));
        }
        // Neighbours in the script tend to share symbols; mostly the order stays.
        if rng.chance(60) {
            order.sort_unstable();
        }
        for (rank, &item) in order.iter().enumerate() {
            let group = match rng.chance(50) {
                true => rank * groups / order.len(),
                false => rng.below(groups),
            };
            if rng.chance(95) {
                places[item] = group;
                listed[item] = true;
            }
        }
        for group in 0..groups {
            let item = order[group * order.len() / groups];
            places[item] = group;
            listed[item] = true;
        }
        let mut question = Question {
            names: vec![Vec::new(); groups],
            formulas: vec![Vec::new(); groups],
            parents: (1..=groups).map(|next| next.min(groups - 1)).collect(),
            system: SYSTEMS[rng.below(SYSTEMS.len())],
            rule: RULES[rng.below(RULES.len())],
            simplify: rng.chance(70),
            prune: rng.chance(30),
        };
        if shape == 2 {
            question.parents = random_tree(rng, groups);
            question.system = SYSTEMS[rng.below(TREE_SYSTEMS)];
            question.rule = RULES[rng.below(TREE_RULES)];
        }
        for (index, (name, formula)) in items.iter().enumerate() {
            question.formulas[places[index]].push(formula.clone());
            if let (Some(name), true) = (name, listed[index]) {
                question.names[places[index]].push(name.clone());
            }
        }
        Some(question)
    }

    /// The groups of the subtree of each group.
    fn subtrees(&self) -> Vec<BTreeSet<usize>> {
        let mut subtrees: Vec<BTreeSet<usize>> =
            (0..self.parents.len()).map(|group| BTreeSet::from([group])).collect();
        for group in 0..self.parents.len() - 1 {
            let below = subtrees[group].clone();
            subtrees[self.parents[group]].extend(below);
        }
        subtrees
    }

    /// The problems that must be unsatisfiable if the response is right, or what is wrong with it.
    fn claims(&self, check: &Check, response: &Sexpr) -> Result<Vec<String>, String> {
        let found = response.list().ok_or("the response is no list")?;
        let root = self.parents.len() - 1;
        if found.len() != root {
            return Err(format!("{} interpolants instead of {root}", found.len()));
        }
        let symbols = Symbols::new(&check.preamble);
        let mentioned: Vec<BTreeSet<String>> = self
            .formulas
            .iter()
            .map(|formulas| formulas.iter().flat_map(|formula| symbols.of(formula)).collect())
            .collect();
        for (group, subtree) in self.subtrees().iter().enumerate().take(root) {
            for symbol in symbols.of(&found[group]) {
                let is_in = |inside| {
                    let mut groups = (0..=root).filter(|other| subtree.contains(other) == inside);
                    groups.any(|other| mentioned[other].contains(&symbol))
                };
                if !is_in(true) || !is_in(false) {
                    return Err(format!("{symbol} is not shared at {}", found[group]));
                }
            }
        }
        let problem = |group: usize| {
            let children = (0..group).filter(|&child| self.parents[child] == group);
            let mut formulas = self.formulas[group].clone();
            formulas.extend(children.map(|child| found[child].clone()));
            formulas.extend((group < root).then(|| Sexpr::app("not", [found[group].clone()])));
            let assertions = formulas.into_iter().map(|formula| Assertion { formula, name: None }).collect();
            judge::whole(&Check { assertions, assumptions: None, ..check.clone() })
        };
        Ok((0..=root).map(problem).collect())
    }
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "(set-option :interpolation-system {})", self.system)?;
        writeln!(f, "(set-option :interpolation-theory {})", self.rule)?;
        writeln!(f, "(set-option :simplify-interpolants {})", self.simplify)?;
        writeln!(f, "(set-option :prune-interpolants {})", self.prune)?;
        f.write_str("(get-interpolants")?;
        let subtrees = self.subtrees();
        for (group, names) in self.names.iter().enumerate() {
            // A subtree is in parentheses unless it is the first of its siblings. It starts with its least group.
            let is_later = |&root: &usize| {
                root < self.parents.len() - 1
                    && subtrees[root].first() == Some(&group)
                    && (0..root).any(|other| self.parents[other] == self.parents[root])
            };
            let opened = (group..self.parents.len()).filter(is_later).count();
            write!(f, " {}", "(".repeat(opened))?;
            match &names[..] {
                [name] => f.write_str(name)?,
                _ => write!(f, "(and {})", names.join(" "))?,
            }
            if is_later_root(&self.parents, group) {
                f.write_str(")")?;
            }
        }
        f.write_str(")")
    }
}

/// Whether a group is not the first child of its parent.
fn is_later_root(parents: &[usize], group: usize) -> bool {
    group < parents.len() - 1 && (0..group).any(|other| parents[other] == parents[group])
}

/// The parents of a random tree whose nodes are numbered children first, subtrees in one piece.
fn random_tree(rng: &mut Rng, groups: usize) -> Vec<usize> {
    let mut parents = vec![groups - 1; groups];
    let mut roots: Vec<usize> = Vec::new();
    for group in 0..groups - 1 {
        let children = rng.below(roots.len() + 1);
        for child in roots.split_off(roots.len() - children) {
            parents[child] = group;
        }
        roots.push(group);
    }
    parents
}

/// The script with a name at each assertion.
fn with_names(commands: &[Sexpr]) -> Vec<Sexpr> {
    let mut next = 0;
    let named = commands.iter().map(|command| match (command.head(), command.list()) {
        (Some("assert"), Some([_, formula])) if formula.head() != Some("!") => {
            next += 1;
            let name = Sexpr::atom(format!("part!{next}"));
            let formula = Sexpr::app("!", [formula.clone(), Sexpr::atom(":named"), name]);
            Sexpr::app("assert", [formula])
        }
        _ => command.clone(),
    });
    named.collect()
}

/// A script on its way through the passes.
struct Case {
    commands: Vec<Sexpr>,
    checks: Vec<Check>,
    questions: Vec<Vec<Question>>,
    failure: Option<Failure>,
}

impl Case {
    fn new(commands: &[Sexpr], decided: Result<Vec<Answer>, String>, tally: &mut Tally) -> Case {
        let commands = with_names(commands);
        let checks = script::checks(&commands).unwrap_or_default();
        let mut case = Case { commands, checks, questions: Vec::new(), failure: None };
        let answers = match decided {
            Ok(answers) => answers,
            Err(detail) => {
                case.failure = Some(Failure { kind: Kind::Script, check: 0, detail });
                return case;
            }
        };
        // The questions are a function of the script, so that they can be had again.
        let mut rng = Rng::new(hash(&print(&case.commands)));
        for (check, answer) in case.checks.iter().zip(answers) {
            let mut questions = Vec::new();
            match answer {
                Answer::Sat => tally.sat += 1,
                Answer::Unknown => tally.undecided += 1,
                Answer::Unsat => {
                    tally.unsat += 1;
                    let items = items(check);
                    questions
                        .extend([0, 1, 2, 0].iter().filter_map(|&s| Question::random(&mut rng, &items, s)));
                }
            }
            case.questions.push(questions);
        }
        case
    }

    fn text(&self) -> String {
        let mut text = String::new();
        let mut checks = self.checks.iter().zip(&self.questions).peekable();
        for (position, command) in self.commands.iter().enumerate() {
            if command.head() == Some("exit") {
                break;
            }
            // Writing to a string does not fail.
            let _ = writeln!(text, "{command}");
            if let Some((_, questions)) = checks.next_if(|(check, _)| check.command == position) {
                for question in questions {
                    let _ = writeln!(text, "{question}");
                }
            }
        }
        text
    }
}

/// The assertions and assumptions of a check. An assumption that is a symbol can be named.
fn items(check: &Check) -> Vec<Item> {
    let assertions = check.assertions.iter().map(|a| (a.name.clone(), a.formula.clone()));
    let assumptions = check.assumptions.iter().flatten();
    assertions.chain(assumptions.map(|a| (a.text().map(str::to_owned), a.clone()))).collect()
}

fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Has z3 judge the interpolants that a solver gives for scripts: for each script the failure, if there is one,
/// and the tally of all.
pub fn compare(
    oracle: &Oracle,
    subject: &dyn Solver,
    scripts: &[Vec<Sexpr>],
) -> io::Result<(Vec<Option<Failure>>, Tally)> {
    let mut tally = Tally::default();
    let decided = decide(oracle, scripts)?;
    let mut cases: Vec<Case> =
        scripts.iter().zip(decided).map(|(script, decided)| Case::new(script, decided, &mut tally)).collect();
    let texts: Vec<String> =
        cases.iter().map(|case| if case.failure.is_none() { case.text() } else { String::new() }).collect();
    let mut problems = Vec::new();
    let mut owners = Vec::new();
    for (index, reply) in subject.respond(&texts)?.iter().enumerate() {
        if cases[index].failure.is_none() {
            let read = read_reply(&cases[index], reply, |check, said, claims: Vec<String>| {
                tally.interpolants += claims.len() - 1;
                owners.extend(claims.iter().map(|_| (index, check, said.clone())));
                problems.extend(claims);
            });
            cases[index].failure = read.err();
        }
    }
    for ((index, check, said), judged) in owners.into_iter().zip(oracle.decide(&problems)?) {
        let verdict = match judged {
            Ok(Answer::Unsat) => continue,
            Ok(Answer::Unknown) => {
                tally.undecided += 1;
                continue;
            }
            Ok(Answer::Sat) => String::new(),
            Err(error) => format!(" ({error})"),
        };
        let detail = format!("{said}{verdict}");
        cases[index].failure.get_or_insert(Failure { kind: Kind::Interpolant, check, detail });
    }
    Ok((cases.into_iter().map(|case| case.failure).collect(), tally))
}

/// Reads a reply; `claim` gets the check, what was asked and said, and the problems to decide.
fn read_reply(
    case: &Case,
    reply: &Reply,
    mut claim: impl FnMut(usize, String, Vec<String>),
) -> Result<(), Failure> {
    let mut responses = reply.responses.iter();
    for (number, (check, questions)) in case.checks.iter().zip(&case.questions).enumerate() {
        let fail = |kind, detail| Failure { kind, check: number, detail };
        let silence = || {
            let trouble = reply.trouble.clone();
            fail(Kind::Unanswered, trouble.unwrap_or_else(|| "a response is missing".to_owned()))
        };
        let answer = responses.next().ok_or_else(silence)?;
        if questions.is_empty() {
            continue;
        }
        if answer.text() != Some("unsat") {
            return Err(fail(Kind::Unanswered, format!("{answer}, z3 says unsat")));
        }
        for question in questions {
            let response = responses.next().ok_or_else(silence)?;
            let said = format!("{response} to {question}").replace('\n', " ");
            if response.text() == Some("unknown") {
                return Err(fail(Kind::Unanswered, said));
            }
            match question.claims(check, response) {
                Ok(claims) => claim(number, said, claims),
                Err(detail) => return Err(fail(Kind::Interpolant, format!("{detail}: {said}"))),
            }
        }
    }
    match &reply.trouble {
        None => Ok(()),
        Some(trouble) => Err(Failure { kind: Kind::Unanswered, check: 0, detail: trouble.clone() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sexpr::read_all;

    fn question(parents: &[usize], formulas: &[&str]) -> Question {
        let read = |text: &&str| read_all(text).unwrap();
        Question {
            names: (0..parents.len()).map(|group| vec![format!("g{group}")]).collect(),
            formulas: formulas.iter().map(read).collect(),
            parents: parents.to_vec(),
            system: "mcmillan",
            rule: "farkas",
            simplify: true,
            prune: false,
        }
    }

    #[test]
    fn trees_are_written_in_parentheses() {
        let last_line = |parents: &[usize]| {
            let text = question(parents, &[]).to_string();
            text.lines().last().unwrap().split_once(' ').unwrap().1.to_owned()
        };
        assert_eq!(last_line(&[1, 2, 2]), "g0 g1 g2)");
        assert_eq!(last_line(&[2, 2, 2]), "g0 (g1) g2)");
        assert_eq!(last_line(&[1, 4, 3, 4, 4]), "g0 g1 (g2 g3) g4)");
        assert_eq!(last_line(&[3, 2, 3, 4, 4]), "g0 (g1 g2) g3 g4)");
        assert_eq!(last_line(&[4, 3, 3, 4, 4]), "g0 (g1 (g2) g3) g4)");
    }

    #[test]
    fn claims_are_steps_over_shared_symbols() {
        let script =
            read_all("(declare-const x Int) (declare-const y Int) (assert (< x y)) (check-sat)").unwrap();
        let check = script::checks(&script).unwrap().remove(0);
        let question = question(&[2, 2, 2], &["(< x 0)", "(< y x)", "(> y 3) (> x 0)"]);
        let claims = |text: &str| question.claims(&check, &read_all(text).unwrap()[0]);
        let found = claims("((< x 0) (< y x))").unwrap();
        assert_eq!(found.len(), 3);
        assert!(found[0].contains("(assert (not (< x 0)))") && !found[0].contains("(> y 3)"));
        assert!(found[2].contains("(assert (< x 0))") && found[2].contains("(assert (< y x))"));
        // The first group does not know y.
        assert!(claims("((< y 0) (< y x))").is_err());
        assert!(claims("((< x 0))").is_err());
        assert!(claims("unknown").is_err());
    }

    #[test]
    fn random_trees_have_their_root_last() {
        let mut rng = Rng::new(3);
        for _ in 0..100 {
            let parents = random_tree(&mut rng, 6);
            assert!((0..5).all(|group| parents[group] > group && parents[group] < 6));
        }
    }
}
