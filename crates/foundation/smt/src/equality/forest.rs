//! The proof forest: why the nodes of a class are equal.
//!
//! Each class is a tree whose edges are the equalities that made it, each with its reason (Nieuwenhuis and
//! Oliveras, Fast congruence closure and extensions, 2007). The path between two nodes explains their equality;
//! since a path of a tree is the only one, an explanation uses nothing that came later. Edges that an explanation
//! has passed are contracted for the rest of it, so that its cost is nearly linear in the edges that it uses.
//! Undoing a merge cuts its edge, whichever way it points by then.

use shem_base::{Lit, StampSet};

use super::node::Node;
use super::nodes::{NONE, NodeTable};

/// Why two nodes are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// A literal says it.
    Asserted(Lit),
    /// Their heads are the same and their arguments are equal.
    Congruence,
    /// Both are equations: the left side of one equals the right side of the other, and the other way round. (Which
    /// sides belong together is kept, since later all four may be equal.)
    CrossedCongruence,
    /// One is an equation whose sides are equal, the other is the truth.
    Reflexivity,
    /// It follows from equalities by a rule.
    Derived(u32),
}

/// An equality, or its refutation, reduced to literals.
#[derive(Clone, Debug, Default)]
pub struct Explanation {
    /// Literals that are true and imply what is explained, sorted and without repetition.
    pub lits: Vec<Lit>,
    /// The nodes that the explanation passes, other than through literals: a checker needs them beside those of the
    /// literals. Equations are not among them: what makes one false is among the literals, or values that clash.
    /// A node may stand here more than once.
    pub nodes: Vec<Node>,
}

impl Explanation {
    /// Empties it.
    pub fn clear(&mut self) {
        self.lits.clear();
        self.nodes.clear();
    }

    /// Sorts the literals and removes repetitions.
    pub(super) fn finish(&mut self) {
        self.lits.sort_unstable();
        self.lits.dedup();
    }
}

/// Adds two nodes to those of an explanation.
pub(super) fn note(a: Node, b: Node, nodes: &NodeTable, out: &mut Explanation) {
    out.nodes.extend([a, b].into_iter().filter(|&node| node.index() > 1 && !nodes.is_equation(node)));
}

#[derive(Clone, Copy, Debug)]
struct Edge {
    /// The parent, or `NONE`.
    parent: u32,
    /// Why the node equals its parent; meaningless for a root.
    reason: Reason,
}

/// The trees of all classes, and the premises of derived equalities.
#[derive(Debug, Default)]
pub(super) struct ProofForest {
    edges: Vec<Edge>,
    /// The end of the premises of each derivation; they begin where those of the previous one end.
    derivations: Vec<u32>,
    premises: Vec<(Node, Node)>,
    walk: Walk,
}

/// Buffers of an explanation.
#[derive(Debug, Default)]
struct Walk {
    /// Equalities that are left to explain.
    goals: Vec<(Node, Node)>,
    /// The nodes whose edge to the parent has been explained.
    contracted: StampSet,
    /// For a contracted node, one above it that explained edges lead to.
    above: Vec<Node>,
    /// Nodes that the search for a common ancestor has met.
    met: StampSet,
}

impl ProofForest {
    /// Adds a node without an edge.
    pub(super) fn add_node(&mut self) {
        self.edges.push(Edge { parent: NONE, reason: Reason::Congruence });
        self.walk.above.push(Node::new(NONE));
    }

    /// Removes the nodes from the end until `count` are left; none of them has an edge.
    pub(super) fn truncate_nodes(&mut self, count: usize) {
        self.edges.truncate(count);
        self.walk.above.truncate(count);
    }

    /// The number of derivations.
    pub(super) fn derivations(&self) -> usize {
        self.derivations.len()
    }

    /// Removes the derivations from the end until `count` are left.
    pub(super) fn truncate_derivations(&mut self, count: usize) {
        self.derivations.truncate(count);
        self.premises.truncate(self.derivations.last().map_or(0, |&end| end as usize));
    }

    /// Adds a premise to the derivation that the next [`ProofForest::derivation`] ends.
    pub(super) fn add_premise(&mut self, a: Node, b: Node) {
        self.premises.push((a, b));
    }

    /// A reason with the premises added since the last one.
    pub(super) fn derivation(&mut self) -> Reason {
        self.derivations.push(self.premises.len() as u32);
        Reason::Derived(self.derivations.len() as u32 - 1)
    }

