//! Values of operations on bit-vectors, by their definitions on integers and on single bits.
//!
//! Nothing here is shared with the builders of terms, which compute with words.

use shem_base::{BitVec, Int, Rat};

use crate::bits::BitOp;
use crate::sort::Sort;
use crate::store::Store;
use crate::value::Value;

fn power(exponent: u32) -> Int {
    Int::from(2).pow(exponent)
}

impl Store {
    /// The value of an operation, with a result of this sort, at these arguments; `None` if they are of other sorts.
    pub fn evaluate_bit_op(&self, op: BitOp, result: Sort, args: &[Value]) -> Option<Value> {
        if let BitOp::Constant(number) = op {
            return Some(Value::Bits(self.bit_value(number).clone()));
        }
        let width = result.bit_width();
        // An integer as a result.
        let wrapped = |number: Int| Some(Value::Bits(BitVec::from_int(width?, &number)));
        if op == BitOp::FromInt {
            return wrapped(args[0].as_num()?.to_int()?);
        }
        let args = args.iter().map(Value::as_bits).collect::<Option<Vec<&BitVec>>>()?;
        let unsigned = |at: usize| args[at].to_int();
        let signed = |at: usize| {
            let (number, width) = (args[at].to_int(), args[at].width());
            if number >= power(width - 1) { number - power(width) } else { number }
        };
        let bit_by_bit = |bit: &dyn Fn(u32) -> bool| Some(Value::Bits(BitVec::from_bits(width?, bit)));
        // A distance that is less than the width; beyond, all bits have left.
        let distance = || {
            let distance = unsigned(1).to_i64().and_then(|number| u32::try_from(number).ok());
            distance.filter(|&number| number < args[0].width())
        };
        match op {
            BitOp::Constant(_) | BitOp::FromInt => unreachable!("done above"),
            BitOp::Concat => wrapped(unsigned(0) * power(args[1].width()) + unsigned(1)),
            BitOp::Extract { low, .. } => wrapped(unsigned(0).div_floor(&power(low))),
            BitOp::SignExtend(_) => wrapped(signed(0)),
            BitOp::Not => bit_by_bit(&|at| !args[0].bit(at)),
            BitOp::And => bit_by_bit(&|at| args.iter().all(|arg| arg.bit(at))),
            BitOp::Xor => bit_by_bit(&|at| args.iter().filter(|arg| arg.bit(at)).count() % 2 == 1),
            BitOp::Add => wrapped((0..args.len()).fold(Int::ZERO, |sum, at| sum + unsigned(at))),
            BitOp::Multiply => {
                let modulus = power(width?);
                let product = |product: Int, at: usize| (product * unsigned(at)).rem_floor(&modulus);
                wrapped((0..args.len()).fold(Int::ONE, product))
            }
            BitOp::Quotient if unsigned(1).is_zero() => wrapped(Int::MINUS_ONE),
            BitOp::Quotient => wrapped(unsigned(0).div_floor(&unsigned(1))),
            BitOp::Remainder if unsigned(1).is_zero() => wrapped(unsigned(0)),
            BitOp::Remainder => wrapped(unsigned(0).rem_floor(&unsigned(1))),
            BitOp::ShiftLeft => wrapped(distance().map_or(Int::ZERO, |by| unsigned(0) * power(by))),
            BitOp::ShiftRight => {
                wrapped(distance().map_or(Int::ZERO, |by| unsigned(0).div_floor(&power(by))))
            }
            BitOp::ShiftRightSigned => {
                let by = distance().unwrap_or(args[0].width());
                wrapped(signed(0).div_floor(&power(by)))
            }
            BitOp::LessEqual => Some(Value::Bool(unsigned(0) <= unsigned(1))),
            BitOp::SignedLessEqual => Some(Value::Bool(signed(0) <= signed(1))),
            BitOp::ToInt => Some(Value::Num(Rat::from(unsigned(0)))),
        }
    }
}
