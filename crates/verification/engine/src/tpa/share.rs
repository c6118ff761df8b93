//! Elements of sequences between instances of `tpa` and `split-tpa` on the same loop.
//!
//! What is told is a conjunct of an element, with its sequence and level. Who hears it may have other sequences, or
//! knows less at the level below; so whoever tells it, the condition under which an element may be strengthened is
//! checked here: all decompositions over the own level below satisfy the conjunct. It is the same condition that the
//! certificate states, so nothing of others enters an invariant unproved. A conjunct of one sequence is tried in those
//! of the receiver, whatever they are: what holds of paths of at most 2^n steps holds of shorter ones. Conjuncts are
//! tried from the lowest level up, since each may be what the next ones need, and those that fail once more later.

use std::collections::BTreeMap;

use shem_base::{Budget, Effort, UnknownReason};
use shem_chc::TransitionSystem;
use shem_proof::NoProof;
use shem_smt::{Answer, Solver};
use shem_term::{Store, Term};

use super::copies::{FIRST, LAST};
use super::engine::kinds;
use super::reach::Powers;
use super::sequence::{Kind, Sequences};
use crate::port::{Claim, Lemma, Port, Span};

/// A larger conjunct is neither told nor taken.
const LARGEST: usize = 120;

/// An element of a level so far above the highest one is not worth waiting for.
const NEAR: usize = 16;

/// How often a conjunct is tried, and how many wait.
const TRIES: u8 = 3;
const WAITING: usize = 256;

/// What has been told and heard.
#[derive(Default)]
pub(super) struct Told {
    /// So many conjuncts of each element were told.
    told: BTreeMap<(Kind, usize), usize>,
    /// What has to be checked, or waits for its level.
    waiting: Vec<Candidate>,
}

/// A conjunct that may strengthen elements of this level.
#[derive(Clone, Copy)]
struct Candidate {
    level: usize,
    formula: Term,
    /// How often it was tried.
    tries: u8,
    /// Whether it comes from sequences of before.
    own: bool,
}

impl Told {
    /// Makes candidates of what these sequences have: those of a smaller relation on the same states may be
    /// strengthened by it, and are told of anew.
    pub(super) fn remember(&mut self, sequences: &Sequences, split: bool) {
        self.told.clear();
        for level in 1..=sequences.height() {
            for &kind in kinds(split) {
                let element = sequences.element(kind, level);
                let candidate = |&formula| Candidate { level, formula, tries: 0, own: true };
                self.waiting.extend(element.iter().map(candidate));
            }
        }
        self.waiting.truncate(WAITING);
    }
}

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
                let before = told.told.insert((kind, level), element.len()).unwrap_or(0);
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
            let near = (1..=self.sequences.height() + NEAR).contains(&level);
            if near && told.waiting.len() < WAITING && store.dag_size(formula) <= LARGEST {
                told.waiting.push(Candidate { level, formula, tries: 0, own: false });
            }
        }
        told.waiting.sort_by_key(|candidate| candidate.level);
        for candidate in std::mem::take(&mut told.waiting) {
            let Candidate { level, formula, tries, own } = candidate;
            if level > self.sequences.height() + 1 {
                told.waiting.push(candidate);
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
                port.taken(new);
                // What others have said is not told again.
                told.told.insert((kind, level), self.sequences.element(kind, level).len());
            }
            if !taken && tries + 1 < TRIES {
                told.waiting.push(Candidate { tries: tries + 1, ..candidate });
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
