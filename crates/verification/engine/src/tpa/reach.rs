//! Bounded reachability by the sequences.
//!
//! To find a path from the source to the target, ask the solver of the level for a chain of its elements
//! between them. If there is none, the next level learns an interpolant and the target is out of reach. If
//! there is one, the chain is an abstract path; the states where its links meet are projected out of the
//! model, and each link is searched for a real path one level below. A link without one has taught its
//! element so much that the same chain cannot come again. At level 0 elements are exact, and the projection
//! onto the end of the chain is a set of states that are all truly reachable.
//!
//! Blicha, Fedyukovich, Hyvärinen, Sharygina: Transition Power Abstractions for Deep Counterexample Detection
//! (2022), Algorithm 2; the same: Split Transition Power Abstraction for Unbounded Safety (2022),
//! Algorithm 4. Ours has any base of the powers and may run backwards, so that the sets of states that are
//! handed over are those that truly reach the target. The recursion is as deep as there are levels: the
//! logarithm of the length of a path.
//!
//! A set that is handed over has a trace ([`trace`](super::trace)), which is enough to build a path to any of
//! its states, state by state ([`path`](super::path)).

use shem_base::{Budget, UnknownReason};
use shem_smt::Model;
use shem_smt::project::{Projector, eliminate};
use shem_term::{Store, Substitution, Symbol, Term, View};

use super::calls::{Guide, Halt};
use super::copies::{Copies, FIRST, LAST};
use super::power::{Connection, Power};
use super::runs::Runs;
use super::sequence::{Composition, Link, SequenceKind, Sequences};
use super::settings::{Direction, TpaSettings};
use super::trace::{Leaf, Reached, ReachedCache, Trace, TraceId, Traces};

/// Counters.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counters {
    pub queries: u64,
    pub refuted: u64,
    pub projections: u64,
    pub lemmas: u64,
    pub received: u64,
}

/// The sequences of one transition relation with their solvers.
pub(super) struct Powers {
    pub settings: TpaSettings,
    pub composition: Composition,
    pub copies: Copies,
    pub sequences: Sequences,
    solvers: [Vec<Power>; 3],
    pub traces: Traces,
    pub cache: ReachedCache,
    projector: Projector,
    pub counters: Counters,
    /// Runs instead of deep searches, if that is wanted.
    pub runs: Option<Runs>,
    /// What is known of the predicates that steps call, if there are such.
    pub guide: Option<Guide>,
    seed: u64,
}

impl Powers {
    /// The sequences of this relation, at level 0.
    pub(super) fn new(
        store: &mut Store,
        state: &[Term],
        next: &[Term],
        transition: Term,
        settings: &TpaSettings,
        seed: u64,
    ) -> Powers {
        let settings = settings.in_range();
        let copies = Copies::new(store, state, next, transition, settings.base.max(3) + 1);
        let sequences = Sequences::new(store, &copies, transition);
        Powers {
            composition: Composition { base: settings.base, order: settings.step_order },
            copies,
            sequences,
            solvers: [Vec::new(), Vec::new(), Vec::new()],
            traces: Traces::default(),
            cache: ReachedCache::new(),
            projector: Projector::new(),
            counters: Counters::default(),
            runs: None,
            guide: None,
            seed,
            settings,
        }
    }

    fn solver(&mut self, store: &mut Store, kind: SequenceKind, level: usize) -> &mut Power {
        let solvers = &mut self.solvers[kind as usize];
        while solvers.len() <= level {
            solvers.push(Power::new(store, kind, solvers.len(), self.composition, self.seed));
        }
        &mut solvers[level]
    }

    /// All solvers.
    pub(super) fn solvers(&self) -> impl Iterator<Item = &Power> {
        self.solvers.iter().flatten()
    }

