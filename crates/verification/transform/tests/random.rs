//! Random systems through every pass, through random lists of passes and through the pipelines: the answer
//! stays, and witnesses translated back hold of the graph before and of the system as read.

use shem_base::{Budget, Rng, Statistics, StopToken};
use shem_chc::{EdgeId, Graph, Interpretation, Model, System, normalise};
use shem_term::{Sort, Store, Term};
use shem_test_support::oracle::Facts;
use shem_test_support::{rounds, structured, system, witness};
use shem_transform::{Contract, Locations, Pass, Pipeline, Preprocessed, Simplify, all_passes};

/// All passes of the catalogue, some with settings that make them do more.
fn passes() -> Vec<Box<dyn Pass>> {
    let mut passes = all_passes();
    passes.retain(|pass| pass.name() != "locations");
    passes.push(Box::new(Contract { extra_edges: 8, sources: 4, ..Contract::eager() }));
    passes.push(Box::new(Locations { least: 2, ..Locations::default() }));
    passes
}

/// A random list of passes.
fn random_list(rng: &mut Rng) -> Pipeline {
    let mut list = Vec::new();
    for _ in 0..2 + rng.index(8) {
        let mut all = passes();
        list.push(all.swap_remove(rng.index(all.len())));
    }
    Pipeline::new(list)
}

/// The passes that do nothing, or seldom something, to random systems of arithmetic: they have tests of their own.
const SPECIAL: &[&str] = &[
    "int-blast",
    "word-invariants",
    "propagate-products",
    "eliminate-quantifiers",
    "flatten",
    "definitions",
    "abstract-products",
    "collapse",
    "free",
    "scalars",
    "locations",
    "few-values",
    "nested-loop",
];

/// How often a pass did something that a witness could notice, or changed the graph at all.
#[derive(Default)]
struct Seen {
    safe: u64,
    refuted: u64,
    changed: u64,
    statistics: Statistics,
}

struct Trial {
    store: Store,
    rng: Rng,
    system: System,
    graph: Graph,
    /// What messages say of it.
    name: String,
}

impl Trial {
    fn new(seed: u64) -> Trial {
        Trial::of(seed, system::system)
    }

    /// A trial with records, enumerations, sums and arrays.
    fn structured(seed: u64) -> Trial {
        Trial::of(seed, structured::system)
    }

    /// A trial with program counters.
    fn located(seed: u64) -> Trial {
        Trial::of(seed, located)
    }

    fn of(seed: u64, make: fn(&mut Store, &mut Rng) -> System) -> Trial {
        let mut store = Store::new();
        let mut rng = Rng::new(seed);
        let system = make(&mut store, &mut rng);
        let graph = normalise(&mut store, &system);
        Trial { store, rng, system, graph, name: format!("seed {seed}") }
    }

    fn run(self, pipeline: &Pipeline, seen: &mut Seen) {
        self.run_until(StopToken::new(), pipeline, seen);
    }

    fn run_until(mut self, stop: StopToken, pipeline: &Pipeline, seen: &mut Seen) {
        let Trial { store, rng, system, graph, name } = &mut self;
        let before = Facts::of(store, graph);
        let budget = &mut Budget::unlimited();
        let shape = |graph: &Graph| -> Vec<_> { graph.edges().map(|(id, e)| (id, e.clone())).collect() };
        let done = pipeline.run(store, graph.clone(), &mut seen.statistics, &mut Budget::until(stop));
        seen.changed += u64::from(shape(graph) != shape(&done.graph));
        let after = Facts::of(store, &done.graph);
        assert_eq!(before.is_unsafe(), after.is_unsafe(), "{name}: the answer has changed");
        if after.is_unsafe() {
            seen.refuted += 1;
            witness::derivation(store, &done.graph, &after.derivation).expect("the oracle is right");
            let back = done
                .derivation(store, after.derivation.clone(), budget)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            witness::derivation(store, graph, &back).unwrap_or_else(|error| panic!("{name}: {error}"));
            let back = back.map_rules(EdgeId::clause);
            witness::refutation(store, system, &back).unwrap_or_else(|error| panic!("{name}: {error}"));
        } else {
            seen.safe += 1;
            let least = after.least(store, &done.graph);
            let weaker = witness::weaken(store, &done.graph, rng, &after, &least);
            for found in [least, weaker] {
                witness::interpretation(store, &done.graph, &found).expect("the oracle is right");
                check_model(store, system, graph, &done, found, name);
            }
        }
    }
}

