//! The exchange of elements between instances of `tpa` and `split-tpa` on the same loop.
//!
//! A message is a conjunct of an element, with its sequence and level. The receiver may have other sequences, or
//! weaker elements at the level below; so it always checks the condition under which an element may be strengthened:
//! all decompositions over its own level below satisfy the conjunct. The certificate has the same condition, so
//! nothing received enters an invariant unproved. A conjunct is tried in all sequences of the receiver: what holds of
//! paths of at most 2^n steps holds of shorter ones. Conjuncts are tried from the lowest level up, since the next ones
//! may depend on them, and those that fail are tried again later.

use std::collections::BTreeMap;

use shem_base::{Budget, Effort, UnknownReason};
use shem_chc::TransitionSystem;
use shem_proof::NoProof;
use shem_smt::{Answer, Solver};
use shem_term::{Store, Term};

use super::copies::{FIRST, LAST};
use super::engine::kinds;
use super::reach::Powers;
use super::sequence::{SequenceKind, Sequences};
use crate::port::{Claim, Lemma, Port, Span};

/// A conjunct with more subterms is neither published nor taken.
const MAX_SIZE: usize = 120;

/// Conjuncts are kept for at most this many levels above the highest one.
const MAX_LEVELS_AHEAD: usize = 16;

/// How often a conjunct is tried, and how many wait.
const MAX_TRIES: u8 = 3;
const MAX_WAITING: usize = 256;

/// The state of the exchange of elements.
#[derive(Default)]
pub(super) struct ElementExchange {
    /// The number of conjuncts of each element that were published.
    published: BTreeMap<(SequenceKind, usize), usize>,
    /// Conjuncts to be checked, now or when their level exists.
    waiting: Vec<Candidate>,
}

/// A conjunct that may strengthen elements of this level.
#[derive(Clone, Copy)]
struct Candidate {
    level: usize,
    formula: Term,
    /// How often it was tried.
    tries: u8,
    /// Whether it comes from the own sequences before a restart.
    own: bool,
}

impl ElementExchange {
    /// Makes candidates of the conjuncts of these sequences, before a restart with a smaller relation on the same
    /// states: they may strengthen its sequences, and are published again.
    pub(super) fn requeue(&mut self, sequences: &Sequences, split: bool) {
        self.published.clear();
        for level in 1..=sequences.height() {
            for &kind in kinds(split) {
                let element = sequences.element(kind, level);
                let candidate = |&formula| Candidate { level, formula, tries: 0, own: true };
                self.waiting.extend(element.iter().map(candidate));
            }
        }
        self.waiting.truncate(MAX_WAITING);
    }
}

fn span(kind: SequenceKind) -> Span {
    match kind {
        SequenceKind::AtMost => Span::AtMost,
        SequenceKind::Less => Span::Less,
        SequenceKind::Equal => Span::Equal,
    }
}

impl Powers {
    /// Tells the port which loop the following messages are about: the relation alone, without initial states.
    pub(super) fn enter(&self, store: &mut Store, port: &mut dyn Port) {
        let Some(&transition) = self.sequences.element(SequenceKind::Equal, 0).first() else { return };
        let (state, next) = (self.copies.variables(FIRST).to_vec(), self.copies.variables(LAST).to_vec());
        let system = TransitionSystem { state, next, initial: Term::TRUE, transition, bad: Term::FALSE };
        port.enter(store, &system);
    }

    /// Publishes new conjuncts, and takes those of others.
    pub(super) fn exchange(
        &mut self,
        store: &mut Store,
        split: bool,
        port: &mut dyn Port,
        exchange: &mut ElementExchange,
        budget: &Budget,
    ) -> Result<(), UnknownReason> {
        for &kind in kinds(split) {
            for level in 1..=self.sequences.height() {
                let element = self.sequences.element(kind, level);
                let before = exchange.published.insert((kind, level), element.len()).unwrap_or(0);
                for &formula in element.get(before..).unwrap_or_default() {
                    if store.dag_size(formula) <= MAX_SIZE {
                        let claim = Claim::Power { span: span(kind), level };
                        port.publish(store, &Lemma { formula, claim });
                    }
                }
            }
        }
        for received in port.poll(store) {
            let Claim::Power { level, .. } = received.lemma.claim else { continue };
            let formula = received.lemma.formula;
            let near = (1..=self.sequences.height() + MAX_LEVELS_AHEAD).contains(&level);
            if near && exchange.waiting.len() < MAX_WAITING && store.dag_size(formula) <= MAX_SIZE {
                exchange.waiting.push(Candidate { level, formula, tries: 0, own: false });
            }
        }
        exchange.waiting.sort_by_key(|candidate| candidate.level);
        let mut used = Vec::new();
        for candidate in std::mem::take(&mut exchange.waiting) {
            let Candidate { level, formula, tries, own } = candidate;
            if level > self.sequences.height() + 1 {
                exchange.waiting.push(candidate);
                continue;
            }
            let mut taken = false;
            for &kind in kinds(split) {
                if self.sequences.element(kind, level).contains(&formula)
                    || !self.follows(store, kind, level, formula, budget)?
                {
                    continue;
                }
                taken = true;
                let new = self.sequences.strengthen(store, kind, level, formula) as u64;
                if own {
                    continue;
                }
                self.counters.received += new;
                used.extend((new > 0).then_some(formula));
                // Received conjuncts are not published again.
                exchange.published.insert((kind, level), self.sequences.element(kind, level).len());
            }
            if !taken && tries + 1 < MAX_TRIES {
                exchange.waiting.push(Candidate { tries: tries + 1, ..candidate });
            }
        }
        port.taken(&used);
        Ok(())
    }

    /// Whether all decompositions over the level below satisfy the formula.
    fn follows(
        &mut self,
        store: &mut Store,
        kind: SequenceKind,
        level: usize,
        formula: Term,
        budget: &Budget,
    ) -> Result<bool, UnknownReason> {
        let mut limited = budget.at_most(Effort { conflicts: 1_000, pivots: 20_000, splits: 200 });
        for decomposition in 0..self.composition.decompositions(kind) {
            let mut formulas = vec![!formula];
            for link in self.composition.chain(kind, decomposition) {
                self.sequences.instance(store, &mut self.copies, level - 1, link, &mut formulas);
            }
            let mut solver = Solver::with_proof(Default::default(), NoProof);
            for formula in formulas {
                solver.assert(store, formula);
            }
            match solver.check(store, &mut limited) {
                Answer::Unsat(_) => {}
                Answer::Unknown(UnknownReason::Stopped) => return Err(UnknownReason::Stopped),
                Answer::Sat(_) | Answer::Unknown(_) => return Ok(false),
            }
        }
        Ok(true)
    }
}
