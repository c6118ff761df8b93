//! Products and quotients that are circuits only where their values matter.
//!
//! The bits of an operation that is *abstract* are new variables. When all else is satisfied, its value is compared with
//! the one that it should have; if it is another one, clauses are added that exclude it (Niemetz, Preiner and Zohar:
//! Scalable bit-blasting with abstractions, CAV 2024). First those that say much with few gates: zeros at the ends of
//! products, powers of two as shifts, bounds of quotients and remainders. Then the lowest bits of a product as their
//! circuit, which are a part of the whole one; then single values; and after a few rounds the whole circuit.
//!
//! Differently from the paper, the clauses are about bits, each of them about one bit of the result where that is
//! possible: a judge confirms it with the circuit of the operation, in which it puts what the other literals say of the
//! arguments. The bounds of quotients, which are not of this form, are a table that the judge has, too. So nothing
//! outlives a scope that does not hold: clauses go with the scope that they were added in, and so does the memory of
//! them.

use shem_base::{BitVec, Lit, UnknownReason};
use shem_term::BitOp;

use super::circuits::Circuit;
use super::gates::Maker;
use crate::equality::Node;

/// How many single values are excluded before there is a circuit.
const INSTANCES: u32 = 4;
/// How many powers of two are told apart before zeros of a product are.
const SHIFTS: u32 = 4;
/// How often an operation is refined before there is a circuit.
const ROUNDS: u32 = 24;
/// The lowest bits of a product that are a circuit of their own are at least so many.
const LEAST_LOW: u32 = 4;
/// They are at most one in so many of all bits.
const LOW_SHARE: u32 = 4;

/// How far an abstract operation is known.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Refinement {
    /// How many of the lowest bits are those of the circuit.
    low: u32,
    /// How many single values have been excluded.
    instances: u32,
    /// For how many powers of two a factor makes the product a shift.
    shifts: u32,
    /// How often something was excluded.
    rounds: u32,
    /// Whether all bits are those of the circuit.
    is_exact: bool,
}

/// An operation without a circuit.
#[derive(Clone, Copy, Debug)]
struct Abstract {
    node: Node,
    op: BitOp,
    args: [Node; 2],
    refinement: Refinement,
}

/// The operations that were left abstract.
#[derive(Debug, Default)]
pub(super) struct Abstraction {
    operations: Vec<Abstract>,
    /// The operations that were refined, by number, with what they were before.
    changes: Vec<(u32, Refinement)>,
    /// How many refinements there have been.
    pub(super) count: u64,
}

impl Abstraction {
    pub(super) fn add(&mut self, node: Node, op: BitOp, args: [Node; 2]) {
        self.operations.push(Abstract { node, op, args, refinement: Refinement::default() });
    }

    /// The operations whose bits are not all known, by number: the operation, its arguments and its node.
    pub(super) fn open(&self) -> impl Iterator<Item = (usize, BitOp, [Node; 3])> {
        let open = self.operations.iter().enumerate().filter(|(_, operation)| !operation.refinement.is_exact);
        open.map(|(at, &Abstract { node, op, args: [a, b], .. })| (at, op, [a, b, node]))
    }

    pub(super) fn refinement(&self, at: usize) -> Refinement {
        self.operations[at].refinement
    }

    pub(super) fn set_refinement(&mut self, at: usize, refinement: Refinement) {
        self.count += 1;
        self.changes.push((at as u32, std::mem::replace(&mut self.operations[at].refinement, refinement)));
    }

    /// What [`Abstraction::truncate`] goes back to.
    pub(super) fn mark(&self) -> [usize; 2] {
        [self.operations.len(), self.changes.len()]
    }

    pub(super) fn truncate(&mut self, [operations, changes]: [usize; 2]) {
        for (at, before) in self.changes.drain(changes..).rev() {
            self.operations[at as usize].refinement = before;
        }
        self.operations.truncate(operations);
    }
}

