//! Constants and the symbols of operations.

use shem_base::BitVec;

use crate::bits::BitOp;
use crate::sort::Sort;
use crate::store::{NodeKey, Store};
use crate::symbol::{Role, Symbol};
use crate::term::Term;

impl Store {
    /// The term of a bit-vector.
    ///
    /// # Panics
    /// If it is wider than [`MAX_WIDTH`](crate::MAX_WIDTH).
    pub fn bit_vector(&mut self, value: &BitVec) -> Term {
        let symbol = match self.sort_table.bit_constants.get(value) {
            Some(&symbol) => symbol,
            None => {
                let sort = Sort::bit_vec(value.width()).expect("a width within the limit");
                let number = self.sort_table.bit_values.len() as u32;
                let role = Role::Bits(BitOp::Constant(number));
                let symbol = self.declare_with_role(&value.to_string(), &[], sort, role);
                self.sort_table.bit_values.push(value.clone());
                self.sort_table.bit_constants.insert(value.clone(), symbol);
                symbol
            }
        };
        let sort = self.signature(symbol).result;
        self.intern(NodeKey::App(symbol, &[]), sort)
    }

    /// The bit-vector, if the term is one.
    pub fn as_bit_vector(&self, term: Term) -> Option<&BitVec> {
        match self.as_app(term)?.1 {
            Role::Bits(BitOp::Constant(number)) => Some(&self.sort_table.bit_values[number as usize]),
            _ => None,
        }
    }

    /// The bit-vector that a symbol is the constant of.
    pub fn bit_constant(&self, symbol: Symbol) -> Option<&BitVec> {
        match self.role(symbol) {
            Role::Bits(BitOp::Constant(number)) => Some(self.bit_value(number)),
            _ => None,
        }
    }

    /// The operation and its arguments, if the term is one on bit-vectors.
    pub fn as_bit_op(&self, term: Term) -> Option<(BitOp, &[Term])> {
        match self.as_app(term)? {
            (_, Role::Bits(op), args) => Some((op, args)),
            _ => None,
        }
    }

    /// The value of a constant of bit-vectors by its number.
    pub(crate) fn bit_value(&self, number: u32) -> &BitVec {
        &self.sort_table.bit_values[number as usize]
    }

    /// Whether a term of bit-vectors was ever made.
    pub fn has_bit_vectors(&self) -> bool {
        !self.sort_table.bit_values.is_empty() || !self.sort_table.bit_symbols.is_empty()
    }

    /// The width of a term of bit-vectors.
    ///
    /// # Panics
    /// If the term is no bit-vector.
    pub fn width(&self, term: Term) -> u32 {
        self.sort(term).bit_width().expect("a bit-vector")
    }

    pub(super) fn bits(&mut self, width: u32, number: u64) -> Term {
        self.bit_vector(&BitVec::new(width, number))
    }

    pub(super) fn zero_bits(&mut self, width: u32) -> Term {
        self.bits(width, 0)
    }

    /// The application of an operation as it is.
    pub(super) fn bit_application(&mut self, op: BitOp, args: &[Term], result: Sort) -> Term {
        let key = (op, self.sort(args[0]), result);
        let symbol = match self.sort_table.bit_symbols.get(&key) {
            Some(&symbol) => symbol,
            None => {
                let sorts: Vec<Sort> = args.iter().take(2).map(|&arg| self.sort(arg)).collect();
                let symbol = self.declare_with_role(op.name(), &sorts, result, Role::Bits(op));
                self.sort_table.bit_symbols.insert(key, symbol);
                symbol
            }
        };
        self.intern(NodeKey::App(symbol, args), result)
    }

    /// The application of an operation whose result has the sort of its arguments.
    pub(super) fn bit_operation(&mut self, op: BitOp, args: &[Term]) -> Term {
        let sort = self.sort(args[0]);
        self.bit_application(op, args, sort)
    }

    /// The symbol of an operation applied to arguments of its sorts, in canonical form.
    pub(crate) fn apply_bit_op(&mut self, symbol: Symbol, op: BitOp, args: &[Term]) -> Term {
        let result = self.signature(symbol).result;
        match op {
            BitOp::Constant(_) => self.intern(NodeKey::App(symbol, &[]), result),
            BitOp::Concat => self.bv_concat(args[0], args[1]),
            BitOp::Extract { high, low } => self.bv_extract(high, low, args[0]),
            BitOp::SignExtend(by) => self.bv_sign_extend(by, args[0]),
            BitOp::Not => self.bv_not(args[0]),
            BitOp::And => self.bv_and(args),
            BitOp::Xor => self.bv_xor(args),
            BitOp::Add => self.bv_add(args),
            BitOp::Multiply => self.bv_mul(args),
            BitOp::Quotient => self.bv_udiv(args[0], args[1]),
            BitOp::Remainder => self.bv_urem(args[0], args[1]),
            BitOp::ShiftLeft => self.bv_shl(args[0], args[1]),
            BitOp::ShiftRight => self.bv_lshr(args[0], args[1]),
            BitOp::ShiftRightSigned => self.bv_ashr(args[0], args[1]),
            BitOp::LessEqual => self.bv_ule(args[0], args[1]),
            BitOp::SignedLessEqual => self.bv_sle(args[0], args[1]),
            BitOp::ToInt => self.bv_to_int(args[0]),
            BitOp::FromInt => self.int_to_bv(result.bit_width().expect("a bit-vector"), args[0]),
        }
    }
}
