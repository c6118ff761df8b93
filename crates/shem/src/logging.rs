//! What is written to standard error by `-v`, `-vv` and `-vvv`.
//!
//! Libraries write to the log of the crate `log`; here their messages become lines that begin with `shem:`. One `-v` shows what
//! the run came to, two the phases of a decision and what the passes did, three the progress of engines and the messages
//! between processes.

use std::io::{self, Write};

use log::{LevelFilter, Log, Metadata, Record};

/// Writes to standard error.
struct Lines;

impl Log for Lines {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &Record<'_>) {
        // Libraries of others write to the log, too; -v is about ours.
        if record.target().starts_with("shem") {
            let _ = writeln!(io::stderr(), "shem: {}", record.args());
        }
    }

    fn flush(&self) {}
}

/// Shows what `-v` asks for, given as often as this.
pub(crate) fn start(verbosity: u64) {
    // A program that uses this library may have a logger of its own.
    let _ = log::set_logger(&Lines);
    log::set_max_level(match verbosity {
        0 => LevelFilter::Off,
        1 => LevelFilter::Info,
        2 => LevelFilter::Debug,
        _ => LevelFilter::Trace,
    });
}
