//! Congruence closure: the classes of nodes that asserted equalities and congruence make equal.
//!
//! After Nieuwenhuis and Oliveras, Fast congruence closure and extensions (2007), with these differences. A class is
//! a circular list; the smaller class gets the name of the larger one, so that finding a class is one access. The
//! equation of two nodes is a Boolean node itself (as in Simplify and z3), which congruence carries along: two
//! classes are different if an equation between them is in the class of falsity, and all equations between the
//! same classes become false together. Each class has at most one *value*: truth, falsity, a numeral or an
//! application of a constructor; two values that can never be equal *clash*, and this is the only kind of conflict.
//!
//! Assertions are processed one by one, and what follows from one lies on the trail before the next begins. Nodes
//! may be made at any time. The place of such a node in the signature table is an event of the trail: when it is
//! undone and the node stays, the node is given a place anew at the next [`Closure::close`].

use shem_base::{Lit, Rat};

use super::forest::{Explanation, ProofForest, Reason};
use super::node::{Function, Kind, Node, NodeShape, NodeSort, Premise};
use super::nodes::{NONE, NodeTable};
use super::signatures::SignatureTable;
use super::trail::{Event, Mark, Scope};

/// The asserted literals contradict each other; the explanation passed in says which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict;

/// What is kept for each node; of a class, at its root.
#[derive(Clone, Copy, Debug)]
pub(super) struct Class {
    /// The next node of the class, in a circle.
    pub(super) next: Node,
    /// The number of nodes of the class, if this is the root. A root that was merged keeps what it had.
    pub(super) size: u32,
    /// VALUE: the value of the class, or `NONE`, if this is the root. A root that was merged keeps what it had.
    pub(super) value: u32,
    /// Whether the decision of this Boolean node is to be reported.
    pub(super) watched: bool,
    /// REPORTED: whether the node is in `decided`.
    pub(super) reported: bool,
}

/// An asserted literal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Assertion {
    pub(super) a: Node,
    pub(super) b: Node,
    pub(super) equal: bool,
    pub(super) lit: Lit,
}

/// An equality that is known and not in the classes yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pending {
    pub(super) a: Node,
    pub(super) b: Node,
    pub(super) reason: Reason,
}

/// Congruence closure with explanations, undoing and scopes.
#[derive(Debug)]
pub struct Closure {
    pub(super) boolean: NodeSort,
    pub(super) nodes: NodeTable,
    /// ROOTS: the root of each node's class.
    pub(super) roots: Vec<Node>,
    pub(super) classes: Vec<Class>,
    pub(super) table: SignatureTable,
    pub(super) forest: ProofForest,
    /// The assertions, of which the first `marks.len()` have been processed.
    pub(super) assertions: Vec<Assertion>,
    /// The state before each processed assertion.
    pub(super) marks: Vec<Mark>,
    pub(super) scopes: Vec<Scope>,
    pub(super) trail: Vec<Event>,
    /// Nodes that merges took from the signature table, with the hashes that they had there.
    pub(super) moves: Vec<(Node, u64)>,
    /// PENDING: equalities that belong to what has been processed; those before `pending_head` are done.
    pub(super) pending: Vec<Pending>,
    pub(super) pending_head: usize,
    /// Nodes that have to be given a place in the signature table.
    pub(super) unseated: Vec<Node>,
    /// Nodes that were decided when they began to be watched.
    pub(super) unwatched: Vec<Node>,
    /// Watched nodes that are decided, in the order in which they became so, each once.
    pub(super) decided: Vec<Node>,
    /// The number of events that the rules have seen.
    pub(super) seen: usize,
    /// Equations that may have become true or false, while a merge goes on.
    pub(super) suspects: Vec<Node>,
    pub(super) merges: u64,
}

impl Closure {
    /// A closure without nodes but truth and falsity, which have this sort.
    pub fn new(boolean: NodeSort) -> Closure {
        let mut closure = Closure {
            boolean,
            nodes: NodeTable::default(),
            roots: Vec::new(),
            classes: Vec::new(),
            table: SignatureTable::default(),
            forest: ProofForest::default(),
            assertions: Vec::new(),
            marks: Vec::new(),
            scopes: Vec::new(),
            trail: Vec::new(),
            moves: Vec::new(),
            pending: Vec::new(),
            pending_head: 0,
            unseated: Vec::new(),
            unwatched: Vec::new(),
            decided: Vec::new(),
            seen: 0,
            suspects: Vec::new(),
            merges: 0,
        };
        for _ in 0..2 {
            let node = closure.leaf(boolean);
            closure.classes[node.index()].value = node.index() as u32;
        }
        closure
    }

