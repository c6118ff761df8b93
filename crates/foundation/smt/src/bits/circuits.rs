//! The circuits of operations. Words are lists of literals, the lowest bit first.

use shem_base::{Lit, UnknownReason};
use shem_term::BitOp;

use super::gates::{Maker, Wire};

/// A word, unless a limit was reached.
pub(crate) type Circuit = Result<Vec<Lit>, UnknownReason>;

/// What is added to a sum.
pub(crate) struct Summand {
    pub(crate) word: Vec<Lit>,
    /// Whether the word is taken away.
    pub(crate) negative: bool,
}

impl Maker<'_> {
    fn zero(&self, width: usize) -> Vec<Lit> {
        vec![self.gates.constant(false); width]
    }

    /// A word of new variables.
    pub(crate) fn fresh(&mut self, width: u32) -> Vec<Lit> {
        (0..width).map(|_| self.wires.fresh()).collect()
    }

    /// The bits of an operation that is no sum and whose result is a bit-vector, given those of its arguments.
    pub(crate) fn operation(&mut self, op: BitOp, words: &[&[Lit]], width: u32) -> Circuit {
        // Large circuits are refused before a part of them is made. Each bit of a row takes at least two gates, unless it
        // is constant.
        let [rows, bits] = [0, 1].map(|at| words.get(at).map_or(0, |word| self.gates.open_count(word)));
        match op {
            BitOp::Multiply => self.gates.make_room(rows * bits)?,
            BitOp::Quotient | BitOp::Remainder => self.gates.make_room(bits * u64::from(width))?,
            _ => {}
        }
        Ok(match op {
            BitOp::Concat => [words[1], words[0]].concat(),
            BitOp::Extract { high, low } => words[0][low as usize..=high as usize].to_vec(),
            BitOp::SignExtend(_) => {
                let mut word = words[0].to_vec();
                word.resize(width as usize, word[word.len() - 1]);
                word
            }
            BitOp::Not => negation(words[0]),
            BitOp::And => self.fold(words, |maker, a, b| maker.bitwise(a, b, Self::and))?,
            BitOp::Xor => self.fold(words, |maker, a, b| maker.bitwise(a, b, Self::xor))?,
            BitOp::Multiply => self.fold(words, Self::multiply)?,
            BitOp::Quotient => self.divide(words[0], words[1])?.0,
            BitOp::Remainder => self.divide(words[0], words[1])?.1,
            BitOp::ShiftLeft => self.shift(words[0], words[1], true, self.gates.constant(false))?,
            BitOp::ShiftRight => self.shift(words[0], words[1], false, self.gates.constant(false))?,
            BitOp::ShiftRightSigned => self.shift(words[0], words[1], false, words[0][words[0].len() - 1])?,
            BitOp::Constant(_)
            | BitOp::Add
            | BitOp::LessEqual
            | BitOp::SignedLessEqual
            | BitOp::ToInt
            | BitOp::FromInt => unreachable!("no circuit over words"),
        })
    }

    /// The literal of a comparison.
    pub(crate) fn comparison(&mut self, signed: bool, a: &[Lit], b: &[Lit]) -> Wire {
        let mut result = self.gates.constant(true);
        for (at, (&x, &y)) in a.iter().zip(b).enumerate() {
            // With signs, the highest bit counts the other way.
            let [x, y] = if signed && at + 1 == a.len() { [y, x] } else { [x, y] };
            result = self.majority(!x, y, result)?;
        }
        Ok(result)
    }

    /// The literals that say of each bit that it is the same in both words; those that are always true are left out.
    pub(crate) fn agreements(&mut self, a: &[Lit], b: &[Lit]) -> Circuit {
        let mut agree = Vec::with_capacity(a.len());
        for (&x, &y) in a.iter().zip(b) {
            let same = !self.xor(x, y)?;
            if self.gates.as_constant(same) != Some(true) {
                agree.push(same);
            }
        }
        agree.sort_unstable();
        agree.dedup();
        Ok(agree)
    }

    /// Whether all literals hold, as a tree of little depth.
    pub(super) fn conjunction(&mut self, mut lits: Vec<Lit>) -> Wire {
        while lits.len() > 1 {
            let pairs: Result<Vec<Lit>, UnknownReason> = lits
                .chunks(2)
                .map(|pair| match *pair {
                    [a, b] => self.and(a, b),
                    _ => Ok(pair[0]),
                })
                .collect();
            lits = pairs?;
        }
        Ok(lits.pop().unwrap_or(self.gates.constant(true)))
    }

    /// One word or the other, bit by bit.
    pub(crate) fn choose_word(&mut self, condition: Lit, then: &[Lit], otherwise: &[Lit]) -> Circuit {
        then.iter().zip(otherwise).map(|(&a, &b)| self.choose(condition, a, b)).collect()
    }

    fn fold(&mut self, words: &[&[Lit]], step: impl Fn(&mut Self, &[Lit], &[Lit]) -> Circuit) -> Circuit {
        words[1..].iter().try_fold(words[0].to_vec(), |result, word| step(self, &result, word))
    }

    fn bitwise(&mut self, a: &[Lit], b: &[Lit], gate: fn(&mut Self, Lit, Lit) -> Wire) -> Circuit {
        a.iter().zip(b).map(|(&x, &y)| gate(self, x, y)).collect()
    }

    /// The sum of two words and a carry, with what leaves at the top.
    fn add(&mut self, a: &[Lit], b: &[Lit], mut carry: Lit) -> Result<(Vec<Lit>, Lit), UnknownReason> {
        let mut sum = Vec::with_capacity(a.len());
        for (&x, &y) in a.iter().zip(b) {
            let differ = self.xor(x, y)?;
            sum.push(self.xor(differ, carry)?);
            carry = self.majority(x, y, carry)?;
        }
        Ok((sum, carry))
    }

    /// The sum of words, in their order.
    pub(crate) fn sum(&mut self, summands: Vec<Summand>, width: usize) -> Circuit {
        let mut sum = self.zero(width);
        for Summand { word, negative } in summands {
            // To take a word away is to add its complement and one.
            let word = if negative { negation(&word) } else { word };
            sum = self.add(&sum, &word, self.gates.constant(negative))?.0;
        }
        Ok(sum)
    }

    fn moved_up(&self, word: &[Lit], by: usize) -> Vec<Lit> {
        let mut moved = self.zero(by.min(word.len()));
        moved.extend_from_slice(&word[..word.len() - moved.len()]);
        moved
    }

    /// The product of two words of one width, without what leaves at the top.
    fn multiply(&mut self, a: &[Lit], b: &[Lit]) -> Circuit {
        let number =
            |word: &[Lit]| word.iter().map(|&bit| self.gates.as_constant(bit)).collect::<Option<Vec<bool>>>();
        match (number(a), number(b)) {
            (Some(digits), _) => self.sum(self.summands(&digits, b), b.len()),
            (None, Some(digits)) => self.sum(self.summands(&digits, a), a.len()),
            (None, None) => {
                let [a, b] = self.factors(a, b);
                self.multiply_words(a, b)
            }
        }
    }

    /// The summands of a number, given by its digits, times a word.
    pub(crate) fn summands(&self, digits: &[bool], word: &[Lit]) -> Vec<Summand> {
        let summand = |(place, negative)| Summand { word: self.moved_up(word, place), negative };
        non_adjacent_form(digits).into_iter().map(summand).collect()
    }

    /// The factors in the order in which they are multiplied: the one with more constants among its bits, which gives
    /// fewer summands, is the second.
    pub(super) fn factors<'a>(&self, a: &'a [Lit], b: &'a [Lit]) -> [&'a [Lit]; 2] {
        if self.gates.open_count(a) < self.gates.open_count(b) { [b, a] } else { [a, b] }
    }

    /// The product of a word and another one, bit by bit of the second.
    pub(super) fn multiply_words(&mut self, a: &[Lit], b: &[Lit]) -> Circuit {
        let width = a.len();
        let mut product = self.zero(width);
        for (at, &factor) in b.iter().enumerate() {
            if self.gates.as_constant(factor) == Some(false) {
                continue;
            }
            let summand: Vec<Lit> =
                a[..width - at].iter().map(|&bit| self.and(bit, factor)).collect::<Result<_, _>>()?;
            let upper = self.add(&product[at..], &summand, self.gates.constant(false))?.0;
            product.splice(at.., upper);
        }
        Ok(product)
    }

    /// Quotient and remainder without signs, by subtracting the divisor wherever it fits, from the top. Zero fits
    /// always: the quotient has all bits, and the remainder is the dividend.
    fn divide(&mut self, a: &[Lit], b: &[Lit]) -> Result<(Vec<Lit>, Vec<Lit>), UnknownReason> {
        let width = a.len();
        let mut quotient = self.zero(width);
        // One bit more: twice a remainder and a bit may not fit the width.
        let mut complement = negation(b);
        complement.push(self.gates.constant(true));
        let mut rest = self.zero(width);
        for at in (0..width).rev() {
            rest.insert(0, a[at]);
            let (difference, fits) = self.add(&rest, &complement, self.gates.constant(true))?;
            quotient[at] = fits;
            rest = self.choose_word(fits, &difference[..width], &rest[..width])?;
        }
        Ok((quotient, rest))
    }

    /// A word moved by a distance, upwards or downwards, `fill` coming in: stage by stage of the bits of the distance.
    fn shift(&mut self, word: &[Lit], distance: &[Lit], up: bool, fill: Lit) -> Circuit {
        let width = word.len();
        let mut result = word.to_vec();
        let mut too_far = self.gates.constant(false);
        for (stage, &bit) in distance.iter().enumerate() {
            let by = u32::try_from(stage).ok().and_then(|stage| 1_usize.checked_shl(stage)).unwrap_or(width);
            if by >= width {
                too_far = self.or(too_far, bit)?;
                continue;
            }
            let moved: Vec<Lit> = (0..width)
                .map(|at| match up {
                    true => at.checked_sub(by).map_or(fill, |from| result[from]),
                    false => result.get(at + by).copied().unwrap_or(fill),
                })
                .collect();
            result = self.choose_word(bit, &moved, &result)?;
        }
        let filled = vec![fill; width];
        self.choose_word(too_far, &filled, &result)
    }
}