    /// Joins the trees of two nodes; that of `a`, which is turned upside down, should be the smaller one.
    pub(super) fn link(&mut self, a: Node, b: Node, reason: Reason) {
        let mut node = a;
        let mut new = Edge { parent: b.index() as u32, reason };
        loop {
            let old = std::mem::replace(&mut self.edges[node.index()], new);
            if old.parent == NONE {
                return;
            }
            new = Edge { parent: node.index() as u32, reason: old.reason };
            node = Node::new(old.parent);
        }
    }

    /// Removes the edge between two nodes.
    pub(super) fn cut(&mut self, a: Node, b: Node) {
        let child = if self.edges[a.index()].parent == b.index() as u32 { a } else { b };
        debug_assert!(child == a || self.edges[b.index()].parent == a.index() as u32);
        self.edges[child.index()].parent = NONE;
    }

    /// Begins an explanation.
    pub(super) fn begin(&mut self) {
        self.walk.contracted.clear();
        self.walk.goals.clear();
    }

    /// Adds an equality to what is to be explained.
    pub(super) fn add_goal(&mut self, a: Node, b: Node) {
        self.walk.goals.push((a, b));
    }

    /// Explains the goals.
    pub(super) fn explain(&mut self, nodes: &NodeTable, out: &mut Explanation) {
        while let Some((a, b)) = self.walk.goals.pop() {
            let (a, b) = (self.highest(a), self.highest(b));
            let top = self.common_ancestor(a, b);
            for start in [a, b] {
                let mut node = start;
                while node != top {
                    let edge = self.edges[node.index()];
                    let parent = Node::new(edge.parent);
                    self.explain_step(node, parent, edge.reason, nodes, out);
                    self.walk.contracted.insert(node.index());
                    self.walk.above[node.index()] = parent;
                    node = self.highest(parent);
                }
            }
        }
    }

    /// Explains why one step is justified.
    pub(super) fn explain_step(
        &mut self,
        a: Node,
        b: Node,
        reason: Reason,
        nodes: &NodeTable,
        out: &mut Explanation,
    ) {
        if let Reason::Asserted(lit) = reason {
            out.lits.push(lit);
            return;
        }
        note(a, b, nodes, out);
        let goals = &mut self.walk.goals;
        match reason {
            Reason::Asserted(_) => {}
            Reason::Congruence => {
                goals.extend(nodes.args(a).iter().copied().zip(nodes.args(b).iter().copied()));
            }
            Reason::CrossedCongruence => {
                goals.push((nodes.arg(a, 0), nodes.arg(b, 1)));
                goals.push((nodes.arg(a, 1), nodes.arg(b, 0)));
            }
            Reason::Reflexivity => {
                let equation = if nodes.is_equation(a) { a } else { b };
                goals.push((nodes.arg(equation, 0), nodes.arg(equation, 1)));
            }
            Reason::Derived(index) => {
                let start = match index {
                    0 => 0,
                    _ => self.derivations[index as usize - 1] as usize,
                };
                let end = self.derivations[index as usize] as usize;
                for &(a, b) in &self.premises[start..end] {
                    note(a, b, nodes, out);
                    goals.push((a, b));
                }
            }
        }
    }

    /// The highest node that explained edges lead to from this one.
    fn highest(&mut self, node: Node) -> Node {
        let mut top = node;
        while self.walk.contracted.contains(top.index()) {
            top = self.walk.above[top.index()];
        }
        let mut node = node;
        while node != top {
            node = std::mem::replace(&mut self.walk.above[node.index()], top);
        }
        top
    }

    /// The lowest node that is above both, where explained edges are contracted. Both ends go up in turn, so that
    /// the cost is that of the path and not of the height of the tree.
    fn common_ancestor(&mut self, a: Node, b: Node) -> Node {
        self.walk.met.clear();
        let (mut a, mut b) = (Some(a), Some(b));
        loop {
            debug_assert!(a.is_some() || b.is_some(), "the nodes are in different classes");
            if let Some(node) = a {
                if !self.walk.met.insert(node.index()) {
                    return node;
                }
                a = self.step(node);
            }
            if let Some(node) = b {
                if !self.walk.met.insert(node.index()) {
                    return node;
                }
                b = self.step(node);
            }
        }
    }

    fn step(&mut self, node: Node) -> Option<Node> {
        let parent = self.edges[node.index()].parent;
        (parent != NONE).then(|| self.highest(Node::new(parent)))
    }

    /// The root of the tree of a node, for checks.
    pub(super) fn tree_root(&self, mut node: Node) -> Node {
        while self.edges[node.index()].parent != NONE {
            node = Node::new(self.edges[node.index()].parent);
        }
        node
    }
}
