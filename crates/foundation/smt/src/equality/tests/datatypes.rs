//! Random sequences over datatypes: models are evaluated, conflicts judged by enumeration of small values.

use std::collections::{BTreeMap, BTreeSet};

use shem_base::{Rng, Var};

use super::certificates::check_explanation;
use super::values::{
    BOOLEAN, COLOUR, Enumeration, LIST, PAIR, RECORD, Signature, TREE, check_model, declare,
};
use crate::equality::{Equality, Explanation, Node, NodeSort, Request};

/// The constructor, tester and selectors of a constructor, by number of the constructor, of each sort in order.
fn parts(
    functions: &[Signature],
    sort: NodeSort,
    constructor: u32,
) -> (Signature, Signature, Vec<Signature>) {
    let mut rest = functions;
    let mut number = 0;
    while let [built, tester, others @ ..] = rest {
        let count = built.args.len();
        if built.result == sort && number == constructor {
            return (built.clone(), tester.clone(), others[..count].to_vec());
        }
        number += u32::from(built.result == sort);
        rest = &others[count..];
    }
    panic!("{sort:?} has no constructor {constructor}")
}

struct Session {
    rng: Rng,
    equality: Equality,
    functions: Vec<Signature>,
    /// Pairs of nodes and whether they are to be equal, by variable.
    claims: Vec<(Node, Node, bool)>,
    scopes: Vec<usize>,
    /// Conflicts that were judged, and those for which enumeration did not suffice.
    judged: usize,
    open: usize,
    models: usize,
}

impl Session {
    fn new(seed: u64) -> Session {
        let (mut equality, functions) = declare();
        for sort in [COLOUR, LIST, TREE, PAIR, RECORD] {
            equality.closure_mut().leaf(sort);
        }
        let (claims, scopes) = (Vec::new(), Vec::new());
        Session { rng: Rng::new(seed), equality, functions, claims, scopes, judged: 0, open: 0, models: 0 }
    }

    fn pick(&mut self, sort: NodeSort) -> Node {
        let closure = self.equality.closure();
        let nodes: Vec<Node> =
            (0..closure.len() as u32).map(Node::new).filter(|&node| closure.sort(node) == sort).collect();
        *self.rng.pick(&nodes)
    }

    fn apply(&mut self, signature: &Signature, args: &[Node]) -> Node {
        self.equality.closure_mut().application(signature.function, args, signature.result)
    }

    fn make_node(&mut self) {
        if self.rng.chance(25) {
            let sort = *self.rng.pick(&[COLOUR, LIST, TREE, PAIR, RECORD]);
            self.equality.closure_mut().leaf(sort);
        } else {
            let signature = self.rng.pick(&self.functions).clone();
            let args: Vec<Node> = signature.args.iter().map(|&sort| self.pick(sort)).collect();
            self.apply(&signature, &args);
        }
    }

    fn make_claim(&mut self) {
        let closure = self.equality.closure();
        let node = Node::new(2 + self.rng.index(closure.len() - 2) as u32);
        let sort = closure.sort(node);
        let other = if sort == BOOLEAN { Node::new(self.rng.index(2) as u32) } else { self.pick(sort) };
        let equal = sort == BOOLEAN || self.rng.chance(60);
        self.claim(node, other, equal);
    }

    fn claim(&mut self, a: Node, b: Node, equal: bool) {
        let lit = Var::new(self.claims.len() as u32).positive();
        self.claims.push((a, b, equal));
        if equal {
            self.equality.closure_mut().assert_equal(a, b, lit);
        } else {
            self.equality.closure_mut().assert_distinct(a, b, lit);
        }
    }

    fn undo(&mut self, count: usize) {
        self.equality.undo(count);
        self.claims.truncate(count);
    }

    fn judge_core(&mut self, core: &BTreeSet<usize>) {
        let core: Vec<_> = core.iter().map(|&index| self.claims[index]).collect();
        match Enumeration::new(self.equality.closure(), &core, 20_000).is_satisfiable() {
            Some(satisfiable) => {
                assert!(!satisfiable, "{core:?}");
                self.judged += 1;
            }
            None => self.open += 1,
        }
    }

