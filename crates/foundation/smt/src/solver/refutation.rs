//! What can be read off the derivation of an unsatisfiable check.

use std::collections::BTreeSet;

use shem_proof::{Origin, Proof, ProofError, ProofLog, Record};

use super::facade::Solver;

impl Solver<ProofLog> {
    /// After an unsatisfiable check: the numbers of the assertions that the refutation found uses, sorted.
    pub fn used_assertions(&self) -> Vec<u32> {
        let Some(root) = self.refutation() else { return Vec::new() };
        let log = self.core.sat.proof();
        let mut used = BTreeSet::new();
        let mut seen = hashbrown::HashSet::<_, rustc_hash::FxBuildHasher>::default();
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            if !seen.insert(id) {
                continue;
            }
            match log.record(id) {
                Some(Record::Input { origin: Origin::Assertion(number), .. }) => {
                    used.insert(number);
                }
                Some(Record::Derived { antecedents }) => stack.extend_from_slice(antecedents),
                _ => {}
            }
        }
        used.into_iter().collect()
    }

    /// After an unsatisfiable check: the derivation of the clause over negated assumptions.
    pub fn proof(&self) -> Option<Result<Proof, ProofError>> {
        Some(Proof::extract(self.core.sat.proof(), self.refutation()?))
    }
}
