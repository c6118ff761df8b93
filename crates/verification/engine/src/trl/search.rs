//! The search in one direction: an unrolling whose steps choose rules, and the loops of its traces.
//!
//! The unrolling is a stack of steps, each in a scope of one incremental solver. Every step chooses among the rules
//! that were known when it was made (the first ones may be plain, by the transition only). If its last state may be bad, the search has *reached* it. Otherwise it makes one
//! more step; if there is none, the system is safe; otherwise the model is a trace. If the trace has a loop, a
//! relation that contains it is found or learnt, the loop is excluded as superfluous, and the stack is cut back to
//! where the loop begins.
//!
//! What is excluded as superfluous ([`Shortcut`]): a step that a younger rule allows as well, and several steps whose
//! first and last states are related by one rule that was known at the first of them. Why nothing is lost: a run of
//! the system is *covered* by going from some of its states to later ones by a rule each. Take the cover whose first
//! step goes farthest along the run, then the second, and so on, each by the youngest rule that was known there. It is
//! one of the traces that are left, since every shortcut would have taken it farther or by a younger rule. So if no
//! trace has more than k steps, and none of up to k ends in a bad state, no run does. Nothing of this depends on what
//! the rules are, as long as the transition is one of them; that learnt ones are transitive allows to exclude two
//! steps in a row by the same.

use std::collections::{BTreeMap, BTreeSet};

use shem_base::{Budget, UnknownReason};
use shem_chc::{Path, TransitionSystem};
use shem_check::certificate::{Exclusion, FiniteDiameter};
use shem_proof::NoProof;
use shem_smt::project::Projector;
use shem_smt::{Answer, Model, Solution, Solver, Template, Variable};
use shem_term::{Sort, Store, Term, Value};

use super::precision::{Precision, refine};
use super::relation::{Learner, Vocabulary};
use super::rule::{Choices, Rule, Shortcut};
use super::settings::Settings;
use crate::context::Context;
use crate::running::{Part, Plan};

/// What one more step of the search has found.
pub(super) enum Found {
    /// Nothing that ends it.
    Nothing,
    /// There are no more steps: the system is safe.
    Safe,
    /// A bad state, by the transition alone.
    Unsafe(Path),
    /// A bad state, by learnt relations among others: the first state, and what may have happened since.
    Reached(Vec<Value>, Plan),
}

/// Counters of a search.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counters {
    pub depth: u64,
    pub queries: u64,
    pub learnt: u64,
    pub covered: u64,
}

/// A step of the unrolling.
struct UnrolledStep {
    /// The state after the step.
    state: Vec<Variable>,
    /// The auxiliaries of each rule, and whether it is chosen.
    rules: Vec<(Vec<Variable>, Variable)>,
    /// What was excluded when the step was made.
    exclusions: Vec<Exclusion>,
}

/// A step of a trace.
#[derive(Clone, Debug)]
struct TraceStep {
    rule: usize,
    auxiliaries: Vec<Value>,
    /// The literals of the rule, over a state, the next one and the auxiliaries, and their number.
    literals: Vec<Term>,
    number: usize,
}

/// A trace: states, and the steps between them.
struct Trace {
    states: Vec<Vec<Value>>,
    steps: Vec<TraceStep>,
}

pub(super) struct TrlSearch {
    pub(super) system: TransitionSystem,
    precision: Precision,
    /// The number of first steps that choose the transition only, so that what is special about a beginning is not
    /// part of a loop.
    plain: usize,
    sorts: Vec<Sort>,
    vocabulary: Vocabulary,
    learner: Learner,
    projector: Projector,
    choices: Choices,
    bad: Template,
    solver: Solver<NoProof>,
    first: Vec<Variable>,
    frames: Vec<UnrolledStep>,
    rules: Vec<Rule>,
    /// The steps from which each rule was learnt; none for the transition.
    words: Vec<Vec<Part>>,
    shortcuts: Vec<Shortcut>,
    /// Shortcuts of one step, by index.
    single: Vec<usize>,
    /// Shortcuts of several steps: those that end with a step, as the first step and the index.
    several: BTreeMap<usize, Vec<(usize, usize)>>,
    /// The numbers of implicants.
    implicants: BTreeMap<(usize, Vec<Term>), usize>,
    /// The implicants that follow each other in some trace.
    successors: BTreeSet<(usize, usize)>,
    /// Copies of the variables of a state, for loops of several steps.
    copies: Vec<Vec<Term>>,
    pub counters: Counters,
}

