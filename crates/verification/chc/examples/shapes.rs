//! Reads files and lists the shape of each as read, and how long reading and normalising took.
//!
//!     cargo run --release -p shem-chc --example shapes -- FILE…

use std::time::Instant;

use shem_base::StopToken;
use shem_chc::{Script, Shape, normalise};
use shem_term::Store;
use shem_term::smtlib::Location;

fn main() {
    let mut failed = false;
    println!("predicates clauses  nodes  read ms  normalise ms  shape, file");
    for path in std::env::args().skip(1) {
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) => {
                println!("{path}: {error}");
                failed = true;
                continue;
            }
        };
        let mut store = Store::new();
        let start = Instant::now();
        let script = match Script::read(&mut store, &text, &StopToken::new()) {
            Ok(script) => script,
            Err(error) => {
                let Location { line, column } = Location::of(&text, error.span.start);
                println!("{path}:{line}:{column}: {error}");
                failed = true;
                continue;
            }
        };
        let reading = start.elapsed();
        let start = Instant::now();
        let graph = normalise(&mut store, &script.system);
        let normalising = start.elapsed();
        println!(
            "{:>10} {:>7} {:>6} {:>8} {:>13}  {}, {path}",
            script.system.predicates.len(),
            script.system.clauses.len(),
            store.len(),
            reading.as_millis(),
            normalising.as_millis(),
            Shape::of(&graph),
        );
    }
    if failed {
        std::process::exit(1);
    }
}
