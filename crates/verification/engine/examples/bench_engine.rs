//! Runs one engine on files, one after the other, and prints for each the verdict, the seconds, the depth,
//! whether the certificate is accepted, and what the judge says of the witness.
//!
//! ```text
//! cargo run --release -p shem-engine --example bench_engine -- bmc 10 FILE...
//! ```
//!
//! The engine is one of the registry, bmc-ts or transition-bmc; the number is the seconds of processor time for each
//! file, as far as the system tells, since a busy machine would make others worth nothing.

#![allow(clippy::print_stdout, reason = "a program")]

use std::process::ExitCode;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use shem_base::{Budget, Statistics, StopToken};
use shem_chc::{Model, Script, Shape, normalise};
use shem_check::{Validity, check_derivation, check_model};
use shem_engine::{
    Adaptor, Bmc, BmcOptions, Context, Engine, NoEvents, Outcome, Proven, Registry, TransitionBmc,
    WitnessError,
};
use shem_term::Store;
use shem_transform::Pipeline;

/// The engine, and whether it wants bit-vectors to stay what they are.
fn engine(name: &str) -> Option<(Box<dyn Engine>, bool)> {
    Some(match name {
        "bmc-ts" => (Box::new(Bmc::new(BmcOptions { force_ts: true, ..BmcOptions::default() })), false),
        "transition-bmc" => (Box::new(Adaptor::new(TransitionBmc::default())), false),
        _ => {
            let choice = Registry::standard().choose(name).ok()?;
            (choice.make(), choice.preparation().with_bits)
        }
    })
}

/// The processor time that this process has used, in seconds.
fn used() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").expect("the process's own figures");
    let after_name = text.rsplit(')').next().expect("a name in parentheses");
    let ticks = after_name.split_whitespace().skip(11).take(2).map(|t| t.parse::<f64>().expect("a number"));
    ticks.sum::<f64>() / 100.0
}

/// A token that is stopped when the time is over, and what keeps the watch alive.
fn alarm(seconds: f64) -> (StopToken, std::sync::mpsc::Sender<()>) {
    let stop = StopToken::new();
    let (guard, watch) = channel();
    let token = stop.clone();
    let end = used() + seconds;
    std::thread::spawn(move || {
        while used() < end {
            if watch.recv_timeout(Duration::from_millis(50)) != Err(RecvTimeoutError::Timeout) {
                return;
            }
        }
        token.stop();
    });
    (stop, guard)
}

fn run(name: &str, seconds: f64, path: &str) -> Result<String, String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let (mut engine, with_bits) = engine(name).ok_or("no such engine")?;
    let start = used();
    let (stop, _guard) = alarm(seconds);
    let mut store = Store::new();
    let script = Script::read(&mut store, &text, &stop).map_err(|error| error.to_string())?;
    let system = script.system;
    let original = normalise(&mut store, &system);
    let mut budget = Budget::until(stop.clone());
    let mut statistics = Statistics::new();
    let pipeline = if with_bits { Pipeline::with_bits() } else { Pipeline::standard() };
    let preprocessed = pipeline.run(&mut store, original.clone(), &mut statistics, &mut budget);
    let shape = Shape::of(&preprocessed.graph);
    let mut events = NoEvents;
    let mut context = Context { budget, seed: 0, witness: true, events: &mut events, statistics };
    let verdict = engine.solve(&mut store, &preprocessed.graph, &mut context);
    let time = used() - start;
    let depth = context.statistics.count("depth");
    if std::env::var_os("SHEM_STATISTICS").is_some() {
        println!("{}", context.statistics);
    }
    let (stop, _guard) = alarm(seconds);
    let mut budget = Budget::until(stop);
    let start = used();
    let certificate = match &verdict {
        Outcome::Safe(Proven { certificate: Some(certificate), .. }) => {
            match certificate.check(&mut store, &preprocessed.graph, &mut budget) {
                Ok(()) => format!("accepted in {:.2}", used() - start),
                Err(error) => format!("{error} after {:.2}", used() - start),
            }
        }
        _ => "none".to_owned(),
    };
    let start = used();
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
        Outcome::Unsafe(witness) => {
            let witness = witness
                .get(&mut store, &mut budget)
                .and_then(|found| Ok(preprocessed.derivation(&mut store, found, &mut budget)?));
            let validity = witness.map(|derivation| {
                let derivation = derivation.map_rules(|edge| edge.clause());
                check_derivation(&mut store, &system, &derivation, &mut budget)
            });
            ("unsat", said(validity))
        }
    };
    let after = used() - start;
    Ok(format!("{answer},{time:.2},{depth},{shape},{certificate},{validity},{after:.2}"))
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