    /// The Boolean constant true.
    #[inline]
    pub fn truth(&self) -> Node {
        Node::new(0)
    }

    /// The Boolean constant false.
    #[inline]
    pub fn falsity(&self) -> Node {
        Node::new(1)
    }

    /// Says of which kind a function is, before it is used.
    pub fn declare(&mut self, function: Function, kind: Kind) {
        self.nodes.declare(function, kind);
    }

    /// A new leaf: a variable, or a name for something that the closure does not look into.
    pub fn leaf(&mut self, sort: NodeSort) -> Node {
        let node = self.nodes.leaf(sort);
        self.add_class(node, NONE);
        node
    }

    /// The node of a numeral. Different numerals of a sort are never equal.
    pub fn number(&mut self, value: &Rat, sort: NodeSort) -> Node {
        let (node, new) = self.nodes.number(value, sort);
        if new {
            self.add_class(node, node.index() as u32);
        }
        node
    }

    /// The node of an application. A new one is in the class of those that are congruent to it at once.
    pub fn application(&mut self, function: Function, args: &[Node], sort: NodeSort) -> Node {
        let (node, new) = self.nodes.application(function, args, sort);
        if new {
            let is_constructor = matches!(self.nodes.kind(function), Kind::Constructor { .. });
            self.add_class(node, if is_constructor { node.index() as u32 } else { NONE });
            self.seat_new(node);
        }
        node
    }

    /// The Boolean node of an equation of two different nodes.
    pub fn equation(&mut self, a: Node, b: Node) -> Node {
        let (node, new) = self.nodes.equation(a, b, self.boolean);
        if new {
            self.add_class(node, NONE);
            self.seat_new(node);
        }
        node
    }

    fn add_class(&mut self, node: Node, value: u32) {
        self.roots.push(node);
        self.classes.push(Class { next: node, size: 1, value, watched: false, reported: false });
        self.table.add_node();
        self.forest.add_node();
    }

    /// Asserts that two nodes are equal because of a literal.
    pub fn assert_equal(&mut self, a: Node, b: Node, reason: Lit) {
        self.assertions.push(Assertion { a, b, equal: true, lit: reason });
    }

    /// Asserts that two nodes are different because of a literal.
    pub fn assert_distinct(&mut self, a: Node, b: Node, reason: Lit) {
        self.assertions.push(Assertion { a, b, equal: false, lit: reason });
    }

    /// The number of assertions.
    pub fn asserted(&self) -> usize {
        self.assertions.len()
    }

    /// Adds an equality that follows from premises, which hold, by a rule of a theory. It lasts until the latest
    /// processed assertion is undone, and is in the classes after the next call of [`Closure::close`].
    pub fn derive_equal(&mut self, a: Node, b: Node, premises: &[Premise]) {
        if self.are_equal(a, b) {
            return;
        }
        for &premise in premises {
            match premise {
                Premise::Equal(x, y) => {
                    debug_assert!(self.are_equal(x, y));
                    self.forest.add_premise(x, y);
                }
                // What makes the nodes different is fixed now: an explanation made later must not use what came
                // after the derived equality.
                Premise::Distinct(x, y) => {
                    let pairs = self.difference(x, y);
                    debug_assert!(pairs.is_some());
                    for (x, y) in pairs.into_iter().flatten() {
                        self.forest.add_premise(x, y);
                    }
                }
            }
        }
        let reason = self.forest.derivation();
        self.pending.push(Pending { a, b, reason });
    }

    /// Brings the classes up to date with all assertions. On a contradiction fills `out` with literals that are
    /// asserted and contradict each other.
    pub fn close(&mut self, out: &mut Explanation) -> Result<(), Conflict> {
        while self.close_next(out)? {}
        Ok(())
    }

