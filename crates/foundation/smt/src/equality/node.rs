//! The vocabulary of the congruence closure: nodes, functions and what is known of them.

use shem_base::Rat;
use shem_proof::FunctionKind;

/// A term as the congruence closure knows it: a dense index, in the order of creation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Node(u32);

impl Node {
    /// The node with this index.
    #[inline]
    pub const fn new(index: u32) -> Node {
        Node(index)
    }

    /// The dense index of the node.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A function: a dense index that the caller gives.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Function(u32);

impl Function {
    /// The function with this index, which is below 2^31.
    #[inline]
    pub const fn new(index: u32) -> Function {
        Function(index)
    }

    /// The dense index of the function.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The sort of a node: a dense index that the caller gives. The closure keeps it for others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeSort(u32);

impl NodeSort {
    /// The sort with this index.
    #[inline]
    pub const fn new(index: u32) -> NodeSort {
        NodeSort(index)
    }

    /// The dense index of the sort.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a theory knows of a function. A function that was not declared is free.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Kind {
    /// Nothing but congruence.
    #[default]
    Free,
    /// Builds values of a datatype: injective, and different from its other constructors.
    Constructor {
        /// The datatype.
        datatype: u32,
        /// The place among the constructors of the datatype.
        index: u32,
    },
    /// Gives a field of a value of a datatype.
    Selector {
        /// The datatype.
        datatype: u32,
        /// The constructor whose field it is.
        constructor: u32,
        /// The place among the fields of the constructor.
        field: u32,
    },
    /// Says whether a value was built by a constructor.
    Tester {
        /// The datatype.
        datatype: u32,
        /// The constructor.
        constructor: u32,
    },
    /// Reads an array at an index.
    Select,
    /// An array changed at an index.
    Store,
    /// The array that has the same element everywhere.
    ConstantArray,
}

impl Kind {
    /// The kind in the words of proofs, which say of a constant array how many indices it has at least.
    pub fn in_proofs(self, indices: impl FnOnce() -> u64) -> FunctionKind {
        match self {
            Kind::Free => FunctionKind::Free,
            Kind::Constructor { datatype, index } => FunctionKind::Constructor { datatype, index },
            Kind::Selector { datatype, constructor, field } => {
                FunctionKind::Selector { datatype, constructor, field }
            }
            Kind::Tester { datatype, constructor } => FunctionKind::Tester { datatype, constructor },
            Kind::Select => FunctionKind::Select,
            Kind::Store => FunctionKind::Store,
            Kind::ConstantArray => FunctionKind::ConstantArray { indices: indices() },
        }
    }
}

/// How a node is built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeShape<'a> {
    /// The Boolean constant true.
    Truth,
    /// The Boolean constant false.
    Falsity,
    /// A variable, or a name for something that the closure does not look into.
    Leaf,
    /// A numeral.
    Number(&'a Rat),
    /// The equation of two nodes, as a Boolean node.
    Equation(Node, Node),
    /// A function applied to nodes.
    Application(Function, &'a [Node]),
}

/// What a derived equality follows from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Premise {
    /// The nodes are in the same class.
    Equal(Node, Node),
    /// The classes of the nodes are known to be different.
    Distinct(Node, Node),
}
