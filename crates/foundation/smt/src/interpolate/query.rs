//! Interpolation queries to a solver.

use hashbrown::HashSet;
use rustc_hash::FxBuildHasher;
use shem_base::{Budget, Lit, Statistics};
use shem_proof::{Proof, ProofLog};
use shem_term::{Store, Term};

use super::cutset::CutSet;
use super::error::ItpError;
use super::fallback::Problem;
use super::options::ItpOptions;
use super::partition::{Cuts, Partition};
use super::simplify::simplify;
use super::statistics::ItpCounters;
use super::vocabulary::{Mixed, Refutation, Vocabulary};
use super::walk::walk;
use crate::solver::Solver;

/// The number of terms up to which a list serves as a set.
const FEW: usize = 16;

/// Interpolation. All queries are about the last check, which was unsatisfiable, and choose the partition
/// and the algorithms afterwards.
impl Solver<ProofLog> {
    /// A formula that follows from the assertions with the numbers in `a`, contradicts the others together
    /// with the assumptions, and has only symbols of both.
    ///
    /// ```
    /// use shem_base::Budget;
    /// use shem_smt::{Solver, interpolate::ItpOptions};
    /// use shem_term::{Sort, Store};
    ///
    /// let mut store = Store::new();
    /// let [x, y, z] = ["x", "y", "z"].map(|name| store.variable(name, Sort::Int));
    /// let mut solver = Solver::new(Default::default());
    /// // x = 2y and x = 2z + 1: the interpolant says that x is even.
    /// let double = store.add(&[y, y]);
    /// let even = store.eq(x, double);
    /// let odd = store.linear(&[(2.into(), z)], &1.into(), Sort::Int);
    /// let odd = store.eq(x, odd);
    /// let a = solver.assert(&mut store, even);
    /// solver.assert(&mut store, odd);
    /// assert!(solver.check(&mut store, &mut Budget::unlimited()).is_unsat());
    /// let budget = &mut Budget::unlimited();
    /// let interpolant = solver.interpolant(&mut store, &[a], &ItpOptions::default(), budget).unwrap();
    /// assert_eq!(store.free_variables(&[interpolant]), [x]);
    /// ```
    pub fn interpolant(
        &mut self,
        store: &mut Store,
        a: &[u32],
        options: &ItpOptions,
        budget: &mut Budget,
    ) -> Result<Term, ItpError> {
        let found = self.path_interpolants(store, &Partition::binary(a), options, budget)?;
        Ok(found[0])
    }

    /// One formula after each group but the last: it follows from the groups up to there, contradicts the
    /// others, has only symbols of both, and together with the next group implies the next formula.
    pub fn path_interpolants(
        &mut self,
        store: &mut Store,
        partition: &Partition,
        options: &ItpOptions,
        budget: &mut Budget,
    ) -> Result<Vec<Term>, ItpError> {
        partition.check(self.assertion_count())?;
        let cuts = Cuts::path(partition.groups());
        self.interpolate(store, partition, &cuts, options, budget)
    }

    /// One formula for each group but the last, which is the root of a tree of groups; `parents` gives the
    /// parent of each group, larger than the group itself. The formula of a group follows from the subtree
    /// of the group, contradicts the rest, has only symbols of both, and together with those of its
    /// siblings and their parent's group implies the parent's formula (at the root: falsehood).
    pub fn tree_interpolants(
        &mut self,
        store: &mut Store,
        partition: &Partition,
        parents: &[usize],
        options: &ItpOptions,
        budget: &mut Budget,
    ) -> Result<Vec<Term>, ItpError> {
        partition.check(self.assertion_count())?;
        if parents.len() != partition.groups() && parents.len() + 1 != partition.groups() {
            return Err(ItpError::NotATree);
        }
        let root = partition.groups() - 1;
        let mut parents = parents.to_vec();
        parents.resize(partition.groups(), root);
        let cuts = Cuts::tree(&parents)?;
        let is_path = parents[..root].iter().enumerate().all(|(group, &parent)| parent == group + 1);
        let dual = options.theory.is_dual() || options.system == super::System::DualMcMillan;
        if dual && !is_path {
            return Err(ItpError::DualTree);
        }
        self.interpolate(store, partition, &cuts, options, budget)
    }

