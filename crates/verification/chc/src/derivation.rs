//! Derivations: ground facts, each with the rule and the earlier facts from which it follows.
//!
//! A loop may take a billion steps to falsehood. Where rounds of it differ in numbers only, and these are polynomials
//! in the number of the round, a *repetition* stands for all of them: a word of rules, the number of rounds, and the
//! [course](Course) of each argument. Where they are not, but each fact determines the next, a [run](Run) does.

use shem_base::{Rat, dense_id};
use shem_term::{Store, Value};

use crate::progression::{Course, Progression};
use crate::run::{Run, RunEvaluator};

dense_id! {
    /// A step of a derivation, as stored: those of a repetition's word are stored once.
    pub struct StepId("s");
}

/// A step of a derivation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step<'a, R> {
    /// The rule: an edge of a graph, or a clause of a system.
    pub rule: R,
    /// The steps of the body's facts, in the order of the body; all earlier than this one.
    pub premises: &'a [StepId],
    /// The arguments of the fact that is derived; in a repetition, those of the last round.
    pub values: &'a [Value],
}

/// The witness of unsafety: a list of steps, the last of which derives falsehood. A fact may be used many
/// times. Rules are edges of a graph ([`EdgeId`](crate::EdgeId)) or clauses of a system
/// ([`ClauseId`](crate::ClauseId)).
///
/// The steps are in flat arrays, since there may be millions of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Derivation<R> {
    rules: Vec<R>,
    /// Where the premises and values of a step end; they begin where those of the step before end.
    ends: Vec<(u32, u32)>,
    premises: Vec<StepId>,
    values: Vec<Value>,
    /// By their first steps; the words do not overlap.
    repetitions: Vec<Repeated>,
    /// The coefficients of all courses.
    coefficients: Vec<Rat>,
    /// By the steps that stand for them.
    runs: Vec<(StepId, Run<R>)>,
}

/// Where a repetition is, and how often it is repeated.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Repeated {
    first: StepId,
    length: u32,
    rounds: u64,
    /// The number of coefficients of each argument.
    width: u32,
    /// Where its coefficients begin: for each step of the word and each of its arguments, `width` of them.
    start: u32,
}

/// A word of steps that is repeated. The premise of the first step is the fact of another step in the first round, and
/// that of the word's last step in all later ones; the premise of any other step is the step before.
#[derive(Debug)]
pub struct Repetition<'a, R> {
    derivation: &'a Derivation<R>,
    repeated: Repeated,
}

/// A part of a derivation.
#[derive(Debug)]
pub enum Node<'a, R> {
    /// A single step.
    Step(StepId, Step<'a, R>),
    /// Steps that are repeated.
    Repetition(Repetition<'a, R>),
    /// Steps that are found by evaluation; the step has the rule of the first case and the fact after all of them.
    Run(StepId, Step<'a, R>, &'a Run<R>),
}

/// A step among all that a derivation stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SingleStep<'a, R> {
    /// Its number, from 0.
    pub number: u64,
    /// The step as it is stored.
    pub stored: StepId,
    /// The rule.
    pub rule: R,
    /// The numbers of the premises.
    pub premises: &'a [u64],
    /// The arguments of the fact.
    pub values: &'a [Value],
}

impl<R: Copy> Derivation<R> {
    /// A derivation without steps.
    pub fn new() -> Derivation<R> {
        Derivation {
            rules: Vec::new(),
            ends: Vec::new(),
            premises: Vec::new(),
            values: Vec::new(),
            repetitions: Vec::new(),
            coefficients: Vec::new(),
            runs: Vec::new(),
        }
    }

    /// Adds a step.
    ///
    /// # Panics
    /// If a premise is not an earlier step.
    pub fn push(&mut self, rule: R, premises: &[StepId], values: impl IntoIterator<Item = Value>) -> StepId {
        let id = StepId::new(self.rules.len());
        assert!(premises.iter().all(|&p| p < id), "a premise comes before its use");
        self.rules.push(rule);
        self.premises.extend_from_slice(premises);
        self.values.extend(values);
        let end = |n: usize| u32::try_from(n).expect("a derivation of less than 2^32 entries");
        self.ends.push((end(self.premises.len()), end(self.values.len())));
        id
    }

