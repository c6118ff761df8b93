//! `get-qe` and `get-qe-disjunct`, and assertions with quantifiers.

use shem_base::UnknownReason;
use shem_smt::project::{Projector, assertable, eliminate_quantifiers};
use shem_smt::{Answer, Solver, SolverOptions};
use shem_term::smtlib::{ErrorKind, ReadError, Span};
use shem_term::{BitOp, CommonBits, Role, Store, Term, View};

use super::interpreter::Interpreter;
use super::logic::Logic;
use crate::conversation::Halt;

impl Interpreter<'_> {
    /// A formula without quantifiers that is equivalent to the given one.
    pub(super) fn eliminated(&mut self, formula: Term) -> Result<Term, UnknownReason> {
        let (mut budget, _deadline) = self.budget();
        eliminate_quantifiers(&mut self.store, formula, &mut budget)
    }

    /// For an existential block, a conjunction that implies it and is true in a model of it and of the
    /// assertions, or `false` if there is none; for a universal block the dual.
    pub(super) fn disjunct(
        &mut self,
        formula: Term,
        span: Span,
    ) -> Result<Result<Term, UnknownReason>, Halt> {
        let View::Forall(vars, body) = self.store.view(formula) else {
            let message = "get-qe-disjunct needs a formula that begins with a quantifier";
            return Err(ReadError::new(ErrorKind::Unsupported, span, message).into());
        };
        let (vars, body, universal) = (vars.to_vec(), !body, !formula.is_negated());
        let (mut budget, _deadline) = self.budget();
        let result = eliminate_quantifiers(&mut self.store, body, &mut budget).and_then(|body| {
            // A solver of its own: the query is none of the script's.
            let mut solver = Solver::new(SolverOptions::default());
            for assertion in &self.assertions.list {
                solver.assert(&mut self.store, assertion.formula);
            }
            solver.assert(&mut self.store, body);
            match solver.check(&mut self.store, &mut budget) {
                Answer::Unknown(reason) => Err(reason),
                Answer::Unsat(_) => Ok(Term::FALSE),
                Answer::Sat(mut solution) => {
                    let model = solution.model();
                    let cube = Projector::new().project(&mut self.store, &[body], &model, &vars)?;
                    Ok(self.store.and(&cube))
                }
            }
        });
        Ok(result.map(|cube| cube.xor(universal)))
    }

    /// The formula without bit-vectors, if it has conversions of integers and no others: these are easier for
    /// arithmetic, unless products or quotients of terms come in.
    fn without_bits(&mut self, formula: Term) -> Term {
        let store = &mut self.store;
        let roles = |store: &Store, formula: Term, is_wanted: fn(Role) -> bool| {
            let mut terms = store.subterms(&[formula]).into_iter();
            terms.any(|term| store.as_app(term).is_some_and(|(_, role, _)| is_wanted(role)))
        };
        if !roles(store, formula, |role| role == Role::Bits(BitOp::FromInt)) {
            return formula;
        }
        let is_nonlinear = |role| matches!(role, Role::Product | Role::IntQuotient | Role::Remainder);
        match store.bits_as_integers(formula, &Default::default(), &mut CommonBits::Refused) {
            Ok(image) if !roles(store, image, is_nonlinear) => image,
            _ => formula,
        }
    }

    /// The formula as the solver decides it: without quantifiers, if they can be eliminated within the
    /// budget. An assertion need only have the same models.
    pub(super) fn decidable(&mut self, formula: Term, assertion: bool) -> Term {
        let formula = if self.store.has_bit_vectors() { self.without_bits(formula) } else { formula };
        let eliminates = self.logic.as_ref().is_none_or(Logic::eliminates_quantifiers);
        if !eliminates || !self.store.has_quantifier(formula) {
            return formula;
        }
        let (mut budget, _deadline) = self.budget();
        let eliminate = if assertion { assertable } else { eliminate_quantifiers };
        eliminate(&mut self.store, formula, &mut budget).unwrap_or(formula)
    }
}
