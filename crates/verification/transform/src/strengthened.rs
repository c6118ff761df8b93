//! The way back of passes that put what holds of all facts into labels.
//!
//! Such a pass knows a formula for each vertex that holds of all its facts, and that these formulas are closed under the
//! edges. It changes labels in any way that makes no difference for facts of which the formulas hold. So derivations
//! stay, up to the names of the edges, and an interpretation after the pass is one before it if the formulas are added.

use shem_chc::{Derivation, EdgeId, Interpretation, VertexId};
use shem_term::Term;

use crate::pass::{After, Back, Returned};
use crate::replay::Replay;

/// What a pass has put into labels.
pub(crate) struct Strengthened {
    /// The edges with their new labels.
    pub(crate) replay: Replay,
    /// What holds of all facts of a vertex, over its state.
    pub(crate) invariants: Vec<(VertexId, Term)>,
}

impl Back for Strengthened {
    fn interpretation(&self, at: After<'_>, mut interpretation: Interpretation) -> Returned<Interpretation> {
        let After { store, .. } = at;
        for &(vertex, invariant) in &self.invariants {
            let formula = interpretation.get(vertex).unwrap_or(Term::TRUE);
            let both = store.and2(formula, invariant);
            interpretation.insert(vertex, both);
        }
        Ok(interpretation)
    }

    fn derivation(&self, at: After<'_>, derivation: Derivation<EdgeId>) -> Returned<Derivation<EdgeId>> {
        self.replay.derivation(at, derivation)
    }
}
