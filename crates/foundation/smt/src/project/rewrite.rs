//! Projection beyond arithmetic: rewriting of literals under the model.
//!
//! Before literals become rows, those that mention a variable to eliminate are rewritten until these variables are
//! left in linear arithmetic only. Each rule replaces literals by formulas that are true in the model and imply the
//! old ones for some values of the variables to eliminate; it may introduce further such variables, with values.
//! The rules are one file a theory: `branches` for conditionals and Boolean arguments, `definitions` for equalities
//! that define a variable, `bits` for bit-vectors, `datatypes` (Bjørner and Janota 2015), `arrays` (Komuravelli, Bjørner, Gurfinkel and
//! McMillan 2015), and `functions`, which always succeeds in removing an argument and comes last.
//!
//! Unlike z3, no rule relies on what an earlier one left behind: all that is new goes through the implicant builder
//! again, which refuses what is false in the model. A formula of pure arithmetic never comes here.

use shem_term::{Store, Term, Value, View};

use super::fresh::FreshVariables;
use super::implicant::{Granularity, ImplicantBuilder};
use super::projector::{ProjectionContext, Projector};
use super::unsupported::Unsupported;
use super::valuation::Valuation;
use super::{arrays, bits, branches, datatypes, definitions, functions};
use crate::Model;

/// The size of the literals, summed up over all applications of rules, up to which a projection is tried. Recursive
/// datatypes follow the depth of the model's values, which is without bound.
const SIZE_LIMIT: usize = 400_000;

/// Rewrites literals, or says that there is nothing for it to do.
type Rule = fn(&mut Rewriting<'_>) -> Result<bool, Unsupported>;

/// The rules in the order in which they are tried: those that choose least come first.
const RULES: [Rule; 9] = [
    branches::take_branches,
    definitions::substitute,
    definitions::drop_disequalities,
    bits::rewrite,
    datatypes::rewrite,
    arrays::rewrite_reads,
    arrays::rewrite_equalities,
    definitions::drop_free_numbers,
    functions::rewrite,
];

/// The state of a rewriting.
pub(super) struct Rewriting<'a> {
    pub(super) store: &'a mut Store,
    model: &'a Model,
    pub(super) valuation: &'a mut Valuation,
    builder: &'a mut ImplicantBuilder,
    fresh: &'a mut FreshVariables,
    /// What is projected: terms to choose from.
    pub(super) formulas: &'a [Term],
    /// Invariant *settled*: literals with a variable to eliminate, true in the model and valued.
    literals: Vec<Term>,
    /// Formulas that must hold, too, and are not opened yet.
    pending: Vec<Term>,
}

impl Projector {
    /// Rewrites the literals until variables to eliminate occur in linear arithmetic only.
    pub(super) fn rewrite(
        &mut self,
        context: &mut ProjectionContext<'_>,
        formulas: &[Term],
    ) -> Result<(), Unsupported> {
        self.fresh.begin();
        let mut rewriting = Rewriting {
            store: context.store,
            model: context.model,
            valuation: &mut self.valuation,
            literals: std::mem::take(&mut self.builder.literals),
            builder: &mut self.builder,
            fresh: &mut self.fresh,
            formulas,
            pending: Vec::new(),
        };
        rewriting.run()?;
        let literals = rewriting.literals;
        self.builder.literals = literals;
        Ok(())
    }
}

