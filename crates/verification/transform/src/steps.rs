//! The way back for derivations, step by step.
//!
//! A pass says how it translates one step, given the facts of its premises before and after; [`translate`] goes
//! through the derivation. A repetition is not taken apart: its first rounds are translated, and if they have the same
//! rules and their values are polynomials in the number of the round, these are tried in later rounds, too, up to the
//! last one. As far as they are right there, the repetition is kept; after that, the next rounds are translated. That
//! the rounds in between are right as well is for the judge to say: a way back may guess.

use shem_base::{Budget, UnknownReason};
use shem_chc::{Course, Derivation, EdgeId, Node, Repetition, Step, StepId};
use shem_term::{Store, Value};

use crate::pass::BackError;

/// The single steps that repetitions may become.
const MOST_SINGLE_STEPS: usize = 300_000;

/// How much the degree of a value may be greater than those that are known: a sum of the latter is one more.
const HIGHER_DEGREE: usize = 1;

/// Translates single steps.
pub(crate) trait StepTranslator {
    /// Whether steps by this rule stay as they are.
    fn leaves(&self, rule: EdgeId) -> bool;

    /// Adds what stands for a step to the result, and gives the step there that derives its fact. The facts are those
    /// of the premises as they are given, the premises those in the result.
    fn translate(
        &mut self,
        store: &mut Store,
        result: &mut Derivation<EdgeId>,
        step: &Step<'_, EdgeId>,
        facts: &[&[Value]],
        premises: &[StepId],
        budget: &mut Budget,
    ) -> Result<StepId, BackError>;
}

/// Translates a derivation.
pub(crate) fn translate(
    store: &mut Store,
    derivation: &Derivation<EdgeId>,
    translator: &mut dyn StepTranslator,
    budget: &mut Budget,
) -> Result<Derivation<EdgeId>, BackError> {
    let mut result = Derivation::new();
    // By step: the step of the result that derives its fact.
    let mut steps: Vec<StepId> = Vec::with_capacity(derivation.len());
    let mut premises = Vec::new();
    for node in derivation.nodes() {
        budget.check_stop()?;
        match node {
            Node::Step(_, step) => {
                premises.clear();
                premises.extend(step.premises.iter().map(|p| steps[p.index()]));
                if translator.leaves(step.rule) {
                    steps.push(result.push(step.rule, &premises, step.values.iter().cloned()));
                    continue;
                }
                let facts: Vec<&[Value]> = step.premises.iter().map(|&p| derivation.step(p).values).collect();
                let at = translator.translate(store, &mut result, &step, &facts, &premises, budget)?;
                steps.push(at);
            }
            Node::Repetition(repetition) => {
                let premise = steps[repetition.premise().index()];
                let start = derivation.step(repetition.premise()).values;
                let rest = Rest { repetition: &repetition, start, translator };
                let last = rest.translate(store, &mut result, premise, budget)?;
                // Nobody but the step after a repetition uses a step of it, and that one the last.
                steps.extend(std::iter::repeat_n(last, repetition.length()));
            }
        }
    }
    Ok(result)
}

/// A repetition that is being translated.
struct Rest<'a, 'd> {
    repetition: &'a Repetition<'d, EdgeId>,
    /// The fact that the first round begins with, as it is given.
    start: &'a [Value],
    translator: &'a mut dyn StepTranslator,
}

/// A round after translation: rules and facts, each from the one before.
type Round = Vec<(EdgeId, Vec<Value>)>;

