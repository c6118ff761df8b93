//! Interpolates every unsatisfiable check of query traces and measures what it costs.
//!
//! ```text
//! cargo run --release --example interpolate_traces -- [--judge] [--path] [--plain] [--prune] [--seconds N] FILE...
//! ```
//!
//! Each check is cut at a quarter, half and three quarters of its assertions, with every combination of
//! algorithms under `--judge`, which also has each interpolant judged by solvers of its own, and as a path of
//! all its assertions under `--path`. A file that is not judged to its end after the seconds, if they are limited,
//! is named with the number of checks that were left. `--plain` leaves interpolants as the proof gives them, `--prune`
//! drops redundant conjuncts.
//!
//! The table gives, for the default algorithms, the time of an interpolant relative to its query (the check, and
//! what was opened and asserted since the one before): the median, the ninth decile and the relation of the sums;
//! and how the time of twenty cuts of the largest check in one pass relates to that of one, which is the mean of
//! each of the twenty alone. The first line of numbers at the end is over all files, the last counts sizes.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints its measurements")]

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use shem_base::{Budget, Statistics, UnknownReason};
use shem_proof::NoProof;
use shem_smt::interpolate::{InterpolationSystem, ItpOptions, Partition, TheoryRule};
use shem_smt::{Answer, Refutation, Solver, SolverOptions};
use shem_term::smtlib::{Command, Lexer, Reader};
use shem_term::{Store, Term};

const SYSTEMS: [InterpolationSystem; 5] = InterpolationSystem::ALL;
const RULES: [TheoryRule; 4] =
    [TheoryRule::Farkas, TheoryRule::DualFarkas, TheoryRule::Decomposed, TheoryRule::DualDecomposed];

#[derive(Default)]
struct Report {
    unsat: usize,
    interpolants: usize,
    judged: usize,
    undecided: usize,
    wrong: usize,
    failed: usize,
    /// The query and the interpolant.
    times: Vec<(Duration, Duration)>,
    /// The size of the largest check, one cut of it on average and twenty.
    largest: (usize, Duration, Duration),
    /// Checks that were not judged for want of time.
    left: usize,
}

fn main() {
    let mut judge = false;
    let mut path = false;
    let mut limit = Duration::MAX;
    let mut options = ItpOptions::default();
    let mut files = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--judge" => judge = true,
            "--path" => path = true,
            "--prune" => options.prune = true,
            "--plain" => options.simplify = false,
            "--seconds" => {
                let seconds = arguments.next().and_then(|text| text.parse().ok());
                limit = Duration::from_secs(seconds.expect("--seconds needs a number"));
            }
            _ => files.push(argument),
        }
    }
    println!(
        "{:>6} {:>8} {:>8} {:>5} {:>5} {:>5} {:>7} {:>7} {:>7} {:>7}  file",
        "unsat", "itps", "judged", "undec", "wrong", "fail", "median", "90%", "sum", "20/1"
    );
    let mut all = Vec::new();
    let mut sizes = Statistics::default();
    for file in &files {
        let text = match std::fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) => {
                eprintln!("{file}: {error}");
                continue;
            }
        };
        let mut replay = Replay::new(judge, path, limit, options.clone());
        let mut solver = Solver::new(SolverOptions::default());
        if let Err(message) = replay.run(&mut solver, &text) {
            eprintln!("{file}: {message}");
        }
        let mut report = std::mem::take(&mut replay.report);
        let [median, decile, sum] = ratios(&mut report.times);
        let (_, one, twenty) = report.largest;
        let growth = if one.is_zero() { 0.0 } else { twenty.as_secs_f64() / one.as_secs_f64() };
        println!(
            "{:>6} {:>8} {:>8} {:>5} {:>5} {:>5} {median:>7.3} {decile:>7.3} {sum:>7.3} {growth:>7.2}  {file}",
            report.unsat, report.interpolants, report.judged, report.undecided, report.wrong, report.failed
        );
        if report.left > 0 {
            println!("not judged for want of time: {} checks of {file}", report.left);
        }
        all.append(&mut report.times);
        sizes.merge_prefixed("", &solver.interpolation_statistics());
    }
    let [median, decile, sum] = ratios(&mut all);
    println!("all: median {median:.3}, 90% {decile:.3}, sum {sum:.3}");
    println!("{sizes}");
}

