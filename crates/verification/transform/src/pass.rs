//! What a pass is.

use shem_base::{Budget, Statistics, UnknownReason};
use shem_chc::{Derivation, EdgeId, Graph, Interpretation};
use shem_term::Store;
use thiserror::Error;

/// A rewriting of graphs that keeps the answer.
pub trait Pass {
    /// The name, for statistics and options: lower case, words joined by hyphens.
    fn name(&self) -> &'static str;

    /// Whether the pass may be applied to a graph whose labels have quantifiers.
    fn accepts_quantifiers(&self) -> bool {
        false
    }

    /// Whether a pipeline applies the pass in its first round alone.
    fn is_for_first_round(&self) -> bool {
        false
    }

    /// Whether the pass may be applied to a graph that is abstracted afterwards. Interpretations come back with
    /// quantifiers or with sizes of datatypes then, so the way back must not ask for interpolants, and arrays have to
    /// stay what they are.
    fn may_precede_abstraction(&self) -> bool {
        false
    }

    /// What the pass does, in a line without a full stop.
    fn summary(&self) -> &'static str;

    /// Rewrites the graph and returns the way back; `None` if nothing has changed that a witness could
    /// notice. Counts what it did in the statistics. When the budget ends, the pass ends where it is: the
    /// graph is sound at any time.
    fn apply(
        &self,
        store: &mut Store,
        graph: &mut Graph,
        statistics: &mut Statistics,
        budget: &mut Budget,
    ) -> Option<Box<dyn Back>>;
}

/// Learns what passes do.
pub trait PassObserver {
    /// A pass begins.
    fn begins(&mut self, _pass: &'static str) {}

    /// A pass has ended, and counted this.
    fn ended(&mut self, pass: &'static str, counts: &Statistics);
}

/// Collects the counts of each pass under its name.
impl PassObserver for Statistics {
    fn ended(&mut self, pass: &'static str, counts: &Statistics) {
        self.merge_prefixed(pass, counts);
    }
}

/// The way back from a graph after a pass to the graph before it. The `graph` that is passed in is any later
/// state of the same graph: it knows all vertices, removed ones included, but not the removed edges.
pub trait Back: Send + Sync {
    /// The interpretation of the vertices before the pass; it stays as it is unless a pass says otherwise.
    fn interpretation(
        &self,
        _store: &mut Store,
        _graph: &Graph,
        interpretation: Interpretation,
        _budget: &mut Budget,
    ) -> Result<Interpretation, BackError> {
        Ok(interpretation)
    }

    /// The derivation by the edges before the pass; it stays as it is unless a pass says otherwise.
    fn derivation(
        &self,
        _store: &mut Store,
        _graph: &Graph,
        derivation: Derivation<EdgeId>,
        _budget: &mut Budget,
    ) -> Result<Derivation<EdgeId>, BackError> {
        Ok(derivation)
    }

    /// The other direction: formulas that hold of all facts before the pass, as formulas for the vertices after
    /// it. What cannot be said there is left out. The result is a candidate: who uses it checks it.
    fn forward(&self, _store: &mut Store, _graph: &Graph, interpretation: Interpretation) -> Interpretation {
        interpretation
    }
}

/// Why a witness could not be translated back.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BackError {
    /// The effort was used up.
    #[error(transparent)]
    Unknown(#[from] UnknownReason),
    /// The witness does not fit the graph: a mistake of ours, in the engine or in the pass.
    #[error("the witness does not fit: {0}")]
    Broken(String),
}
