//! Reads files, prepares each for engines on graphs, and lists the shape before and after, with how long the
//! passes took. With `--stats` as the first argument, also what each pass did and how long it took; with `--ts`, also the passes
//! for transition systems; with `--labels`, the edges that are left are listed; with `--judge`, the witness of what
//! the passes decided is translated back and judged on the system as read.
//!
//!     cargo run --release -p shem-transform --example preprocess -- [--stats] [--ts] [--labels] [--judge] FILE…

#![allow(clippy::print_stdout, reason = "an example shows its results")]

use std::time::Instant;

use shem_base::{Budget, StopToken};
use shem_chc::{EdgeId, Graph, Model, Script, Shape, System, normalise};
use shem_term::{Sort, Store};
use shem_test_support::witness;
use shem_transform::{Decision, PassTimes, Passes, Preparation, Preprocessed};

fn main() {
    let mut paths: Vec<String> = std::env::args().skip(1).collect();
    let mut option = |name: &str| {
        let before = paths.len();
        paths.retain(|path| path != name);
        paths.len() < before
    };
    let (stats, systems, labels) = (option("--stats"), option("--ts"), option("--labels"));
    let judged = option("--judge");
    println!(
        "  vertices      edges   label size  arrays  datatypes   ms  decided  shape before, after, file"
    );
    for path in paths {
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) => {
                println!("{path}: {error}");
                continue;
            }
        };
        let mut store = Store::new();
        let script = match Script::read(&mut store, &text, &StopToken::new()) {
            Ok(script) => script,
            Err(error) => {
                println!("{path}: {error}");
                continue;
            }
        };
        let graph = normalise(&mut store, &script.system);
        let shape = Shape::of(&graph);
        let before = (graph.vertices().count(), graph.edge_count(), size(&store, &graph), sorts(&graph));
        let budget = Budget::unlimited();
        let start = Instant::now();
        let mut times = PassTimes::default();
        let preparation = Preparation { for_transition_systems: systems, ..Preparation::default() };
        let passes = Passes { preparation, ..Passes::default() };
        let done = Preprocessed::new(&store, graph);
        let done = passes.prepare(&mut store, done, &mut times, &budget);
        let time = start.elapsed();
        let decision = done.decision(&mut store, &budget);
        let decided = match &decision {
            None => "-",
            Some(Decision::Safe(_)) => "sat",
            Some(Decision::Unsafe(_)) => "unsat",
            Some(Decision::Unknown(_)) => "unknown",
        };
        let graph = &done.graph;
        println!(
            "{:>4} {:>5} {:>5} {:>5} {:>6} {:>6} {:>3} {:>3} {:>3} {:>3} {:>5} {:>6}  {}, {}, {path}",
            before.0,
            graph.vertices().count(),
            before.1,
            graph.edge_count(),
            before.2,
            size(&store, graph),
            before.3.0,
            sorts(graph).0,
            before.3.1,
            sorts(graph).1,
            time.as_millis(),
            decided,
            shape,
            Shape::of(graph),
        );
        if stats {
            println!("{}", times.into_statistics());
        }
        if judged && let Some(decision) = decision {
            let start = Instant::now();
            let verdict = judge(&mut store, &script.system, &done, decision);
            println!("{} ms: {}", start.elapsed().as_millis(), verdict.err().unwrap_or("confirmed".into()));
        }
        if labels {
            for (id, edge) in graph.edges() {
                let label = store.display(edge.label);
                println!("{id:?}: {:?} -> {:?}: {label}", edge.sources, edge.target);
            }
        }
    }
}

/// Translates the witness back and judges it; the error says what is wrong.
fn judge(store: &mut Store, system: &System, done: &Preprocessed, decision: Decision) -> Result<(), String> {
    let budget = &mut Budget::unlimited();
    match decision {
        Decision::Safe(found) => {
            let back = done.interpretation(store, found, budget).map_err(|error| error.to_string())?;
            let model = Model::of(&done.graph, &back, system.predicates.len());
            witness::model(store, system, &model)
        }
        Decision::Unsafe(found) => {
            let back = done.derivation(store, found, budget).map_err(|error| error.to_string())?;
            witness::refutation(store, system, &back.map_rules(EdgeId::clause))
        }
        Decision::Unknown(reason) => Err(reason.to_string()),
    }
}

/// The numbers of arguments that are arrays and that are datatypes.
fn sorts(graph: &Graph) -> (usize, usize) {
    let sorts: Vec<Sort> = graph.vertices().flat_map(|v| graph.vertex(v).sorts().to_vec()).collect();
    let count = |is: fn(&Sort) -> bool| sorts.iter().filter(|sort| is(sort)).count();
    (count(|sort| sort.is_array()), count(|sort| sort.is_datatype()))
}

/// The number of distinct subterms of all labels.
fn size(store: &Store, graph: &Graph) -> usize {
    let labels: Vec<_> = graph.edges().map(|(_, edge)| edge.label).collect();
    store.subterms(&labels).len()
}
