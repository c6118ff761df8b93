//! Counterexamples to pushing.
//!
//! When a lemma cannot be pushed, the query has a model: states of the sources that the lemmas below allow and from
//! which an edge leads to a state outside the lemma. As long as no new lemma excludes these states, the query would
//! fail again. So the states are kept, and only lemmas added since are evaluated.

use shem_base::{Rat, add_work};
use shem_chc::VertexId;
use shem_smt::Model;
use shem_term::{Poly, Store, Term, Value, View};

use super::pattern::literals_of;
use super::search::{SpacerSearch, state_in};
use super::summary::Lemma;

/// States that show why a lemma cannot be pushed.
#[derive(Clone, Debug)]
pub(super) struct PushCounterexample {
    level: usize,
    /// The sources, each with its state and the number of its lemmas that are known to allow it.
    sources: Vec<(VertexId, Model, usize)>,
}

impl SpacerSearch<'_> {
    /// Keeps the source states of a model of the query whether a lemma can be pushed.
    pub(super) fn remember_push_counterexample(
        &mut self,
        store: &Store,
        vertex: VertexId,
        lemma: Lemma,
        model: &Model,
    ) {
        let summary = &self.summaries[vertex.index()];
        let edge = summary.edge_of(store, model);
        let mut sources = Vec::new();
        for &slot_index in &summary.incoming[edge].slots {
            let slot = &summary.slots[slot_index];
            let state = self.graph.vertex(slot.vertex).state();
            let state = state_in(store, model, state, &slot.variables);
            sources.push((slot.vertex, state, self.announced[slot.vertex.index()].len()));
        }
        self.push_counterexamples[vertex.index()]
            .insert(lemma.formula, PushCounterexample { level: lemma.level, sources });
    }

    /// Whether the states that kept a lemma from being pushed are still allowed.
    pub(super) fn has_push_counterexample(&mut self, store: &Store, vertex: VertexId, lemma: Lemma) -> bool {
        let Some(found) = self.push_counterexamples[vertex.index()].get_mut(&lemma.formula) else {
            return false;
        };
        if found.level != lemma.level {
            return false;
        }
        for (source, state, seen) in &mut found.sources {
            let announced = &self.announced[source.index()];
            let new = announced[*seen..].iter().filter(|other| other.level >= lemma.level);
            if !new.map(|other| other.formula).all(|formula| satisfies(store, formula, state)) {
                return false;
            }
            *seen = announced.len();
        }
        true
    }
}

/// Whether a state satisfies a lemma. This is asked a lot and nearly always of clauses, so literals are evaluated
/// here, without the marks that a walk over terms needs.
pub(super) fn satisfies(store: &Store, formula: Term, state: &Model) -> bool {
    let quick = literals_of(store, &!formula).and_then(|cube| {
        add_work(2 * cube.len());
        for &literal in cube {
            if !literal_holds(store, literal, state)? {
                return Some(true);
            }
        }
        Some(false)
    });
    quick.unwrap_or_else(|| {
        let value = store.evaluate(formula, &state.completed(store));
        value.and_then(|value| value.as_bool()) == Some(true)
    })
}

/// The value of a literal over variables; of others nothing is said.
fn literal_holds(store: &Store, literal: Term, state: &Model) -> Option<bool> {
    let sum = |poly: Poly| {
        let mut sum = Rat::ZERO;
        for term in store.poly_terms(poly) {
            match state.get(store.as_var(term.leaf)?)? {
                Value::Num(value) => sum.add_mul_int(&term.coeff, value),
                _ => return None,
            }
        }
        Some(sum)
    };
    let holds = match store.view(literal) {
        View::Le(poly, bound) => sum(poly)? <= *bound,
        View::Lt(poly, bound) => sum(poly)? < *bound,
        View::Eq(poly, value) => sum(poly)? == *value,
        View::Var(symbol) => state.get(symbol)?.as_bool()?,
        _ => return None,
    };
    Some(holds != literal.is_negated())
}
