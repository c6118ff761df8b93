//! How sets of states were reached, and a cache of sets that were reached.
//!
//! A set that a search hands over has a *trace*: a chain of exact elements, or the traces of the links of a
//! chain one after the other. Traces share their parts, so that one may stand for a path of millions of steps
//! and yet be small.
//!
//! The cache has for each level and near set what was reached from it. A chain whose first link is real and
//! whose second is not comes back with another state in the middle, and often the same path leads there:
//! without the cache it would be searched again down to single steps.

use std::collections::BTreeMap;

use shem_base::{Budget, UnknownReason, dense_id};
use shem_chc::Derivation;
use shem_proof::NoProof;
use shem_smt::project::Projector;
use shem_smt::{Solver, Status};
use shem_term::{Store, Term};

use super::calls::StepChain;
use super::sequence::SequenceKind;

dense_id! {
    /// A trace.
    pub struct TraceId("t");
}

/// A chain of exact elements on a path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaf {
    /// The states at the near end of the chain, where the search came from: every state that was handed over
    /// at the far end is connected with one of them.
    pub near: Term,
    /// The kind of the chain.
    pub kind: SequenceKind,
    /// Which decomposition the chain is.
    pub decomposition: usize,
}

/// What a trace consists of.
#[derive(Clone, Debug)]
pub(super) enum Trace {
    /// A chain of exact elements.
    Leaf(Leaf),
    /// Traces, from near to far.
    Parts(Box<[TraceId]>),
    /// A chain of steps with calls.
    Steps(StepChain),
    /// The whole path, from an initial state to a bad one, which was run.
    Run(Box<Derivation<()>>),
}

/// A set of states that are all connected with states of the near set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reached {
    pub states: Term,
    pub trace: TraceId,
}

/// All traces so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Traces {
    traces: Vec<Trace>,
}

impl Traces {
    /// Adds a trace.
    pub(super) fn add(&mut self, trace: Trace) -> TraceId {
        self.traces.push(trace);
        TraceId::new(self.traces.len() - 1)
    }

    /// The trace with this id.
    pub(super) fn get(&self, id: TraceId) -> &Trace {
        &self.traces[id.index()]
    }

    /// The number of traces.
    pub(super) fn len(&self) -> usize {
        self.traces.len()
    }
}

/// The greatest number of sets in the cache for one near set; older ones are dropped.
const MAX_REMEMBERED: usize = 8;

/// A cache of the sets that were reached.
pub(super) struct ReachedCache {
    known: BTreeMap<(SequenceKind, usize, Term), Vec<Reached>>,
    solver: Solver<NoProof>,
    projector: Projector,
    /// How often the cache has answered.
    pub hits: u64,
}

impl ReachedCache {
    /// Nothing is known.
    pub(super) fn new() -> ReachedCache {
        ReachedCache {
            known: BTreeMap::new(),
            solver: Solver::with_proof(Default::default(), NoProof),
            projector: Projector::new(),
            hits: 0,
        }
    }

    /// Records what was reached from a near set over a level.
    pub(super) fn learn(&mut self, kind: SequenceKind, level: usize, near: Term, reached: Reached) {
        let known = self.known.entry((kind, level, near)).or_default();
        if known.iter().all(|old| old.states != reached.states) {
            if known.len() == MAX_REMEMBERED {
                known.remove(0);
            }
            known.push(reached);
        }
    }

    /// A near set is now described by another formula.
    pub(super) fn rename_near(&mut self, old: Term, new: Term) {
        let stale: Vec<_> = self.known.keys().copied().filter(|&(.., near)| near == old).collect();
        for key in stale {
            let sets = self.known.remove(&key).expect("a key of the cache");
            self.known.entry((key.0, key.1, new)).or_default().extend(sets);
        }
    }

    /// States of the far set that are known to be reached from the near set. `state` are the variables of a
    /// state; the far set may have others, which are quantified.
    pub(super) fn recall(
        &mut self,
        store: &mut Store,
        (kind, level): (SequenceKind, usize),
        [near, far]: [Term; 2],
        state: &[Term],
        budget: &mut Budget,
    ) -> Result<Option<Reached>, UnknownReason> {
        let Some(known) = self.known.get(&(kind, level, near)) else { return Ok(None) };
        self.solver.push();
        self.solver.assert(store, far);
        let mut found = None;
        for &old in known.iter().rev() {
            self.solver.push();
            self.solver.assert(store, old.states);
            let answer = self.solver.check(store, budget).into_model();
            self.solver.pop();
            match answer {
                Ok(model) => {
                    found = Some((old, model));
                    break;
                }
                Err(Status::Unknown(reason)) => {
                    self.solver.pop();
                    return Err(reason);
                }
                Err(Status::Sat | Status::Unsat) => {}
            }
        }
        self.solver.pop();
        let Some((old, model)) = found else { return Ok(None) };
        self.hits += 1;
        // A set that lies within the far one stays what it is, so that it is recognised later.
        self.solver.push();
        self.solver.assert(store, old.states);
        let within = self.solver.check_assuming(store, &[!far], budget).is_unsat();
        self.solver.pop();
        if within {
            return Ok(Some(old));
        }
        let cube = self.projector.project_onto(store, &[old.states, far], &model, state)?;
        Ok(Some(Reached { states: store.and(&cube), trace: old.trace }))
    }
}
