//! `shem-qe`: quantifier elimination on random formulas, judged by z3.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program of the command line")]

use clap::Parser;
use shem_testkit::batch::{Oracle, Subject};
use shem_testkit::elimination::{Tally, Verdict, judge};
use shem_testkit::generate::{FAMILIES, Family};
use shem_testkit::process::Program;
use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Lets Shem eliminate the quantifiers of random formulas and z3 judge that the results are equivalent.
#[derive(Debug, Parser)]
#[command(name = "shem-qe", version)]
struct Options {
    /// Shem: a path or name, or a whole command line in one argument.
    #[arg(long, default_value = "shem")]
    shem: String,
    /// z3: a path or name, or a whole command line in one argument.
    #[arg(long, default_value = "z3")]
    z3: String,
    /// The number of formulas.
    #[arg(long, default_value_t = 2_000)]
    formulas: u64,
    /// The first seed.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Only this family (`--list` names them all).
    #[arg(long)]
    family: Option<String>,
    /// The number of batches that are run at one time.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// The folder for failing and undecided scripts.
    #[arg(long, default_value = "shem-qe-failures")]
    out: PathBuf,
    /// Formulas in one process.
    #[arg(long, default_value_t = 50)]
    batch: u64,
    /// Seconds that Shem may take for a formula.
    #[arg(long, default_value_t = 10)]
    limit: u64,
    /// Seconds that z3 may take for a direction.
    #[arg(long, default_value_t = 10)]
    patience: u64,
    /// Eliminations in percent that z3 may leave undecided.
    #[arg(long, default_value_t = 2)]
    undecided: u64,
    /// Do not judge the results, only measure them; needs no z3.
    #[arg(long)]
    unjudged: bool,
    /// Print the script of `--family` and `--seed` and end.
    #[arg(long)]
    show: bool,
    /// List the families and end.
    #[arg(long)]
    list: bool,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("shem-qe: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(options: &Options) -> Result<bool, Box<dyn Error>> {
    if options.list {
        for family in FAMILIES {
            println!("{}", family.name());
        }
        return Ok(true);
    }
    let family = match &options.family {
        None => None,
        Some(name) => Some(Family::named(name).ok_or_else(|| format!("there is no family {name}"))?),
    };
    if options.show {
        let family = family.ok_or("--show needs --family")?;
        print!("{}", family.generate(options.seed).script());
        return Ok(true);
    }
    let campaign = Campaign {
        options,
        family,
        shem: Program::parse(&options.shem, &["smt"])?,
        z3: if options.unjudged { None } else { Some(Program::parse(&options.z3, &[])?) },
        next: AtomicU64::new(0),
        tallies: Mutex::default(),
    };
    campaign.run()
}

/// What a run does with one numbered formula after another.
struct Campaign<'a> {
    options: &'a Options,
    family: Option<Family>,
    shem: Program,
    z3: Option<Program>,
    next: AtomicU64,
    tallies: Mutex<BTreeMap<&'static str, Tally>>,
}

impl Campaign<'_> {
    fn run(&self) -> Result<bool, Box<dyn Error>> {
        let started = Instant::now();
        thread::scope(|scope| -> Result<(), Box<dyn Error>> {
            let workers: Vec<_> = (0..self.options.jobs.max(1))
                .map(|_| scope.spawn(|| self.work().map_err(|error| error.to_string())))
                .collect();
            for worker in workers {
                worker.join().map_err(|_| "a worker panicked")??;
            }
            Ok(())
        })?;
        let tallies = self.tallies.lock().map_err(|_| "a worker panicked")?;
        let mut all = Tally::default();
        for (name, tally) in tallies.iter() {
            println!("{name}: {tally}");
            all.add(tally);
        }
        println!("{all}; {:.0} s", started.elapsed().as_secs_f64());
        let too_many = all.undecided as u64 * 100 > self.options.formulas * self.options.undecided;
        Ok(all.failed == 0 && !too_many)
    }

    fn identity(&self, number: u64) -> (Family, u64) {
        match self.family {
            Some(family) => (family, self.options.seed + number),
            None => Family::numbered(number, self.options.seed),
        }
    }

    /// Takes batches of formulas until there are none left.
    fn work(&self) -> Result<(), Box<dyn Error>> {
        let patience = Duration::from_secs(self.options.patience);
        let oracle = self.z3.clone().map(|z3| Oracle::new(z3, patience)).transpose()?;
        let subject = Subject::new(self.shem.clone(), Duration::from_secs(self.options.limit))?;
        let batch = self.options.batch.max(1);
        loop {
            let first = self.next.fetch_add(batch, Ordering::Relaxed);
            if first >= self.options.formulas {
                return Ok(());
            }
            let names: Vec<_> =
                (first..self.options.formulas.min(first + batch)).map(|n| self.identity(n)).collect();
            // By family, so that each has a tally of its own.
            let mut by_family: BTreeMap<&'static str, Vec<(Family, u64)>> = BTreeMap::new();
            for (family, seed) in names {
                by_family.entry(family.name()).or_default().push((family, seed));
            }
            for (name, members) in by_family {
                let formulas: Vec<_> = members.iter().map(|&(family, seed)| family.generate(seed)).collect();
                let (verdicts, tally) = judge(oracle.as_ref(), &subject, &formulas)?;
                for ((&(_, seed), formula), verdict) in members.iter().zip(&formulas).zip(verdicts) {
                    self.keep(name, seed, &formula.script(), &verdict)?;
                }
                let mut tallies = self.tallies.lock().map_err(|_| "a worker panicked")?;
                tallies.entry(name).or_default().add(&tally);
            }
        }
    }

    /// Writes and tells what is not equivalent.
    fn keep(&self, name: &str, seed: u64, script: &str, verdict: &Verdict) -> Result<(), Box<dyn Error>> {
        let detail = match verdict {
            Verdict::Equivalent | Verdict::Unjudged => return Ok(()),
            Verdict::Undecided(problem) => format!("undecided by z3:\n{problem}"),
            Verdict::Failed(detail) => detail.clone(),
        };
        println!("{name} {seed}: {}", detail.lines().next().unwrap_or(""));
        fs::create_dir_all(&self.options.out)?;
        let comment: String = detail.lines().map(|line| format!("; {line}\n")).collect();
        Ok(fs::write(self.options.out.join(format!("{name}-{seed}.smt2")), format!("{comment}{script}"))?)
    }
}
