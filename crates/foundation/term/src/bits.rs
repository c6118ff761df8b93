//! The operations that terms of bit-vectors are made of.

/// The greatest width of a bit-vector.
pub const MAX_WIDTH: u32 = 1 << 16;

/// An operation on bit-vectors. Others of SMT-LIB are written by these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BitOp {
    /// The constant with this number; [`Store::as_bit_vector`](crate::Store::as_bit_vector) gives its value.
    Constant(u32),
    /// The first argument above the second.
    Concat,
    /// The bits from `low` to `high`, both included.
    Extract {
        /// The highest bit.
        high: u32,
        /// The lowest bit.
        low: u32,
    },
    /// So many copies of the highest bit above the argument.
    SignExtend(u32),
    /// Bit by bit: not.
    Not,
    /// Bit by bit: and, of at least two arguments.
    And,
    /// Bit by bit: exclusive or, of at least two arguments.
    Xor,
    /// The sum of at least two arguments: products of a number and a leaf, or leaves; a number comes last.
    Add,
    /// The product of at least two arguments; a number comes first.
    Multiply,
    /// The quotient without signs; by zero, all ones.
    Quotient,
    /// The remainder without signs; by zero, the dividend.
    Remainder,
    /// Shifted to the left by a term that is no number; zeros come in.
    ShiftLeft,
    /// Shifted to the right by a term that is no number; zeros come in.
    ShiftRight,
    /// Shifted to the right by a term that is no number; copies of the highest bit come in.
    ShiftRightSigned,
    /// Whether the first number is at most the second, without signs.
    LessEqual,
    /// Whether the first number is at most the second, with signs.
    SignedLessEqual,
    /// The integer that the bits stand for without a sign.
    ToInt,
    /// An integer modulo 2 to the power of the width.
    FromInt,
}

impl BitOp {
    /// The name in SMT-LIB, without indices; that of a constant is its value.
    pub const fn name(self) -> &'static str {
        match self {
            BitOp::Constant(_) => "",
            BitOp::Concat => "concat",
            BitOp::Extract { .. } => "extract",
            BitOp::SignExtend(_) => "sign_extend",
            BitOp::Not => "bvnot",
            BitOp::And => "bvand",
            BitOp::Xor => "bvxor",
            BitOp::Add => "bvadd",
            BitOp::Multiply => "bvmul",
            BitOp::Quotient => "bvudiv",
            BitOp::Remainder => "bvurem",
            BitOp::ShiftLeft => "bvshl",
            BitOp::ShiftRight => "bvlshr",
            BitOp::ShiftRightSigned => "bvashr",
            BitOp::LessEqual => "bvule",
            BitOp::SignedLessEqual => "bvsle",
            BitOp::ToInt => "ubv_to_int",
            BitOp::FromInt => "int_to_bv",
        }
    }

    /// Whether the operation takes any number of arguments from two on, all of one sort.
    pub const fn is_variadic(self) -> bool {
        matches!(self, BitOp::And | BitOp::Xor | BitOp::Add | BitOp::Multiply)
    }
}
