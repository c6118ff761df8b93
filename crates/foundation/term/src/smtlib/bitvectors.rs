//! Bit-vectors inside of formulas about integers.
//!
//! Front ends translate casts and shifts of machine integers to bit-vectors and back, with integers as variables. A
//! term of bit-vectors is read as the integer that it stands for, without its sign, from 0 to 2^w - 1 for a width w:
//! sums and products are taken modulo 2^w, parts are quotients and remainders by powers of two, a shift by a term
//! that is not a number goes by the bits of the distance. All of this is exact. So that sorts can be checked, the integer is
//! the only field of a record for its width; every operation opens it and makes a new one, and equalities and
//! conditionals open it as well, so that no record is left when the formula is read.
//!
//! There are no variables of these sorts: what is declared or bound has another sort. Conjunction, disjunction and
//! exclusive disjunction are exact where one argument is a number, or where there are few bits. Otherwise the common
//! bits are an application of a symbol of its own, for a caller that knows what to put in its place
//! ([`Reader::common_bits`]), and an error for any other.

use shem_base::{Int, Rat};

use super::apply::ArgumentError;
use super::error::{ErrorKind, ReadError};
use super::expect::{expect_close, unexpected};
use super::lexer::{Lexer, Token, TokenKind};
use super::reader::Reader;
use crate::sort::{ConstructorDeclaration, DatatypeDeclaration};
use crate::{Sort, Store, Symbol, Term};

/// The greatest width.
const MAX_WIDTH: u32 = 4_096;

/// The width up to which the common bits of two terms are written out bit by bit.
const WRITTEN_OUT: u32 = 8;

/// An operation on bit-vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BitOperation {
    FromInt(u32),
    ToInt,
    ToSigned,
    Extract { high: u32, low: u32 },
    ZeroExtend(u32),
    SignExtend(u32),
    Concat,
    Not,
    Negate,
    Add,
    Subtract,
    Multiply,
    And,
    Or,
    Xor,
    Quotient,
    Remainder,
    ShiftLeft,
    ShiftRight,
    ShiftRightSigned,
    Compare { signed: bool, strict: bool, swapped: bool },
}

impl BitOperation {
    /// The operation with this symbol.
    pub(super) fn named(symbol: &str) -> Option<BitOperation> {
        let compare = |signed, strict, swapped| BitOperation::Compare { signed, strict, swapped };
        Some(match symbol {
            "ubv_to_int" | "bv2nat" | "bv2int" => BitOperation::ToInt,
            "sbv_to_int" => BitOperation::ToSigned,
            "concat" => BitOperation::Concat,
            "bvnot" => BitOperation::Not,
            "bvneg" => BitOperation::Negate,
            "bvadd" => BitOperation::Add,
            "bvsub" => BitOperation::Subtract,
            "bvmul" => BitOperation::Multiply,
            "bvand" => BitOperation::And,
            "bvor" => BitOperation::Or,
            "bvxor" => BitOperation::Xor,
            "bvudiv" => BitOperation::Quotient,
            "bvurem" => BitOperation::Remainder,
            "bvshl" => BitOperation::ShiftLeft,
            "bvlshr" => BitOperation::ShiftRight,
            "bvashr" => BitOperation::ShiftRightSigned,
            "bvult" => compare(false, true, false),
            "bvule" => compare(false, false, false),
            "bvugt" => compare(false, true, true),
            "bvuge" => compare(false, false, true),
            "bvslt" => compare(true, true, false),
            "bvsle" => compare(true, false, false),
            "bvsgt" => compare(true, true, true),
            "bvsge" => compare(true, false, true),
            _ => return None,
        })
    }

    /// The operation with this symbol and these indices.
    fn indexed(symbol: &str, indices: &[u32]) -> Option<BitOperation> {
        match (symbol, indices) {
            ("int_to_bv" | "int2bv" | "nat2bv", &[width]) if width > 0 => Some(BitOperation::FromInt(width)),
            ("extract", &[high, low]) if low <= high => Some(BitOperation::Extract { high, low }),
            ("zero_extend", &[by]) => Some(BitOperation::ZeroExtend(by)),
            ("sign_extend", &[by]) => Some(BitOperation::SignExtend(by)),
            _ => None,
        }
    }
}