/// A random system whose predicates have one more argument, a program counter: heads give it a constant or that of a
/// premise, and most premises ask for a constant.
fn located(store: &mut Store, rng: &mut Rng) -> System {
    let mut system = system::system(store, rng);
    for predicate in &mut system.predicates {
        let sorts: Vec<Sort> = [&[Sort::Int], &predicate.sorts[..]].concat();
        predicate.symbol = store.declare(&predicate.name, &sorts, Sort::Bool);
        predicate.sorts = sorts.into();
    }
    for clause in &mut system.clauses {
        let mut variables = clause.variables.to_vec();
        let mut known = Vec::new();
        for atom in &mut clause.body {
            let counter = if rng.chance(80) {
                store.int(rng.index(4) as i64)
            } else {
                variables.push(store.variable("pc", Sort::Int));
                variables[variables.len() - 1]
            };
            known.push(counter);
            atom.args = [&[counter], &atom.args[..]].concat().into();
        }
        if let Some(atom) = &mut clause.head {
            let copy = !known.is_empty() && rng.chance(20);
            let counter = if copy { *rng.pick(&known) } else { store.int(rng.index(4) as i64) };
            atom.args = [&[counter], &atom.args[..]].concat().into();
        }
        clause.variables = variables.into();
    }
    system
}

fn check_model(
    store: &mut Store,
    system: &System,
    graph: &Graph,
    done: &Preprocessed,
    found: Interpretation,
    name: &str,
) {
    let back = done
        .interpretation(store, found, &mut Budget::unlimited())
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    for vertex in graph.vertices() {
        assert!(back.get(vertex).is_some(), "{name}: {vertex:?} has no formula");
    }
    witness::interpretation(store, graph, &back).unwrap_or_else(|error| panic!("{name}: {error}"));
    let model = Model::of(graph, &back, system.predicates.len());
    witness::model(store, system, &model).unwrap_or_else(|error| panic!("{name}: {error}"));
}

#[test]
fn program_counters() {
    let mut seen = Seen::default();
    let locations: fn() -> Box<dyn Pass> = || Box::new(Locations { least: 2, ..Locations::default() });
    let all: fn() -> Box<dyn Pass> = || Box::new(Locations { least: 2, most: 12, growth: 100 });
    for seed in 0..rounds(150) {
        for make in [locations, all] {
            let passes: Vec<Box<dyn Pass>> = vec![Box::new(Simplify::default()), make()];
            Trial::located(seed).run(&Pipeline::new(passes), &mut seen);
        }
        Trial::located(seed).run(&Pipeline::standard(), &mut seen);
    }
    assert!(seen.statistics.count("locations.locations") > 200 && seen.safe > 50 && seen.refuted > 50);
}

/// Without queries everything may be true of everything after a pass: what a pass knows of the facts has to be said on
/// the way back.
#[test]
fn the_weakest_model_comes_back() {
    for pass in passes() {
        let pass_name = pass.name();
        let pipeline = Pipeline::new(vec![Box::new(Simplify::default()), pass]);
        for seed in 0..rounds(60) {
            for trial in [Trial::new(seed), Trial::located(seed), Trial::structured(seed)] {
                let Trial { mut store, mut system, .. } = trial;
                system.clauses.retain(|clause| clause.head.is_some());
                let graph = normalise(&mut store, &system);
                let budget = &mut Budget::unlimited();
                let done = pipeline.run(&mut store, graph.clone(), &mut Statistics::new(), budget);
                let mut weakest = Interpretation::new();
                for vertex in done.graph.vertices() {
                    weakest.insert(vertex, Term::TRUE);
                }
                let name = format!("{pass_name}, {}", trial.name);
                check_model(&mut store, &system, &graph, &done, weakest, &name);
            }
        }
    }
}

