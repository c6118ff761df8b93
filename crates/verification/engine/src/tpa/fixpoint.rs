//! The search for a transition invariant that proves safety.
//!
//! After each level, all elements so far are candidates again, since they may have been strengthened. A
//! candidate that failed has a countermodel; as long as the conjuncts that were added to its premises since are true
//! in it, the candidate fails again, without a query.
//!
//! No candidate has to be decided at once, and those over the integers may be far harder than the other queries. So
//! the effort is limited; a candidate that exceeds it is postponed to the next level, with twice the effort.
//! Whether an invariant is full is asked only of the one that is found, as a full one is grounded on both sides.

use std::collections::BTreeMap;

use shem_base::{Budget, UnknownReason};
use shem_smt::Model;
use shem_term::{Store, Value};

use super::copies::Copies;
use super::sequence::{SequenceKind, Sequences};
use super::transition_invariant::{
    Endpoints, Ground, OPTIONAL_EFFORT, TransitionInvariant, is_safe, refute_closure,
};

/// Why a candidate failed.
struct Refutation {
    model: Model,
    /// The sizes of the elements in the premises at that time.
    sizes: Vec<usize>,
}

/// The candidates that failed.
#[derive(Default)]
pub(super) struct Fixpoints {
    refutations: BTreeMap<TransitionInvariant, Refutation>,
    /// How often a candidate was postponed since it was last decided.
    delays: BTreeMap<TransitionInvariant, u32>,
    pub queries: u64,
    pub remembered: u64,
    pub postponed: u64,
}

impl Fixpoints {
    /// A transition invariant from elements of at most this level that proves safety, if there is one.
    #[expect(clippy::too_many_arguments, reason = "the parts of one query")]
    pub(super) fn search(
        &mut self,
        store: &mut Store,
        copies: &mut Copies,
        sequences: &Sequences,
        split: bool,
        height: usize,
        ends: Endpoints,
        budget: &mut Budget,
    ) -> Result<Option<TransitionInvariant>, UnknownReason> {
        for candidate in candidates(split, height) {
            if self.holds(store, copies, sequences, candidate, ends, budget)? {
                return Ok(Some(candidate));
            }
        }
        Ok(None)
    }

    fn holds(
        &mut self,
        store: &mut Store,
        copies: &mut Copies,
        sequences: &Sequences,
        candidate: TransitionInvariant,
        ends: Endpoints,
        budget: &mut Budget,
    ) -> Result<bool, UnknownReason> {
        let premises = candidate.premises();
        let size =
            |(level, link): &(usize, super::sequence::Link)| sequences.element(link.kind, *level).len();
        if let Some(refutation) = self.refutations.get_mut(&candidate) {
            let mut fails_again = true;
            for (at, (level, link)) in premises.iter().enumerate() {
                for &formula in &sequences.element(link.kind, *level)[refutation.sizes[at]..] {
                    let instance = copies.relation(store, formula, link.from, link.to);
                    let value = store.evaluate(instance, &refutation.model.completed(store));
                    fails_again &= value == Some(Value::Bool(true));
                }
            }
            if fails_again {
                refutation.sizes = premises.iter().map(size).collect();
                self.remembered += 1;
                return Ok(false);
            }
        }
        self.queries += 1;
        let delay = self.delays.get(&candidate).copied().unwrap_or(0);
        let effort = OPTIONAL_EFFORT.times(1u64.checked_shl(delay).unwrap_or(u64::MAX));
        let asked = budget.within(effort, |budget| {
            match refute_closure(candidate, store, copies, sequences, Some(ends), budget)? {
                Some(model) => Ok(Err(model)),
                None => is_safe(candidate, store, copies, sequences, ends, budget).map(Ok),
            }
        });
        match asked {
            Ok(Ok(safe)) => Ok(safe),
            Ok(Err(model)) => {
                let sizes = premises.iter().map(size).collect();
                self.refutations.insert(candidate, Refutation { model, sizes });
                self.delays.remove(&candidate);
                Ok(false)
            }
            Err(UnknownReason::Conflicts | UnknownReason::Pivots | UnknownReason::Splits)
                if budget.can_go_on() =>
            {
                self.delays.insert(candidate, delay + 1);
                self.postponed += 1;
                Ok(false)
            }
            Err(reason) => Err(reason),
        }
    }
}

/// The candidates in the order in which they are tried: elements of the sequence of shorter paths before those of exact
/// powers, and each at the initial states before the bad ones.
fn candidates(split: bool, height: usize) -> Vec<TransitionInvariant> {
    let grounds = [Ground::Left, Ground::Right];
    let kinds = match split {
        false => &[SequenceKind::AtMost][..],
        true => &[SequenceKind::Less, SequenceKind::Equal],
    };
    let mut found = Vec::new();
    for &kind in kinds {
        for level in 0..=height {
            let strides = match kind {
                SequenceKind::AtMost => 0..=0,
                SequenceKind::Less => 0..=level,
                SequenceKind::Equal => level..=level,
            };
            for stride in strides {
                found.extend(grounds.map(|ground| TransitionInvariant { kind, level, stride, ground }));
            }
        }
    }
    found
}
