//! What the atoms of a proof mean: all that its judge is told.
//!
//! An atom of arithmetic is a linear inequality over numbered variables. An *equation* says that two *nodes* are
//! equal. A node is a term, known by a number: a leaf, the application of a function to nodes, an equation of nodes,
//! a numeral, true or false. Whatever formulas and terms are behind the numbers, a proof is right under every reading in which nodes
//! are values, equations are equalities of these values, and functions do what their kind says.
//!
//! There are no literals in nodes: that a Boolean node is true is the equation of the node with truth. So the
//! truth of an application `p(x)`, and that of a formula which is an argument of a function, are equations.

use shem_base::{Rat, Var};

/// A linear inequality: the sum of `terms` is at most, or less than, `bound`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinearAtom {
    /// Variables with their coefficients; a variable may occur repeatedly.
    pub terms: Vec<(u32, Rat)>,
    /// The right-hand side.
    pub bound: Rat,
    /// Whether the inequality is strict.
    pub strict: bool,
}

/// A linear form: the value of an arithmetic node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinearForm {
    /// Variables, those of [`LinearAtom`], with their coefficients; a variable may occur repeatedly.
    pub terms: Vec<(u32, Rat)>,
    /// What is added to them.
    pub constant: Rat,
}

/// What has to be known of a function beside that it is one. Datatypes have numbers; their constructors are
/// numbered from 0 on, and so are the fields of a constructor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FunctionKind {
    /// Nothing.
    Free,
    /// A constructor of a datatype; its arguments are the fields.
    Constructor {
        /// The datatype.
        datatype: u32,
        /// The number of the constructor.
        index: u32,
    },
    /// The field of a value that the constructor made; of other values, anything.
    Selector {
        /// The datatype.
        datatype: u32,
        /// The number of the constructor.
        constructor: u32,
        /// The number of the field.
        field: u32,
    },
    /// Whether the constructor made the value.
    Tester {
        /// The datatype.
        datatype: u32,
        /// The number of the constructor.
        constructor: u32,
    },
    /// The element of an array (first) at an index (second).
    Select,
    /// The array that differs from another (first) at an index (second), where it has a value (third).
    Store,
    /// An index at which two arrays have different elements, if they are different arrays.
    Difference,
    /// The array that has the same value everywhere.
    ConstantArray {
        /// There are at least so many indices; any number stands for infinitely many.
        indices: u64,
    },
}

/// What a node is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeShape {
    /// It has no parts that matter.
    Leaf,
    /// A function applied to nodes.
    Application {
        /// The function: applications of the same one to the same values are the same.
        function: u32,
        /// What the function does.
        kind: FunctionKind,
        /// The arguments.
        args: Vec<u32>,
    },
    /// A numeral.
    Numeral(Rat),
    /// The Boolean value that says whether two nodes are equal.
    Equation(u32, u32),
    /// The Boolean value true.
    Truth,
    /// The Boolean value false.
    Falsity,
}

/// What the atoms of a proof mean.
///
/// The nodes have to be well-sorted: the two sides of an equation have the same sort, and so have an argument of a
/// function and its value at all its applications. No node is part of itself.
pub trait AtomMeaning {
    /// The inequality that holds if and only if the variable is true; `None` if there is none.
    fn atom(&self, var: Var) -> Option<LinearAtom>;

    /// Whether a variable of the inequalities ranges over the integers.
    fn is_integer(&self, var: u32) -> bool;

    /// The two nodes that are equal if and only if the variable is true; `None` if there are none.
    fn equation(&self, _var: Var) -> Option<(u32, u32)> {
        None
    }

    /// What a node is made of; `None` if there is no such node.
    fn node(&self, _node: u32) -> Option<NodeShape> {
        None
    }

    /// The value of an arithmetic node; `None` if it is none. It need not be told of a numeral.
    fn linear_form(&self, _node: u32) -> Option<LinearForm> {
        None
    }

    /// The datatype that is the sort of a node, with the number of its constructors; `None` if the node has another
    /// sort.
    fn datatype(&self, _node: u32) -> Option<(u32, u32)> {
        None
    }
}
