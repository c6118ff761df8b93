//! Runs `tpa` or `split-tpa` on files that are transition systems as read, and judges the witnesses.
//!
//!     cargo run --release -p shem-engine --example tpa -- [tpa|split-tpa] [KEY=VALUE…] FILE…
//!
//! Keys: `seconds` (limit for the verdict, in seconds of processor time), `witness` (limit for the witness), `base`,
//! `qe`, `backward`, `equal-first`, `both` (conjoin Farkas interpolants), `stats`.

use std::thread;
use std::time::Duration;

use shem_base::{Budget, Statistics, StopToken};
use shem_chc::{Script, TransitionSystem, normalise};
use shem_engine::tpa::{Direction, StepOrder, Tpa, TpaSettings};
use shem_engine::{Context, NoEvents, Outcome, TransitionEngine};
use shem_term::Store;

/// The processor time that this process has used, where the system tells; the figures of a busy machine are
/// worth nothing otherwise.
fn used() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").expect("the process's own figures");
    let after_name = text.rsplit(')').next().expect("a name in parentheses");
    let ticks: Vec<f64> = after_name.split_whitespace().skip(11).take(2).map(|t| t.parse().unwrap()).collect();
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
    let mut settings = TpaSettings::default();
    let (mut split, mut seconds, mut witness, mut stats) = (true, 10.0, 10.0, false);
    for argument in std::env::args().skip(1) {
        let (key, value) = argument.split_once('=').unwrap_or((&argument, "true"));
        match key {
            "tpa" => split = false,
            "split-tpa" => split = true,
            "seconds" => seconds = value.parse().expect("a number"),
            "witness" => witness = value.parse().expect("a number"),
            "base" => settings.base = value.parse().expect("a number"),
            "qe" => settings.use_qe = value == "true",
            "backward" => settings.direction = Direction::Backward,
            "equal-first" => settings.step_order = StepOrder::EqualFirst,
            "both" => settings.refinement.with_farkas = true,
            "both-less" => settings.less_refinement.with_farkas = true,
            "stats" => stats = true,
            file => run(file, split, &settings, seconds, witness, stats),
        }
    }
}

fn run(file: &str, split: bool, settings: &TpaSettings, seconds: f64, witness: f64, stats: bool) {
    let text = std::fs::read_to_string(file).expect("a file");
    let mut store = Store::new();
    let script = Script::read(&mut store, &text, &StopToken::new()).expect("a Horn script");
    let mut graph = normalise(&mut store, &script.system);
    let Some((_, system)) = TransitionSystem::of(&mut store, &mut graph) else {
        println!("{file} not-a-transition-system");
        return;
    };
    let mut engine = if split { Tpa::split(settings.clone()) } else { Tpa::new(settings.clone()) };
    let mut context = Context {
        budget: limited(seconds),
        seed: 1,
        witness: true,
        events: &mut NoEvents,
        statistics: Statistics::new(),
    };
    let start = used();
    let verdict = engine.solve(&mut store, &system, &mut context);
    let took = used() - start;
    let start = used();
    let budget = &mut limited(witness);
    let (answer, evidence) = match verdict {
        Outcome::Unknown(reason) => ("unknown", reason),
        Outcome::Unsafe(proven) => (
            "unsat",
            match proven.witness.get(&mut store, budget) {
                Ok(path) => format!("path of {} steps", path.len() - 1),
                Err(reason) => format!("NO PATH: {reason}"),
            },
        ),
        Outcome::Safe(proven) => {
            let certificate = proven.certificate.expect("a certificate");
            let checked = match certificate.check(&mut store, budget) {
                Ok(()) => "certificate".to_owned(),
                Err(reason) => format!("NO CERTIFICATE: {reason}"),
            };
            let after = used() - start;
            let invariant = match proven.witness.get(&mut store, budget) {
                Ok(invariant) => format!("invariant of size {}", store.dag_size(invariant)),
                Err(reason) => format!("no invariant: {reason}"),
            };
            ("sat", format!("{checked} {after:.2} s, {invariant}, {certificate:?}"))
        }
    };
    println!("{file} {answer} {took:.2} s; {evidence} ({:.2} s)", used() - start);
    if stats {
        for (name, figure) in context.statistics.iter() {
            println!("    {name} {figure}");
        }
    }
}