impl Rest<'_, '_> {
    /// Translates all rounds; gives the last step.
    fn translate(
        mut self,
        store: &mut Store,
        result: &mut Derivation<EdgeId>,
        premise: StepId,
        budget: &mut Budget,
    ) -> Result<StepId, BackError> {
        let (length, rounds) = (self.repetition.length(), self.repetition.rounds());
        if (0..length).all(|position| self.translator.leaves(self.repetition.rule(position))) {
            let word: Vec<(EdgeId, Vec<Course>)> =
                (0..length).map(|p| (self.repetition.rule(p), self.repetition.courses(p))).collect();
            return Ok(result.push_repetition(premise, rounds, &word));
        }
        let courses: Vec<Vec<Course>> = (0..length).map(|p| self.repetition.courses(p)).collect();
        let degree = courses.iter().flatten().map(Course::degree).max().unwrap_or(0) + HIGHER_DEGREE;
        let mut premise = premise;
        let mut done = 0;
        let mut singles = 0;
        while done < rounds {
            // As many rounds as the highest degree needs, and one that confirms it.
            let wanted = (degree as u64 + 2).min(rounds - done);
            let mut sample: Vec<Round> = Vec::new();
            let mut fact = result.step(premise).values.to_vec();
            for at in 0..wanted {
                budget.check_stop()?;
                let Some(round) = self.round(store, &courses, done + at, &fact, budget)? else { break };
                fact = round.last().map_or_else(Vec::new, |(_, values)| values.clone());
                sample.push(round);
            }
            if sample.is_empty() {
                return self.singly(store, result, premise, &courses, done, budget);
            }
            let enough = sample.len() as u64 == wanted && wanted > degree as u64 + 1;
            let word = if enough { fit(&sample) } else { None };
            if let Some(word) = word {
                let kept = self.extent(store, &courses, done, rounds - done, &word, budget)?;
                if kept > wanted {
                    premise = result.push_repetition(premise, kept, &word);
                    done += kept;
                    continue;
                }
            }
            // Only the first round is taken: the next ones may go on evenly.
            let take = if enough { 1 } else { sample.len() };
            for round in sample.into_iter().take(take) {
                singles += round.len();
                for (rule, values) in round {
                    premise = result.push(rule, &[premise], values);
                }
                done += 1;
            }
            if singles > MOST_SINGLE_STEPS {
                return Err(too_long());
            }
        }
        Ok(premise)
    }

    /// Translates a round from a fact of the result; `None` if it does not become steps each of which has the one
    /// before as its only premise.
    fn round(
        &mut self,
        store: &mut Store,
        courses: &[Vec<Course>],
        number: u64,
        fact: &[Value],
        budget: &mut Budget,
    ) -> Result<Option<Round>, BackError> {
        let mut scratch: Derivation<EdgeId> = Derivation::new();
        // The rule of the fact is not looked at.
        let mut premise = scratch.push(self.repetition.rule(0), &[], fact.to_vec());
        let mut before: Vec<Value> = match number.checked_sub(1) {
            None => self.start.to_vec(),
            Some(earlier) => courses[courses.len() - 1].iter().map(|course| course.at(earlier)).collect(),
        };
        for (position, own) in courses.iter().enumerate() {
            let values: Vec<Value> = own.iter().map(|course| course.at(number)).collect();
            let rule = self.repetition.rule(position);
            if self.translator.leaves(rule) {
                premise = scratch.push(rule, &[premise], values.clone());
            } else {
                let step = Step { rule, premises: &[], values: &values };
                let (facts, premises) = ([&before[..]], [premise]);
                premise = self.translator.translate(store, &mut scratch, &step, &facts, &premises, budget)?;
            }
            before = values;
        }
        let mut round = Round::new();
        for (id, step) in scratch.steps().skip(1) {
            if *step.premises != [StepId::new(id.index() - 1)] {
                return Ok(None);
            }
            round.push((step.rule, step.values.to_vec()));
        }
        Ok(Some(round))
    }

