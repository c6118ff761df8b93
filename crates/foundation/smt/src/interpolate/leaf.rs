//! Lemmas of arithmetic as leaves.
//!
//! The negated literals of a lemma are a contradiction; those labelled *a* are its A part, all others its B
//! part. (A literal with both labels may go to either. In B it is right for tree interpolants, in A it
//! would be counted in several subtrees.) The Farkas interpolant is the weighted sum of the A part, the dual
//! one the negation of the weighted sum of the B part.
//!
//! Decomposed interpolants of several cuts fit together only if the decompositions do. Therefore the largest
//! cut is decomposed first; a component of a cut, restricted to the A part of the next smaller one, still
//! cancels that one's own variables and is what is decomposed there. So each component of a cut is the sum
//! of components of the smaller ones and of what lies between. The dual goes from the smallest cut up.

use shem_base::{Lit, Rat};
use shem_proof::LemmaKind;
use shem_term::{Store, Term};

use super::cutset::CutSet;
use super::decompose::decompose;
use super::divide::divide;
use super::error::Mixed;
use super::label::Label;
use super::lazy_formula::Formula;
use super::options::TheoryRule;
use super::partial::Partials;
use super::partition::Cuts;
use super::statistics::ItpCounters;
use super::sum::Sum;
use super::vocabulary::Vocabulary;

/// One literal of a lemma, negated, with its weight.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) lit: Lit,
    pub(super) weight: Rat,
    pub(super) index: usize,
}

/// The cuts, labels and rule with which lemmas are interpolated.
#[derive(Clone, Copy)]
pub(super) struct LeafContext<'a, const W: usize> {
    pub(super) cuts: &'a Cuts,
    /// By index of a variable.
    pub(super) labels: &'a [Label<W>],
    pub(super) rule: TheoryRule,
}

/// A lemma: its kind, its literals and their coefficients.
pub(super) type TheoryLemma<'a> = (LemmaKind, &'a [Lit], &'a [Rat]);

/// Interpolates lemmas; keeps its buffers from one to the next.
#[derive(Debug, Default)]
pub(super) struct LeafInterpolator {
    members: Vec<Member>,
    sum: Sum,
    in_a: Vec<bool>,
    /// The division at the cut before.
    previous: Vec<bool>,
    /// By cut: its interpolant.
    out: Vec<Term>,
    /// The members by the number of cuts before the first that has them.
    order: Vec<(u32, u32)>,
    /// The cuts in the order in which they are summed up.
    sequence: Vec<usize>,
}

impl LeafInterpolator {
    /// The cuts at which a lemma has an A part, and those at which that is the whole lemma. Without an A part its
    /// interpolant is true, without a B part false.
    pub(super) fn parts<const W: usize>(
        vocabulary: &Vocabulary<W>,
        labels: &[Label<W>],
        clause: &[Lit],
    ) -> (CutSet<W>, CutSet<W>) {
        let mut parts = (CutSet::EMPTY, CutSet::ALL);
        for lit in clause {
            let a = labels[vocabulary.index_of(lit.var())].a;
            parts = (parts.0 | a, parts.1 & a);
        }
        parts
    }

    /// Makes the formulas of a lemma at the cuts where they are wanted.
    pub(super) fn interpolate<const W: usize>(
        &mut self,
        store: &mut Store,
        vocabulary: &Vocabulary<W>,
        context: LeafContext<'_, W>,
        (kind, clause, coeffs): TheoryLemma<'_>,
        (partials, step): (&mut Partials<W>, usize),
        counters: &mut ItpCounters,
    ) -> Result<(), Mixed> {
        counters.lemmas += 1;
        self.members.clear();
        self.members.extend(clause.iter().zip(coeffs).map(|(&lit, weight)| Member {
            lit: !lit,
            weight: weight.clone(),
            index: vocabulary.index_of(lit.var()),
        }));
        let varies = partials.wanted(step);
        partials.begin(step);
        match kind {
            LemmaKind::Dioph => {
                counters.divisions += 1;
                self.each_cut(context, varies, partials, |this| {
                    divide(store, vocabulary, &this.members, &this.in_a, context.rule.is_dual())
                })
            }
            LemmaKind::Farkas if context.rule.is_decomposed() => {
                // The result depends on the order; that of the variables is the order of assertion.
                self.members.sort_unstable_by_key(|member| member.lit.var());
                let parts = LeafInterpolator::parts(vocabulary, context.labels, clause);
                self.decompose_all(store, vocabulary, context, parts, counters)?;
                varies.iter().for_each(|cut| partials.push(Formula::Term(self.out[cut])));
                Ok(())
            }
            LemmaKind::Farkas if matches!(context.cuts, Cuts::Path(_)) => {
                self.sum_path(store, vocabulary, context, varies)?;
                varies.iter().for_each(|cut| partials.push(Formula::Term(self.out[cut])));
                Ok(())
            }
            LemmaKind::Farkas => {
                self.sum_all(store, vocabulary, context, varies)?;
                varies.iter().for_each(|cut| partials.push(Formula::Term(self.out[cut])));
                Ok(())
            }
            LemmaKind::Equality | LemmaKind::Bridge => Err(Mixed::Clause),
        }
    }

