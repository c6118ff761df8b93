//! The signature table: one application for each function with classes of arguments.
//!
//! The hash under which a node stands in the table is kept with the node, so that growing the table and removing a
//! node do not look at arguments, and undoing a merge puts nodes back under their former hashes.

use hashbrown::HashTable;

use super::node::Node;
use super::nodes::NodeTable;

/// The table.
#[derive(Debug, Default)]
pub(super) struct SignatureTable {
    table: HashTable<Node>,
    /// For each node the hash under which it stands in the table.
    hashes: Vec<u64>,
    /// Whether each node stands in the table.
    present: Vec<bool>,
}

impl SignatureTable {
    /// Adds a node, which is not in the table.
    pub(super) fn add_node(&mut self) {
        self.hashes.push(0);
        self.present.push(false);
    }

    /// Removes the nodes from the end until `count` are left; none of them is in the table.
    pub(super) fn truncate_nodes(&mut self, count: usize) {
        debug_assert!(!self.present[count..].contains(&true));
        self.hashes.truncate(count);
        self.present.truncate(count);
    }

    /// Whether a node stands in the table.
    #[inline]
    pub(super) fn contains(&self, node: Node) -> bool {
        self.present[node.index()]
    }

    /// The hash under which a node stands, or last stood, in the table.
    #[inline]
    pub(super) fn hash(&self, node: Node) -> u64 {
        self.hashes[node.index()]
    }

    /// The node in the table with the same signature as this one.
    #[inline]
    pub(super) fn find(&self, node: Node, hash: u64, nodes: &NodeTable, roots: &[Node]) -> Option<Node> {
        self.table.find(hash, |&other| nodes.are_congruent(node, other, roots)).copied()
    }

    /// The equation in the table between two classes.
    pub(super) fn find_equation(&self, a: Node, b: Node, nodes: &NodeTable, roots: &[Node]) -> Option<Node> {
        let pair = (a.min(b), a.max(b));
        let is_it = |&node: &Node| nodes.is_equation(node) && nodes.equation_roots(node, roots) == pair;
        self.table.find(NodeTable::equation_hash(a, b), is_it).copied()
    }

    /// Puts a node into the table.
    #[inline]
    pub(super) fn insert(&mut self, node: Node, hash: u64) {
        debug_assert!(!self.contains(node));
        self.hashes[node.index()] = hash;
        self.present[node.index()] = true;
        let hashes = &self.hashes;
        self.table.insert_unique(hash, node, |node| hashes[node.index()]);
    }

    /// Takes a node out of the table if it is there.
    #[inline]
    pub(super) fn remove(&mut self, node: Node) {
        if !self.present[node.index()] {
            return;
        }
        self.present[node.index()] = false;
        if let Ok(entry) = self.table.find_entry(self.hashes[node.index()], |&other| other == node) {
            entry.remove();
        }
    }
}
