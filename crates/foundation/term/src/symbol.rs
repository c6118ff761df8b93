//! Declared symbols: their names, sorts and roles.

use std::fmt;

use crate::bits::BitOp;
use crate::sort::{DatatypeId, Sort};

/// A symbol: a constant (also called a variable), a predicate or function with arguments, or a symbol of a theory
/// that is applied to arguments.
///
/// Two symbols may have the same name: names belong to scopes, symbols to the store.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(pub(crate) u32);

impl Symbol {
    /// The dense index of the symbol in its store.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sym{}", self.0)
    }
}

/// What an application of a symbol means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Whatever a model says: a constant, a predicate or a function that the script declares.
    Function,
    /// A constructor of a datatype.
    Constructor {
        /// The datatype.
        datatype: DatatypeId,
        /// Which of its constructors.
        index: u32,
    },
    /// The field of a constructor's value; of another value, whatever a model says.
    Selector {
        /// The datatype.
        datatype: DatatypeId,
        /// The constructor whose field is taken.
        constructor: u32,
        /// Which of its fields.
        field: u32,
    },
    /// Whether a value is made by a constructor.
    Tester {
        /// The datatype.
        datatype: DatatypeId,
        /// The constructor.
        constructor: u32,
    },
    /// The element of an array at an index.
    Select,
    /// An array with the element at one index replaced.
    Store,
    /// The array whose elements are all equal.
    ConstantArray,
    /// The product of at least two factors.
    Product,
    /// The quotient of reals; by zero, whatever a model says.
    RealQuotient,
    /// The quotient of integers; by zero, whatever a model says.
    IntQuotient,
    /// The remainder of integers; by zero, whatever a model says.
    Remainder,
    /// An operation on bit-vectors.
    Bits(BitOp),
}

impl Role {
    /// Whether the symbol takes any number of arguments from two on, all of one sort, which its signature has twice.
    pub const fn is_variadic(self) -> bool {
        match self {
            Role::Product => true,
            Role::Bits(op) => op.is_variadic(),
            _ => false,
        }
    }
}

/// The name, argument sorts, result sort and role of a symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The name, without quotes.
    pub name: Box<str>,
    /// The sorts of the arguments; empty for a constant. Those of a [variadic](Role::is_variadic) symbol are its sort,
    /// twice.
    pub args: Box<[Sort]>,
    /// The sort of the result.
    pub result: Sort,
    /// What an application means.
    pub role: Role,
}
