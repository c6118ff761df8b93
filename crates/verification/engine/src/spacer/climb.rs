//! Facts, and how a fact is propagated to parent obligations.
//!
//! An obligation is a projection: each of its states leads, by the edge that it was made for, into its parent
//! obligation. So a fact with one of its states yields a fact for the parent by one query about that edge and that
//! fact, without lemmas and without other facts. A derivation with a thousand steps is completed by a thousand
//! small queries; a full query for every obligation would contain all lemmas and facts. If the edge has several
//! sources, facts for the others may be missing: then the parent is queued like any other obligation.

use shem_base::{Budget, UnknownReason};
use shem_chc::VertexId;
use shem_smt::{Answer, Model};
use shem_term::{Store, Term};

use super::obligation::{ObligationId, Parent};
use super::search::{SpacerSearch, state_in};
use super::summary::{Fact, FactId};

impl SpacerSearch<'_> {
    /// Propagates a fact that answers an obligation to the parent, and on to the parent's parent, as long as that
    /// succeeds. Returns the fact of falsehood, if it is found.
    pub(super) fn climb(
        &mut self,
        store: &mut Store,
        id: ObligationId,
        fact: FactId,
        budget: &mut Budget,
    ) -> Result<Option<FactId>, UnknownReason> {
        let (mut id, mut fact) = (id, fact);
        loop {
            budget.check_stop()?;
            self.obligations.mark_reached(id);
            let obligation = self.obligations.get(id);
            let vertex = obligation.vertex;
            if vertex == VertexId::FALSE {
                return Ok(Some(fact));
            }
            let Some(parent) = obligation.parent else { return Ok(None) };
            if self.obligations.get(parent.obligation).is_reached() {
                return Ok(None);
            }
            let Some(next) = self.derive_parent_fact(store, vertex, fact, parent, budget)? else {
                self.resume(Some(parent));
                return Ok(None);
            };
            self.counters.climbed += 1;
            (id, fact) = (parent.obligation, next);
        }
    }

    /// A fact for the parent obligation, derived from a fact of the only source of its edge; `None` if the edge has
    /// more sources.
    fn derive_parent_fact(
        &mut self,
        store: &mut Store,
        source: VertexId,
        fact: FactId,
        parent: Parent,
        budget: &Budget,
    ) -> Result<Option<FactId>, UnknownReason> {
        let parent_obligation = self.obligations.get(parent.obligation);
        let vertex = parent_obligation.vertex;
        let states = self.summaries[source.index()].facts[fact.index()].states;
        let summary = &mut self.summaries[vertex.index()];
        let [slot_index] = summary.incoming[parent.edge].slots[..] else { return Ok(None) };
        let state = self.graph.vertex(source).state();
        let states = store.rename(states, state, &summary.slots[slot_index].variables);
        let model = match summary.ask_from(
            store,
            parent.edge,
            states,
            &parent_obligation.cube,
            &mut budget.at_most(self.optional_effort),
        ) {
            Answer::Unknown(UnknownReason::Stopped) => return Err(UnknownReason::Stopped),
            Answer::Sat(mut solution) => solution.model(),
            _ => return Ok(None),
        };
        self.derive(store, vertex, parent.edge, vec![fact], &[states], &model).map(Some)
    }

    /// A new fact: what an edge makes, in a model, of these facts of its sources. The states of the facts are
    /// given as the query has them.
    pub(super) fn derive(
        &mut self,
        store: &mut Store,
        vertex: VertexId,
        edge: usize,
        premises: Vec<FactId>,
        states: &[Term],
        model: &Model,
    ) -> Result<FactId, UnknownReason> {
        self.counters.projections += 1;
        self.counters.facts += 1;
        let summary = &mut self.summaries[vertex.index()];
        let mut formulas = vec![summary.incoming[edge].label];
        formulas.extend_from_slice(states);
        let found = self.projector.project_onto_or_fix(store, &formulas, model, &summary.target);
        let found = store.and(&found.map_err(UnknownReason::from)?);
        let states = summary.unprimed(store, found);
        let edge = summary.incoming[edge].edge;
        let id = summary.add_fact(store, Fact { states, edge, premises });
        for successor in self.successors[vertex.index()].clone() {
            let state = self.graph.vertex(vertex).state();
            self.summaries[successor.index()].add_source_fact(store, vertex, state, states);
        }
        Ok(id)
    }

    /// For each of the first sources of an edge, a fact that has its state in the model, and the states of this
    /// fact as the query has them.
    pub(super) fn premises(
        &mut self,
        store: &mut Store,
        vertex: VertexId,
        edge: usize,
        count: usize,
        model: &Model,
    ) -> (Vec<FactId>, Vec<Term>) {
        let summary = &self.summaries[vertex.index()];
        let mut premises = (Vec::with_capacity(count), Vec::with_capacity(count));
        for &slot_index in &summary.incoming[edge].slots[..count] {
            let slot = &summary.slots[slot_index];
            let state = self.graph.vertex(slot.vertex).state();
            let source = &self.summaries[slot.vertex.index()];
            let fact = source.fact_containing(store, &state_in(store, model, state, &slot.variables));
            let states = store.rename(source.facts[fact.index()].states, state, &slot.variables);
            premises.0.push(fact);
            premises.1.push(states);
        }
        premises
    }
}
