//! Circuits of words: a graph of operations over inputs and states, with constraints and properties.
//!
//! The operations are few; whatever else BTOR2 has is written by them ([`derived`](crate::derived)), so that simulation,
//! terms and gates agree on it. Equal nodes are one node.

use std::fmt;

use rustc_hash::FxHashMap;
use shem_base::BitVec;
use shem_term::smtlib::Span;

/// The number of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

impl NodeId {
    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a node carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeSort {
    /// A word of so many bits.
    Bits(u32),
    /// An element for each word of a width.
    Array(ArraySort),
}

/// So many arrays may be one inside the other.
pub const MOST_DIMENSIONS: usize = 4;

/// The sort of an array: its elements are words, or arrays again.
///
/// Invariant *dimensions*: the first width is not zero, and behind a zero are zeros alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ArraySort {
    /// The widths of the indices, from the outermost array on, and zeros.
    indices: [u32; MOST_DIMENSIONS],
    /// The width of the words.
    word: u32,
}

impl ArraySort {
    /// The array with an element for each word of a width; `None` if too many arrays are one inside the other.
    pub fn new(index: u32, element: NodeSort) -> Option<ArraySort> {
        let mut indices = [0; MOST_DIMENSIONS];
        indices[0] = index;
        match element {
            NodeSort::Bits(word) => Some(ArraySort { indices, word }),
            NodeSort::Array(inner) => {
                indices[1..].copy_from_slice(&inner.indices[..MOST_DIMENSIONS - 1]);
                let fits = inner.indices[MOST_DIMENSIONS - 1] == 0;
                fits.then_some(ArraySort { indices, word: inner.word })
            }
        }
    }

    /// The width of the indices.
    pub fn index(self) -> u32 {
        self.indices[0]
    }

    /// The sort of the elements.
    pub fn element(self) -> NodeSort {
        if self.indices[1] == 0 {
            return NodeSort::Bits(self.word);
        }
        let mut indices = [0; MOST_DIMENSIONS];
        indices[..MOST_DIMENSIONS - 1].copy_from_slice(&self.indices[1..]);
        NodeSort::Array(ArraySort { indices, word: self.word })
    }
}

impl NodeSort {
    /// The width, if it is a word.
    pub fn width(self) -> Option<u32> {
        match self {
            NodeSort::Bits(width) => Some(width),
            NodeSort::Array(_) => None,
        }
    }
}

/// As BTOR2 writes it.
impl fmt::Display for NodeSort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NodeSort::Bits(width) => write!(f, "bitvec {width}"),
            NodeSort::Array(sort) => write!(f, "array of {} over bitvec {}", sort.element(), sort.index()),
        }
    }
}

/// An operation. Sums and products are modulo 2 to the power of the width; truth is a word of one bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// Bit by bit: not.
    Not,
    /// Bit by bit: and.
    And,
    /// Bit by bit: or.
    Or,
    /// Bit by bit: exclusive or.
    Xor,
    /// Whether an odd number of bits is one.
    Parity,
    /// The number with the other sign.
    Neg,
    /// The sum.
    Add,
    /// The product.
    Mul,
    /// The quotient without signs; by zero, all ones.
    Udiv,
    /// The remainder without signs; by zero, the dividend.
    Urem,
    /// The quotient with signs, rounded to zero; by zero, one or minus one.
    Sdiv,
    /// The remainder with the sign of the dividend; by zero, the dividend.
    Srem,
    /// The remainder with the sign of the divisor; by zero, the dividend.
    Smod,
    /// Shifted to the left; zeros come in.
    Sll,
    /// Shifted to the right; zeros come in.
    Srl,
    /// Shifted to the right; copies of the highest bit come in.
    Sra,
    /// Rotated to the left, by the distance modulo the width.
    Rol,
    /// Rotated to the right, by the distance modulo the width.
    Ror,
    /// Whether two words or two arrays are equal.
    Eq,
    /// Whether the first word is less, without signs.
    Ult,
    /// Whether the first word is less, with signs.
    Slt,
    /// The first word above the second.
    Concat,
    /// The bits from `low` on; as many as the sort of the node has.
    Slice {
        /// The lowest bit.
        low: u32,
    },
    /// The word with copies of its highest bit above it.
    SignExtend,
    /// The second argument if the first is one, and the third if it is zero.
    Ite,
    /// The element of an array at an index.
    Read,
    /// An array with the element at an index replaced.
    Write,
    /// The array whose elements are all the same.
    ConstantArray,
}

/// A node. Its arguments have smaller numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A word that is always the same.
    Constant(BitVec),
    /// The input with this position.
    Input(u32),
    /// The state with this position.
    State(u32),
    /// An operation and its arguments; there are at most three, and the rest of the places repeat the last.
    Apply(Op, [NodeId; 3]),
}

/// An input.
#[derive(Clone, Debug)]
pub struct Input {
    /// Its node.
    pub node: NodeId,
    /// Its name in the file.
    pub symbol: Option<Box<str>>,
}

/// A state: a register or a memory.
#[derive(Clone, Debug)]
pub struct State {
    /// Its node.
    pub node: NodeId,
    /// Its name in the file.
    pub symbol: Option<Box<str>>,
    /// Its value at the start; any value if there is none.
    pub init: Option<NodeId>,
    /// Its value after a step; any value if there is none.
    pub next: Option<NodeId>,
}

/// What is asked of a circuit.
#[derive(Clone, Debug)]
pub enum Question {
    /// Whether the word can be one.
    Bad(NodeId),
    /// Whether there is an infinite run on which each of the words is one again and again, and so are all fairness
    /// constraints.
    Justice(Vec<NodeId>),
}

