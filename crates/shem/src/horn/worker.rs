//! A worker of a portfolio: a graph on standard input, a report on standard output.

use std::io::Write;

use shem_chc::Fingerprint;
use shem_decide::{QueryFolder, SolveOptions, Work, tie_to, work};

use super::options::Options;
use crate::diagnostic::FAILURE;
use crate::memory::AnswerFormat;
use crate::watchdog::Watchdog;
use crate::{input, logging};

/// Runs the engine of the options on the graph that the process with this number sends; gives the exit code.
pub(super) fn run_worker(parent: u32, options: &Options, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    logging::start(options.verbosity);
    if !tie_to(parent) {
        let _ = writeln!(err, "shem: process {parent} is not there");
        return FAILURE;
    }
    let watchdog = Watchdog::start(options.run.time(), options.memory_limit(), AnswerFormat::Report);
    match report(options, &watchdog, out) {
        Ok(()) => 0,
        Err(message) => {
            let _ = writeln!(err, "shem: {message}");
            FAILURE
        }
    }
}

fn report(options: &Options, watchdog: &Watchdog, out: &mut dyn Write) -> Result<(), String> {
    let bytes = options.graph_bytes.unwrap_or(u64::MAX);
    let text = input::read_first(bytes).map_err(|error| format!("the graph cannot be read: {error}"))?;
    let text = String::from_utf8(text).map_err(|error| format!("the graph cannot be read: {error}"))?;
    let folder = options.run.dump_queries.as_ref();
    let queries =
        folder.map(|path| QueryFolder::new(path).map_err(|error| format!("{}: {error}", path.display())));
    let mut queries = queries.transpose()?;
    let about = options.about.as_ref().map(|text| text.parse::<Fingerprint>());
    let about = about.transpose().map_err(|_| "the fingerprint cannot be read".to_owned())?;
    let solve = SolveOptions {
        witness: options.compute_witness.unwrap_or(false),
        checking: options.checking(),
        time_limit: options.time_left,
        ..options.solve.clone()
    };
    let share = solve.share.unwrap_or_default();
    let job = Work {
        text: &text,
        options: &solve,
        exchange: about.map(|about| (share, about)),
        queries: queries.as_mut(),
    };
    let token = watchdog.begin(None);
    work(out, job, &token, &mut || watchdog.end()).map_err(|error| error.to_string())
}