/// The records for the widths that were met.
#[derive(Clone, Debug, Default)]
pub(super) struct BitVectors {
    records: Vec<Record>,
    /// Whether the common bits of any two terms may be an application of the symbol, which is made when it is needed.
    pub(super) keeps_common_bits: bool,
    common_bits: Option<Symbol>,
}

/// The record for a width.
#[derive(Clone, Copy, Debug)]
struct Record {
    width: u32,
    sort: Sort,
    constructor: Symbol,
    value: Symbol,
}

impl BitVectors {
    fn record(&mut self, store: &mut Store, width: u32) -> Result<Record, ArgumentError> {
        if let Some(record) = self.records.iter().find(|record| record.width == width) {
            return Ok(*record);
        }
        if width > MAX_WIDTH {
            let message = format!("bit-vectors have at most {MAX_WIDTH} bits");
            return Err(ArgumentError::new(ErrorKind::Unsupported, None, message));
        }
        let name = format!("(_ BitVec {width})");
        let fields = vec![(format!("{name} value"), Sort::Int.into())];
        let constructor = ConstructorDeclaration { name: format!("{name} bits"), fields, qualified: false };
        let declaration = DatatypeDeclaration { name, constructors: vec![constructor] };
        let declared = store.declare_datatypes(&[declaration]).ok().and_then(|sorts| sorts.first().copied());
        let Some(sort @ Sort::Datatype(id)) = declared else {
            return Err(ArgumentError::new(ErrorKind::Unsupported, None, "too many sorts"));
        };
        let constructor = &store.datatype(id).constructors()[0];
        let record = Record { width, sort, constructor: constructor.symbol, value: constructor.selectors[0] };
        self.records.push(record);
        Ok(record)
    }

    /// The record of a term, if it is a bit-vector.
    fn of(&self, store: &Store, term: Term) -> Option<Record> {
        let sort = store.sort(term);
        self.records.iter().copied().find(|record| record.sort == sort)
    }

    /// Opens the arguments of an equality or conditional if they are bit-vectors of one width, which is given back.
    pub(super) fn open_all(&self, store: &mut Store, args: &mut [Term]) -> Option<u32> {
        if self.records.is_empty() {
            return None;
        }
        let record = self.of(store, *args.first()?)?;
        if args.iter().any(|&arg| store.sort(arg) != record.sort) {
            return None;
        }
        for arg in args {
            *arg = store.select_field(record.value, *arg);
        }
        Some(record.width)
    }

    /// The bit-vector of an integer in the range of the width.
    pub(super) fn close(
        &mut self,
        store: &mut Store,
        width: u32,
        value: Term,
    ) -> Result<Term, ArgumentError> {
        let record = self.record(store, width)?;
        Ok(store.construct(record.constructor, &[value]))
    }

