//! How engines tell each other what they learnt.
//!
//! An engine sees a [`Port`] and nothing behind it: it publishes lemmas about the transition system that it has
//! entered, and asks from time to time what others have found. Whoever stands behind the port sees to it that a
//! lemma which counts steps comes from the very same transition system.
//!
//! What is received has a [`Standing`]. A lemma of the same process was proved by code that is trusted as much as
//! the engine's own, and is taken at the level that its sender proved. Everything else is a candidate: the engine
//! checks the condition under which it uses the lemma. A counterexample is a candidate always, since what follows
//! from it is `unsat`.

use shem_base::Budget;
use shem_chc::{Graph, Interpretation, TransitionSystem};
use shem_term::{Store, Term};

/// What a lemma says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// The formula holds in all states that are reached within so many steps.
    Reach {
        /// The number of steps.
        level: usize,
    },
    /// The same, and a set of states is excluded from which a bad one is reached.
    Induction {
        /// The number of steps within which the formula holds.
        level: usize,
        /// The states that are excluded, over the state.
        counterexample: Term,
        /// In how many steps a bad state is reached from each of them.
        distance: usize,
    },
    /// The formula, over a state and a later one, holds of states that are so many steps apart.
    Power {
        /// How the steps are counted.
        span: Span,
        /// The level, a power of two being the number of steps.
        level: usize,
    },
}

/// Which paths an element of a sequence of transition powers covers, at level n.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    /// Those of at most 2^n steps.
    AtMost,
    /// Those of fewer than 2^n steps.
    Less,
    /// Those of exactly 2^n steps.
    Equal,
}

/// A lemma about a transition system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lemma {
    /// The formula, over the state (for [`Claim::Power`] over the state and the next one) alone.
    pub formula: Term,
    /// What it says.
    pub claim: Claim,
}

/// How far a lemma of somebody else can be relied upon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It was proved in this process.
    Proven,
    /// It is somebody's word.
    Candidate,
}

/// A lemma of somebody else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    /// The lemma.
    pub lemma: Lemma,
    /// Whether it has to be checked.
    pub standing: Standing,
    /// The number of the sender, for statistics and messages.
    pub sender: u64,
}

/// The exchange of lemmas.
pub trait Port {
    /// Says which transition system everything from now on is about.
    fn enter(&mut self, store: &mut Store, system: &TransitionSystem);

    /// Tells of a lemma. It may be dropped: too large, or of no interest.
    fn publish(&mut self, store: &Store, lemma: &Lemma);

    /// What others have found about the transition system since the last call.
    fn poll(&mut self, store: &mut Store) -> Vec<Received>;

    /// Whether inductive invariants are exchanged, so that it is worth looking for them.
    fn wants_invariants(&self) -> bool {
        false
    }

    /// Tells of a formula over the state some of whose conjuncts may be an inductive invariant.
    fn suggest(&mut self, _store: &mut Store, _formula: Term, _budget: &Budget) {}

    /// Formulas over the state that hold in all initial states and are closed under steps, found by others since the
    /// last call, and checked.
    fn invariants(&mut self, _store: &mut Store) -> Vec<Term> {
        Vec::new()
    }

    /// So many of the lemmas and invariants of others have stood the test and are made use of.
    fn taken(&mut self, _count: u64) {}

    /// Tells of formulas for the vertices of a graph that are closed under all its edges but those to false. Says
    /// whether that was looked at: if telling has cost too much already, it is worth trying again later.
    fn publish_invariant(
        &mut self,
        _store: &mut Store,
        _graph: &Graph,
        _invariant: Interpretation,
        _budget: &mut Budget,
    ) -> bool {
        true
    }

    /// Candidates for such formulas, from other graphs of the same problem.
    fn poll_invariants(&mut self, _store: &mut Store, _graph: &Graph) -> Vec<Interpretation> {
        Vec::new()
    }
}

/// Tells nobody and hears nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoPort;

impl Port for NoPort {
    fn enter(&mut self, _: &mut Store, _: &TransitionSystem) {}

    fn publish(&mut self, _: &Store, _: &Lemma) {}

    fn poll(&mut self, _: &mut Store) -> Vec<Received> {
        Vec::new()
    }
}
