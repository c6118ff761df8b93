//! The engines on nonlinear graphs: every loop has its power sequences, and calls are answered by summaries.
//!
//! The graph is taken apart into [components](super::component): loops whose steps call lower loops, or themselves.
//! What is known of a component is a list of *lemmas*, formulas that hold of all its facts, and a list of *facts*, sets
//! of states that have been derived. A *question* asks whether some of these states of a component can be derived. Its
//! answer is a fact, or a lemma that excludes the states. It is looked for as on a single loop: with the
//! sequences of the loop, in whose steps calls are of states that the callees' lemmas allow. Where that leads to a path
//! of single steps, their calls become questions of their own ([`calls`](super::calls)). If a transition invariant shows
//! that there is no path, an interpolant between what it relates with the initial states and those of the question is the
//! lemma. So a loop of a thousand rounds in a procedure takes ten levels, as it does alone, and what it computes is a lemma
//! or a fact for all that call it.
//!
//! A component is *nested* if steps call the component itself. There the question is asked with a bound on the nesting:
//! with bound 0 there are no such calls; with the next bound, calls are of facts within the one before. Every derivation
//! is within some bound, its tree dimension (Esparza, Kiefer and Luttenberger 2010; for Horn clauses Kafle,
//! Gallagher and Ganty 2016). Lemmas hold up to a bound, and are state invariants made of transition invariants. Those that are inductive together hold of all facts; if
//! they do not exclude the states of the question, the bound is raised.
//!
//! The sequences of a component, with a bound, are kept from one question to the next: lemmas only make steps fewer, and
//! what holds of all paths holds of those that are left. Questions are a stack, not recursive calls: an attempt that
//! needs another question first is given up and made again.
//!
//! Falsehood is a component without a loop. When its question is answered by a lemma, there is a model, for which the
//! state invariants behind the lemmas are built; when it is by a fact, that gives a derivation
//! ([`summary_witness`](super::summary_witness)). Searches go forward here, whatever the setting.

use std::collections::{BTreeMap, BTreeSet};

use shem_base::{Budget, UnknownReason};
use shem_chc::{Graph, TransitionSystem};
use shem_smt::interpolate::ItpError;
use shem_smt::project::{Projector, eliminate};
use shem_smt::{Answer, Solver};
use shem_term::{Store, Term};

use super::calls::{Guide, Halt, Near, Question, StepChain, holds, settle};
use super::component::{Components, Step};
use super::copies::{FIRST, LAST};
use super::engine::{Tpa, kinds, report, report_fixpoints, report_transition_invariant};
use super::fixpoint::Fixpoints;
use super::invariant::{ClosedPowers, state_invariant};
use super::reach::{Powers, with_constants};
use super::sequence::SequenceKind;
use super::settings::{Direction, TpaSettings};
use super::stuttering::DividedTransition;
use super::summary_witness::{SummaryDerivation, SummaryModel};
use super::trace::TraceId;
use super::transition_invariant::{
    Endpoints, Ground, OPTIONAL_EFFORT, TransitionInvariant, is_safe, refute_closure, solve,
};
use crate::reason::WitnessError;
use crate::{Context, Outcome, Progress, Proven, Reason, Verdict, WitnessSource};

/// The bound on nesting of what holds of all facts.
const ALL: usize = usize::MAX;

/// A formula over the states of a component that holds of all facts within a bound on nesting.
struct Lemma {
    formula: Term,
    nesting: usize,
}

/// A component with a bound on nesting.
pub(super) type LoopKey = (usize, usize);

/// How all states of a fact are derived.
#[derive(Clone, Debug)]
pub(super) enum Origin {
    /// By an entry alone.
    Entry(StepChain),
    /// By a path in the loop.
    Path(LoopKey, TraceId),
}

/// States of a component that can be derived, by calls of earlier facts.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    pub component: usize,
    pub states: Term,
    pub origin: Origin,
}

/// What is known of a component.
struct Summary {
    lemmas: Vec<Lemma>,
    /// The disjunction of its facts.
    must: Term,
}

