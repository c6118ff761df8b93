//! Runs `tpa` or `split-tpa` on files after the standard passes, and judges the witnesses on what was read.
//!
//!     cargo run --release -p shem-engine --example tpa -- [tpa|split-tpa] [KEY=VALUE…] FILE…
//!
//! Keys: `seconds` (limit for the verdict, in seconds of processor time), `witness` (limit for the witness),
//! `passes=false`, `base`, `qe`, `backward`, `equal-first`, `rule`, `stats`, `show` (the graph after the passes),
//! `direct=false` (no inlining).

#![allow(clippy::print_stdout, reason = "an example shows its results")]

use std::thread;
use std::time::Duration;

use shem_base::{Budget, Effort, Statistics, StopToken};
use shem_chc::{EdgeId, Model, Script, Shape, normalise};
use shem_check::{check_derivation, check_model};
use shem_engine::tpa::{DagTpa, Direction, StepOrder, Tpa, TpaSettings};
use shem_engine::{Context, Engine, NoEvents, Outcome};
use shem_term::Store;
use shem_transform::{
    Contract, Decision, Infeasible, Merge, Pass, Pipeline, Propagate, Reachable, Simplify, Slice, Subsume,
};

/// The processor time that this process has used, where the system tells; the figures of a busy machine are
/// worth nothing otherwise.
fn used() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").expect("the process's own figures");
    let after_name = text.rsplit(')').next().expect("a name in parentheses");
    let ticks: Vec<f64> =
        after_name.split_whitespace().skip(11).take(2).map(|t| t.parse().unwrap()).collect();
    (ticks[0] + ticks[1]) / 100.0
}

fn limited(seconds: f64) -> Budget {
    let stop = StopToken::new();
    let token = stop.clone();
    let end = used() + seconds;
    thread::spawn(move || {
        while used() < end {
            thread::sleep(Duration::from_secs_f64((end - used()).clamp(0.01, 1.0)));
        }
        token.stop();
    });
    Budget::until(stop)
}

fn main() {
    let mut job = Job {
        split: true,
        settings: TpaSettings::default(),
        seconds: 10.0,
        witness: 10.0,
        stats: false,
        passes: true,
        show: false,
        direct: true,
    };
    for argument in std::env::args().skip(1) {
        let (key, value) = argument.split_once('=').unwrap_or((&argument, "true"));
        match key {
            "tpa" => job.split = false,
            "split-tpa" => job.split = true,
            "seconds" => job.seconds = value.parse().expect("a number"),
            "witness" => job.witness = value.parse().expect("a number"),
            "passes" => job.passes = value == "true",
            "base" => job.settings.base = value.parse().expect("a number"),
            "qe" => job.settings.use_qe = value == "true",
            "backward" => job.settings.direction = Direction::Backward,
            "equal-first" => job.settings.step_order = StepOrder::EqualFirst,
            "rule" => job.settings.interpolation.theory = value.parse().expect("a rule"),
            "stats" => job.stats = true,
            "direct" => job.direct = value == "true",
            "show" => job.show = true,
            file => run(file, &job),
        }
    }
}

/// What is done with each file.
struct Job {
    split: bool,
    settings: TpaSettings,
    seconds: f64,
    witness: f64,
    stats: bool,
    passes: bool,
    show: bool,
    direct: bool,
}

/// The standard passes without those that unroll edges.
fn indirect() -> Pipeline {
    let passes: Vec<Box<dyn Pass>> = vec![
        Box::new(Simplify::default()),
        Box::new(Reachable),
        Box::new(Propagate::default()),
        Box::new(Slice),
        Box::new(Contract::chains()),
        Box::new(Infeasible::default()),
        Box::new(Reachable),
        Box::new(Subsume::default()),
        Box::new(Contract::default()),
        Box::new(Reachable),
        Box::new(Merge),
        Box::new(Reachable),
    ];
    Pipeline::repeated(passes, 4)
}

