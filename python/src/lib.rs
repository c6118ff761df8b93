//! The part of the Python package `shem` that is written in Rust: problems and scripts go in as text, answers come out
//! as plain values. The package's Python files make expressions, models and pictures of them.
//!
//! Whatever may take long runs in a thread of its own without Python's lock, while the calling thread looks for signals
//! now and again (`wait`).

mod messages;
mod session;
mod solve;
mod steps;
mod terminates;
mod wait;

use std::ffi::OsString;

use libshem::{CountingAllocator, Problem, Registry, canonical_term, run_worker};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Counts the memory in use, for the limits of workers.
#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

pyo3::create_exception!(
    shem,
    ParseError,
    PyValueError,
    "The text is not a problem; `line` and `column` say where."
);

/// Runs an engine for the process that has started this one with these words; says what is wrong, if something is.
#[pyfunction]
fn worker(py: Python<'_>, words: Vec<OsString>) -> Option<String> {
    py.detach(|| run_worker(&Registry::standard(), words)).err().map(|message| format!("shem: {message}"))
}

/// The names of the engines.
#[pyfunction]
fn engines() -> Vec<String> {
    Registry::standard().names().map(ToString::to_string).collect()
}

/// A system of clauses in any format that is read, in that of CHC-COMP.
#[pyfunction]
fn normal_text(py: Python<'_>, text: &str) -> PyResult<String> {
    let written = py.detach(|| Problem::parse(text).map(|mut problem| problem.text()));
    written.map_err(|error| raised(py, &error))
}

/// A term of SMT-LIB as the solver keeps it; the commands declare its symbols.
#[pyfunction]
fn simplify(py: Python<'_>, commands: &str, term: &str) -> PyResult<String> {
    py.detach(|| canonical_term(commands, term)).map_err(|error| raised(py, &error))
}

/// A mistake in a text as an exception.
fn raised(py: Python<'_>, error: &libshem::ParseError) -> PyErr {
    let raised = ParseError::new_err(error.to_string());
    let value = raised.value(py);
    let set = value.setattr("line", error.line).and_then(|()| value.setattr("column", error.column));
    match set.and_then(|()| value.setattr("message", error.message.as_str())) {
        Ok(()) => raised,
        Err(other) => other,
    }
}

#[pymodule]
fn _shem(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("ParseError", module.py().get_type::<ParseError>())?;
    module.add_class::<solve::Outcome>()?;
    module.add_class::<steps::Steps>()?;
    module.add_class::<session::Session>()?;
    module.add_function(wrap_pyfunction!(solve::solve, module)?)?;
    module.add_function(wrap_pyfunction!(terminates::terminates, module)?)?;
    module.add_function(wrap_pyfunction!(engines, module)?)?;
    module.add_function(wrap_pyfunction!(normal_text, module)?)?;
    module.add_function(wrap_pyfunction!(simplify, module)?)?;
    module.add_function(wrap_pyfunction!(worker, module)?)
}