    /// Looks for paths of this kind over the level, that is of the lengths of the next level's element, from
    /// the source to the target. If there is one, the result is a set of states: searching forward of target
    /// states that are all reached from the source, searching backward of source states that all reach the
    /// target.
    pub(super) fn reach(
        &mut self,
        store: &mut Store,
        kind: SequenceKind,
        level: usize,
        [source, target]: [Term; 2],
        budget: &mut Budget,
    ) -> Result<Option<Reached>, Halt> {
        let near_and_far = match self.settings.direction {
            Direction::Forward => [source, target],
            Direction::Backward => [target, source],
        };
        if level > 0 {
            let state = self.copies.variables(FIRST);
            let known = self.cache.recall(store, (kind, level), near_and_far, state, budget)?;
            if known.is_some() {
                return Ok(known);
            }
        }
        loop {
            budget.check_stop()?;
            self.counters.queries += 1;
            self.solver(store, kind, level);
            let Powers { solvers, copies, sequences, settings, .. } = self;
            let power = &mut solvers[kind as usize][level];
            let query = [source, target];
            match power.connect(store, copies, sequences, query, &settings.interpolation, budget)? {
                Connection::Refuted(lemma) => {
                    self.counters.refuted += 1;
                    let new = self.sequences.strengthen(store, kind, level + 1, lemma);
                    self.counters.lemmas += new as u64;
                    return Ok(None);
                }
                Connection::Abstract(decomposition, model) => {
                    let chain = power.chain(decomposition).to_vec();
                    if level == 0 && self.guide.is_some() {
                        return self.follow(store, &chain, query, model, budget).map(Some);
                    }
                    if level == 0 {
                        let found = self.reach_exactly(store, kind, decomposition, query, &model, budget);
                        return Ok(Some(found?));
                    }
                    let Powers { runs, copies, traces, settings, .. } = self;
                    if let Some(runs) = runs {
                        let state = copies.variables(FIRST);
                        let direction = settings.direction;
                        let run =
                            runs.reach(store, level, query, state, &model, direction, traces, budget)?;
                        if run.is_some() {
                            return Ok(run);
                        }
                    }
                    let found =
                        self.concretise(store, kind, level, decomposition, &chain, query, model, budget)?;
                    if let Some(reached) = found {
                        self.cache.learn(kind, level, near_and_far[0], reached);
                        return Ok(found);
                    }
                }
            }
        }
    }

    /// States that are reached by the steps of a model, whose calls have to be derived.
    fn follow(
        &mut self,
        store: &mut Store,
        chain: &[Link],
        query: [Term; 2],
        model: Model,
        budget: &mut Budget,
    ) -> Result<Reached, Halt> {
        self.counters.projections += 1;
        let Powers { guide, copies, projector, traces, .. } = self;
        let guide = guide.as_ref().expect("a loop with calls");
        let (states, steps) = guide.follow(store, copies, projector, chain, query, model, budget)?;
        Ok(Reached { states, trace: traces.add(Trace::Steps(steps)) })
    }

    /// The states that the exact chain of a model connects.
    fn reach_exactly(
        &mut self,
        store: &mut Store,
        kind: SequenceKind,
        decomposition: usize,
        [source, target]: [Term; 2],
        model: &Model,
        budget: &mut Budget,
    ) -> Result<Reached, UnknownReason> {
        let (near, far) = match self.settings.direction {
            Direction::Forward => (source, LAST),
            Direction::Backward => (target, FIRST),
        };
        let chain = self.composition.chain(kind, decomposition);
        let sets = [(source, FIRST), (target, LAST)];
        let states = self.project(store, 0, &chain, &sets, far, model, budget)?;
        let trace = self.traces.add(Trace::Leaf(Leaf { near, kind, decomposition }));
        Ok(Reached { states, trace })
    }