#[test]
fn every_pass_alone() {
    for pass in passes().into_iter().filter(|pass| !SPECIAL.contains(&pass.name())) {
        let name = pass.name();
        let pipeline = Pipeline::new(vec![pass]);
        let mut seen = Seen::default();
        for seed in 0..rounds(150) {
            Trial::new(seed).run(&pipeline, &mut seen);
        }
        assert!(seen.changed >= 5 && seen.safe > 20 && seen.refuted > 20, "{name} was not tested");
    }
}

#[test]
fn random_lists_of_passes() {
    let mut seen = Seen::default();
    for seed in 0..rounds(1000) {
        let mut trial = Trial::new(1_000_000 + seed);
        let list = random_list(&mut trial.rng);
        trial.run(&list, &mut seen);
    }
    assert!(seen.changed > 500 && seen.safe > 200 && seen.refuted > 200);
}

#[test]
fn the_pipelines() {
    let mut seen = Seen::default();
    let standard = Pipeline::standard();
    for seed in 0..rounds(1000) {
        Trial::new(2_000_000 + seed).run(&standard, &mut seen);
    }
    assert!(seen.safe > 200 && seen.refuted > 200);
    let systems =
        [Pipeline::for_transition_systems(), Pipeline::pure(), Pipeline::pure_for_transition_systems()];
    for (number, systems) in (3..).zip(systems) {
        for seed in 0..rounds(300) {
            Trial::new(1_000_000 * number + seed).run(&systems, &mut seen);
        }
    }
}

#[test]
fn every_pass_alone_on_records_and_arrays() {
    for pass in passes() {
        let name = pass.name();
        let pipeline = Pipeline::new(vec![pass]);
        let mut seen = Seen::default();
        for seed in 0..rounds(240) {
            let mut trial = Trial::structured(seed);
            trial.name = format!("{name}, seed {seed}");
            trial.run(&pipeline, &mut seen);
        }
        // Systems with records and arrays are not looked at by these, and have no counts.
        let others = [
            "eliminate-quantifiers",
            "definitions",
            "abstract-products",
            "equalities",
            "invariants",
            "few-values",
            "nested-loop",
            "int-blast",
            "word-invariants",
            "propagate-products",
        ];
        let enough = others.contains(&name) || seen.changed >= 3;
        assert!(enough && seen.safe > 10 && seen.refuted > 10, "{name} was not tested");
    }
}

#[test]
fn lists_of_passes_on_records_and_arrays() {
    let mut seen = Seen::default();
    for seed in 0..rounds(300) {
        let mut trial = Trial::structured(4_000_000 + seed);
        let list = random_list(&mut trial.rng);
        trial.run(&list, &mut seen);
    }
    let standard = Pipeline::standard();
    for seed in 0..rounds(300) {
        Trial::structured(5_000_000 + seed).run(&standard, &mut seen);
    }
    assert!(seen.changed > 200 && seen.safe > 100 && seen.refuted > 100);
}

/// Where the work that is allowed ends in the middle of a pass, graph and way back are sound.
#[test]
fn passes_that_are_stopped() {
    let mut seen = Seen::default();
    for pass in passes() {
        let name = pass.name();
        let pipeline = Pipeline::new(vec![Box::new(Simplify::default()), pass]);
        for seed in 0..rounds(30) {
            for mut trial in [Trial::new(seed), Trial::located(seed), Trial::structured(seed)] {
                let work = 300 + trial.rng.index(3_000) as u64;
                trial.name = format!("{name}, {}, stopped after {work}", trial.name);
                trial.run_until(StopToken::after_work(&StopToken::new(), work), &pipeline, &mut seen);
            }
        }
    }
    assert!(seen.changed > 200 && seen.safe > 200 && seen.refuted > 200);
}
