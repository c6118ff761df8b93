//! Merging of classes, and the places of nodes in the signature table.

use super::closure::{Class, Closure, Conflict, Pending};
use super::forest::{Explanation, Reason};
use super::node::Node;
use super::nodes::NONE;
use super::trail::Event;

impl Closure {
    /// Merges classes until no equality is pending.
    pub(super) fn process(&mut self, out: &mut Explanation) -> Result<(), Conflict> {
        while let Some(&Pending { a, b, reason }) = self.pending.get(self.pending_head) {
            if !self.are_equal(a, b) {
                // After a conflict the equality stays pending, so that the next call finds the conflict again.
                if let Some((left, right)) = self.clash(a, b) {
                    self.explain_clash(a, left, b, right, reason, out);
                    return Err(Conflict);
                }
                self.merge(a, b, reason);
            }
            self.pending_head += 1;
        }
        self.pending.clear();
        self.pending_head = 0;
        Ok(())
    }

    /// Whether equalities were derived that are not in the classes yet.
    pub(super) fn has_pending(&self) -> bool {
        self.pending_head < self.pending.len()
    }

    /// The values of the classes of two nodes, if they clash.
    pub(super) fn clash(&self, a: Node, b: Node) -> Option<(Node, Node)> {
        let (left, right) = (self.value(a)?, self.value(b)?);
        self.values_clash(left, right).then_some((left, right))
    }

    /// Whether two values can never be equal. Constructors may be equal if they are the same.
    #[inline]
    fn values_clash(&self, left: Node, right: Node) -> bool {
        left != right && {
            let (f, g) = (self.nodes.function(left), self.nodes.function(right));
            f.is_none() || f != g
        }
    }

    /// Makes the classes of two nodes one. They are different and do not clash.
    fn merge(&mut self, a: Node, b: Node, reason: Reason) {
        let (ra, rb) = (self.class(a), self.class(b));
        let smaller = self.classes[ra.index()].size <= self.classes[rb.index()].size;
        let (absorbed, root, left, right) = if smaller { (ra, rb, a, b) } else { (rb, ra, b, a) };
        self.merges += 1;
        self.forest.link(left, right, reason);
        let Class { next: first, size, value, .. } = self.classes[absorbed.index()];
        let root_value = self.classes[root.index()].value;
        let moves = self.moves.len();
        self.trail.push(Event::Merge { absorbed, first, left, right, moves: moves as u32 });
        if value != NONE && root_value == NONE {
            self.visit_before_value(root, value);
        }
        self.take_from_table(absorbed);
        let decides = root_value < 2 && value == NONE;
        let mut node = absorbed;
        loop {
            self.roots[node.index()] = root;
            let class = &self.classes[node.index()];
            let next = class.next;
            if decides {
                if class.watched {
                    self.report(node);
                }
                if self.nodes.is_equation(node) {
                    self.suspects.push(node);
                }
            }
            node = next;
            if node == absorbed {
                break;
            }
        }
        let class = &mut self.classes[root.index()];
        class.size += size;
        if class.value == NONE {
            class.value = value;
        }
        let next = std::mem::replace(&mut class.next, first);
        self.classes[absorbed.index()].next = next;
        for index in moves..self.moves.len() {
            self.seat(self.moves[index].0);
        }
        while let Some(equation) = self.suspects.pop() {
            self.unite_if_true(equation);
            self.falsify_if_clash(equation);
        }
    }

    /// Prepares a class for the value that it is about to get: if that is truth or falsity, watched nodes and
    /// equations of the class are decided; otherwise equations that use it may have sides that clash.
    fn visit_before_value(&mut self, root: Node, value: u32) {
        let mut node = root;
        loop {
            if value < 2 && self.classes[node.index()].watched {
                self.report(node);
            }
            if value < 2 && self.nodes.is_equation(node) {
                self.suspects.push(node);
            }
            let mut slot = self.nodes.first_use(node);
            while slot != NONE {
                let (user, next) = self.nodes.use_at(slot);
                if self.nodes.is_equation(user) && self.table.contains(user) {
                    self.suspects.push(user);
                }
                slot = next;
            }
            node = self.classes[node.index()].next;
            if node == root {
                break;
            }
        }
    }

