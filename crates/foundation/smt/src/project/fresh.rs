//! Variables that a projection introduces and eliminates again.
//!
//! None of them outlives its projection, so that they are used again for the next one: however many projections
//! there are, the store gets as many variables as the largest of them needs.

use std::collections::BTreeMap;

use shem_term::{Sort, Store, Term};

/// A supply of variables of each sort.
#[derive(Clone, Debug, Default)]
pub(super) struct FreshVariables {
    /// The variables of a sort, and how many of them are in use.
    supply: BTreeMap<Sort, (Vec<Term>, usize)>,
}

impl FreshVariables {
    /// Makes all variables available.
    pub(super) fn begin(&mut self) {
        for (_, used) in self.supply.values_mut() {
            *used = 0;
        }
    }

    /// A variable that is not in use.
    pub(super) fn take(&mut self, store: &mut Store, sort: Sort) -> Term {
        let (variables, used) = self.supply.entry(sort).or_default();
        if *used == variables.len() {
            variables.push(store.variable("projected", sort));
        }
        *used += 1;
        variables[*used - 1]
    }
}
