//! No query, no derivation of falsehood.
//!
//! If no edge leads to false, whatever the predicates mean is a model. The engine looks for nothing else; it shows
//! what an engine consists of.

use shem_base::UnknownReason;
use shem_chc::{Graph, Interpretation, VertexId};
use shem_term::{Store, Term};

use crate::registry::{EngineDescription, Fragment, Make};
use crate::settings::{Configurable, SettingRow};
use crate::{Context, Engine, Outcome, Theories, Verdict, field};

/// Settings of the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The number of predicates up to which a graph is looked at.
    pub most_predicates: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { most_predicates: 1000 }
    }
}

impl Configurable for Settings {
    const ROWS: &'static [&'static dyn SettingRow<Settings>] = &[&field!(
        "no-query.most-predicates",
        most_predicates,
        "the number of predicates up to which a system is looked at"
    )];
}

/// What others need to know of the engine.
pub const DESCRIPTION: EngineDescription = EngineDescription {
    name: "no-query",
    summary: "proves systems in which nothing leads to false",
    fragment: Fragment::All,
    theories: Theories::All,
    sends: &[],
    takes: &[],
    constructor: &Make { engine: |settings| Box::new(NoQuery { settings }), of_instance: None },
};

/// Proves graphs without an edge to false.
#[derive(Clone, Debug)]
pub struct NoQuery {
    settings: Settings,
}

impl Engine for NoQuery {
    fn name(&self) -> &'static str {
        DESCRIPTION.name
    }

    fn solve(&mut self, _: &mut Store, graph: &Graph, _: &mut Context<'_>) -> Verdict {
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