/// The sequences of a component with a bound on nesting.
struct Loop {
    powers: Powers,
    /// What was added to the steps: for each call, by the choice of its step and its position, or for the states
    /// of the loop themselves.
    added: BTreeSet<(Option<(Term, usize)>, Term)>,
    /// Whether there are steps within the bound.
    has_loops: bool,
}

/// A question that is being answered.
struct OpenQuestion {
    question: Question,
    /// The bound on nesting; none for a nested component if all facts are meant.
    bound: Option<usize>,
    /// Without a bound: the one that is tried. With a bound: the level that is searched.
    level: usize,
    fixpoints: Fixpoints,
    /// The initial states that the candidates were tried with.
    initial: Term,
}

/// How an attempt to answer a question ends.
enum Attempt {
    /// Some of the states were derived.
    Reached,
    /// None can be.
    Excluded,
    /// Another question comes first.
    Open(OpenQuestion),
}

impl From<Question> for Attempt {
    fn from(question: Question) -> Attempt {
        Attempt::Open(OpenQuestion::new(question, None))
    }
}

impl OpenQuestion {
    fn new(question: Question, bound: Option<usize>) -> OpenQuestion {
        OpenQuestion { question, bound, level: 0, fixpoints: Fixpoints::default(), initial: Term::FALSE }
    }
}

/// Decides a graph of any shape.
pub(super) fn decide(store: &mut Store, graph: &Graph, engine: &Tpa, context: &mut Context<'_>) -> Verdict {
    let mut search = SummarySearch::new(store, graph, engine);
    let end = search.run(store, context);
    search.report(context);
    match end {
        Err(reason) => Outcome::unknown(reason),
        Ok(false) => {
            let graph = graph.clone();
            let lemmas = (0..search.components.len()).map(|number| search.may(store, number, ALL)).collect();
            let model = SummaryModel { components: search.components, lemmas, closed: search.closed };
            let recipe =
                Box::new(move |store: &mut Store, budget: &mut _| model.build(&graph, store, budget));
            Outcome::Safe(Proven { witness: WitnessSource::Deferred(recipe), certificate: None })
        }
        Ok(true) => {
            let paths =
                search.loops.into_iter().map(|(key, own)| (key, (own.powers.traces, own.powers.copies)));
            let derivation = SummaryDerivation::new(search.components, search.facts, paths.collect());
            let graph = graph.clone();
            let recipe =
                Box::new(move |store: &mut Store, budget: &mut _| derivation.build(&graph, store, budget));
            Outcome::Unsafe(WitnessSource::Deferred(recipe))
        }
    }
}

/// The state of a search.
struct SummarySearch {
    components: Components,
    split: bool,
    settings: TpaSettings,
    /// By component.
    summaries: Vec<Summary>,
    facts: Vec<Fact>,
    loops: BTreeMap<LoopKey, Loop>,
    open: Vec<OpenQuestion>,
    projector: Projector,
    questions: u64,
    /// For each lemma of a loop that is not nested: the component, and why the lemma holds.
    closed: Vec<(usize, ClosedPowers)>,
}

impl SummarySearch {
    fn new(store: &mut Store, graph: &Graph, engine: &Tpa) -> SummarySearch {
        let components = Components::of(store, graph);
        let summary = |_| Summary { lemmas: Vec::new(), must: Term::FALSE };
        SummarySearch {
            summaries: (0..components.len()).map(summary).collect(),
            components,
            split: engine.is_split(),
            settings: TpaSettings { direction: Direction::Forward, ..engine.settings.clone() },
            facts: Vec::new(),
            loops: BTreeMap::new(),
            open: Vec::new(),
            projector: Projector::new(),
            questions: 0,
            closed: Vec::new(),
        }
    }

