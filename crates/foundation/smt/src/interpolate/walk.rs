//! One pass over a proof for all cuts.
//!
//! Every clause of the proof gets a partial interpolant for each cut. A clause of A starts with the
//! disjunction of its literals labelled *b*, a clause of B with the conjunction of the negations of those
//! labelled *a*; a resolution joins by disjunction, conjunction or selection, as the label of its pivot says.
//! Far from a cut both premises have the same constant, so that most cuts cost a comparison at most steps.
//! Guards of groups have no label: they are assumed and never resolved upon. An assumption is resolved at
//! the end as a unit clause of its group.

use shem_base::{Lit, Statistics};
use shem_proof::{Resolution, Rule};
use shem_term::{Store, Substitution, Term};

use super::cutset::CutSet;
use super::label::{Label, label};
use super::leaf::{LeafCounters, LeafInterpolator};
use super::options::ItpOptions;
use super::partition::Cuts;
use super::vocabulary::{Kind, Mixed, Refutation, Vocabulary, any_value};

/// The interpolants of a refutation, one a cut.
pub(super) fn walk<const W: usize>(
    store: &mut Store,
    mut vocabulary: Vocabulary<W>,
    refutation: Refutation<'_, W>,
    cuts: &Cuts,
    options: &ItpOptions,
    statistics: &mut Statistics,
) -> Result<Vec<Term>, Mixed> {
    let count = cuts.len();
    let all = CutSet::first(count);
    vocabulary.check_mixed(all)?;
    let labels = label(options.system, &vocabulary, refutation, count);
    let mut walk = Walk { store, vocabulary: &mut vocabulary, labels: &labels, count, lits: Vec::new() };
    let mut counters = LeafCounters::default();
    let mut current = match refutation.proof {
        Some(proof) => {
            let mut leaves = LeafInterpolator::new(cuts, &labels, options.theory);
            let mut partial = vec![Term::TRUE; proof.len() * count];
            let mut current = Vec::with_capacity(count);
            for step in proof.steps() {
                let place = step.index() * count;
                match proof.rule(step) {
                    Rule::Input(origin) => {
                        let clause = proof.clause(step);
                        let a = walk.vocabulary.colour(refutation, origin, clause, all)?;
                        walk.input(clause, a, &mut partial[place..place + count])?;
                    }
                    Rule::Lemma { kind, coeffs } => {
                        let out = &mut partial[place..place + count];
                        leaves.interpolate(
                            walk.store,
                            walk.vocabulary,
                            kind,
                            proof.clause(step),
                            coeffs,
                            out,
                        )?;
                    }
                    Rule::Resolution { first, rest } => {
                        let first = first.index() * count;
                        current.clear();
                        current.extend_from_slice(&partial[first..first + count]);
                        for &Resolution { pivot, premise } in rest {
                            let premise = premise.index() * count;
                            walk.resolve(pivot, &mut current, &partial[premise..premise + count])?;
                        }
                        partial[place..place + count].copy_from_slice(&current);
                    }
                }
            }
            counters = leaves.counters;
            partial.split_off(partial.len() - count)
        }
        None => vec![Term::TRUE; count],
    };
    let mut unit = vec![Term::TRUE; count];
    for (index, &(lit, a)) in refutation.assumptions.iter().enumerate() {
        walk.input(&[lit], a, &mut unit)?;
        if index == 0 && refutation.proof.is_none() {
            current.copy_from_slice(&unit);
        } else {
            walk.resolve(lit, &mut current, &unit)?;
        }
    }
    counters.report(statistics);
    statistics.add("steps", refutation.proof.map_or(0, |proof| proof.len() as u64));
    let mut substitution = Substitution::new();
    for &variable in vocabulary.free() {
        let value = any_value(store, variable);
        substitution.insert(store.as_var(variable).expect("a variable"), value);
    }
    Ok(current.into_iter().map(|term| store.substitute(term, &substitution)).collect())
}

struct Walk<'a, const W: usize> {
    store: &'a mut Store,
    vocabulary: &'a mut Vocabulary<W>,
    labels: &'a [Label<W>],
    count: usize,
    lits: Vec<Term>,
}

impl<const W: usize> Walk<'_, W> {
    /// The partial interpolants of an input clause that is on the A side of the cuts `a`.
    fn input(&mut self, clause: &[Lit], a: CutSet<W>, out: &mut [Term]) -> Result<(), Mixed> {
        let mut busy = CutSet::EMPTY;
        for lit in clause {
            let label = self.labels[self.vocabulary.place(lit.var())];
            if !matches!(self.vocabulary.variable(lit.var()).kind, Kind::Guard) {
                busy = busy | (label.b & a) | (label.a & !a);
            }
        }
        for (cut, out) in out.iter_mut().enumerate() {
            *out = Term::from_bool(!a.contains(cut));
        }
        for cut in (busy & CutSet::first(self.count)).iter() {
            let in_a = a.contains(cut);
            self.lits.clear();
            for &lit in clause {
                let label = self.labels[self.vocabulary.place(lit.var())];
                let wanted = if in_a { label.b } else { label.a };
                let is_guard = matches!(self.vocabulary.variable(lit.var()).kind, Kind::Guard);
                if wanted.contains(cut) && !is_guard {
                    self.lits.push(self.vocabulary.literal(self.store, lit)?);
                }
            }
            out[cut] = if in_a {
                self.store.or(&self.lits)
            } else {
                for lit in &mut self.lits {
                    *lit = !*lit;
                }
                self.store.and(&self.lits)
            };
        }
        Ok(())
    }

    /// Resolves the clause so far, which has the pivot's negation, with a premise that has the pivot.
    fn resolve(&mut self, pivot: Lit, current: &mut [Term], premise: &[Term]) -> Result<(), Mixed> {
        let label = self.labels[self.vocabulary.place(pivot.var())];
        for cut in 0..self.count {
            let (ours, theirs) = (current[cut], premise[cut]);
            if ours == theirs {
                continue;
            }
            current[cut] = if label.a.contains(cut) {
                self.store.or2(ours, theirs)
            } else if label.b.contains(cut) {
                self.store.and2(ours, theirs)
            } else {
                let pivot = self.vocabulary.literal(self.store, pivot)?;
                self.select(pivot, ours, theirs)
            };
        }
        Ok(())
    }

    /// `holds` if the pivot is true, `fails` otherwise.
    fn select(&mut self, pivot: Term, holds: Term, fails: Term) -> Term {
        match (holds, fails) {
            (Term::TRUE, _) => self.store.or2(pivot, fails),
            (Term::FALSE, _) => self.store.and2(!pivot, fails),
            (_, Term::TRUE) => self.store.or2(!pivot, holds),
            (_, Term::FALSE) => self.store.and2(pivot, holds),
            _ => {
                let first = self.store.or2(fails, pivot);
                let second = self.store.or2(holds, !pivot);
                self.store.and2(first, second)
            }
        }
    }
}
