//! The code that steps are compiled to, and the two machines that run it.
//!
//! A program is a list of operations without jumps; each writes a register of its own, behind the inputs. Truth values
//! are 0 and 1. One operation requires a truth value: where it is 0, the step is not possible and the rest is not run.
//! The fast machine computes with checked 64-bit integers and stops at an overflow; the exact one has rationals of any
//! size and runs the same program from the same inputs.

use shem_base::{Int, Rat, add_work};

/// A register: an input, or the result of an operation.
pub(crate) type Register = u32;

/// An operation. Numbers are indices into the table of constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    Constant(u32),
    /// The sum of the products from `start` to `end`, and a constant.
    Linear {
        start: u32,
        end: u32,
        constant: u32,
    },
    /// Whether the number is at most 0.
    NotPositive(Register),
    /// Whether the number is less than 0.
    Negative(Register),
    Zero(Register),
    /// Whether the number is a multiple of a constant.
    Multiple(Register, u32),
    /// The quotient by a positive constant, rounded down.
    Quotient(Register, u32),
    /// What the quotient leaves.
    Remainder(Register, u32),
    /// The quotient by a constant that is known to divide the number, or of reals.
    Exact(Register, u32),
    /// The greatest integer that is not greater.
    Floor(Register),
    Not(Register),
    /// Whether all registers of the list from `start` to `end` are 1.
    And {
        start: u32,
        end: u32,
    },
    /// Whether two truth values are the same.
    Same(Register, Register),
    /// The second or the third, by the first.
    Select(Register, Register, Register),
    /// Ends the program if the truth value is 0.
    Require(Register),
}

/// A program: its operations and what they refer to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    pub(crate) inputs: u32,
    pub(crate) ops: Vec<Op>,
    /// Products: a register, and the index of its factor.
    pub(crate) products: Vec<(Register, u32)>,
    /// The members of conjunctions.
    pub(crate) members: Vec<Register>,
    pub(crate) constants: Vec<Rat>,
    /// The constants as words; empty if one of them is none.
    words: Vec<i64>,
    /// Whether an operation may give a number that is no integer.
    rational: bool,
}

/// Why a run ended before the program did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Something required is false: the step is not possible.
    Disabled,
    /// A number does not fit a word.
    Overflow,
}

/// What a machine computes with.
pub(crate) trait Number: Clone + PartialEq + Default + From<i64> {
    const ZERO: Self;
    fn of_truth(truth: bool) -> Self;
    fn is_true(&self) -> bool;
    fn constants(program: &Program) -> &[Self];
    /// `self + a * b`
    fn add_product(self, a: &Self, b: &Self) -> Option<Self>;
    fn signum(&self) -> i32;
    fn is_multiple(&self, of: &Self) -> bool;
    fn quotient(&self, by: &Self) -> Self;
    fn remainder(&self, by: &Self) -> Self;
    fn exact(&self, by: &Self) -> Self;
    fn floor(&self) -> Self;
    /// Whether a sum of small multiples is zero.
    fn vanishes<'a>(products: impl Iterator<Item = (i64, &'a Self)>) -> bool
    where
        Self: 'a;
    /// What a step to this state counts for: one, and more if numbers are longer than a machine word.
    fn weight(state: &[Self]) -> usize;
    fn to_rat(&self) -> Rat;
    /// The number as one of this machine, if it fits.
    fn of_rat(value: &Rat) -> Option<Self>;
}

impl Number for i64 {
    const ZERO: i64 = 0;

    #[inline]
    fn of_truth(truth: bool) -> i64 {
        i64::from(truth)
    }

    #[inline]
    fn is_true(&self) -> bool {
        *self != 0
    }

    fn constants(program: &Program) -> &[i64] {
        &program.words
    }

    #[inline]
    fn add_product(self, a: &i64, b: &i64) -> Option<i64> {
        self.checked_add(a.checked_mul(*b)?)
    }

    #[inline]
    fn signum(&self) -> i32 {
        i64::signum(*self) as i32
    }

    #[inline]
    fn is_multiple(&self, of: &i64) -> bool {
        self.wrapping_rem(*of) == 0
    }

    #[inline]
    fn quotient(&self, by: &i64) -> i64 {
        self.div_euclid(*by)
    }

    #[inline]
    fn remainder(&self, by: &i64) -> i64 {
        self.rem_euclid(*by)
    }

    #[inline]
    fn exact(&self, by: &i64) -> i64 {
        self / by
    }

    #[inline]
    fn floor(&self) -> i64 {
        *self
    }

    #[inline]
    fn vanishes<'a>(products: impl Iterator<Item = (i64, &'a i64)>) -> bool {
        products.map(|(factor, value)| i128::from(factor) * i128::from(*value)).sum::<i128>() == 0
    }

    #[inline]
    fn weight(_: &[i64]) -> usize {
        1
    }

    fn to_rat(&self) -> Rat {
        Rat::from(*self)
    }

    fn of_rat(value: &Rat) -> Option<i64> {
        value.to_int()?.to_i64()
    }
}

impl Number for Rat {
    const ZERO: Rat = Rat::ZERO;

