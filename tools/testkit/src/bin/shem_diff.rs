//! `shem-diff`: random scripts through Shem and z3.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program of the command line")]

use clap::Parser;
use shem_testkit::answers::{self, Record};
use shem_testkit::batch::{Oracle, Subject};
use shem_testkit::compare::{self, Failure, Kind, Tally};
use shem_testkit::generate::{
    BIT_PROFILES, PROFILES, Profile, QUANTIFIED_PROFILES, THEORY_PROFILES, generate, numbered_in,
};
use shem_testkit::interpolants;
use shem_testkit::judge::Answer;
use shem_testkit::process::Program;
use shem_testkit::script::print;
use shem_testkit::sexpr::{Sexpr, read_all};
use shem_testkit::shrink::shrink;
use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use std::{fs, slice, thread};

/// Runs random SMT-LIB scripts through Shem and z3 and compares answers, models, cores and interpolants.
#[derive(Debug, Parser)]
#[command(name = "shem-diff", version)]
struct Options {
    /// Shem: a path or name, or a whole command line in one argument.
    #[arg(long, default_value = "shem")]
    shem: String,
    /// z3: a path or name, or a whole command line in one argument.
    #[arg(long, default_value = "z3")]
    z3: String,
    /// A second oracle, such as `scripts/cvc5-oracle`: a path or name, or a whole command line in one argument.
    #[arg(long)]
    second: Option<String>,
    /// Scripts over functions, arrays and datatypes instead of arithmetic alone.
    #[arg(long)]
    theories: bool,
    /// Scripts over bit-vectors instead.
    #[arg(long)]
    bits: bool,
    /// Scripts over bit-vectors with quantifiers instead.
    #[arg(long)]
    quantified: bool,
    /// The number of scripts.
    #[arg(long, default_value_t = 20_000)]
    scripts: u64,
    /// The first seed.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Only this profile (`--list` names them all).
    #[arg(long)]
    profile: Option<String>,
    /// The number of scripts that are run at one time.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// The folder for failing scripts, as generated and shrunk.
    #[arg(long, default_value = "shem-diff-failures")]
    out: PathBuf,
    /// How many failures are shrunk.
    #[arg(long, default_value_t = 10)]
    shrink: usize,
    /// Scripts in one process.
    #[arg(long, default_value_t = 50)]
    batch: u64,
    /// Seconds that Shem may take for a script.
    #[arg(long, default_value_t = 10)]
    limit: u64,
    /// Seconds that z3 may take for a check.
    #[arg(long, default_value_t = 5)]
    patience: u64,
    /// Judge interpolants instead of models and cores.
    #[arg(long)]
    interpolants: bool,
    /// Record z3's answers in this file instead of comparing.
    #[arg(long)]
    record: Option<PathBuf>,
    /// Compare on this script instead of random ones; on failure it is shrunk.
    #[arg(long)]
    file: Option<PathBuf>,
    /// Print the script of `--profile` and `--seed` and end.
    #[arg(long)]
    show: bool,
    /// List the profiles and end.
    #[arg(long)]
    list: bool,
}

fn main() -> ExitCode {
    let options = Options::parse();
    match run(&options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("shem-diff: {error}");
            ExitCode::from(2)
        }
    }
}

/// Who judges.
struct Oracles {
    z3: Oracle,
    second: Option<Oracle>,
}

/// What a run does with one numbered script after another.
struct Campaign<'a> {
    options: &'a Options,
    profile: Option<Profile>,
    shem: Option<Program>,
    z3: Program,
    second: Option<Program>,
    next: AtomicU64,
    findings: Mutex<Findings>,
}

#[derive(Default)]
struct Findings {
    tally: Tally,
    failures: BTreeMap<u64, Failure>,
    /// Scripts with an *unknown* that may be given.
    given_up: u64,
    records: BTreeMap<u64, Record>,
    done: u64,
}

fn run(options: &Options) -> Result<bool, Box<dyn Error>> {
    if options.list {
        for profile in Profile::all() {
            println!("{}", profile.name());
        }
        return Ok(true);
    }
    let profile = match &options.profile {
        None => None,
        Some(name) => Some(Profile::named(name).ok_or_else(|| format!("there is no profile {name}"))?),
    };
    if options.show {
        let profile = profile.ok_or("--show needs --profile")?;
        print!("{}", print(&generate(profile, options.seed)));
        return Ok(true);
    }
    let shem = match options.record {
        None => Some(Program::parse(&options.shem, &["smt"])?),
        Some(_) => None,
    };
    let campaign = Campaign {
        options,
        profile,
        shem,
        z3: Program::parse(&options.z3, &[])?,
        second: options.second.as_deref().map(|text| Program::parse(text, &[])).transpose()?,
        next: AtomicU64::new(0),
        findings: Mutex::default(),
    };
    match &options.file {
        Some(file) => campaign.compare_file(file),
        None => campaign.run(),
    }
}

