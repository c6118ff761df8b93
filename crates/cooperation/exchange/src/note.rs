//! What travels between solvers.
//!
//! A [`Note`] belongs to no store: formulas are text, so that a note can go to any thread, process or machine. What
//! counts steps is [`Bounded`] and carries the fingerprint of the very transition system, pipeline included, whose
//! steps it counts; it is of use there only. What holds across all graphs of a problem is over the predicates as
//! read, and carries the fingerprint of the system: [`Definitions`], as an invariant (closed under all clauses but
//! the queries) or as a model.

use shem_chc::{ClauseId, Derivation, Fingerprint};
use shem_engine::Span;

use crate::formula::Formula;

/// A message, with who says it.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// The number of the sender; instances of one process count from zero, processes draw lots.
    pub sender: u64,
    /// What is said.
    pub content: Content,
}

/// What a message says.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// A lemma that counts steps.
    Bounded(Bounded),
    /// Formulas that are closed under all clauses of the system but the queries.
    Invariant(Definitions),
    /// A model: the system is safe.
    Model(Definitions),
    /// A derivation of falsehood: the system is unsafe.
    Refutation(Refutation),
}

/// A lemma about a transition system that counts steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounded {
    /// The transition system.
    pub about: Fingerprint,
    /// Within how many steps it holds; for powers, the level.
    pub level: usize,
    /// The formula over the state; for powers, over two states.
    pub formula: Formula,
    /// What kind of lemma it is.
    pub kind: BoundedKind,
}

/// The kinds of lemmas that count steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BoundedKind {
    /// It holds in all states reached.
    Reach,
    /// The same; and it excludes states from which a bad one is reached in so many steps.
    Induction(Formula, usize),
    /// An element of a sequence of transition powers.
    Power(Span),
}

/// Definitions of predicates of a system as read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definitions {
    /// The system.
    pub about: Fingerprint,
    /// Names of predicates with formulas over their arguments; a predicate that is missing means truth.
    pub definitions: Vec<(Box<str>, Formula)>,
}

/// A derivation of falsehood from a system as read.
#[derive(Clone, Debug, PartialEq)]
pub struct Refutation {
    /// The system.
    pub about: Fingerprint,
    /// The steps, by the numbers of its clauses.
    pub derivation: Derivation<ClauseId>,
}

impl Bounded {
    /// The bytes of its formulas.
    pub fn size(&self) -> usize {
        let more = match &self.kind {
            BoundedKind::Induction(counterexample, _) => counterexample.text().len(),
            BoundedKind::Reach | BoundedKind::Power(_) => 0,
        };
        self.formula.text().len() + more
    }
}

impl Definitions {
    /// The bytes of its formulas.
    pub fn size(&self) -> usize {
        self.definitions.iter().map(|(_, formula)| formula.text().len()).sum()
    }
}

impl Content {
    /// The word that the wire format has for this kind.
    pub fn word(&self) -> &'static str {
        match self {
            Content::Bounded(Bounded { kind: BoundedKind::Reach, .. }) => "reach",
            Content::Bounded(Bounded { kind: BoundedKind::Induction(..), .. }) => "induction",
            Content::Bounded(Bounded { kind: BoundedKind::Power(_), .. }) => "power",
            Content::Invariant(_) => "invariant",
            Content::Model(_) => "model",
            Content::Refutation(_) => "refutation",
        }
    }
}