    /// Brings the classes up to date with what was derived and made since the last time, and then with the next
    /// assertion; says whether there are more assertions. Rules whose consequences must survive the undoing of
    /// later assertions run after each such step.
    pub fn close_next(&mut self, out: &mut Explanation) -> Result<bool, Conflict> {
        self.seat_again();
        self.process(out)?;
        if let Some(&assertion) = self.assertions.get(self.marks.len()) {
            self.marks.push(self.mark());
            let Assertion { a, b, equal, lit } = assertion;
            let (a, b) = if equal { (a, b) } else { (self.equation(a, b), self.falsity()) };
            self.pending.push(Pending { a, b, reason: Reason::Asserted(lit) });
            self.process(out)?;
        }
        Ok(self.marks.len() < self.assertions.len())
    }

    /// Whether everything asserted, made and derived is in the classes.
    pub fn is_closed(&self) -> bool {
        self.marks.len() == self.assertions.len()
            && !self.has_pending()
            && self.unseated.is_empty()
            && self.unwatched.is_empty()
    }

    /// The root of the class of a node.
    #[inline]
    pub fn class(&self, node: Node) -> Node {
        self.roots[node.index()]
    }

    /// Whether two nodes are in the same class.
    #[inline]
    pub fn are_equal(&self, a: Node, b: Node) -> bool {
        self.roots[a.index()] == self.roots[b.index()]
    }

    /// Whether two nodes are known to be different: their values clash, or an equation of their classes is false.
    pub fn are_distinct(&self, a: Node, b: Node) -> bool {
        self.difference(a, b).is_some()
    }

    /// The value of the class of a node: truth, falsity, a numeral or an application of a constructor.
    #[inline]
    pub fn value(&self, node: Node) -> Option<Node> {
        let value = self.classes[self.class(node).index()].value;
        (value != NONE).then_some(Node::new(value))
    }

    /// Whether a Boolean node is known to be true or false.
    #[inline]
    pub fn truth_value(&self, node: Node) -> Option<bool> {
        let value = self.value(node)?;
        (value.index() < 2).then_some(value == self.truth())
    }

    /// The nodes of the class of a node, beginning with its root.
    pub fn members(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        let root = self.class(node);
        let mut next = Some(root);
        std::iter::from_fn(move || {
            let node = next?;
            let after = self.classes[node.index()].next;
            next = (after != root).then_some(after);
            Some(node)
        })
    }

    /// The number of nodes of the class of a node.
    pub fn class_size(&self, node: Node) -> usize {
        self.classes[self.class(node).index()].size as usize
    }

    /// The applications and equations with an argument in the class of a node. One with several such arguments may
    /// be given more than once.
    pub fn uses(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        self.members(node).flat_map(|member| self.nodes.uses(member))
    }

    /// The applications and equations with this very node as an argument, newest first, each once.
    pub fn uses_of_node(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        self.nodes.uses(node)
    }

    /// The number of nodes; all have smaller indices.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are only truth and falsity.
    pub fn is_empty(&self) -> bool {
        self.len() == 2
    }

    /// How a node is built.
    pub fn shape(&self, node: Node) -> NodeShape<'_> {
        self.nodes.shape(node)
    }

    /// The arguments of an application or equation; none for other nodes.
    pub fn args(&self, node: Node) -> &[Node] {
        self.nodes.args(node)
    }

    /// The sort of a node.
    pub fn sort(&self, node: Node) -> NodeSort {
        self.nodes.sort(node)
    }

    /// The kind of a function.
    pub fn kind(&self, function: Function) -> Kind {
        self.nodes.kind(function)
    }

    /// The function of an application and its kind.
    #[inline]
    pub fn function(&self, node: Node) -> Option<(Function, Kind)> {
        let function = self.nodes.function(node)?;
        Some((function, self.nodes.kind(function)))
    }

    /// The node of an application, if it was made.
    pub fn find_application(&self, function: Function, args: &[Node]) -> Option<Node> {
        self.nodes.find_application(function, args)
    }

    /// The node of an equation, if it was made.
    pub fn find_equation(&self, a: Node, b: Node) -> Option<Node> {
        self.nodes.find_equation(a, b)
    }

    /// The number of merges ever made.
    pub fn merges(&self) -> u64 {
        self.merges
    }
}
