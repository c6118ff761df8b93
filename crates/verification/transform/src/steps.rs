//! The way back for derivations, step by step.
//!
//! A pass says how it translates one step, given the facts of its premises before and after; [`translate`] goes
//! through the derivation. A repetition is not taken apart: its first rounds are translated, and if they have the same
//! rules and their values are polynomials in the number of the round, the part of the judge that evaluates clauses over
//! rounds says for how many rounds this goes on. Where values that a pass has removed have a longer period, several
//! rounds are taken as one. After that, the next rounds are translated; where nothing goes on, they become single steps,
//! up to a limit.

use std::collections::BTreeMap;

use shem_base::UnknownReason;
use shem_chc::{
    Course, Derivation, Edge, EdgeId, Graph, Node, Repetition, Run, RunCase, RunEvaluator, Step, StepId,
};
use shem_check::RoundCheck;
use shem_term::{Store, Term, Value};

use crate::pass::{After, BackError, Returned};
use crate::scan::source_variables;

/// The single steps that repetitions may become.
const MOST_SINGLE_STEPS: usize = 300_000;

/// How many rounds are taken as one, at most, and the steps that are translated to find out.
const MOST_ROUNDS_AS_ONE: usize = 64;
const LARGEST_SAMPLE: usize = 4_000;

/// How much the degree of a value may be greater than those that are known: a sum of the latter is one more.
const HIGHER_DEGREE: usize = 1;

/// Translates single steps.
pub(crate) trait StepTranslator {
    /// Whether steps by this rule stay as they are.
    fn leaves(&self, rule: EdgeId) -> bool;

    /// The edge of a rule that steps are translated to; `None` for rules that stay.
    fn edge(&self, rule: EdgeId) -> Option<&Edge>;

    /// Adds what stands for a step to the result, and gives the step there that derives its fact.
    fn translate(&mut self, at: After<'_>, given: Given<'_>, to: &mut Derivation<EdgeId>)
    -> Returned<StepId>;
}

/// A step that is translated.
#[derive(Clone, Copy)]
pub(crate) struct Given<'a> {
    pub(crate) rule: EdgeId,
    pub(crate) values: &'a [Value],
    /// The facts of the premises, as they are given.
    pub(crate) facts: &'a [&'a [Value]],
    /// The premises in the result.
    pub(crate) premises: &'a [StepId],
}

/// A derivation without repetitions, for passes whose way back takes none.
pub(crate) fn plain(store: &Store, derivation: Derivation<EdgeId>) -> Returned<Derivation<EdgeId>> {
    if !derivation.has_repetitions() {
        return Ok(derivation);
    }
    derivation.expanded(store, MOST_SINGLE_STEPS as u64).ok_or_else(too_long)
}

/// Translates a derivation.
pub(crate) fn translate(
    mut at: After<'_>,
    derivation: &Derivation<EdgeId>,
    translator: &mut dyn StepTranslator,
) -> Returned<Derivation<EdgeId>> {
    let mut result = Derivation::new();
    let mut checks = Checks::default();
    // By step: the step of the result that derives its fact.
    let mut steps: Vec<StepId> = Vec::with_capacity(derivation.len());
    let mut premises = Vec::new();
    for node in derivation.nodes() {
        at.budget.check_stop()?;
        match node {
            Node::Step(_, step) => {
                premises.clear();
                premises.extend(step.premises.iter().map(|p| steps[p.index()]));
                if translator.leaves(step.rule) {
                    steps.push(result.push(step.rule, &premises, step.values.iter().cloned()));
                    continue;
                }
                let facts: Vec<&[Value]> = step.premises.iter().map(|&p| derivation.step(p).values).collect();
                let given =
                    Given { rule: step.rule, values: step.values, facts: &facts, premises: &premises };
                steps.push(translator.translate(at.reborrow(), given, &mut result)?);
            }
            Node::Run(_, step, run) => {
                let premise = steps[step.premises[0].index()];
                let start = derivation.step(step.premises[0]).values;
                let from = (premise, start);
                steps.push(translate_run(at.reborrow(), &mut result, from, &step, run, translator)?);
            }
            Node::Repetition(repetition) => {
                let premise = steps[repetition.premise().index()];
                let start = derivation.step(repetition.premise()).values;
                let rest = Rest { repetition: &repetition, start, translator, checks: &mut checks };
                let last = rest.translate(at.reborrow(), &mut result, premise)?;
                // Nobody but the step after a repetition uses a step of it, and that one the last.
                steps.extend(std::iter::repeat_n(last, repetition.length()));
            }
        }
    }
    Ok(result)
}

