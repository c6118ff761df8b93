//! The SAT core alone, on clauses in DIMACS: to be timed beside other SAT solvers.
//!
//! ```text
//! cargo run --release -p shem-smt --example dimacs -- solve [--proof] FILE.cnf
//! cargo run --release -p shem-smt --example dimacs -- write FILE.smt2 > FILE.cnf
//! ```
//!
//! `solve` prints `s SATISFIABLE` or `s UNSATISFIABLE` and the counters of the search as comments; a model is evaluated on
//! the clauses first. With `--proof` derivations are recorded, as `shem smt` does. `write` prints the assertions of a
//! script over bit-vectors as clauses: those of the gates that the assertions depend on.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints its answer")]

use std::fmt::Write as _;

use shem_base::{Budget, Lit, Statistics, Var};
use shem_proof::{NoProof, Origin, ProofLog, ProofSink};
use shem_smt::BitCircuit;
use shem_smt::sat::{Sat, SolveResult};
use shem_smt::theory::NoTheory;
use shem_term::smtlib::{Command, Lexer, Reader};
use shem_term::{Store, Term};

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let read = |file: &str| std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"));
    match words[..] {
        ["solve", file] => solve(NoProof, &read(file)?),
        ["solve", "--proof", file] => solve(ProofLog::default(), &read(file)?),
        ["write", file] => {
            print!("{}", clauses_of_script(&read(file)?)?);
            Ok(())
        }
        _ => Err("usage: dimacs solve [--proof] FILE.cnf | dimacs write FILE.smt2".into()),
    }
}

/// The clauses of a text in DIMACS.
fn parse(text: &str) -> Result<Vec<Vec<Lit>>, String> {
    let mut clauses = vec![Vec::new()];
    for line in text.lines().filter(|line| !line.starts_with(['c', 'p', '%'])) {
        for word in line.split_whitespace() {
            let number: i32 = word.parse().map_err(|_| format!("{word} is no literal"))?;
            match number.unsigned_abs().checked_sub(1) {
                None => clauses.push(Vec::new()),
                Some(var) => clauses.last_mut().expect("one is open").push(Var::new(var).lit(number > 0)),
            }
        }
    }
    match clauses.pop() {
        Some(rest) if !rest.is_empty() => Err("the last clause has no end".into()),
        _ => Ok(clauses),
    }
}

fn solve(proof: impl ProofSink, text: &str) -> Result<(), String> {
    let clauses = parse(text)?;
    let mut sat = Sat::new(NoTheory, proof);
    let most = clauses.iter().flatten().map(|lit| lit.var().index() + 1).max().unwrap_or(0);
    for _ in 0..most {
        sat.new_var();
    }
    for clause in &clauses {
        sat.add_clause(clause, Origin::Definition);
    }
    let result = sat.solve(&[], &mut Budget::unlimited());
    let mut statistics = Statistics::default();
    sat.statistics().report(&mut statistics);
    println!("c {}", statistics.to_string().trim_end().replace('\n', "\nc "));
    match result {
        SolveResult::Sat => {
            if !clauses.iter().all(|clause| clause.iter().any(|&lit| sat.model_value(lit))) {
                return Err("the model is wrong".into());
            }
            println!("s SATISFIABLE");
        }
        SolveResult::Unsat => println!("s UNSATISFIABLE"),
        SolveResult::Unknown(reason) => return Err(format!("{reason:?}")),
    }
    Ok(())
}

/// The assertions of a script as clauses in DIMACS.
fn clauses_of_script(text: &str) -> Result<String, String> {
    let mut store = Store::new();
    let mut lexer = Lexer::new(text).map_err(|error| error.message)?;
    let mut reader = Reader::new();
    reader.set_bit_vectors(true);
    let mut asserted: Vec<Term> = Vec::new();
    while let Some((command, _)) =
        reader.next_command(&mut lexer, &mut store).map_err(|error| error.message)?
    {
        if let Command::Assert { formula, .. } = command {
            asserted.push(formula);
        }
    }
    let mut circuit = BitCircuit::new(usize::MAX >> 1);
    circuit.add(&store, &asserted, &Budget::unlimited()).map_err(|reason| format!("{reason:?}"))?;
    let mut needed = vec![false; circuit.num_vars()];
    let mut facts = vec![circuit.truth()];
    for &formula in &asserted {
        facts.extend(circuit.word(formula).expect("asserted formulas have bits"));
    }
    for fact in &facts {
        needed[fact.var().index()] = true;
    }
    let mut lines: Vec<Vec<Lit>> = facts.iter().map(|&fact| vec![fact]).collect();
    for (gate, output) in circuit.gates().iter().rev() {
        if needed[output.var().index()] {
            for input in gate.inputs() {
                needed[input.var().index()] = true;
            }
            gate.define(*output, |clause| lines.push(clause.to_vec()));
        }
    }
    // Variables that are needed are numbered anew.
    let mut numbers = vec![0; needed.len()];
    let mut count = 0_usize;
    for (var, _) in needed.iter().enumerate().filter(|(_, needed)| **needed) {
        count += 1;
        numbers[var] = count;
    }
    let mut out = format!("p cnf {count} {}\n", lines.len());
    for line in lines.iter().rev() {
        for lit in line {
            let sign = if lit.is_positive() { "" } else { "-" };
            write!(out, "{sign}{} ", numbers[lit.var().index()]).map_err(|error| error.to_string())?;
        }
        out.push_str("0\n");
    }
    Ok(out)
}