    /// Whether falsehood can be derived.
    fn run(&mut self, store: &mut Store, context: &mut Context<'_>) -> Result<bool, Reason> {
        let falsehood = Question { component: 0, states: Term::TRUE };
        self.open.push(OpenQuestion::new(falsehood, None));
        while let Some(mut question) = self.open.pop() {
            context.budget.check_stop()?;
            match self.attempt(store, &mut question, context)? {
                Attempt::Open(first) => {
                    self.questions += 1;
                    self.open.extend([question, first]);
                }
                Attempt::Reached | Attempt::Excluded => report_fixpoints(&question.fixpoints, context),
            }
        }
        Ok(self.summaries[0].must == Term::TRUE)
    }

    fn report(&mut self, context: &mut Context<'_>) {
        for own in self.loops.values() {
            report(&own.powers, context);
        }
        let lemmas: usize = self.summaries.iter().map(|summary| summary.lemmas.len()).sum();
        let statistics = &mut context.statistics;
        statistics.set("components", self.components.len() as u64);
        statistics.set("questions", self.questions);
        statistics.set("facts", self.facts.len() as u64);
        statistics.set("lemmas.summaries", lemmas as u64);
    }

    /// The lemmas of a component that hold within a bound on nesting.
    fn may(&self, store: &mut Store, component: usize, nesting: usize) -> Term {
        let lemmas = self.summaries[component].lemmas.iter();
        let formulas: Vec<Term> =
            lemmas.filter(|lemma| lemma.nesting >= nesting).map(|lemma| lemma.formula).collect();
        store.and(&formulas)
    }

    fn add_lemma(&mut self, store: &mut Store, component: usize, formula: Term, nesting: usize) {
        let lemmas = &mut self.summaries[component].lemmas;
        for formula in store.conjuncts(formula) {
            match lemmas.iter_mut().find(|lemma| lemma.formula == formula) {
                Some(lemma) => lemma.nesting = lemma.nesting.max(nesting),
                None => lemmas.push(Lemma { formula, nesting }),
            }
        }
    }

    fn add_fact(&mut self, store: &mut Store, fact: Fact) {
        let summary = &mut self.summaries[fact.component];
        summary.must = store.or2(summary.must, fact.states);
        self.facts.push(fact);
    }

    fn attempt(
        &mut self,
        store: &mut Store,
        open: &mut OpenQuestion,
        context: &mut Context<'_>,
    ) -> Result<Attempt, Reason> {
        let Question { component, states } = open.question;
        let own = self.components.get(component);
        let nested = own.is_nested(component);
        let bound = open.bound.unwrap_or(if nested { ALL } else { 0 });
        // Without own calls, what holds within the bound 0 holds of all facts.
        let nesting = if nested { bound } else { ALL };
        let may = self.may(store, component, nesting);
        let target = store.and2(states, may);
        let budget = &mut context.budget;
        if solve(store, &[target], budget)?.is_none() {
            return Ok(Attempt::Excluded);
        }
        let must = self.summaries[component].must;
        if solve(store, &[states, must], budget)?.is_some() {
            return Ok(Attempt::Reached);
        }
        if component == 0
            && let Some(question) = self.open_query(store, budget)?
        {
            return Ok(question.into());
        }
        if bound == ALL {
            return self.raise_nesting(store, open, budget);
        }
        if self.prepare(store, (component, bound), nesting, context)? {
            self.attempt_loop(store, open, (component, bound), nesting, target, context)
        } else {
            self.attempt_entry(store, (component, nesting), target, &mut context.budget)
        }
    }

    /// What the queries with one call of the same component ask of it, for the first component of which no fact is an
    /// answer yet and lemmas allow one: all these queries at once, without a projection.
    fn open_query(
        &mut self,
        store: &mut Store,
        budget: &mut Budget,
    ) -> Result<Option<Question>, UnknownReason> {
        let mut queries: BTreeMap<usize, Vec<Term>> = BTreeMap::new();
        for query in &self.components.get(0).entries {
            if let [call] = &query.calls[..] {
                let formula = store.rename(query.formula, &call.arguments, &call.places);
                queries.entry(call.component).or_default().push(store.and2(formula, call.location));
            }
        }
        for (component, formulas) in queries {
            let states = store.or(&formulas);
            let must = self.summaries[component].must;
            if solve(store, &[states, must], budget)?.is_some() {
                return Ok(None);
            }
            let may = self.may(store, component, ALL);
            if solve(store, &[states, may], budget)?.is_some() {
                return Ok(Some(Question { component, states }));
            }
        }
        Ok(None)
    }

