//! Lazy abstraction as an engine.

use shem_chc::Graph;
use shem_check::Certificate;
use shem_term::Store;

use super::description::DESCRIPTION;
use super::implication::Implications;
use super::search::{End, LawiSearch};
use super::settings::Settings;
use crate::Engine;
use crate::context::Context;
use crate::scope::Scope;
use crate::verdict::{Outcome, Proven, Verdict, WitnessSource};

/// Lazy abstraction with interpolants on linear graphs.
#[derive(Clone, Debug, Default)]
pub struct Lawi {
    settings: Settings,
}

impl Lawi {
    /// The engine with these settings.
    pub fn new(settings: Settings) -> Lawi {
        Lawi { settings }
    }
}

impl Engine for Lawi {
    fn scope(&self) -> Scope {
        DESCRIPTION.scope()
    }

    fn search(&mut self, store: &mut Store, graph: &Graph, context: &mut Context<'_>) -> Verdict {
        let mut search = LawiSearch::new(store, graph, &self.settings, context);
        let end = search.run(store, context);
        let statistics = &mut context.statistics;
        search.counters.report(statistics);
        statistics.add("nodes", search.tree.len() as u64);
        let asked = |implications: &[Implications]| implications.iter().map(|i| i.queries).sum();
        statistics.add("queries.path", search.path.queries);
        statistics.add("queries.path-end", search.suffix.queries);
        statistics.add("queries.vertex", asked(&search.at_vertex));
        statistics.add("queries.edge", asked(&search.by_edge));
        match end {
            Ok(End::Safe(interpretation, unwinding)) => Outcome::Safe(Proven {
                witness: WitnessSource::Ready(interpretation),
                certificate: Some(Certificate::Unwinding(*unwinding)),
            }),
            Ok(End::Unsafe(derivation)) => Outcome::unsafe_by(derivation),
            Err(reason) => Outcome::unknown(reason),
        }
    }
}