/// Translates a run: it stays one if the facts stay and each case becomes a step by one rule. Which rule that is, the
/// first step by the case says. Otherwise its steps are translated one by one, up to a limit.
fn translate_run(
    mut at: After<'_>,
    result: &mut Derivation<EdgeId>,
    (premise, start): (StepId, &[Value]),
    step: &Step<'_, EdgeId>,
    run: &Run<EdgeId>,
    translator: &mut dyn StepTranslator,
) -> Returned<StepId> {
    let leaves = |case: &RunCase<EdgeId>, translator: &dyn StepTranslator| translator.leaves(case.rule);
    let mut rules: Vec<Option<EdgeId>> =
        run.cases.iter().map(|case| leaves(case, translator).then_some(case.rule)).collect();
    let mut evaluator = RunEvaluator::new(at.store, run);
    let mut fact = start.to_vec();
    let mut stays = result.step(premise).values == start;
    for _ in 0..run.steps {
        if !stays || rules.iter().all(Option::is_some) {
            break;
        }
        at.budget.check_stop()?;
        let Some((case, next)) = evaluator.step(at.store, &fact) else { break };
        if rules[case].is_none() {
            let mut scratch: Derivation<EdgeId> = Derivation::new();
            let from = scratch.push(run.cases[case].rule, &[], fact.clone());
            let rule = run.cases[case].rule;
            let given = Given { rule, values: &next, facts: &[&fact], premises: &[from] };
            let last = translator.translate(at.reborrow(), given, &mut scratch)?;
            let found = scratch.step(last);
            stays = scratch.len() == 2 && *found.premises == [from] && *found.values == next[..];
            rules[case] = Some(found.rule);
        }
        fact = next;
    }
    // A case that no step takes is left out.
    let cases = run.cases.iter().zip(&rules);
    let cases = cases.filter_map(|(case, rule)| Some(RunCase { rule: (*rule)?, ..case.clone() }));
    let cases: Vec<RunCase<EdgeId>> = cases.collect();
    if stays && !cases.is_empty() {
        let run = Run { arguments: run.arguments.clone(), cases, steps: run.steps };
        return Ok(result.push_run(premise, run, step.values.iter().cloned()));
    }
    if run.steps > MOST_SINGLE_STEPS as u64 {
        return Err(too_long());
    }
    let (mut evaluator, mut fact, mut last) = (RunEvaluator::new(at.store, run), start.to_vec(), premise);
    for _ in 0..run.steps {
        at.budget.check_stop()?;
        let broken = || BackError::Broken("a run does not go on".into());
        let (case, next) = evaluator.step(at.store, &fact).ok_or_else(broken)?;
        let rule = run.cases[case].rule;
        last = step_from(at.reborrow(), translator, rule, &next, (last, &fact), result)?;
        fact = next;
    }
    Ok(last)
}

/// Translates a step by a rule from one fact, or adds it as it is.
fn step_from(
    at: After<'_>,
    translator: &mut dyn StepTranslator,
    rule: EdgeId,
    values: &[Value],
    (premise, fact): (StepId, &[Value]),
    result: &mut Derivation<EdgeId>,
) -> Returned<StepId> {
    if translator.leaves(rule) {
        return Ok(result.push(rule, &[premise], values.to_vec()));
    }
    translator.translate(at, Given { rule, values, facts: &[fact], premises: &[premise] }, result)
}

/// A repetition that is being translated.
struct Rest<'a, 'd> {
    repetition: &'a Repetition<'d, EdgeId>,
    /// The fact that the first round begins with, as it is given.
    start: &'a [Value],
    translator: &'a mut dyn StepTranslator,
    checks: &'a mut Checks,
}

/// A round after translation: rules and facts, each from the one before.
type Round = Vec<(EdgeId, Vec<Value>)>;

/// The word of a repetition.
type Word = Vec<(EdgeId, Vec<Course>)>;

