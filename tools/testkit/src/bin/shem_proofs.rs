//! `shem-proofs`: proofs in Alethe of random scripts, judged by Carcara.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program of the command line")]

use clap::Parser;
use shem_testkit::generate::{BIT_PROOF_PROFILES, PROFILES, Profile, THEORY_PROFILES, generate, numbered_in};
use shem_testkit::process::Program;
use shem_testkit::proofs::{CARCARA, Judges, Mutation, Outcome, mutate, standalone};
use shem_testkit::rng::Rng;
use shem_testkit::script::checks;
use shem_testkit::steps::Rightness;
use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Has Shem prove the unsatisfiable checks of random SMT-LIB scripts in Alethe, and Carcara judge the proofs.
#[derive(Debug, Parser)]
#[command(name = "shem-proofs", version)]
struct Options {
    /// Shem: a path or name, or a whole command line in one argument.
    #[arg(long, default_value = "shem")]
    shem: String,
    /// Carcara: a path or name, or a whole command line in one argument.
    #[arg(long, default_value = "carcara")]
    carcara: String,
    /// z3, which judges changed proofs that Carcara accepts: a path or name, or a whole command line in one argument.
    #[arg(long, default_value = "z3")]
    z3: String,
    /// A program that has to accept what Carcara accepts, too: scripts/check-steps.
    #[arg(long)]
    guard: Option<String>,
    /// The number of scripts.
    #[arg(long, default_value_t = 1_000)]
    scripts: u64,
    /// The first seed.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Only this profile.
    #[arg(long)]
    profile: Option<String>,
    /// Scripts over functions, arrays and datatypes instead of arithmetic alone.
    #[arg(long)]
    theories: bool,
    /// Scripts over bit-vectors, with the operations that Alethe has rules for.
    #[arg(long, conflicts_with = "theories")]
    bits: bool,
    /// How many changed proofs of each kind are tried for each proof.
    #[arg(long, default_value_t = 0)]
    mutants: u64,
    /// The folder for scripts whose proofs are refused.
    #[arg(long, default_value = "shem-proofs-failures")]
    out: PathBuf,
    /// Seconds that each program may take.
    #[arg(long, default_value_t = 10)]
    limit: u64,
}

/// What became of mutants of one kind.
#[derive(Debug, Default)]
struct Counts {
    tried: u64,
    refused: u64,
    right: u64,
    wrong: u64,
    open: u64,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("shem-proofs: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(options: &Options) -> Result<bool, Box<dyn Error>> {
    let profile = match &options.profile {
        None => None,
        Some(name) => Some(Profile::named(name).ok_or_else(|| format!("there is no profile {name}"))?),
    };
    let judges = Judges::new(
        Program::parse(&options.shem, &["smt"])?,
        Program::parse(&options.carcara, CARCARA)?,
        Program::parse(&options.z3, &[])?,
        options.guard.as_deref().map(|guard| Program::parse(guard, &[])).transpose()?,
        Duration::from_secs(options.limit),
    )?;
    let (mut accepted, mut open, mut failures) = (0u64, 0u64, 0u64);
    let mut no_rules: BTreeMap<String, u64> = BTreeMap::new();
    let mut mutants: BTreeMap<Mutation, Counts> = BTreeMap::new();
    for number in 0..options.scripts {
        let (profile, seed) = match profile {
            Some(profile) => (profile, options.seed + number),
            None => {
                let profiles = match options {
                    Options { theories: true, .. } => THEORY_PROFILES,
                    Options { bits: true, .. } => BIT_PROOF_PROFILES,
                    _ => PROFILES,
                };
                numbered_in(profiles, number, options.seed)
            }
        };
        let commands = generate(profile, seed);
        for (at, check) in checks(&commands)?.iter().enumerate() {
            let script = standalone(&commands, check);
            match judges.judge(&script)? {
                Outcome::NoProof => open += 1,
                Outcome::NoRules(message) => {
                    let reason = message.split("Alethe has no rules for ").nth(1).unwrap_or("other things");
                    *no_rules.entry(reason.trim_end_matches("\")").to_owned()).or_default() += 1;
                }
                Outcome::Accepted(proof) => {
                    accepted += 1;
                    let mut rng = Rng::new(seed);
                    for (mutation, _) in
                        Mutation::ALL.iter().flat_map(|m| (0..options.mutants).map(move |i| (m, i)))
                    {
                        let Some(mutant) = mutate(&proof, *mutation, &mut rng) else { continue };
                        let counts = mutants.entry(*mutation).or_default();
                        counts.tried += 1;
                        if !judges.accepts_mutant(&mutant)? {
                            counts.refused += 1;
                            continue;
                        }
                        let what = match judges.rightness(&mutant)? {
                            Rightness::Right => {
                                counts.right += 1;
                                continue;
                            }
                            Rightness::Wrong(step) => {
                                counts.wrong += 1;
                                format!("is wrong at {step}")
                            }
                            Rightness::Open(step) => {
                                counts.open += 1;
                                format!("may be wrong at {step}")
                            }
                        };
                        failures += 1;
                        fs::create_dir_all(&options.out)?;
                        let name = format!("{}-{seed}-{at}-{mutation:?}-{}", profile.name(), counts.tried);
                        let path = options.out.join(name);
                        fs::write(path.with_extension("smt2"), &script)?;
                        fs::write(path.with_extension("alethe"), &mutant)?;
                        println!("{}.alethe is accepted and {what}", path.display());
                    }
                }
                Outcome::Failed(message) => {
                    failures += 1;
                    fs::create_dir_all(&options.out)?;
                    let path = options.out.join(format!("{}-{seed}-{at}.smt2", profile.name()));
                    fs::write(&path, &script)?;
                    println!("{}: {message}", path.display());
                }
            }
        }
    }
    println!("{accepted} proofs accepted, {failures} failures, {open} checks without a proof");
    for (reason, count) in no_rules {
        println!("{count} times no rules for {reason}");
    }
    for (mutation, Counts { tried, refused, right, wrong, open }) in mutants {
        println!(
            "{mutation:?}: {tried} mutants, {refused} refused, {right} accepted and right, {wrong} accepted and wrong, \
             {open} accepted and not decided"
        );
    }
    Ok(failures == 0)
}
