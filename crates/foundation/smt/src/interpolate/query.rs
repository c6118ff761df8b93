//! Interpolation queries to a refutation.

use std::collections::BTreeSet;

use shem_base::{Budget, Lit, Statistics, Work};
use shem_proof::{Extractor, ProofLog};
use shem_term::{Store, Term};

use super::cutset::CutSet;
use super::error::{ItpError, Mixed};
use super::fallback::Problem;
use super::options::ItpOptions;
use super::partition::{Cuts, Partition};
use super::refutation;
use super::statistics::ItpCounters;
use super::vocabulary::Vocabulary;
use super::walk::{Buffers, walk};
use crate::solver::{Refutation, Solver};

/// Buffers that interpolation queries reuse.
#[derive(Debug)]
pub(super) struct QueryBuffers<const W: usize> {
    extractor: Extractor,
    vocabulary: Vocabulary<W>,
    buffers: Buffers<W>,
    /// By group: the cuts on whose A side it is.
    groups: Vec<CutSet<W>>,
    /// The assumptions of the refutation with the cuts on whose A side they are.
    assumptions: Vec<(Lit, CutSet<W>)>,
}

impl<const W: usize> Default for QueryBuffers<W> {
    fn default() -> Self {
        QueryBuffers {
            extractor: Extractor::default(),
            vocabulary: Vocabulary::default(),
            buffers: Buffers::default(),
            groups: Vec::new(),
            assumptions: Vec::new(),
        }
    }
}

