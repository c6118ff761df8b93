//! Waiting for another thread while Python goes on.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::messages::hand_over;

/// Between two looks for signals.
const PERIOD: Duration = Duration::from_millis(20);

/// What the thread sends. Other threads of Python run meanwhile; on a signal that raises an exception, Ctrl-C mostly, the
/// work is stopped and the exception passed on. Messages for Python's log are handed over meanwhile.
pub(crate) fn wait<T: Send>(
    py: Python<'_>,
    results: &Mutex<Receiver<T>>,
    stop: impl Fn(),
    log: Option<&Bound<'_, PyAny>>,
) -> PyResult<T> {
    loop {
        let received =
            py.detach(|| results.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(PERIOD));
        if let Some(Err(raised)) = log.map(hand_over) {
            stop();
            return Err(raised);
        }
        match received {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("the solver's thread has ended without an answer"));
            }
            Err(RecvTimeoutError::Timeout) => {
                if let Err(raised) = py.check_signals() {
                    stop();
                    return Err(raised);
                }
            }
        }
    }
}