    fn interpolate(
        &mut self,
        store: &mut Store,
        partition: &Partition,
        cuts: &Cuts,
        options: &ItpOptions,
        budget: &mut Budget,
    ) -> Result<Vec<Term>, ItpError> {
        let mut counters = self.interpolation.counters;
        let found = match self.interpolate_proof(store, partition, cuts, options, &mut counters)? {
            Ok(found) => found,
            Err(Mixed) => {
                counters.mixed += 1;
                let problem = Problem::of(self, store, partition);
                problem.interpolate(store, cuts, options, budget, &mut counters)?
            }
        };
        let mut result = Vec::with_capacity(found.len());
        for term in found {
            counters.interpolants += 1;
            let simple = if options.simplify { simplify(store, term) } else { term };
            let raw_size = size(store, term);
            counters.raw_size += raw_size;
            counters.size += if simple == term { raw_size } else { size(store, simple) };
            result.push(simple);
        }
        self.interpolation.counters = counters;
        Ok(result)
    }

    /// Interpolates the proof of the last check, unless it is mixed.
    pub(super) fn interpolate_proof(
        &mut self,
        store: &mut Store,
        partition: &Partition,
        cuts: &Cuts,
        options: &ItpOptions,
        counters: &mut ItpCounters,
    ) -> Result<Result<Vec<Term>, Mixed>, ItpError> {
        match cuts.len() {
            0..=64 => self.interpolate_cuts::<1>(store, partition, cuts, options, counters),
            65..=256 => self.interpolate_cuts::<4>(store, partition, cuts, options, counters),
            257..=1024 => self.interpolate_cuts::<16>(store, partition, cuts, options, counters),
            _ => Err(ItpError::Groups(partition.groups())),
        }
    }

    fn interpolate_cuts<const W: usize>(
        &mut self,
        store: &mut Store,
        partition: &Partition,
        cuts: &Cuts,
        options: &ItpOptions,
        counters: &mut ItpCounters,
    ) -> Result<Result<Vec<Term>, Mixed>, ItpError> {
        let sides = |group: usize| {
            let mut set = CutSet::<W>::EMPTY;
            for &cut in cuts.around(group) {
                set.insert(cut);
            }
            set
        };
        let by_group: Vec<CutSet<W>> = (0..partition.groups()).map(sides).collect();
        let assertions: Vec<CutSet<W>> =
            (0..self.assertion_count()).map(|number| by_group[partition.group(number)]).collect();
        let proof = self.refuting_proof()?;
        let failed: Vec<Lit> = match &proof {
            Some(proof) => proof.conclusion().iter().map(|&lit| !lit).collect(),
            None => self.core_literals(),
        };
        let mut assumptions = Vec::with_capacity(failed.len());
        for lit in failed {
            // What is not an assumption of the caller is the guard of a group.
            if let Some(term) = self.assumption(lit) {
                assumptions.push((lit, by_group[partition.group_of_assumption(term)]));
            }
        }
        let refutation =
            Refutation { proof: proof.as_ref(), assumptions: &assumptions, assertions: &assertions };
        let mut vocabulary = Vocabulary::new(self, store, refutation);
        let found = walk(store, &mut vocabulary, refutation, cuts, options, counters);
        self.interpolation.scratch = vocabulary.into_scratch();
        Ok(found)
    }

    /// The proof of the last check; none if the contradiction is between two assumptions.
    fn refuting_proof(&self) -> Result<Option<Proof>, ItpError> {
        match self.proof() {
            Some(proof) => Ok(Some(proof?)),
            None if self.core_literals().len() == 2 => Ok(None),
            None => Err(ItpError::NotRefuted),
        }
    }

    /// Counters of the interpolation queries so far.
    pub fn interpolation_statistics(&self) -> Statistics {
        self.interpolation.counters.report()
    }
}

/// The number of distinct subterms of an interpolant. It is small; the store may not be.
fn size(store: &Store, term: Term) -> u64 {
    let mut found = vec![term.positive()];
    let mut seen = HashSet::<Term, FxBuildHasher>::default();
    let mut next = 0;
    while let Some(&term) = found.get(next) {
        next += 1;
        store.for_each_child(term, |child| {
            let child = child.positive();
            // As long as there are few, a look at all of them is cheaper than a table.
            let is_new = if found.len() < FEW {
                !found.contains(&child)
            } else {
                if seen.is_empty() {
                    seen.extend(&found);
                }
                seen.insert(child)
            };
            if is_new {
                found.push(child);
            }
        });
    }
    found.len() as u64
}