    /// The same question with a bound on nesting, the least for which it has no answer yet.
    fn raise_nesting(
        &mut self,
        store: &mut Store,
        open: &mut OpenQuestion,
        budget: &mut Budget,
    ) -> Result<Attempt, Reason> {
        let Question { component, states } = open.question;
        loop {
            let may = self.may(store, component, open.level);
            if solve(store, &[states, may], budget)?.is_some() {
                return Ok(Attempt::Open(OpenQuestion::new(open.question, Some(open.level))));
            }
            self.promote(store, component, open.level, budget)?;
            let may = self.may(store, component, ALL);
            if solve(store, &[states, may], budget)?.is_none() {
                return Ok(Attempt::Excluded);
            }
            open.level += 1;
        }
    }

    /// Finds the lemmas within a bound on nesting that are inductive together: they hold of all facts.
    fn promote(
        &mut self,
        store: &mut Store,
        component: usize,
        nesting: usize,
        budget: &mut Budget,
    ) -> Result<(), UnknownReason> {
        let is_candidate = |lemma: &&Lemma| lemma.nesting >= nesting && lemma.nesting != ALL;
        let lemmas = self.summaries[component].lemmas.iter();
        let mut candidates: Vec<Term> = lemmas.filter(is_candidate).map(|lemma| lemma.formula).collect();
        let known = self.may(store, component, ALL);
        let own = self.components.get(component);
        let mut again = true;
        while std::mem::take(&mut again) {
            for step in own.entries.iter().chain(&own.loops) {
                let held = store.and(&candidates);
                let held = store.and2(held, known);
                let mut premises = vec![step.formula];
                for call in &step.calls {
                    let may = match call.component == component {
                        true => held,
                        false => self.may(store, call.component, ALL),
                    };
                    premises.push(call.instance(store, may));
                }
                let after = if step.from.is_some() { &own.next } else { &own.state };
                if step.from.is_some() {
                    premises.push(held);
                }
                let mut wanted = Vec::with_capacity(candidates.len());
                for &candidate in &candidates {
                    wanted.push(store.rename(candidate, &own.state, after));
                }
                let all = store.and(&wanted);
                premises.push(!all);
                let Some(model) = solve(store, &premises, budget)? else { continue };
                let before = candidates.len();
                let mut stays = wanted.iter().map(|&wanted| holds(store, &model, wanted));
                candidates.retain(|_| stays.next() == Some(true));
                if candidates.len() == before {
                    return Err(UnknownReason::Incomplete("a model that refutes nothing"));
                }
                again = true;
            }
        }
        for lemma in &mut self.summaries[component].lemmas {
            if candidates.contains(&lemma.formula) {
                lemma.nesting = ALL;
            }
        }
        Ok(())
    }

    /// The relation of entries or steps that the lemmas of callees allow.
    fn allowed(&self, store: &mut Store, step: &Step) -> Term {
        let mut parts = vec![step.choice, step.formula];
        for call in &step.calls {
            let may = self.may(store, call.component, ALL);
            parts.push(call.instance(store, may));
        }
        store.and(&parts)
    }

    /// The states with which a component may be entered.
    fn initial(&self, store: &mut Store, (component, nesting): LoopKey) -> Term {
        let entries = &self.components.get(component).entries;
        let allowed: Vec<Term> = entries.iter().map(|entry| self.allowed(store, entry)).collect();
        let allowed = store.or(&allowed);
        let may = self.may(store, component, nesting);
        store.and2(allowed, may)
    }

    /// What is known of callees, the component's own calls having a smaller bound on nesting.
    fn known(&self, store: &mut Store, (component, bound): LoopKey) -> [Vec<Term>; 2] {
        let may = (0..self.components.len()).map(|callee| match bound.checked_sub(1) {
            Some(below) if callee == component => self.may(store, callee, below),
            _ => self.may(store, callee, ALL),
        });
        [may.collect(), self.summaries.iter().map(|summary| summary.must).collect()]
    }

