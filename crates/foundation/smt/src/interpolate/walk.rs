//! One pass over a proof for all cuts.
//!
//! Every clause of the proof gets a partial interpolant for each cut. A clause of A starts with the disjunction
//! of its literals labelled *b*, a clause of B with the conjunction of the negations of those labelled *a*; a
//! resolution joins by disjunction, conjunction or selection, as the label of its pivot says. Where this gives
//! constants it is done on sets of cuts, and formulas are made only where the result needs them; see `partial`.
//! Lemmas about equations are derived from valid clauses first (see `equality`); these local steps come before
//! those of the proof. A valid clause is put where its symbols are, like a definition.
//! Guards of groups have no label: they are assumed and never resolved upon. An assumption is resolved at the
//! end as a unit clause of its group.

use shem_base::Lit;
use shem_term::{Store, Substitution, Term};

use super::cutset::CutSet;
use super::error::Mixed;
use super::label::{Label, label};
use super::lazy_formula::{Formula, LazyFormulas};
use super::leaf::{LeafContext, LeafInterpolator};
use super::options::ItpOptions;
use super::partial::Partials;
use super::partition::Cuts;
use super::refutation::Refutation;
use super::statistics::ItpCounters;
use super::steps::{Derivation, Derivations};
use super::vocabulary::{Kind, Vocabulary, any_value};

/// A premise of a resolution but the first.
#[derive(Clone, Copy, Debug)]
struct Premise<const W: usize> {
    /// The cuts at which its interpolant changes that of the resolution.
    at: CutSet<W>,
    /// The label of the pivot.
    label: Label<W>,
    pivot: Lit,
    step: usize,
}

/// What walks keep from one to the next.
#[derive(Debug)]
pub(super) struct Buffers<const W: usize> {
    labels: Vec<Label<W>>,
    partials: Partials<W>,
    formulas: LazyFormulas,
    leaves: LeafInterpolator,
    lits: Vec<Formula>,
    /// The literals at the cut before.
    previous: Vec<Formula>,
    /// The premises of a resolution that have a part in what is wanted of it.
    relevant: Vec<Premise<W>>,
    connective: OpenConnective,
    /// The connective at the cut before.
    before: OpenConnective,
}

impl<const W: usize> Default for Buffers<W> {
    fn default() -> Self {
        Buffers {
            labels: Vec::new(),
            partials: Partials::default(),
            formulas: LazyFormulas::default(),
            leaves: LeafInterpolator::default(),
            lits: Vec::new(),
            previous: Vec::new(),
            relevant: Vec::new(),
            connective: OpenConnective::default(),
            before: OpenConnective::default(),
        }
    }
}

/// The interpolants of a refutation, one a cut.
pub(super) fn walk<const W: usize>(
    store: &mut Store,
    vocabulary: &mut Vocabulary<W>,
    refutation: Refutation<'_, W>,
    cuts: &Cuts,
    options: &ItpOptions,
    counters: &mut ItpCounters,
    buffers: &mut Buffers<W>,
) -> Result<Vec<Term>, Mixed> {
    let count = cuts.len();
    let all = CutSet::first(count);
    vocabulary.check_mixed(all)?;
    let local = vocabulary.localise(store, refutation, all)?;
    let mut labels = std::mem::take(&mut buffers.labels);
    label(options.system, vocabulary, refutation, count, &mut labels);
    buffers.partials.start(all);
    buffers.formulas.clear();
    let mut walk = Walk { store, vocabulary, labels: &labels, buffers };
    let found = walk.all(Derivations { refutation, local: &local }, cuts, options, counters);
    buffers.labels = labels;
    found
}

struct Walk<'a, const W: usize> {
    store: &'a mut Store,
    vocabulary: &'a mut Vocabulary<W>,
    labels: &'a [Label<W>],
    buffers: &'a mut Buffers<W>,
}

