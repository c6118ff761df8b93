//! Inductive invariants between graphs of the same problem.
//!
//! Engines work on different graphs: their pipelines differ. What all graphs have in common is the system as read,
//! so an invariant goes back through the passes to the predicates as read, and from there forward through the passes
//! of whoever receives it. On the way back the edges to false are left out: an invariant need not be safe. What
//! travels is a set of formulas that is closed under all clauses but the queries, and this is checked before it is
//! sent; who receives it checks that what has become of it is closed on the graph at hand.

use std::sync::Arc;
use std::time::Duration;

use shem_base::{Budget, Effort};
use shem_chc::{Fingerprint, Graph, Interpretation, Model, System, VertexId};
use shem_check::{Validity, check_model};
use shem_term::{Sort, Store, Term};
use shem_transform::Preprocessed;

use crate::note::Definitions;
use crate::witness::write_model;
use shem_term::pack::FormulaLimits;
use shem_term::pack::Naming;

/// The effort of translating an invariant and checking it.
const INVARIANT_EFFORT: Effort = Effort { conflicts: 20_000, pivots: 200_000, splits: 2_000 };

/// What checking a clause over arrays or datatypes takes; over numbers it is not worth counting. Measured on queries of
/// solc, whose 123 clauses took 1.2 s, while all else of a run took 0.3 s.
const TIME_OF_A_CLAUSE: Duration = Duration::from_millis(10);

/// Translates between the graph after the passes and the predicates as read.
pub struct Translator {
    about: Fingerprint,
    /// The system without its queries.
    system: System,
    preprocessed: Arc<Preprocessed>,
}

impl Translator {
    /// The translator for a system and what the passes made of it.
    pub fn new(store: &Store, system: &System, preprocessed: Arc<Preprocessed>) -> Translator {
        let about = Fingerprint::of_system(store, system);
        let mut system = system.clone();
        system.clauses.retain(|clause| clause.head.is_some());
        Translator { about, system, preprocessed }
    }

    /// The same, for messages about a graph with this fingerprint, whose predicates include those of the system.
    pub fn about_graph(self, about: Fingerprint) -> Translator {
        Translator { about, ..self }
    }

    /// The fingerprint that messages carry.
    pub fn about(&self) -> Fingerprint {
        self.about
    }

    /// How long checking an invariant will take, roughly.
    pub fn expected_time(&self) -> Duration {
        let is_number = |sort: &Sort| matches!(sort, Sort::Bool | Sort::Int | Sort::Real);
        let numbers =
            self.system.predicates.iter().flat_map(|predicate| predicate.sorts.iter()).all(is_number);
        let clauses = u32::try_from(self.system.clauses.len()).unwrap_or(u32::MAX);
        if numbers { Duration::ZERO } else { TIME_OF_A_CLAUSE.saturating_mul(clauses) }
    }

    /// The definitions of the predicates as read that an interpretation of the graph after the passes gives; `None`
    /// if they are not closed under the clauses, are all true, or cannot be checked in time.
    pub fn back(
        &self,
        store: &mut Store,
        graph: &Graph,
        interpretation: Interpretation,
        budget: &mut Budget,
    ) -> Option<Definitions> {
        let mut limited = budget.at_most(INVARIANT_EFFORT);
        let mut whole = Interpretation::new().without_queries();
        for vertex in graph.vertices() {
            whole.insert(vertex, interpretation.get(vertex).unwrap_or(Term::TRUE));
        }
        let interpretation = self.preprocessed.interpretation(store, whole, &mut limited).ok()?;
        let model = Model::of(&self.preprocessed.graph, &interpretation, self.system.predicates.len());
        if model.definitions.iter().all(|definition| definition.body == Term::TRUE) {
            return None;
        }
        match check_model(store, &self.system, &model, &mut limited) {
            Validity::Valid => write_model(store, &self.system, &model, FormulaLimits::LEMMA),
            Validity::Invalid(_) | Validity::Unknown(_) => None,
        }
    }

    /// Formulas for the vertices after the passes; `None` if the definitions cannot be read. A candidate, whatever it was
    /// before.
    pub fn forward(
        &self,
        store: &mut Store,
        graph: &Graph,
        received: &Definitions,
    ) -> Option<Interpretation> {
        let mut interpretation = Interpretation::new();
        for (name, formula) in received {
            // Another graph of the problem may have more predicates.
            let Some(predicate) = self.system.predicate_named(name) else { continue };
            let vertex = VertexId::of(predicate);
            let state = self.preprocessed.graph.vertex(vertex).state().to_vec();
            let formula = Naming::new(store, &state, &[]).import(store, formula)?;
            interpretation.insert(vertex, formula);
        }
        let all = self.preprocessed.forward(store, interpretation);
        let mut live = Interpretation::new();
        for vertex in graph.vertices() {
            if let Some(formula) = all.get(vertex).filter(|&formula| formula != Term::TRUE) {
                live.insert(vertex, formula);
            }
        }
        Some(live)
    }
}
