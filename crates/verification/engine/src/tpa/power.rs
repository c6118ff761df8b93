//! The solver of one level: are there states of the source and of the target that a chain of this level's
//! elements connects?
//!
//! The chains are asserted for good, conjunct by conjunct as the elements are strengthened; source and target
//! are asserted in a scope of their own for each query. If the query is refuted, the interpolant of the
//! chains against source and target is a formula over the two ends that the element of the next level may be
//! strengthened by. A path shorter than the power has several decompositions: each is guarded by a literal
//! that occurs nowhere else, so that the proof falls into one part for each of them.

use shem_base::{Budget, UnknownReason};
use shem_smt::interpolate::{ItpError, ItpOptions};
use shem_smt::project::eliminate;
use shem_smt::{Answer, Model, Solver};
use shem_term::{Sort, Store, Term, Value};

use super::copies::{Copies, LAST};
use super::sequence::{Composition, Link, SequenceKind, Sequences};

/// The answer to a query.
#[derive(Debug)]
pub(super) enum Connection {
    /// This decomposition has a model.
    Abstract(usize, Model),
    /// There is none: a relation that contains all chains and no pair of source and target.
    Refuted(Term),
}

/// The chains over one level for paths of one kind, in a solver.
pub(super) struct Power {
    kind: SequenceKind,
    level: usize,
    chains: Vec<Vec<Link>>,
    /// The literals that choose a decomposition; none if there is only one.
    guards: Vec<Term>,
    /// How many conjuncts of the elements `Less`, or of the only one, and `Equal` have been asserted.
    asserted: [usize; 2],
    solver: Solver,
    /// The numbers of the assertions about chains.
    chain_assertions: Vec<u32>,
    /// How many interpolants there were, and how many queries had to do without.
    pub(super) interpolants: u64,
    pub(super) without_interpolant: u64,
}

impl Power {
    /// The chains for paths of this kind over this level.
    pub(super) fn new(
        store: &mut Store,
        kind: SequenceKind,
        level: usize,
        composition: Composition,
        seed: u64,
    ) -> Power {
        let count = composition.decompositions(kind);
        let mut solver = Solver::new(Default::default());
        solver.set_seed(seed);
        let mut chain_assertions = Vec::new();
        let mut guard = |at: usize| store.variable(&format!("tpa.choice~{at}"), Sort::Bool);
        let guards = match count {
            1 => Vec::new(),
            2 => {
                let guard = guard(0);
                vec![guard, !guard]
            }
            _ => (0..count).map(guard).collect(),
        };
        if !guards.is_empty() {
            let some = store.or(&guards);
            chain_assertions.push(solver.assert(store, some));
        }
        Power {
            kind,
            level,
            chains: (0..count).map(|i| composition.chain(kind, i)).collect(),
            guards,
            asserted: [0, 0],
            solver,
            chain_assertions,
            interpolants: 0,
            without_interpolant: 0,
        }
    }

    /// The chain of a decomposition.
    pub(super) fn chain(&self, decomposition: usize) -> &[Link] {
        &self.chains[decomposition]
    }

    /// Asserts the conjuncts that were added to the elements since the last query.
    fn assert_new_conjuncts(&mut self, store: &mut Store, copies: &mut Copies, sequences: &Sequences) {
        for (slot, kind) in [(0, self.kind), (1, SequenceKind::Equal)] {
            if slot == 1 && self.kind != SequenceKind::Less {
                continue;
            }
            let element = sequences.element(kind, self.level);
            for &formula in &element[self.asserted[slot]..] {
                for (decomposition, chain) in self.chains.iter().enumerate() {
                    for link in chain.iter().filter(|link| link.kind == kind) {
                        let mut instance = copies.relation(store, formula, link.from, link.to);
                        if let Some(&guard) = self.guards.get(decomposition) {
                            instance = store.or2(!guard, instance);
                        }
                        self.chain_assertions.push(self.solver.assert(store, instance));
                    }
                }
            }
            self.asserted[slot] = element.len();
        }
    }