    /// The application of an operation.
    pub(super) fn apply(
        &mut self,
        store: &mut Store,
        operation: BitOperation,
        args: &[Term],
    ) -> Result<Term, ArgumentError> {
        use BitOperation as Op;
        let (least, most, words) = match operation {
            Op::FromInt(_) | Op::ToInt | Op::ToSigned | Op::Extract { .. } => (1, 1, "one argument"),
            Op::ZeroExtend(_) | Op::SignExtend(_) | Op::Not | Op::Negate => (1, 1, "one argument"),
            Op::Add | Op::Multiply | Op::And | Op::Or | Op::Xor | Op::Concat => {
                (2, usize::MAX, "at least two arguments")
            }
            _ => (2, 2, "two arguments"),
        };
        if !(least..=most).contains(&args.len()) {
            return Err(ArgumentError::arity("the operation on bit-vectors", words, args.len()));
        }
        if let Op::FromInt(width) = operation {
            if store.sort(args[0]) != Sort::Int {
                return Err(ArgumentError::sort(store, Some(0), "Int", store.sort(args[0])));
            }
            let value = store.int_mod(args[0], &power(width));
            return self.close(store, width, value);
        }
        let mut values = Vec::with_capacity(args.len());
        let mut widths = Vec::with_capacity(args.len());
        for (position, &arg) in args.iter().enumerate() {
            let Some(record) = self.of(store, arg) else {
                return Err(ArgumentError::sort(store, Some(position), "(_ BitVec n)", store.sort(arg)));
            };
            values.push(store.select_field(record.value, arg));
            widths.push(record.width);
        }
        let width = widths[0];
        if operation != Op::Concat && widths.iter().any(|&other| other != width) {
            let message = "the bit-vectors have different widths";
            return Err(ArgumentError::new(ErrorKind::IllSorted, None, message));
        }
        let modulus = power(width);
        let (first, second) = (values[0], values.get(1).copied().unwrap_or(values[0]));
        let value = match operation {
            Op::ToInt => return Ok(first),
            Op::ToSigned => return Ok(signed(store, width, first)),
            Op::Compare { signed: with_sign, strict, swapped } => {
                let [mut left, mut right] = [first, second];
                if with_sign {
                    [left, right] = [left, right].map(|value| signed(store, width, value));
                }
                let (low, high) = if swapped { (right, left) } else { (left, right) };
                return Ok(if strict { store.lt(low, high) } else { store.le(low, high) });
            }
            Op::Extract { high, low } => {
                if high >= width {
                    let message = format!("there are {width} bits only");
                    return Err(ArgumentError::new(ErrorKind::IllSorted, None, message));
                }
                let shifted = store.int_div(first, &power(low));
                let value = store.int_mod(shifted, &power(high - low + 1));
                return self.close(store, high - low + 1, value);
            }
            Op::ZeroExtend(by) => return self.close(store, wider(width, by)?, first),
            Op::SignExtend(by) => {
                let width_after = wider(width, by)?;
                let value = signed(store, width, first);
                let value = store.int_mod(value, &power(width_after));
                return self.close(store, width_after, value);
            }
            Op::Concat => {
                let (mut width, mut value) = (width, first);
                for (&next, &bits) in values.iter().zip(&widths).skip(1) {
                    width = wider(width, bits)?;
                    let shifted = store.scale(&Rat::from(power(bits)), value);
                    value = store.add(&[shifted, next]);
                }
                return self.close(store, width, value);
            }
            Op::Not => {
                let negative = store.neg(first);
                let all = store.int(&modulus - &Int::ONE);
                store.add(&[all, negative])
            }
            Op::Negate => {
                let value = store.neg(first);
                store.int_mod(value, &modulus)
            }
            Op::Add => {
                let value = store.add(&values);
                store.int_mod(value, &modulus)
            }
            Op::Subtract => {
                let value = store.sub(first, second);
                store.int_mod(value, &modulus)
            }
            Op::Multiply => {
                let value = store.product(&values);
                store.int_mod(value, &modulus)
            }
            Op::And | Op::Or | Op::Xor => {
                let mut value = first;
                for &next in &values[1..] {
                    let common = self.conjunction(store, width, value, next)?;
                    value = match operation {
                        Op::And => common,
                        // The sum counts common bits twice; an exclusive disjunction has none of them.
                        _ => {
                            let times = if operation == Op::Or { -1 } else { -2 };
                            let common = store.scale(&Rat::from(times), common);
                            store.add(&[value, next, common])
                        }
                    };
                }
                value
            }
            Op::Quotient | Op::Remainder => {
                let zero = store.int(0);
                let by_zero = store.eq(second, zero);
                let (default, value) = if operation == Op::Quotient {
                    (store.int(&modulus - &Int::ONE), store.int_quotient(first, second))
                } else {
                    (first, store.remainder(first, second))
                };
                store.ite(by_zero, default, value)
            }
            Op::ShiftLeft | Op::ShiftRight | Op::ShiftRightSigned => {
                shift(store, operation, width, first, second)
            }
            Op::FromInt(_) => unreachable!("done above"),
        };
        self.close(store, width, value)
    }

