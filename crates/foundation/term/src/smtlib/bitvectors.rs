//! Reading bit-vectors: sorts, literals, and all operations of SMT-LIB 2.7 with the older names and those that z3 prints.
//!
//! As long as the solver does not know bit-vectors, a reader takes them between integers only, and gives them back as
//! integers; see [`Reader::set_bit_vectors`].

use rustc_hash::FxHashMap;
use shem_base::{BitVec, Int};

use super::apply::ArgumentError;
use super::error::{ErrorKind, ReadError, Span};
use super::expect::{expect_close, unexpected};
use super::lexer::{Lexer, Token, TokenKind};
use super::reader::Reader;
use crate::bits_as_integers::CommonBits;
use crate::{MAX_WIDTH, Sort, Store, Symbol, Term};

/// How an operation without indices is applied.
#[derive(Clone, Copy)]
enum Shape {
    /// To one bit-vector.
    One(fn(&mut Store, Term) -> Term),
    /// To two of one width.
    Two(fn(&mut Store, Term, Term) -> Term),
    /// To two of one width, by way of twice the width.
    TwoWide(fn(&mut Store, Term, Term) -> Term),
    /// To at least two of one width.
    Many(fn(&mut Store, &[Term]) -> Term),
    /// To at least two of any width.
    Concat,
}

/// The operations without indices.
const NAMED: [(&str, Shape); 63] = [
    ("concat", Shape::Concat),
    ("bvnot", Shape::One(Store::bv_not)),
    ("bvneg", Shape::One(Store::bv_neg)),
    ("bvadd", Shape::Many(Store::bv_add)),
    ("bvsub", Shape::Two(Store::bv_sub)),
    ("bvmul", Shape::Many(Store::bv_mul)),
    ("bvand", Shape::Many(Store::bv_and)),
    ("bvor", Shape::Many(Store::bv_or)),
    ("bvxor", Shape::Many(Store::bv_xor)),
    ("bvnand", Shape::Two(Store::bv_nand)),
    ("bvnor", Shape::Two(Store::bv_nor)),
    ("bvxnor", Shape::Two(Store::bv_xnor)),
    ("bvudiv", Shape::Two(Store::bv_udiv)),
    ("bvurem", Shape::Two(Store::bv_urem)),
    ("bvsdiv", Shape::Two(Store::bv_sdiv)),
    ("bvsrem", Shape::Two(Store::bv_srem)),
    ("bvsmod", Shape::Two(Store::bv_smod)),
    // z3 prints these where it knows that the divisor is not zero.
    ("bvudiv_i", Shape::Two(Store::bv_udiv)),
    ("bvurem_i", Shape::Two(Store::bv_urem)),
    ("bvsdiv_i", Shape::Two(Store::bv_sdiv)),
    ("bvsrem_i", Shape::Two(Store::bv_srem)),
    ("bvsmod_i", Shape::Two(Store::bv_smod)),
    // z3 prints these where the divisor is zero.
    ("bvudiv0", Shape::One(|store, a| by_zero(store, a, Store::bv_udiv))),
    ("bvurem0", Shape::One(|store, a| by_zero(store, a, Store::bv_urem))),
    ("bvsdiv0", Shape::One(|store, a| by_zero(store, a, Store::bv_sdiv))),
    ("bvsrem0", Shape::One(|store, a| by_zero(store, a, Store::bv_srem))),
    ("bvsmod0", Shape::One(|store, a| by_zero(store, a, Store::bv_smod))),
    ("bvshl", Shape::Two(Store::bv_shl)),
    ("bvlshr", Shape::Two(Store::bv_lshr)),
    ("bvashr", Shape::Two(Store::bv_ashr)),
    ("ext_rotate_left", Shape::Two(|store, a, b| store.bv_rotate_by(true, a, b))),
    ("ext_rotate_right", Shape::Two(|store, a, b| store.bv_rotate_by(false, a, b))),
    ("bvcomp", Shape::Two(Store::bv_comp)),
    ("bvredor", Shape::One(|store, a| reduction(store, a, false))),
    ("bvredand", Shape::One(|store, a| reduction(store, a, true))),
    ("bvult", Shape::Two(Store::bv_ult)),
    ("bvule", Shape::Two(Store::bv_ule)),
    ("bvugt", Shape::Two(|store, a, b| store.bv_ult(b, a))),
    ("bvuge", Shape::Two(|store, a, b| store.bv_ule(b, a))),
    ("bvslt", Shape::Two(Store::bv_slt)),
    ("bvsle", Shape::Two(Store::bv_sle)),
    ("bvsgt", Shape::Two(|store, a, b| store.bv_slt(b, a))),
    ("bvsge", Shape::Two(|store, a, b| store.bv_sle(b, a))),
    ("bvnego", Shape::One(Store::bv_nego)),
    ("bvuaddo", Shape::Two(Store::bv_uaddo)),
    ("bvsaddo", Shape::Two(Store::bv_saddo)),
    ("bvumulo", Shape::TwoWide(Store::bv_umulo)),
    ("bvsmulo", Shape::TwoWide(Store::bv_smulo)),
    ("bvusubo", Shape::Two(Store::bv_usubo)),
    ("bvssubo", Shape::Two(Store::bv_ssubo)),
    ("bvsdivo", Shape::Two(Store::bv_sdivo)),
    // The older names that z3 has for the same.
    ("bvneg_overflow", Shape::One(Store::bv_nego)),
    ("bvuadd_overflow", Shape::Two(Store::bv_uaddo)),
    ("bvsadd_overflow", Shape::Two(Store::bv_saddo)),
    ("bvumul_overflow", Shape::TwoWide(Store::bv_umulo)),
    ("bvumul_noovfl", Shape::TwoWide(|store, a, b| !store.bv_umulo(a, b))),
    ("bvusub_underflow", Shape::Two(Store::bv_usubo)),
    ("bvssub_overflow", Shape::Two(Store::bv_ssubo)),
    ("bvsdiv_overflow", Shape::Two(Store::bv_sdivo)),
    ("ubv_to_int", Shape::One(Store::bv_to_int)),
    ("bv2nat", Shape::One(Store::bv_to_int)),
    ("bv2int", Shape::One(Store::bv_to_int)),
    ("sbv_to_int", Shape::One(Store::bv_to_signed_int)),
];