/// A result that the arguments do not have.
pub(super) struct WrongResult<'a> {
    pub(super) op: BitOp,
    /// The bits of the two arguments and of the result.
    pub(super) words: [&'a [Lit]; 3],
    pub(super) values: [&'a BitVec; 3],
    pub(super) expected: &'a BitVec,
}

/// The value of an operation that may be abstract.
pub(super) fn value_of(op: BitOp, a: &BitVec, b: &BitVec) -> BitVec {
    match op {
        BitOp::Multiply => a.mul(b),
        BitOp::Quotient => a.udiv(b),
        BitOp::Remainder => a.urem(b),
        _ => unreachable!("not abstract"),
    }
}

/// How many of the lowest bits there are up to the highest one that is set.
fn significant_bits(value: &BitVec) -> u32 {
    (0..value.width()).rev().find(|&at| value.bit(at)).map_or(0, |highest| highest + 1)
}

/// The literals that are true if the word is the number.
fn matching(word: &[Lit], number: &BitVec) -> Vec<Lit> {
    word.iter().zip(0..).map(|(&bit, at)| bit.xor(!number.bit(at))).collect()
}

fn negated(word: &[Lit]) -> impl Iterator<Item = Lit> {
    word.iter().map(|&bit| !bit)
}

impl Maker<'_> {
    /// Adds valid clauses that exclude the result; returns how far the operation is known then.
    pub(super) fn exclude(
        &mut self,
        wrong: &WrongResult<'_>,
        before: Refinement,
    ) -> Result<Refinement, UnknownReason> {
        let mut after = Refinement { rounds: before.rounds + 1, ..before };
        let excluded = match wrong.op {
            _ if after.rounds > ROUNDS => false,
            BitOp::Multiply => self.exclude_shift(wrong, &mut after)? || self.exclude_zeros(wrong)?,
            _ => self.exclude_division(wrong)?,
        };
        if excluded {
            return Ok(after);
        }
        let WrongResult { op, words: [a, b, result], values, expected } = *wrong;
        let width = result.len() as u32;
        if op == BitOp::Multiply
            && after.rounds <= ROUNDS
            && let Some(lowest) = (0..width).find(|&at| values[2].bit(at) != expected.bit(at))
        {
            let low = (lowest + 1).max(2 * before.low).max(LEAST_LOW);
            if low * LOW_SHARE <= width {
                let bits = self.multiply_low(a, b, low as usize)?;
                self.equate(&result[..low as usize], &bits);
                return Ok(Refinement { low, ..after });
            }
        }
        if before.instances < INSTANCES.max(width / 8) && after.rounds <= ROUNDS {
            let lits = [matching(a, values[0]), matching(b, values[1])].concat();
            let premise = self.conjunction(lits)?;
            for bit in matching(result, expected) {
                self.wires.clause(&[!premise, bit]);
            }
            return Ok(Refinement { instances: before.instances + 1, ..after });
        }
        let bits = self.operation(op, &[a, b], width)?;
        self.equate(result, &bits);
        Ok(Refinement { is_exact: true, ..after })
    }

    fn equate(&mut self, word: &[Lit], other: &[Lit]) {
        for (&x, &y) in word.iter().zip(other) {
            self.wires.clause(&[!x, y]);
            self.wires.clause(&[x, !y]);
        }
    }

    /// If the premise holds, the word is the other one moved up by so many places, or down if `up` is false.
    fn shifted(&mut self, premise: Lit, word: &[Lit], other: &[Lit], by: usize, up: bool) {
        for (at, &bit) in word.iter().enumerate() {
            let from = if up { at.checked_sub(by) } else { Some(at + by) };
            match from.and_then(|from| other.get(from)) {
                None => self.wires.clause(&[!premise, !bit]),
                Some(&source) => {
                    self.wires.clause(&[!premise, !bit, source]);
                    self.wires.clause(&[!premise, bit, !source]);
                }
            }
        }
    }

    /// Excludes a product of which a factor is a power of two.
    fn exclude_shift(
        &mut self,
        wrong: &WrongResult<'_>,
        after: &mut Refinement,
    ) -> Result<bool, UnknownReason> {
        let WrongResult { words: [a, b, result], values: [a_value, b_value, _], .. } = *wrong;
        for (factor, number, other) in [(a, a_value, b), (b, b_value, a)] {
            if after.shifts < SHIFTS
                && let Some(exponent) = number.exponent()
            {
                let premise = self.conjunction(matching(factor, number))?;
                self.shifted(premise, result, other, exponent as usize, true);
                after.shifts += 1;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Excludes a product that zeros at the ends of its factors exclude.
    fn exclude_zeros(&mut self, wrong: &WrongResult<'_>) -> Result<bool, UnknownReason> {
        let WrongResult { words: [a, b, result], values: [a_value, b_value, value], .. } = *wrong;
        let width = result.len() as u32;
        let zeros = [a_value, b_value].map(BitVec::trailing_zeros);
        if let Some(top) = (0..(zeros[0] + zeros[1]).min(width)).rev().find(|&at| value.bit(at)) {
            // No more zeros of the factors than are needed.
            let from_a = zeros[0].min(top + 1);
            let from_b = top + 1 - from_a;
            let lits = negated(&a[..from_a as usize]).chain(negated(&b[..from_b as usize])).collect();
            let premise = self.conjunction(lits)?;
            for &bit in &result[..=top as usize] {
                self.wires.clause(&[!premise, !bit]);
            }
            return Ok(true);
        }
        let bits = [a_value, b_value].map(significant_bits);
        if let Some(low) = (bits[0] + bits[1]..width).find(|&at| value.bit(at)) {
            let from_b = low - bits[0];
            let lits = negated(&a[bits[0] as usize..]).chain(negated(&b[from_b as usize..])).collect();
            let premise = self.conjunction(lits)?;
            for &bit in &result[low as usize..] {
                self.wires.clause(&[!premise, !bit]);
            }
            return Ok(true);
        }
        Ok(false)
    }

    /// Excludes a quotient or remainder by bounds, or by a divisor that is zero or a power of two.
    fn exclude_division(&mut self, wrong: &WrongResult<'_>) -> Result<bool, UnknownReason> {
        let WrongResult { op, words: [a, b, result], values: [dividend, divisor, value], .. } = *wrong;
        if op == BitOp::Quotient && !divisor.is_zero() {
            if value > dividend {
                let is_small = self.comparison(false, result, a)?;
                b.iter().for_each(|&bit| self.wires.clause(&[!bit, is_small]));
                return Ok(true);
            }
            // A dividend of few bits and a divisor of many have a quotient of few.
            let [few, many] = [dividend, divisor].map(significant_bits);
            if let Some(low) = ((few + 1).saturating_sub(many)..value.width()).find(|&at| value.bit(at)) {
                let few = (low + many - 1).min(value.width());
                let premise = self.conjunction(negated(&a[few as usize..]).collect())?;
                for &bit in &result[low as usize..] {
                    self.wires.clause(&[!premise, !b[many as usize - 1], !bit]);
                }
                return Ok(true);
            }
        }
        if op == BitOp::Quotient && (dividend < divisor || value.is_zero()) {
            let fits = self.comparison(false, b, a)?;
            match dividend < divisor {
                true => result.iter().for_each(|&bit| self.wires.clause(&[fits, !bit])),
                false => self.wires.clause(&[&[!fits], result].concat()),
            }
            return Ok(true);
        }
        if op == BitOp::Remainder {
            if value > dividend {
                let is_small = self.comparison(false, result, a)?;
                self.wires.clause(&[is_small]);
                return Ok(true);
            }
            if value >= divisor && !divisor.is_zero() {
                let is_too_large = self.comparison(false, b, result)?;
                b.iter().for_each(|&bit| self.wires.clause(&[!bit, !is_too_large]));
                return Ok(true);
            }
            if dividend < divisor {
                let fits = self.comparison(false, b, a)?;
                self.shifted(!fits, result, a, 0, true);
                return Ok(true);
            }
        }
        if !divisor.is_zero() && divisor.exponent().is_none() {
            return Ok(false);
        }
        let premise = self.conjunction(matching(b, divisor))?;
        match (op, divisor.exponent().map(|exponent| exponent as usize)) {
            (BitOp::Quotient, None) => {
                result.iter().for_each(|&bit| self.wires.clause(&[!premise, bit]));
            }
            (BitOp::Quotient, Some(exponent)) => self.shifted(premise, result, a, exponent, false),
            (_, None) => self.shifted(premise, result, a, 0, true),
            (_, Some(exponent)) => {
                self.shifted(premise, &result[..exponent], a, 0, true);
                result[exponent..].iter().for_each(|&bit| self.wires.clause(&[!premise, !bit]));
            }
        }
        Ok(true)
    }

    /// The lowest bits of a product.
    fn multiply_low(&mut self, a: &[Lit], b: &[Lit], count: usize) -> Circuit {
        let [a, b] = self.factors(a, b);
        self.multiply_words(&a[..count], &b[..count])
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use shem_base::{Budget, Var};

    use super::super::gates::Gates;
    use super::*;
    use crate::theory::Definitions;

    /// The values of all variables: those of the words, whose bits are the first ones, and of the gates.
    fn assignment(gates: &Gates, numbers: &[&BitVec]) -> Vec<bool> {
        let bits = numbers.iter().flat_map(|number| (0..number.width()).map(|at| number.bit(at)));
        let mut values: Vec<bool> = [true].into_iter().chain(bits).collect();
        for (gate, output) in gates.made() {
            assert_eq!(output.var().index(), values.len());
            let value = gate.evaluate(|lit| values[lit.var().index()] == lit.is_positive());
            values.push(value);
        }
        values
    }

    /// The lowest bits of products of widths 1 to 4, at all values.
    #[test]
    fn lowest_bits_are_those_of_the_product() {
        for (width, count) in (1..=4).flat_map(|width| (1..=width).map(move |count| (width, count))) {
            let words =
                [0, width].map(|from| (0..width).map(|at| Var::new(1 + from + at).positive()).collect());
            let [a, b]: [Vec<Lit>; 2] = words;
            let mut gates = Gates::new(Var::new(0).positive(), 10_000);
            let mut wires = Definitions::new(Var::new(1 + 2 * width));
            let mut maker = Maker { gates: &mut gates, wires: &mut wires, budget: &Budget::unlimited() };
            let low = maker.multiply_low(&a, &b, count as usize).expect("few gates");
            assert_eq!(low.len(), count as usize);
            for number in 0..1_u64 << (2 * width) {
                let [x, y] = [number, number >> width].map(|number| BitVec::new(width, number));
                let values = assignment(&gates, &[&x, &y]);
                let product = x.mul(&y);
                for (lit, at) in low.iter().zip(0..) {
                    assert_eq!(values[lit.var().index()] == lit.is_positive(), product.bit(at), "{x} {y}");
                }
            }
        }
    }

    /// At all values of widths 1 to 4: every clause that is added holds, and one of them excludes the wrong result.
    #[test]
    fn clauses_hold_and_exclude() {
        for (op, width) in [BitOp::Multiply, BitOp::Quotient, BitOp::Remainder]
            .into_iter()
            .flat_map(|op| (1..=4).map(move |width| (op, width)))
        {
            let numbers: Vec<BitVec> = (0..1 << width).map(|number| BitVec::new(width, number)).collect();
            let word = |at: u32| -> Vec<Lit> {
                (0..width).map(|bit| Var::new(1 + at * width + bit).positive()).collect()
            };
            let words = [word(0), word(1), word(2)];
            let pairs = || numbers.iter().flat_map(|a| numbers.iter().map(move |b| (a, b)));
            let mut seen: HashSet<Vec<Vec<Lit>>> = HashSet::new();
            let exhausted = Refinement { instances: INSTANCES, ..Refinement::default() };
            for ((a, b), result) in pairs().flat_map(|pair| numbers.iter().map(move |result| (pair, result)))
            {
                let expected = value_of(op, a, b);
                if *result == expected {
                    continue;
                }
                for before in [Refinement::default(), exhausted, Refinement { rounds: ROUNDS, ..exhausted }] {
                    let mut gates = Gates::new(Var::new(0).positive(), 10_000);
                    let mut wires = Definitions::new(Var::new(1 + 3 * width));
                    let budget = &Budget::unlimited();
                    let mut maker = Maker { gates: &mut gates, wires: &mut wires, budget };
                    let words = [&words[0][..], &words[1], &words[2]];
                    let wrong = WrongResult { op, words, values: [a, b, result], expected: &expected };
                    maker.exclude(&wrong, before).expect("few gates");
                    let clauses: Vec<Vec<Lit>> = wires.clauses().map(<[Lit]>::to_vec).collect();
                    let broken = |numbers: [&BitVec; 3]| -> usize {
                        let values = assignment(&gates, &numbers);
                        let holds = |lit: &Lit| values[lit.var().index()] == lit.is_positive();
                        clauses.iter().filter(|clause| !clause.iter().any(holds)).count()
                    };
                    assert!(broken([a, b, result]) > 0, "{op:?} {a} {b} {result}");
                    if seen.insert(clauses.clone()) {
                        for (x, y) in pairs() {
                            let value = value_of(op, x, y);
                            assert_eq!(broken([x, y, &value]), 0, "{op:?} {a} {b} {result} at {x} {y}");
                        }
                    }
                }
            }
        }
    }
}