/// The median and the ninth decile of the ratios, and the ratio of the sums.
fn ratios(times: &mut [(Duration, Duration)]) -> [f64; 3] {
    if times.is_empty() {
        return [0.0; 3];
    }
    let ratio = |(query, itp): &(Duration, Duration)| itp.as_secs_f64() / query.as_secs_f64().max(1e-9);
    let mut sorted: Vec<f64> = times.iter().map(ratio).collect();
    sorted.sort_by(f64::total_cmp);
    let queries: f64 = times.iter().map(|t| t.0.as_secs_f64()).sum();
    let itps: f64 = times.iter().map(|t| t.1.as_secs_f64()).sum();
    [sorted[sorted.len() / 2], sorted[sorted.len() * 9 / 10], itps / queries]
}

/// The variables of the formulas, found in time that does not depend on the store.
fn variables(store: &Store, formulas: &[Term]) -> Vec<Term> {
    let mut stack: Vec<Term> = formulas.iter().map(|formula| formula.positive()).collect();
    let mut seen: HashSet<Term> = HashSet::new();
    let mut found = Vec::new();
    while let Some(term) = stack.pop() {
        if seen.insert(term) {
            if store.as_var(term).is_some() {
                found.push(term);
            }
            store.for_each_child(term, |child| stack.push(child.positive()));
        }
    }
    found
}

struct Replay {
    judge: bool,
    path: bool,
    limit: Duration,
    /// What is measured, and judged with every algorithm.
    options: ItpOptions,
    started: Instant,
    /// Formulas that were found contradictory.
    refuted: HashSet<Vec<Term>>,
    store: Store,
    asserted: Vec<Term>,
    levels: Vec<usize>,
    pending: Duration,
    report: Report,
}

impl Replay {
    fn new(judge: bool, path: bool, limit: Duration, options: ItpOptions) -> Replay {
        Replay {
            judge,
            path,
            limit,
            options,
            started: Instant::now(),
            refuted: HashSet::new(),
            store: Store::new(),
            asserted: Vec::new(),
            levels: Vec::new(),
            pending: Duration::ZERO,
            report: Report::default(),
        }
    }

