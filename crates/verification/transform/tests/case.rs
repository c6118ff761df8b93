//! Clauses, what passes make of them, and the judge of what comes back.

use shem_base::{Budget, Statistics, StopToken};
use shem_chc::{EdgeId, Graph, Model, Script, System, normalise};
use shem_term::Store;
use shem_test_support::oracle::Facts;
use shem_test_support::witness;
use shem_transform::{Decision, Pass, Pipeline, Preprocessed};

pub struct Case {
    pub store: Store,
    pub system: System,
    pub graph: Graph,
    pub done: Preprocessed,
    pub statistics: Statistics,
}

/// Runs passes on the clauses of a script without its first and last lines.
pub fn run(clauses: &str, pipeline: &Pipeline) -> Case {
    let text = format!("(set-logic HORN){clauses}(check-sat)");
    let mut store = Store::new();
    let script = Script::read(&mut store, &text, &StopToken::new()).expect("a script");
    let system = (*script.system).clone();
    let graph = normalise(&mut store, &system);
    let mut statistics = Statistics::new();
    let budget = &mut Budget::unlimited();
    let done = pipeline.run(&mut store, graph.clone(), &mut statistics, budget);
    Case { store, system, graph, done, statistics }
}

pub fn with(clauses: &str, pass: impl Pass + 'static) -> Case {
    run(clauses, &Pipeline::new(vec![Box::new(pass)]))
}

impl Case {
    /// The number of vertices and of edges after the passes.
    pub fn size(&self) -> (usize, usize) {
        (self.done.graph.vertices().count(), self.done.graph.edge_count())
    }

    /// Finds a witness by listing facts, and judges it after it was translated back.
    pub fn confirm(mut self, safe: bool) -> Case {
        let facts = Facts::of(&mut self.store, &self.done.graph);
        assert_eq!(facts.is_unsafe(), !safe);
        if safe {
            let least = facts.least(&mut self.store, &self.done.graph);
            self.confirm_model(least);
        } else {
            self.confirm_derivation(facts.derivation);
        }
        self
    }

    fn confirm_model(&mut self, found: shem_chc::Interpretation) {
        let Case { store, system, graph, done, .. } = self;
        let back = done.interpretation(store, found, &mut Budget::unlimited()).expect("a way back");
        witness::interpretation(store, graph, &back).expect("an interpretation");
        let model = Model::of(graph, &back, system.predicates.len());
        witness::model(store, system, &model).expect("a model");
    }

    fn confirm_derivation(&mut self, found: shem_chc::Derivation<EdgeId>) {
        let Case { store, system, graph, done, .. } = self;
        let back = done.derivation(store, found, &mut Budget::unlimited()).expect("a way back");
        witness::derivation(store, graph, &back).expect("a derivation");
        witness::refutation(store, system, &back.map_rules(EdgeId::clause)).expect("a refutation");
    }

    /// Judges what comes back if everything is true of everything after the passes; there must be no query.
    pub fn confirm_weakest(mut self) -> Case {
        let mut weakest = shem_chc::Interpretation::new();
        for vertex in self.done.graph.vertices() {
            weakest.insert(vertex, shem_term::Term::TRUE);
        }
        self.confirm_model(weakest);
        self
    }

    /// What the passes decided, with the witness judged.
    pub fn decided(mut self) -> bool {
        match self.done.decision(&mut self.store, &Budget::unlimited()).expect("a decision") {
            Decision::Safe(found) => {
                self.confirm_model(found);
                true
            }
            Decision::Unsafe(found) => {
                self.confirm_derivation(found);
                false
            }
            Decision::Unknown(reason) => panic!("{reason}"),
        }
    }
}
