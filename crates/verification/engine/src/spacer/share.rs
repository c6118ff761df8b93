//! The exchange with other engines: invariants with all, lemmas with heights and facts among instances of Spacer.
//!
//! The lemmas that hold at all heights are an inductive set: each was proved relative to the others and to itself.
//! They are published once a level, if there are new ones. Formulas received are candidates: the part of them that is
//! closed under the edges of this graph holds at all heights.
//!
//! Instances of Spacer on the same graph send each other every lemma when it is learnt, and again when its height has
//! doubled, as P3 does (Blicha's thesis, section 6.5). A lemma that holds up to a height for its sender may do so only with
//! lemmas that the receiver does not have, and then the receiver's lemmas would not be inductive where they seem to be. So a
//! received lemma is taken only at a height at which it is inductive relative to the receiver's own lemmas: one query,
//! where finding the lemma has cost many. A fact that another instance has derived becomes a tentative obligation: if the facts
//! that it was derived from are known here, one step derives it. It also tells lemmas that need not be tried at all heights.

use hashbrown::{HashMap, HashSet};
use rustc_hash::FxBuildHasher;
use shem_base::{Budget, Effort, UnknownReason};
use shem_chc::{Interpretation, VertexId};
use shem_term::{Store, Term};

use super::search::SpacerSearch;
use super::summary::{INFINITE_HEIGHT, Lemma};
use crate::closed::{closed_part, merge_candidates};
use crate::port::{Port, VertexClaim, VertexLemma};

/// How often a received fact is worked on.
const FACT_GAS: u32 = 3;

/// How many more facts of others are tried than own ones are known.
const MOST_EXTRA_FACTS: usize = 20;

/// What was exchanged with other instances of Spacer.
#[derive(Clone, Debug, Default)]
pub(super) struct Exchanged {
    /// Whether there is somebody to exchange lemmas with; unknown before the first time.
    active: Option<bool>,
    /// By vertex: how many of the lemmas as they were announced, and of the facts, were looked at.
    seen: Vec<(usize, usize)>,
    /// The height with which a lemma was published, or received.
    heights: HashMap<(VertexId, Term), usize, FxBuildHasher>,
    /// Facts of others that were tried.
    tried: HashSet<(VertexId, Term), FxBuildHasher>,
}

