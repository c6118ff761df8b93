//! What a program does in the rounds to come.
//!
//! The inputs are progressions: polynomials in the number of the round. A program is run once for all rounds; where a
//! comparison turns out differently from some round on, only the rounds before it are kept, so that in the end every
//! comparison has one outcome. The first round in which a sign changes is found by division where the progression is
//! affine. Otherwise it is found between the places where the progression turns, which are changes of sign of its
//! difference.
//!
//! A remainder is the same in all rounds if the modulus divides the growth. If not, it is as long as the quotient is;
//! or else several rounds have to be taken as one, and the number of these is noted.

use shem_base::{Int, Rat};
use shem_chc::Progression;

use super::code::{Op, Program, Stop};

/// The greatest number of rounds.
pub(super) const MOST_ROUNDS: u64 = 1 << 60;

/// The rounds for which what was computed holds.
#[derive(Clone, Debug)]
pub(super) struct Rounds {
    /// Their number, at least one.
    pub(super) count: u64,
    /// Whether it holds in all rounds to come, however many they are.
    pub(super) endless: bool,
    /// How many rounds should be taken as one, so that remainders stay the same.
    pub(super) multiple: u64,
}

impl Rounds {
    pub(super) fn new() -> Rounds {
        Rounds { count: MOST_ROUNDS, endless: true, multiple: 1 }
    }

    /// Runs a program for all rounds; the registers hold the inputs. Truth values are the constants 0 and 1.
    pub(super) fn run(&mut self, program: &Program, registers: &mut Vec<Progression>) -> Result<(), Stop> {
        for op in &program.ops {
            let constant = |at: u32| &program.constants[at as usize];
            let value = match *op {
                Op::Constant(at) => Progression::constant(constant(at).clone()),
                Op::Linear { start, end, constant: offset } => {
                    let mut sum = vec![constant(offset).clone()];
                    for &(register, factor) in &program.products[start as usize..end as usize] {
                        let coefficients = registers[register as usize].coefficients();
                        if sum.len() < coefficients.len() {
                            sum.resize(coefficients.len(), Rat::ZERO);
                        }
                        for (total, coefficient) in sum.iter_mut().zip(coefficients) {
                            total.add_mul(constant(factor), coefficient);
                        }
                    }
                    Progression::new(sum)
                }
                Op::NotPositive(r) => self.truth(&registers[r as usize], |sign| sign <= 0),
                Op::Negative(r) => self.truth(&registers[r as usize], |sign| sign < 0),
                Op::Zero(r) => self.truth(&registers[r as usize], |sign| sign == 0),
                Op::Multiple(r, of) => {
                    let (_, rest) = self.divide(&registers[r as usize], constant(of));
                    self.truth(&rest, |sign| sign == 0)
                }
                Op::Quotient(r, by) => self.divide(&registers[r as usize], constant(by)).0,
                Op::Remainder(r, by) => self.divide(&registers[r as usize], constant(by)).1,
                Op::Exact(r, by) => {
                    let coefficients = registers[r as usize].coefficients();
                    Progression::new(coefficients.iter().map(|c| c / constant(by)).collect())
                }
                Op::Floor(r) => self.divide(&registers[r as usize], &Rat::ONE).0,
                Op::Not(r) => truth(!is_true(&registers[r as usize])),
                Op::And { start, end } => {
                    let members = &program.members[start as usize..end as usize];
                    truth(members.iter().all(|&r| is_true(&registers[r as usize])))
                }
                Op::Same(a, b) => truth(is_true(&registers[a as usize]) == is_true(&registers[b as usize])),
                Op::Select(c, a, b) => {
                    let chosen = if is_true(&registers[c as usize]) { a } else { b };
                    registers[chosen as usize].clone()
                }
                Op::Require(r) if is_true(&registers[r as usize]) => truth(false),
                Op::Require(_) => return Err(Stop::Disabled),
            };
            registers.push(value);
        }
        Ok(())
    }

    /// The truth of a property of the sign, in the rounds before it changes.
    fn truth(&mut self, number: &Progression, holds: impl Fn(i32) -> bool) -> Progression {
        let now = holds(number.at(0).signum());
        let change = first_change(number, self.count, |sign| holds(sign) != now);
        self.count = change.at;
        self.endless &= change.never;
        truth(now)
    }

