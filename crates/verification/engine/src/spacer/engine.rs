//! Spacer as an engine.

use hashbrown::HashMap;
use shem_base::{Budget, UnknownReason};
use shem_chc::{EdgeId, Graph, Interpretation, VertexId};
use shem_check::Certificate;
use shem_term::Store;

use super::description::DESCRIPTION;
use super::search::SpacerSearch;
use super::settings::Settings;
use super::witness::{Facts, derive};
use crate::Engine;
use crate::context::{Context, Progress};
use crate::scope::Scope;
use crate::verdict::{Outcome, Proven, Verdict, WitnessSource};

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
    fn scope(&self) -> Scope {
        DESCRIPTION.scope()
    }

    fn search(&mut self, store: &mut Store, graph: &Graph, context: &mut Context<'_>) -> Verdict {
        let mut search = SpacerSearch::new(store, graph, &self.settings, context);
        let mut level = first_level(graph);
        let verdict = run(&mut search, store, context, &mut level);
        let statistics = &mut context.statistics;
        statistics.set("level", level as u64);
        statistics.add("obligations", search.obligations.len() as u64);
        search.counters.report(statistics);
        statistics.add("queries", search.summaries.iter().map(|s| s.queries).sum());
        verdict.unwrap_or_else(Outcome::unknown)
    }
}

/// The least height of a derivation of falsehood, whatever the labels say: below it there is nothing to look for. In a
/// program of a thousand statements that saves a thousand levels, at each of which all lemmas would be pushed.
fn first_level(graph: &Graph) -> usize {
    let mut known = vec![false; graph.vertex_bound()];
    // How many sources of an edge are to come; a vertex that stands there several times counts once.
    let mut missing: HashMap<EdgeId, usize> = HashMap::new();
    for vertex in graph.vertices() {
        for edge in graph.outgoing(vertex) {
            *missing.entry(edge).or_default() += 1;
        }
    }
    let facts = graph.edges().filter(|(_, edge)| edge.sources.is_empty());
    let mut reached: Vec<VertexId> = facts.map(|(_, edge)| edge.target).collect();
    let mut height = 0;
    while !reached.is_empty() {
        if reached.contains(&VertexId::FALSE) {
            return height;
        }
        let mut next = Vec::new();
        for vertex in reached {
            if std::mem::replace(&mut known[vertex.index()], true) {
                continue;
            }
            for edge in graph.outgoing(vertex) {
                let left = missing.get_mut(&edge).expect("an edge with a source");
                *left -= 1;
                if *left == 0 {
                    next.push(graph.edge(edge).target);
                }
            }
        }
        reached = next;
        height += 1;
    }
    0
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
            search.exchange_heights(store, port, &context.budget)?;
        }
        let lemmas = search.summaries.iter().map(|s| s.lemmas.len() as u64).sum();
        context.events.progress(Progress { depth: *level as u64, lemmas });
        search.obligations.add(VertexId::FALSE, Vec::new(), *level, None);
        if let Some(last) = search.block(store, *level, context)? {
            let graph = search.graph.clone();
            let facts: Facts = search.summaries.iter().map(|s| s.facts.clone()).collect();
            let witness = WitnessSource::Deferred(Box::new(move |store: &mut Store, budget: &mut Budget| {
                derive(store, &graph, &facts, last, budget)
            }));
            return Ok(Outcome::Unsafe(witness));
        }
        if let Some(height) = search.push(store, *level, &mut context.budget)? {
            let mut interpretation = Interpretation::new();
            for vertex in search.graph.vertices() {
                let invariant = search.invariant_at(store, vertex, height + 1);
                interpretation.insert(vertex, invariant);
            }
            let certificate = Some(Certificate::Model(interpretation.clone()));
            return Ok(Outcome::Safe(Proven { witness: WitnessSource::Ready(interpretation), certificate }));
        }
        *level += 1;
    }
}

#[cfg(test)]
mod tests {
    use shem_base::StopToken;
    use shem_chc::{Script, normalise};

    use super::*;

    #[track_caller]
    fn check(clauses: &str, expected: usize) {
        let declarations = "(declare-fun p () Bool) (declare-fun q () Bool) (declare-fun r () Bool)";
        let mut store = Store::new();
        let script = Script::read(&mut store, &format!("{declarations} {clauses}"), &StopToken::new());
        let system = script.expect("a script").system;
        assert_eq!(first_level(&normalise(&mut store, &system)), expected, "{clauses}");
    }

    #[test]
    fn the_first_level_is_the_least_height_of_a_derivation() {
        check("(assert (=> true p)) (assert (=> p q)) (assert (=> q r)) (assert (=> r false))", 3);
        // Through both sources, the later of which counts; and not around the loop.
        check(
            "(assert p) (assert (=> p q)) (assert (=> (and p q q) r)) (assert (=> r p)) (assert (=> r false))",
            3,
        );
        // The shorter of two ways.
        check("(assert p) (assert (=> p q)) (assert (=> q false)) (assert (=> p false))", 1);
        // None, and none that begins.
        check("(assert p)", 0);
        check("(assert (=> p q)) (assert (=> q p)) (assert (=> (and p q) false))", 0);
    }
}
