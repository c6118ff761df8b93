//! Messages of the solver for Python's `logging`: they are queued by whatever thread writes them, and handed over by the
//! threads of Python that wait for an answer.

use std::sync::{Mutex, MutexGuard, PoisonError};

use log::{Level, LevelFilter, Log, Metadata, Record};
use pyo3::prelude::*;

/// More messages than this are not kept between two looks.
const MOST: usize = 10_000;

/// Those that nobody has taken yet: the level, as Python's `logging` counts it, and the words.
static WAITING: Mutex<Vec<(u8, String)>> = Mutex::new(Vec::new());

struct Queue;

impl Log for Queue {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &Record<'_>) {
        let mut waiting = waiting();
        if record.target().starts_with("shem") && waiting.len() < MOST {
            waiting.push((level_in_python(record.level()), record.args().to_string()));
        }
    }

    fn flush(&self) {}
}

fn waiting() -> MutexGuard<'static, Vec<(u8, String)>> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

const fn level_in_python(level: Level) -> u8 {
    match level {
        Level::Error => 40,
        Level::Warn => 30,
        Level::Info => 20,
        Level::Debug => 10,
        Level::Trace => 5,
    }
}

/// Queues messages from this level of Python's `logging` on.
pub(crate) fn listen(level: u8) {
    // Whoever was first has the log.
    let _ = log::set_logger(&Queue);
    let wanted = [LevelFilter::Trace, LevelFilter::Debug, LevelFilter::Info, LevelFilter::Warn];
    let filter = wanted.into_iter().find(|filter| filter.to_level().map(level_in_python) >= Some(level));
    log::set_max_level(filter.unwrap_or(LevelFilter::Off));
}

/// Calls a function of Python with each message in the queue.
pub(crate) fn hand_over(to: &Bound<'_, PyAny>) -> PyResult<()> {
    let taken = std::mem::take(&mut *waiting());
    taken.into_iter().try_for_each(|message| to.call1(message).map(drop))
}
