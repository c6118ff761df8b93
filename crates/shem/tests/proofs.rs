//! Proofs as `get-proof` prints them with `:proof-format shem`: every name is defined before it is used, and every resolution gives its clause.
//!
//! That lemmas and input clauses are right is the judge's to say, which `--check-cores` asks; here the printed text is
//! what is read.

use std::collections::{BTreeMap, BTreeSet};

use shem_script::smt::{Options, Outcome, run_text};

/// An S-expression.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Sexpr {
    Atom(String),
    List(Vec<Sexpr>),
}

impl Sexpr {
    /// The expressions of a text without strings, comments and quoted symbols.
    fn parse(text: &str) -> Vec<Sexpr> {
        let mut stack = vec![Vec::new()];
        for word in text.replace('(', " ( ").replace(')', " ) ").split_whitespace() {
            match word {
                "(" => stack.push(Vec::new()),
                ")" => {
                    let list = stack.pop().expect("an open parenthesis");
                    stack.last_mut().expect("an open parenthesis").push(Sexpr::List(list));
                }
                word => stack.last_mut().expect("a list").push(Sexpr::Atom(word.to_owned())),
            }
        }
        assert_eq!(stack.len(), 1, "a parenthesis is open");
        stack.remove(0)
    }

    fn list(&self) -> &[Sexpr] {
        match self {
            Sexpr::List(items) => items,
            Sexpr::Atom(word) => panic!("{word} is no list"),
        }
    }

    fn atom(&self) -> &str {
        match self {
            Sexpr::Atom(word) => word,
            Sexpr::List(items) => panic!("{items:?} is no word"),
        }
    }

    /// The words inside that begin with `@`.
    fn names(&self) -> Vec<&str> {
        let (mut stack, mut names) = (vec![self], Vec::new());
        while let Some(next) = stack.pop() {
            match next {
                Sexpr::Atom(word) => names.extend(word.starts_with('@').then_some(word.as_str())),
                Sexpr::List(items) => stack.extend(items),
            }
        }
        names
    }
}

fn negated(literal: &Sexpr) -> Sexpr {
    match literal {
        Sexpr::List(items) => items[1].clone(),
        atom => Sexpr::List(vec![Sexpr::Atom("not".to_owned()), atom.clone()]),
    }
}

/// Runs a script whose last command is `get-proof` after an unsatisfiable query; reads the proof and replays its
/// resolutions. Returns the clause of its last step and the rules that it uses.
fn replay(script: &str) -> (Vec<Sexpr>, BTreeSet<String>) {
    let script =
        format!("(set-option :produce-proofs true) (set-option :proof-format shem) {script} (get-proof)");
    let options = Options { check_cores: true, ..Options::default() };
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let outcome = run_text("proof", script.as_bytes(), &options, &mut out, &mut err);
    assert_eq!(outcome, Outcome::Completed, "{}", String::from_utf8_lossy(&err));
    let out = String::from_utf8_lossy(&out);
    let replies = Sexpr::parse(&out);
    assert_eq!(replies[replies.len() - 2].atom(), "unsat", "for {script}");
    let proof = replies[replies.len() - 1].list();
    assert_eq!(proof[0].atom(), "proof");
    let mut defined: BTreeSet<&str> = BTreeSet::new();
    let mut clauses: BTreeMap<&str, BTreeSet<Sexpr>> = BTreeMap::new();
    let mut rules = BTreeSet::new();
    let mut last = Vec::new();
    for line in &proof[1..] {
        let line = line.list();
        let (kind, name) = (line[0].atom(), line[1].atom());
        for used in line[2..].iter().flat_map(Sexpr::names) {
            assert!(defined.contains(used), "{used} is used in {line:?} and not defined");
        }
        assert!(defined.insert(name), "{name} is defined twice");
        if kind != "step" {
            assert!(["number", "node", "atom"].contains(&kind), "{kind}");
            continue;
        }
        let clause = line[2].list();
        rules.insert(line[3].atom().to_owned());
        if line[3].atom() == "resolution" {
            let mut resolvent = clauses[line[4].atom()].clone();
            for premise in &line[5..] {
                let [premise, pivot] = premise.list() else { panic!("a premise with its pivot") };
                assert!(resolvent.remove(&negated(pivot)), "the pivot {pivot:?} of {name}");
                let premise = &clauses[premise.atom()];
                assert!(premise.contains(pivot), "the pivot {pivot:?} of {name}");
                resolvent.extend(premise.iter().filter(|&literal| literal != pivot).cloned());
            }
            assert_eq!(resolvent, clause.iter().cloned().collect(), "the clause of {name}");
        }
        clauses.insert(name, clause.iter().cloned().collect());
        last = clause.to_vec();
    }
    (last, rules)
}

#[test]
fn arithmetic() {
    let declarations = "(declare-const x Int) (declare-const y Int) (declare-const p Bool)";
    let (clause, rules) = replay(&format!(
        "{declarations} (assert (! (or p (> x 5)) :named high)) (assert (or p (< (* 2 x) 11)))
         (assert (=> p (> x y))) (assert (=> p (> y x))) (check-sat)"
    ));
    assert_eq!(clause, []);
    assert!(rules.contains("assertion") && rules.contains("farkas"), "{rules:?}");
    let (_, rules) = replay(&format!(
        "{declarations} (assert (< 0 (- (* 3 x) (* 6 y)) 3)) (assert (or p (not p))) (check-sat)"
    ));
    assert!(rules.contains("resolution") || rules.len() == 1, "{rules:?}");
}

#[test]
fn assumptions_are_at_the_end() {
    let script = "(declare-const x Int) (declare-const p Bool) (assert (=> p (> x 5)))
        (check-sat-assuming (p (< x 3)))";
    let (clause, _) = replay(script);
    assert_eq!(clause.len(), 2, "{clause:?}");
}

#[test]
fn contradictory_assumptions_need_no_step() {
    let (clause, rules) = replay("(declare-const p Bool) (check-sat-assuming (p (not p)))");
    assert_eq!((clause.len(), rules.len()), (0, 0));
}

#[test]
fn functions() {
    let (clause, rules) = replay(
        "(declare-sort U 0) (declare-fun f (U) Int) (declare-const a U) (declare-const b U)
         (assert (= a b)) (assert (< (f a) (f b))) (check-sat)",
    );
    assert_eq!(clause, []);
    assert!(rules.contains("equality") && rules.contains("bridge"), "{rules:?}");
}

#[test]
fn arrays_and_datatypes() {
    let (clause, rules) = replay(
        "(declare-const a (Array Int Int)) (declare-const i Int) (declare-const j Int)
         (assert (distinct i j)) (assert (distinct (select (store a i 1) j) (select a j))) (check-sat)",
    );
    assert_eq!(clause, []);
    assert!(rules.contains("equality"), "{rules:?}");
    let (clause, rules) = replay(
        "(declare-datatype List ((nil) (cons (head Int) (tail List)))) (declare-const l List)
         (assert ((_ is cons) l)) (assert (= l (tail l))) (check-sat)",
    );
    assert_eq!(clause, []);
    assert!(rules.contains("equality"), "{rules:?}");
}
