//! Propositional variables and literals, shared by the SAT core, the theories and the proofs.

use std::fmt;
use std::ops::Not;

/// A propositional variable: a dense index.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Var(u32);

impl Var {
    /// The variable with this index.
    #[inline]
    pub const fn new(index: u32) -> Var {
        Var(index)
    }

    /// The dense index of the variable.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The literal that is true when the variable is.
    #[inline]
    pub const fn positive(self) -> Lit {
        Lit(self.0 << 1)
    }

    /// The literal that is true when the variable is false.
    #[inline]
    pub const fn negative(self) -> Lit {
        Lit(self.0 << 1 | 1)
    }

    /// The literal of this variable that is true when the variable has `value`.
    #[inline]
    pub const fn lit(self, value: bool) -> Lit {
        Lit(self.0 << 1 | !value as u32)
    }
}

impl fmt::Debug for Var {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

/// A literal: a variable or its negation, as `2 * variable + sign`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lit(u32);

impl Lit {
    /// The literal with this code, as given by [`Lit::code`].
    #[inline]
    pub const fn from_code(code: u32) -> Lit {
        Lit(code)
    }

    /// The dense code of the literal: twice the variable's index, plus one if it is negative.
    #[inline]
    pub const fn code(self) -> u32 {
        self.0
    }

    /// The code as an index.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The variable of the literal.
    #[inline]
    pub const fn var(self) -> Var {
        Var(self.0 >> 1)
    }

    /// Whether the literal is the variable itself, not its negation.
    #[inline]
    pub const fn is_positive(self) -> bool {
        self.0 & 1 == 0
    }

    /// The literal negated if `flip` holds.
    #[inline]
    pub const fn xor(self, flip: bool) -> Lit {
        Lit(self.0 ^ flip as u32)
    }
}

impl Not for Lit {
    type Output = Lit;

    #[inline]
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

impl fmt::Debug for Lit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}v{}", if self.is_positive() { "" } else { "-" }, self.0 >> 1)
    }
}
