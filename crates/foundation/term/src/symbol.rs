//! Sorts and declared symbols.

use std::fmt;

/// The sort of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sort {
    /// Truth values.
    Bool,
    /// Integers.
    Int,
    /// Real numbers.
    Real,
}

impl Sort {
    /// Whether the sort is `Int` or `Real`.
    pub const fn is_arithmetic(self) -> bool {
        matches!(self, Sort::Int | Sort::Real)
    }
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Sort::Bool => "Bool",
            Sort::Int => "Int",
            Sort::Real => "Real",
        })
    }
}

/// A declared symbol: a constant (also called a variable) or a predicate or function with arguments.
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

/// The name, argument sorts and result sort of a symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The name, without quotes.
    pub name: Box<str>,
    /// The sorts of the arguments; empty for a constant.
    pub args: Box<[Sort]>,
    /// The sort of the result.
    pub result: Sort,
}
