//! Observers: what a solver is asked leaves through a trait.
//!
//! A solver tells its observer of every call that changes what it is asked, and of every answer. Nobody
//! observes unless someone asks to; then an event costs one comparison, and its arguments are not made. A
//! [`Recorder`](super::Recorder) is an observer that writes scripts.

use shem_base::Lit;
use shem_term::{Store, Symbol, Term};

use super::answer::Status;
use super::instance::Variable;
use crate::cnf::Template;

/// Is told what a solver is asked. By default each event is ignored.
pub trait QueryObserver: Send {
    /// A scope was opened.
    fn push(&mut self) {}

    /// The innermost scope is closed.
    fn pop(&mut self) {}

    /// A formula is asserted.
    fn assert(&mut self, _store: &mut Store, _formula: Term) {}

    /// A formula is asserted that holds if the guard does.
    fn assert_guarded(&mut self, _store: &mut Store, _guard: Lit, _formula: Term) {}

    /// An instance of a template is asserted, with these variables for its formals.
    fn instantiate(&mut self, _store: &mut Store, _template: &Template, _actuals: &[Variable]) {}

    /// The variable of a symbol was given out.
    fn name_variable(&mut self, _store: &mut Store, _symbol: Symbol, _variable: Variable) {}

    /// A variable without a symbol was made, of the sort that is written so.
    fn declare_fresh(&mut self, _variable: Variable, _sort: &str) {}

    /// A symbol was made for a variable that had none.
    fn adopt(&mut self, _store: &mut Store, _symbol: Symbol, _variable: Variable) {}

    /// The assertions were decided, together with these guards and assumptions.
    fn check(&mut self, _store: &mut Store, _guards: &[Lit], _assumptions: &[Term], _status: Status) {}
}

/// The observer of a solver, if there is one.
#[derive(Default)]
pub(super) struct Observation {
    observer: Option<Box<dyn QueryObserver>>,
}

impl Observation {
    /// Observes from now on; whoever did so before is gone.
    pub(super) fn start(&mut self, observer: Box<dyn QueryObserver>) {
        self.observer = Some(observer);
    }

    /// Tells the observer of an event.
    #[inline]
    pub(super) fn report(&mut self, event: impl FnOnce(&mut dyn QueryObserver)) {
        if let Some(observer) = &mut self.observer {
            event(observer.as_mut());
        }
    }
}