    /// Quotient, rounded down, and remainder, in the rounds in which they are progressions.
    fn divide(&mut self, number: &Progression, by: &Rat) -> (Progression, Progression) {
        let coefficients = number.coefficients();
        let quotient = Rat::from((&coefficients[0] / by).floor());
        let remainder = &coefficients[0] - &(&quotient * by);
        let mut left = coefficients.to_vec();
        left[0] = remainder.clone();
        if let Some(multiple) = uneven(coefficients, by) {
            let within = Progression::new(left);
            let mut over = within.coefficients().to_vec();
            over[0] -= by;
            let end = first_change(&within, self.count, |sign| sign < 0).at;
            let end = first_change(&Progression::new(over), end, |sign| sign >= 0).at;
            if end < self.count {
                self.multiple = lcm(self.multiple, multiple);
            }
            self.count = end;
            self.endless = false;
            return (Progression::constant(quotient), within);
        }
        let mut quotients: Vec<Rat> = coefficients.iter().map(|c| c / by).collect();
        quotients[0] = quotient;
        (Progression::new(quotients), Progression::constant(remainder))
    }
}

fn truth(truth: bool) -> Progression {
    Progression::constant(if truth { Rat::ONE } else { Rat::ZERO })
}

fn is_true(number: &Progression) -> bool {
    !number.coefficients()[0].is_zero()
}

/// If the divisor does not divide the growth: how many rounds have to be taken as one so that it does, or 0 if that is
/// not known.
fn uneven(coefficients: &[Rat], by: &Rat) -> Option<u64> {
    if coefficients[1..].iter().all(|c| (c / by).is_integer()) {
        return None;
    }
    let whole = |c: &Rat| c.to_int();
    let (Some(by), Some(growth)) =
        (whole(by), coefficients[1..].iter().map(whole).collect::<Option<Vec<Int>>>())
    else {
        return Some(0);
    };
    // For an affine progression the factor is exact. In general the factorials of the degree suffice, too.
    let divisor = growth.iter().fold(by.clone(), |divisor, c| divisor.gcd(c));
    let factorial = (1..=growth.len() as i64).product::<i64>();
    let multiple = by.div_exact(&divisor).to_i64().and_then(|m| m.checked_mul(factorial));
    Some(multiple.map_or(0, |m| m as u64))
}

/// The least common multiple, or 0 if one of them is not known or it is too large.
fn lcm(a: u64, b: u64) -> u64 {
    let common = Int::from(a as i64).lcm(&Int::from(b as i64));
    common.to_i64().map_or(0, |m| m as u64)
}

/// When a sign changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Change {
    /// The first round in which it does, or the end of what was asked about.
    at: u64,
    /// Whether it is known not to, in whatever round.
    never: bool,
}

/// The first round before `end` in which the sign has a property that it does not have in round 0; `end` if there is
/// none.
fn first_change(number: &Progression, end: u64, changed: impl Fn(i32) -> bool) -> Change {
    if let [start, slope] = number.coefficients() {
        return first_affine_change(start, slope, end, changed);
    }
    match signs(number, end).into_iter().find(|&(_, sign)| changed(sign)) {
        Some((at, _)) => Change { at, never: false },
        None => Change { at: end, never: keeps_sign(number, end - 1) },
    }
}

/// The same for `start + slope * k`: the sign is another one from the first round in which the sum is not less than 0
/// (for a positive slope), and again after it if it is 0 there.
fn first_affine_change(start: &Rat, slope: &Rat, end: u64, changed: impl Fn(i32) -> bool) -> Change {
    let target = slope.signum();
    let zero = -(start / slope);
    let round = |at: Int| at.to_i64().map_or(end, |at| (at.max(0) as u64).min(end));
    if zero.is_integer() && !zero.is_negative() && changed(0) && round(zero.floor()) > 0 {
        return Change { at: round(zero.floor()), never: false };
    }
    if changed(target) {
        // The first round with the sign of the slope.
        return Change { at: round(zero.floor() + Int::ONE), never: false };
    }
    Change { at: end, never: true }
}

