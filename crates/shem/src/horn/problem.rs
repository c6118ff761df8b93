//! Problems for other programs.

use std::sync::Arc;

use shem_base::StopToken;
use shem_chc::{Request, Script, System};
use shem_decide::{Answer, Fault, Purpose, SolveOptions, decide};
use shem_engine::NoEvents;
use shem_term::Store;
use shem_term::smtlib::ReadError;

/// A script as read, with the terms that its systems are made of.
#[derive(Debug)]
pub struct Problem {
    store: Store,
    script: Script,
}

/// Reads a script.
///
/// ```
/// let problem = shem::parse("(declare-fun p (Int) Bool) (assert (forall ((x Int)) (=> (> x 0) (p x))))")?;
/// assert_eq!(problem.system().clauses.len(), 1);
/// let mistake = shem::parse("(assert (forall ((x Int)) (q x)))").unwrap_err();
/// assert!(mistake.message.contains('q'));
/// # Ok::<(), shem_term::smtlib::ReadError>(())
/// ```
pub fn parse(text: &str) -> Result<Problem, ReadError> {
    let mut store = Store::new();
    let script = Script::read(&mut store, text, &StopToken::new())?;
    Ok(Problem { store, script })
}

/// Decides the system of a script's first check, or the one at its end if it has none: by the default strategy, whose
/// engines run in threads of this process, or as the options say.
///
/// ```
/// use shem::{SolveOptions, StopToken, Verdict, Witness};
///
/// let mut problem = shem::parse(
///     "(declare-fun Inv (Int) Bool)
///      (assert (forall ((x Int)) (=> (= x 0) (Inv x))))
///      (assert (forall ((x Int) (y Int)) (=> (and (Inv x) (= y (+ x 1))) (Inv y))))
///      (assert (forall ((x Int)) (=> (and (Inv x) (>= x 2)) false)))
///      (check-sat)",
/// )?;
/// let answer = shem::solve(&mut problem, &SolveOptions::default(), &StopToken::new())?;
/// let Verdict::Unsat(Witness::Found(derivation)) = answer.verdict else { panic!("falsehood follows") };
/// // Inv(0), Inv(1), Inv(2), falsehood.
/// assert_eq!(derivation.len(), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn solve(problem: &mut Problem, options: &SolveOptions, stop: &StopToken) -> Result<Answer, Fault> {
    let system = &problem.shared_system();
    let request = shem_decide::Request { system, options, purpose: Purpose::Answer, launch: None };
    decide(&mut problem.store, &request, stop, &mut NoEvents)
}

impl Problem {
    fn first_system(&self) -> &Arc<System> {
        let first = self.script.requests.iter().find_map(|request| match request {
            Request::Check { system, .. } => Some(system),
            _ => None,
        });
        first.unwrap_or(&self.script.system)
    }

    /// The system that [`solve`] decides.
    pub fn system(&self) -> &System {
        self.first_system()
    }

    /// What the script asks for.
    pub fn script(&self) -> &Script {
        &self.script
    }

    /// The terms of the systems and of their witnesses.
    pub fn store(&self) -> &Store {
        &self.store
    }

    pub(super) fn shared_system(&self) -> Arc<System> {
        Arc::clone(self.first_system())
    }

    pub(super) fn store_mut(&mut self) -> &mut Store {
        &mut self.store
    }
}
