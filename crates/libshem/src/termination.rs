//! Whether all runs of clauses end.

use std::sync::Arc;

use shem_base::StopToken;
use shem_chc::System;
use shem_decide::terminates;
use shem_term::Store;
use shem_termination::{Answer, Runs as Clauses, argument};

use crate::error::ParseError;
use crate::limits::Limits;

/// Clauses about whose runs is asked: a run begins with a fact and goes on by clauses with one predicate in the body. Clauses whose head is
/// falsehood are no steps.
///
/// They are read from a text, and are no [`Problem`](crate::Problem): a step that changes nothing says nothing as a formula, and a problem does not keep it.
#[derive(Clone, Debug)]
pub struct Runs {
    store: Store,
    clauses: Clauses,
}

impl Runs {
    /// Reads SMT-LIB text, as [`Problem::parse`](crate::Problem::parse) does, or an integer transition system in ARI, the language of the termination
    /// competition.
    ///
    /// # Errors
    /// A mistake in the text.
    pub fn parse(text: &str) -> Result<Runs, ParseError> {
        let mut store = Store::new();
        let clauses = Clauses::read(&mut store, text).map_err(|error| ParseError::new(text, error))?;
        Ok(Runs { store, clauses })
    }

    /// Whether all of them end. The argument of the answer was judged on the clauses.
    ///
    /// ```
    /// use libshem::{Limits, Runs, StopToken, Termination};
    ///
    /// let mut runs = Runs::parse(
    ///     "(declare-fun p (Int) Bool)
    ///      (assert (forall ((x Int)) (p x)))
    ///      (assert (forall ((x Int)) (=> (and (p x) (> x 0)) (p (- x 1)))))",
    /// )?;
    /// let answer = runs.terminates(Limits::default(), &StopToken::new());
    /// assert!(matches!(answer, Termination::Terminates(_)));
    /// assert!(runs.argument(&answer).contains("(define-fun p ((x Int)) Int x)"));
    ///
    /// let text = "(format LCTRS) (theory Ints) (fun f (-> Int Int)) (entrypoint f) (rule (f x) (f x) :guard (> x 0))";
    /// let answer = Runs::parse(text)?.terminates(Limits::default(), &StopToken::new());
    /// assert!(matches!(answer, Termination::Runs(_)));
    /// # Ok::<(), libshem::ParseError>(())
    /// ```
    pub fn terminates(&mut self, limits: Limits, stop: &StopToken) -> Answer {
        let watch = limits.watch(stop);
        let mut answer = terminates(&mut self.store, &self.clauses, watch.token());
        if let (Answer::Unknown(reason), Some(cause)) = (&mut answer, watch.cause()) {
            *reason = cause.to_string();
        }
        answer
    }

    /// The argument of an answer as the program prints it; nothing if there is none.
    pub fn argument(&self, answer: &Answer) -> String {
        argument(&self.store, &self.clauses.system, answer)
    }

    /// The clauses.
    pub fn system(&self) -> &Arc<System> {
        &self.clauses.system
    }
}
