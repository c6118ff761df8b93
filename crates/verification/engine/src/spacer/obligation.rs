//! Obligations and the order in which they are worked on.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use shem_base::{TieBreak, dense_id};
use shem_chc::VertexId;
use shem_term::Term;

use super::settings::Order;

dense_id! {
    /// An obligation.
    pub(super) struct ObligationId("o");
}

dense_id! {
    /// A limit on the effort for an obligation and its descendants.
    struct GasLimitId("g");
}

/// The question whether a state of a cube can be derived.
#[derive(Clone, Debug)]
pub(super) struct Obligation {
    pub(super) vertex: VertexId,
    /// Formulas over the state of the vertex, to hold together.
    pub(super) cube: Vec<Term>,
    /// The height within which the question is asked.
    pub(super) level: usize,
    /// The obligation that waits for the answer.
    pub(super) parent: Option<Parent>,
    /// The number of obligations above.
    pub(super) depth: usize,
    /// The limit on the effort for it, if it is tentative.
    gas_limit: Option<GasLimitId>,
    /// Whether it is in the queue.
    queued: bool,
    /// Whether a fact answers it.
    reached: bool,
}

/// An obligation that waits for another one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parent {
    pub(super) obligation: ObligationId,
    /// The incoming edge of its vertex by which it is derived once the other one is.
    pub(super) edge: usize,
}

impl Obligation {
    /// Whether no other obligation needs the answer.
    pub(super) fn is_tentative(&self) -> bool {
        self.gas_limit.is_some()
    }

    /// Whether a fact answers it.
    pub(super) fn is_reached(&self) -> bool {
        self.reached
    }
}

/// The order of work: level, what the settings say, rank by the seed, and the obligation.
type Queued = (usize, usize, usize, ObligationId);

/// All obligations, and those that are to be worked on: small heights first, then as the settings say, then old ones, or
/// those that the seed prefers.
#[derive(Debug, Default)]
pub(super) struct Obligations {
    all: Vec<Obligation>,
    /// The gas that is left, by limit.
    gas_left: Vec<u32>,
    queue: BinaryHeap<Reverse<Queued>>,
    order: Order,
    ties: TieBreak,
    /// Those that wait for a greater bound.
    deferred: Vec<ObligationId>,
}

impl Obligations {
    /// None yet; this is the order among those of a height, and among equals of that order.
    pub(super) fn new(order: Order, ties: TieBreak) -> Obligations {
        Obligations { order, ties, ..Obligations::default() }
    }

    pub(super) fn get(&self, id: ObligationId) -> &Obligation {
        &self.all[id.index()]
    }

    /// The number of obligations that there ever were.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Adds an obligation and queues it.
    pub(super) fn add(
        &mut self,
        vertex: VertexId,
        cube: Vec<Term>,
        level: usize,
        parent: Option<Parent>,
    ) -> ObligationId {
        let id = ObligationId::new(self.all.len());
        let above = parent.map(|parent| self.get(parent.obligation));
        let depth = above.map_or(0, |above| above.depth + 1);
        let gas_limit = above.and_then(|above| above.gas_limit);
        let (queued, reached) = (false, false);
        self.all.push(Obligation { vertex, cube, level, parent, depth, gas_limit, queued, reached });
        self.queue(id);
        id
    }

    /// Adds an obligation whose answer no other one needs, and queues it. It is given up once it and its descendants
    /// have been worked on `gas` times.
    pub(super) fn add_tentative(&mut self, vertex: VertexId, cube: Vec<Term>, level: usize, gas: u32) {
        let id = ObligationId::new(self.all.len());
        let gas_limit = Some(GasLimitId::new(self.gas_left.len()));
        self.gas_left.push(gas);
        let (queued, reached) = (false, false);
        self.all.push(Obligation { vertex, cube, level, parent: None, depth: 0, gas_limit, queued, reached });
        self.queue(id);
    }

    /// Spends one unit of gas if the obligation is tentative; returns whether there was some left.
    pub(super) fn spend_gas(&mut self, id: ObligationId) -> bool {
        let Some(gas_limit) = self.get(id).gas_limit else { return true };
        let left = &mut self.gas_left[gas_limit.index()];
        *left = left.saturating_sub(1);
        *left > 0
    }

    /// Queues an obligation, unless it is queued.
    pub(super) fn queue(&mut self, id: ObligationId) {
        let obligation = &mut self.all[id.index()];
        if !obligation.queued {
            obligation.queued = true;
            let rank = self.ties.rank(id.index());
            let preference = match self.order {
                Order::Deep => usize::MAX - obligation.depth,
                Order::Small => obligation.cube.len(),
            };
            self.queue.push(Reverse((obligation.level, preference, rank, id)));
        }
    }

    /// Takes an obligation whose height is not greater than this from the queue.
    pub(super) fn pop(&mut self, level: usize) -> Option<ObligationId> {
        let &Reverse((lowest, .., id)) = self.queue.peek()?;
        if lowest > level {
            return None;
        }
        self.queue.pop();
        self.all[id.index()].queued = false;
        Some(id)
    }

    /// Records that a fact answers an obligation.
    pub(super) fn mark_reached(&mut self, id: ObligationId) {
        self.all[id.index()].reached = true;
    }

    /// Queues what waited for a greater bound.
    pub(super) fn raise_bound(&mut self) {
        for id in std::mem::take(&mut self.deferred) {
            self.queue(id);
        }
    }

    /// Lets an obligation wait for a greater bound.
    pub(super) fn defer(&mut self, id: ObligationId) {
        self.deferred.push(id);
    }

    /// Moves an obligation to a greater height, outside the queue.
    pub(super) fn raise(&mut self, id: ObligationId, level: usize) {
        let obligation = &mut self.all[id.index()];
        debug_assert!(!obligation.queued && obligation.level < level);
        obligation.level = level;
    }
}
