//! Repetitions in derivations that were found step by step.
//!
//! Where the same word of rules is taken again and again and the arguments are polynomials of low degree in the number
//! of the round, a repetition says as much as the steps. It stands for exactly the steps that were there, so nothing has
//! to be checked here. Words are looked for from each place on, short ones first; the one that covers most is taken. A
//! place at which nothing repeats costs a few subtractions for each length of word, and the next ones are passed over.

use shem_base::Rat;
use shem_term::Value;

use crate::derivation::{Derivation, StepId};
use crate::progression::Course;

/// The longest word that is looked for.
const LONGEST_WORD: usize = 64;

/// The rounds and the steps that a repetition stands for, at least.
const FEWEST_ROUNDS: usize = 8;
const FEWEST_STEPS: usize = 64;

/// The steps that are passed over after a place at which nothing repeats, at most: twice as many each time.
const LONGEST_WAIT: usize = 32;

/// Signs of the differences of order 1 to 4, the latest value first: they vanish for degrees 0 to 3.
const DIFFERENCES: [&[i64]; 4] = [&[1, -1], &[1, -2, 1], &[1, -3, 3, -1], &[1, -4, 6, -4, 1]];

/// A place at which a word is repeated.
#[derive(Clone, Copy)]
struct Stretch {
    length: usize,
    rounds: usize,
    degree: usize,
}

impl<R: Copy + PartialEq> Derivation<R> {
    /// The same derivation with repetitions where steps repeat; those that it has stay.
    pub fn compressed(self) -> Derivation<R> {
        if self.has_repetitions() || self.len() < FEWEST_STEPS {
            return self;
        }
        let chain = Chain::new(&self);
        let mut result = Derivation::new();
        // By step: the step of the result with its fact. Steps in a repetition are used by nobody else.
        let mut steps: Vec<StepId> = Vec::with_capacity(self.len());
        let mut premises = Vec::new();
        let (mut at, mut look, mut wait) = (0, 0, 1);
        while at < self.len() {
            let found = if at >= look { chain.find(at) } else { None };
            if let Some(stretch) = found {
                let word: Vec<(R, Vec<Course>)> =
                    (0..stretch.length).map(|position| chain.courses(at + position, stretch)).collect();
                let last = result.push_repetition(steps[at - 1], stretch.rounds as u64, &word);
                let count = stretch.length * stretch.rounds;
                steps.extend(std::iter::repeat_n(last, count));
                at += count;
                wait = 1;
                continue;
            }
            if at >= look {
                look = at + wait;
                wait = (2 * wait).min(LONGEST_WAIT);
            }
            let step = self.step(StepId::new(at));
            premises.clear();
            premises.extend(step.premises.iter().map(|premise| steps[premise.index()]));
            steps.push(result.push(step.rule, &premises, step.values.iter().cloned()));
            at += 1;
        }
        result
    }
}

/// A derivation in which repetitions are looked for.
struct Chain<'a, R> {
    derivation: &'a Derivation<R>,
    /// By step: where the steps end that begin here and have the step before as their only premise, and of which only
    /// the last may be used by others than the next.
    ends: Vec<usize>,
}