    /// Replaces the links of an abstract path by real paths, from the near end on.
    #[expect(clippy::too_many_arguments, reason = "the parts of one query")]
    fn concretise(
        &mut self,
        store: &mut Store,
        kind: SequenceKind,
        level: usize,
        decomposition: usize,
        chain: &[Link],
        [source, target]: [Term; 2],
        mut model: Model,
        budget: &mut Budget,
    ) -> Result<Option<Reached>, Halt> {
        let forward = self.settings.direction == Direction::Forward;
        let (mut reached, far, far_copy) =
            if forward { (source, target, LAST) } else { (target, source, FIRST) };
        let mut parts = Vec::with_capacity(chain.len());
        let mut sets = vec![(source, FIRST), (target, LAST)];
        let mut rest = chain;
        while let Some((link, others)) = if forward { rest.split_first() } else { rest.split_last() } {
            let (from, to) = if forward { (link.from, link.to) } else { (link.to, link.from) };
            let mut goal = far;
            if to != far_copy {
                if !parts.is_empty() {
                    sets.push((reached, from));
                    let power = &mut self.solvers[kind as usize][level];
                    self.counters.queries += 1;
                    match power.connect_through(store, &mut self.copies, decomposition, &sets, budget)? {
                        Some(other) => model = other,
                        None => return Ok(None),
                    }
                }
                let ends = [(reached, from), (far, far_copy)];
                goal = self.project(store, level, rest, &ends, to, &model, budget)?;
            }
            let query = if forward { [reached, goal] } else { [goal, reached] };
            match self.reach(store, link.kind, level - 1, query, budget)? {
                Some(found) => {
                    reached = found.states;
                    parts.push(found.trace);
                }
                None => return Ok(None),
            }
            rest = others;
        }
        Ok(Some(self.join(reached, parts)))
    }

    /// The set that was reached by these parts.
    fn join(&mut self, states: Term, parts: Vec<TraceId>) -> Reached {
        let trace = match parts[..] {
            [only] => only,
            _ => self.traces.add(Trace::Parts(parts.into())),
        };
        Reached { states, trace }
    }

    /// States at a copy such that the chain connects sets through each of them.
    #[expect(clippy::too_many_arguments, reason = "the parts of one query")]
    fn project(
        &mut self,
        store: &mut Store,
        level: usize,
        chain: &[Link],
        sets: &[(Term, usize)],
        copy: usize,
        model: &Model,
        budget: &mut Budget,
    ) -> Result<Term, UnknownReason> {
        self.counters.projections += 1;
        let mut formulas = Vec::new();
        for &link in chain {
            self.sequences.instance(store, &mut self.copies, level, link, &mut formulas);
        }
        for &(set, at) in sets {
            formulas.push(self.copies.state(store, set, at));
        }
        let keep = self.copies.variables(copy);
        let states = if self.settings.use_qe {
            let formula = store.and(&formulas);
            let mut others = store.free_variables(&[formula]);
            others.retain(|v| !keep.contains(v));
            eliminate(store, &others, formula, budget)?
        } else {
            let cube = self.projector.project_onto(store, &formulas, model, keep)?;
            with_constants(store, cube)
        };
        Ok(self.copies.shift(store, states, copy, FIRST))
    }
}

/// The conjunction, with the variables that an equation fixes replaced in the other conjuncts: what follows
/// from the equations drops out, and a single state has one form only.
pub(super) fn with_constants(store: &mut Store, mut cube: Vec<Term>) -> Term {
    let mut substitution = Substitution::new();
    let mut fixed = Vec::new();
    loop {
        let before = fixed.len();
        cube.retain(|&literal| match constant(store, literal) {
            Some((symbol, number)) => {
                substitution.insert(symbol, number);
                fixed.push(literal);
                false
            }
            None => true,
        });
        if fixed.len() == before {
            fixed.append(&mut cube);
            return store.and(&fixed);
        }
        let rest: Vec<Term> = cube.iter().map(|&literal| store.substitute(literal, &substitution)).collect();
        let rest = store.and(&rest);
        cube = store.conjuncts(rest);
    }
}

/// The variable and the value that a literal gives it.
fn constant(store: &mut Store, literal: Term) -> Option<(Symbol, Term)> {
    if let Some(symbol) = store.as_var(literal.positive()) {
        return Some((symbol, Term::from_bool(!literal.is_negated())));
    }
    let View::Eq(poly, value) = store.view(literal) else { return None };
    let [single] = store.poly_terms(poly) else { return None };
    let symbol = store.as_var(single.leaf)?;
    let value = value.clone();
    if literal.is_negated() || !single.coeff.is_one() {
        return None;
    }
    let number = store.numeral(&value, store.sort(single.leaf));
    Some((symbol, number))
}