/// A quotient or remainder by zero.
fn by_zero(store: &mut Store, a: Term, divide: fn(&mut Store, Term, Term) -> Term) -> Term {
    let zero = store.bit_vector(&BitVec::zero(store.width(a)));
    divide(store, a, zero)
}

/// One bit: whether all bits are one, or whether one of them is.
fn reduction(store: &mut Store, a: Term, all: bool) -> Term {
    let width = store.width(a);
    let constant = if all { BitVec::ones(width) } else { BitVec::zero(width) };
    let constant = store.bit_vector(&constant);
    let bit = store.bv_comp(a, constant);
    if all { bit } else { store.bv_not(bit) }
}

/// An operation on bit-vectors as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BitOperation {
    /// The place among the operations without indices.
    Named(u8),
    FromInt(u32),
    Extract {
        high: u32,
        low: u32,
    },
    ZeroExtend(u32),
    SignExtend(u32),
    RotateLeft(u32),
    RotateRight(u32),
    Repeat(u32),
    /// z3's name for a bit as a truth value.
    Bit(u32),
}

impl BitOperation {
    /// The operation with this symbol.
    pub(super) fn named(symbol: &str) -> Option<BitOperation> {
        let at = NAMED.iter().position(|(name, _)| *name == symbol)?;
        Some(BitOperation::Named(at as u8))
    }

