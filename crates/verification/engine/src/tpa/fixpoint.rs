//! The search for a claim that holds.
//!
//! After each level, all elements so far are candidates again, since they may have been strengthened. A
//! candidate that failed has left a model; as long as the conjuncts that its premises have gained since are
//! true in that model, it fails again, and no solver is asked.
//!
//! No candidate has to be decided when it comes up, and those over the integers may be far harder than all that
//! the search itself asks. So each query has little effort; a candidate for which that was not enough is
//! postponed to the next level and gets twice as much there. Whether an invariant is full is found out only
//! for the one that is found, as a full one is grounded on both sides.

use std::collections::BTreeMap;

use shem_base::{Budget, UnknownReason};
use shem_smt::Model;
use shem_term::{Store, Value};

use super::claim::{Claim, Ends, Ground, LITTLE};
use super::copies::Copies;
use super::sequence::{Kind, Sequences};
use super::settings::{CandidateOrder, GroundOrder, TpaSettings};

/// Why a candidate failed.
struct Refutation {
    model: Model,
    /// The sizes of the elements in the premises at that time.
    sizes: Vec<usize>,
}

/// The candidates that failed.
#[derive(Default)]
pub(super) struct Fixpoints {
    refutations: BTreeMap<Claim, Refutation>,
    /// How often a candidate was postponed since it was last decided.
    delays: BTreeMap<Claim, u32>,
    pub queries: u64,
    pub remembered: u64,
    pub postponed: u64,
}

impl Fixpoints {
    /// A claim about elements of at most this level that holds, if there is one.
    #[expect(clippy::too_many_arguments, reason = "the parts of one query")]
    pub(super) fn search(
        &mut self,
        store: &mut Store,
        copies: &mut Copies,
        sequences: &Sequences,
        split: bool,
        height: usize,
        ends: Ends,
        settings: &TpaSettings,
        budget: &mut Budget,
    ) -> Result<Option<Claim>, UnknownReason> {
        for claim in candidates(split, height, settings) {
            if self.holds(store, copies, sequences, claim, ends, budget)? {
                return Ok(Some(claim));
            }
        }
        Ok(None)
    }

    fn holds(
        &mut self,
        store: &mut Store,
        copies: &mut Copies,
        sequences: &Sequences,
        claim: Claim,
        ends: Ends,
        budget: &mut Budget,
    ) -> Result<bool, UnknownReason> {
        let premises = claim.premises();
        let size =
            |(level, link): &(usize, super::sequence::Link)| sequences.element(link.kind, *level).len();
        if let Some(refutation) = self.refutations.get_mut(&claim) {
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
        let delay = self.delays.get(&claim).copied().unwrap_or(0);
        let effort = LITTLE.times(1u64.checked_shl(delay).unwrap_or(u64::MAX));
        let asked = budget.within(effort, |budget| {
            match claim.refute_closure(store, copies, sequences, Some(ends), budget)? {
                Some(model) => Ok(Err(model)),
                None => claim.is_safe(store, copies, sequences, ends, budget).map(Ok),
            }
        });
        match asked {
            Ok(Ok(safe)) => Ok(safe),
            Ok(Err(model)) => {
                let sizes = premises.iter().map(size).collect();
                self.refutations.insert(claim, Refutation { model, sizes });
                self.delays.remove(&claim);
                Ok(false)
            }
            Err(UnknownReason::Conflicts | UnknownReason::Pivots | UnknownReason::Splits)
                if budget.can_go_on() =>
            {
                self.delays.insert(claim, delay + 1);
                self.postponed += 1;
                Ok(false)
            }
            Err(reason) => Err(reason),
        }
    }
}

/// The candidates in the order of the settings.
fn candidates(split: bool, height: usize, settings: &TpaSettings) -> Vec<Claim> {
    let grounds = match settings.ground_order {
        GroundOrder::LeftFirst => [Ground::Left, Ground::Right],
        GroundOrder::RightFirst => [Ground::Right, Ground::Left],
    };
    let kinds = match (split, settings.candidate_order) {
        (false, _) => &[Kind::AtMost][..],
        (true, CandidateOrder::LessFirst) => &[Kind::Less, Kind::Equal],
        (true, CandidateOrder::EqualFirst) => &[Kind::Equal, Kind::Less],
    };
    let mut found = Vec::new();
    for &kind in kinds {
        for level in 0..=height {
            let strides = match kind {
                Kind::AtMost => 0..=0,
                Kind::Less => 0..=level,
                Kind::Equal => level..=level,
            };
            for stride in strides {
                found.extend(grounds.map(|ground| Claim { kind, level, stride, ground }));
            }
        }
    }
    found
}