    fn of_truth(truth: bool) -> Rat {
        if truth { Rat::ONE } else { Rat::ZERO }
    }

    fn is_true(&self) -> bool {
        !self.is_zero()
    }

    fn constants(program: &Program) -> &[Rat] {
        &program.constants
    }

    fn add_product(mut self, a: &Rat, b: &Rat) -> Option<Rat> {
        self.add_mul(a, b);
        Some(self)
    }

    fn signum(&self) -> i32 {
        Rat::signum(self)
    }

    fn is_multiple(&self, of: &Rat) -> bool {
        (self / of).is_integer()
    }

    fn quotient(&self, by: &Rat) -> Rat {
        Rat::from((self / by).floor())
    }

    fn remainder(&self, by: &Rat) -> Rat {
        self - &(&self.quotient(by) * by)
    }

    fn exact(&self, by: &Rat) -> Rat {
        self / by
    }

    fn floor(&self) -> Rat {
        Rat::from(Rat::floor(self))
    }

    fn vanishes<'a>(products: impl Iterator<Item = (i64, &'a Rat)>) -> bool {
        let mut sum = Rat::ZERO;
        products.for_each(|(factor, value)| sum.add_mul(&Rat::from(factor), value));
        sum.is_zero()
    }

    fn weight(state: &[Rat]) -> usize {
        1 + state.iter().map(|number| (number.bits() / 64) as usize).sum::<usize>()
    }

    fn to_rat(&self) -> Rat {
        self.clone()
    }

    fn of_rat(value: &Rat) -> Option<Rat> {
        Some(value.clone())
    }
}

impl Program {
    /// A program without operations.
    pub(crate) fn new(inputs: usize) -> Program {
        Program { inputs: inputs as u32, ..Program::default() }
    }

    /// Adds an operation and gives its register.
    pub(crate) fn push(&mut self, op: Op) -> Register {
        let register = self.inputs + self.ops.len() as u32;
        self.ops.push(op);
        register
    }

    /// The index of a constant.
    pub(crate) fn constant(&mut self, value: Rat) -> u32 {
        if let Some(at) = self.constants.iter().position(|known| *known == value) {
            return at as u32;
        }
        self.constants.push(value);
        self.constants.len() as u32 - 1
    }

    /// Says that numbers need not be integers.
    pub(crate) fn allow_fractions(&mut self) {
        self.rational = true;
    }

    /// Ends the construction.
    pub(crate) fn finish(&mut self) {
        let word = |value: &Rat| value.to_int().as_ref().and_then(Int::to_i64);
        let words: Option<Vec<i64>> = self.constants.iter().map(word).collect();
        self.words = words.unwrap_or_default();
        self.rational |= self.words.len() < self.constants.len();
    }

    /// Whether the fast machine can run the program.
    pub(crate) fn is_integral(&self) -> bool {
        !self.rational
    }

    /// Runs the program on the registers, the first of which hold the inputs.
    ///
    /// # Panics
    /// If the numbers are words and the program is not integral.
    #[inline]
    pub(crate) fn run<N: Number>(&self, registers: &mut Vec<N>) -> Result<(), Stop> {
        add_work(self.ops.len() / 4 + 1);
        let constants = N::constants(self);
        debug_assert_eq!(registers.len(), self.inputs as usize);
        for op in &self.ops {
            let value = match *op {
                Op::Constant(at) => constants[at as usize].clone(),
                Op::Linear { start, end, constant } => {
                    let mut sum = constants[constant as usize].clone();
                    for &(register, factor) in &self.products[start as usize..end as usize] {
                        let (value, factor) = (&registers[register as usize], &constants[factor as usize]);
                        sum = sum.add_product(value, factor).ok_or(Stop::Overflow)?;
                    }
                    sum
                }
                Op::NotPositive(r) => N::of_truth(registers[r as usize].signum() <= 0),
                Op::Negative(r) => N::of_truth(registers[r as usize].signum() < 0),
                Op::Zero(r) => N::of_truth(registers[r as usize].signum() == 0),
                Op::Multiple(r, of) => {
                    N::of_truth(registers[r as usize].is_multiple(&constants[of as usize]))
                }
                Op::Quotient(r, by) => registers[r as usize].quotient(&constants[by as usize]),
                Op::Remainder(r, by) => registers[r as usize].remainder(&constants[by as usize]),
                Op::Exact(r, by) => registers[r as usize].exact(&constants[by as usize]),
                Op::Floor(r) => registers[r as usize].floor(),
                Op::Not(r) => N::of_truth(!registers[r as usize].is_true()),
                Op::And { start, end } => {
                    let members = &self.members[start as usize..end as usize];
                    N::of_truth(members.iter().all(|&r| registers[r as usize].is_true()))
                }
                Op::Same(a, b) => N::of_truth(registers[a as usize] == registers[b as usize]),
                Op::Select(c, a, b) => {
                    let chosen = if registers[c as usize].is_true() { a } else { b };
                    registers[chosen as usize].clone()
                }
                Op::Require(r) if registers[r as usize].is_true() => N::ZERO,
                Op::Require(_) => return Err(Stop::Disabled),
            };
            registers.push(value);
        }
        Ok(())
    }
}