    /// The operation with this symbol and these indices; an error about them, if it is one with indices.
    fn indexed(symbol: &str, indices: &[u32]) -> Option<Result<BitOperation, String>> {
        let one = |make: fn(u32) -> BitOperation| match indices {
            &[index] => Ok(make(index)),
            _ => Err(format!("{symbol} takes one index")),
        };
        Some(match symbol {
            "int_to_bv" | "int2bv" | "nat2bv" => {
                one(BitOperation::FromInt).and_then(|operation| check_width(indices[0]).map(|()| operation))
            }
            "extract" => match *indices {
                [high, low] if low <= high => Ok(BitOperation::Extract { high, low }),
                [high, low] => {
                    Err(format!("the first index of extract is less than the second: {high} < {low}"))
                }
                _ => Err("extract takes two indices".to_owned()),
            },
            "zero_extend" => one(BitOperation::ZeroExtend),
            "sign_extend" => one(BitOperation::SignExtend),
            "rotate_left" => one(BitOperation::RotateLeft),
            "rotate_right" => one(BitOperation::RotateRight),
            "repeat" if indices == [0] => Err("a repetition is at least one".to_owned()),
            "repeat" => one(BitOperation::Repeat),
            "bit2bool" => one(BitOperation::Bit),
            _ => return None,
        })
    }

    fn name(self) -> &'static str {
        match self {
            BitOperation::Named(at) => NAMED[usize::from(at)].0,
            BitOperation::FromInt(_) => "int_to_bv",
            BitOperation::Extract { .. } => "extract",
            BitOperation::ZeroExtend(_) => "zero_extend",
            BitOperation::SignExtend(_) => "sign_extend",
            BitOperation::RotateLeft(_) => "rotate_left",
            BitOperation::RotateRight(_) => "rotate_right",
            BitOperation::Repeat(_) => "repeat",
            BitOperation::Bit(_) => "bit2bool",
        }
    }

    /// The application of the operation.
    pub(super) fn apply(self, store: &mut Store, args: &[Term]) -> Result<Term, ArgumentError> {
        let shape = match self {
            BitOperation::Named(at) => Some(NAMED[usize::from(at)].1),
            _ => None,
        };
        let (most, words) = match shape {
            Some(Shape::Two(_) | Shape::TwoWide(_)) => (2, "two arguments"),
            Some(Shape::Many(_) | Shape::Concat) => (usize::MAX, "at least two arguments"),
            Some(Shape::One(_)) | None => (1, "one argument"),
        };
        if !(most.min(2)..=most).contains(&args.len()) {
            return Err(ArgumentError::arity(self.name(), words, args.len()));
        }
        if let BitOperation::FromInt(width) = self {
            return match store.sort(args[0]) {
                Sort::Int => Ok(store.int_to_bv(width, args[0])),
                other => Err(ArgumentError::sort(store, Some(0), "Int", other)),
            };
        }
        let mut widths = Vec::with_capacity(args.len());
        for (position, &arg) in args.iter().enumerate() {
            let Some(width) = store.sort(arg).bit_width() else {
                return Err(ArgumentError::sort(store, Some(position), "(_ BitVec n)", store.sort(arg)));
            };
            widths.push(width);
        }
        let width = widths[0];
        if !matches!(shape, Some(Shape::Concat))
            && let Some(other) = widths.iter().position(|&other| other != width)
        {
            let expected = format!("(_ BitVec {width})");
            return Err(ArgumentError::sort(store, Some(other), &expected, store.sort(args[other])));
        }
        let fitting = |width: Option<u32>| match width {
            Some(width) if width <= MAX_WIDTH => Ok(()),
            _ => Err(ArgumentError::new(ErrorKind::Unsupported, None, too_wide())),
        };
        let inside = |place: u32| match place < width {
            true => Ok(()),
            false => {
                let message = format!("bit {place} of a term with {width} bits, which are numbered from 0");
                Err(ArgumentError::new(ErrorKind::IllSorted, None, message))
            }
        };
        let term = args[0];
        Ok(match (shape, self) {
            (Some(Shape::One(build)), _) => build(store, term),
            (Some(Shape::Two(build)), _) => build(store, term, args[1]),
            (Some(Shape::TwoWide(build)), _) => {
                fitting(width.checked_mul(2))?;
                build(store, term, args[1])
            }
            (Some(Shape::Many(build)), _) => build(store, args),
            (Some(Shape::Concat), _) => {
                fitting(widths.iter().try_fold(0_u32, |sum, &width| sum.checked_add(width)))?;
                store.bv_concat_all(args)
            }
            (None, BitOperation::Extract { high, low }) => {
                inside(high)?;
                store.bv_extract(high, low, term)
            }
            (None, BitOperation::ZeroExtend(by)) => {
                fitting(width.checked_add(by))?;
                store.bv_zero_extend(by, term)
            }
            (None, BitOperation::SignExtend(by)) => {
                fitting(width.checked_add(by))?;
                store.bv_sign_extend(by, term)
            }
            (None, BitOperation::RotateLeft(by)) => store.bv_rotate_left(by, term),
            (None, BitOperation::RotateRight(by)) => store.bv_rotate_right(by, term),
            (None, BitOperation::Repeat(times)) => {
                fitting(width.checked_mul(times))?;
                store.bv_repeat(times, term)
            }
            (None, BitOperation::Bit(place)) => {
                inside(place)?;
                let bit = store.bv_extract(place, place, term);
                let one = store.bit_vector(&BitVec::new(1, 1));
                store.eq(bit, one)
            }
            (None, BitOperation::Named(_) | BitOperation::FromInt(_)) => unreachable!("done above"),
        })
    }
}

