//! Deciding a system of clauses.

use std::ffi::OsString;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use libshem::{
    Answer, Limits, Options, Problem, Shortening, Statistic, StopToken, Verdict, Witness, Workers,
};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use shem_report::{Report, Timeline, page};

use crate::messages::listen;
use crate::raised;
use crate::steps::Steps;
use crate::wait::wait;

/// The bytes of a megabyte.
const MEGABYTE: usize = 1_000_000;

/// The stack of the thread that decides, as large as that of the program.
pub(crate) const STACK: usize = 256 * 1_048_576;

/// What came of a system: the verdict with its witness.
#[pyclass(frozen)]
pub(crate) struct Outcome {
    solved: Arc<Solved>,
}

/// An answer with the problem that it belongs to.
pub(crate) struct Solved {
    pub(crate) problem: Problem,
    pub(crate) answer: Answer,
    timeline: Timeline,
    seconds: f64,
}

/// Why there is no answer.
enum Failure {
    Unreadable(libshem::ParseError),
    Fault(String),
}

/// Decides the system in the text. `worker` is the command for a process that runs an engine; without it engines run in
/// threads.
#[pyfunction]
#[pyo3(signature = (
    text, *, engine=None, settings=Vec::new(), timeout=None, memory=None, seed=0, deterministic=false, jobs=None,
    witness=true, worker=Vec::new(), log=None
))]
#[allow(clippy::too_many_arguments, reason = "they have names in Python")]
pub(crate) fn solve(
    py: Python<'_>,
    text: String,
    engine: Option<&str>,
    settings: Vec<(String, String)>,
    timeout: Option<f64>,
    memory: Option<usize>,
    seed: u64,
    deterministic: bool,
    jobs: Option<usize>,
    witness: bool,
    worker: Vec<OsString>,
    log: Option<(u8, Bound<'_, PyAny>)>,
) -> PyResult<Outcome> {
    let mut options = match engine {
        Some(name) => Options::by_engine(name).map_err(|error| PyValueError::new_err(error.to_string()))?,
        None => Options::default(),
    };
    for (name, value) in &settings {
        let Some(engine) = &mut options.engine else {
            return Err(PyValueError::new_err("settings are those of one engine: name it"));
        };
        engine.set(name, value).map_err(|error| PyValueError::new_err(error.to_string()))?;
    }
    options.limits = limits(timeout, memory)?;
    let cores = || thread::available_parallelism().map_or(1, |cores| cores.get());
    let jobs = jobs.unwrap_or_else(cores).max(1);
    options.workers = (!worker.is_empty()).then_some(Workers { program: worker, jobs });
    (options.seed, options.deterministic, options.witness) = (seed, deterministic, witness);
    if let Some((level, _)) = &log {
        listen(*level);
    }
    let stop = StopToken::new();
    options.stop = stop.clone();
    let (sender, receiver) = channel();
    let body = move || {
        // Nobody may be waiting any more.
        let _ = sender.send(decide(&text, &options));
    };
    thread::Builder::new().name("shem".to_owned()).stack_size(STACK).spawn(body)?;
    match wait(py, &Mutex::new(receiver), || stop.stop(), log.as_ref().map(|(_, to)| to))? {
        Ok(solved) => Ok(Outcome { solved: Arc::new(solved) }),
        Err(Failure::Fault(what)) => Err(PyRuntimeError::new_err(what)),
        Err(Failure::Unreadable(error)) => Err(raised(py, &error)),
    }
}

/// Limits from a number of seconds and one of megabytes.
pub(crate) fn limits(timeout: Option<f64>, memory: Option<usize>) -> PyResult<Limits> {
    let time = timeout.map(|seconds| {
        Duration::try_from_secs_f64(seconds)
            .map_err(|_| PyValueError::new_err(format!("{seconds} is not a number of seconds")))
    });
    Ok(Limits { time: time.transpose()?, memory: memory.map(|size| size.saturating_mul(MEGABYTE)) })
}

fn decide(text: &str, options: &Options) -> Result<Solved, Failure> {
    let mut problem = Problem::parse(text).map_err(Failure::Unreadable)?;
    let (since, mut timeline) = (Instant::now(), Timeline::new());
    let answer = problem.solve_observed(options, &mut timeline);
    let mut answer = answer.map_err(|fault| Failure::Fault(fault.to_string()))?;
    timeline.finish();
    if let Verdict::Unsat(Witness::Found(derivation)) = &mut answer.verdict {
        let elapsed = (!options.deterministic).then(|| since.elapsed());
        let shorter = problem.shorter_derivation(derivation, Shortening::Share(elapsed));
        answer.statistics.merge_prefixed("", &shorter.figures());
        if let Some(shorter) = shorter.derivation {
            *derivation = shorter;
        }
    }
    Ok(Solved { problem, answer, timeline, seconds: since.elapsed().as_secs_f64() })
}

/// A definition: name, parameters with their sorts, body.
type Definition = (String, Vec<(String, String)>, String);

#[pymethods]
impl Outcome {
    /// `sat`, `unsat` or `unknown`.
    #[getter]
    fn verdict(&self) -> &'static str {
        self.solved.answer.verdict.word()
    }

    /// Why the verdict is unknown, or why there is no witness.
    #[getter]
    fn reason(&self) -> Option<String> {
        match &self.solved.answer.verdict {
            Verdict::Unknown(reason) => Some(reason.to_string()),
            verdict => verdict.missing().map(ToString::to_string),
        }
    }

    /// What was checked: `witness`, `certificate` or `nothing`.
    #[getter]
    fn checked(&self) -> String {
        self.solved.answer.checked.to_string()
    }

    /// Who decided.
    #[getter]
    fn engine(&self) -> &'static str {
        self.solved.answer.engine
    }

    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.solved.answer.warnings.clone()
    }

    /// Counts and measures by their names.
    #[getter]
    fn statistics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for (name, figure) in self.solved.answer.statistics.iter() {
            match figure {
                Statistic::Count(count) => all.set_item(name, count)?,
                Statistic::Measure(measure) => all.set_item(name, measure)?,
            }
        }
        Ok(all)
    }

    /// The definitions of the model, if there is one.
    #[getter]
    fn definitions(&self) -> Option<Vec<Definition>> {
        let Solved { problem, answer, .. } = &*self.solved;
        let definitions = problem.definitions(answer.model()?);
        Some(definitions.into_iter().map(|found| (found.name, found.parameters, found.body)).collect())
    }

    /// The model in SMT-LIB, with the recursive functions that occur in it.
    #[getter]
    fn model_text(&self) -> Option<String> {
        let Solved { problem, answer, .. } = &*self.solved;
        Some(problem.model_text(answer.model()?))
    }

    /// The commands that define the recursive functions of the model.
    #[getter]
    fn recursive_definitions(&self) -> Vec<String> {
        let Solved { problem, answer, .. } = &*self.solved;
        answer.model().map_or(Vec::new(), |model| problem.recursive_definitions(model))
    }

    /// The system as it was decided, in the format of CHC-COMP.
    #[getter]
    fn system_text(&self) -> String {
        self.solved.problem.clone().text()
    }

    /// A page about the answer.
    fn report(&self, py: Python<'_>, name: &str) -> String {
        let Solved { problem, answer, timeline, seconds } = &*self.solved;
        let preprocessed = timeline.preprocessed.as_deref().map(|after| &after.graph);
        let (system, seconds) = (&**problem.system(), *seconds);
        let report = Report { name, part: None, system, answer, preprocessed, timeline, seconds, lines: &[] };
        py.detach(|| page(problem.store(), &report))
    }

    /// The number of steps of the derivation, if there is one.
    #[getter]
    fn step_count(&self) -> Option<u64> {
        Some(self.solved.answer.derivation()?.step_count())
    }

    /// The steps of the derivation.
    fn steps(&self) -> PyResult<Steps> {
        if self.solved.answer.derivation().is_none() {
            return Err(PyValueError::new_err("there is no derivation"));
        }
        Steps::start(Arc::clone(&self.solved))
    }
}