impl TrlSearch {
    pub(super) fn new(
        store: &mut Store,
        system: TransitionSystem,
        settings: &Settings,
        (precision, plain): (Precision, usize),
        context: &mut Context<'_>,
    ) -> TrlSearch {
        let vocabulary = Vocabulary::new(store, &system.state, &system.next);
        let learner = Learner::new(vocabulary.clone(), settings);
        let choices = Choices::new(store);
        let transition = Rule::new(store, &vocabulary, system.transition, choices.variable);
        let sorts: Vec<Sort> = system.state.iter().map(|&v| store.sort(v)).collect();
        let mut solver = Solver::with_proof(Default::default(), NoProof);
        context.set_up(&mut solver);
        let first: Vec<Variable> = sorts.iter().map(|&sort| solver.fresh(sort)).collect();
        let initial = Template::new(store, system.initial, &system.state);
        solver.instantiate(store, &initial, &first);
        TrlSearch {
            bad: Template::new(store, system.bad, &system.state),
            precision,
            plain,
            sorts,
            vocabulary,
            learner,
            projector: Projector::new(),
            choices,
            solver,
            first,
            frames: Vec::new(),
            rules: vec![transition],
            words: vec![Vec::new()],
            shortcuts: Vec::new(),
            single: Vec::new(),
            several: BTreeMap::new(),
            implicants: BTreeMap::new(),
            successors: BTreeSet::new(),
            copies: Vec::new(),
            counters: Counters::default(),
            system,
        }
    }

    /// Looks for a bad state, makes one more step, and learns from the trace.
    pub(super) fn advance(&mut self, store: &mut Store, budget: &mut Budget) -> Result<Found, UnknownReason> {
        self.solver.push();
        let last = self.state(self.frames.len()).to_vec();
        self.solver.instantiate(store, &self.bad, &last);
        self.counters.queries += 1;
        match self.solver.check(store, budget) {
            Answer::Unknown(reason) => return Err(reason),
            Answer::Unsat(_) => self.solver.pop(),
            Answer::Sat(mut solution) => {
                let states = states(&mut solution, &self.first, &self.frames);
                let steps = choices(&mut solution, &self.frames);
                if steps.iter().all(|(rule, _)| *rule == 0) {
                    return Ok(Found::Unsafe(states));
                }
                let steps = steps.iter().map(|(rule, auxiliaries)| (*rule, &auxiliaries[..]));
                let parts = self.plan(&states, steps);
                return Ok(Found::Reached(states[0].clone(), Plan { parts, words: self.words.clone() }));
            }
        }
        self.extend(store);
        self.counters.queries += 1;
        let (states, chosen) = match self.solver.check(store, budget) {
            Answer::Unknown(reason) => return Err(reason),
            Answer::Unsat(_) => return Ok(Found::Safe),
            Answer::Sat(mut solution) => {
                let states = states(&mut solution, &self.first, &self.frames);
                (states, choices(&mut solution, &self.frames))
            }
        };
        self.counters.depth = self.counters.depth.max(self.frames.len() as u64);
        let trace = self.trace(store, states, chosen)?;
        for pair in trace.steps.windows(2) {
            self.successors.insert((pair[0].number, pair[1].number));
        }
        if let Some((first, last)) = self.find_loop(&trace) {
            self.handle_loop(store, &trace, first, last, budget)?;
            while self.frames.len() > first {
                self.solver.pop();
                self.frames.pop();
            }
        }
        Ok(Found::Nothing)
    }

    /// The variables of the state after this many steps.
    fn state(&self, steps: usize) -> &[Variable] {
        match steps.checked_sub(1) {
            None => &self.first,
            Some(last) => &self.frames[last].state,
        }
    }

