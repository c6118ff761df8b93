//! The last query of a script, with what may be asked about it.

use shem_base::UnknownReason;
use shem_smt::{Model, Refutation, Solution, Solver};
use shem_term::Term;
use shem_term::smtlib::Span;

use super::respond::out_of_place;
use crate::conversation::Halt;

/// A core of a query that several solvers have decided.
pub(super) struct Core {
    /// The numbers of its assertions.
    pub(super) assertions: Vec<u32>,
    /// All assumptions of the query, and those of the core.
    pub(super) assumptions: Vec<Term>,
    pub(super) failed: Vec<Term>,
}

/// The last query, as long as nothing has been asserted, declared, pushed or popped since. It keeps the
/// solver, so it ends with the next command that changes something.
pub(super) enum Last<'s> {
    /// There is none.
    None(&'s mut Solver),
    /// It was satisfiable; the model is made when somebody asks.
    Sat { solution: Solution<'s>, model: Option<Model> },
    /// It was unsatisfiable.
    Unsat {
        refutation: Refutation<'s>,
        /// Its assumptions as they were written, if it could have any.
        assumptions: Option<Vec<Box<str>>>,
        /// Why interpolants that were asked for were not found.
        gave_up: Option<UnknownReason>,
    },
    /// It was satisfiable, as one of several solvers has found.
    SatInParts { model: Model, solver: &'s mut Solver },
    /// It was unsatisfiable, as several solvers have found.
    UnsatInParts { core: Core, texts: Option<Vec<Box<str>>>, solver: &'s mut Solver },
    /// It was given up.
    Unknown(UnknownReason, &'s mut Solver),
}

impl<'s> Last<'s> {
    /// Gives the solver back.
    pub(super) fn into_solver(self) -> &'s mut Solver {
        match self {
            Last::None(solver)
            | Last::Unknown(_, solver)
            | Last::SatInParts { solver, .. }
            | Last::UnsatInParts { solver, .. } => solver,
            Last::Sat { solution, .. } => solution.into_solver(),
            Last::Unsat { refutation, .. } => refutation.into_solver(),
        }
    }

    /// The solver of the script.
    pub(super) fn solver(&self) -> &Solver {
        match self {
            Last::None(solver)
            | Last::Unknown(_, solver)
            | Last::SatInParts { solver, .. }
            | Last::UnsatInParts { solver, .. } => solver,
            Last::Sat { solution, .. } => solution.solver(),
            Last::Unsat { refutation, .. } => refutation.solver(),
        }
    }

    /// The model, made if it is not there yet.
    pub(super) fn model(&mut self, span: Span) -> Result<&Model, Halt> {
        match self {
            Last::Sat { solution, model } => Ok(model.get_or_insert_with(|| solution.model())),
            Last::SatInParts { model, .. } => Ok(model),
            _ => Err(out_of_place(span, "there is no model: the last command was not a satisfiable query")),
        }
    }
}
