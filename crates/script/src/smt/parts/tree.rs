//! The partition tree.

use shem_base::{Lit, Var};

/// A node of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NodeId(usize);

/// Why a node has no model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refuted {
    /// A solver has refuted its cube, or a part of that: the number of the refutation.
    Directly(usize),
    /// Both of its children have no model.
    ByChildren,
}

#[derive(Debug)]
struct Node {
    parent: Option<NodeId>,
    cube: Vec<Lit>,
    children: Option<[NodeId; 2]>,
    refuted: Option<Refuted>,
    /// How many solvers work on it.
    solvers: usize,
    /// When somebody began to.
    since: u64,
    /// Whether no variable to split it on was found.
    whole: bool,
}

/// The tree. INVARIANT: the cubes of the leaves cover that of the root, which is empty, and a node that has two refuted
/// children is refuted.
#[derive(Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
}

impl Tree {
    pub(super) const ROOT: NodeId = NodeId(0);

    pub(super) fn new() -> Tree {
        let mut tree = Tree { nodes: Vec::new() };
        tree.add(None, Vec::new());
        tree
    }

    fn add(&mut self, parent: Option<NodeId>, cube: Vec<Lit>) -> NodeId {
        self.nodes.push(Node {
            parent,
            cube,
            children: None,
            refuted: None,
            solvers: 0,
            since: 0,
            whole: false,
        });
        NodeId(self.nodes.len() - 1)
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn cube(&self, node: NodeId) -> &[Lit] {
        &self.nodes[node.0].cube
    }

    pub(super) fn is_refuted(&self, node: NodeId) -> bool {
        self.nodes[node.0].refuted.is_some()
    }

    /// A solver begins to work on a node.
    pub(super) fn enter(&mut self, node: NodeId, now: u64) {
        let node = &mut self.nodes[node.0];
        if node.solvers == 0 {
            node.since = now;
        }
        node.solvers += 1;
    }

    /// A solver ends its work on a node.
    pub(super) fn leave(&mut self, node: NodeId) {
        self.nodes[node.0].solvers -= 1;
    }

    /// No variable to split the node on was found.
    pub(super) fn keep_whole(&mut self, node: NodeId) {
        self.nodes[node.0].whole = true;
    }

    /// Splits a leaf on a variable: the part in which it is true, and the other one.
    pub(super) fn split(&mut self, node: NodeId, var: Var) -> [NodeId; 2] {
        debug_assert!(self.nodes[node.0].children.is_none());
        let children = [var.positive(), var.negative()].map(|lit| {
            let cube = self.nodes[node.0].cube.iter().copied().chain([lit]).collect();
            self.add(Some(node), cube)
        });
        self.nodes[node.0].children = Some(children);
        children
    }

    fn open_leaves(&self) -> impl Iterator<Item = NodeId> {
        let ids = (0..self.nodes.len()).map(NodeId);
        ids.filter(|id| self.nodes[id.0].children.is_none() && !self.is_refuted(*id))
    }

    /// A leaf that nobody works on, the one with the shortest cube.
    pub(super) fn waiting_leaf(&self) -> Option<NodeId> {
        let waiting = self.open_leaves().filter(|id| self.nodes[id.0].solvers == 0);
        waiting.min_by_key(|id| (self.nodes[id.0].cube.len(), *id))
    }

    /// Leaves that are worked on and may be split, those first that have taken longest.
    pub(super) fn leaves_to_split(&self) -> Vec<NodeId> {
        let node = |id: &NodeId| &self.nodes[id.0];
        let mut leaves: Vec<NodeId> =
            self.open_leaves().filter(|id| node(id).solvers > 0 && !node(id).whole).collect();
        leaves.sort_by_key(|id| (node(id).since, node(id).cube.len(), *id));
        leaves
    }

    /// These literals cannot hold together, as a solver has found: all nodes that have them are refuted.
    pub(super) fn refute(&mut self, failed: &[Lit], refutation: usize) {
        for index in 0..self.nodes.len() {
            let node = &mut self.nodes[index];
            if node.refuted.is_none() && failed.iter().all(|lit| node.cube.contains(lit)) {
                node.refuted = Some(Refuted::Directly(refutation));
            }
        }
        // Children are younger than their parents.
        for index in (0..self.nodes.len()).rev() {
            let children = self.nodes[index].children;
            if self.nodes[index].refuted.is_none()
                && children.is_some_and(|children| children.iter().all(|&child| self.is_refuted(child)))
            {
                self.nodes[index].refuted = Some(Refuted::ByChildren);
            }
        }
        // What is below a refuted node is refuted with it.
        for index in 0..self.nodes.len() {
            if let Some(parent) = self.nodes[index].parent
                && self.nodes[index].refuted.is_none()
            {
                self.nodes[index].refuted = self.nodes[parent.0].refuted;
            }
        }
    }

    /// The refutations that together refute the root, if it is refuted.
    pub(super) fn refutations(&self) -> Option<Vec<usize>> {
        let mut found = Vec::new();
        let mut open = vec![Tree::ROOT];
        while let Some(id) = open.pop() {
            match self.nodes[id.0].refuted? {
                Refuted::Directly(refutation) => found.push(refutation),
                Refuted::ByChildren => open.extend(self.nodes[id.0].children.into_iter().flatten()),
            }
        }
        found.sort_unstable();
        found.dedup();
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn var(index: u32) -> Var {
        Var::new(index)
    }

    #[test]
    fn the_root_is_refuted_when_all_parts_are() {
        let mut tree = Tree::new();
        let [left, right] = tree.split(Tree::ROOT, var(0));
        let [low, high] = tree.split(right, var(1));
        assert_eq!(tree.cube(low), [var(0).negative(), var(1).positive()]);
        tree.refute(&[var(0).positive()], 0);
        assert!(tree.is_refuted(left) && !tree.is_refuted(right));
        tree.refute(&[var(0).negative(), var(1).positive()], 1);
        assert!(tree.is_refuted(low) && tree.refutations().is_none());
        assert_eq!(tree.waiting_leaf(), Some(high));
        tree.refute(&[var(0).negative(), var(1).negative()], 2);
        assert_eq!(tree.refutations(), Some(vec![0, 1, 2]));
    }

    /// A refutation that needs little of its cube refutes other parts, and may make earlier ones superfluous.
    #[test]
    fn a_short_refutation_refutes_several_parts() {
        let mut tree = Tree::new();
        let [left, right] = tree.split(Tree::ROOT, var(0));
        let [low, _] = tree.split(left, var(1));
        let [other_low, other_high] = tree.split(right, var(1));
        tree.enter(low, 5);
        tree.refute(&[var(1).positive()], 0);
        assert!(tree.is_refuted(low) && tree.is_refuted(other_low) && !tree.is_refuted(right));
        tree.leave(low);
        tree.enter(other_high, 3);
        assert_eq!(tree.leaves_to_split(), [other_high]);
        tree.refute(&[var(1).negative()], 1);
        assert_eq!(tree.refutations(), Some(vec![0, 1]));
        let mut tree = Tree::new();
        tree.split(Tree::ROOT, var(0));
        tree.refute(&[], 7);
        assert_eq!(tree.refutations(), Some(vec![7]));
        assert_eq!((tree.waiting_leaf(), tree.len()), (None, 3));
    }
}
