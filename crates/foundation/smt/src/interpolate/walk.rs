//! One pass over a proof for all cuts.
//!
//! Every clause of the proof gets a partial interpolant for each cut. A clause of A starts with the
//! disjunction of its literals labelled *b*, a clause of B with the conjunction of the negations of those
//! labelled *a*; a resolution joins by disjunction, conjunction or selection, as the label of its pivot says.
//! Far from a cut both premises have the same constant, so that most cuts cost a comparison at most steps.
//! Guards of groups have no label: they are assumed and never resolved upon. An assumption is resolved at
//! the end as a unit clause of its group.

use shem_base::Lit;
use shem_proof::{Resolution, Rule, StepId};
use shem_term::{Store, Substitution, Term};

use super::cutset::CutSet;
use super::label::{Label, label};
use super::leaf::LeafInterpolator;
use super::options::{ItpOptions, System};
use super::partition::Cuts;
use super::statistics::ItpCounters;
use super::vocabulary::{Kind, Mixed, Refutation, Vocabulary, any_value};

/// The interpolants of a refutation, one a cut.
pub(super) fn walk<const W: usize>(
    store: &mut Store,
    vocabulary: &mut Vocabulary<W>,
    refutation: Refutation<'_, W>,
    cuts: &Cuts,
    options: &ItpOptions,
    counters: &mut ItpCounters,
) -> Result<Vec<Term>, Mixed> {
    let count = cuts.len();
    let all = CutSet::first(count);
    vocabulary.check_mixed(all)?;
    let labels = label(options.system, vocabulary, refutation, count);
    let mut walk = Walk {
        store,
        vocabulary,
        labels: &labels,
        count,
        lits: Vec::new(),
        pivots: Vec::new(),
        junction: Junction::default(),
    };
    // The literals of a definition are all shared where it may be on either side. Where it does not count to
    // the labels' own side, its partial interpolant is a constant.
    let prefer_a = options.system == System::DualMcMillan;
    counters.steps += refutation.proof.map_or(0, |proof| proof.len() as u64);
    let mut current = match refutation.proof {
        Some(proof) => {
            let mut leaves = LeafInterpolator::new(cuts, &labels, options.theory, counters);
            let mut partial = vec![Term::TRUE; proof.len() * count];
            for step in proof.steps() {
                let place = step.index() * count;
                match proof.rule(step) {
                    Rule::Input(origin) => {
                        let clause = proof.clause(step);
                        let a = walk.vocabulary.colour(refutation, origin, clause, all, prefer_a)?;
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
                        let (before, out) = partial.split_at_mut(place);
                        walk.resolve(first, rest, before, &mut out[..count])?;
                    }
                }
            }
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
            walk.assume(lit, &mut current, &unit)?;
        }
    }
    let mut substitution = Substitution::new();
    for &variable in walk.vocabulary.free() {
        let value = any_value(walk.store, variable);
        substitution.insert(walk.store.as_var(variable).expect("a variable"), value);
    }
    Ok(current.into_iter().map(|term| walk.store.substitute(term, &substitution)).collect())
}

struct Walk<'a, const W: usize> {
    store: &'a mut Store,
    vocabulary: &'a mut Vocabulary<W>,
    labels: &'a [Label<W>],
    count: usize,
    lits: Vec<Term>,
    /// The labels of the pivots of a resolution.
    pivots: Vec<Label<W>>,
    junction: Junction,
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

    /// The partial interpolants of a linear resolution, given those of all steps before it.
    fn resolve(
        &mut self,
        first: StepId,
        rest: &[Resolution],
        before: &[Term],
        out: &mut [Term],
    ) -> Result<(), Mixed> {
        self.pivots.clear();
        for resolution in rest {
            self.pivots.push(self.labels[self.vocabulary.place(resolution.pivot.var())]);
        }
        let mut junction = std::mem::take(&mut self.junction);
        for (cut, out) in out.iter_mut().enumerate() {
            junction.start(before[first.index() * self.count + cut]);
            for (index, &Resolution { pivot, premise }) in rest.iter().enumerate() {
                let theirs = before[premise.index() * self.count + cut];
                let label = &self.pivots[index];
                if label.a.contains(cut) {
                    junction.join(self.store, theirs, true);
                } else if label.b.contains(cut) {
                    junction.join(self.store, theirs, false);
                } else {
                    let ours = junction.finish(self.store);
                    junction.start(self.select(pivot, ours, theirs)?);
                }
            }
            *out = junction.finish(self.store);
        }
        self.junction = junction;
        Ok(())
    }

    /// Resolves the clause so far, which has the assumption's negation, with the assumption.
    fn assume(&mut self, assumption: Lit, current: &mut [Term], unit: &[Term]) -> Result<(), Mixed> {
        let label = self.labels[self.vocabulary.place(assumption.var())];
        for (cut, ours) in current.iter_mut().enumerate() {
            *ours = if label.a.contains(cut) {
                self.store.or2(*ours, unit[cut])
            } else if label.b.contains(cut) {
                self.store.and2(*ours, unit[cut])
            } else {
                self.select(assumption, *ours, unit[cut])?
            };
        }
        Ok(())
    }

    /// The interpolant of a resolution whose pivot has both labels: `holds` if the pivot is true, `fails`
    /// otherwise.
    fn select(&mut self, pivot: Lit, holds: Term, fails: Term) -> Result<Term, Mixed> {
        if holds == fails {
            return Ok(holds);
        }
        let pivot = self.vocabulary.literal(self.store, pivot)?;
        Ok(match (holds, fails) {
            (Term::TRUE, _) => self.store.or2(pivot, fails),
            (Term::FALSE, _) => self.store.and2(!pivot, fails),
            (_, Term::TRUE) => self.store.or2(!pivot, holds),
            (_, Term::FALSE) => self.store.and2(pivot, holds),
            _ => {
                let first = self.store.or2(fails, pivot);
                let second = self.store.or2(holds, !pivot);
                self.store.and2(first, second)
            }
        })
    }
}

/// A conjunction or disjunction in the making, so that a chain of joins of one kind makes one term.
#[derive(Default)]
struct Junction {
    /// At least one. If there are several, none is a truth constant.
    operands: Vec<Term>,
    disjunction: bool,
}

impl Junction {
    fn start(&mut self, operand: Term) {
        self.operands.clear();
        self.operands.push(operand);
    }

    /// Adds an operand of a disjunction, or of a conjunction.
    fn join(&mut self, store: &mut Store, operand: Term, disjunction: bool) {
        if self.operands.len() > 1 && self.disjunction != disjunction {
            let sofar = self.finish(store);
            self.start(sofar);
        }
        let (neutral, absorbing) = (Term::from_bool(!disjunction), Term::from_bool(disjunction));
        if operand == neutral || self.operands[0] == absorbing {
            return;
        }
        if operand == absorbing || self.operands[0] == neutral {
            self.start(operand);
        } else if self.operands.last() != Some(&operand) {
            self.disjunction = disjunction;
            self.operands.push(operand);
        }
    }

    fn finish(&self, store: &mut Store) -> Term {
        match self.operands[..] {
            [single] => single,
            _ if self.disjunction => store.or(&self.operands),
            _ => store.and(&self.operands),
        }
    }
}
