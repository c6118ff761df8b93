//! Equations of bit-vectors that say what a variable is: the variable is replaced in all other assertions.
//!
//! Circuits of the same terms are the same circuits, so `(= x (bvadd y z))` helps most if whatever has `x` has the sum
//! instead: sums cancel, and atoms become constants. The equation stays asserted, so that models have a value of `x`
//! and assumptions may have it. Assertions wait until a check or a scope needs them, since an equation may come after
//! what it is put into.
//!
//! What is asserted instead of an assertion follows from it and from equations in force, and the other way round. So
//! the assertions without a name, all of which belong to every core and to the last group of an interpolation, may
//! change together; one with a name, or one whose text is kept since a proof may be asked for, stays what it is, and
//! nothing is solved for its sake.

use std::collections::BTreeSet;

use shem_term::{BitOp, Store, Substitution, Symbol, Term, View};

/// The nodes of terms that may be looked at for equations.
const EFFORT: usize = 2_000_000;

/// A sum with more members replaces no variable: sums that have others as parts are written out, and every one of them
/// would be a circuit of its own.
const LONGEST_SUM: usize = 16;

/// The variables that equations in force say what they are.
#[derive(Default)]
pub(super) struct SolvedVariables {
    /// IDEMPOTENT: no variable of a term that replaces one is replaced.
    substitution: Substitution,
    /// The variables in the order in which they were solved for.
    order: Vec<Symbol>,
    /// The variables of the terms that replace others: they are not replaced themselves.
    kept: BTreeSet<Term>,
    /// The same in the order in which they came.
    kept_order: Vec<Term>,
    /// How many variables had been solved for at each `push`, and how many were kept.
    levels: Vec<[usize; 2]>,
    effort: usize,
}

impl SolvedVariables {
    /// A scope is opened.
    pub(super) fn push(&mut self) {
        self.levels.push([self.order.len(), self.kept_order.len()]);
    }

    /// The innermost scope is closed.
    pub(super) fn pop(&mut self) {
        let Some([solved, kept]) = self.levels.pop() else { return };
        for symbol in self.order.drain(solved..) {
            self.substitution.remove(symbol);
        }
        for variable in self.kept_order.drain(kept..) {
            self.kept.remove(&variable);
        }
    }

    /// What is to be asserted in the innermost scope instead of these formulas, one by one.
    pub(super) fn replace(&mut self, store: &mut Store, formulas: &[Term]) -> Vec<Term> {
        // The members of conjunctions, one formula after the other.
        let mut members: Vec<Term> = Vec::new();
        let mut ends: Vec<usize> = Vec::new();
        for &formula in formulas {
            match store.view(formula) {
                View::And(parts) if !formula.is_negated() => members.extend_from_slice(parts),
                _ => members.push(formula),
            }
            ends.push(members.len());
        }
        // An equation that was solved stays; the others are changed when all that can be have been solved.
        let solved: Vec<Option<Term>> = members.iter().map(|&member| self.solve(store, member)).collect();
        let changed = store.substitute_all(&members, &self.substitution);
        let members: Vec<Term> =
            solved.into_iter().zip(changed).map(|(solved, changed)| solved.unwrap_or(changed)).collect();
        let starts = [0].into_iter().chain(ends.iter().copied());
        starts.zip(&ends).map(|(start, &end)| store.and(&members[start..end])).collect()
    }

    /// The formula with variables replaced, if that is an equation that can be solved for another one; this one is
    /// replaced from now on.
    fn solve(&mut self, store: &mut Store, formula: Term) -> Option<Term> {
        if !is_equation(store, formula) || self.effort > EFFORT {
            return None;
        }
        self.effort += store.dag_size(formula);
        let formula = store.substitute(formula, &self.substitution);
        let (negated, equation) = (formula.is_negated(), formula.positive());
        let View::Equal(a, b) = store.view(equation) else { return None };
        if !is_equation(store, formula) {
            return None;
        }
        // A bit that is not another one is its negation.
        let b = if negated { store.bv_not(b) } else { b };
        let mut candidates = vec![a, b];
        for side in [a, b] {
            if let Some((BitOp::Add, args)) = store.as_bit_op(side) {
                candidates.extend_from_slice(args);
            }
        }
        if candidates.len() > LONGEST_SUM + 3 {
            return None;
        }
        for variable in candidates {
            let Some(symbol) = store.as_var(variable) else { continue };
            if self.kept.contains(&variable) || self.substitution.get(symbol).is_some() {
                continue;
            }
            let Some(term) = store.bv_solve(a, b, variable) else { continue };
            self.effort += store.dag_size(term);
            let is_long =
                matches!(store.as_bit_op(term), Some((BitOp::Add, args)) if args.len() > LONGEST_SUM);
            if is_long || store.has_quantifier(term) {
                continue;
            }
            for kept in store.free_variables(&[term]) {
                if self.kept.insert(kept) {
                    self.kept_order.push(kept);
                }
            }
            self.substitution.insert(symbol, term);
            self.order.push(symbol);
            return Some(formula);
        }
        None
    }
}

/// Whether the formula is an equation of bit-vectors, or says of two single bits that they are different.
fn is_equation(store: &Store, formula: Term) -> bool {
    let View::Equal(a, _) = store.view(formula.positive()) else { return false };
    store.sort(a).bit_width().is_some_and(|width| width == 1 || !formula.is_negated())
}
