//! Lemmas of arithmetic as leaves.
//!
//! The negated literals of a lemma are a contradiction; those labelled *a* are its A part, all others its B
//! part. (A literal with both labels may go to either. In B it does no harm to tree interpolants, in A it
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

use super::decompose::decompose;
use super::divide::divide;
use super::label::Label;
use super::options::TheoryRule;
use super::partition::Cuts;
use super::statistics::ItpCounters;
use super::sum::Sum;
use super::vocabulary::{Mixed, Vocabulary};

/// One literal of a lemma, negated, with its weight.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) lit: Lit,
    pub(super) weight: Rat,
    pub(super) place: usize,
}

/// Interpolates lemmas; keeps its buffers from one to the next.
pub(super) struct LeafInterpolator<'a, const W: usize> {
    cuts: &'a Cuts,
    labels: &'a [Label<W>],
    rule: TheoryRule,
    counters: &'a mut ItpCounters,
    members: Vec<Member>,
    sum: Sum,
    in_a: Vec<bool>,
    previous: Vec<bool>,
}

impl<'a, const W: usize> LeafInterpolator<'a, W> {
    pub(super) fn new(
        cuts: &'a Cuts,
        labels: &'a [Label<W>],
        rule: TheoryRule,
        counters: &'a mut ItpCounters,
    ) -> Self {
        LeafInterpolator {
            cuts,
            labels,
            rule,
            counters,
            members: Vec::new(),
            sum: Sum::default(),
            in_a: Vec::new(),
            previous: Vec::new(),
        }
    }

    /// Writes the interpolants of a lemma, one a cut, to `out`.
    pub(super) fn interpolate(
        &mut self,
        store: &mut Store,
        vocabulary: &Vocabulary<W>,
        kind: LemmaKind,
        clause: &[Lit],
        coeffs: &[Rat],
        out: &mut [Term],
    ) -> Result<(), Mixed> {
        self.counters.lemmas += 1;
        self.members.clear();
        self.members.extend(clause.iter().zip(coeffs).map(|(&lit, weight)| Member {
            lit: !lit,
            weight: weight.clone(),
            place: vocabulary.place(lit.var()),
        }));
        match kind {
            LemmaKind::Dioph => {
                self.counters.divisions += 1;
                self.each_cut(out, |this| {
                    divide(store, vocabulary, &this.members, &this.in_a, this.rule.is_dual())
                })
            }
            LemmaKind::Farkas if self.rule.is_decomposed() => {
                // The result depends on the order; that of the variables is the order of assertion.
                self.members.sort_unstable_by_key(|member| member.lit.var());
                self.decompose_all(store, vocabulary, out)
            }
            LemmaKind::Farkas => self.each_cut(out, |this| {
                let dual = this.rule.is_dual();
                this.sum.clear();
                for (member, &in_a) in this.members.iter().zip(&this.in_a) {
                    if in_a != dual {
                        this.sum.add(vocabulary, member.lit, &member.weight);
                    }
                }
                Ok(this.sum.atom(store, vocabulary)?.xor(dual))
            }),
        }
    }

    /// Sets `in_a` for a cut; returns whether the A part is empty or the whole, and which.
    fn split(&mut self, cut: usize) -> Option<Term> {
        let labels = self.labels;
        self.in_a.clear();
        self.in_a.extend(self.members.iter().map(|member| labels[member.place].a.contains(cut)));
        if self.in_a.iter().all(|&in_a| !in_a) {
            Some(Term::TRUE)
        } else if self.in_a.iter().all(|&in_a| in_a) {
            Some(Term::FALSE)
        } else {
            None
        }
    }

    /// Interpolates cut by cut; cuts that split the lemma alike get the same interpolant.
    fn each_cut(
        &mut self,
        out: &mut [Term],
        mut interpolate: impl FnMut(&mut Self) -> Result<Term, Mixed>,
    ) -> Result<(), Mixed> {
        self.previous.clear();
        for cut in 0..out.len() {
            out[cut] = match self.split(cut) {
                Some(constant) => constant,
                None if cut > 0 && self.in_a == self.previous => out[cut - 1],
                None => interpolate(self)?,
            };
            self.previous.clone_from(&self.in_a);
        }
        Ok(())
    }

    /// The decomposed interpolants of all cuts.
    fn decompose_all(
        &mut self,
        store: &mut Store,
        vocabulary: &Vocabulary<W>,
        out: &mut [Term],
    ) -> Result<(), Mixed> {
        let dual = self.rule.is_dual();
        let whole: Vec<Rat> = self.members.iter().map(|member| member.weight.clone()).collect();
        let count = out.len();
        let mut components: Vec<Vec<Vec<Rat>>> = vec![Vec::new(); count];
        for step in 0..count {
            let cut = if dual { step } else { count - 1 - step };
            // The cut that was decomposed before and has the larger part.
            let larger = if dual { cut.checked_sub(1) } else { self.cuts.parent(cut) };
            let bases = larger.map_or_else(|| vec![whole.clone()], |larger| components[larger].clone());
            if let Some(constant) = self.split(cut) {
                out[cut] = constant;
                // The part is the whole lemma, or nothing.
                if (constant == Term::FALSE) != dual {
                    components[cut] = bases;
                }
                continue;
            }
            let mut found = Vec::new();
            for mut base in bases {
                for (entry, &in_a) in base.iter_mut().zip(&self.in_a) {
                    if in_a == dual {
                        *entry = Rat::ZERO;
                    }
                }
                self.decompose_base(vocabulary, cut, dual, &base, &mut found);
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
            out[cut] = store.and(&conjuncts).xor(dual);
            components[cut] = found;
        }
        Ok(())
    }

    /// Decomposes a vector of weights on its support.
    fn decompose_base(
        &mut self,
        vocabulary: &Vocabulary<W>,
        cut: usize,
        dual: bool,
        base: &[Rat],
        found: &mut Vec<Vec<Rat>>,
    ) {
        let support: Vec<usize> = (0..base.len()).filter(|&i| !base[i].is_zero()).collect();
        if support.is_empty() {
            return;
        }
        let mut own: Vec<u32> = Vec::new();
        for &i in &support {
            let row = vocabulary.row(self.members[i].lit.var()).expect("literals of lemmas are atoms");
            own.extend(row.terms.iter().map(|(place, _)| *place).filter(|&place| {
                let sides = vocabulary.numbers[place as usize].sides;
                !(if dual { sides.a } else { sides.b }).contains(cut)
            }));
        }
        own.sort_unstable();
        own.dedup();
        let mut matrix = vec![vec![Rat::ZERO; support.len()]; own.len()];
        for (column, &i) in support.iter().enumerate() {
            let lit = self.members[i].lit;
            let row = vocabulary.row(lit.var()).expect("literals of lemmas are atoms");
            for (place, coeff) in row.terms {
                if let Ok(at) = own.binary_search(place) {
                    let coeff = Rat::from(coeff);
                    matrix[at][column] = if lit.is_positive() { coeff } else { -coeff };
                }
            }
        }
        let weights: Vec<Rat> = support.iter().map(|&i| base[i].clone()).collect();
        let parts = decompose(&matrix, &weights);
        self.counters.decompositions += 1;
        self.counters.nontrivial += u64::from(parts.len() > 1);
        self.counters.elements += parts.len() as u64;
        for part in parts {
            let mut component = vec![Rat::ZERO; base.len()];
            for (&i, weight) in support.iter().zip(part) {
                component[i] = weight;
            }
            found.push(component);
        }
    }
}
