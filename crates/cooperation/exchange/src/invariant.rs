//! Inductive invariants between the graphs of one problem.
//!
//! Engines see graphs that were prepared in different ways, but all are made of one: some have fewer vertices, and those
//! that are left have the same arguments. So an invariant travels as formulas for vertices, by their names, and is about the
//! graph that all others are made of. It is checked to be closed under all edges but those to false before it is sent;
//! who receives it takes what concerns its own vertices and checks that it is closed on the graph at hand.

use shem_base::{Budget, Effort};
use shem_chc::{Definition, Fingerprint, Graph, Interpretation, Model, System, VertexId, clauses_of};
use shem_check::{Validity, check_model};
use shem_term::pack::{FormulaLimits, Naming};
use shem_term::{Sort, Store, Term};

use crate::note::Definitions;
use crate::witness::write_model;

/// The effort of checking an invariant.
const INVARIANT_EFFORT: Effort = Effort { conflicts: 20_000, pivots: 200_000, splits: 2_000 };

/// The work that checking a clause over arrays or datatypes takes, about 10 ms; over numbers it is not worth counting.
/// Measured on queries of solc, whose 123 clauses took 1.2 s, while all else of a run took 0.3 s.
const WORK_OF_A_CLAUSE: u64 = 600_000;

/// Translates between interpretations of a graph and messages.
pub struct Translator {
    about: Fingerprint,
    vertices: Vec<VertexId>,
    /// The graph as clauses, without its queries.
    system: System,
}

impl Translator {
    /// The translator for a graph, and messages about the graph with this fingerprint.
    pub fn new(store: &mut Store, graph: &Graph, about: Fingerprint) -> Translator {
        let mut system = clauses_of(store, graph);
        system.clauses.retain(|clause| clause.head.is_some());
        Translator { about, vertices: graph.vertices().collect(), system }
    }

    /// The fingerprint that messages carry.
    pub fn about(&self) -> Fingerprint {
        self.about
    }

    /// The work that checking an invariant will take, roughly.
    pub fn expected_work(&self) -> u64 {
        let is_number = |sort: &Sort| matches!(sort, Sort::Bool | Sort::Int | Sort::Real);
        let numbers =
            self.system.predicates.iter().flat_map(|predicate| predicate.sorts.iter()).all(is_number);
        if numbers { 0 } else { WORK_OF_A_CLAUSE * self.system.clauses.len() as u64 }
    }

    /// The message that an interpretation gives; `None` if it is not closed under the edges, says nothing, or cannot be
    /// checked in time.
    pub fn write(
        &self,
        store: &mut Store,
        graph: &Graph,
        interpretation: &Interpretation,
        budget: &mut Budget,
    ) -> Option<Definitions> {
        let model = self.model(graph, interpretation)?;
        match check_model(store, &self.system, &model, &mut budget.at_most(INVARIANT_EFFORT)) {
            Validity::Valid => write_model(store, &self.system, &model, FormulaLimits::LEMMA),
            Validity::Invalid(_) | Validity::Unknown(_) => None,
        }
    }

    /// The message that an interpretation gives which was not checked; `None` if it says nothing.
    pub fn write_candidate(
        &self,
        store: &mut Store,
        graph: &Graph,
        interpretation: &Interpretation,
    ) -> Option<Definitions> {
        let model = self.model(graph, interpretation)?;
        write_model(store, &self.system, &model, FormulaLimits::LEMMA)
    }

    /// An interpretation as a model; `None` if it says nothing.
    fn model(&self, graph: &Graph, interpretation: &Interpretation) -> Option<Model> {
        let definition = |&vertex: &VertexId| Definition {
            parameters: graph.vertex(vertex).state().into(),
            body: interpretation.get(vertex).unwrap_or(Term::TRUE),
        };
        let definitions: Vec<Definition> = self.vertices.iter().map(definition).collect();
        let says_nothing = definitions.iter().all(|definition| definition.body == Term::TRUE);
        (!says_nothing).then_some(Model { definitions })
    }

    /// What a message says of the vertices of the graph; `None` if it cannot be read. It is a candidate.
    pub fn read(&self, store: &mut Store, graph: &Graph, received: &Definitions) -> Option<Interpretation> {
        let mut interpretation = Interpretation::new();
        for (name, formula) in received {
            // The sender's graph may have more vertices.
            let Some(predicate) = self.system.predicate_named(name) else { continue };
            let vertex = self.vertices[predicate.index()];
            let state = graph.vertex(vertex).state();
            let formula = Naming::new(store, state, &[]).import(store, formula)?;
            if formula != Term::TRUE {
                interpretation.insert(vertex, formula);
            }
        }
        Some(interpretation)
    }
}
