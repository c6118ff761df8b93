//! Does what the command line says.

use std::ffi::{OsStr, OsString};
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

use shem_decide::{Assignment, allocator, run_worker};
use shem_engine::Registry;
use shem_script::conversation::Mistake;
use shem_script::diagnostic::{FAILURE, fail, unwritable};
use shem_script::options::Terminal;
use shem_script::smt::{Options, Outcome, run_stream, run_text};
use shem_term::smtlib::escape_string;

use super::arguments::{Arguments, Failure, Job, parse};
use super::compat;
use super::line::{completions, manual};
use crate::bench::run as run_bench;
use crate::dialect::Dialect;
use crate::format::{is_horn_without_logic, split_opening};
use crate::horn::{self, convert, list_shapes, list_strategy, run as decide};
use crate::input::{self, Input};
use crate::watchdog::ignore_signals;

/// Runs the program with these engines and arguments, its own name not among them; gives the exit code.
pub fn run(
    registry: &Registry,
    args: impl Iterator<Item = OsString>,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> u8 {
    run_as(OsStr::new("shem"), registry, args, out, err)
}

/// Runs the program that was called by this name: if it is that of a solver in whose place Shem can stand, with the
/// command line and the answers of that solver.
pub fn run_as(
    program: &OsStr,
    registry: &Registry,
    args: impl Iterator<Item = OsString>,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> u8 {
    run_at(Terminal::default(), program, registry, args, out, err)
}

/// The same where some of input and output are terminals.
pub fn run_at(
    terminal: Terminal,
    program: &OsStr,
    registry: &Registry,
    args: impl Iterator<Item = OsString>,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> u8 {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    let dialect = compat::dialect(program);
    let args: Vec<OsString> = args.collect();
    if Assignment::is_one(&args) {
        // The process that has started this one deals with signals.
        ignore_signals();
        return run_worker(registry, args).map_or_else(|message| complain(&message, err), |()| 0);
    }
    let nothing_typed = args.is_empty();
    let json = args.iter().any(|word| word == "--json");
    let parsed = match dialect {
        Dialect::Shem => parse(registry, args.into_iter()),
        dialect => compat::parse(dialect, args.into_iter()),
    };
    let parsed = match parsed {
        // Somebody who types nothing but the name does not expect the program to wait.
        Ok(_) if nothing_typed && terminal.input => parse(registry, std::iter::once("--help".into())),
        parsed => parsed,
    };
    let Arguments { job, mut smt, mut horn, bench, notes } = match parsed {
        Ok(arguments) => arguments,
        Err(Failure(words)) => {
            let _ = match json {
                true => {
                    let mistake = Mistake { message: words.clone(), place: None };
                    writeln!(out, "{}", horn::json::run(vec![], Some(&mistake), FAILURE))
                }
                false if terminal.shows_all() => Ok(()),
                false => writeln!(out, "(error {})", escape_string(&words)),
            };
            let _ = out.flush();
            let hint = if dialect == Dialect::Shem { "; see shem --help" } else { "" };
            let _ = writeln!(err, "shem: {words}{hint}");
            return FAILURE;
        }
    };
    for note in notes {
        let _ = writeln!(err, "shem: note: {note}");
    }
    let typed =
        matches!(&job, Job::Smt(file) | Job::Horn(file) | Job::Script(file) if file == Path::new("-"));
    smt.run.terminal = Terminal { input: terminal.input && typed, ..terminal };
    horn.run.terminal = smt.run.terminal;
    let written = match job {
        Job::Print(text) => out.write_all(text.as_bytes()),
        Job::Manual => manual(registry).and_then(|page| out.write_all(&page)),
        Job::Completions(shell) => out.write_all(&completions(registry, shell)),
        Job::Smt(file) => return run_script(&file, &smt, &mut out, err),
        Job::Horn(file) => return decide(&file, None, &horn, &mut out, err),
        Job::Script(file) => return run_either(&file, &smt, &horn, &mut out, err),
        Job::Strategy(file) => match list_strategy(&file, &horn) {
            Ok(text) => out.write_all(text.as_bytes()),
            Err(message) => return complain(&message, err),
        },
        Job::Convert(format, file) => match convert(format, &file, &horn) {
            Ok(bytes) => out.write_all(&bytes),
            Err(message) => return complain(&message, err),
        },
        Job::Bench(places) => match run_bench(&places, &bench, &horn, &mut out, err) {
            Ok(true) => Ok(()),
            Ok(false) => {
                let _ = out.flush();
                return FAILURE;
            }
            Err(message) => return complain(&message, err),
        },
        Job::Shapes(files) => match list_shapes(&files, &horn, &mut out) {
            Ok(0) => Ok(()),
            Ok(failures) => {
                let _ = writeln!(err, "shem: {failures} files could not be read");
                return FAILURE;
            }
            Err(error) => Err(error),
        },
    };
    match written.and_then(|()| out.flush()) {
        Ok(()) => 0,
        Err(error) => unwritable(&error, err),
    }
}

/// Tells of a mistake where the output is a text of its own, in which `(error …)` would be lost; gives the exit code.
fn complain(message: &str, err: &mut dyn Write) -> u8 {
    let _ = writeln!(err, "shem: {message}");
    FAILURE
}

/// Runs a script of either kind: its opening tells.
fn run_either(
    file: &Path,
    smt: &Options,
    horn: &horn::Options,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> u8 {
    let name = input::name(file);
    let opened = input::open(file).and_then(|input| {
        let (first, rest): (Vec<u8>, Box<dyn Read>) = match input {
            Input::Whole(text) if is_horn_without_logic(&text) => {
                return Ok((text, Box::new(io::empty()) as Box<dyn Read>, true));
            }
            Input::Whole(text) => (text, Box::new(io::empty())),
            Input::Stream(first, rest) => (first, rest),
        };
        let mut stream: Box<dyn Read> = Box::new(io::Cursor::new(first).chain(rest));
        let (opening, is_horn) = split_opening(&mut *stream)?;
        Ok((opening, stream, is_horn))
    });
    match opened {
        Ok((opening, rest, true)) => decide(file, Some((opening, rest)), horn, out, err),
        Ok((opening, rest, false)) => {
            limit_memory(smt);
            exit_code(run_stream(&name, &mut opening.chain(rest), smt, out, err))
        }
        Err(error) => fail(&format!("{name}: {error}"), smt.run.terminal, out, err),
    }
}

fn run_script(file: &Path, options: &Options, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    let name = input::name(file);
    limit_memory(options);
    exit_code(match input::open(file) {
        Ok(Input::Whole(script)) => run_text(&name, script, options, out, err),
        Ok(Input::Stream(first, rest)) => run_stream(&name, &mut first.chain(rest), options, out, err),
        Err(error) => return fail(&format!("{name}: {error}"), options.run.terminal, out, err),
    })
}

/// A script that goes far beyond its limit of memory ends, with the answer `unknown` if it owes one.
fn limit_memory(options: &Options) {
    allocator::set_limit(options.run.memory, b"unknown\n");
}

fn exit_code(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Completed => 0,
        Outcome::Failed => FAILURE,
    }
}
