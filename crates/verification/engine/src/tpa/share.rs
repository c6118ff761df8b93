//! Elements of sequences between instances of `tpa` and `split-tpa` on the same loop.
//!
//! What is told is a conjunct of an element, with its sequence and level. Who hears it may have other sequences, or
//! knows less at the level below; so whoever tells it, the condition under which an element may be strengthened is
//! checked here: all decompositions over the own level below satisfy the conjunct. It is the same condition that the
//! certificate states, so nothing of others enters an invariant unproved. A conjunct of one sequence is tried in those
//! of the receiver, whatever they are: what holds of paths of at most 2^n steps holds of shorter ones.

use std::collections::BTreeMap;

use shem_base::{Budget, UnknownReason};
use shem_chc::TransitionSystem;
use shem_proof::NoProof;
use shem_smt::{Answer, Solver};
use shem_term::{Store, Term};

use super::copies::{FIRST, LAST};
use super::engine::kinds;
use super::reach::Powers;
use super::sequence::Kind;
use crate::port::{Claim, Lemma, Port, Span};

/// A larger conjunct is neither told nor taken.
const LARGEST: usize = 120;

/// How far above the own sequences a level may be.
const ABOVE: usize = 1;

/// What has been told: so many conjuncts of each element.
pub(super) type Told = BTreeMap<(Kind, usize), usize>;

fn span(kind: Kind) -> Span {
    match kind {
        Kind::AtMost => Span::AtMost,
        Kind::Less => Span::Less,
        Kind::Equal => Span::Equal,
    }
}

impl Powers {
    /// Says which loop everything from now on is about: the relation alone, wherever it starts.
    pub(super) fn enter(&self, store: &mut Store, port: &mut dyn Port) {
        let Some(&transition) = self.sequences.element(Kind::Equal, 0).first() else { return };
        let (state, next) = (self.copies.variables(FIRST).to_vec(), self.copies.variables(LAST).to_vec());
        let system = TransitionSystem { state, next, initial: Term::TRUE, transition, bad: Term::FALSE };
        port.enter(store, &system);
    }

    /// Tells what is new, and takes what others have found.
    pub(super) fn exchange(
        &mut self,
        store: &mut Store,
        split: bool,
        port: &mut dyn Port,
        told: &mut Told,
        budget: &Budget,
    ) -> Result<(), UnknownReason> {
        for &kind in kinds(split) {
            for level in 1..=self.sequences.height() {
                let element = self.sequences.element(kind, level);
                let before = told.insert((kind, level), element.len()).unwrap_or(0);
                for &formula in element.get(before..).unwrap_or_default() {
                    if store.dag_size(formula) <= LARGEST {
                        let claim = Claim::Power { span: span(kind), level };
                        port.publish(store, &Lemma { formula, claim });
                    }
                }
            }
        }
        for received in port.poll(store) {
            let Claim::Power { level, .. } = received.lemma.claim else { continue };
            let formula = received.lemma.formula;
            if level == 0 || level > self.sequences.height() + ABOVE || store.dag_size(formula) > LARGEST {
                continue;
            }
            for &kind in kinds(split) {
                if self.follows(store, kind, level, formula, budget)? {
                    let new = self.sequences.strengthen(store, kind, level, formula);
                    self.counters.received += new as u64;
                    // What others have said is not told again.
                    let known = self.sequences.element(kind, level).len();
                    told.insert((kind, level), known);
                }
            }
        }
        Ok(())
    }

    /// Whether all decompositions over the level below satisfy the formula.
    fn follows(
        &mut self,
        store: &mut Store,
        kind: Kind,
        level: usize,
        formula: Term,
        budget: &Budget,
    ) -> Result<bool, UnknownReason> {
        let mut effort = Budget { conflicts: 1_000, pivots: 20_000, splits: 200, ..budget.clone() };
        for decomposition in 0..self.composition.decompositions(kind) {
            let mut formulas = vec![!formula];
            for link in self.composition.chain(kind, decomposition) {
                self.sequences.instance(store, &mut self.copies, level - 1, link, &mut formulas);
            }
            let mut solver = Solver::with_proof(Default::default(), NoProof);
            for formula in formulas {
                solver.assert(store, formula);
            }
            match solver.check(store, &mut effort) {
                Answer::Unsat => {}
                Answer::Unknown(UnknownReason::Stopped) => return Err(UnknownReason::Stopped),
                Answer::Sat | Answer::Unknown(_) => return Ok(false),
            }
        }
        Ok(true)
    }
}