    /// Makes one more step, in a scope of its own.
    fn extend(&mut self, store: &mut Store) {
        self.solver.push();
        let at = self.frames.len();
        let before = self.state(at).to_vec();
        let after: Vec<Variable> = self.sorts.iter().map(|&sort| self.solver.fresh(sort)).collect();
        let pair = [&before[..], &after[..]].concat();
        let known = if at < self.plain { 1 } else { self.rules.len() };
        let mut rules = Vec::with_capacity(known);
        for rule in &self.rules[..known] {
            let auxiliaries: Vec<Variable> =
                rule.auxiliaries.iter().map(|&v| self.solver.fresh(store.sort(v))).collect();
            let choice = self.solver.fresh(Sort::Bool);
            let actuals = [&pair[..], &auxiliaries[..], &[choice]].concat();
            self.solver.instantiate(store, &rule.chosen, &actuals);
            rules.push((auxiliaries, choice));
        }
        // Whether this rule or a younger one is chosen.
        let from: Vec<Variable> = rules.iter().map(|_| self.solver.fresh(Sort::Bool)).collect();
        for (index, &(_, choice)) in rules.iter().enumerate() {
            match from.get(index + 1) {
                Some(&younger) => {
                    self.solver.instantiate(store, &self.choices.either, &[from[index], choice, younger])
                }
                None => self.solver.instantiate(store, &self.choices.implied, &[from[index], choice]),
            };
        }
        self.solver.instantiate(store, &self.choices.holds, &from[..1]);
        let mut exclusions = Vec::new();
        for &index in &self.single {
            let shortcut = &self.shortcuts[index];
            if shortcut.rule >= known {
                continue;
            }
            let actuals = [&pair[..], &[from[shortcut.rule]]].concat();
            self.solver.instantiate(store, &shortcut.excluded_unless, &actuals);
            exclusions.push(Exclusion::Older { rule: shortcut.rule, formula: shortcut.formula });
        }
        for &(first, index) in self.several.get(&at).into_iter().flatten() {
            let shortcut = &self.shortcuts[index];
            let actuals = [self.state(first), &after[..]].concat();
            self.solver.instantiate(store, &shortcut.excluded, &actuals);
            let Shortcut { rule, formula, .. } = *shortcut;
            exclusions.push(Exclusion::Longer { first, rule, formula });
        }
        if let Some(previous) = self.frames.last() {
            let count = previous.rules.len().min(rules.len());
            for (&(_, earlier), &(_, later)) in previous.rules.iter().zip(&rules).take(count).skip(1) {
                self.solver.instantiate(store, &self.choices.excluded, &[earlier, later]);
            }
        }
        self.frames.push(UnrolledStep { state: after, rules, exclusions });
    }

    /// The trace of a model.
    fn trace(
        &mut self,
        store: &mut Store,
        states: Vec<Vec<Value>>,
        chosen: Vec<(usize, Vec<Value>)>,
    ) -> Result<Trace, UnknownReason> {
        let mut steps = Vec::with_capacity(chosen.len());
        for (at, (rule, auxiliaries)) in chosen.into_iter().enumerate() {
            let Rule { formula, auxiliaries: variables, .. } = &self.rules[rule];
            let mut model = Model::default();
            assign(store, &mut model, &self.vocabulary.state, &states[at]);
            assign(store, &mut model, &self.vocabulary.next, &states[at + 1]);
            assign(store, &mut model, variables, &auxiliaries);
            let literals = self.projector.literals(store, &[*formula], &model)?;
            let literals = refine(store, literals, &model, self.precision);
            let count = self.implicants.len();
            let number = *self.implicants.entry((rule, literals.clone())).or_insert(count);
            steps.push(TraceStep { rule, auxiliaries, literals, number });
        }
        Ok(Trace { states, steps })
    }

    /// A loop of the trace, the shortest first: its first and last step. A relation that was learnt is none of itself.
    fn find_loop(&self, trace: &Trace) -> Option<(usize, usize)> {
        for longer in 0..trace.steps.len() {
            for first in self.plain..trace.steps.len().saturating_sub(longer) {
                let (start, end) = (&trace.steps[first], &trace.steps[first + longer]);
                if self.successors.contains(&(end.number, start.number)) && (longer > 0 || start.rule == 0) {
                    return Some((first, first + longer));
                }
            }
        }
        None
    }