    /// Sets `in_a` for a cut.
    fn split<const W: usize>(&mut self, labels: &[Label<W>], cut: usize) {
        self.in_a.clear();
        self.in_a.extend(self.members.iter().map(|member| labels[member.index].a.contains(cut)));
    }

    /// Interpolates cut by cut; cuts that split the lemma alike get the same interpolant.
    fn each_cut<const W: usize>(
        &mut self,
        context: LeafContext<'_, W>,
        varies: CutSet<W>,
        partials: &mut Partials<W>,
        mut interpolate: impl FnMut(&mut Self) -> Result<Term, Mixed>,
    ) -> Result<(), Mixed> {
        let mut last: Option<Term> = None;
        for cut in varies.iter() {
            self.split(context.labels, cut);
            let found = match last {
                Some(found) if self.in_a == self.previous => found,
                _ => interpolate(self)?,
            };
            partials.push(Formula::Term(found));
            last = Some(found);
            std::mem::swap(&mut self.in_a, &mut self.previous);
        }
        Ok(())
    }

    /// Writes the sums of the cuts of a path to `out`. Along a path the A part only grows (and the B part, from the
    /// last cut to the first), so that each member is added once, at the first cut that has it: the cost is that of
    /// the members and of the atoms.
    fn sum_path<const W: usize>(
        &mut self,
        store: &mut Store,
        vocabulary: &Vocabulary<W>,
        context: LeafContext<'_, W>,
        varies: CutSet<W>,
    ) -> Result<(), Mixed> {
        let dual = context.rule.is_dual();
        let count = context.cuts.len();
        self.out.clear();
        self.out.resize(count, Term::TRUE);
        self.order.clear();
        for (index, member) in self.members.iter().enumerate() {
            let a = context.labels[member.index].a;
            // How many of the cuts come before those that have the member.
            let before = if dual { varies & a } else { varies & !a }.len();
            debug_assert!(varies.iter().skip((varies & !a).len()).all(|cut| a.contains(cut)));
            self.order.push((before as u32, index as u32));
        }
        self.order.sort_unstable();
        self.sum.clear();
        let (mut next, mut last) = (0, None);
        self.sequence.clear();
        self.sequence.extend(varies.iter());
        if dual {
            self.sequence.reverse();
        }
        for (step, &cut) in self.sequence.iter().enumerate() {
            while let Some(&(_, index)) = self.order.get(next).filter(|entry| entry.0 as usize <= step) {
                let member = &self.members[index as usize];
                self.sum.add(vocabulary, member.lit, &member.weight);
                (next, last) = (next + 1, None);
            }
            let atom = match last {
                Some(atom) => atom,
                None => self.sum.atom(store, vocabulary)?.xor(dual),
            };
            self.out[cut] = atom;
            last = Some(atom);
        }
        Ok(())
    }

    /// Writes the sums of all cuts of a tree at which there is something to sum up to `out`.
    fn sum_all<const W: usize>(
        &mut self,
        store: &mut Store,
        vocabulary: &Vocabulary<W>,
        context: LeafContext<'_, W>,
        varies: CutSet<W>,
    ) -> Result<(), Mixed> {
        let dual = context.rule.is_dual();
        let count = context.cuts.len();
        self.out.clear();
        self.out.resize(count, Term::TRUE);
        self.sum.clear();
        // What was summed up: nothing.
        self.previous.clear();
        self.previous.resize(self.members.len(), dual);
        let mut last: Option<Term> = None;
        for step in 0..count {
            let cut = if dual { count - 1 - step } else { step };
            if !varies.contains(cut) {
                continue;
            }
            self.split(context.labels, cut);
            if self.previous.iter().zip(&self.in_a).any(|(&old, &new)| old != dual && new == dual) {
                self.sum.clear();
                self.previous.fill(dual);
                last = None;
            }
            for (member, (&old, &new)) in self.members.iter().zip(self.previous.iter().zip(&self.in_a)) {
                if new != dual && old == dual {
                    self.sum.add(vocabulary, member.lit, &member.weight);
                    last = None;
                }
            }
            self.out[cut] = match last {
                Some(atom) => atom,
                None => self.sum.atom(store, vocabulary)?.xor(dual),
            };
            last = Some(self.out[cut]);
            std::mem::swap(&mut self.in_a, &mut self.previous);
        }
        Ok(())
    }

