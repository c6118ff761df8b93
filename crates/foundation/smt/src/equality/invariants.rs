//! Checks of the invariants of the closure, for tests.

use super::closure::Closure;
use super::node::Node;
use super::nodes::NONE;

impl Closure {
    /// Checks ROOTS, VALUE, REPORTED, the circles, the signature table and the trees.
    ///
    /// # Panics
    /// If an invariant does not hold.
    pub fn check_invariants(&self) {
        self.nodes.check_invariants();
        let nodes = (0..self.len() as u32).map(Node::new);
        for node in nodes.clone() {
            let root = self.class(node);
            assert_eq!(self.class(root), root);
            assert_eq!(self.members(node).filter(|&member| member == node).count(), 1);
            assert!(self.members(node).all(|member| self.class(member) == root));
            assert_eq!(self.members(node).count(), self.class_size(node));
            assert_eq!(self.forest.tree_root(node), self.forest.tree_root(root));
            let class = &self.classes[root.index()];
            assert!(class.value == NONE || self.class(Node::new(class.value)) == root);
            let reported = self.decided.iter().filter(|&&decided| decided == node).count();
            assert_eq!(reported, usize::from(self.classes[node.index()].reported));
            assert!(reported == 0 || self.truth_value(node).is_some());
            if self.is_value(node) {
                assert!(self.value(node).is_some());
            }
            if self.nodes.has_args(node) && !self.unseated.contains(&node) {
                self.check_place(node);
            } else {
                assert!(!self.table.contains(node));
            }
        }
        for (a, b) in nodes.clone().zip(nodes.skip(1)) {
            let same_tree = self.forest.tree_root(a) == self.forest.tree_root(b);
            assert_eq!(same_tree, self.are_equal(a, b));
        }
    }

    fn is_value(&self, node: Node) -> bool {
        node.index() < 2 || self.nodes.is_number(node)
    }

    /// Checks that a node stands in the table, or a node with the same signature, or that it is an equation of equal
    /// sides.
    fn check_place(&self, node: Node) {
        let hash = self.nodes.signature_hash(node, &self.roots);
        if self.table.contains(node) {
            assert_eq!(self.table.hash(node), hash);
        }
        let (args, roots) = (self.nodes.args(node), &self.roots);
        if self.nodes.is_equation(node) && self.are_equal(args[0], args[1]) {
            assert!(!self.is_closed() || self.truth_value(node) == Some(true));
            return;
        }
        let found = self.table.find(node, hash, &self.nodes, roots);
        assert!(found.is_some_and(|other| !self.is_closed() || self.are_equal(node, other)));
        assert_eq!(found == Some(node), self.table.contains(node));
    }
}