    /// Excludes a loop: by a relation that contains it, which is learnt if there is none.
    fn handle_loop(
        &mut self,
        store: &mut Store,
        trace: &Trace,
        first: usize,
        last: usize,
        budget: &mut Budget,
    ) -> Result<(), UnknownReason> {
        let mut model = Model::default();
        assign(store, &mut model, &self.vocabulary.state, &trace.states[first]);
        assign(store, &mut model, &self.vocabulary.next, &trace.states[last + 1]);
        if let Some((rule, covered)) = self.find_cover(store, &model, first == last, budget)? {
            self.counters.covered += 1;
            self.exclude(store, rule, &covered, first, last, false);
            return Ok(());
        }
        let round = self.round(store, trace, first, last)?;
        let relation = self.learner.learn(store, &round, &model, budget)?;
        let formula = store.and(&relation.literals);
        let rule = Rule::new(store, &self.vocabulary, formula, self.choices.variable);
        self.rules.push(rule);
        let steps = trace.steps[first..=last].iter().map(|step| (step.rule, &step.auxiliaries[..]));
        self.words.push(self.plan(&trace.states[first..], steps));
        self.counters.learnt += 1;
        self.exclude(store, self.rules.len() - 1, &relation.covered, first, last, true);
        Ok(())
    }

    /// A rule that relates the first and the last state of the model, with literals that say so: the transition only
    /// in place of several steps, and only if it has no auxiliaries, which the certificate would have to eliminate.
    fn find_cover(
        &mut self,
        store: &mut Store,
        model: &Model,
        is_single: bool,
        budget: &mut Budget,
    ) -> Result<Option<(usize, Vec<Term>)>, UnknownReason> {
        let without_transition = is_single || !self.rules[0].auxiliaries.is_empty();
        for (index, rule) in self.rules.iter().enumerate().skip(usize::from(without_transition)) {
            let mut model = model.clone();
            if !rule.auxiliaries.is_empty() {
                let pair = [&self.vocabulary.state[..], &self.vocabulary.next[..]].concat();
                let mut solver = Solver::with_proof(Default::default(), NoProof);
                for variable in pair {
                    let value = model.value_or_default(store, store.as_var(variable).expect("a variable"));
                    let literal = store.value_literal(variable, &value);
                    solver.assert(store, literal);
                }
                solver.assert(store, rule.formula);
                match solver.check(store, budget) {
                    Answer::Unsat(_) => continue,
                    Answer::Unknown(reason) => return Err(reason),
                    Answer::Sat(mut solution) => {
                        let found = solution.model();
                        for &variable in &rule.auxiliaries {
                            let symbol = store.as_var(variable).expect("a variable");
                            model.insert(symbol, found.value_or_default(store, symbol));
                        }
                    }
                }
            } else if store.evaluate(rule.formula, &model.completed(store)) != Some(Value::Bool(true)) {
                continue;
            }
            let literals = self.projector.literals(store, &[rule.formula], &model)?;
            let covered = self.projector.project(store, &literals, &model, &rule.auxiliaries)?;
            return Ok(Some((index, covered)));
        }
        Ok(None)
    }

    /// Excludes what a rule covers: from now on in every step, if the loop is one step and the rule was learnt from
    /// it; otherwise in these steps.
    fn exclude(
        &mut self,
        store: &mut Store,
        rule: usize,
        covered: &[Term],
        first: usize,
        last: usize,
        is_new: bool,
    ) {
        let formula = store.and(covered);
        let shortcut = Shortcut::new(store, &self.vocabulary, rule, formula, self.choices.variable);
        let index = self.shortcuts.len();
        self.shortcuts.push(shortcut);
        if is_new || first == last {
            self.single.push(index);
        }
        if first != last {
            self.several.entry(last).or_default().push((first, index));
        }
    }

    /// Steps of a trace as parts of a plan.
    fn plan<'v>(
        &self,
        states: &[Vec<Value>],
        steps: impl Iterator<Item = (usize, &'v [Value])>,
    ) -> Vec<Part> {
        let part = |(ends, (rule, auxiliaries)): (&[Vec<Value>], (usize, &[Value]))| {
            let (before, after) = (ends[0].clone(), ends[1].clone());
            if rule > 0 {
                return Part::Loop { word: rule, after };
            }
            let variables = self.rules[0].auxiliaries.iter().copied();
            Part::Step { before, after, others: variables.zip(auxiliaries.iter().cloned()).collect() }
        };
        states.windows(2).zip(steps).map(part).collect()
    }

