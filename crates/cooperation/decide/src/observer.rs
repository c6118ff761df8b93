//! Events while a system is decided.

use std::sync::Arc;

use shem_chc::System;
use shem_engine::{Events, NoEvents, Progress};
use shem_exchange::SentWitness;
use shem_term::Store;
use shem_transform::Preprocessed;

use crate::answer::Status;
use crate::queries::QueryFolder;

/// One of several engines while it is at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Running {
    /// The engine.
    pub engine: &'static str,
    /// How far it is.
    pub progress: Progress,
    /// The bytes of memory that it occupies, if it has a process of its own.
    pub memory: Option<usize>,
    /// Whether it is its turn.
    pub has_turn: bool,
}

/// Listens to a decision in the making. All of it may be ignored.
pub trait Observer: Events {
    /// The passes are done, and an engine is to begin.
    fn prepared(&mut self, _store: &Store, _system: &Arc<System>, _preprocessed: &Arc<Preprocessed>) {}

    /// From now on progress is that of this engine.
    fn engine(&mut self, _name: &'static str) {}

    /// These engines have begun and have not ended.
    fn team(&mut self, _team: &[Running]) {}

    /// Where one of several engines writes its queries; nowhere, unless the observer wants them.
    fn queries_of(&mut self, _part: &str) -> Option<QueryFolder> {
        None
    }

    /// An engine has decided, and its evidence is to be judged.
    fn claimed(&mut self, _status: Status) {}

    /// The certificate of the engine was accepted, and the witness is still to be built. The certificate is given in
    /// the form in which it is sent, if others can check it.
    fn certified(&mut self, _certificate: Option<&SentWitness>) {}

    /// Something went wrong without harm to the answer.
    fn warning(&mut self, _words: &str) {}
}

impl Observer for NoEvents {}
