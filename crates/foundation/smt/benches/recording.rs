//! What it costs to record antecedents and certificates: the unrollings among the query traces of a folder
//! (`unroll-*.smt2`), solved with and without the record, alternating, and the ratio of the two. Reading is
//! not counted. Run with `cargo bench -p shem-smt --bench recording -- FOLDER`.
#![allow(clippy::print_stdout, reason = "a program that prints its measurements")]

use std::path::PathBuf;
use std::time::{Duration, Instant};

use shem_base::Budget;
use shem_proof::{NoProof, ProofLog, ProofSink};
use shem_smt::Solver;
use shem_term::smtlib::{Command, Lexer, Reader};
use shem_term::{Store, Term};

const ROUNDS: usize = 5;

enum Step {
    Assert(Term),
    Push(usize),
    Pop(usize),
    Check,
}

/// Reads a script; what is neither an assertion nor a scope nor a check is passed over.
fn read(text: &str) -> (Store, Vec<Step>) {
    let mut store = Store::new();
    let (mut reader, mut lexer) = (Reader::new(), Lexer::new(text).expect("a correct script"));
    let mut steps = Vec::new();
    while let Some((command, _)) = reader.next_command(&mut lexer, &mut store).expect("a correct script") {
        steps.push(match command {
            Command::Assert { formula, .. } => Step::Assert(formula),
            Command::Push(levels) => Step::Push(levels),
            Command::Pop(levels) => Step::Pop(levels),
            Command::CheckSat => Step::Check,
            Command::Exit => break,
            _ => continue,
        });
    }
    (store, steps)
}

fn solve<P: ProofSink>(store: &mut Store, steps: &[Step], proof: P) -> (Duration, usize) {
    let start = Instant::now();
    let mut solver = Solver::with_proof(Default::default(), proof);
    let mut sat = 0;
    for step in steps {
        match *step {
            Step::Assert(formula) => drop(solver.assert(store, formula)),
            Step::Push(levels) => (0..levels).for_each(|_| solver.push()),
            Step::Pop(levels) => (0..levels).for_each(|_| solver.pop()),
            Step::Check => sat += usize::from(solver.check(store, &mut Budget::unlimited()).is_sat()),
        }
    }
    (start.elapsed(), sat)
}

fn main() {
    let Some(folder) = std::env::args().skip(1).find(|arg| !arg.starts_with('-')) else {
        println!("no folder of traces is given: nothing is measured");
        return;
    };
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder can be read")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("unroll-")))
        .collect();
    files.sort();
    let (mut total_off, mut total_on, mut logarithms) = (0.0, 0.0, 0.0);
    for path in &files {
        let text = std::fs::read_to_string(path).expect("the trace can be read");
        let (mut store, steps) = read(&text);
        let (mut off, mut on) = (f64::MAX, f64::MAX);
        for _ in 0..ROUNDS {
            let (time, sat_off) = solve(&mut store, &steps, NoProof);
            off = off.min(time.as_secs_f64());
            let (time, sat_on) = solve(&mut store, &steps, ProofLog::new());
            on = on.min(time.as_secs_f64());
            assert_eq!(sat_off, sat_on, "the answers do not depend on the record");
        }
        let name = path.file_stem().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        println!("{name:50} {off:9.4} s without, {on:9.4} s with: {:.3}", on / off);
        total_off += off;
        total_on += on;
        logarithms += (on / off).ln();
    }
    let mean = (logarithms / files.len().max(1) as f64).exp();
    println!(
        "total {total_off:.3} s without, {total_on:.3} s with: {:.3}; geometric mean {mean:.3}",
        total_on / total_off
    );
}