impl SpacerSearch<'_> {
    /// Publishes the invariants, and takes those of others. `published` is the number that was published before.
    pub(super) fn exchange(
        &mut self,
        store: &mut Store,
        port: &mut dyn Port,
        published: &mut usize,
        budget: &Budget,
    ) -> Result<(), UnknownReason> {
        if !port.wants_invariants() {
            return Ok(());
        }
        let mut limited = budget.at_most(Effort { conflicts: 20_000, pivots: 400_000, splits: 2_000 });
        let candidates = port.poll_invariants(store, self.graph);
        let mut new = Vec::new();
        if let Some(candidates) = merge_candidates(store, self.graph, candidates) {
            let closed = match closed_part(store, self.graph, &candidates, &mut limited) {
                Ok(closed) => closed,
                Err(UnknownReason::Stopped) => return Err(UnknownReason::Stopped),
                Err(_) => Interpretation::new(),
            };
            for vertex in self.graph.vertices() {
                for formula in closed.get(vertex).map_or(Vec::new(), |formula| store.conjuncts(formula)) {
                    let known = self.summaries[vertex.index()].lemmas.iter();
                    if !known.clone().any(|lemma| lemma.formula == formula && lemma.level == INFINITE_HEIGHT)
                    {
                        new.push(formula);
                        self.add_lemma(store, vertex, Lemma { formula, level: INFINITE_HEIGHT });
                    }
                }
            }
            self.counters.received += new.len() as u64;
            // Received formulas are not published again.
            *published += new.len();
        }
        port.taken(&new);
        let is_invariant = |lemma: &&Lemma| lemma.level == INFINITE_HEIGHT;
        let count = self.summaries.iter().map(|s| s.lemmas.iter().filter(is_invariant).count()).sum();
        if *published != count {
            let mut invariant = Interpretation::new();
            for index in 1..self.summaries.len() {
                let vertex = VertexId::new(index);
                if self.graph.is_live(vertex) {
                    let formula = self.invariant_at(store, vertex, INFINITE_HEIGHT);
                    invariant.insert(vertex, formula);
                }
            }
            if port.publish_invariant(store, self.graph, invariant, &mut limited) {
                *published = count;
            }
        }
        Ok(())
    }

    /// Publishes new lemmas with their heights and new facts, and takes those of other instances.
    pub(super) fn exchange_heights(
        &mut self,
        store: &mut Store,
        port: &mut dyn Port,
        budget: &Budget,
    ) -> Result<(), UnknownReason> {
        if !*self.exchanged.active.get_or_insert_with(|| port.enter_graph(store, self.graph)) {
            return Ok(());
        }
        self.publish_heights(store, port);
        let mut used = Vec::new();
        for VertexLemma { vertex, formula, claim } in port.poll_about_vertices(store) {
            budget.check_stop()?;
            if store.dag_size(formula) > self.settings.share_size {
                continue;
            }
            let taken = match claim {
                VertexClaim::Holds { height } => self.take_lemma(store, vertex, formula, height, budget)?,
                VertexClaim::Derived => self.try_fact(store, vertex, formula),
            };
            used.extend(taken.then_some(formula));
        }
        port.taken(&used);
        Ok(())
    }

    fn publish_heights(&mut self, store: &Store, port: &mut dyn Port) {
        self.exchanged.seen.resize(self.summaries.len(), (0, 0));
        for index in 1..self.summaries.len() {
            let vertex = VertexId::new(index);
            let (lemmas, facts) = self.exchanged.seen[index];
            let is_small = |formula| store.dag_size(formula) <= self.settings.share_size;
            for &Lemma { formula, level } in &self.announced[index][lemmas..] {
                let known = self.exchanged.heights.get(&(vertex, formula)).copied();
                if known.is_none_or(|known| level > known.saturating_mul(2)) && is_small(formula) {
                    self.exchanged.heights.insert((vertex, formula), level);
                    self.counters.sent += 1;
                    let claim = VertexClaim::Holds { height: level };
                    port.publish_about_vertex(store, &VertexLemma { vertex, formula, claim });
                }
            }
            let all = &self.summaries[index].facts;
            for fact in all[facts..].iter().filter(|_| self.settings.share_facts) {
                if is_small(fact.states) && self.exchanged.tried.insert((vertex, fact.states)) {
                    self.counters.sent += 1;
                    let claim = VertexClaim::Derived;
                    port.publish_about_vertex(store, &VertexLemma { vertex, formula: fact.states, claim });
                }
            }
            self.exchanged.seen[index] = (self.announced[index].len(), all.len());
        }
    }

    /// Takes a lemma of another instance, if it is inductive relative to the lemmas of this one; whether it is.
    fn take_lemma(
        &mut self,
        store: &mut Store,
        vertex: VertexId,
        formula: Term,
        height: usize,
        budget: &Budget,
    ) -> Result<bool, UnknownReason> {
        let level = height.min(self.bound);
        let known = self.summaries[vertex.index()].level_of(formula);
        if vertex == VertexId::FALSE
            || height.saturating_add(self.settings.share_behind) < self.bound
            || known.is_some_and(|known| known >= level && (height != INFINITE_HEIGHT || known == height))
            || self.exchanged.heights.get(&(vertex, formula)).is_some_and(|&seen| seen >= height)
        {
            return Ok(false);
        }
        self.exchanged.heights.insert((vertex, formula), height);
        let always = height == INFINITE_HEIGHT && self.is_invariant(store, vertex, formula, budget)?;
        if !always && !self.holds_at(store, vertex, formula, level, budget)? {
            self.counters.refused += 1;
            return Ok(false);
        }
        self.counters.lemmas_taken += 1;
        let level = if always { INFINITE_HEIGHT } else { level };
        self.add_lemma(store, vertex, Lemma { formula, level });
        Ok(true)
    }

    /// Makes a fact of another instance an obligation, unless that was done; whether it is new.
    fn try_fact(&mut self, store: &Store, vertex: VertexId, states: Term) -> bool {
        let own: usize = self.summaries.iter().map(|summary| summary.facts.len()).sum();
        let is_new = vertex != VertexId::FALSE
            && self.settings.share_facts
            && self.counters.facts_tried < (own + MOST_EXTRA_FACTS) as u64
            && self.exchanged.tried.insert((vertex, states));
        if is_new {
            self.counters.facts_tried += 1;
            self.obligations.add_tentative(vertex, store.conjuncts(states), self.bound, FACT_GAS);
        }
        is_new
    }
}