    /// Searches for a model of the claims by splits; whether there is one.
    fn decide(&mut self) -> bool {
        let start = self.claims.len();
        let mut out = Explanation::default();
        let mut requests = Vec::new();
        // The other claims from which a split that was turned around follows.
        let mut reasons: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for _ in 0..1000 {
            if self.equality.close(&mut out).is_err() {
                self.equality.check_invariants();
                check_explanation(self.equality.closure(), &self.claims, &out, None);
                let mut core: BTreeSet<usize> = out.lits.iter().map(|lit| lit.var().index()).collect();
                loop {
                    self.judge_core(&core);
                    let Some(last) = core.pop_last().filter(|&last| last >= start) else {
                        self.undo(start);
                        return false;
                    };
                    let (tester, value, _) = self.claims[last];
                    self.undo(last);
                    if value == self.equality.closure().truth() {
                        reasons.insert(last, core);
                        self.claim(tester, self.equality.closure().falsity(), true);
                        break;
                    }
                    core.extend(&reasons[&last]);
                }
                continue;
            }
            self.equality.check_invariants();
            self.explain_some();
            requests.clear();
            self.equality.requests(&mut requests);
            if requests.is_empty() {
                check_model(self.equality.closure());
                self.models += 1;
                self.undo(start);
                return true;
            }
            for &request in &requests {
                self.answer(request);
            }
        }
        panic!("the search does not end")
    }

    /// Explains some equalities of nodes with their classes.
    fn explain_some(&mut self) {
        for _ in 0..5 {
            let node = Node::new(self.rng.index(self.equality.closure().len()) as u32);
            let class = self.equality.closure().class(node);
            let mut out = Explanation::default();
            self.equality.closure_mut().explain_equal(node, class, &mut out);
            check_explanation(self.equality.closure(), &self.claims, &out, Some((node, class)));
        }
    }

    fn answer(&mut self, request: Request) {
        let functions = std::mem::take(&mut self.functions);
        match request {
            Request::Construct { node, constructor } => {
                let sort = self.equality.closure().sort(node);
                let (built, _, selectors) = parts(&functions, sort, constructor);
                let fields: Vec<Node> =
                    selectors.iter().map(|selector| self.apply(selector, &[node])).collect();
                self.apply(&built, &fields);
            }
            Request::Split { node, constructor } => {
                let sort = self.equality.closure().sort(node);
                let (_, tester, _) = parts(&functions, sort, constructor);
                let tester = self.apply(&tester, &[node]);
                self.claim(tester, self.equality.closure().truth(), true);
            }
        }
        self.functions = functions;
    }

    fn pop(&mut self) {
        let Some(nodes) = self.scopes.pop() else { return };
        let is_new = |&(a, b, _): &(Node, Node, bool)| a.index() >= nodes || b.index() >= nodes;
        let old = self.claims.iter().position(is_new).unwrap_or(self.claims.len());
        let keep = old - self.rng.index(3).min(old);
        self.undo(keep);
        self.equality.pop();
    }

    fn step(&mut self) {
        match self.rng.index(20) {
            0..=5 if self.equality.closure().len() < 40 => self.make_node(),
            6..=11 => self.make_claim(),
            12..=13 => {
                let count = self.claims.len() - self.rng.index(4).min(self.claims.len());
                self.undo(count);
            }
            14 if self.scopes.len() < 3 => {
                self.scopes.push(self.equality.closure().len());
                self.equality.push();
            }
            15 => self.pop(),
            16..=17 => {
                let start = self.claims.len();
                if !self.decide() {
                    let count = start - self.rng.index(4).min(start);
                    self.undo(count);
                }
            }
            _ => {}
        }
    }
}

#[test]
fn random_sequences_agree_with_enumeration_and_evaluation() {
    let (mut judged, mut open, mut models) = (0, 0, 0);
    for seed in 0..150 {
        let mut session = Session::new(seed);
        for _ in 0..100 {
            session.step();
        }
        judged += session.judged;
        open += session.open;
        models += session.models;
    }
    assert!(judged > 500 && models > 500 && open < judged / 4, "{judged} {open} {models}");
}
