//! What can be read off the derivation of an unsatisfiable check.

use std::collections::BTreeSet;

use shem_base::{Rat, Var};
use shem_proof::{
    AtomMeaning, CheckError, LinearAtom, Origin, Proof, ProofError, ProofLog, ProofSink, Record, check,
};

use super::core::Core;
use super::facade::Solver;
use crate::arith::ArithVar;

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

    /// Has a proof of this solver judged by a checker that knows only what the atoms mean.
    pub fn judge(&self, proof: &Proof) -> Result<(), CheckError> {
        check(proof, &self.core).map(|_| ())
    }
}

impl<P: ProofSink> AtomMeaning for Core<P> {
    fn atom(&self, var: Var) -> Option<LinearAtom> {
        let theory = self.sat.theory();
        let (x, upper, _) = theory.meaning(var)?;
        let terms = match theory.definition(x) {
            Some(terms) => terms.iter().map(|(y, c)| (y.index() as u32, Rat::from(c.clone()))).collect(),
            None => vec![(x.index() as u32, Rat::ONE)],
        };
        Some(LinearAtom { terms, bound: upper.real.clone(), strict: !upper.delta.is_zero() })
    }

    fn is_integer(&self, var: u32) -> bool {
        self.sat.theory().is_int(ArithVar::new(var))
    }
}
