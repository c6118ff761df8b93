//! Runs one engine on files, one after the other, and prints for each the verdict, the seconds, the depth and
//! what the judge says of the witness.
//!
//! ```text
//! cargo run --release -p shem-engine --example bench_engine -- bmc 10 FILE...
//! ```
//!
//! The engine is one of bmc, bmc-ts, kind, imc, pdkind; the number is the seconds for each file.

#![allow(clippy::print_stdout, reason = "a program")]

use std::process::ExitCode;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use shem_base::{Budget, Statistics, StopToken};
use shem_chc::{Model, Script, Shape, normalise};
use shem_check::{Validity, check_derivation, check_model};
use shem_engine::{Adaptor, Bmc, BmcOptions, Context, Engine, Imc, Kind, NoEvents, Outcome};
use shem_engine::{TransitionBmc, WitnessError, pdkind::PdKind};
use shem_term::Store;
use shem_transform::Pipeline;

fn engine(name: &str) -> Option<Box<dyn Engine>> {
    Some(match name {
        "bmc" => Box::new(Bmc::default()),
        "bmc-ts" => Box::new(Bmc::new(BmcOptions { force_ts: true, ..BmcOptions::default() })),
        "kind" => Box::new(Adaptor::new(Kind::default())),
        "imc" => Box::new(Adaptor::new(Imc::default())),
        "pdkind" => Box::new(Adaptor::new(PdKind::default())),
        "transition-bmc" => Box::new(Adaptor::new(TransitionBmc::default())),
        _ => return None,
    })
}

/// A token that is stopped when the time is over, and what keeps the watch alive.
fn alarm(seconds: f64) -> (StopToken, std::sync::mpsc::Sender<()>) {
    let stop = StopToken::new();
    let (guard, watch) = channel();
    let token = stop.clone();
    std::thread::spawn(move || {
        if watch.recv_timeout(Duration::from_secs_f64(seconds)) == Err(RecvTimeoutError::Timeout) {
            token.stop();
        }
    });
    (stop, guard)
}

fn run(name: &str, seconds: f64, path: &str) -> Result<String, String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let mut engine = engine(name).ok_or("no such engine")?;
    let start = Instant::now();
    let (stop, _guard) = alarm(seconds);
    let mut store = Store::new();
    let script = Script::read(&mut store, &text, &stop).map_err(|error| error.to_string())?;
    let system = script.system;
    let original = normalise(&mut store, &system);
    let mut budget = Budget::until(stop.clone());
    let mut statistics = Statistics::new();
    let preprocessed = Pipeline::standard().run(&mut store, original.clone(), &mut statistics, &mut budget);
    let shape = Shape::of(&preprocessed.graph);
    let mut events = NoEvents;
    let mut context = Context { budget, seed: 0, witness: true, events: &mut events, statistics };
    let verdict = engine.solve(&mut store, &preprocessed.graph, &mut context);
    let time = start.elapsed().as_secs_f64();
    let depth = context.statistics.count("depth");
    if std::env::var_os("SHEM_STATISTICS").is_some() {
        println!("{}", context.statistics);
    }
    let (stop, _guard) = alarm(seconds);
    let mut budget = Budget::until(stop);
    let start = Instant::now();
    let (answer, validity) = match verdict {
        Outcome::Unknown(reason) => ("unknown", reason.to_string()),
        Outcome::Safe(proven) => {
            let witness = proven
                .witness
                .get(&mut store, &mut budget)
                .and_then(|found| Ok(preprocessed.interpretation(&mut store, found, &mut budget)?));
            let validity = witness.map(|interpretation| {
                let model = Model::of(&original, &interpretation, system.predicates.len());
                check_model(&mut store, &system, &model, &mut budget)
            });
            ("sat", said(validity))
        }
        Outcome::Unsafe(proven) => {
            let witness = proven
                .witness
                .get(&mut store, &mut budget)
                .and_then(|found| Ok(preprocessed.derivation(&mut store, found, &mut budget)?));
            let validity = witness.map(|derivation| {
                let derivation = derivation.map_rules(|edge| edge.clause());
                check_derivation(&mut store, &system, &derivation, &mut budget)
            });
            ("unsat", said(validity))
        }
    };
    let after = start.elapsed().as_secs_f64();
    Ok(format!("{answer},{time:.2},{depth},{shape},{validity},{after:.2}"))
}

fn said(validity: Result<Validity, WitnessError>) -> String {
    match validity {
        Ok(validity) => validity.to_string(),
        Err(reason) => format!("no witness: {reason}"),
    }
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().collect();
    let Some((name, seconds)) = args.get(1).zip(args.get(2).and_then(|text| text.parse().ok())) else {
        println!("usage: bench_engine ENGINE SECONDS FILE...");
        return ExitCode::FAILURE;
    };
    for path in &args[3..] {
        let file = path.rsplit('/').next().unwrap_or(path);
        match run(name, seconds, path) {
            Ok(line) => println!("{file},{line}"),
            Err(error) => println!("{file},error,{error}"),
        }
    }
    ExitCode::SUCCESS
}
