//! The nodes and what does not depend on the classes: shapes, interning, the applications that use a node.
//!
//! Use lists belong to nodes, not to classes: the uses of a class are those of its members, which a merge visits
//! anyway. So merges and their undoing never touch them, and a node made in the middle of a search stays in the
//! right lists. Nodes are removed from the end only, which makes every removal a pop.

use hashbrown::{HashMap, HashTable};
use rustc_hash::FxBuildHasher;
use shem_base::Rat;

use super::node::{Function, Kind, Node, NodeShape, NodeSort};

/// The absence of a node or slot.
pub(super) const NONE: u32 = u32::MAX;

/// Heads of nodes that are no applications of a function of the caller.
const EQUATION: u32 = u32::MAX;
const LEAF: u32 = u32::MAX - 1;
const NUMBER: u32 = u32::MAX - 2;

#[derive(Clone, Copy, Debug)]
struct Shape {
    /// The index of the function, or one of the heads above.
    head: u32,
    /// The first slot of the arguments; of a numeral, its place among the numerals.
    start: u32,
    arity: u32,
    sort: NodeSort,
}

/// All nodes. A *slot* is the place of one argument of one application.
#[derive(Debug, Default)]
pub(super) struct NodeTable {
    shapes: Vec<Shape>,
    /// The argument at each slot.
    args: Vec<Node>,
    /// The application that each slot belongs to.
    users: Vec<Node>,
    /// The next slot with the same argument, older than this one.
    next_use: Vec<u32>,
    /// USES: for each node the newest slot that holds it, except slots whose application has the same argument in
    /// an earlier slot.
    first_use: Vec<u32>,
    numbers: Vec<(Node, Rat)>,
    number_nodes: HashMap<(NodeSort, Rat), Node, FxBuildHasher>,
    /// INTERNED: applications and equations by their heads and arguments.
    interned: HashTable<Node>,
    kinds: Vec<Kind>,
}