    fn run(&mut self, solver: &mut Solver, text: &str) -> Result<(), String> {
        let mut lexer = Lexer::new(text).map_err(|e| e.message)?;
        let mut reader = Reader::new();
        while let Some((command, _)) =
            reader.next_command(&mut lexer, &mut self.store).map_err(|e| e.message)?
        {
            match command {
                Command::SetLogic(name) => reader.set_numerals_are_real(name.contains("LRA")),
                Command::Assert { formula, .. } => {
                    let start = Instant::now();
                    solver.assert(&mut self.store, formula);
                    self.pending += start.elapsed();
                    self.asserted.push(formula);
                }
                Command::Push(count) => {
                    let start = Instant::now();
                    for _ in 0..count {
                        solver.push();
                        self.levels.push(self.asserted.len());
                    }
                    self.pending += start.elapsed();
                }
                Command::Pop(count) => {
                    for _ in 0..count {
                        solver.pop();
                        let kept = self.levels.pop().unwrap_or(0);
                        self.asserted.truncate(kept);
                    }
                }
                Command::CheckSat => self.check(solver, &[]),
                Command::CheckSatAssuming(list) => {
                    let assumptions: Vec<Term> = list.iter().map(|a| a.term).collect();
                    self.check(solver, &assumptions);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn check(&mut self, solver: &mut Solver, assumptions: &[Term]) {
        let start = Instant::now();
        let answer = solver.check_assuming(&mut self.store, assumptions, &mut Budget::unlimited());
        let query = std::mem::take(&mut self.pending) + start.elapsed();
        let Answer::Unsat(mut refutation) = answer else { return };
        self.report.unsat += 1;
        let late = self.started.elapsed() > self.limit;
        self.report.left += usize::from(late && self.judge);
        let judge = self.judge && !late;
        let count = self.asserted.len() as u32;
        let mut previous = 0;
        for quarter in 1..=3 {
            let cut = (count * quarter / 4).max(1);
            if cut == previous {
                continue;
            }
            previous = cut;
            self.measure(&mut refutation, query, cut);
            if judge {
                let mut partition = Partition::new(2);
                for number in 0..cut {
                    partition.assign(number, 0);
                }
                self.judge_all(&mut refutation, &partition, assumptions);
            }
        }
        if self.path && !late && (2..=1025).contains(&count) {
            let mut partition = Partition::new(count as usize);
            for number in 0..count {
                partition.assign(number, number as usize);
            }
            self.judge_all(&mut refutation, &partition, assumptions);
        }
    }

    /// Times the default algorithms on a cut, and on twenty if it is the largest check so far.
    fn measure(&mut self, refutation: &mut Refutation<'_>, query: Duration, cut: u32) {
        let numbers: Vec<u32> = (0..cut).collect();
        let start = Instant::now();
        let budget = &mut Budget::unlimited();
        let found = refutation.interpolant(&mut self.store, &numbers, &self.options, budget);
        let one = start.elapsed();
        self.report.interpolants += 1;
        if let Err(error) = found {
            eprintln!("{error}");
            self.report.failed += 1;
            return;
        }
        self.report.times.push((query, one));
        let count = self.asserted.len();
        if count >= 20 && count > self.report.largest.0 {
            let mut partition = Partition::new(21);
            for number in 0..count {
                partition.assign(number as u32, number * 21 / count);
            }
            // The least of fifteen, so that what else runs on the machine does not count.
            let mut time = |partition: &Partition| {
                let mut run = || {
                    let start = Instant::now();
                    let (options, budget) = (&self.options, &mut Budget::unlimited());
                    let found = refutation.path_interpolants(&mut self.store, partition, options, budget);
                    found.is_ok().then(|| start.elapsed())
                };
                (0..15).map(|_| run()).min().flatten()
            };
            let twenty = time(&partition);
            let mut sum = Duration::ZERO;
            for cut in 0..20 {
                let mut alone = Partition::new(2);
                for number in (0..count as u32).filter(|&number| partition.group(number) <= cut) {
                    alone.assign(number, 0);
                }
                sum += time(&alone).unwrap_or_default();
            }
            if let Some(twenty) = twenty {
                self.report.largest = (count, sum / 20, twenty);
            }
        }
    }

    fn judge_all(&mut self, refutation: &mut Refutation<'_>, partition: &Partition, assumptions: &[Term]) {
        let mut groups: Vec<Vec<Term>> = vec![Vec::new(); partition.groups()];
        for (number, &formula) in self.asserted.iter().enumerate() {
            groups[partition.group(number as u32)].push(formula);
        }
        for &assumption in assumptions {
            groups[partition.group_of_assumption(assumption)].push(assumption);
        }
        // The first and the last group that mention a variable.
        let mut ranges: HashMap<Term, (usize, usize)> = HashMap::new();
        for (group, formulas) in groups.iter().enumerate() {
            for variable in variables(&self.store, formulas) {
                ranges.entry(variable).or_insert((group, group)).1 = group;
            }
        }
        for system in SYSTEMS {
            for theory in RULES {
                let options = ItpOptions { system, theory, ..self.options.clone() };
                let budget = &mut Budget::unlimited();
                self.report.interpolants += 1;
                match refutation.path_interpolants(&mut self.store, partition, &options, budget) {
                    Ok(found) => self.judge_path(&groups, &ranges, &found),
                    Err(error) => {
                        eprintln!("{system} {theory}: {error}");
                        self.report.failed += 1;
                    }
                }
            }
        }
    }

    fn judge_path(&mut self, groups: &[Vec<Term>], ranges: &HashMap<Term, (usize, usize)>, found: &[Term]) {
        self.report.judged += found.len();
        let mut before = Term::TRUE;
        for (i, group) in groups.iter().enumerate() {
            let after = found.get(i).copied().unwrap_or(Term::FALSE);
            // Most steps of a path are trivial.
            if before != Term::FALSE && after != Term::TRUE && (before != after || i == found.len()) {
                let mut step = group.clone();
                step.extend([before, !after]);
                self.refute(&step);
            }
            for variable in variables(&self.store, &[after]) {
                let shared = ranges.get(&variable).is_some_and(|&(first, last)| first <= i && last > i);
                if !shared {
                    eprintln!("{} is not shared", self.store.display(variable));
                    self.report.wrong += 1;
                }
            }
            before = after;
        }
    }

    fn refute(&mut self, formulas: &[Term]) {
        // The algorithms often agree.
        let mut key = formulas.to_vec();
        key.sort_unstable();
        key.dedup();
        if !self.refuted.insert(key) {
            return;
        }
        let mut solver = Solver::with_proof(SolverOptions::default(), NoProof);
        for &formula in formulas {
            solver.assert(&mut self.store, formula);
        }
        let mut budget = Budget { conflicts: 20_000, splits: 20_000, ..Budget::unlimited() };
        match solver.check(&mut self.store, &mut budget) {
            Answer::Unsat(_) => {}
            Answer::Unknown(UnknownReason::Conflicts | UnknownReason::Splits) => self.report.undecided += 1,
            answer => {
                for &formula in formulas {
                    eprintln!("(assert {})", self.store.display(formula));
                }
                eprintln!("an implication fails: {answer}");
                self.report.wrong += 1;
            }
        }
    }
}