impl<'a, R: Copy + PartialEq> Chain<'a, R> {
    fn new(derivation: &'a Derivation<R>) -> Chain<'a, R> {
        let count = derivation.len();
        let mut linked = vec![false; count];
        let mut shared = vec![false; count];
        for (id, step) in derivation.steps() {
            let at = id.index();
            linked[at] = at > 0 && *step.premises == [StepId::new(at - 1)] && !step.values.is_empty();
            for premise in step.premises.iter().filter(|premise| premise.index() + 1 != at) {
                shared[premise.index()] = true;
            }
        }
        let mut ends = vec![0; count];
        for at in (0..count).rev() {
            let goes_on = at + 1 < count && linked[at + 1] && !shared[at];
            ends[at] = match (linked[at], goes_on) {
                (false, _) => at,
                (true, true) => ends[at + 1],
                (true, false) => at + 1,
            };
        }
        Chain { derivation, ends }
    }

    fn values(&self, at: usize) -> &[Value] {
        self.derivation.step(StepId::new(at)).values
    }

    /// The repetition from this step on that covers most, if one covers enough.
    fn find(&self, at: usize) -> Option<Stretch> {
        let end = self.ends[at];
        let mut best: Option<Stretch> = None;
        for length in 1..=LONGEST_WORD {
            if at + length * FEWEST_ROUNDS > end {
                break;
            }
            let Some(stretch) = self.stretch(at, length, end) else { continue };
            let steps = |stretch: Stretch| stretch.length * stretch.rounds;
            if best.is_none_or(|known| steps(known) < steps(stretch)) {
                best = Some(stretch);
            }
        }
        best
    }

    /// How often the word of this length is repeated from a step on.
    fn stretch(&self, at: usize, length: usize, end: usize) -> Option<Stretch> {
        let rule = |at: usize| self.derivation.step(StepId::new(at)).rule;
        // The fact before the first step is that of the word's last one in the round before.
        let degree = (0..DIFFERENCES.len())
            .find(|&degree| self.vanishes(at - 1 + (degree + 1) * length, length, degree))?;
        let mut next = at + length;
        while next < end && rule(next) == rule(next - length) {
            let enough = next + 1 - at >= (degree + 1) * length;
            if enough && !self.vanishes(next, length, degree) {
                break;
            }
            next += 1;
        }
        let rounds = (next - at) / length;
        let worth = rounds >= FEWEST_ROUNDS && rounds * length >= FEWEST_STEPS;
        worth.then_some(Stretch { length, rounds, degree })
    }

    /// Whether the facts that end at this step and lie a word apart are on polynomials of this degree.
    fn vanishes(&self, last: usize, length: usize, degree: usize) -> bool {
        let signs = DIFFERENCES[degree];
        let facts: [&[Value]; 5] =
            std::array::from_fn(|back| self.values(last - length * back.min(signs.len() - 1)));
        let width = facts[0].len();
        facts.iter().all(|fact| fact.len() == width)
            && (0..width).all(|argument| match &facts[0][argument] {
                Value::Num(_) => {
                    let mut sum = Rat::ZERO;
                    for (fact, &sign) in facts.iter().zip(signs) {
                        let Some(number) = fact[argument].as_num() else { return false };
                        sum.add_mul(&Rat::from(sign), number);
                    }
                    sum.is_zero()
                }
                Value::Bool(truth) => {
                    facts[..signs.len()].iter().all(|fact| fact[argument] == Value::Bool(*truth))
                }
                _ => false,
            })
    }

    /// The rule of a step of the word, with the courses of its arguments.
    fn courses(&self, at: usize, stretch: Stretch) -> (R, Vec<Course>) {
        let step = self.derivation.step(StepId::new(at));
        let rounds = 0..=stretch.degree;
        let facts: Vec<&[Value]> = rounds.map(|round| self.values(at + round * stretch.length)).collect();
        let course = |argument: usize| {
            let values: Vec<Value> = facts.iter().map(|fact| fact[argument].clone()).collect();
            Course::through(&values).expect("numbers, or the same truth value")
        };
        (step.rule, (0..step.values.len()).map(course).collect())
    }
}

#[cfg(test)]
mod tests {
    use shem_base::Rng;

    use super::*;

    /// Chains of random words, some of them repeated: the result stands for the same steps.
    #[test]
    fn compressed_derivations_stand_for_the_same_steps() {
        let (mut shorter, mut same) = (0, 0);
        let store = shem_term::Store::new();
        for seed in 0..300 {
            let mut rng = Rng::new(seed);
            let mut derivation: Derivation<u32> = Derivation::new();
            let width = 1 + rng.index(3);
            let mut state: Vec<i64> = (0..width).map(|_| rng.range(-5..=5)).collect();
            let fact = |state: &[i64], odd: bool| -> Vec<Value> {
                let numbers = state.iter().map(|&n| Value::Num(n.into()));
                numbers.chain([Value::Bool(odd)]).collect()
            };
            let mut last = derivation.push(0, &[], fact(&state, false));
            for _ in 0..1 + rng.index(4) {
                let length = 1 + rng.index(5);
                let word: Vec<Vec<i64>> =
                    (0..length).map(|_| (0..width).map(|_| rng.range(-3..=3)).collect()).collect();
                let squares = rng.chance(40);
                for round in 0..rng.below(80) as i64 {
                    for (at, amounts) in word.iter().enumerate() {
                        for (number, amount) in state.iter_mut().zip(amounts) {
                            *number += if squares { amount * round } else { *amount };
                        }
                        let premises = if rng.chance(1) { vec![StepId::new(0)] } else { vec![last] };
                        last = derivation.push(at as u32, &premises, fact(&state, at % 2 == 1));
                    }
                }
            }
            derivation.push(9, &[last], []);
            let compressed = derivation.clone().compressed();
            if compressed.len() < derivation.len() {
                shorter += 1;
            } else {
                same += 1;
            }
            let expanded = compressed.expanded(&store, u64::MAX).expect("short");
            assert_eq!(expanded, derivation, "seed {seed}");
        }
        assert!(shorter > 200 && same > 10, "{shorter} shorter, {same} not");
    }
}