    /// Brings the sequences of a component up to date with the lemmas and facts; returns whether it has steps at all.
    fn prepare(
        &mut self,
        store: &mut Store,
        key: LoopKey,
        nesting: usize,
        context: &mut Context<'_>,
    ) -> Result<bool, UnknownReason> {
        let (component, bound) = key;
        if !self.loops.contains_key(&key) {
            let made = self.make_loop(store, key, context)?;
            self.loops.insert(key, made);
        }
        if !self.loops[&key].has_loops {
            return Ok(false);
        }
        let [may, must] = self.known(store, key);
        let initial = self.initial(store, (component, nesting));
        let facts = self.facts.len();
        let Loop { powers, added, .. } = self.loops.get_mut(&key).expect("made above");
        let own = self.components.get(component);
        for step in &own.loops {
            for call in &step.calls {
                let needed = match call.component == component {
                    true => bound.saturating_sub(1),
                    false => ALL,
                };
                for lemma in self.summaries[call.component].lemmas.iter().filter(|l| l.nesting >= needed) {
                    if added.insert((Some((step.choice, call.position)), lemma.formula)) {
                        let instance = call.instance(store, lemma.formula);
                        let formula = store.or2(!step.choice, instance);
                        powers.sequences.restrict_steps(formula);
                    }
                }
            }
        }
        for lemma in self.summaries[component].lemmas.iter().filter(|lemma| lemma.nesting >= nesting) {
            if added.insert((None, lemma.formula)) {
                let after = store.rename(lemma.formula, &own.state, &own.next);
                let formula = store.and2(lemma.formula, after);
                powers.sequences.restrict_steps(formula);
            }
        }
        let guide = powers.guide.as_mut().expect("made with the sequences");
        powers.cache.rename_near(guide.initial, initial);
        (guide.may, guide.must, guide.facts, guide.initial) = (may, must, facts, initial);
        Ok(true)
    }

    fn make_loop(
        &self,
        store: &mut Store,
        key: LoopKey,
        context: &mut Context<'_>,
    ) -> Result<Loop, UnknownReason> {
        let (component, bound) = key;
        let own = self.components.get(component);
        let mut steps = Vec::new();
        let mut variables = Vec::new();
        for step in &own.loops {
            if bound > 0 || step.calls.iter().all(|call| call.component != component) {
                steps.push(store.and2(step.choice, step.formula));
                variables.extend_from_slice(&step.own);
            }
        }
        let has_loops = !steps.is_empty();
        let transition = store.or(&steps);
        let (state, next) = (&own.state, &own.next);
        let keep = self.settings.stuttering;
        let divided = DividedTransition::of(store, state, next, transition, keep, &mut context.budget)?;
        let mut powers = Powers::new(store, state, next, divided.moving, &self.settings, context.seed);
        powers.copies.add_auxiliaries(&variables);
        powers.guide = Some(Guide {
            entries: own.entries.clone(),
            loops: own.loops.clone(),
            initial: Term::FALSE,
            may: Vec::new(),
            must: Vec::new(),
            facts: 0,
        });
        Ok(Loop { powers, added: BTreeSet::new(), has_loops })
    }