    /// Adds a repetition: a word of rules with the courses of the arguments of their facts, from the fact of an earlier
    /// step. The result is the last step of the word.
    ///
    /// # Panics
    /// If the premise is not an earlier step, or if there is no rule or no round.
    pub fn push_repetition(&mut self, premise: StepId, rounds: u64, word: &[(R, Vec<Course>)]) -> StepId {
        assert!(rounds > 0 && !word.is_empty(), "a repetition has a word and rounds");
        let first = StepId::new(self.rules.len());
        let degree = word.iter().flat_map(|(_, courses)| courses).map(Course::degree).max().unwrap_or(0);
        let start = u32::try_from(self.coefficients.len()).expect("less than 2^32 coefficients");
        let (length, width) = (word.len() as u32, degree as u32 + 1);
        let mut last = premise;
        for (rule, courses) in word {
            last = self.push(*rule, &[last], courses.iter().map(|course| course.at(rounds - 1)));
            for course in courses {
                let numbers = course.numbers();
                let missing = degree + 1 - numbers.len();
                self.coefficients.extend(numbers);
                self.coefficients.extend(std::iter::repeat_n(Rat::ZERO, missing));
            }
        }
        self.repetitions.push(Repeated { first, length, rounds, width, start });
        last
    }

    /// Adds a run from the fact of an earlier step to this fact. The result is the step that stands for all of it.
    ///
    /// # Panics
    /// If the premise is not an earlier step, or if there is no case or no step.
    pub fn push_run(
        &mut self,
        premise: StepId,
        run: Run<R>,
        values: impl IntoIterator<Item = Value>,
    ) -> StepId {
        assert!(run.steps > 0 && !run.cases.is_empty(), "a run has cases and steps");
        let id = self.push(run.cases[0].rule, &[premise], values);
        self.runs.push((id, run));
        id
    }

    /// Removes the last step.
    ///
    /// # Panics
    /// If there is none, or if it is part of a repetition or a run.
    pub fn pop(&mut self) {
        let at = self.len() - 1;
        assert!(self.runs.last().is_none_or(|(id, _)| id.index() < at), "a run");
        let is_inside = |r: &Repeated| r.first.index() + r.length as usize > at;
        assert!(!self.repetitions.last().is_some_and(is_inside), "a step of a repetition");
        let (premises, values) = if at == 0 { (0, 0) } else { self.ends[at - 1] };
        self.premises.truncate(premises as usize);
        self.values.truncate(values as usize);
        self.rules.pop();
        self.ends.pop();
    }

    /// The number of steps that are stored.
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Whether there is no step.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Whether there are repetitions or runs.
    pub fn has_repetitions(&self) -> bool {
        !self.repetitions.is_empty() || !self.runs.is_empty()
    }

    /// The number of steps that the derivation stands for, or the greatest number there is.
    pub fn step_count(&self) -> u64 {
        let more = |r: &Repeated| (r.rounds - 1).saturating_mul(u64::from(r.length));
        let more = self.repetitions.iter().map(more).chain(self.runs.iter().map(|(_, run)| run.steps - 1));
        more.fold(self.len() as u64, u64::saturating_add)
    }

