//! Runs files, one after the other, and tells what came of them.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::Value;
use shem_decide::{Engines, this_program};

use super::options::Options;
use super::plot::cactus;
use super::results::{Results, RunResult, read_expected};
use super::table::{is_consistent, table};
use crate::horn;
use crate::input;

/// The time for each file if there is no other.
const SECONDS: f64 = 10.0;
/// The endings of files that are problems, before that of compression.
const ENDINGS: [&str; 6] = ["smt2", "vmt", "btor", "btor2", "aag", "aig"];
/// The columns of the bar that shows how far the campaign is.
const BAR: usize = 30;

/// Runs all problems in these files and folders; gives whether all answers agree. The error says what cannot be read
/// or written.
pub(crate) fn run(
    places: &[PathBuf],
    options: &Options,
    horn: &horn::Options,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Result<bool, String> {
    let tell = |path: &Path, error: io::Error| format!("{}: {error}", path.display());
    let mut files = Vec::new();
    for place in places {
        collect(place, &mut files).map_err(|error| tell(place, error))?;
    }
    if files.is_empty() {
        return Err("there are no files that end in .smt2, .vmt, .btor, .btor2, .aag or .aig".to_owned());
    }
    let expected = match &options.expected {
        Some(path) => read_expected(path).map_err(|error| tell(path, error))?,
        None => BTreeMap::new(),
    };
    let mut results = Results::open(options.csv.as_deref())
        .map_err(|error| tell(options.csv.as_deref().unwrap_or(Path::new("-")), error))?;
    let engines = engines(horn);
    let total = files.len() * engines.len();
    let mut done = 0;
    for file in &files {
        let name = file.to_string_lossy().into_owned();
        for (engine, words) in &engines {
            done += 1;
            if results.has(&name, engine) {
                continue;
            }
            if horn.run.terminal.error {
                show_progress(done, total, &name, err);
            }
            let right = expected_answer(file, &expected);
            let run = run_one(file, name.clone(), engine, words, horn, right);
            results.add(run).map_err(|error| tell(options.csv.as_deref().unwrap_or(file), error))?;
        }
    }
    if horn.run.terminal.error {
        let _ = write!(err, "\r\x1b[K");
    }
    let names: Vec<String> = engines.into_iter().map(|(name, _)| name).collect();
    // The file of results may have runs of other files and engines, which are not asked for now.
    let asked: Vec<String> = files.iter().map(|file| file.to_string_lossy().into_owned()).collect();
    let is_asked = |run: &&RunResult| asked.contains(&run.file) && names.contains(&run.engine);
    let runs: Vec<RunResult> = results.runs.iter().filter(is_asked).cloned().collect();
    write!(out, "{}", table(&runs, &names)).map_err(|error| error.to_string())?;
    if let Some(path) = &options.plot {
        fs::write(path, cactus(&runs, &names)).map_err(|error| tell(path, error))?;
    }
    Ok(is_consistent(&runs))
}

/// The engines to compare, with their options: those of `-e`, each for itself, or the default strategy.
fn engines(horn: &horn::Options) -> Vec<(String, Vec<String>)> {
    let mut engines: Vec<(String, Vec<String>)> = match &horn.solve.engines {
        Engines::One => {
            let name = horn.solve.engine.name();
            vec![(name.to_owned(), vec!["-e".to_owned(), name.to_owned()])]
        }
        Engines::Mix(entries) => entries
            .iter()
            .map(|entry| (entry.to_string(), entry.words().map(str::to_owned).collect()))
            .collect(),
        _ => vec![("default".to_owned(), Vec::new())],
    };
    engines.iter_mut().for_each(|(_, words)| words.extend(horn.engine_words.iter().cloned()));
    engines
}

/// The problems in a file or folder, sorted.
fn collect(place: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut places = vec![place.to_owned()];
    let mut found = Vec::new();
    while let Some(place) = places.pop() {
        if fs::metadata(&place)?.is_dir() {
            for entry in fs::read_dir(&place)? {
                let path = entry?.path();
                if path.is_dir() || is_problem(&path) {
                    places.push(path);
                }
            }
        } else {
            found.push(place);
        }
    }
    found.sort();
    files.append(&mut found);
    Ok(())
}

fn is_problem(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    name.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending))
}

/// The right answer for a file: from the list, by its path or its name, or from its `:status`.
fn expected_answer(file: &Path, list: &BTreeMap<String, String>) -> Option<String> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    if let Some(answer) = list.get(&*file.to_string_lossy()).or_else(|| list.get(&*name)) {
        return Some(answer.clone());
    }
    let text = input::read(file).ok()?;
    let text = String::from_utf8_lossy(&text);
    let rest = text.split_once(":status")?.1.trim_start();
    ["sat", "unsat"].into_iter().find(|word| rest.starts_with(word)).map(str::to_owned)
}

fn run_one(
    file: &Path,
    name: String,
    engine: &str,
    words: &[String],
    horn: &horn::Options,
    expected: Option<String>,
) -> RunResult {
    let time = horn.run.time().map_or(SECONDS, |time| time.as_secs_f64());
    let program = this_program();
    let mut command = Command::new(&program[0]);
    command.args(&program[1..]).args(words).arg("--json").arg(format!("--timeout={time}"));
    if let Some(jobs) = horn.jobs {
        command.arg(format!("--jobs={jobs}"));
    }
    if let Some(memory) = horn.run.memory {
        command.arg(format!("--memory={}", memory / shem_decide::MEGABYTE));
    }
    let since = Instant::now();
    let output = command.arg("--").arg(file).stdin(Stdio::null()).stderr(Stdio::null()).output();
    let seconds = since.elapsed().as_secs_f64();
    let object: Option<Value> = output.ok().and_then(|output| serde_json::from_slice(&output.stdout).ok());
    let check = object.as_ref().and_then(|object| object["checks"].get(0));
    let word = |name: &str| check.and_then(|check| check[name].as_str()).map(str::to_owned);
    RunResult {
        file: name,
        engine: engine.to_owned(),
        answer: word("answer").unwrap_or_else(|| "error".to_owned()),
        expected,
        seconds,
        checked: word("checked").unwrap_or_default(),
    }
}

fn show_progress(done: usize, total: usize, name: &str, err: &mut dyn Write) {
    let filled = BAR * done / total.max(1);
    let bar = "#".repeat(filled) + &".".repeat(BAR - filled);
    let name: String = name.chars().rev().take(40).collect::<Vec<char>>().into_iter().rev().collect();
    let _ = write!(err, "\r\x1b[K[{bar}] {done}/{total} {name}");
    let _ = err.flush();
}