    /// Takes the applications that use a class from the signature table.
    fn take_from_table(&mut self, root: Node) {
        let mut node = root;
        loop {
            let mut slot = self.nodes.first_use(node);
            while slot != NONE {
                let (user, next) = self.nodes.use_at(slot);
                if self.table.contains(user) {
                    self.moves.push((user, self.table.hash(user)));
                    self.table.remove(user);
                }
                slot = next;
            }
            node = self.classes[node.index()].next;
            if node == root {
                break;
            }
        }
    }

    /// Gives a node its place in the signature table, unless a congruent one has it: then they are equal.
    fn seat(&mut self, node: Node) {
        if self.nodes.is_equation(node) {
            let (a, b) = self.nodes.equation_roots(node, &self.roots);
            if a == b {
                let reason = Reason::Reflexivity;
                self.pending.push(Pending { a: node, b: self.truth(), reason });
                return;
            }
        }
        let hash = self.nodes.signature_hash(node, &self.roots);
        let Some(other) = self.table.find(node, hash, &self.nodes, &self.roots) else {
            self.table.insert(node, hash);
            self.falsify_if_clash(node);
            return;
        };
        if self.are_equal(node, other) {
            return;
        }
        let crossed = self.nodes.is_equation(node)
            && !self.are_equal(self.nodes.arg(node, 0), self.nodes.arg(other, 0));
        let reason = if crossed { Reason::CrossedCongruence } else { Reason::Congruence };
        self.pending.push(Pending { a: node, b: other, reason });
    }

    /// Makes the sides of an equation equal if it is true.
    fn unite_if_true(&mut self, equation: Node) {
        let (a, b) = (self.nodes.arg(equation, 0), self.nodes.arg(equation, 1));
        if self.are_equal(equation, self.truth()) && !self.are_equal(a, b) {
            self.forest.add_premise(equation, self.truth());
            let reason = self.forest.derivation();
            self.pending.push(Pending { a, b, reason });
        }
    }

    /// Makes an equation false whose sides have values that clash.
    fn falsify_if_clash(&mut self, node: Node) {
        if !self.nodes.is_equation(node) || self.are_equal(node, self.falsity()) {
            return;
        }
        let (a, b) = (self.nodes.arg(node, 0), self.nodes.arg(node, 1));
        if let Some((left, right)) = self.clash(a, b) {
            self.forest.add_premise(a, left);
            self.forest.add_premise(b, right);
            let reason = self.forest.derivation();
            self.pending.push(Pending { a: node, b: self.falsity(), reason });
        }
    }

    /// Gives a new node its place. It is alone in its class and nothing uses it, so that being merged with another
    /// one has no consequences, and it is done at once.
    pub(super) fn seat_new(&mut self, node: Node) {
        self.trail.push(Event::Seat(node));
        if self.nodes.has_args(node) {
            let before = self.pending.len();
            self.seat(node);
            if self.pending.len() > before
                && let Some(Pending { a, b, reason }) = self.pending.pop()
            {
                self.merge(a, b, reason);
            }
        }
    }

    /// Gives places to the nodes that have lost theirs by undoing, and looks at watched nodes again.
    pub(super) fn seat_again(&mut self) {
        if !self.unseated.is_empty() {
            self.unseated.sort_unstable();
            for index in 0..self.unseated.len() {
                let node = self.unseated[index];
                self.trail.push(Event::Seat(node));
                if self.nodes.has_args(node) {
                    self.seat(node);
                }
            }
            self.unseated.clear();
        }
        while let Some(node) = self.unwatched.pop() {
            let class = &self.classes[node.index()];
            if class.watched && !class.reported && self.truth_value(node).is_some() {
                self.trail.push(Event::Watch(node));
                self.report(node);
            }
        }
    }

    /// Adds a node to those that are decided.
    fn report(&mut self, node: Node) {
        let reported = &mut self.classes[node.index()].reported;
        if !std::mem::replace(reported, true) {
            self.decided.push(node);
        }
    }

    /// Asks that the decision of a Boolean node be reported among [`Closure::decided`]. If it is decided already, that
    /// is reported by the next [`Closure::close`], unless it was before.
    pub fn watch(&mut self, node: Node) {
        let class = &mut self.classes[node.index()];
        class.watched = true;
        if !class.reported && self.truth_value(node).is_some() {
            self.unwatched.push(node);
        }
    }

    /// Takes back [`Closure::watch`]. What is reported stays so.
    pub fn unwatch(&mut self, node: Node) {
        self.classes[node.index()].watched = false;
    }

    /// The watched nodes that are equal to truth or falsity, in the order in which they became so.
    pub fn decided(&self) -> &[Node] {
        &self.decided
    }
}