    /// The step with this id, as stored.
    pub fn step(&self, id: StepId) -> Step<'_, R> {
        let at = id.index();
        let (premises, values) = if at == 0 { (0, 0) } else { self.ends[at - 1] };
        let (premises_end, values_end) = self.ends[at];
        Step {
            rule: self.rules[at],
            premises: &self.premises[premises as usize..premises_end as usize],
            values: &self.values[values as usize..values_end as usize],
        }
    }

    /// The steps as stored, in order. Whoever asks for more than rules or facts that are derived asks for the
    /// [nodes](Derivation::nodes): a step in a repetition does not follow from its premise.
    pub fn steps(&self) -> impl Iterator<Item = (StepId, Step<'_, R>)> {
        (0..self.len()).map(StepId::new).map(|id| (id, self.step(id)))
    }

    /// The parts in order.
    pub fn nodes(&self) -> impl Iterator<Item = Node<'_, R>> {
        let mut repetitions = self.repetitions.iter().peekable();
        let mut runs = self.runs.iter().peekable();
        let mut at = 0;
        std::iter::from_fn(move || {
            if at == self.len() {
                return None;
            }
            let id = StepId::new(at);
            if let Some(&&repeated) = repetitions.peek()
                && repeated.first == id
            {
                repetitions.next();
                at += repeated.length as usize;
                return Some(Node::Repetition(Repetition { derivation: self, repeated }));
            }
            at += 1;
            if let Some((_, run)) = runs.next_if(|(first, _)| *first == id) {
                return Some(Node::Run(id, self.step(id), run));
            }
            Some(Node::Step(id, self.step(id)))
        })
    }

    /// Shows all steps, one after another, without keeping them. A run that does not go on ends with its last step.
    pub fn visit_steps<E>(
        &self,
        store: &Store,
        mut visit: impl FnMut(SingleStep<'_, R>) -> Result<(), E>,
    ) -> Result<(), E> {
        // By stored step: the number of the step, in a repetition that of the last round.
        let mut numbers: Vec<u64> = Vec::with_capacity(self.len());
        let mut premises = Vec::new();
        let mut next = 0;
        for node in self.nodes() {
            match node {
                Node::Step(stored, Step { rule, premises: ids, values }) => {
                    premises.clear();
                    premises.extend(ids.iter().map(|id| numbers[id.index()]));
                    visit(SingleStep { number: next, stored, rule, premises: &premises, values })?;
                    numbers.push(next);
                    next += 1;
                }
                Node::Run(stored, step, run) => {
                    let mut evaluator = RunEvaluator::new(store, run);
                    let mut before = numbers[step.premises[0].index()];
                    let mut fact = self.step(step.premises[0]).values.to_vec();
                    for left in (0..run.steps).rev() {
                        let (rule, values) = match evaluator.step(store, &fact) {
                            Some((case, values)) => (run.cases[case].rule, values),
                            None if left == 0 => (step.rule, step.values.to_vec()),
                            None => continue,
                        };
                        visit(SingleStep {
                            number: next,
                            stored,
                            rule,
                            premises: &[before],
                            values: &values,
                        })?;
                        (before, fact) = (next, values);
                        next += 1;
                    }
                    numbers.push(next - 1);
                }
                Node::Repetition(repetition) => {
                    let mut before = numbers[repetition.premise().index()];
                    for round in 0..repetition.rounds() {
                        for position in 0..repetition.length() {
                            let values = repetition.values(position, round);
                            let stored = StepId::new(repetition.first().index() + position);
                            let rule = repetition.rule(position);
                            let premises = &[before];
                            visit(SingleStep { number: next, stored, rule, premises, values: &values })?;
                            before = next;
                            next += 1;
                        }
                    }
                    let length = repetition.length() as u64;
                    numbers.extend(next - length..next);
                }
            }
        }
        Ok(())
    }

    /// The same derivation without repetitions, if it has at most this many steps.
    pub fn expanded(&self, store: &Store, limit: u64) -> Option<Derivation<R>> {
        if self.step_count() > limit {
            return None;
        }
        let mut result = Derivation::new();
        let mut premises = Vec::new();
        let done: Result<(), std::convert::Infallible> = self.visit_steps(store, |step| {
            premises.clear();
            premises.extend(step.premises.iter().map(|&number| StepId::new(number as usize)));
            result.push(step.rule, &premises, step.values.iter().cloned());
            Ok(())
        });
        done.ok()?;
        Some(result)
    }

    /// The same derivation with other rules.
    pub fn map_rules<S>(self, mut rule: impl FnMut(R) -> S) -> Derivation<S> {
        Derivation {
            rules: self.rules.into_iter().map(&mut rule).collect(),
            ends: self.ends,
            premises: self.premises,
            values: self.values,
            repetitions: self.repetitions,
            coefficients: self.coefficients,
            runs: self.runs.into_iter().map(|(id, run)| (id, run.map_rules(&mut rule))).collect(),
        }
    }
}

