//! Random sequences of new nodes, assertions, undoing and scopes against the oracle.

use std::collections::{BTreeMap, BTreeSet};

use shem_base::{Lit, Rat, Rng, Var};

use super::oracle::{Claim, Oracle, Rule};
use crate::equality::{Closure, Explanation, Function, Kind, Node, NodeSort, Premise};

const BOOLEAN: NodeSort = NodeSort::new(0);
const THING: NodeSort = NodeSort::new(1);

/// Functions by index with their numbers of arguments; 5 and 6 are constructors, 7 and 8 have rules.
const ARITIES: [usize; 9] = [1, 1, 2, 2, 3, 0, 1, 1, 1];

struct Session {
    rng: Rng,
    closure: Closure,
    claims: Vec<Claim>,
    /// The number of nodes when each scope was opened.
    scopes: Vec<(usize, usize)>,
    /// First explanations of equalities, with the number of claims then. They last as long as those claims.
    explained: BTreeMap<(Node, Node), (usize, Vec<Lit>)>,
    rules: Vec<Rule>,
    things: Vec<Node>,
    watched: BTreeSet<Node>,
}

impl Session {
    fn new(seed: u64) -> Session {
        let mut closure = Closure::new(BOOLEAN);
        closure.declare(Function::new(5), Kind::Constructor { datatype: 0, index: 0 });
        closure.declare(Function::new(6), Kind::Constructor { datatype: 0, index: 1 });
        let things: Vec<Node> = (0..4).map(|_| closure.leaf(THING)).collect();
        let rule = |index, node, equal| Rule { function: Function::new(index), node, equal };
        let rules = vec![rule(7, things[0], true), rule(8, things[1], false)];
        let explained = BTreeMap::new();
        let watched = BTreeSet::new();
        Session {
            rng: Rng::new(seed),
            closure,
            claims: vec![],
            scopes: vec![],
            explained,
            rules,
            things,
            watched,
        }
    }

    fn make_node(&mut self) {
        let nodes = &self.things;
        let node = match self.rng.index(12) {
            0..=1 => self.closure.leaf(THING),
            2 => self.closure.number(&Rat::from(self.rng.range(0..=2)), THING),
            3..=4 => {
                let (a, b) = (*self.rng.pick(nodes), *self.rng.pick(nodes));
                self.closure.equation(a, b);
                return;
            }
            _ => {
                let function = self.rng.index(ARITIES.len());
                let args: Vec<Node> = (0..ARITIES[function]).map(|_| *self.rng.pick(nodes)).collect();
                self.closure.application(Function::new(function as u32), &args, THING)
            }
        };
        if !self.things.contains(&node) {
            self.things.push(node);
        }
    }

    /// Begins or ends to watch an equation.
    fn watch(&mut self) {
        let (a, b) = (*self.rng.pick(&self.things), *self.rng.pick(&self.things));
        let node = self.closure.equation(a, b);
        if self.rng.chance(80) {
            self.closure.watch(node);
            self.watched.insert(node);
        } else {
            self.closure.unwatch(node);
            self.watched.remove(&node);
        }
    }

    fn make_claim(&mut self) {
        let (mut a, mut b) = (*self.rng.pick(&self.things), *self.rng.pick(&self.things));
        let mut equal = self.rng.chance(70);
        if let Some(equation) = self.closure.find_equation(a, b)
            && self.rng.bool()
        {
            (a, b, equal) = (equation, Node::new(self.rng.index(2) as u32), true);
        }
        let lit = Var::new(self.claims.len() as u32).positive();
        if equal {
            self.closure.assert_equal(a, b, lit);
        } else {
            self.closure.assert_distinct(a, b, lit);
        }
        self.claims.push(Claim { a, b, equal });
    }

    fn undo(&mut self, count: usize) {
        self.closure.undo(count);
        self.claims.truncate(count);
        self.explained.retain(|_, (claims, _)| *claims <= count);
    }

