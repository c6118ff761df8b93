//! The steps of a derivation, one after another: there may be a billion, so a thread makes them as they are asked for.

use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use libshem::{Sort, Value, quote_symbol};
use pyo3::prelude::*;

use crate::solve::Solved;

/// How many steps are made ahead.
const AHEAD: usize = 1024;

/// A step: predicate, values, numbers of the premises, number of the clause.
type Step = (Option<String>, Vec<String>, Vec<u64>, usize);

/// Gives the steps.
#[pyclass(frozen)]
pub(crate) struct Steps {
    steps: Mutex<Receiver<Step>>,
}

impl Steps {
    pub(crate) fn start(solved: Arc<Solved>) -> PyResult<Steps> {
        let (sender, receiver) = sync_channel(AHEAD);
        let body = move || {
            let Solved { problem, answer, .. } = &*solved;
            let (store, system) = (problem.store(), problem.system());
            let Some(derivation) = answer.derivation() else { return };
            // Sending fails when nobody wants more, which ends the visit.
            let _ = derivation.visit_steps(store, |step| {
                let head = system.clause(step.rule).head.as_ref();
                let predicate = head.map(|head| system.predicate(head.predicate));
                let sorts = predicate.map_or(&[][..], |predicate| &predicate.sorts[..]);
                let value = |(value, &sort): (&Value, &Sort)| store.display_value(value, sort).to_string();
                let values = step.values.iter().zip(sorts).map(value).collect();
                let name = predicate.map(|predicate| quote_symbol(&predicate.name).into_owned());
                sender.send((name, values, step.premises.to_vec(), step.rule.index()))
            });
        };
        thread::Builder::new().name("steps".to_owned()).spawn(body)?;
        Ok(Steps { steps: Mutex::new(receiver) })
    }
}

#[pymethods]
impl Steps {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> Option<Step> {
        py.detach(|| self.steps.lock().unwrap_or_else(PoisonError::into_inner).recv().ok())
    }
}
