//! The judge of the closure: classes computed by scanning all pairs of nodes again and again.

use crate::equality::{Closure, Function, Kind, Node, NodeShape};

/// A literal's meaning: an equality or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Claim {
    pub(crate) a: Node,
    pub(crate) b: Node,
    pub(crate) equal: bool,
}

/// A rule of the tests: applications of `function` to something equal to (or different from) `node` equal their
/// argument.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    pub(crate) function: Function,
    pub(crate) node: Node,
    pub(crate) equal: bool,
}

#[derive(Clone, Debug)]
enum Term {
    Value(usize),
    Leaf,
    Equation(usize, usize),
    Application(Function, bool, Vec<usize>),
}

/// The classes of all nodes of a closure under some claims.
#[derive(Debug)]
pub(crate) struct Oracle {
    terms: Vec<Term>,
    labels: Vec<usize>,
}

impl Oracle {
    pub(crate) fn new(closure: &Closure, claims: &[Claim], rules: &[Rule]) -> Oracle {
        let mut terms = Vec::new();
        for index in 0..closure.len() {
            let node = Node::new(index as u32);
            terms.push(match closure.shape(node) {
                NodeShape::Truth | NodeShape::Falsity | NodeShape::Number(_) => Term::Value(index),
                NodeShape::Leaf => Term::Leaf,
                NodeShape::Equation(a, b) => Term::Equation(a.index(), b.index()),
                NodeShape::Application(function, args) => {
                    let constructor = matches!(closure.kind(function), Kind::Constructor { .. });
                    Term::Application(function, constructor, args.iter().map(|arg| arg.index()).collect())
                }
            });
        }
        for claim in claims.iter().filter(|claim| !claim.equal) {
            terms.push(Term::Equation(claim.a.index(), claim.b.index()));
        }
        let labels = (0..terms.len()).collect();
        let mut oracle = Oracle { terms, labels };
        let mut own = closure.len();
        for claim in claims {
            if claim.equal {
                oracle.union(claim.a.index(), claim.b.index());
            } else {
                oracle.union(own, 1);
                own += 1;
            }
        }
        while oracle.step(rules) {}
        oracle
    }

    fn union(&mut self, a: usize, b: usize) -> bool {
        let (from, to) = (self.labels[a], self.labels[b]);
        for label in self.labels.iter_mut().filter(|label| **label == from) {
            *label = to;
        }
        from != to
    }

    fn clash(&self, a: usize, b: usize) -> bool {
        let values = |node: usize| {
            let label = self.labels[node];
            (0..self.terms.len()).filter(move |&other| self.labels[other] == label)
        };
        values(a).any(|x| values(b).any(|y| self.are_different_values(x, y)))
    }

    fn are_different_values(&self, a: usize, b: usize) -> bool {
        match (&self.terms[a], &self.terms[b]) {
            (Term::Value(a), Term::Value(b)) => a != b,
            (Term::Application(f, true, _), Term::Application(g, true, _)) => f != g,
            (Term::Value(_), Term::Application(_, true, _)) => true,
            (Term::Application(_, true, _), Term::Value(_)) => true,
            _ => false,
        }
    }

    fn step(&mut self, rules: &[Rule]) -> bool {
        let mut changed = false;
        for a in 0..self.terms.len() {
            match self.terms[a].clone() {
                Term::Equation(x, y) => {
                    if self.labels[x] == self.labels[y] {
                        changed |= self.union(a, 0);
                    }
                    if self.clash(x, y) {
                        changed |= self.union(a, 1);
                    }
                    if self.labels[a] == self.labels[0] {
                        changed |= self.union(x, y);
                    }
                }
                Term::Application(function, _, args) => {
                    for rule in rules.iter().filter(|rule| rule.function == function) {
                        let (x, y) = (Node::new(args[0] as u32), rule.node);
                        if if rule.equal { self.are_equal(x, y) } else { self.are_distinct(x, y) } {
                            changed |= self.union(a, args[0]);
                        }
                    }
                }
                _ => {}
            }
            for b in 0..a {
                if self.labels[a] != self.labels[b] && self.are_congruent(a, b) {
                    changed |= self.union(a, b);
                }
            }
        }
        changed
    }

    fn are_congruent(&self, a: usize, b: usize) -> bool {
        let label = |node: &usize| self.labels[*node];
        match (&self.terms[a], &self.terms[b]) {
            (Term::Equation(p, q), Term::Equation(r, s)) => {
                (label(p), label(q)) == (label(r), label(s)) || (label(p), label(q)) == (label(s), label(r))
            }
            (Term::Application(f, _, xs), Term::Application(g, _, ys)) => {
                f == g && xs.len() == ys.len() && xs.iter().map(label).eq(ys.iter().map(label))
            }
            _ => false,
        }
    }

    pub(crate) fn is_consistent(&self) -> bool {
        (0..self.terms.len()).all(|node| !self.clash(node, node))
    }

    pub(crate) fn are_equal(&self, a: Node, b: Node) -> bool {
        self.labels[a.index()] == self.labels[b.index()]
    }

    pub(crate) fn are_distinct(&self, a: Node, b: Node) -> bool {
        let (left, right) = (self.labels[a.index()], self.labels[b.index()]);
        self.clash(a.index(), b.index())
            || (0..self.terms.len()).any(|node| match self.terms[node] {
                Term::Equation(x, y) => {
                    let pair = (self.labels[x], self.labels[y]);
                    self.labels[node] == self.labels[1] && (pair == (left, right) || pair == (right, left))
                }
                _ => false,
            })
    }
}
