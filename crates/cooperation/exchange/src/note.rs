//! What travels between solvers.
//!
//! A [`Note`] belongs to no store: formulas are text, so that a note can go to any thread, process or machine. A lemma
//! that counts steps is [`Bounded`]; it is about one transition system, after the passes, and is of use there only.
//! What holds across all graphs of a problem is over the predicates as read and about the system: an invariant (closed
//! under all clauses but the queries), or a verdict with its witness.

use serde::{Deserialize, Serialize};
use shem_chc::Fingerprint;
use shem_engine::Span;

use shem_term::pack::Formula;

/// A message.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// The number of the sender; instances of one process count from zero, processes have random numbers.
    pub sender: u64,
    /// The transition system or the system as read that it is about.
    pub about: Fingerprint,
    /// The content.
    pub content: Content,
}

/// The content of a message.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// A lemma that counts steps.
    Bounded(Bounded),
    /// Formulas that are closed under all clauses of the system but the queries.
    Invariant(Definitions),
    /// A verdict on the system, by its witness.
    Verdict(SentWitness),
    /// The model of the part of this number of a problem that is divided; the message is about the clauses of the part.
    Part(usize, Definitions),
}

/// A lemma about a transition system that counts steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounded {
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
    /// The same; and it excludes states from which a bad one is reached in this many steps.
    Induction(Formula, usize),
    /// An element of a sequence of transition powers.
    Power(Span),
    /// It does not hold: a state that is reached violates it.
    Refuted,
    /// It is about the vertex of this number: it holds up to the height that the level is, or at all heights if that is the
    /// greatest.
    Height(usize),
    /// All its states can be derived for the vertex of this number.
    Derived(usize),
}

/// The level of a lemma that holds at all heights.
pub const ALL_HEIGHTS: usize = 1_000_000_000;

/// Names of predicates as read with formulas over their arguments; a predicate that is missing means truth.
pub type Definitions = Vec<(Box<str>, Formula)>;

/// A witness as it is sent: not to be believed before it was checked on the system.
#[derive(Clone, Debug, PartialEq)]
pub enum SentWitness {
    /// A model: the system is safe.
    Model(Definitions),
    /// A derivation of falsehood: the system is unsafe.
    Derivation(Vec<SentStep>),
    /// The same, with repetitions.
    Repeating(Vec<SentNode>),
    /// A formula over the state of the transition system that the passes make of the system, and the depth at which it
    /// is inductive: the system is safe.
    Inductive(usize, Formula),
}

/// A step of a derivation as it is sent: the number of the clause, those of the earlier steps that are the premises,
/// and the values of the arguments as text, which needs a store to be read.
pub type SentStep = (u32, Vec<u32>, Vec<Box<str>>);

/// A step in a repetition as it is sent: the number of the clause, and for each argument the coefficients of its course,
/// or a truth value.
pub type SentCourses = (u32, Vec<Vec<Box<str>>>);

/// A part of a derivation as it is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SentNode {
    /// A step.
    Step(SentStep),
    /// The step before the first round, the number of rounds, and the word.
    Repeat(u32, u64, Vec<SentCourses>),
    /// The step before, the number of steps, the cases, and the values of the last fact. A case is the number of a
    /// clause and a formula that says what the next fact `y` is, given this one, `x`.
    Run(u32, u64, Vec<(u32, Box<str>)>, Vec<Box<str>>),
}

impl Bounded {
    /// The bytes of its formulas.
    pub fn size(&self) -> usize {
        let more = match &self.kind {
            BoundedKind::Induction(counterexample, _) => counterexample.text().len(),
            BoundedKind::Reach
            | BoundedKind::Power(_)
            | BoundedKind::Refuted
            | BoundedKind::Height(_)
            | BoundedKind::Derived(_) => 0,
        };
        self.formula.text().len() + more
    }
}