    /// Whether a chain connects the source with the target.
    pub(super) fn connect(
        &mut self,
        store: &mut Store,
        copies: &mut Copies,
        sequences: &Sequences,
        [source, target]: [Term; 2],
        interpolation: &ItpOptions,
        budget: &mut Budget,
    ) -> Result<Connection, UnknownReason> {
        self.assert_new_conjuncts(store, copies, sequences);
        let end = copies.state(store, target, LAST);
        self.solver.push();
        self.solver.assert(store, source);
        self.solver.assert(store, end);
        let found = match self.solver.check(store, budget) {
            Answer::Unknown(reason) => Err(reason),
            Answer::Sat(mut solution) => {
                let model = solution.model();
                let decomposition = self.decomposition_of(store, copies, sequences, &model);
                Ok(Connection::Abstract(decomposition, model))
            }
            Answer::Unsat(mut refutation) => {
                match refutation.interpolant(store, &self.chain_assertions, interpolation, budget) {
                    Err(ItpError::Unknown(UnknownReason::Stopped)) => Err(UnknownReason::Stopped),
                    found => self.separate(store, copies, [source, end], found.ok(), budget),
                }
            }
        };
        self.solver.pop();
        found
    }

    /// A model of one decomposition whose states at some copies are in given sets.
    pub(super) fn connect_through(
        &mut self,
        store: &mut Store,
        copies: &mut Copies,
        decomposition: usize,
        sets: &[(Term, usize)],
        budget: &mut Budget,
    ) -> Result<Option<Model>, UnknownReason> {
        self.solver.push();
        if let Some(&guard) = self.guards.get(decomposition) {
            self.solver.assert(store, guard);
        }
        for &(set, copy) in sets {
            let set = copies.state(store, set, copy);
            self.solver.assert(store, set);
        }
        let found = match self.solver.check(store, budget) {
            Answer::Unknown(reason) => Err(reason),
            Answer::Unsat(_) => Ok(None),
            Answer::Sat(mut solution) => Ok(Some(solution.model())),
        };
        self.solver.pop();
        found
    }

    /// The first decomposition that the model is one of.
    fn decomposition_of(
        &self,
        store: &mut Store,
        copies: &mut Copies,
        sequences: &Sequences,
        model: &Model,
    ) -> usize {
        let is_true = |store: &Store, term| {
            store.evaluate(term, &model.completed(store)).is_some_and(|v| v == Value::Bool(true))
        };
        let mut instances = Vec::new();
        for (decomposition, &guard) in self.guards.iter().enumerate() {
            if is_true(store, guard) {
                return decomposition;
            }
            // The model may be one of a shorter chain although the search chose a longer one.
            instances.clear();
            for &link in self.chain(decomposition) {
                sequences.instance(store, copies, self.level, link, &mut instances);
            }
            if instances.iter().all(|&instance| is_true(store, instance)) {
                return decomposition;
            }
        }
        0
    }

    /// A relation between source and target, which no chain connects, given the interpolant of the refutation, if there is
    /// one.
    fn separate(
        &mut self,
        store: &mut Store,
        copies: &Copies,
        query: [Term; 2],
        interpolant: Option<Term>,
        budget: &mut Budget,
    ) -> Result<Connection, UnknownReason> {
        if let Some(interpolant) = interpolant {
            self.interpolants += 1;
            return Ok(Connection::Refuted(interpolant));
        }
        // What contradicts the chains is an interpolant when negated, without its auxiliary variables.
        self.without_interpolant += 1;
        let query = store.and(&query);
        let mut own = store.free_variables(&[query]);
        own.retain(|v| !copies.variables(0).contains(v) && !copies.variables(LAST).contains(v));
        let query = eliminate(store, &own, query, budget)?;
        Ok(Connection::Refuted(!query))
    }
}
