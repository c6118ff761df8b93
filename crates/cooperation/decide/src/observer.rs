//! Events while a system is decided.

use std::sync::Arc;
use std::time::Instant;

use shem_engine::{Events, NoEvents, Progress};
use shem_exchange::{Content, decode};
use shem_transform::Preprocessed;

use crate::answer::Status;
use crate::queries::QueryFolder;
use crate::reason::Undecided;

/// One of several engines while it is at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Running {
    /// Its number among all that take part.
    pub member: usize,
    /// The engine.
    pub engine: &'static str,
    /// How far it is.
    pub progress: Progress,
    /// The bytes of memory that it occupies, if it has a process of its own.
    pub memory: Option<usize>,
    /// Whether it is its turn.
    pub has_turn: bool,
    /// How much of what it has learnt was told to the others.
    pub sent: u64,
    /// How much of what the others have learnt was of use to it.
    pub taken: u64,
}

/// What engines have told each other.
#[derive(Clone, Debug, Default)]
pub struct Exchanged {
    /// The first messages of each, in the order of their times.
    pub told: Vec<Told>,
    /// What was of use, and to whom.
    pub used: Vec<Used>,
}

/// A message of an engine to all others.
#[derive(Clone, Debug)]
pub struct Told {
    /// Who has sent it.
    pub member: usize,
    /// When.
    pub at: Instant,
    /// Its text.
    pub(crate) text: String,
}

impl Told {
    /// What it says; nothing if it is malformed.
    pub fn content(&self) -> Option<Content> {
        decode(self.text.as_bytes()).ok().map(|note| note.content)
    }
}

/// How much of what one engine has told was of use to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Used {
    /// Who uses it.
    pub by: usize,
    /// Who has sent it; nobody, if it may be from several.
    pub from: Option<usize>,
    /// The number of formulas.
    pub count: u64,
}

/// What an engine has come to.
#[derive(Clone, Copy, Debug)]
pub enum Milestone<'a> {
    /// It has decided, and its evidence is to be judged.
    Claimed(Status),
    /// Its evidence was accepted: this is the answer.
    Accepted(Status),
    /// It gave up.
    GaveUp(&'a Undecided),
    /// It was dropped because of a mistake of its own.
    Dropped(&'a str),
}

/// Listens to a decision in the making. All of it may be ignored.
pub trait Observer: Events {
    /// The passes are done, and an engine is to begin.
    fn prepared(&mut self, _preprocessed: &Arc<Preprocessed>) {}

    /// From now on progress is that of this engine.
    fn engine(&mut self, _name: &'static str) {}

    /// An engine begins: its number, and its name with its settings.
    fn entered(&mut self, _member: usize, _name: &str) {}

    /// The engine of this name has come to something.
    fn milestone(&mut self, _name: &str, _what: Milestone<'_>) {}

    /// These engines have begun and have not ended.
    fn team(&mut self, _team: &[Running]) {}

    /// The engines have ended; this is what they have told each other.
    fn exchanged(&mut self, _exchanged: &Exchanged) {}

    /// Where one of several engines writes its queries; nowhere, unless the observer wants them.
    fn queries_of(&mut self, _part: &str) -> Option<QueryFolder> {
        None
    }

    /// Something went wrong without harm to the answer.
    fn warning(&mut self, _words: &str) {}
}

impl Observer for NoEvents {}