/// Rounds that were translated, with the last fact.
struct Sample {
    rounds: Vec<Round>,
    fact: Vec<Value>,
}

/// The edges before the pass, made ready for evaluation over rounds.
#[derive(Default)]
struct Checks(BTreeMap<EdgeId, RoundCheck>);

impl Rest<'_, '_> {
    /// Translates all rounds; gives the last step.
    fn translate(
        mut self,
        mut at: After<'_>,
        result: &mut Derivation<EdgeId>,
        premise: StepId,
    ) -> Returned<StepId> {
        let (length, rounds) = (self.repetition.length(), self.repetition.rounds());
        if (0..length).all(|position| self.translator.leaves(self.repetition.rule(position))) {
            let word: Vec<(EdgeId, Vec<Course>)> =
                (0..length).map(|p| (self.repetition.rule(p), self.repetition.courses(p))).collect();
            return Ok(result.push_repetition(premise, rounds, &word));
        }
        let courses: Vec<Vec<Course>> = (0..length).map(|p| self.repetition.courses(p)).collect();
        // As many rounds as the highest degree needs, and one that confirms it.
        let degree = courses.iter().flatten().map(Course::degree).max().unwrap_or(0) + HIGHER_DEGREE;
        let enough = degree + 2;
        let mut premise = premise;
        let mut done = 0;
        let mut singles = 0;
        while done < rounds {
            let left = rounds - done;
            let mut sample = Sample { rounds: Vec::new(), fact: result.step(premise).values.to_vec() };
            let mut best: Option<(u64, u64, Word)> = None;
            for multiple in 1..=MOST_ROUNDS_AS_ONE {
                let wanted = enough * multiple;
                if wanted as u64 > left || multiple > 1 && wanted * length > LARGEST_SAMPLE {
                    break;
                }
                while sample.rounds.len() < wanted {
                    at.budget.check_stop()?;
                    let number = done + sample.rounds.len() as u64;
                    let Some(round) = self.round(at.reborrow(), &courses, number, &sample.fact)? else {
                        return self.singly(at, result, premise, &courses, done);
                    };
                    sample.push(round);
                }
                let Some(word) = fit(&sample.rounds[..wanted], multiple) else { continue };
                let fact = result.step(premise).values;
                let limit = left / multiple as u64;
                let kept = self.checks.extent(at.reborrow(), self.translator, (fact, &word), limit)?;
                let steps = kept.saturating_mul(multiple as u64);
                if kept > enough as u64 && best.as_ref().is_none_or(|(known, ..)| steps > *known) {
                    best = Some((steps, kept, word));
                }
                if best.as_ref().is_some_and(|(steps, ..)| *steps >= left / 2) {
                    break;
                }
            }
            if let Some((covered, kept, word)) = best {
                premise = result.push_repetition(premise, kept, &word);
                done += covered;
                continue;
            }
            // Only the first rounds are taken: the next ones may go on evenly.
            while sample.rounds.is_empty() {
                let Some(round) = self.round(at.reborrow(), &courses, done, &sample.fact)? else {
                    return self.singly(at, result, premise, &courses, done);
                };
                sample.push(round);
            }
            let take = sample.rounds.len().div_ceil(4);
            for round in sample.rounds.into_iter().take(take) {
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
        mut at: After<'_>,
        courses: &[Vec<Course>],
        number: u64,
        fact: &[Value],
    ) -> Returned<Option<Round>> {
        let mut scratch: Derivation<EdgeId> = Derivation::new();
        // The rule of the fact is not looked at.
        let mut premise = scratch.push(self.repetition.rule(0), &[], fact.to_vec());
        let mut before = self.fact_before(courses, number);
        for (position, own) in courses.iter().enumerate() {
            let values: Vec<Value> = own.iter().map(|course| course.at(number)).collect();
            let (rule, from) = (self.repetition.rule(position), (premise, &before[..]));
            premise = step_from(at.reborrow(), self.translator, rule, &values, from, &mut scratch)?;
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

    /// The fact, as it is given, from which a round begins.
    fn fact_before(&self, courses: &[Vec<Course>], number: u64) -> Vec<Value> {
        match number.checked_sub(1) {
            None => self.start.to_vec(),
            Some(earlier) => courses[courses.len() - 1].iter().map(|course| course.at(earlier)).collect(),
        }
    }

    /// Translates what is left step by step.
    fn singly(
        self,
        mut at: After<'_>,
        result: &mut Derivation<EdgeId>,
        mut premise: StepId,
        courses: &[Vec<Course>],
        done: u64,
    ) -> Returned<StepId> {
        let left = (self.repetition.rounds() - done).saturating_mul(courses.len() as u64);
        if left > MOST_SINGLE_STEPS as u64 {
            return Err(too_long());
        }
        let mut before = self.fact_before(courses, done);
        for round in done..self.repetition.rounds() {
            at.budget.check_stop()?;
            for (position, own) in courses.iter().enumerate() {
                let values: Vec<Value> = own.iter().map(|course| course.at(round)).collect();
                let (rule, from) = (self.repetition.rule(position), (premise, &before[..]));
                premise = step_from(at.reborrow(), self.translator, rule, &values, from, result)?;
                before = values;
            }
        }
        Ok(premise)
    }
}

impl Sample {
    fn push(&mut self, round: Round) {
        self.fact = round.last().map_or_else(Vec::new, |(_, values)| values.clone());
        self.rounds.push(round);
    }
}

impl Checks {
    /// For how many rounds, up to a limit, the word is right from a fact.
    fn extent(
        &mut self,
        After { store, graph, budget }: After<'_>,
        translator: &dyn StepTranslator,
        (fact, word): (&[Value], &Word),
        limit: u64,
    ) -> Returned<u64> {
        let mut before: Vec<Course> = word[word.len() - 1].1.iter().map(Course::previous).collect();
        if before.iter().map(|course| course.at(0)).ne(fact.iter().cloned()) {
            return Ok(0);
        }
        let mut extent = limit;
        for (rule, courses) in word {
            // A rule that stays has its facts as they were, which were right.
            if let Some(edge) = translator.edge(*rule) {
                let check = self.0.entry(*rule).or_insert_with(|| prepare(store, graph, edge));
                let slots: Vec<Course> = before.iter().chain(courses).cloned().collect();
                extent = check.extent(store, &slots, extent, budget)?;
                if extent == 0 {
                    break;
                }
            }
            before.clone_from(courses);
        }
        Ok(extent)
    }
}

/// An edge made ready for evaluation over rounds: a clause over its canonical variables.
fn prepare(store: &mut Store, graph: &Graph, edge: &Edge) -> RoundCheck {
    let mut arguments: Vec<Term> = source_variables(graph, &edge.sources).concat();
    arguments.extend_from_slice(graph.vertex(edge.target).target());
    let mut variables = store.free_variables(&[edge.label]);
    variables.extend_from_slice(&arguments);
    variables.sort_unstable();
    variables.dedup();
    RoundCheck::new(store, &arguments, edge.label, &variables)
}

fn too_long() -> BackError {
    BackError::Unknown(UnknownReason::Incomplete("a repetition does not stay one in the system as read"))
}

/// The word of which these are the first rounds, each of them so many as one, if there is one: the last confirms what
/// the others say.
fn fit(rounds: &[Round], multiple: usize) -> Option<Word> {
    let groups: Vec<Vec<&(EdgeId, Vec<Value>)>> =
        rounds.chunks(multiple).map(|chunk| chunk.iter().flatten().collect()).collect();
    let (first, count) = (&groups[0], groups.len());
    let mut word = Vec::with_capacity(first.len());
    for (position, (rule, values)) in first.iter().enumerate() {
        let same = |group: &Vec<&(EdgeId, Vec<Value>)>| {
            group.len() == first.len()
                && group[position].0 == *rule
                && group[position].1.len() == values.len()
        };
        if !groups.iter().all(same) {
            return None;
        }
        let mut courses = Vec::with_capacity(values.len());
        for argument in 0..values.len() {
            let seen: Vec<Value> =
                groups[..count - 1].iter().map(|group| group[position].1[argument].clone()).collect();
            let course = Course::through(&seen)?;
            if course.at(count as u64 - 1) != groups[count - 1][position].1[argument] {
                return None;
            }
            courses.push(course);
        }
        word.push((*rule, courses));
    }
    (!word.is_empty()).then_some(word)
}