/// Adds a word to a hash.
#[inline]
fn mix(hash: u64, word: u32) -> u64 {
    (hash.rotate_left(5) ^ u64::from(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl NodeTable {
    /// The number of nodes.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.shapes.len()
    }

    /// Says what kind of function this is.
    pub(super) fn declare(&mut self, function: Function, kind: Kind) {
        if self.kinds.len() <= function.index() {
            self.kinds.resize(function.index() + 1, Kind::Free);
        }
        self.kinds[function.index()] = kind;
    }

    /// The kind of a function.
    #[inline]
    pub(super) fn kind(&self, function: Function) -> Kind {
        self.kinds.get(function.index()).copied().unwrap_or_default()
    }

    /// The function of an application of the caller's.
    #[inline]
    pub(super) fn function(&self, node: Node) -> Option<Function> {
        let head = self.shapes[node.index()].head;
        (head < NUMBER).then_some(Function::new(head))
    }

    /// The arguments; none for leaves and numerals.
    #[inline]
    pub(super) fn args(&self, node: Node) -> &[Node] {
        let shape = &self.shapes[node.index()];
        if shape.arity == 0 {
            return &[];
        }
        &self.args[shape.start as usize..(shape.start + shape.arity) as usize]
    }

    /// An argument by its place.
    #[inline]
    pub(super) fn arg(&self, node: Node, index: usize) -> Node {
        self.args[self.shapes[node.index()].start as usize + index]
    }

    #[inline]
    pub(super) fn sort(&self, node: Node) -> NodeSort {
        self.shapes[node.index()].sort
    }

    /// Whether the node has arguments, so that it takes part in congruence.
    #[inline]
    pub(super) fn has_args(&self, node: Node) -> bool {
        self.shapes[node.index()].arity > 0
    }

    #[inline]
    pub(super) fn is_equation(&self, node: Node) -> bool {
        self.shapes[node.index()].head == EQUATION
    }

    #[inline]
    pub(super) fn is_number(&self, node: Node) -> bool {
        self.shapes[node.index()].head == NUMBER
    }

    pub(super) fn shape(&self, node: Node) -> NodeShape<'_> {
        let shape = &self.shapes[node.index()];
        match shape.head {
            _ if node.index() == 0 => NodeShape::Truth,
            _ if node.index() == 1 => NodeShape::Falsity,
            LEAF => NodeShape::Leaf,
            NUMBER => NodeShape::Number(&self.numbers[shape.start as usize].1),
            EQUATION => NodeShape::Equation(self.arg(node, 0), self.arg(node, 1)),
            head => NodeShape::Application(Function::new(head), self.args(node)),
        }
    }

    /// The applications and equations that have the node as an argument, newest first, each once.
    #[inline]
    pub(super) fn uses(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        let mut slot = self.first_use[node.index()];
        std::iter::from_fn(move || {
            let user = *self.users.get(slot as usize)?;
            slot = self.next_use[slot as usize];
            Some(user)
        })
    }

    /// The newest slot that holds the node, to be followed by [`NodeTable::use_at`].
    #[inline]
    pub(super) fn first_use(&self, node: Node) -> u32 {
        self.first_use[node.index()]
    }

    /// The application of a slot and the next slot.
    #[inline]
    pub(super) fn use_at(&self, slot: u32) -> (Node, u32) {
        (self.users[slot as usize], self.next_use[slot as usize])
    }

    /// A new leaf.
    pub(super) fn leaf(&mut self, sort: NodeSort) -> Node {
        self.add(Shape { head: LEAF, start: 0, arity: 0, sort })
    }

    /// The node of a numeral; whether it is new.
    pub(super) fn number(&mut self, value: &Rat, sort: NodeSort) -> (Node, bool) {
        let key = (sort, value.clone());
        if let Some(&node) = self.number_nodes.get(&key) {
            return (node, false);
        }
        let node = self.add(Shape { head: NUMBER, start: self.numbers.len() as u32, arity: 0, sort });
        self.numbers.push((node, value.clone()));
        self.number_nodes.insert(key, node);
        (node, true)
    }

    /// The node of an application; whether it is new.
    pub(super) fn application(&mut self, function: Function, args: &[Node], sort: NodeSort) -> (Node, bool) {
        debug_assert!((function.index() as u32) < NUMBER);
        self.intern(function.index() as u32, args, sort)
    }

    /// The node of an equation; whether it is new.
    pub(super) fn equation(&mut self, a: Node, b: Node, sort: NodeSort) -> (Node, bool) {
        self.intern(EQUATION, &[a.min(b), a.max(b)], sort)
    }

    /// The node of an equation, if there is one.
    pub(super) fn find_equation(&self, a: Node, b: Node) -> Option<Node> {
        self.find(EQUATION, &[a.min(b), a.max(b)])
    }

    /// The node of an application, if there is one.
    pub(super) fn find_application(&self, function: Function, args: &[Node]) -> Option<Node> {
        self.find(function.index() as u32, args)
    }

    fn find(&self, head: u32, args: &[Node]) -> Option<Node> {
        let hash = Self::hash(head, args);
        self.interned.find(hash, |&node| self.is(node, head, args)).copied()
    }

    #[inline]
    fn is(&self, node: Node, head: u32, args: &[Node]) -> bool {
        self.shapes[node.index()].head == head && self.args(node) == args
    }

    fn intern(&mut self, head: u32, args: &[Node], sort: NodeSort) -> (Node, bool) {
        if let Some(node) = self.find(head, args) {
            return (node, false);
        }
        let start = self.args.len() as u32;
        let node = self.add(Shape { head, start, arity: args.len() as u32, sort });
        for (index, &arg) in args.iter().enumerate() {
            let slot = self.args.len() as u32;
            self.args.push(arg);
            self.users.push(node);
            if args[..index].contains(&arg) {
                self.next_use.push(NONE);
            } else {
                self.next_use.push(self.first_use[arg.index()]);
                self.first_use[arg.index()] = slot;
            }
        }
        let (shapes, all_args) = (&self.shapes, &self.args);
        self.interned.insert_unique(Self::hash(head, args), node, |&node| {
            let shape = &shapes[node.index()];
            let range = shape.start as usize..(shape.start + shape.arity) as usize;
            Self::hash(shape.head, &all_args[range])
        });
        (node, true)
    }

    fn add(&mut self, shape: Shape) -> Node {
        let node = Node::new(self.shapes.len() as u32);
        self.shapes.push(shape);
        self.first_use.push(NONE);
        node
    }

    #[inline]
    fn hash(head: u32, args: &[Node]) -> u64 {
        let hash = args.iter().fold(mix(0, head), |hash, arg| mix(hash, arg.index() as u32));
        hash ^ hash >> 32
    }

    /// The hash of a node's signature: its head and the classes of its arguments.
    #[inline]
    pub(super) fn signature_hash(&self, node: Node, roots: &[Node]) -> u64 {
        let shape = &self.shapes[node.index()];
        let hash = mix(0, shape.head);
        let hash = if shape.head == EQUATION {
            let (a, b) = self.equation_roots(node, roots);
            mix(mix(hash, a.index() as u32), b.index() as u32)
        } else {
            self.args(node).iter().fold(hash, |hash, arg| mix(hash, roots[arg.index()].index() as u32))
        };
        hash ^ hash >> 32
    }

    /// The hash of the signature of an equation of these classes.
    #[inline]
    pub(super) fn equation_hash(a: Node, b: Node) -> u64 {
        Self::hash(EQUATION, &[a.min(b), a.max(b)])
    }

    /// The classes of the sides of an equation, the smaller one first.
    #[inline]
    pub(super) fn equation_roots(&self, node: Node, roots: &[Node]) -> (Node, Node) {
        let (a, b) = (roots[self.arg(node, 0).index()], roots[self.arg(node, 1).index()]);
        (a.min(b), a.max(b))
    }

    /// Whether two nodes with arguments have the same signature.
    #[inline]
    pub(super) fn are_congruent(&self, a: Node, b: Node, roots: &[Node]) -> bool {
        let (left, right) = (&self.shapes[a.index()], &self.shapes[b.index()]);
        if left.head != right.head || left.arity != right.arity {
            return false;
        }
        if left.head == EQUATION {
            return self.equation_roots(a, roots) == self.equation_roots(b, roots);
        }
        let mut pairs = self.args(a).iter().zip(self.args(b));
        pairs.all(|(x, y)| roots[x.index()] == roots[y.index()])
    }

    /// Removes the nodes from the end until `count` are left.
    pub(super) fn truncate(&mut self, count: usize) {
        while self.shapes.len() > count {
            let node = Node::new(self.shapes.len() as u32 - 1);
            let shape = self.shapes[node.index()];
            match shape.head {
                LEAF => {}
                NUMBER => {
                    if let Some((_, value)) = self.numbers.pop() {
                        self.number_nodes.remove(&(shape.sort, value));
                    }
                }
                head => self.remove_application(node, head, shape.start as usize),
            }
            self.shapes.pop();
            self.first_use.pop();
        }
    }

    fn remove_application(&mut self, node: Node, head: u32, start: usize) {
        let hash = Self::hash(head, &self.args[start..]);
        if let Ok(entry) = self.interned.find_entry(hash, |&other| other == node) {
            entry.remove();
        }
        while self.args.len() > start {
            let slot = self.args.len() as u32 - 1;
            let arg = self.args[slot as usize];
            if self.first_use[arg.index()] == slot {
                self.first_use[arg.index()] = self.next_use[slot as usize];
            }
            self.args.pop();
            self.users.pop();
            self.next_use.pop();
        }
    }

    /// Checks USES and INTERNED.
    pub(super) fn check_invariants(&self) {
        let mut uses = vec![Vec::new(); self.len()];
        for index in 0..self.len() {
            let node = Node::new(index as u32);
            for (place, arg) in self.args(node).iter().enumerate() {
                if !self.args(node)[..place].contains(arg) {
                    uses[arg.index()].push(node);
                }
            }
            let head = self.shapes[index].head;
            if head != LEAF && head != NUMBER {
                assert_eq!(self.find(head, self.args(node)), Some(node));
            }
        }
        for (index, expected) in uses.into_iter().enumerate() {
            let mut found: Vec<Node> = self.uses(Node::new(index as u32)).collect();
            found.reverse();
            assert_eq!(found, expected);
        }
    }
}
