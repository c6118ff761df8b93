//! A k-inductive formula that somebody else has found, as a verdict.
//!
//! An engine in another process may have shown safety by a formula that is inductive in k steps, and be unable to make
//! an invariant of it that is inductive in one. The formula itself is easily sent. This engine reads it over the states
//! that it is given and claims what the other one has claimed, with the same certificate and the same recipe for the
//! witness. It believes nothing: whoever gets the claim checks the certificate, on a transition system of its own.

use shem_base::UnknownReason;
use shem_chc::TransitionSystem;
use shem_check::certificate::KInductive;
use shem_term::{Store, Term};

use crate::induction::safe;
use crate::registry::Fragment;
use crate::scope::Scope;
use crate::theories::Theories;
use crate::verdict::{Outcome, TransitionVerdict};
use crate::{Context, TransitionEngine};

/// Claims that a formula is k-inductive.
pub struct Replay<R> {
    /// The depth of induction, at least 1.
    pub k: usize,
    /// Reads the formula over these variables of a state; `None` if it is not over them.
    pub read: R,
}

impl<R: FnMut(&mut Store, &[Term]) -> Option<Term>> TransitionEngine for Replay<R> {
    fn scope(&self) -> Scope {
        Scope { name: "replay", fragment: Fragment::TransitionSystems, theories: Theories::All }
    }

    fn solve(
        &mut self,
        store: &mut Store,
        system: &TransitionSystem,
        _: &mut Context<'_>,
    ) -> TransitionVerdict {
        let Some(formula) = (self.read)(store, &system.state).filter(|_| self.k > 0) else {
            return Outcome::unknown(UnknownReason::Incomplete("the formula is about other states"));
        };
        safe(system.clone(), KInductive { formula, k: self.k })
    }
}
