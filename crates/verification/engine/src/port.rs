//! The exchange of lemmas between engines.
//!
//! An engine sees a [`Port`] only: it publishes lemmas about the transition system that it has entered, and polls for
//! those of others. The implementation of the port guarantees that a lemma which counts steps is about the same
//! transition system.
//!
//! What is received has a [`Standing`]. A lemma of the same process was proved by code that is trusted as much as
//! the engine's own, and is taken at the level that its sender proved. Everything else is a candidate: the engine
//! checks the condition under which it uses the lemma. A counterexample is always a candidate, since `unsat` may
//! follow from it.

use shem_base::Budget;
use shem_chc::{Graph, Interpretation, TransitionSystem, VertexId};
use shem_term::{Store, Term};

/// In which sense the formula of a lemma holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// The formula holds in all states that are reached within `level` steps.
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
    /// The formula, over two states, holds if a path of 2^level steps (see `span`) leads from the first to the second.
    Power {
        /// How the steps are counted.
        span: Span,
        /// The exponent of the number of steps.
        level: usize,
    },
    /// The formula does not hold: a state that is reached within `level` steps violates it. It need not be tried again.
    Refuted {
        /// The number of steps.
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
    /// In which sense it holds.
    pub claim: Claim,
}

/// What is said of a vertex of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VertexClaim {
    /// The formula holds of all facts up to a height; `usize::MAX` for all heights.
    Holds {
        /// The height.
        height: usize,
    },
    /// All states of the formula can be derived.
    Derived,
}

/// A formula over the state of a vertex, with what is said of it. One that is received is a candidate: a formula that holds
/// up to a height for the sender may do so only with lemmas that the receiver does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VertexLemma {
    /// The vertex.
    pub vertex: VertexId,
    /// The formula.
    pub formula: Term,
    /// What is said of it.
    pub claim: VertexClaim,
}

/// Whether a received lemma is proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It was proved in this process.
    Proven,
    /// It comes from outside and has to be checked.
    Candidate,
}

/// A lemma received from another engine.
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
    /// Sets the transition system that the following lemmas are about.
    fn enter(&mut self, store: &mut Store, system: &TransitionSystem);

    /// Publishes a lemma. The port may drop it, for example if it is too large.
    fn publish(&mut self, store: &Store, lemma: &Lemma);

    /// The lemmas about the transition system received since the last call.
    fn poll(&mut self, store: &mut Store) -> Vec<Received>;

    /// Sets the graph that the following lemmas about vertices are about. Returns whether such lemmas are exchanged.
    fn enter_graph(&mut self, _store: &mut Store, _graph: &Graph) -> bool {
        false
    }

    /// Publishes a lemma about a vertex of the graph that was entered.
    fn publish_about_vertex(&mut self, _store: &Store, _lemma: &VertexLemma) {}

    /// The lemmas about vertices of the graph received since the last call.
    fn poll_about_vertices(&mut self, _store: &mut Store) -> Vec<VertexLemma> {
        Vec::new()
    }

    /// Whether inductive invariants are exchanged, so that it is worth looking for them.
    fn wants_invariants(&self) -> bool {
        false
    }

    /// Offers a formula over the state; those of its conjuncts that are inductive together may be published.
    fn suggest(&mut self, _store: &mut Store, _formula: Term, _budget: &Budget) {}

    /// Formulas over the state that hold in all initial states and are closed under steps, found by others since the
    /// last call, and checked.
    fn invariants(&mut self, _store: &mut Store) -> Vec<Term> {
        Vec::new()
    }

    /// Reports that what was received last is checked, and that the engine now uses these formulas of it.
    fn taken(&mut self, _formulas: &[Term]) {}

    /// Publishes formulas for the vertices of a graph that are closed under all its edges but those to false. Returns
    /// false if the port could not process them now, since its effort is used up; the engine may try again later.
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

/// Publishes nothing and receives nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoPort;

impl Port for NoPort {
    fn enter(&mut self, _: &mut Store, _: &TransitionSystem) {}

    fn publish(&mut self, _: &Store, _: &Lemma) {}

    fn poll(&mut self, _: &mut Store) -> Vec<Received> {
        Vec::new()
    }
}
