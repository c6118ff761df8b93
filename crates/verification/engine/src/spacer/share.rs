//! Invariants of Spacer, and of others.
//!
//! The lemmas that hold at all heights are an inductive set, since each was proved relative to the others and to itself.
//! They are told to others once a level, if there are new ones. What others have found is a candidate: the part of it
//! that is closed under the edges of this graph holds at all heights.

use shem_base::{Budget, UnknownReason};
use shem_chc::{Interpretation, VertexId};
use shem_term::Store;

use super::search::Search;
use super::summary::{FOREVER, Lemma};
use crate::closed::closed_part;
use crate::port::Port;

impl Search<'_> {
    /// Tells of invariants, and takes those of others. `told` is the number that was told before.
    pub(super) fn exchange(
        &mut self,
        store: &mut Store,
        port: &mut dyn Port,
        told: &mut usize,
        budget: &Budget,
    ) -> Result<(), UnknownReason> {
        if !port.wants_invariants() {
            return Ok(());
        }
        let mut effort = Budget { conflicts: 20_000, pivots: 400_000, splits: 2_000, ..budget.clone() };
        for candidates in port.poll_invariants(store, self.graph) {
            let closed = match closed_part(store, self.graph, &candidates, &mut effort) {
                Ok(closed) => closed,
                Err(UnknownReason::Stopped) => return Err(UnknownReason::Stopped),
                Err(_) => continue,
            };
            for vertex in self.graph.vertices() {
                if let Some(formula) = closed.get(vertex) {
                    self.counters.received += 1;
                    self.add_lemma(store, vertex, Lemma { formula, level: FOREVER });
                }
            }
        }
        let forever = |lemma: &&Lemma| lemma.level == FOREVER;
        let count = self.summaries.iter().map(|s| s.lemmas.iter().filter(forever).count()).sum();
        if std::mem::replace(told, count) != count {
            let mut invariant = Interpretation::new();
            for index in 1..self.summaries.len() {
                let vertex = VertexId::new(index);
                if self.graph.is_live(vertex) {
                    let formula = self.invariant_at(store, vertex, FOREVER);
                    invariant.insert(vertex, formula);
                }
            }
            port.publish_invariant(store, self.graph, invariant, &mut effort);
        }
        Ok(())
    }
}