    /// One round of a loop of the trace, as literals over a state and the next one.
    fn round(
        &mut self,
        store: &mut Store,
        trace: &Trace,
        first: usize,
        last: usize,
    ) -> Result<Vec<Term>, UnknownReason> {
        let mut model = Model::default();
        let mut literals = Vec::new();
        let mut eliminated = Vec::new();
        assign(store, &mut model, &self.vocabulary.state, &trace.states[first]);
        assign(store, &mut model, &self.vocabulary.next, &trace.states[last + 1]);
        while self.copies.len() < last - first {
            let number = self.copies.len();
            let copy = copies(store, &self.vocabulary.state, number);
            self.copies.push(copy);
        }
        for at in first..=last {
            let step = &trace.steps[at];
            let auxiliaries = &self.rules[step.rule].auxiliaries;
            let fresh = copies(store, auxiliaries, at - first);
            assign(store, &mut model, &fresh, &step.auxiliaries);
            let state = &self.vocabulary.state;
            let before = if at == first { state } else { &self.copies[at - first - 1] };
            let after = if at == last { &self.vocabulary.next } else { &self.copies[at - first] };
            if at < last {
                assign(store, &mut model, after, &trace.states[at + 1]);
                eliminated.extend_from_slice(after);
            }
            let from = [&state[..], &self.vocabulary.next[..], &auxiliaries[..]].concat();
            let to = [&before[..], &after[..], &fresh[..]].concat();
            eliminated.extend(fresh);
            for &literal in &step.literals {
                literals.push(store.rename(literal, &from, &to));
            }
        }
        Ok(self.projector.project(store, &literals, &model, &eliminated)?)
    }

    /// Why the system is safe, after the search has found that it is.
    pub(super) fn certificate(&self) -> FiniteDiameter {
        FiniteDiameter {
            learnt: self.rules.iter().skip(1).map(|rule| rule.formula).collect(),
            known: self.frames.iter().map(|frame| frame.rules.len()).collect(),
            exclusions: self.frames.iter().map(|frame| frame.exclusions.clone()).collect(),
        }
    }
}

/// The youngest rule that a step has chosen.
fn chosen(solution: &mut Solution<'_, NoProof>, frame: &UnrolledStep) -> usize {
    let is_chosen = |&(_, choice): &(Vec<Variable>, Variable)| solution.value(choice).as_bool() == Some(true);
    frame.rules.iter().rposition(is_chosen).expect("some rule is chosen")
}

/// The rule of each step, with the values of its auxiliaries.
fn choices(solution: &mut Solution<'_, NoProof>, frames: &[UnrolledStep]) -> Vec<(usize, Vec<Value>)> {
    let mut steps = Vec::with_capacity(frames.len());
    for frame in frames {
        let rule = chosen(solution, frame);
        steps.push((rule, frame.rules[rule].0.iter().map(|&v| solution.value(v)).collect()));
    }
    steps
}

fn states(
    solution: &mut Solution<'_, NoProof>,
    first: &[Variable],
    frames: &[UnrolledStep],
) -> Vec<Vec<Value>> {
    let all = std::iter::once(first).chain(frames.iter().map(|frame| &frame.state[..]));
    all.map(|state| state.iter().map(|&v| solution.value(v)).collect()).collect()
}

fn assign(store: &Store, model: &mut Model, variables: &[Term], values: &[Value]) {
    for (&variable, value) in variables.iter().zip(values) {
        model.insert(store.as_var(variable).expect("a variable"), value.clone());
    }
}

/// New variables named after these.
fn copies(store: &mut Store, variables: &[Term], number: usize) -> Vec<Term> {
    let mut result = Vec::with_capacity(variables.len());
    for &variable in variables {
        let name = format!("{}@{number}", store.name(store.as_var(variable).expect("a variable")));
        let sort = store.sort(variable);
        result.push(store.variable(&name, sort));
    }
    result
}