    /// Answers a question about a component whose only facts are those of entries.
    fn attempt_entry(
        &mut self,
        store: &mut Store,
        (component, nesting): LoopKey,
        target: Term,
        budget: &mut Budget,
    ) -> Result<Attempt, Reason> {
        let initial = self.initial(store, (component, nesting));
        let mut solver = Solver::new(Default::default());
        let entered = solver.assert(store, initial);
        solver.assert(store, target);
        let model = match solver.check(store, budget) {
            Answer::Unknown(reason) => return Err(reason.into()),
            Answer::Sat(mut solution) => solution.model(),
            Answer::Unsat(mut refutation) => {
                let options = &self.settings.interpolation;
                let lemma = match refutation.interpolant(store, &[entered], options, budget) {
                    Ok(interpolant) => interpolant,
                    Err(ItpError::Unknown(UnknownReason::Stopped)) => {
                        return Err(UnknownReason::Stopped.into());
                    }
                    Err(_) => {
                        let own = self.components.get(component);
                        let mut others = store.free_variables(&[target]);
                        others.retain(|v| !own.state.contains(v));
                        !eliminate(store, &others, target, budget)?
                    }
                };
                self.add_lemma(store, component, lemma, nesting);
                return Ok(Attempt::Excluded);
            }
        };
        let [may, must] = self.known(store, (component, 0));
        let own = self.components.get(component);
        let (entries, loops) = (own.entries.clone(), Vec::new());
        let guide = Guide { entries, loops, initial, may, must, facts: self.facts.len() };
        let lost = UnknownReason::Incomplete("an entry of a model that no clause allows");
        let (at, formula, calls) = guide.entry(store, &model).ok_or(lost)?;
        let settled = settle(store, &[formula], target, &calls, model, &mut self.projector, budget);
        let model = match settled {
            Ok(model) => model,
            Err(Halt::Open(question)) => return Ok(question.into()),
            Err(Halt::Unknown(reason)) => return Err(reason.into()),
        };
        let mut formulas = vec![formula];
        formulas.extend(calls.iter().map(|call| call.must()));
        let cube = self.projector.project_onto(store, &formulas, &model, &own.state);
        let states = with_constants(store, cube.map_err(UnknownReason::from)?);
        let chain = StepChain { near: Near::Entry(at), steps: Box::default(), facts: self.facts.len() };
        self.add_fact(store, Fact { component, states, origin: Origin::Entry(chain) });
        Ok(Attempt::Reached)
    }

    /// Answers a question about a loop by its sequences.
    fn attempt_loop(
        &mut self,
        store: &mut Store,
        open: &mut OpenQuestion,
        key: LoopKey,
        nesting: usize,
        target: Term,
        context: &mut Context<'_>,
    ) -> Result<Attempt, Reason> {
        let (component, bound) = key;
        let split = self.split;
        loop {
            let Loop { powers, .. } = self.loops.get_mut(&key).expect("a loop that was prepared");
            let initial = powers.guide.as_ref().expect("made with the sequences").initial;
            if open.initial != initial {
                // What failed with other initial states is tried again.
                report_fixpoints(&std::mem::take(&mut open.fixpoints), context);
                open.initial = initial;
            }
            let lemmas = powers.sequences.size() as u64;
            context.events.progress(Progress { depth: open.level as u64, lemmas });
            let depth = context.statistics.count("depth").max(open.level as u64);
            context.statistics.set("depth", depth);
            let budget = &mut context.budget;
            for &kind in kinds(split) {
                match powers.reach(store, kind, open.level, [initial, target], budget) {
                    Ok(None) => {}
                    Ok(Some(reached)) => {
                        let (states, origin) = (reached.states, Origin::Path(key, reached.trace));
                        self.add_fact(store, Fact { component, states, origin });
                        return Ok(Attempt::Reached);
                    }
                    Err(Halt::Unknown(reason)) => return Err(reason.into()),
                    Err(Halt::Open(question)) => {
                        let own = question.component == component;
                        let bound = own.then(|| bound.saturating_sub(1));
                        return Ok(Attempt::Open(OpenQuestion::new(question, bound)));
                    }
                }
            }
            let ends = Endpoints { initial, bad: target };
            let Powers { copies, sequences, .. } = &mut *powers;
            let height = sequences.height().max(open.level + 1);
            let found = open.fixpoints.search(store, copies, sequences, split, height, ends, budget)?;
            if let Some(transition_invariant) = found {
                report_transition_invariant(transition_invariant, false, context);
                let budget = &mut context.budget;
                let lemma = self.lemma(store, key, nesting, ends, transition_invariant, budget)?;
                self.add_lemma(store, component, lemma, nesting);
                return Ok(Attempt::Excluded);
            }
            open.level += 1;
        }
    }

