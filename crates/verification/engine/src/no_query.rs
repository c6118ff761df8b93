//! No query, no derivation of falsehood.
//!
//! If no edge leads to false, whatever the predicates mean is a model. The engine looks for nothing else; it shows
//! what an engine consists of.

use shem_base::UnknownReason;
use shem_chc::{Graph, Interpretation, VertexId};
use shem_term::{Store, Term};

use crate::registry::{Answers, EngineDescription, Fragment, Make};
use crate::{Context, Engine, Outcome, Scope, Theories, Verdict, settings};

settings! {
    /// Settings of the engine.
    pub struct Settings {
        most_predicates: usize = 1000,
            "no-query.most-predicates", "the number of predicates up to which a system is looked at";
    }
}

/// What others need to know of the engine.
pub const DESCRIPTION: EngineDescription = EngineDescription {
    name: "no-query",
    summary: "proves systems in which nothing leads to false",
    fragment: Fragment::All,
    theories: Theories::All,
    answers: Answers::Safe,
    sends: &[],
    takes: &[],
    variations: crate::instances::SEEDS,
    constructor: &Make { engine: |settings| Box::new(NoQuery { settings }) },
};

/// Proves graphs without an edge to false.
#[derive(Clone, Debug)]
pub struct NoQuery {
    settings: Settings,
}

impl Engine for NoQuery {
    fn scope(&self) -> Scope {
        DESCRIPTION.scope()
    }

    fn search(&mut self, _: &mut Store, graph: &Graph, _: &mut Context<'_>) -> Verdict {
        let small = graph.vertices().count() <= self.settings.most_predicates;
        if !small || graph.incoming(VertexId::FALSE).len() > 0 {
            return Outcome::unknown(UnknownReason::Incomplete("some edge leads to false"));
        }
        let mut model = Interpretation::new();
        for vertex in graph.vertices() {
            model.insert(vertex, Term::TRUE);
        }
        Outcome::safe(model)
    }
}
