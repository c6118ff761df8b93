//! Elimination by definitions, many at a time.
//!
//! Each round picks definitions of which none has, on its right-hand side, a variable that another one
//! defines, so that one substitution serves all. Of a chain of definitions a round takes every other one, so
//! the number of rounds grows with the logarithm of its length.

use std::collections::BTreeSet;

use shem_base::{Int, Rat};
use shem_term::{Poly, Sort, Store, Substitution, Term, View};

use super::Reducer;

impl Reducer {
    /// Replaces auxiliaries that conjuncts define, in one round.
    pub(super) fn substitute_definitions(
        &mut self,
        store: &mut Store,
        formula: Term,
        auxiliaries: &[Term],
    ) -> Term {
        let mut members = store.conjuncts(formula);
        let mut substitution = Substitution::new();
        let mut defined: BTreeSet<Term> = BTreeSet::new();
        let mut used: BTreeSet<Term> = BTreeSet::new();
        let mut kept = Vec::with_capacity(members.len());
        for member in members.drain(..) {
            let free = |v: Term| {
                auxiliaries.binary_search(&v).is_ok() && !defined.contains(&v) && !used.contains(&v)
            };
            let Some((variable, term)) = self.definition(store, member, free) else {
                kept.push(member);
                continue;
            };
            let right = self.scan.variables(store, &[term]);
            if right.iter().any(|v| defined.contains(v)) {
                kept.push(member);
                continue;
            }
            defined.insert(variable);
            used.extend(right);
            substitution.bind(store, &[variable], &[term]);
        }
        if defined.is_empty() {
            return formula;
        }
        let rest = store.and(&kept);
        store.substitute(rest, &substitution)
    }

    /// A variable that is free to be defined and the term that the conjunct equates with it; the variable
    /// does not occur in the term.
    fn definition(
        &mut self,
        store: &mut Store,
        conjunct: Term,
        free: impl Fn(Term) -> bool,
    ) -> Option<(Term, Term)> {
        let sign = conjunct.is_negated();
        match store.view(conjunct) {
            View::Var(_) if free(conjunct.positive()) => Some((conjunct.positive(), Term::from_bool(!sign))),
            View::Iff(a, b) => [(a, b), (b, a)].into_iter().find_map(|(variable, other)| {
                let fits = store.as_var(variable).is_some()
                    && free(variable)
                    && !self.scan.variables(store, &[other]).contains(&variable);
                fits.then(|| (variable, other.xor(sign)))
            }),
            View::Equal(a, b) if !sign => [(a, b), (b, a)].into_iter().find_map(|(variable, other)| {
                let fits = store.as_var(variable).is_some()
                    && free(variable)
                    && !self.scan.variables(store, &[other]).contains(&variable);
                fits.then_some((variable, other))
            }),
            View::Eq(poly, value) if !sign => {
                let value = value.clone();
                let (variable, coeff) = self.solvable(store, poly, free)?;
                Some((variable, solve(store, poly, &value, variable, &coeff)))
            }
            _ => None,
        }
    }

    /// A free leaf of the polynomial for which an equation can be solved, whatever the other values are.
    pub(crate) fn solvable(
        &mut self,
        store: &Store,
        poly: Poly,
        free: impl Fn(Term) -> bool,
    ) -> Option<(Term, Int)> {
        let integral = store.poly_is_integral(poly);
        let terms = store.poly_terms(poly);
        let compound: Vec<Term> =
            terms.iter().map(|t| t.leaf).filter(|&leaf| store.as_var(leaf).is_none()).collect();
        let inside = self.scan.variables(store, &compound);
        let found = terms.iter().find(|t| {
            let exact = match store.sort(t.leaf) {
                Sort::Int => integral && t.coeff.abs().is_one(),
                _ => true,
            };
            exact && store.as_var(t.leaf).is_some() && free(t.leaf) && inside.binary_search(&t.leaf).is_err()
        })?;
        Some((found.leaf, found.coeff.clone()))
    }
}

/// What the equation of a polynomial and a value says its leaf is.
fn solve(store: &mut Store, poly: Poly, value: &Rat, leaf: Term, coeff: &Int) -> Term {
    let rest: Vec<(Rat, Term)> = store
        .poly_terms(poly)
        .iter()
        .filter(|t| t.leaf != leaf)
        .map(|t| (-Rat::from(&t.coeff).div_int(coeff), t.leaf))
        .collect();
    let sort = store.sort(leaf);
    store.linear(&rest, &value.div_int(coeff), sort)
}