/// The application of an operation on bit-vectors, by its name in SMT-LIB and its indices.
///
/// # Errors
/// In words, if there is no such operation, or the indices or arguments do not fit it.
pub fn apply_bit_operation(
    store: &mut Store,
    name: &str,
    indices: &[u32],
    args: &[Term],
) -> Result<Term, String> {
    let operation = match BitOperation::named(name).filter(|_| indices.is_empty()) {
        Some(operation) => operation,
        None => BitOperation::indexed(name, indices)
            .ok_or_else(|| format!("there is no operation {name} with {} indices", indices.len()))??,
    };
    operation.apply(store, args).map_err(|error| match error.argument {
        Some(at) => format!("argument {} of {name}: {}", at + 1, error.message),
        None => error.message,
    })
}

fn too_wide() -> String {
    format!("bit-vectors have at most {MAX_WIDTH} bits")
}

fn check_width(width: u32) -> Result<(), String> {
    match width {
        0 => Err("a bit-vector has at least one bit".to_owned()),
        _ if width > MAX_WIDTH => Err(too_wide()),
        _ => Ok(()),
    }
}

impl Reader {
    /// Says whether there may be variables that are bit-vectors. Otherwise, which is the default, what is converted from
    /// integers and back is read as integers. A reader that [keeps common bits](Reader::set_keeps_common_bits) reads it
    /// so where no such variables are in the way.
    pub fn set_bit_vectors(&mut self, whole: bool) {
        self.bit_vectors = whole;
    }

    /// The symbol that stands for the common bits of two integers that are not negative, if it was needed: only for
    /// readers that [keep common bits](Reader::set_keeps_common_bits).
    pub fn common_bits(&self) -> Option<Symbol> {
        match self.common_bits {
            CommonBits::Kept(symbol) => symbol,
            CommonBits::Refused => None,
        }
    }

    /// A term for the solver: without bit-vectors, unless they are to be kept or have to be.
    pub(super) fn settle_bits(
        &mut self,
        store: &mut Store,
        term: Term,
        span: Span,
    ) -> Result<Term, ReadError> {
        if !store.has_bit_vectors() || (self.bit_vectors && self.common_bits == CommonBits::Refused) {
            return Ok(term);
        }
        match store.bits_as_integers(term, &FxHashMap::default(), &mut self.common_bits) {
            Ok(term) => Ok(term),
            Err(_) if self.bit_vectors => Ok(term),
            Err(message) => Err(ReadError::new(ErrorKind::Unsupported, span, message)),
        }
    }

