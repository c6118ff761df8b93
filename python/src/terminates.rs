//! Whether all runs of a system of clauses end.

use std::sync::Mutex;
use std::sync::mpsc::channel;
use std::thread;

use libshem::{Runs, StopToken, Termination};
use pyo3::prelude::*;

use crate::messages::listen;
use crate::raised;
use crate::solve::{STACK, limits};
use crate::wait::wait;

/// The word for the answer, why it is `MAYBE`, and the argument for it.
type Found = (&'static str, Option<String>, Option<String>);

/// Whether all runs of the clauses or of the transition system in the text end.
#[pyfunction]
#[pyo3(signature = (text, *, timeout=None, memory=None, log=None))]
pub(crate) fn terminates(
    py: Python<'_>,
    text: String,
    timeout: Option<f64>,
    memory: Option<usize>,
    log: Option<(u8, Bound<'_, PyAny>)>,
) -> PyResult<Found> {
    let limits = limits(timeout, memory)?;
    if let Some((level, _)) = &log {
        listen(*level);
    }
    let stop = StopToken::new();
    let (sender, receiver) = channel();
    let token = stop.clone();
    let body = move || {
        let found = Runs::parse(&text).map(|mut runs| {
            let answer = runs.terminates(limits, &token);
            match &answer {
                Termination::Unknown(reason) => ("MAYBE", Some(reason.clone()), None),
                Termination::Terminates(_) => ("YES", None, Some(runs.argument(&answer))),
                Termination::Runs(_) => ("NO", None, Some(runs.argument(&answer))),
            }
        });
        // Nobody may be waiting any more.
        let _ = sender.send(found);
    };
    thread::Builder::new().name("shem".to_owned()).stack_size(STACK).spawn(body)?;
    let found = wait(py, &Mutex::new(receiver), || stop.stop(), log.as_ref().map(|(_, to)| to))?;
    found.map_err(|error| raised(py, &error))
}
