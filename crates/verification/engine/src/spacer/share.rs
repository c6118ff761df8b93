//! The exchange of invariants with other engines.
//!
//! The lemmas that hold at all heights are an inductive set: each was proved relative to the others and to itself.
//! They are published once a level, if there are new ones. Formulas received are candidates: the part of them that is
//! closed under the edges of this graph holds at all heights.

use shem_base::{Budget, Effort, UnknownReason};
use shem_chc::{Interpretation, VertexId};
use shem_term::Store;

use super::search::SpacerSearch;
use super::summary::{INFINITE_HEIGHT, Lemma};
use crate::closed::{closed_part, merge_candidates};
use crate::port::Port;

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
}