/// Interpolation.
impl Refutation<'_, ProofLog> {
    /// A formula that follows from the assertions with the numbers in `a`, contradicts the others together
    /// with the assumptions, and has only symbols of both.
    ///
    /// ```
    /// use shem_base::Budget;
    /// use shem_smt::{Answer, Solver, interpolate::ItpOptions};
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
    /// let budget = &mut Budget::unlimited();
    /// let Answer::Unsat(mut refutation) = solver.check(&mut store, budget) else { panic!() };
    /// let interpolant = refutation.interpolant(&mut store, &[a], &ItpOptions::default(), budget).unwrap();
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
        partition.check(self.solver.assertion_count())?;
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
        partition.check(self.solver.assertion_count())?;
        if parents.len() != partition.groups() && parents.len() + 1 != partition.groups() {
            return Err(ItpError::NotATree);
        }
        let root = partition.groups() - 1;
        let mut parents = parents.to_vec();
        parents.resize(partition.groups(), root);
        let cuts = Cuts::tree(&parents)?;
        let is_path = parents[..root].iter().enumerate().all(|(group, &parent)| parent == group + 1);
        let dual = options.theory.is_dual() || options.system == super::InterpolationSystem::DualMcMillan;
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
        let since = budget.meter.begin();
        let found = self.interpolate_and_tidy(store, partition, cuts, options, budget);
        budget.meter.end(since, Work::Interpolation);
        found
    }

    fn interpolate_and_tidy(
        &mut self,
        store: &mut Store,
        partition: &Partition,
        cuts: &Cuts,
        options: &ItpOptions,
        budget: &mut Budget,
    ) -> Result<Vec<Term>, ItpError> {
        let mut counters = self.solver.interpolation.counters;
        let found = if self.solver.converts_words() {
            Err(Mixed::Conversion)
        } else if self.solver.has_abstractions() {
            Err(Mixed::Abstraction)
        } else {
            self.interpolate_proof(store, partition, cuts, options, &mut counters)?
        };
        let mut found = match found {
            Ok(found) => found,
            Err(mixed) => {
                counters.mixed += 1;
                let problem = Problem::of(self, store, partition);
                problem.interpolate(store, cuts, options, mixed, budget, &mut counters)?
            }
        };
        let mut postprocessor = self.solver.interpolation.postprocessor.take().unwrap_or_default();
        let mut last = None;
        for term in &mut found {
            counters.interpolants += 1;
            // Neighbours of a path are often the same.
            let result = match last {
                Some((same, result)) if same == *term => result,
                _ => postprocessor.postprocess(store, *term, options, budget, &mut counters),
            };
            last = Some((*term, result));
            *term = result;
        }
        self.solver.interpolation.postprocessor = Some(postprocessor);
        self.solver.interpolation.counters = counters;
        Ok(found)
    }

    /// Interpolates the proof, unless it is mixed.
    pub(super) fn interpolate_proof(
        &mut self,
        store: &mut Store,
        partition: &Partition,
        cuts: &Cuts,
        options: &ItpOptions,
        counters: &mut ItpCounters,
    ) -> Result<Result<Vec<Term>, Mixed>, ItpError> {
        let task = (partition, cuts, options);
        match cuts.len() {
            0..=64 => {
                let mut buffers = self.solver.interpolation.buffers.take().unwrap_or_default();
                let found = self.interpolate_cuts(store, task, counters, &mut buffers);
                self.solver.interpolation.buffers = Some(buffers);
                found
            }
            65..=256 => self.interpolate_cuts(store, task, counters, &mut QueryBuffers::<4>::default()),
            257..=1024 => self.interpolate_cuts(store, task, counters, &mut QueryBuffers::<16>::default()),
            _ => Err(ItpError::Groups(partition.groups())),
        }
    }

    fn interpolate_cuts<const W: usize>(
        &mut self,
        store: &mut Store,
        (partition, cuts, options): (&Partition, &Cuts, &ItpOptions),
        counters: &mut ItpCounters,
        buffers: &mut QueryBuffers<W>,
    ) -> Result<Result<Vec<Term>, Mixed>, ItpError> {
        let QueryBuffers { extractor, vocabulary, buffers, groups, assumptions } = buffers;
        groups.clear();
        groups.extend((0..partition.groups()).map(|group| cuts.cuts_containing::<W>(group)));
        let log = self.log();
        let root = self.conclusion();
        match root {
            Some(root) => extractor.find(log, root)?,
            None => {
                debug_assert_eq!(self.failed_literals().len(), 2, "two assumptions contradict each other")
            }
        }
        assumptions.clear();
        for &lit in self.failed_literals() {
            // What is not an assumption of the caller is the guard of a group.
            if let Some(term) = self.assumption(lit) {
                assumptions.push((lit, groups[partition.group_of_assumption(term)]));
            }
        }
        // Where all of it is on one side of each cut, there is nothing to look into.
        let (mut somewhere, mut everywhere) = (CutSet::EMPTY, CutSet::first(cuts.len()));
        for &number in root.iter().flat_map(|_| extractor.assertions()) {
            let a = groups[partition.group(number)];
            (somewhere, everywhere) = (somewhere | a, everywhere & a);
        }
        for &(_, a) in assumptions.iter() {
            (somewhere, everywhere) = (somewhere | a, everywhere & a);
        }
        if somewhere == everywhere {
            counters.one_sided += 1;
            let sides = (0..cuts.len()).map(|cut| Term::from_bool(!everywhere.contains(cut)));
            return Ok(Ok(sides.collect()));
        }
        let proof = match root {
            Some(_) => Some(extractor.replay(log)?),
            None => None,
        };
        debug_assert!(proof.is_none_or(|proof| {
            let core: BTreeSet<Lit> = self.failed_literals().iter().map(|&lit| !lit).collect();
            proof.conclusion().iter().all(|lit| core.contains(lit))
        }));
        if let Some(proof) = proof {
            // An assumption may be found in the core for more reasons than the proof has.
            assumptions.retain(|(lit, _)| proof.conclusion().contains(&!*lit));
        }
        let partitioned = refutation::Refutation { proof, assumptions, partition, groups };
        vocabulary.read(self.solver, store, partitioned, CutSet::first(cuts.len()));
        Ok(walk(store, vocabulary, partitioned, cuts, options, counters, buffers))
    }
}

impl Solver<ProofLog> {
    /// Counters of the interpolation queries so far.
    pub fn interpolation_statistics(&self) -> Statistics {
        self.interpolation.counters.report()
    }
}
