//! Interpolants where the proof has mixed literals.
//!
//! A cut of the integer search, or an atom left over from an earlier query, may mention symbols that no single
//! side of a cut has; such a leaf belongs to neither side. Nor do lemmas about products and quotients that were left
//! without circuits, and lemmas about conversions, which are removed first. The assertions that the refutation uses are solved
//! again with splits on forms of a single group only, which usually gives a proof without mixed literals. If
//! not, the strongest interpolants are computed: the A side with its own variables eliminated, by projecting
//! model after model. They always exist, and they form paths and trees. Each is computed from those of the next
//! smaller cuts, whose variables are gone already. Beyond arithmetic there may be no such formula: then there is no
//! interpolant, and the reason is that of the first proof.

use shem_base::Budget;
use shem_proof::{NoProof, ProofLog};
use shem_term::{Store, Term};

use super::conversions::Conversions;
use super::error::{ItpError, Mixed};
use super::options::ItpOptions;
use super::partition::{Cuts, Partition};
use super::statistics::ItpCounters;
use crate::project::Projector;
use crate::solver::{Answer, Refutation, Solver, SolverOptions};

/// The formulas of a refutation, each with its group.
pub(super) struct Problem {
    groups: usize,
    formulas: Vec<(Term, usize)>,
}

impl Problem {
    /// The assertions and assumptions that the refutation uses.
    pub(super) fn of(
        refutation: &mut Refutation<'_, ProofLog>,
        store: &mut Store,
        partition: &Partition,
    ) -> Problem {
        let mut formulas = Vec::new();
        for number in refutation.used_assertions() {
            let formula = refutation.solver.assertion(store, number).expect("the assertion is in force");
            formulas.push((formula, partition.group(number)));
        }
        for assumption in refutation.failed_assumptions() {
            formulas.push((assumption, partition.group_of_assumption(assumption)));
        }
        Problem { groups: partition.groups(), formulas }
    }

    /// Whether the formulas have more than arithmetic. Then own symbols may not be eliminated within the language.
    fn has_applications(&self, store: &Store) -> bool {
        let formulas: Vec<Term> = self.formulas.iter().map(|entry| entry.0).collect();
        store
            .subterms(&formulas)
            .into_iter()
            .any(|term| !store.sort(term).is_basic() || store.as_app(term).is_some())
    }

    /// The interpolants for these cuts, which the proof at hand, mixed as it is, does not give.
    pub(super) fn interpolate(
        &self,
        store: &mut Store,
        cuts: &Cuts,
        options: &ItpOptions,
        mixed: Mixed,
        budget: &mut Budget,
        counters: &mut ItpCounters,
    ) -> Result<Vec<Term>, ItpError> {
        if mixed == Mixed::Conversion {
            return self.interpolate_conversions(store, cuts, options, budget, counters);
        }
        if let Some(found) = self.solve_again(store, cuts, options, budget, counters)? {
            counters.solved_again += 1;
            return Ok(found);
        }
        if self.has_applications(store) {
            return Err(mixed.reason().into());
        }
        counters.projected += 1;
        self.project(store, cuts, budget)
    }

    /// The interpolants by a proof without conversions between integers and bit-vectors.
    fn interpolate_conversions(
        &self,
        store: &mut Store,
        cuts: &Cuts,
        options: &ItpOptions,
        budget: &mut Budget,
        counters: &mut ItpCounters,
    ) -> Result<Vec<Term>, ItpError> {
        let formulas: Vec<Term> = self.formulas.iter().map(|entry| entry.0).collect();
        // What stands under a quantifier has no variable of its own.
        if formulas.iter().any(|&formula| store.has_quantifier(formula)) {
            return Err(Mixed::Conversion.reason().into());
        }
        let conversions = Conversions::of(store, &formulas);
        let without = |&(formula, group): &(Term, usize)| (conversions.remove(store, formula), group);
        let without = Problem { groups: self.groups, formulas: self.formulas.iter().map(without).collect() };
        let found = without.solve_again(store, cuts, options, budget, counters)?;
        let found = found.ok_or_else(|| Mixed::Conversion.reason())?;
        counters.solved_again += 1;
        Ok(found.into_iter().map(|formula| conversions.restore(store, formula)).collect())
    }

    /// Tries to find a proof without mixed atoms.
    fn solve_again(
        &self,
        store: &mut Store,
        cuts: &Cuts,
        options: &ItpOptions,
        budget: &Budget,
        counters: &mut ItpCounters,
    ) -> Result<Option<Vec<Term>>, ItpError> {
        let mut settings = SolverOptions::default();
        settings.arith.pure_splits = true;
        let mut solver = Solver::new(settings);
        let mut partition = Partition::new(self.groups);
        for &(formula, group) in &self.formulas {
            let before = solver.sizes();
            let number = solver.assert(store, formula);
            // Groups that share a colour may cause a mixed split or equation, no more.
            solver.colour(store, formula, before, (group % 64) as u32);
            partition.assign(number, group);
        }
        let mut budget = budget.clone();
        budget.splits = budget.splits.min(options.retry_splits);
        let Answer::Unsat(mut refutation) = solver.check(store, &mut budget) else {
            budget.check_stop()?;
            return Ok(None);
        };
        Ok(refutation.interpolate_proof(store, &partition, cuts, options, counters)?.ok())
    }

    /// The strongest interpolants.
    fn project(&self, store: &mut Store, cuts: &Cuts, budget: &mut Budget) -> Result<Vec<Term>, ItpError> {
        let mut found: Vec<Term> = Vec::with_capacity(cuts.len());
        for cut in 0..cuts.len() {
            let mut inside = Vec::new();
            let mut outside = Vec::new();
            for &(formula, group) in &self.formulas {
                if group == cut {
                    inside.push(formula);
                }
                if !cuts.is_inside(group, cut) {
                    outside.push(formula);
                }
            }
            inside
                .extend((0..cut).filter(|&child| cuts.parent(child) == Some(cut)).map(|child| found[child]));
            let shared = store.free_variables(&outside);
            let mut own = store.free_variables(&inside);
            own.retain(|variable| shared.binary_search(variable).is_err());
            found.push(strongest(store, &inside, &own, budget)?);
        }
        Ok(found)
    }
}

/// The conjunction of the formulas without these variables: what it says about the others.
fn strongest(
    store: &mut Store,
    formulas: &[Term],
    own: &[Term],
    budget: &mut Budget,
) -> Result<Term, ItpError> {
    let whole = store.and(formulas);
    if own.is_empty() {
        return Ok(whole);
    }
    let mut solver = Solver::with_proof(SolverOptions::default(), NoProof);
    solver.assert(store, whole);
    let mut projector = Projector::new();
    let mut cubes = Vec::new();
    loop {
        match solver.check(store, budget) {
            Answer::Unsat(_) => return Ok(store.or(&cubes)),
            Answer::Unknown(reason) => return Err(reason.into()),
            Answer::Sat(mut solution) => {
                let model = solution.model();
                let cube = projector.project(store, &[whole], &model, own);
                let cube = cube.map_err(|unsupported| ItpError::Unknown(unsupported.into()))?;
                let cube = store.and(&cube);
                cubes.push(cube);
                solver.assert(store, !cube);
            }
        }
    }
}
