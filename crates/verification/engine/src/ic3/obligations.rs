//! Cubes that lead to a bad state, each with the frame in which it has to be excluded.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use shem_base::{Lit, TieBreak};

use crate::bits::Cube;

/// The number of an obligation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ObligationId(u32);

/// States from which bad ones are reached.
#[derive(Clone, Debug)]
pub(super) struct Obligation {
    pub cube: Cube,
    /// The obligation into which the inputs lead from every state of the cube; `None` if these are bad themselves.
    pub successor: Option<ObligationId>,
    /// The inputs of that step, as literals of the circuit.
    pub inputs: Vec<Lit>,
    /// The number of steps to a bad state.
    pub depth: u32,
}

/// The obligations of one frontier, and those that are open, in the order of their frames. Among those of a frame the
/// one farthest from the bad states comes first, and of these the youngest, or the one that the seed prefers.
#[derive(Clone, Debug, Default)]
pub(super) struct Obligations {
    all: Vec<Obligation>,
    open: BinaryHeap<(Reverse<usize>, u32, usize, ObligationId)>,
    ties: TieBreak,
}

impl Obligations {
    /// None yet; this is the order among those as far from the bad states.
    pub(super) fn new(ties: TieBreak) -> Obligations {
        Obligations { ties, ..Obligations::default() }
    }

    /// Adds an obligation, open in a frame.
    pub(super) fn add(&mut self, obligation: Obligation, frame: usize) -> ObligationId {
        let id = ObligationId(self.all.len() as u32);
        self.all.push(obligation);
        self.reopen(id, frame);
        id
    }

    /// Opens an obligation in a frame.
    pub(super) fn reopen(&mut self, id: ObligationId, frame: usize) {
        self.open.push((Reverse(frame), self.get(id).depth, self.ties.rank(id.0 as usize), id));
    }

    /// Takes the first open obligation.
    pub(super) fn pop(&mut self) -> Option<(ObligationId, usize)> {
        let (Reverse(frame), .., id) = self.open.pop()?;
        Some((id, frame))
    }

    /// The obligation.
    pub(super) fn get(&self, id: ObligationId) -> &Obligation {
        &self.all[id.0 as usize]
    }

    /// Forgets all of them.
    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.open.clear();
    }
}