fn run(file: &str, job: &Job) {
    let text = std::fs::read_to_string(file).expect("a file");
    let mut store = Store::new();
    let script = Script::read(&mut store, &text, &StopToken::new()).expect("a Horn script");
    let begin = used();
    let graph = normalise(&mut store, &script.system);
    let mut budget = limited(job.seconds);
    let mut own = Statistics::new();
    let mut pre = Pipeline::new(Vec::new()).run(&mut store, graph.clone(), &mut own, &mut budget);
    if job.passes {
        let mut pass_budget =
            budget.at_most(Effort { conflicts: 100_000, pivots: 1_000_000, splits: 10_000 });
        let pipeline = if job.direct { Pipeline::standard() } else { indirect() };
        pre = pre.then(&pipeline, &mut store, &mut own, &mut pass_budget);
        if Shape::of(&pre.graph) == Shape::Linear {
            pre = pre.then(&Pipeline::for_transition_systems(), &mut store, &mut own, &mut pass_budget);
        }
    }
    let prepared = used() - begin;
    let shape = Shape::of(&pre.graph);
    if job.show {
        for (id, edge) in pre.graph.edges() {
            println!("{id:?}: {:?} -> {:?}: {}", edge.sources, edge.target, store.display(edge.label));
        }
    }
    let engine = if job.split { Tpa::split(job.settings.clone()) } else { Tpa::new(job.settings.clone()) };
    let mut context = Context {
        budget: budget.clone(),
        seed: 1,
        witness: true,
        events: &mut NoEvents,
        statistics: Statistics::new(),
    };
    let verdict = match pre.decision(&mut store, &budget) {
        Some(Decision::Safe(interpretation)) => Outcome::safe(interpretation),
        Some(Decision::Unsafe(derivation)) => Outcome::unsafe_by(derivation),
        Some(Decision::Unknown(reason)) => Outcome::unknown(reason),
        None => DagTpa::new(engine).solve(&mut store, &pre.graph, &mut context),
    };
    let took = used() - begin;
    let start = used();
    let budget = &mut limited(job.witness);
    let (answer, evidence) = match verdict {
        Outcome::Unknown(reason) => ("unknown", reason.to_string()),
        Outcome::Unsafe(witness) => {
            let derivation = witness
                .get(&mut store, budget)
                .and_then(|derivation| Ok(pre.derivation(&mut store, derivation, budget)?));
            let words = match derivation {
                Err(reason) => format!("NO DERIVATION: {reason}"),
                Ok(derivation) => {
                    let steps = derivation.len();
                    let derivation = derivation.map_rules(EdgeId::clause);
                    let validity = check_derivation(&mut store, &script.system, &derivation, budget);
                    format!("derivation of {steps} steps {validity}")
                }
            };
            ("unsat", words)
        }
        Outcome::Safe(proven) => {
            let checked =
                match proven.certificate.map(|c| (c.check(&mut store, &pre.graph, budget), format!("{c:?}")))
                {
                    None => "no certificate".to_owned(),
                    Some((Ok(()), certificate)) => certificate,
                    Some((Err(reason), certificate)) => format!("NO CERTIFICATE: {reason} {certificate}"),
                };
            let after = used() - start;
            let budget = &mut limited(job.witness);
            let interpretation = proven
                .witness
                .get(&mut store, budget)
                .and_then(|interpretation| Ok(pre.interpretation(&mut store, interpretation, budget)?));
            let words = match interpretation {
                Err(reason) => format!("no model: {reason}"),
                Ok(interpretation) => {
                    let model = Model::of(&graph, &interpretation, script.system.predicates.len());
                    let bodies: Vec<_> = model.definitions.iter().map(|d| d.body).collect();
                    let size: usize = bodies.iter().map(|&body| store.dag_size(body)).sum();
                    let validity = check_model(&mut store, &script.system, &model, budget);
                    format!("model of size {size} {validity}")
                }
            };
            ("sat", format!("{words}; {checked} in {after:.2} s"))
        }
    };
    let witness = used() - start;
    println!("{file} {answer} {took:.2} s; {shape} {prepared:.2}; {evidence} ({witness:.2} s)");
    if job.stats {
        for (name, figure) in context.statistics.iter() {
            println!("    {name} {figure}");
        }
    }
}
