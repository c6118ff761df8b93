//! Whether all runs of a problem end.

use std::sync::Arc;

use shem_base::StopToken;
use shem_chc::SystemBuilder;
use shem_decide::terminates;
use shem_term::Store;
use shem_termination::{Answer, argument, is_ari, read_ari};

use crate::error::ParseError;
use crate::limits::Limits;
use crate::problem::Problem;

impl Problem {
    /// Reads a problem that [`Problem::terminates`] is asked about: an integer transition system in ARI, the language of the
    /// termination competition, or what [`Problem::parse`] reads.
    ///
    /// # Errors
    /// A mistake in the text.
    pub fn parse_runs(text: &str) -> Result<Problem, ParseError> {
        if !is_ari(text) {
            return Problem::parse(text);
        }
        let mut store = Store::new();
        let system = read_ari(&mut store, text).map_err(|error| ParseError::new(text, error))?;
        let builder = SystemBuilder::extend(&store, Arc::new(system));
        Ok(Problem::of_parts(store, builder))
    }

    /// Whether all runs end: a run begins with a fact and goes on by clauses with one predicate in the body. Clauses whose head is
    /// falsehood are no steps. The argument of the answer was judged on the clauses of this problem.
    ///
    /// ```
    /// use libshem::{Limits, Problem, StopToken, Termination};
    ///
    /// let mut problem = Problem::parse(
    ///     "(declare-fun p (Int) Bool)
    ///      (assert (forall ((x Int)) (p x)))
    ///      (assert (forall ((x Int)) (=> (and (p x) (> x 0)) (p (- x 1)))))",
    /// )?;
    /// let answer = problem.terminates(Limits::default(), &StopToken::new());
    /// assert!(matches!(answer, Termination::Terminates(_)));
    /// assert!(problem.termination_text(&answer).contains("(define-fun p ((x Int)) Int x)"));
    ///
    /// let text = "(format LCTRS) (theory Ints) (fun f (-> Int Int)) (entrypoint f) (rule (f x) (f x) :guard (> x 0))";
    /// let answer = Problem::parse_runs(text)?.terminates(Limits::default(), &StopToken::new());
    /// assert!(matches!(answer, Termination::Runs(_)));
    /// # Ok::<(), libshem::ParseError>(())
    /// ```
    pub fn terminates(&mut self, limits: Limits, stop: &StopToken) -> Answer {
        let system = Arc::clone(self.system());
        let watch = limits.watch(stop);
        let mut answer = terminates(self.store_mut(), &system, watch.token());
        if let (Answer::Unknown(reason), Some(cause)) = (&mut answer, watch.cause()) {
            *reason = cause.to_string();
        }
        answer
    }

    /// The argument of an answer of [`Problem::terminates`], as the program prints it; nothing if there is none.
    pub fn termination_text(&self, answer: &Answer) -> String {
        argument(self.store(), self.system(), answer)
    }
}