    /// Writes the decomposed interpolants of all cuts to `out`. Of two sets of cuts, the A part is not empty at
    /// those in the first and the whole lemma at those in the second.
    fn decompose_all<const W: usize>(
        &mut self,
        store: &mut Store,
        vocabulary: &Vocabulary<W>,
        context: LeafContext<'_, W>,
        (somewhere, everywhere): (CutSet<W>, CutSet<W>),
        counters: &mut ItpCounters,
    ) -> Result<(), Mixed> {
        let dual = context.rule.is_dual();
        let whole: Vec<Rat> = self.members.iter().map(|member| member.weight.clone()).collect();
        let count = context.cuts.len();
        self.out.clear();
        self.out.resize(count, Term::TRUE);
        let mut components: Vec<Vec<Vec<Rat>>> = vec![Vec::new(); count];
        for step in 0..count {
            let cut = if dual { step } else { count - 1 - step };
            let empty = if dual { everywhere.contains(cut) } else { !somewhere.contains(cut) };
            if empty {
                continue;
            }
            // The cut that was decomposed before and has the larger part.
            let larger = if dual { cut.checked_sub(1) } else { context.cuts.parent(cut) };
            let bases = larger.map_or_else(|| vec![whole.clone()], |larger| components[larger].clone());
            if if dual { !somewhere.contains(cut) } else { everywhere.contains(cut) } {
                components[cut] = bases;
                continue;
            }
            self.split(context.labels, cut);
            let mut found = Vec::new();
            for mut base in bases {
                for (entry, &in_a) in base.iter_mut().zip(&self.in_a) {
                    if in_a == dual {
                        *entry = Rat::ZERO;
                    }
                }
                self.decompose_base(vocabulary, cut, dual, &base, &mut found, counters);
            }
            let mut conjuncts = Vec::with_capacity(found.len());
            for component in &found {
                self.sum.clear();
                for (member, weight) in self.members.iter().zip(component) {
                    if !weight.is_zero() {
                        self.sum.add(vocabulary, member.lit, weight);
                    }
                }
                conjuncts.push(self.sum.atom(store, vocabulary)?);
            }
            self.out[cut] = store.and(&conjuncts).xor(dual);
            components[cut] = found;
        }
        Ok(())
    }

    /// Decomposes a vector of weights on its support.
    fn decompose_base<const W: usize>(
        &self,
        vocabulary: &Vocabulary<W>,
        cut: usize,
        dual: bool,
        base: &[Rat],
        found: &mut Vec<Vec<Rat>>,
        counters: &mut ItpCounters,
    ) {
        let support: Vec<usize> = (0..base.len()).filter(|&i| !base[i].is_zero()).collect();
        if support.is_empty() {
            return;
        }
        let mut own: Vec<u32> = Vec::new();
        for &i in &support {
            let row = vocabulary.row(self.members[i].lit.var()).expect("literals of lemmas are atoms");
            own.extend(row.terms.iter().map(|(index, _)| *index).filter(|&index| {
                let sides = vocabulary.numbers[index as usize].sides;
                !(if dual { sides.a } else { sides.b }).contains(cut)
            }));
        }
        own.sort_unstable();
        own.dedup();
        let mut matrix = vec![vec![Rat::ZERO; support.len()]; own.len()];
        for (column, &i) in support.iter().enumerate() {
            let lit = self.members[i].lit;
            let row = vocabulary.row(lit.var()).expect("literals of lemmas are atoms");
            for (index, coeff) in row.terms {
                if let Ok(at) = own.binary_search(index) {
                    let coeff = Rat::from(coeff);
                    matrix[at][column] = if lit.is_positive() { coeff } else { -coeff };
                }
            }
        }
        let weights: Vec<Rat> = support.iter().map(|&i| base[i].clone()).collect();
        let parts = decompose(&matrix, &weights);
        counters.decompositions += 1;
        counters.nontrivial += u64::from(parts.len() > 1);
        counters.elements += parts.len() as u64;
        for part in parts {
            let mut component = vec![Rat::ZERO; base.len()];
            for (&i, weight) in support.iter().zip(part) {
                component[i] = weight;
            }
            found.push(component);
        }
    }
}