impl Campaign<'_> {
    fn identity(&self, number: u64) -> (Profile, u64) {
        match self.profile {
            Some(profile) => (profile, self.options.seed + number),
            None => {
                let profiles = match self.options {
                    Options { quantified: true, .. } => QUANTIFIED_PROFILES,
                    Options { bits: true, .. } => BIT_PROFILES,
                    Options { theories: true, .. } => THEORY_PROFILES,
                    _ => PROFILES,
                };
                numbered_in(profiles, number, self.options.seed)
            }
        }
    }

    fn oracles(&self) -> std::io::Result<Oracles> {
        let oracle =
            |program: &Program| Oracle::new(program.clone(), Duration::from_secs(self.options.patience));
        Ok(Oracles { z3: oracle(&self.z3)?, second: self.second.as_ref().map(oracle).transpose()? })
    }

    fn subject(&self, seconds: u64) -> Result<Subject, Box<dyn Error>> {
        let program = self.shem.clone().ok_or("recording needs no Shem")?;
        Ok(Subject::new(program, Duration::from_secs(seconds))?)
    }

    fn compare(
        &self,
        oracles: &Oracles,
        subject: &Subject,
        scripts: &[Vec<Sexpr>],
    ) -> std::io::Result<(Vec<Option<Failure>>, Tally)> {
        if self.options.interpolants {
            interpolants::compare(&oracles.z3, subject, scripts)
        } else {
            compare::compare(&oracles.z3, oracles.second.as_ref(), subject, scripts)
        }
    }

    fn run(&self) -> Result<bool, Box<dyn Error>> {
        let started = Instant::now();
        thread::scope(|scope| -> Result<(), Box<dyn Error>> {
            let workers: Vec<_> = (0..self.options.jobs.max(1))
                .map(|_| scope.spawn(|| self.work(started).map_err(|error| error.to_string())))
                .collect();
            for worker in workers {
                worker.join().map_err(|_| "a worker panicked")??;
            }
            Ok(())
        })?;
        let findings = self.findings.lock().map_err(|_| "a worker panicked")?;
        if let Some(file) = &self.options.record {
            let mut records: Vec<_> = findings.records.values().cloned().collect();
            records.sort_by_key(|record| (record.profile, record.seed));
            fs::write(file, answers::print(&records))?;
        }
        let Tally { sat, unsat, undecided, models, cores, interpolants } = findings.tally;
        let judged = if self.options.interpolants {
            format!("{interpolants} interpolants judged")
        } else {
            format!("{models} models and {cores} cores judged")
        };
        println!(
            "{} checks: {sat} sat, {unsat} unsat, {undecided} not decided by z3; {judged}; {:.0} s",
            sat + unsat + undecided,
            started.elapsed().as_secs_f64()
        );
        for (&number, failure) in findings.failures.iter().take(self.options.shrink) {
            let (profile, seed) = self.identity(number);
            let name = format!("{}-{seed}", profile.name());
            self.shrink(&name, &generate(profile, seed), failure)?;
        }
        if findings.given_up > 0 {
            println!("{} scripts with products have an unknown", findings.given_up);
        }
        let failed = findings.failures.len() as u64;
        println!("{} passed, {failed} failed", self.options.scripts - failed);
        Ok(failed == 0)
    }

    /// Takes batches of scripts until there are none left.
    fn work(&self, started: Instant) -> Result<(), Box<dyn Error>> {
        let oracles = self.oracles()?;
        let subject = self.shem.is_some().then(|| self.subject(self.options.limit)).transpose()?;
        let batch = self.options.batch.max(1);
        loop {
            let first = self.next.fetch_add(batch, Ordering::Relaxed);
            if first >= self.options.scripts {
                return Ok(());
            }
            let numbers: Vec<_> = (first..self.options.scripts.min(first + batch)).collect();
            let scripts: Vec<_> = numbers
                .iter()
                .map(|&number| {
                    let (profile, seed) = self.identity(number);
                    generate(profile, seed)
                })
                .collect();
            let mut batch_findings = Findings::default();
            match &subject {
                Some(subject) => {
                    let (failures, tally) = self.compare(&oracles, subject, &scripts)?;
                    batch_findings.tally = tally;
                    for (&number, failure) in numbers.iter().zip(failures) {
                        let Some(failure) = failure else { continue };
                        if failure.kind == Kind::Unknown && self.identity(number).0.is_incomplete() {
                            batch_findings.given_up += 1;
                        } else {
                            batch_findings.failures.insert(number, failure);
                        }
                    }
                }
                None => {
                    for (&number, answers) in numbers.iter().zip(compare::decide(&oracles.z3, &scripts)?) {
                        let (profile, seed) = self.identity(number);
                        batch_findings.note(number, profile, seed, answers);
                    }
                }
            }
            // Told and kept at once: a long run may be stopped before its end.
            for (&number, failure) in &batch_findings.failures {
                let (profile, seed) = self.identity(number);
                println!("FAILED {} {seed}: {failure}", profile.name());
                self.keep(profile, seed, failure)?;
            }
            let mut findings = self.findings.lock().map_err(|_| "a worker panicked")?;
            findings.merge(batch_findings);
            findings.done += numbers.len() as u64;
            if findings.done % 1_000 < batch {
                let (done, failed) = (findings.done, findings.failures.len());
                eprintln!("{done} scripts, {failed} failed, {:.0} s", started.elapsed().as_secs_f64());
            }
        }
    }

    /// Writes a failing script.
    fn keep(&self, profile: Profile, seed: u64, failure: &Failure) -> Result<(), Box<dyn Error>> {
        let out = &self.options.out;
        fs::create_dir_all(out)?;
        let path = out.join(format!("{}-{seed}.smt2", profile.name()));
        Ok(fs::write(path, format!("; {failure}\n{}", print(&generate(profile, seed))))?)
    }

    /// Writes what is left of a failing script after shrinking.
    fn shrink(&self, name: &str, script: &[Sexpr], failure: &Failure) -> Result<(), Box<dyn Error>> {
        if failure.kind == Kind::Script || self.shem.is_none() {
            return Ok(());
        }
        let oracles = self.oracles()?;
        // A script that takes too long shows it within two seconds as well.
        let subject = self.subject(self.options.limit.min(2))?;
        let deadline = Instant::now() + Duration::from_secs(90);
        let mut last = failure.clone();
        let small = shrink(script, 1_500, |candidate| {
            if Instant::now() >= deadline {
                return false;
            }
            let Ok((mut failures, _)) = self.compare(&oracles, &subject, &[candidate.to_vec()]) else {
                return false;
            };
            match failures.pop().flatten() {
                Some(found) if found.kind == failure.kind => {
                    last = found;
                    true
                }
                _ => false,
            }
        });
        fs::create_dir_all(&self.options.out)?;
        let path = self.options.out.join(format!("{name}.small.smt2"));
        fs::write(&path, format!("; {last}\n{}", print(&small)))?;
        println!("shrunk to {} commands in {}", small.len(), path.display());
        Ok(())
    }

    fn compare_file(&self, file: &Path) -> Result<bool, Box<dyn Error>> {
        let script = read_all(&fs::read_to_string(file)?)?;
        let subject = self.subject(self.options.limit)?;
        let (mut failures, tally) = self.compare(&self.oracles()?, &subject, slice::from_ref(&script))?;
        let Tally { sat, unsat, models, cores, interpolants, .. } = tally;
        println!("{sat} sat, {unsat} unsat, {models} models, {cores} cores, {interpolants} interpolants");
        match failures.pop().flatten() {
            None => {
                println!("1 passed, 0 failed");
                Ok(true)
            }
            Some(failure) => {
                println!("FAILED: {failure}");
                let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                self.shrink(&stem, &script, &failure)?;
                println!("0 passed, 1 failed");
                Ok(false)
            }
        }
    }
}

impl Findings {
    fn merge(&mut self, other: Self) {
        self.tally.add(&other.tally);
        self.failures.extend(other.failures);
        self.given_up += other.given_up;
        self.records.extend(other.records);
    }

    /// Notes the recorded answers of a script; one that z3 rejects is a failure of the generator.
    fn note(&mut self, number: u64, profile: Profile, seed: u64, answers: Result<Vec<Answer>, String>) {
        match answers {
            Err(detail) => {
                self.failures.insert(number, Failure { kind: Kind::Script, check: 0, detail });
            }
            Ok(answers) => {
                for answer in &answers {
                    match answer {
                        Answer::Sat => self.tally.sat += 1,
                        Answer::Unsat => self.tally.unsat += 1,
                        Answer::Unknown => self.tally.undecided += 1,
                    }
                }
                self.records.insert(number, Record { profile, seed, answers });
            }
        }
    }
}