/// A property.
#[derive(Clone, Debug)]
pub struct Property {
    /// What is asked.
    pub question: Question,
    /// Its name in the file.
    pub symbol: Option<Box<str>>,
    /// Its line.
    pub span: Span,
}

/// A circuit with its properties.
#[derive(Clone, Debug, Default)]
pub struct Circuit {
    nodes: Vec<(Node, NodeSort)>,
    known: FxHashMap<(Node, NodeSort), NodeId>,
    /// The inputs.
    pub inputs: Vec<Input>,
    /// The states.
    pub states: Vec<State>,
    /// Words that are one at each moment of a run.
    pub constraints: Vec<NodeId>,
    /// Words that are one again and again on a run that answers a question of justice.
    pub fairness: Vec<NodeId>,
    /// The properties.
    pub properties: Vec<Property>,
}

impl Circuit {
    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The nodes, arguments first.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, &Node, NodeSort)> {
        self.nodes.iter().enumerate().map(|(at, (node, sort))| (NodeId(at as u32), node, *sort))
    }

    /// A node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()].0
    }

    /// The sort of a node.
    pub fn sort(&self, id: NodeId) -> NodeSort {
        self.nodes[id.index()].1
    }

    /// The width of a word.
    ///
    /// # Panics
    /// If the node is an array.
    pub fn width(&self, id: NodeId) -> u32 {
        self.sort(id).width().expect("a word")
    }

    /// The word that a node always is, if that is known.
    pub fn as_constant(&self, id: NodeId) -> Option<&BitVec> {
        match self.node(id) {
            Node::Constant(value) => Some(value),
            _ => None,
        }
    }

    fn intern(&mut self, node: Node, sort: NodeSort) -> NodeId {
        let next = NodeId(u32::try_from(self.nodes.len()).expect("fewer than 2^32 nodes"));
        let id = *self.known.entry((node.clone(), sort)).or_insert(next);
        if id == next {
            self.nodes.push((node, sort));
        }
        id
    }

    /// The word that is always this one.
    pub fn constant(&mut self, value: BitVec) -> NodeId {
        let sort = NodeSort::Bits(value.width());
        self.intern(Node::Constant(value), sort)
    }

    /// A new input.
    pub fn input(&mut self, sort: NodeSort, symbol: Option<Box<str>>) -> NodeId {
        let node = self.intern(Node::Input(self.inputs.len() as u32), sort);
        self.inputs.push(Input { node, symbol });
        node
    }

    /// A new state, with any value at any time.
    pub fn state(&mut self, sort: NodeSort, symbol: Option<Box<str>>) -> NodeId {
        let node = self.intern(Node::State(self.states.len() as u32), sort);
        self.states.push(State { node, symbol, init: None, next: None });
        node
    }

    /// An operation with one to three arguments, whose sorts fit.
    pub fn apply(&mut self, op: Op, args: &[NodeId], sort: NodeSort) -> NodeId {
        if let (Op::Not, &[arg]) = (op, args) {
            match self.node(arg) {
                Node::Apply(Op::Not, [inner, ..]) => return *inner,
                Node::Constant(value) => {
                    let value = value.not();
                    return self.constant(value);
                }
                _ => {}
            }
        }
        let at = |place: usize| args[place.min(args.len() - 1)];
        self.intern(Node::Apply(op, [at(0), at(1), at(2)]), sort)
    }

    /// Keeps the properties at some positions.
    pub fn keep_properties(&mut self, wanted: impl Fn(usize) -> bool) {
        let mut at = 0;
        self.properties.retain(|_| {
            at += 1;
            wanted(at - 1)
        });
    }

    /// The nodes that these are made of, as a set by index.
    pub fn cone(&self, roots: &[NodeId]) -> Vec<bool> {
        let mut inside = vec![false; self.nodes.len()];
        roots.iter().for_each(|root| inside[root.index()] = true);
        for at in (0..inside.len()).rev() {
            if let (true, Node::Apply(_, args)) = (inside[at], &self.nodes[at].0) {
                args.iter().for_each(|arg| inside[arg.index()] = true);
            }
        }
        inside
    }

    /// The positions of the states in an order in which their values at the start can be found, or a state whose value
    /// at the start depends on itself.
    ///
    /// # Errors
    /// The position of such a state.
    pub fn initial_order(&self) -> Result<Vec<usize>, usize> {
        let needs: Vec<Vec<usize>> = self.states.iter().map(|state| self.states_below(state.init)).collect();
        let mut order = Vec::new();
        // By state: not met, open, done.
        let mut mark = vec![0_u8; self.states.len()];
        for start in 0..self.states.len() {
            let mut stack = vec![(start, 0)];
            while let Some((state, at)) = stack.pop() {
                match needs[state].get(at) {
                    _ if mark[state] == 2 => {}
                    Some(&other) => {
                        mark[state] = 1;
                        stack.push((state, at + 1));
                        match mark[other] {
                            1 => return Err(other),
                            _ => stack.push((other, 0)),
                        }
                    }
                    None => {
                        mark[state] = 2;
                        order.push(state);
                    }
                }
            }
        }
        Ok(order)
    }

    fn states_below(&self, root: Option<NodeId>) -> Vec<usize> {
        let Some(root) = root.filter(|&root| self.as_constant(root).is_none()) else { return Vec::new() };
        let inside = self.cone(&[root]);
        self.nodes()
            .filter(|(id, ..)| inside[id.index()])
            .filter_map(|(_, node, _)| if let Node::State(at) = node { Some(*at as usize) } else { None })
            .collect()
    }
}
