//! From a blocked obligation to a lemma.
//!
//! First literals are dropped from the cube, as long as its negation stays inductive relative to the lemmas
//! below: the negation may be assumed of the sources that are the vertex itself, since it is proved for smaller
//! heights by the same query. Then an interpolant of the edges and the rest of the cube takes the place of the
//! negation, if this is wanted: it may say more than the cube's literals can.

use shem_base::{Budget, UnknownReason};
use shem_chc::VertexId;
use shem_smt::Answer;
use shem_smt::interpolate::{ItpError, Partition};
use shem_term::{Store, Term};

use super::search::Search;
use super::settings::LemmaStyle;
use crate::steps::rename;

impl Search<'_> {
    /// A formula that holds of all facts up to the height and excludes the cube, which the last query of the
    /// vertex's summary has shown to be blocked by these of its formulas. The query's scope is closed.
    pub(super) fn generalise(
        &mut self,
        store: &mut Store,
        vertex: VertexId,
        core: Vec<Term>,
        level: usize,
        budget: &mut Budget,
    ) -> Result<Term, UnknownReason> {
        let mut cube = core;
        self.shrink(store, vertex, &mut cube, level, budget)?;
        let conjunction = store.and(&cube);
        if self.settings.lemmas == LemmaStyle::Core || cube.is_empty() {
            return Ok(!conjunction);
        }
        let extra = self.induction_hypothesis(store, vertex, !conjunction);
        let summary = &mut self.summaries[vertex.index()];
        let answer = summary.ask_may(store, &cube, &extra, level, budget);
        if answer != Answer::Unsat {
            summary.solver.pop();
            return Ok(!conjunction);
        }
        let mut partition = Partition::new(2);
        for number in 0..summary.solver.assertion_count() {
            partition.assign(number, 0);
        }
        for &control in summary.controls(cube.len()) {
            partition.assign_assumption(control, 0);
        }
        let found = summary.solver.path_interpolants(store, &partition, &self.settings.interpolation, budget);
        summary.solver.pop();
        match found {
            Ok(found) => {
                self.counters.interpolants += 1;
                Ok(self.summaries[vertex.index()].unprimed(store, found[0]))
            }
            Err(ItpError::Unknown(UnknownReason::Stopped)) => Err(UnknownReason::Stopped),
            Err(_) => Ok(!conjunction),
        }
    }

    /// The formula about all sources that are the vertex itself. It says nothing of a source that no edge of the query
    /// uses: a formula that holds of no state would exclude all other edges, too.
    pub(super) fn induction_hypothesis(
        &self,
        store: &mut Store,
        vertex: VertexId,
        formula: Term,
    ) -> Vec<Term> {
        let summary = &self.summaries[vertex.index()];
        let state = self.graph.vertex(vertex).state();
        let own = summary.slots.iter().filter(|slot| slot.vertex == vertex);
        own.map(|slot| {
            let hypothesis = rename(store, formula, state, &slot.variables);
            store.implies(slot.may, hypothesis)
        })
        .collect()
    }

    /// Generalises a cube that is blocked, inductively, as far as the settings allow.
    pub(super) fn shrink(
        &mut self,
        store: &mut Store,
        vertex: VertexId,
        cube: &mut Vec<Term>,
        level: usize,
        budget: &mut Budget,
    ) -> Result<(), UnknownReason> {
        if self.settings.drop_literals {
            self.drop_literals(store, vertex, cube, level, budget)?;
        }
        Ok(())
    }

    fn drop_literals(
        &mut self,
        store: &mut Store,
        vertex: VertexId,
        cube: &mut Vec<Term>,
        level: usize,
        budget: &mut Budget,
    ) -> Result<(), UnknownReason> {
        let mut at = cube.len();
        while at > 0 && cube.len() > 1 {
            at -= 1;
            budget.check_stop()?;
            let dropped = cube.remove(at);
            let conjunction = store.and(cube);
            let extra = self.induction_hypothesis(store, vertex, !conjunction);
            let summary = &mut self.summaries[vertex.index()];
            let mut small = Budget { conflicts: 1_000, splits: 200, ..budget.clone() };
            let answer = summary.ask_may(store, cube, &extra, level, &mut small);
            match answer {
                Answer::Unsat => {
                    summary.solver.pop();
                    self.counters.dropped += 1;
                }
                Answer::Sat | Answer::Unknown(_) => {
                    summary.solver.pop();
                    cube.insert(at, dropped);
                }
            }
        }
        Ok(())
    }
}