    /// A formula that excludes the bad states and holds of all facts within the bound. In a nested component it had better
    /// be an inductive invariant, so that it may hold without a bound.
    fn lemma(
        &mut self,
        store: &mut Store,
        key: LoopKey,
        nesting: usize,
        ends: Endpoints,
        transition_invariant: TransitionInvariant,
        budget: &mut Budget,
    ) -> Result<Term, Reason> {
        if nesting != ALL {
            let closed = self.closed_powers(store, key, ends, transition_invariant);
            match state_invariant(&closed, store, budget) {
                Ok(invariant) => return Ok(invariant),
                Err(WitnessError::Unavailable(_)) => {}
                Err(WitnessError::Unknown(reason)) => return Err(reason.into()),
                Err(WitnessError::Broken(what)) => return Err(Reason::Broken(what)),
            }
        }
        let (lemma, closed) = self.bound_by(store, key, ends, transition_invariant, budget)?;
        if nesting == ALL {
            self.closed.push((key.0, closed));
        }
        Ok(lemma)
    }

    /// A formula that holds of all facts of a loop and excludes the bad states, by a transition invariant. Where that is
    /// grounded in the initial states, an interpolant: it is small and excludes more. No quantifiers are eliminated for
    /// it; the inductive invariant behind it is built for the model at the end.
    fn bound_by(
        &mut self,
        store: &mut Store,
        key: LoopKey,
        ends: Endpoints,
        transition_invariant: TransitionInvariant,
        budget: &mut Budget,
    ) -> Result<(Term, ClosedPowers), UnknownReason> {
        let Powers { copies, sequences, settings, .. } =
            &mut self.loops.get_mut(&key).expect("a loop that was searched").powers;
        let left = TransitionInvariant { ground: Ground::Left, ..transition_invariant };
        let is_left = transition_invariant == left
            || budget.within(OPTIONAL_EFFORT, |budget| {
                let is_closed = refute_closure(left, store, copies, sequences, Some(ends), budget)?.is_none();
                Ok::<bool, UnknownReason>(is_closed && is_safe(left, store, copies, sequences, ends, budget)?)
            }) == Ok(true);
        if is_left {
            let mut chains = Vec::new();
            for chain in left.extent() {
                let mut formulas = Vec::new();
                for link in chain {
                    sequences.instance(store, copies, left.level, link, &mut formulas);
                }
                chains.push(store.and(&formulas));
            }
            let chains = store.or(&chains);
            let bad = copies.state(store, ends.bad, LAST);
            let mut solver = Solver::new(Default::default());
            let extent = [solver.assert(store, ends.initial), solver.assert(store, chains)];
            solver.assert(store, bad);
            if let Answer::Unsat(mut refutation) = solver.check(store, budget)
                && let Ok(lemma) = refutation.interpolant(store, &extent, &settings.interpolation, budget)
            {
                let lemma = copies.shift(store, lemma, LAST, FIRST);
                let closed = self.closed_powers(store, key, Endpoints { bad: !lemma, ..ends }, left);
                return Ok((lemma, closed));
            }
            budget.check_stop()?;
        }
        let closed = self.closed_powers(store, key, ends, transition_invariant);
        let mut others = store.free_variables(&[ends.bad]);
        others.retain(|v| !self.components.get(key.0).state.contains(v));
        Ok((!eliminate(store, &others, ends.bad, budget)?, closed))
    }

    /// What a transition invariant of a loop is made of, for these ends.
    fn closed_powers(
        &self,
        store: &mut Store,
        key: LoopKey,
        Endpoints { initial, bad }: Endpoints,
        transition_invariant: TransitionInvariant,
    ) -> ClosedPowers {
        let own = self.components.get(key.0);
        let Powers { sequences, composition, .. } = &self.loops[&key].powers;
        let transition = store.and(sequences.element(SequenceKind::Equal, 0));
        let (state, next) = (own.state.clone(), own.next.clone());
        ClosedPowers {
            system: TransitionSystem { state, next, initial, transition, bad },
            composition: *composition,
            sequences: sequences.up_to(transition_invariant.height()),
            transition_invariant,
        }
    }
}
