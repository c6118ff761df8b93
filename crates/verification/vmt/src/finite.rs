//! Whether a transition system has finitely many states.
//!
//! A sort with finitely many values needs nothing. An integer is bounded if conjuncts of `:trans` bound its value
//! before the step by numbers (a state of an infinite run has a step), or those of `:init` and `:trans` its first value
//! and the one after a step. What other constraints imply is not looked for: who needs it can write the bounds down.

use shem_base::Int;
use shem_term::{Sort, Store, Term, View};

use crate::system::Vmt;

impl Vmt {
    /// A state variable that may take infinitely many values on an infinite run, if one is found.
    pub fn infinite_variable(&self, store: &Store) -> Option<&str> {
        let (init, trans) = (store.conjuncts(self.init), store.conjuncts(self.trans));
        let unbounded = self.states.iter().find(|state| {
            let sort = store.sort(state.current);
            if store.cardinality(sort).is_some() {
                return false;
            }
            let before = is_bounded(store, &trans, state.current);
            let after = is_bounded(store, &init, state.current) && is_bounded(store, &trans, state.next);
            sort != Sort::Int || !(before || after)
        });
        unbounded.map(|state| &*state.name)
    }
}

/// Whether some conjuncts are bounds of the variable from both sides.
fn is_bounded(store: &Store, conjuncts: &[Term], variable: Term) -> bool {
    let (mut below, mut above) = (false, false);
    for &conjunct in conjuncts {
        let (poly, upper, both) = match (store.view(conjunct), conjunct.is_negated()) {
            (View::Eq(poly, _), false) => (poly, true, true),
            (View::Le(poly, _) | View::Lt(poly, _), negated) => (poly, !negated, false),
            _ => continue,
        };
        let [single] = store.poly_terms(poly) else { continue };
        if single.leaf != variable {
            continue;
        }
        let positive = single.coeff > Int::ZERO;
        above |= both || upper == positive;
        below |= both || upper != positive;
    }
    below && above
}
