//! Questions of safety, which somebody else answers.

use std::sync::Arc;

use shem_chc::{ClauseId, Derivation, Model, System};
use shem_term::Store;

/// Answers whether falsehood can be derived from clauses.
pub trait Safety {
    /// A model of the clauses or a derivation of falsehood; nothing if the effort, about so many milliseconds of a core,
    /// does not suffice. What is given is judged before it counts.
    fn decide(&mut self, store: &mut Store, system: &Arc<System>, effort: u64) -> Option<Safe>;
}

/// An answer to a question of safety.
#[derive(Clone, Debug)]
pub enum Safe {
    /// Falsehood cannot be derived.
    Yes(Model),
    /// It can.
    No(Derivation<ClauseId>),
}

/// Answers nothing: what is found without questions of safety is all.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSafety;

impl Safety for NoSafety {
    fn decide(&mut self, _: &mut Store, _: &Arc<System>, _: u64) -> Option<Safe> {
        None
    }
}