    /// Applies the rules of the tests to all applications; says whether that gave anything.
    fn derive(&mut self) -> bool {
        let mut derived = false;
        for rule in &self.rules {
            for index in 0..self.closure.len() {
                let node = Node::new(index as u32);
                let Some((function, _)) = self.closure.function(node) else { continue };
                if function != rule.function {
                    continue;
                }
                let arg = self.closure.args(node)[0];
                if self.closure.are_equal(node, arg) {
                    continue;
                }
                if rule.equal && self.closure.are_equal(arg, rule.node) {
                    self.closure.derive_equal(node, arg, &[Premise::Equal(arg, rule.node)]);
                    derived = true;
                } else if !rule.equal && self.closure.are_distinct(arg, rule.node) {
                    self.closure.derive_equal(node, arg, &[Premise::Distinct(arg, rule.node)]);
                    derived = true;
                }
            }
        }
        derived
    }

    /// The claims of an explanation.
    fn claims_of(&self, lits: &[Lit]) -> Vec<Claim> {
        lits.iter().map(|lit| self.claims[lit.var().index()]).collect()
    }

    fn check(&mut self) {
        let mut out = Explanation::default();
        let consistent = loop {
            if self.closure.close(&mut out).is_err() {
                break false;
            }
            if !self.derive() {
                break true;
            }
        };
        self.closure.check_invariants();
        let oracle = Oracle::new(&self.closure, &self.claims, &self.rules);
        assert_eq!(consistent, oracle.is_consistent());
        if !consistent {
            let core = self.claims_of(&out.lits);
            assert!(!Oracle::new(&self.closure, &core, &self.rules).is_consistent());
            assert!(self.closure.close(&mut out).is_err());
            return;
        }
        for node in &self.watched {
            let decided = self.closure.decided().contains(node);
            assert_eq!(decided, self.closure.truth_value(*node).is_some());
        }
        let nodes: Vec<Node> = (0..self.closure.len() as u32).map(Node::new).collect();
        for &a in &nodes {
            for &b in &nodes[..a.index()] {
                assert_eq!(self.closure.are_equal(a, b), oracle.are_equal(a, b), "{a:?} {b:?}");
                assert_eq!(self.closure.are_distinct(a, b), oracle.are_distinct(a, b), "{a:?} {b:?}");
                self.check_explanation(a, b);
            }
        }
    }

    fn check_explanation(&mut self, a: Node, b: Node) {
        let mut out = Explanation::default();
        if self.closure.are_equal(a, b) && self.rng.chance(20) {
            self.closure.explain_equal(a, b, &mut out);
            let oracle = Oracle::new(&self.closure, &self.claims_of(&out.lits), &self.rules);
            assert!(oracle.are_equal(a, b));
            let count = self.claims.len();
            let first = self.explained.entry((a, b)).or_insert_with(|| (count, out.lits.clone()));
            assert_eq!(first.1, out.lits);
        } else if self.closure.are_distinct(a, b) && self.rng.chance(10) {
            self.closure.explain_distinct(a, b, &mut out);
            let oracle = Oracle::new(&self.closure, &self.claims_of(&out.lits), &self.rules);
            assert!(oracle.are_distinct(a, b));
        }
    }

    fn push(&mut self) {
        self.scopes.push((self.closure.len(), self.things.len()));
        self.closure.push();
    }

    fn pop(&mut self) {
        let Some((nodes, things)) = self.scopes.pop() else { return };
        let is_new = |claim: &Claim| claim.a.index() >= nodes || claim.b.index() >= nodes;
        let old = self.claims.iter().position(is_new).unwrap_or(self.claims.len());
        let keep = old - self.rng.index(3).min(old);
        self.undo(keep);
        self.closure.pop();
        assert_eq!(self.closure.len(), nodes);
        self.things.truncate(things);
        self.watched.retain(|node| node.index() < nodes);
        // Explanations may change, since what stays was processed again.
        self.explained.clear();
    }
}

fn run(seed: u64, steps: usize) {
    let mut session = Session::new(seed);
    for _ in 0..steps {
        match session.rng.index(20) {
            0..=5 if session.things.len() < 24 => session.make_node(),
            6..=11 => session.make_claim(),
            12..=13 => {
                let count = session.claims.len() - session.rng.index(4).min(session.claims.len());
                session.undo(count);
            }
            14 if session.scopes.len() < 4 => session.push(),
            15 => session.pop(),
            16..=18 => session.check(),
            19 if session.rng.chance(20) => session.undo(0),
            19 => session.watch(),
            _ => {}
        }
    }
}

#[test]
fn random_sequences_agree_with_the_oracle() {
    for seed in 0..300 {
        run(seed, 120);
    }
}