impl<const W: usize> Walk<'_, W> {
    fn all(
        &mut self,
        derivations: Derivations<'_, W>,
        cuts: &Cuts,
        options: &ItpOptions,
        counters: &mut ItpCounters,
    ) -> Result<Vec<Term>, Mixed> {
        let all = self.buffers.partials.cuts();
        let refutation = derivations.refutation;
        let steps = derivations.len();
        counters.steps += refutation.proof.map_or(0, |proof| proof.len() as u64);
        for step in 0..steps {
            match derivations.get(step) {
                Derivation::Input(clause, origin) => {
                    let a = self.vocabulary.colour(refutation, origin, clause, all, self.labels)?;
                    self.add_input(clause, a);
                }
                Derivation::Valid(clause) => {
                    let a = self.vocabulary.colour_valid(clause, all, self.labels)?;
                    self.add_input(clause, a);
                }
                Derivation::Unit(lit, a) => self.add_input(std::slice::from_ref(lit), a),
                Derivation::Lemma((_, clause, _)) => {
                    let (some, whole) = LeafInterpolator::parts(self.vocabulary, self.labels, clause);
                    self.buffers.partials.add(all & !some, all & some & !whole);
                }
                Derivation::Chain(first, rest) => self.add_resolution(first, derivations.chain(rest)),
                Derivation::Local(first, rest) => self.add_resolution(first, rest.iter().copied()),
                Derivation::Assumed(clause, lit) => {
                    self.add_resolution(clause, [(lit, clause + 1)].into_iter());
                }
            }
        }
        self.mark(derivations);
        let context = LeafContext { cuts, labels: self.labels, rule: options.theory };
        for step in 0..steps {
            if self.buffers.partials.wanted(step).is_empty() {
                continue;
            }
            match derivations.get(step) {
                Derivation::Input(clause, origin) => {
                    let a = self.vocabulary.colour(refutation, origin, clause, all, self.labels)?;
                    self.input(step, clause, a)?;
                }
                Derivation::Valid(clause) => {
                    let a = self.vocabulary.colour_valid(clause, all, self.labels)?;
                    self.input(step, clause, a)?;
                }
                Derivation::Unit(lit, a) => self.input(step, std::slice::from_ref(lit), a)?,
                Derivation::Lemma(lemma) => {
                    let Buffers { leaves, partials, .. } = &mut *self.buffers;
                    let output = (partials, step);
                    leaves.interpolate(self.store, self.vocabulary, context, lemma, output, counters)?;
                }
                Derivation::Chain(first, rest) => self.resolve(step, first, derivations.chain(rest))?,
                Derivation::Local(first, rest) => self.resolve(step, first, rest.iter().copied())?,
                Derivation::Assumed(clause, lit) => {
                    self.resolve(step, clause, [(lit, clause + 1)].into_iter())?;
                }
            }
        }
        let mut substitution = Substitution::new();
        for &variable in self.vocabulary.free() {
            let value = any_value(self.store, variable);
            substitution.insert(self.store.as_var(variable).expect("a variable"), value);
        }
        let Buffers { partials, formulas, .. } = &mut *self.buffers;
        let found = all.iter().map(|cut| {
            let term = formulas.build(self.store, partials.get(steps - 1, cut));
            self.store.substitute(term, &substitution)
        });
        Ok(found.collect())
    }

    /// Adds an input clause that is on the A side of the cuts `a`.
    fn add_input(&mut self, clause: &[Lit], a: CutSet<W>) {
        let mut varies = CutSet::EMPTY;
        for lit in clause {
            let index = self.vocabulary.index_of(lit.var());
            let label = &self.labels[index];
            if !matches!(self.vocabulary.variables[index].kind, Kind::Guard) {
                varies = varies | (label.b & a) | (label.a & !a);
            }
        }
        let cuts = self.buffers.partials.cuts();
        self.buffers.partials.add(cuts & !a & !varies, cuts & varies);
    }

    /// Adds a linear resolution of steps before: the first clause and, for each of the others, its pivot and
    /// itself.
    fn add_resolution(&mut self, first: usize, rest: impl Iterator<Item = (Lit, usize)>) {
        let partials = &mut self.buffers.partials;
        let (mut holds, mut fails) = partials.constants(first);
        for (pivot, premise) in rest {
            let label = &self.labels[self.vocabulary.index_of(pivot.var())];
            let (theirs_holds, theirs_fails) = partials.constants(premise);
            holds = (label.a & (holds | theirs_holds)) | (holds & theirs_holds);
            fails = (label.b & (fails | theirs_fails)) | (fails & theirs_fails);
        }
        let varies = partials.cuts() & !(holds | fails);
        partials.add(holds, varies);
    }

    /// Marks what is wanted, from the last step.
    fn mark(&mut self, derivations: Derivations<'_, W>) {
        let partials = &mut self.buffers.partials;
        let steps = derivations.len();
        partials.want(steps - 1, partials.cuts());
        for step in (0..steps).rev() {
            let wanted = partials.wanted(step);
            if wanted.is_empty() {
                continue;
            }
            match derivations.get(step) {
                Derivation::Chain(first, rest) => {
                    partials.want(first, wanted);
                    derivations.chain(rest).for_each(|(_, premise)| partials.want(premise, wanted));
                }
                Derivation::Local(first, rest) => {
                    partials.want(first, wanted);
                    rest.iter().for_each(|&(_, premise)| partials.want(premise, wanted));
                }
                Derivation::Assumed(clause, _) => {
                    partials.want(clause, wanted);
                    partials.want(clause + 1, wanted);
                }
                Derivation::Input(..)
                | Derivation::Valid(_)
                | Derivation::Lemma(..)
                | Derivation::Unit(..) => {}
            }
        }
    }

    /// The formulas of an input clause that is on the A side of the cuts `a`.
    fn input(&mut self, step: usize, clause: &[Lit], a: CutSet<W>) -> Result<(), Mixed> {
        let Buffers { partials, formulas, lits, previous, .. } = &mut *self.buffers;
        partials.begin(step);
        let mut last: Option<(bool, Formula)> = None;
        for cut in partials.wanted(step).iter() {
            let in_a = a.contains(cut);
            lits.clear();
            for &lit in clause {
                let label = self.labels[self.vocabulary.index_of(lit.var())];
                let wanted = if in_a { label.b } else { label.a };
                let is_guard = matches!(self.vocabulary.variable(lit.var()).kind, Kind::Guard);
                if wanted.contains(cut) && !is_guard {
                    lits.push(Formula::Term(self.vocabulary.literal(self.store, lit)?.xor(!in_a)));
                }
            }
            let formula = match last {
                Some((side, formula)) if side == in_a && lits == previous => formula,
                _ => formulas.join(lits, in_a),
            };
            partials.push(formula);
            last = Some((in_a, formula));
            std::mem::swap(lits, previous);
        }
        Ok(())
    }

    /// The formulas of a linear resolution.
    fn resolve(
        &mut self,
        step: usize,
        first: usize,
        rest: impl Iterator<Item = (Lit, usize)>,
    ) -> Result<(), Mixed> {
        let wanted = self.buffers.partials.wanted(step);
        let Buffers { partials, relevant, .. } = &mut *self.buffers;
        relevant.clear();
        for (pivot, premise) in rest {
            let label = self.labels[self.vocabulary.index_of(pivot.var())];
            // A disjunction with falsehood, or a conjunction with truth, changes nothing.
            let (holds, fails) = partials.constants(premise);
            let at = wanted & !((label.a & fails) | (label.b & holds));
            if !at.is_empty() {
                relevant.push(Premise { at, label, pivot, step: premise });
            }
        }
        partials.begin(step);
        let mut last: Option<Formula> = None;
        for cut in wanted.iter() {
            let start = self.buffers.partials.get(first, cut);
            self.buffers.connective.start(start);
            for index in 0..self.buffers.relevant.len() {
                let Premise { at, label, pivot, step: premise } = self.buffers.relevant[index];
                if !at.contains(cut) {
                    continue;
                }
                let theirs = self.buffers.partials.get(premise, cut);
                let Buffers { connective, formulas, .. } = &mut *self.buffers;
                if label.a.contains(cut) {
                    connective.join(formulas, theirs, true);
                } else if label.b.contains(cut) {
                    connective.join(formulas, theirs, false);
                } else {
                    let ours = connective.finish(formulas);
                    let selected = self.select(pivot, ours, theirs)?;
                    self.buffers.connective.start(selected);
                }
            }
            let Buffers { connective, before, formulas, partials, .. } = &mut *self.buffers;
            let formula = match last {
                Some(formula) if connective == before => formula,
                _ => connective.finish(formulas),
            };
            partials.push(formula);
            last = Some(formula);
            std::mem::swap(connective, before);
        }
        Ok(())
    }

    /// The interpolant of a resolution whose pivot has both labels: `holds` if the pivot is true, `fails`
    /// otherwise.
    fn select(&mut self, pivot: Lit, holds: Formula, fails: Formula) -> Result<Formula, Mixed> {
        if holds == fails {
            return Ok(holds);
        }
        let pivot = self.vocabulary.literal(self.store, pivot)?;
        let (is, is_not) = (Formula::Term(pivot), Formula::Term(!pivot));
        let formulas = &mut self.buffers.formulas;
        Ok(match (holds, fails) {
            (Formula::TRUE, _) => formulas.join(&[is, fails], true),
            (Formula::FALSE, _) => formulas.join(&[is_not, fails], false),
            (_, Formula::TRUE) => formulas.join(&[is_not, holds], true),
            (_, Formula::FALSE) => formulas.join(&[is, holds], false),
            _ => {
                let first = formulas.join(&[fails, is], true);
                let second = formulas.join(&[holds, is_not], true);
                formulas.join(&[first, second], false)
            }
        })
    }
}

/// A conjunction or disjunction that is still collecting operands, so that a chain of one kind makes one term.
#[derive(Debug, Default, PartialEq, Eq)]
struct OpenConnective {
    /// At least one. If there are several, none is a truth constant.
    operands: Vec<Formula>,
    disjunction: bool,
}

impl OpenConnective {
    fn start(&mut self, operand: Formula) {
        self.disjunction = false;
        self.operands.clear();
        self.operands.push(operand);
    }

    /// Adds an operand of a disjunction, or of a conjunction.
    fn join(&mut self, formulas: &mut LazyFormulas, operand: Formula, disjunction: bool) {
        if self.operands.len() > 1 && self.disjunction != disjunction {
            let sofar = self.finish(formulas);
            self.start(sofar);
        }
        let [neutral, absorbing] =
            [!disjunction, disjunction].map(|truth| Formula::Term(Term::from_bool(truth)));
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

    fn finish(&self, formulas: &mut LazyFormulas) -> Formula {
        formulas.join(&self.operands, self.disjunction)
    }
}