    /// Whether a round, counted from the first of the word, is translated to what the word says.
    fn agrees(
        &mut self,
        store: &mut Store,
        courses: &[Vec<Course>],
        done: u64,
        at: u64,
        word: &[(EdgeId, Vec<Course>)],
        budget: &mut Budget,
    ) -> Result<bool, BackError> {
        let fact: Vec<Value> = word[word.len() - 1].1.iter().map(|course| course.at(at - 1)).collect();
        let round = match self.round(store, courses, done + at, &fact, budget) {
            Ok(Some(round)) => round,
            // From a fact that is none, no step need be possible.
            Ok(None) | Err(BackError::Broken(_)) => return Ok(false),
            Err(error) => return Err(error),
        };
        let same = |((rule, values), (known, courses)): (&(EdgeId, Vec<Value>), &(EdgeId, Vec<Course>))| {
            rule == known && values.iter().zip(courses).all(|(value, course)| *value == course.at(at))
        };
        Ok(round.len() == word.len() && round.iter().zip(word).all(same))
    }

    /// For how many of the rounds that are left the word seems right.
    fn extent(
        &mut self,
        store: &mut Store,
        courses: &[Vec<Course>],
        done: u64,
        left: u64,
        word: &[(EdgeId, Vec<Course>)],
        budget: &mut Budget,
    ) -> Result<u64, BackError> {
        let mut good = 1;
        for at in [left / 3, left / 2, left - 1] {
            if at <= good {
                continue;
            }
            if !self.agrees(store, courses, done, at, word, budget)? {
                let mut bad = at;
                while bad - good > 1 {
                    budget.check_stop()?;
                    let middle = good + (bad - good) / 2;
                    if self.agrees(store, courses, done, middle, word, budget)? {
                        good = middle;
                    } else {
                        bad = middle;
                    }
                }
                return Ok(good + 1);
            }
            good = at;
        }
        Ok(left)
    }

    /// Translates what is left step by step.
    fn singly(
        self,
        store: &mut Store,
        result: &mut Derivation<EdgeId>,
        mut premise: StepId,
        courses: &[Vec<Course>],
        done: u64,
        budget: &mut Budget,
    ) -> Result<StepId, BackError> {
        let left = (self.repetition.rounds() - done).saturating_mul(courses.len() as u64);
        if left > MOST_SINGLE_STEPS as u64 {
            return Err(too_long());
        }
        let mut before: Vec<Value> = match done.checked_sub(1) {
            None => self.start.to_vec(),
            Some(earlier) => courses[courses.len() - 1].iter().map(|course| course.at(earlier)).collect(),
        };
        for round in done..self.repetition.rounds() {
            budget.check_stop()?;
            for (position, own) in courses.iter().enumerate() {
                let values: Vec<Value> = own.iter().map(|course| course.at(round)).collect();
                let rule = self.repetition.rule(position);
                if self.translator.leaves(rule) {
                    premise = result.push(rule, &[premise], values.clone());
                } else {
                    let step = Step { rule, premises: &[], values: &values };
                    let (facts, premises) = ([&before[..]], [premise]);
                    premise = self.translator.translate(store, result, &step, &facts, &premises, budget)?;
                }
                before = values;
            }
        }
        Ok(premise)
    }
}

fn too_long() -> BackError {
    BackError::Unknown(UnknownReason::Incomplete("a repetition does not stay one in the system as read"))
}

/// The word of which these are the first rounds, if there is one: the last round confirms what the others say.
fn fit(rounds: &[Round]) -> Option<Vec<(EdgeId, Vec<Course>)>> {
    let (first, count) = (&rounds[0], rounds.len());
    let mut word = Vec::with_capacity(first.len());
    for (position, (rule, values)) in first.iter().enumerate() {
        let same = |round: &Round| {
            round.len() == first.len()
                && round[position].0 == *rule
                && round[position].1.len() == values.len()
        };
        if !rounds.iter().all(same) {
            return None;
        }
        let mut courses = Vec::with_capacity(values.len());
        for argument in 0..values.len() {
            let seen: Vec<Value> =
                rounds[..count - 1].iter().map(|round| round[position].1[argument].clone()).collect();
            let course = Course::through(&seen)?;
            if course.at(count as u64 - 1) != rounds[count - 1][position].1[argument] {
                return None;
            }
            courses.push(course);
        }
        word.push((*rule, courses));
    }
    (!word.is_empty()).then_some(word)
}