    /// `(_ BitVec n)`, after the `_`.
    pub(super) fn indexed_sort(&self, lexer: &mut Lexer<'_>) -> Result<Sort, ReadError> {
        let token = lexer.next_token();
        let name = lexer.slice(token.span());
        if name != "BitVec" || !self.bit_vectors {
            let message = format!("the sort {name} is not supported yet");
            return Err(ReadError::new(ErrorKind::Unsupported, token.span(), message));
        }
        let (indices, span) = self.bit_indices(lexer)?;
        let [width] = indices[..] else {
            return Err(ReadError::new(ErrorKind::IllSorted, span, "BitVec takes one index"));
        };
        check_width(width).map_err(|message| width_error(width, span, message))?;
        Sort::bit_vec(width).ok_or_else(|| width_error(width, span, too_wide()))
    }

    /// The bit-vector that a literal stands for.
    pub(super) fn bit_literal(
        &mut self,
        lexer: &Lexer<'_>,
        store: &mut Store,
        token: Token,
    ) -> Result<Term, ReadError> {
        let text = lexer.slice(token.span());
        let bits = if token.kind == TokenKind::Binary { 1 } else { 4 };
        // Not before the limit is kept: the digits may be millions.
        let fits = (text.len() - 2).saturating_mul(bits as usize) <= MAX_WIDTH as usize;
        match fits.then(|| BitVec::from_digits(&text[2..], bits)).flatten() {
            Some(value) => Ok(store.bit_vector(&value)),
            None => Err(ReadError::new(ErrorKind::Unsupported, token.span(), too_wide())),
        }
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
        let Ok(number) = digits.parse::<Int>() else { return Ok(None) };
        let (indices, span) = self.bit_indices(lexer)?;
        let [width] = indices[..] else {
            let message = "a bit-vector needs a width";
            return Err(ReadError::new(ErrorKind::IllSorted, identifier.span(), message));
        };
        check_width(width).map_err(|message| width_error(width, span, message))?;
        if number.bits() > u64::from(width) {
            let message = format!("the number does not fit {width} bits");
            return Err(ReadError::new(ErrorKind::IllSorted, identifier.span(), message));
        }
        Ok(Some(store.bit_vector(&BitVec::from_int(width, &number))))
    }

    /// The operation with this symbol and the indices that follow, if there is one with this symbol.
    pub(super) fn bit_operation(
        &mut self,
        lexer: &mut Lexer<'_>,
        identifier: Token,
    ) -> Result<Option<BitOperation>, ReadError> {
        let symbol = lexer.slice(identifier.span()).to_owned();
        if BitOperation::indexed(&symbol, &[]).is_none() {
            return Ok(None);
        }
        let (indices, span) = self.bit_indices(lexer)?;
        match BitOperation::indexed(&symbol, &indices) {
            Some(Err(message)) => Err(width_error(indices.first().copied().unwrap_or(0), span, message)),
            operation => Ok(operation.and_then(Result::ok)),
        }
    }

    /// The numerals up to a closing parenthesis, and where they are.
    fn bit_indices(&self, lexer: &mut Lexer<'_>) -> Result<(Vec<u32>, Span), ReadError> {
        let mut indices = Vec::new();
        let mut span = lexer.peek().span();
        while lexer.peek().kind == TokenKind::Numeral {
            let token = lexer.next_token();
            let index = lexer.slice(token.span()).parse();
            indices.push(index.map_err(|_| unexpected(lexer, token, "a small numeral"))?);
            span = span.to(token.span());
        }
        expect_close(lexer)?;
        Ok((indices, span))
    }
}

/// The error for indices: unsupported if only the limit is exceeded.
fn width_error(width: u32, span: Span, message: String) -> ReadError {
    let kind = if width > MAX_WIDTH { ErrorKind::Unsupported } else { ErrorKind::IllSorted };
    ReadError::new(kind, span, message)
}