    /// The bits that two values of this width have in common.
    fn conjunction(
        &mut self,
        store: &mut Store,
        width: u32,
        a: Term,
        b: Term,
    ) -> Result<Term, ArgumentError> {
        if a == b {
            return Ok(a);
        }
        match (store.as_num(a).map(Rat::numer), store.as_num(b).map(Rat::numer)) {
            (Some(mask), _) => Ok(masked(store, &mask, b)),
            (_, Some(mask)) => Ok(masked(store, &mask, a)),
            _ if width <= WRITTEN_OUT => {
                let (zero, one) = (store.int(0), store.int(1));
                let mut parts = vec![zero];
                for at in 0..width {
                    let [a, b] = [a, b].map(|value| {
                        let bit = store.int_div(value, &power(at));
                        let bit = store.int_mod(bit, &Int::from(2));
                        store.eq(bit, one)
                    });
                    let (both, weight) = (store.and2(a, b), store.int(power(at)));
                    parts.push(store.ite(both, weight, zero));
                }
                Ok(store.add(&parts))
            }
            _ if self.keeps_common_bits => {
                let declare = || store.declare("bvand", &[Sort::Int, Sort::Int], Sort::Int);
                let symbol = *self.common_bits.get_or_insert_with(declare);
                Ok(store.apply(symbol, &[a, b]))
            }
            _ => {
                let message = "operations on single bits need an argument that is a number";
                Err(ArgumentError::new(ErrorKind::Unsupported, None, message))
            }
        }
    }
}

/// 2 to the power of the exponent.
fn power(exponent: u32) -> Int {
    Int::from(2).pow(exponent)
}

/// The width with some more bits.
fn wider(width: u32, by: u32) -> Result<u32, ArgumentError> {
    width.checked_add(by).filter(|&width| width <= MAX_WIDTH).ok_or_else(|| {
        let message = format!("bit-vectors have at most {MAX_WIDTH} bits");
        ArgumentError::new(ErrorKind::Unsupported, None, message)
    })
}

/// The value with the first bit as its sign.
fn signed(store: &mut Store, width: u32, value: Term) -> Term {
    let half = store.int(power(width - 1));
    let negative = store.ge(value, half);
    let whole = store.int(power(width));
    let below = store.sub(value, whole);
    store.ite(negative, below, value)
}

/// The bits that a number and a value have in common.
pub fn masked(store: &mut Store, mask: &Int, value: Term) -> Term {
    // Each run of ones of the mask is a part of the value.
    let mut parts = vec![store.int(0)];
    let bits = u32::try_from(mask.bits()).unwrap_or(MAX_WIDTH);
    let is_set = |at: u32| at < bits && !(mask.div_floor(&power(at))).is_even();
    let mut at = 0;
    while at < bits {
        if !is_set(at) {
            at += 1;
            continue;
        }
        let low = at;
        while is_set(at) {
            at += 1;
        }
        let part = store.int_div(value, &power(low));
        let part = store.int_mod(part, &power(at - low));
        parts.push(store.scale(&Rat::from(power(low)), part));
    }
    store.add(&parts)
}

/// A value shifted by a distance.
fn shift(store: &mut Store, operation: BitOperation, width: u32, value: Term, distance: Term) -> Term {
    let modulus = power(width);
    let by = |store: &mut Store, distance: u32| match operation {
        BitOperation::ShiftLeft => {
            let value = store.scale(&Rat::from(power(distance)), value);
            store.int_mod(value, &modulus)
        }
        BitOperation::ShiftRight => store.int_div(value, &power(distance)),
        _ => {
            let value = signed(store, width, value);
            let value = store.int_div(value, &power(distance));
            store.int_mod(value, &modulus)
        }
    };
    // A signed number keeps its sign, however far it is shifted.
    let far = if operation == BitOperation::ShiftRightSigned { by(store, width) } else { store.int(0) };
    if let Some(number) = store.as_num(distance) {
        let near = number.numer().to_i64().and_then(|number| u32::try_from(number).ok());
        return match near.filter(|&distance| distance < width) {
            Some(distance) => by(store, distance),
            None => far,
        };
    }
    // Bit by bit of the distance: quotients by powers of two are taken one after the other.
    let mut result = match operation {
        BitOperation::ShiftRightSigned => signed(store, width, value),
        _ => value,
    };
    let mut step = 1;
    let mut bits = distance;
    while step < width {
        let bit = store.int_mod(bits, &Int::from(2));
        bits = store.int_div(bits, &Int::from(2));
        let one = store.int(1);
        let is_set = store.eq(bit, one);
        let shifted = match operation {
            BitOperation::ShiftLeft => {
                let shifted = store.scale(&Rat::from(power(step)), result);
                store.int_mod(shifted, &modulus)
            }
            _ => store.int_div(result, &power(step)),
        };
        result = store.ite(is_set, shifted, result);
        step *= 2;
    }
    let result = store.int_mod(result, &modulus);
    let limit = store.int(width);
    let is_near = store.lt(distance, limit);
    store.ite(is_near, result, far)
}

