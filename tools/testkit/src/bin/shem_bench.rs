//! `shem-bench`: Shem and z3 on the same scripts in one run.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program of the command line")]

use clap::Parser;
use shem_testkit::bench::{self, Class, Comparison, Contest, Course};
use shem_testkit::process::{Program, Scratch};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// Measures Shem against z3: unrollings, tiny queries, engine traces.
#[derive(Debug, Parser)]
#[command(name = "shem-bench", version)]
struct Options {
    /// Shem: a path or name, or a whole command line in one argument.
    #[arg(long, default_value = "shem")]
    shem: String,
    /// z3, or any rival: a path or name, or a whole command line in one argument.
    #[arg(long, default_value = "z3")]
    z3: String,
    /// The folder of query traces.
    #[arg(long)]
    traces: Option<PathBuf>,
    /// Runs of each program on each file; the least time counts.
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// Queries in each script of tiny queries; 0 leaves them out.
    #[arg(long, default_value_t = 100_000)]
    queries: usize,
    /// Only files whose class or name contains this text.
    #[arg(long)]
    only: Option<String>,
    /// Seconds that a run may take.
    #[arg(long, default_value_t = 300)]
    limit: u64,
    /// Also write the numbers to this file as comma-separated values.
    #[arg(long)]
    csv: Option<PathBuf>,
    /// Keep the scripts of tiny queries in this folder.
    #[arg(long)]
    keep: Option<PathBuf>,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("shem-bench: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(options: &Options) -> Result<bool, Box<dyn Error>> {
    let contest = Contest {
        shem: Program::parse(&options.shem, &["smt"])?,
        z3: Program::parse(&options.z3, &[])?,
        runs: options.runs,
        limit: Duration::from_secs(options.limit),
    };
    let scratch = Scratch::new()?;
    let mut courses = Vec::new();
    if let Some(traces) = &options.traces {
        courses.extend(trace_courses(traces)?);
    }
    let (tiny, lemmas) = tiny_courses(options, &scratch)?;
    courses.extend(tiny);
    if let Some(text) = &options.only {
        courses.retain(|course| course.name.contains(text) || course.class.name().contains(text));
    }
    let startup = measure_startup(&contest, &scratch)?;
    let mut comparisons: Vec<Comparison> = Vec::new();
    for course in &courses {
        let comparison = contest.compare(course)?;
        eprintln!("{} {:.3}", comparison.name, comparison.ratio());
        comparisons.push(comparison);
    }
    print!("{}", bench::table(&comparisons, startup));
    // z3 takes minutes for these, and the question is only whether the lemmas cost Shem anything.
    let wanted = options.only.as_ref().is_none_or(|text| "tiny-lemmas".contains(text));
    if let [without, with] = lemmas.as_slice()
        && wanted
    {
        print!("{}", bench::inactive(&contest.measure_pair([without, with])?));
    }
    if let Some(path) = &options.csv {
        fs::write(path, bench::csv(&comparisons))?;
    }
    Ok(comparisons.iter().all(Comparison::is_sound))
}

/// The traces of a folder in the order of their names: unrollings, and engine traces with checks.
fn trace_courses(folder: &Path) -> Result<Vec<Course>, Box<dyn Error>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        paths.push(entry?.path());
    }
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "smt2"));
    paths.sort();
    let mut courses = Vec::new();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let class = if name.starts_with("unroll-") { Class::Unrolling } else { Class::Engine };
        courses.extend(Course::of_file(class, &path)?);
    }
    Ok(courses)
}

/// Writes the scripts of tiny queries: those for both programs, and the pair without and with lemmas.
fn tiny_courses(options: &Options, scratch: &Scratch) -> Result<(Vec<Course>, Vec<Course>), Box<dyn Error>> {
    if options.queries == 0 {
        return Ok((Vec::new(), Vec::new()));
    }
    // Whole windows, so that the last query is followed by a marker.
    let few = options.queries.div_ceil(50).next_multiple_of(bench::WINDOW);
    let scripts = [
        ("tiny-scopes.smt2", bench::with_scopes(options.queries)),
        ("tiny-assumptions.smt2", bench::under_assumptions(options.queries)),
        ("tiny-lemmas-0.smt2", bench::inactive_lemmas(0, few)),
        ("tiny-lemmas-10000.smt2", bench::inactive_lemmas(10_000, few)),
    ];
    let mut courses: Vec<Course> = Vec::new();
    for (name, text) in scripts {
        let path = match &options.keep {
            Some(folder) => {
                fs::create_dir_all(folder)?;
                folder.join(name)
            }
            None => scratch.path(name),
        };
        fs::write(&path, text)?;
        courses.extend(Course::of_file(Class::Tiny, &path)?);
    }
    let lemmas = courses.split_off(2);
    Ok((courses, lemmas))
}

/// The least time that each program needs for a script with one trivial check.
fn measure_startup(contest: &Contest, scratch: &Scratch) -> Result<(f64, f64), Box<dyn Error>> {
    let path = scratch.path("empty.smt2");
    fs::write(&path, "(set-logic QF_LIA)\n(check-sat)\n")?;
    let course = Course::of_file(Class::Tiny, &path)?.ok_or("the empty script checks nothing")?;
    let patient = Contest { runs: contest.runs.max(5), ..contest.clone() };
    let comparison = patient.compare(&course)?;
    Ok((comparison.shem.seconds, comparison.z3.seconds))
}
