//! Explanations: which literals make nodes equal or different.

use super::closure::Closure;
use super::forest::{Explanation, Reason, note};
use super::node::Node;

impl Closure {
    /// Adds literals that are asserted and imply that two nodes of a class are equal. The explanation is the same
    /// as long as the equality is not undone: it uses no literal that was asserted later.
    pub fn explain_equal(&mut self, a: Node, b: Node, out: &mut Explanation) {
        self.explain_all(&[(a, b)], out);
    }

    /// Adds literals that are asserted and imply that two nodes, known to be different, are so.
    pub fn explain_distinct(&mut self, a: Node, b: Node, out: &mut Explanation) {
        let pairs = self.difference(a, b);
        debug_assert!(pairs.is_some());
        for pairs in pairs.iter() {
            pairs.iter().for_each(|&(x, y)| note(x, y, &self.nodes, out));
            self.explain_all(pairs, out);
        }
    }

    /// Adds literals that are asserted and imply all these equalities.
    pub fn explain_all(&mut self, pairs: &[(Node, Node)], out: &mut Explanation) {
        self.forest.begin();
        for &(a, b) in pairs {
            debug_assert!(self.are_equal(a, b));
            self.forest.add_goal(a, b);
        }
        self.forest.explain(&self.nodes, out);
        out.finish();
    }

    /// Explains why the equality of two nodes contradicts the values of their classes.
    pub(super) fn explain_clash(
        &mut self,
        a: Node,
        left: Node,
        b: Node,
        right: Node,
        reason: Reason,
        out: &mut Explanation,
    ) {
        out.clear();
        note(left, right, &self.nodes, out);
        self.forest.begin();
        self.forest.add_goal(a, left);
        self.forest.add_goal(b, right);
        self.forest.explain_step(a, b, reason, &self.nodes, out);
        self.forest.explain(&self.nodes, out);
        out.finish();
    }

    /// Three equalities from which it follows that two nodes are different, if that is known: both equal values that
    /// clash, or both equal the sides of an equation that equals falsity.
    pub(super) fn difference(&self, a: Node, b: Node) -> Option<[(Node, Node); 3]> {
        if let Some((left, right)) = self.clash(a, b) {
            return Some([(a, left), (b, right), (b, right)]);
        }
        let (ra, rb) = (self.class(a), self.class(b));
        let equation = self.table.find_equation(ra, rb, &self.nodes, &self.roots)?;
        if self.truth_value(equation) != Some(false) {
            return None;
        }
        let (x, y) = (self.nodes.arg(equation, 0), self.nodes.arg(equation, 1));
        let (x, y) = if self.class(x) == ra { (x, y) } else { (y, x) };
        Some([(a, x), (b, y), (equation, self.falsity())])
    }
}