impl Reader {
    /// The symbol that stands for the common bits of two integers that are not negative, if it was needed: only for
    /// readers that [keep common bits](Reader::set_keeps_common_bits).
    pub fn common_bits(&self) -> Option<Symbol> {
        self.bit_vectors.common_bits
    }

    /// The bit-vector that a literal stands for.
    pub(super) fn bit_literal(
        &mut self,
        lexer: &Lexer<'_>,
        store: &mut Store,
        token: Token,
    ) -> Result<Term, ReadError> {
        let text = lexer.slice(token.span());
        let (digits, bits) = (&text[2..], if token.kind == TokenKind::Binary { 1 } else { 4 });
        let base = Int::from(1_i64 << bits);
        let mut value = Int::ZERO;
        for digit in digits.chars() {
            let digit = digit.to_digit(1 << bits).unwrap_or(0);
            value = &(&value * &base) + &Int::from(i64::from(digit));
        }
        let width = u32::try_from(digits.len()).unwrap_or(u32::MAX).saturating_mul(bits);
        let value = store.int(value);
        let result = self.bit_vectors.close(store, width, value);
        result.map_err(|error| ReadError::new(error.kind, token.span(), error.message))
    }

    /// `(_ bvN w)`, after the identifier: the bit-vector, if it is one.
    pub(super) fn bit_constant(
        &mut self,
        lexer: &mut Lexer<'_>,
        store: &mut Store,
        identifier: Token,
    ) -> Result<Option<Term>, ReadError> {
        let digits = match lexer.slice(identifier.span()).strip_prefix("bv") {
            Some(digits) if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) => digits,
            _ => return Ok(None),
        };
        let Ok(value) = digits.parse::<Int>() else { return Ok(None) };
        let indices = self.bit_indices(lexer)?;
        let Some(width) = indices.first().copied().filter(|&width| width > 0 && indices.len() == 1) else {
            let message = "a bit-vector needs a width";
            return Err(ReadError::new(ErrorKind::IllSorted, identifier.span(), message));
        };
        let value = store.int(value);
        let value = store.int_mod(value, &power(width));
        let result = self.bit_vectors.close(store, width, value);
        result.map(Some).map_err(|error| ReadError::new(error.kind, identifier.span(), error.message))
    }

    /// The operation with this symbol and the indices that follow, if there is one with this symbol.
    pub(super) fn bit_operation(
        &mut self,
        lexer: &mut Lexer<'_>,
        identifier: Token,
    ) -> Result<Option<BitOperation>, ReadError> {
        let symbol = lexer.slice(identifier.span()).to_owned();
        let known = ["int_to_bv", "int2bv", "nat2bv", "extract", "zero_extend", "sign_extend"];
        if !known.contains(&symbol.as_str()) {
            return Ok(None);
        }
        let indices = self.bit_indices(lexer)?;
        let Some(operation) = BitOperation::indexed(&symbol, &indices) else {
            let message = format!("these are no indices of {symbol}");
            return Err(ReadError::new(ErrorKind::IllSorted, identifier.span(), message));
        };
        Ok(Some(operation))
    }

    /// The numerals up to a closing parenthesis.
    fn bit_indices(&self, lexer: &mut Lexer<'_>) -> Result<Vec<u32>, ReadError> {
        let mut indices = Vec::new();
        while lexer.peek().kind == TokenKind::Numeral {
            let token = lexer.next_token();
            let index = lexer.slice(token.span()).parse();
            indices.push(index.map_err(|_| unexpected(lexer, token, "a small numeral"))?);
        }
        expect_close(lexer)?;
        Ok(indices)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(store: &mut Store, reader: &mut Reader, text: &str) -> Term {
        let mut lexer = Lexer::new(text).expect("a short text");
        reader.read_term(&mut lexer, store).unwrap_or_else(|error| panic!("{text}: {}", error.message))
    }

    /// All operations on all values of three bits, by what they do to the bits.
    #[test]
    fn operations_are_those_on_bits() {
        let (mut store, mut reader) = (Store::new(), Reader::new());
        let signed = |bits: u32| i64::from(bits) - if bits >= 4 { 8 } else { 0 };
        for a in 0..8_u32 {
            for b in 0..8_u32 {
                let by = b.min(3);
                let expected = [
                    ("bvadd", (a + b) % 8),
                    ("bvsub", (8 + a - b) % 8),
                    ("bvmul", (a * b) % 8),
                    ("bvand", a & b),
                    ("bvor", a | b),
                    ("bvxor", a ^ b),
                    ("bvudiv", a.checked_div(b).unwrap_or(7)),
                    ("bvurem", a.checked_rem(b).unwrap_or(a)),
                    ("bvshl", (a << by) % 8),
                    ("bvlshr", a >> by),
                    ("bvashr", ((signed(a) >> by) & 7) as u32),
                ];
                for (symbol, value) in expected {
                    let text = format!("(= ({symbol} #b{a:03b} (_ bv{b} 3)) #b{value:03b})");
                    assert_eq!(read(&mut store, &mut reader, &text), Term::TRUE, "{text}");
                }
                for (symbol, holds) in [
                    ("bvult", a < b),
                    ("bvuge", a >= b),
                    ("bvsle", signed(a) <= signed(b)),
                    ("bvsgt", signed(a) > signed(b)),
                ] {
                    let text = format!("(= ({symbol} #b{a:03b} #b{b:03b}) {holds})");
                    assert_eq!(read(&mut store, &mut reader, &text), Term::TRUE, "{text}");
                }
            }
            for text in [
                format!("(= (bvnot #b{a:03b}) #b{:03b})", 7 - a),
                format!("(= (bvneg #b{a:03b}) #b{:03b})", (8 - a) % 8),
                format!("(= ((_ extract 2 1) #b{a:03b}) #b{:02b})", a >> 1),
                format!("(= ((_ sign_extend 1) #b{a:03b}) #b{:04b})", signed(a) & 15),
                format!("(= ((_ zero_extend 1) #b{a:03b}) (concat #b0 #b{a:03b}))"),
                format!("(= (+ (sbv_to_int #b{a:03b}) 8) {})", signed(a) + 8),
                format!("(= (ubv_to_int ((_ int_to_bv 3) (- {a}))) {})", (8 - a) % 8),
                format!("(distinct (ite true #b{a:03b} #b000) #b{:03b})", (a + 1) % 8),
            ] {
                assert_eq!(read(&mut store, &mut reader, &text), Term::TRUE, "{text}");
            }
        }
    }

    /// A shift by a variable has the values of the shifts by numbers.
    #[test]
    fn shifts_by_terms() {
        let (mut store, mut reader) = (Store::new(), Reader::new());
        let text =
            "(exists ((x Int) (y Int)) (= (ubv_to_int (bvashr ((_ int_to_bv 4) x) ((_ int_to_bv 4) y))) 15))";
        let formula = read(&mut store, &mut reader, text);
        let crate::View::Forall(variables, body) = store.view(formula) else { panic!("a quantifier") };
        let (variables, body) = (variables.to_vec(), body);
        for x in 0..16_i64 {
            for y in 0..16_i64 {
                let number = |n: i64| Some(crate::Value::Num(Rat::from(n)));
                let value = |symbol: Symbol| {
                    let place = variables.iter().position(|&v| store.as_var(v) == Some(symbol))?;
                    number([x, y][place])
                };
                // The body of the negated quantifier is negated.
                let holds = store.evaluate(!body, &value).and_then(|value| value.as_bool());
                let signed = if x >= 8 { x - 16 } else { x };
                assert_eq!(holds, Some(signed >> y.min(4) & 15 == 15), "{x} {y}");
            }
        }
    }
}
