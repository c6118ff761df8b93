//! Operations of BTOR2 that are written by others, as circuits.

use shem_base::BitVec;

use crate::circuit::{Circuit, NodeId, NodeSort, Op};

/// One bit.
pub(crate) const BIT: NodeSort = NodeSort::Bits(1);

impl Circuit {
    /// The word with each bit turned.
    pub fn not(&mut self, a: NodeId) -> NodeId {
        let sort = self.sort(a);
        self.apply(Op::Not, &[a], sort)
    }

    /// A binary operation whose result has the sort of its first argument.
    pub fn binary(&mut self, op: Op, a: NodeId, b: NodeId) -> NodeId {
        let sort = self.sort(a);
        self.apply(op, &[a, b], sort)
    }

    /// A comparison.
    pub fn compare(&mut self, op: Op, a: NodeId, b: NodeId) -> NodeId {
        self.apply(op, &[a, b], BIT)
    }

    /// The bits from `low` to `high`, both included.
    pub fn slice(&mut self, high: u32, low: u32, a: NodeId) -> NodeId {
        if low == 0 && high + 1 == self.width(a) {
            return a;
        }
        self.apply(Op::Slice { low }, &[a], NodeSort::Bits(high - low + 1))
    }

    /// The first word above the second.
    pub fn concat(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let width = self.width(a) + self.width(b);
        self.apply(Op::Concat, &[a, b], NodeSort::Bits(width))
    }

    /// The word with so many zeros above it.
    pub fn zero_extend(&mut self, by: u32, a: NodeId) -> NodeId {
        if by == 0 {
            return a;
        }
        let zeros = self.constant(BitVec::zero(by));
        self.concat(zeros, a)
    }

    /// The word with so many copies of its highest bit above it.
    pub fn sign_extend(&mut self, by: u32, a: NodeId) -> NodeId {
        if by == 0 {
            return a;
        }
        let width = self.width(a) + by;
        self.apply(Op::SignExtend, &[a], NodeSort::Bits(width))
    }

    /// The array of a sort whose elements are all this word or array, at whatever depth they are; the node itself if that
    /// is its sort, and `None` if the elements have another sort.
    pub(crate) fn everywhere(&mut self, value: NodeId, sort: NodeSort) -> Option<NodeId> {
        match sort {
            _ if sort == self.sort(value) => Some(value),
            NodeSort::Bits(_) => None,
            NodeSort::Array(array) => {
                let element = self.everywhere(value, array.element())?;
                Some(self.apply(Op::ConstantArray, &[element], sort))
            }
        }
    }

    /// The difference.
    pub fn sub(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let sort = self.sort(b);
        let negated = self.apply(Op::Neg, &[b], sort);
        self.binary(Op::Add, a, negated)
    }

    /// The sum of a word and a number.
    pub fn add_number(&mut self, a: NodeId, number: &BitVec) -> NodeId {
        let number = self.constant(number.clone());
        self.binary(Op::Add, a, number)
    }

    /// Whether the word is this one.
    pub fn is(&mut self, a: NodeId, value: &BitVec) -> NodeId {
        let value = self.constant(value.clone());
        self.compare(Op::Eq, a, value)
    }

    /// Whether the highest bits of a word differ, from this one on: it is no number with a sign of so few bits.
    fn is_mixed(&mut self, a: NodeId, from: u32) -> NodeId {
        let high = self.slice(self.width(a) - 1, from, a);
        let width = self.width(high);
        let (ones, zeros) = (self.is(high, &BitVec::ones(width)), self.is(high, &BitVec::zero(width)));
        let same = self.binary(Op::Or, ones, zeros);
        self.not(same)
    }

    /// Whether the sum needs more bits, without signs.
    pub fn uaddo(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let width = self.width(a);
        let (a, b) = (self.zero_extend(1, a), self.zero_extend(1, b));
        let sum = self.binary(Op::Add, a, b);
        self.slice(width, width, sum)
    }

    /// Whether the sum needs more bits, with signs.
    pub fn saddo(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let width = self.width(a);
        let (a, b) = (self.sign_extend(1, a), self.sign_extend(1, b));
        let sum = self.binary(Op::Add, a, b);
        self.is_mixed(sum, width - 1)
    }

    /// Whether the difference needs more bits, with signs.
    pub fn ssubo(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let width = self.width(a);
        let (a, b) = (self.sign_extend(1, a), self.sign_extend(1, b));
        let difference = self.sub(a, b);
        self.is_mixed(difference, width - 1)
    }

    /// Whether the product needs more bits, without signs.
    pub fn umulo(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let width = self.width(a);
        let (a, b) = (self.zero_extend(width, a), self.zero_extend(width, b));
        let product = self.binary(Op::Mul, a, b);
        let high = self.slice(2 * width - 1, width, product);
        let none = self.is(high, &BitVec::zero(width));
        self.not(none)
    }

    /// Whether the product needs more bits, with signs.
    pub fn smulo(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let width = self.width(a);
        let (a, b) = (self.sign_extend(width, a), self.sign_extend(width, b));
        let product = self.binary(Op::Mul, a, b);
        self.is_mixed(product, width - 1)
    }

    /// Whether the quotient with signs needs more bits: the least number divided by minus one.
    pub fn sdivo(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let width = self.width(a);
        let (least, minus) = (self.is(a, &BitVec::least(width)), self.is(b, &BitVec::ones(width)));
        self.binary(Op::And, least, minus)
    }
}