impl<R: Copy> Repetition<'_, R> {
    /// The first step of the word; the others follow it.
    pub fn first(&self) -> StepId {
        self.repeated.first
    }

    /// The number of steps in the word.
    pub fn length(&self) -> usize {
        self.repeated.length as usize
    }

    /// How often the word is repeated.
    pub fn rounds(&self) -> u64 {
        self.repeated.rounds
    }

    /// The step from whose fact the first round begins.
    pub fn premise(&self) -> StepId {
        self.derivation.step(self.first()).premises[0]
    }

    /// The rule of a step of the word.
    pub fn rule(&self, position: usize) -> R {
        self.derivation.rules[self.first().index() + position]
    }

    /// The courses of the arguments of a step of the word.
    pub fn courses(&self, position: usize) -> Vec<Course> {
        let first = self.first().index();
        let start_of = |at: usize| if at == 0 { 0 } else { self.derivation.ends[at - 1].1 as usize };
        let skipped = start_of(first + position) - start_of(first);
        let width = self.repeated.width as usize;
        let mut at = self.repeated.start as usize + skipped * width;
        let values = self.derivation.step(StepId::new(first + position)).values;
        let course = |value: &Value| {
            let coefficients = &self.derivation.coefficients[at..at + width];
            at += width;
            match value {
                Value::Bool(_) => Course::Truth(!coefficients[0].is_zero()),
                _ => Course::Number(Progression::new(coefficients.to_vec())),
            }
        };
        values.iter().map(course).collect()
    }

    /// The arguments of a step of the word in a round.
    pub fn values(&self, position: usize, round: u64) -> Vec<Value> {
        self.courses(position).iter().map(|course| course.at(round)).collect()
    }
}

impl<R: Copy> Default for Derivation<R> {
    fn default() -> Derivation<R> {
        Derivation::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `x` counts from 0 by twos for a thousand rounds of two steps each, and `y` is the square of the round.
    fn counting() -> Derivation<u32> {
        let number = |n: i64| Value::Num(n.into());
        let course = |values: [i64; 3]| Course::through(&values.map(number)).unwrap();
        let mut derivation = Derivation::new();
        let start = derivation.push(0, &[], [number(-1), Value::Bool(true)]);
        let word = [
            (1, vec![course([0, 2, 4]), Course::Truth(false)]),
            (2, vec![course([1, 3, 5]), Course::Truth(true), course([0, 1, 4])]),
        ];
        let last = derivation.push_repetition(start, 1000, &word);
        derivation.push(3, &[last, start], []);
        derivation
    }

    #[test]
    fn a_repetition_stands_for_its_steps() {
        let derivation = counting();
        let store = Store::new();
        assert_eq!((derivation.len(), derivation.step_count()), (4, 2002));
        assert_eq!(derivation.expanded(&store, 2001), None);
        let plain = derivation.expanded(&store, 2002).unwrap();
        assert!(!plain.has_repetitions() && plain.len() == 2002);
        let number = |n: i64| Value::Num(n.into());
        for (id, step) in plain.steps() {
            let n = id.index() as i64;
            let before: &[StepId] = &[StepId::new(id.index().saturating_sub(1))];
            match (n, (n - 1) / 2, n % 2) {
                (0, ..) => assert_eq!(step.values, [number(-1), Value::Bool(true)]),
                (2001, ..) => assert_eq!(step.premises, [StepId::new(2000), StepId::new(0)]),
                (_, round, 1) => {
                    assert_eq!((step.rule, step.premises), (1, before));
                    assert_eq!(step.values, [number(2 * round), Value::Bool(false)]);
                }
                (_, round, _) => {
                    let values = [number(2 * round + 1), Value::Bool(true), number(round * round)];
                    assert_eq!((step.rule, step.premises, step.values), (2, before, &values[..]));
                }
            }
        }
        assert_eq!(plain.expanded(&store, 5000), Some(plain.clone()));
        // What follows sees the last round.
        assert_eq!(derivation.step(StepId::new(2)).values[2], number(999 * 999));
        let doubled = derivation.clone().map_rules(|rule| 2 * rule);
        assert_eq!(doubled.expanded(&store, 3000), Some(plain.map_rules(|rule| 2 * rule)));
    }
}