fn negation(word: &[Lit]) -> Vec<Lit> {
    word.iter().map(|&bit| !bit).collect()
}

/// The places at which powers of two are added or, if that is true, taken away to get the number, modulo 2 to the number
/// of its digits: no two of them are neighbours, so that they are few.
fn non_adjacent_form(digits: &[bool]) -> Vec<(usize, bool)> {
    let mut found = Vec::new();
    let mut carry = false;
    for (place, &digit) in digits.iter().enumerate() {
        let next = digits.get(place + 1).copied().unwrap_or(false);
        let one = digit != carry;
        let carries = digit && carry || (digit || carry) && next;
        if one {
            found.push((place, carries));
        }
        carry = carries;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::non_adjacent_form;

    #[test]
    fn numbers_have_few_digits() {
        for width in 1..10_usize {
            for number in 0..1_i64 << width {
                let digits: Vec<bool> = (0..width).map(|place| number >> place & 1 == 1).collect();
                let form = non_adjacent_form(&digits);
                let value: i64 =
                    form.iter().map(|&(place, negative)| (if negative { -1 } else { 1 }) << place).sum();
                assert_eq!(value.rem_euclid(1 << width), number, "{form:?}");
                assert!(form.windows(2).all(|pair| pair[0].0 + 1 < pair[1].0), "{form:?}");
            }
        }
    }
}
