//! A process that is a worker of a portfolio: a graph on standard input, a report on standard output.

use std::ffi::OsString;
use std::io::{self, BufWriter, Read, Write};

use shem_engine::Registry;

use crate::allocator;
use crate::assignment::Assignment;
use crate::lifeline::tie_to;
use crate::queries::QueryFolder;
use crate::report::Line;
use crate::watch::Watch;
use crate::work::{Work, work};

/// The report of a worker that has no memory left, at hand when there is none to write it with: a [`Line::Failure`].
const OUT_OF_MEMORY: &[u8] = b"{\"failure\":\"out of memory\"}\n";

/// Does what the words after the program's name tell a worker to do ([`Assignment::words`]): runs one of these engines on
/// the graph that the process which has started this one sends. The error says why there is no report.
///
/// A program that is started with such words has to leave signals alone: its parent deals with them. Its limit of memory
/// is kept if its allocator is the [`CountingAllocator`](allocator::CountingAllocator).
pub fn run_worker(registry: &Registry, words: impl IntoIterator<Item = OsString>) -> Result<(), String> {
    let assignment = Assignment::parse(words)?;
    if !tie_to(assignment.parent) {
        return Err(format!("process {} is not there", assignment.parent));
    }
    let options = assignment.solve_options(registry)?;
    let limit = assignment.memory_limit();
    allocator::set_limit(limit.map(|(bytes, _)| bytes), OUT_OF_MEMORY);
    // A report always ends with a line that says how.
    allocator::set_answer_owed(true);
    let reached = move || limit.filter(|&(bytes, _)| allocator::used() > bytes).map(|(_, cause)| cause);
    let watch = Watch::start(reached, |stopped| {
        if stopped.is_over(true) {
            let mut out = io::stdout().lock();
            let _ = out.write_all(Line::Failure(stopped.cause.to_string()).text().as_bytes());
            let _ = out.flush();
            std::process::exit(0);
        }
    });
    let text =
        read_graph(assignment.graph_bytes).map_err(|error| format!("the graph cannot be read: {error}"))?;
    let queries = assignment
        .queries
        .as_ref()
        .map(|path| QueryFolder::new(path).map_err(|error| format!("{}: {error}", path.display())));
    let mut queries = queries.transpose()?;
    let job =
        Work { text: &text, options: &options, exchange: assignment.exchange, queries: queries.as_mut() };
    let out = BufWriter::with_capacity(1 << 16, io::stdout());
    let done = work(out, job, watch.token(), &mut || watch.cause());
    allocator::set_answer_owed(false);
    done.map_err(|error| error.to_string())
}

/// The first bytes of standard input, exactly so many; what others learn comes after them.
fn read_graph(bytes: u64) -> io::Result<String> {
    let mut text = String::new();
    io::stdin().lock().take(bytes).read_to_string(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_without_memory_reports_a_failure() {
        let line = Line::Failure("out of memory".to_owned());
        assert_eq!(OUT_OF_MEMORY, line.text().as_bytes());
    }
}
