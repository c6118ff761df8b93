//! Spacer as an engine.

use shem_base::{Budget, UnknownReason};
use shem_chc::{Graph, Interpretation, VertexId};
use shem_term::Store;

use super::search::SpacerSearch;
use super::settings::Settings;
use super::witness::{Facts, derive};
use crate::Engine;
use crate::adaptor::quantified;
use crate::context::{Context, Progress};
use crate::verdict::{Evidence, Outcome, Proven, Verdict};

/// Property-directed reachability on graphs.
#[derive(Clone, Debug, Default)]
pub struct Spacer {
    settings: Settings,
}

impl Spacer {
    /// The engine with these settings.
    pub fn new(settings: Settings) -> Spacer {
        Spacer { settings }
    }
}

impl Engine for Spacer {
    fn name(&self) -> &'static str {
        "spacer"
    }

    fn solve(&mut self, store: &mut Store, graph: &Graph, context: &mut Context<'_>) -> Verdict {
        if let Some(verdict) = quantified(store, graph, self.name()) {
            return verdict;
        }
        let mut search = SpacerSearch::new(store, graph, &self.settings, context);
        let mut level = 0;
        let verdict = run(&mut search, store, context, &mut level);
        let statistics = &mut context.statistics;
        statistics.set("level", level as u64);
        statistics.add("obligations", search.obligations.len() as u64);
        search.counters.report(statistics);
        statistics.add("queries", search.summaries.iter().map(|s| s.queries).sum());
        verdict.unwrap_or_else(Outcome::unknown)
    }
}

fn run(
    search: &mut SpacerSearch<'_>,
    store: &mut Store,
    context: &mut Context<'_>,
    level: &mut usize,
) -> Result<Verdict, UnknownReason> {
    let mut published = 0;
    search.add_equations(store, &mut context.budget)?;
    loop {
        if let Some(port) = context.events.port() {
            search.exchange(store, port, &mut published, &context.budget)?;
        }
        let lemmas = search.summaries.iter().map(|s| s.lemmas.len() as u64).sum();
        context.events.progress(Progress { depth: *level as u64, lemmas });
        search.obligations.add(VertexId::FALSE, Vec::new(), *level, None);
        if let Some(last) = search.block(store, *level, &mut context.budget)? {
            let graph = search.graph.clone();
            let facts: Facts = search.summaries.iter().map(|s| s.facts.clone()).collect();
            let witness = Evidence::Deferred(Box::new(move |store: &mut Store, budget: &mut Budget| {
                derive(store, &graph, &facts, last, budget)
            }));
            return Ok(Outcome::Unsafe(Proven { witness, certificate: None }));
        }
        if let Some(height) = search.push(store, *level, &mut context.budget)? {
            let mut interpretation = Interpretation::new();
            for vertex in search.graph.vertices() {
                let invariant = search.invariant_at(store, vertex, height + 1);
                interpretation.insert(vertex, invariant);
            }
            return Ok(Outcome::safe(interpretation));
        }
        *level += 1;
    }
}