/// Whether the sign is the same in all rounds from this one on, as far as is easily seen: the number and its
/// differences of every order have the same sign there, or are zero.
fn keeps_sign(number: &Progression, from: u64) -> bool {
    let sign = number.at(from).signum();
    let coefficients = number.coefficients();
    (1..coefficients.len()).all(|order| {
        let difference = Progression::new(coefficients[order..].to_vec()).at(from).signum();
        difference == 0 || difference == sign
    })
}

/// The rounds before `end` in which the sign differs from the one before, with the signs; round 0 is the first.
fn signs(number: &Progression, end: u64) -> Vec<(u64, i32)> {
    let sign = |at: u64| number.at(at).signum();
    let mut found = vec![(0, sign(0))];
    if number.degree() == 0 || end <= 1 {
        return found;
    }
    let growth = Progression::new(number.coefficients()[1..].to_vec());
    let mut turns: Vec<u64> = signs(&growth, end - 1).into_iter().skip(1).map(|(at, _)| at).collect();
    turns.push(end - 1);
    let mut from = 0;
    for turn in turns {
        // The progression is monotone from `from` to `turn`.
        loop {
            let now = sign(from);
            if now == sign(turn) {
                break;
            }
            let (mut before, mut after) = (from, turn);
            while after - before > 1 {
                let middle = before + (after - before) / 2;
                if sign(middle) == now { before = middle } else { after = middle }
            }
            found.push((after, sign(after)));
            from = after;
        }
        from = turn;
    }
    found
}

#[cfg(test)]
mod tests {
    use shem_base::Rng;

    use super::*;

    #[test]
    fn first_changes_are_those_of_counting() {
        let mut never = 0;
        for seed in 0..4000 {
            let mut rng = Rng::new(seed);
            let degree = rng.index(4);
            let scale = if rng.chance(5) { i64::MAX / 50 } else { 1 };
            let denominator = if rng.chance(20) { 3 } else { 1 };
            let coefficient = |_| Rat::new(rng.range(-30..=30) * scale, denominator);
            let number = Progression::new((0..=degree).map(coefficient).collect());
            let end = 1 + rng.below(50);
            for property in [|sign: i32| sign <= 0, |sign| sign < 0, |sign| sign == 0, |sign| sign >= 0] {
                let now = property(number.at(0).signum());
                let changed = |sign: i32| property(sign) != now;
                let expected = (0..end).find(|&at| changed(number.at(at).signum())).unwrap_or(end);
                let change = first_change(&number, end, changed);
                assert_eq!(change.at, expected, "{number:?}");
                if change.never {
                    never += 1;
                    assert!((0..500).all(|at| !changed(number.at(at).signum())), "{number:?}");
                }
            }
        }
        assert!(never > 4000, "{never} numbers of 16,000 never change");
    }

    #[test]
    fn quotients_and_remainders_hold_for_their_rounds() {
        for seed in 0..4000 {
            let mut rng = Rng::new(seed);
            let degree = rng.index(4);
            let modulus = rng.range(2..=9);
            let coefficient = |_| Rat::from(rng.range(-30..=30));
            let number = Progression::new((0..=degree).map(coefficient).collect());
            let mut rounds = Rounds::new();
            rounds.count = 60;
            let by = Rat::from(modulus);
            let (quotient, remainder) = rounds.divide(&number, &by);
            assert!(rounds.count > 0);
            for round in 0..rounds.count {
                let value = number.at(round).to_int().unwrap();
                let (q, r) = value.div_rem_euclid(&Int::from(modulus));
                assert_eq!((quotient.at(round), remainder.at(round)), (Rat::from(q), Rat::from(r)));
            }
            if rounds.count < 60 {
                // Taken together, so many rounds leave the remainder as it is.
                let multiple = rounds.multiple;
                for round in 0..20 {
                    let at = |round: u64| number.at(round).to_int().unwrap().rem_floor(&modulus.into());
                    assert_eq!(at(round), at(round + multiple), "{number:?} mod {modulus}");
                }
            }
        }
    }
}