impl Rewriting<'_> {
    fn run(&mut self) -> Result<(), Unsupported> {
        let mut size = 0;
        while size < SIZE_LIMIT {
            self.settle()?;
            size += 1 + self.store.subterms(&self.literals).len();
            if !self.step()? {
                return Ok(());
            }
        }
        Err(Unsupported::TooManySteps)
    }

    /// Applies the first rule that has something to do.
    fn step(&mut self) -> Result<bool, Unsupported> {
        for rule in RULES {
            if rule(self)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Opens the pending formulas.
    fn settle(&mut self) -> Result<(), Unsupported> {
        // A literal that was replaced may be required again, by what replaced it.
        self.builder.resume(&self.literals);
        for formula in std::mem::take(&mut self.pending) {
            self.value_term(formula);
            self.builder.require(formula);
        }
        self.builder.run(self.store, self.valuation, Granularity::Mentioning)?;
        self.literals.append(&mut self.builder.literals);
        Ok(())
    }

    /// The literals with a variable to eliminate.
    pub(super) fn literals(&self) -> &[Term] {
        &self.literals
    }

    /// The subterms of the literals that mention a variable to eliminate, children first.
    pub(super) fn open_terms(&self) -> Vec<Term> {
        let mut terms = self.store.subterms(&self.literals);
        terms.retain(|&term| self.valuation.mentions(term));
        terms
    }

    /// The operands of an equality that is neither Boolean nor arithmetic.
    pub(super) fn as_equality(&self, literal: Term) -> Option<(Term, Term)> {
        match self.store.view(literal) {
            View::Equal(a, b) => Some((a, b)),
            _ => None,
        }
    }

    /// Whether the variable occurs in the term.
    pub(super) fn occurs(&self, var: Term, term: Term) -> bool {
        self.valuation.mentions(term) && self.store.subterms(&[term]).binary_search(&var).is_ok()
    }

    /// Values a term that a rule has made.
    pub(super) fn value_term(&mut self, term: Term) {
        self.valuation.evaluate(self.store, self.model, term);
    }

    /// The value of a term, with its negation.
    pub(super) fn value(&self, term: Term) -> Result<Value, Unsupported> {
        self.valuation.value(term).ok_or(Unsupported::Application)
    }

    /// The truth value of a formula.
    pub(super) fn truth(&self, formula: Term) -> Result<bool, Unsupported> {
        self.valuation.truth(formula).ok_or(Unsupported::Application)
    }

    /// Notes that a rule chose by the model.
    pub(super) fn choose(&mut self) {
        self.builder.exact = false;
    }

    /// Adds a formula to what must hold.
    pub(super) fn require(&mut self, formula: Term) {
        self.pending.push(formula);
    }

    /// Removes a literal; what is required instead implies it.
    pub(super) fn remove(&mut self, literal: Term) {
        self.literals.retain(|&other| other != literal);
    }

    /// A new variable to eliminate.
    pub(super) fn introduce(&mut self, sort: shem_term::Sort, value: Value) -> Term {
        let var = self.fresh.take(self.store, sort);
        self.valuation.introduce(var, value);
        var
    }

    /// Replaces subterms in all that must hold.
    pub(super) fn replace(&mut self, pairs: &[(Term, Term)]) {
        let literals = std::mem::take(&mut self.literals);
        for formula in &mut self.pending {
            *formula = self.store.replace(*formula, pairs);
        }
        for literal in literals {
            let image = self.store.replace(literal, pairs);
            if image == literal {
                self.literals.push(literal);
            } else {
                self.pending.push(image);
            }
        }
    }

    /// Replaces subterms in the literals, again and again: the pairs are those that `next` gives for the terms that
    /// are open now, until it gives none.
    pub(super) fn replace_repeatedly(
        &mut self,
        mut next: impl FnMut(&mut Self, &[Term]) -> Result<Vec<(Term, Term)>, Unsupported>,
    ) -> Result<(), Unsupported> {
        let before = self.literals.clone();
        loop {
            let terms = self.open_terms();
            let pairs = next(self, &terms)?;
            if pairs.is_empty() {
                break;
            }
            for at in 0..self.literals.len() {
                self.literals[at] = self.store.replace(self.literals[at], &pairs);
                self.value_term(self.literals[at]);
            }
        }
        let after = std::mem::take(&mut self.literals);
        for (old, new) in before.into_iter().zip(after) {
            if old == new {
                self.literals.push(new);
            } else {
                self.pending.push(new);
            }
        }
        Ok(())
    }
}
