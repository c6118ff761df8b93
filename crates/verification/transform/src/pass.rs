//! What a pass is.

use std::time::Instant;

use shem_base::{Budget, Statistics, UnknownReason};
use shem_chc::{Derivation, EdgeId, Graph, Interpretation};
use shem_term::Store;
use thiserror::Error;

/// What others need to know of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassDescription {
    /// The name, for statistics and options: lower case, words joined by hyphens.
    pub name: &'static str,
    /// What the pass does, in a line without a full stop.
    pub summary: &'static str,
    /// Whether the pass may be applied to a graph whose labels have quantifiers.
    pub accepts_quantifiers: bool,
    /// Whether a pipeline applies the pass in its first round alone.
    pub is_for_first_round: bool,
    /// Whether the pass may be applied to a graph that is abstracted afterwards. Interpretations come back with
    /// quantifiers or with sizes of datatypes then, so the way back must not ask for interpolants, and arrays have to
    /// stay what they are.
    pub may_precede_abstraction: bool,
}

impl PassDescription {
    /// A pass that is applied in every round to graphs without quantifiers that are not abstracted afterwards.
    pub fn new(name: &'static str, summary: &'static str) -> PassDescription {
        let (accepts_quantifiers, is_for_first_round, may_precede_abstraction) = (false, false, false);
        PassDescription { name, summary, accepts_quantifiers, is_for_first_round, may_precede_abstraction }
    }

    /// One that may be applied to a graph whose labels have quantifiers.
    pub fn accepting_quantifiers(self) -> PassDescription {
        PassDescription { accepts_quantifiers: true, ..self }
    }

    /// One that is applied in the first round alone.
    pub fn in_first_round(self) -> PassDescription {
        PassDescription { is_for_first_round: true, ..self }
    }

    /// One that may be applied to a graph that is abstracted afterwards.
    pub fn before_abstraction(self) -> PassDescription {
        PassDescription { may_precede_abstraction: true, ..self }
    }
}

/// What a pass works on.
pub struct Work<'a> {
    /// The store of the labels.
    pub store: &'a mut Store,
    /// The graph that is rewritten.
    pub graph: &'a mut Graph,
    /// Where the pass counts what it does.
    pub statistics: &'a mut Statistics,
    /// When it ends, the pass ends where it is: the graph is sound at any time.
    pub budget: &'a mut Budget,
}

impl<'a> Work<'a> {
    /// What a pass works on, from its parts.
    pub fn new(
        store: &'a mut Store,
        graph: &'a mut Graph,
        statistics: &'a mut Statistics,
        budget: &'a mut Budget,
    ) -> Work<'a> {
        Work { store, graph, statistics, budget }
    }
}

/// A rewriting of graphs that keeps the answer.
pub trait Pass {
    /// What others need to know of the pass.
    fn description(&self) -> PassDescription;

    /// Rewrites the graph and returns the way back; `None` if nothing has changed that a witness could notice.
    fn apply(&self, work: Work<'_>) -> Option<Box<dyn Back>>;

    /// The name of the pass.
    fn name(&self) -> &'static str {
        self.description().name
    }
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

/// Collects what passes count, and how long each takes.
pub struct PassTimes {
    statistics: Statistics,
    since: Instant,
}

impl Default for PassTimes {
    fn default() -> PassTimes {
        PassTimes { statistics: Statistics::new(), since: Instant::now() }
    }
}

impl PassTimes {
    /// What was collected.
    pub fn into_statistics(self) -> Statistics {
        self.statistics
    }
}

impl PassObserver for PassTimes {
    fn begins(&mut self, _: &'static str) {
        self.since = Instant::now();
    }

    fn ended(&mut self, pass: &'static str, counts: &Statistics) {
        let mut all = counts.clone();
        all.set("seconds", self.since.elapsed().as_secs_f64());
        self.statistics.merge_prefixed(pass, &all);
    }
}

/// What a way back works with: any later state of the graph after the pass. It knows all vertices, removed ones included,
/// but not the removed edges.
pub struct After<'a> {
    /// The store of the labels.
    pub store: &'a mut Store,
    /// The graph.
    pub graph: &'a Graph,
    /// What the translation may cost.
    pub budget: &'a mut Budget,
}

impl<'a> After<'a> {
    /// What a way back works with, from its parts.
    pub fn new(store: &'a mut Store, graph: &'a Graph, budget: &'a mut Budget) -> After<'a> {
        After { store, graph, budget }
    }

    /// The same, for a part of the way.
    pub fn reborrow(&mut self) -> After<'_> {
        After::new(self.store, self.graph, self.budget)
    }
}

/// What is translated back, or why it cannot be.
pub type Returned<T> = Result<T, BackError>;

/// The way back from a graph after a pass to the graph before it.
pub trait Back: Send + Sync {
    /// The interpretation of the vertices before the pass; it stays as it is unless a pass says otherwise.
    fn interpretation(&self, _: After<'_>, interpretation: Interpretation) -> Returned<Interpretation> {
        Ok(interpretation)
    }

    /// The derivation by the edges before the pass; it stays as it is unless a pass says otherwise.
    fn derivation(&self, _: After<'_>, derivation: Derivation<EdgeId>) -> Returned<Derivation<EdgeId>> {
        Ok(derivation)
    }

    /// Candidates for an invariant before the pass, made of an invariant after it. It is the interpretation, unless that
    /// has to be searched for; then it is left out.
    fn backward(&self, at: After<'_>, interpretation: Interpretation) -> Returned<Interpretation> {
        self.interpretation(at, interpretation)
    }

    /// The other direction: formulas that hold of all facts before the pass, as formulas for the vertices after it. What
    /// cannot be said there is left out. The result is a candidate: who uses it checks it.
    fn forward(&self, _: &mut Store, _: &Graph, interpretation: Interpretation) -> Interpretation {
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
