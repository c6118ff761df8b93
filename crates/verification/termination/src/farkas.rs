//! Linear templates that rows imply, by Farkas' lemma.
//!
//! Rows imply that an affine function of the columns is not negative if it is a sum of multiples of them, inequalities with
//! factors that are not negative, and of a number that is not negative. Where the coefficients of the function are sums of
//! unknowns, that is a linear problem about the unknowns and the factors. If the rows have a solution over the reals, there is no
//! other way; of integers less is known than what holds, and nothing wrong.

use std::collections::BTreeMap;

use shem_base::Rat;
use shem_proof::NoProof;
use shem_smt::Solver;
use shem_term::{Sort, Store, Term};

use crate::linear::Row;

/// A sum of multiples of unknowns, and a number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Coefficient {
    pub(crate) unknowns: Vec<(Rat, Term)>,
    pub(crate) constant: Rat,
}

/// An affine function of columns whose coefficients are unknown.
#[derive(Clone, Debug, Default)]
pub(crate) struct Template {
    pub(crate) columns: BTreeMap<Term, Coefficient>,
    pub(crate) constant: Coefficient,
}

impl Coefficient {
    fn add(&mut self, factor: &Rat, other: &Coefficient) {
        self.unknowns.extend(other.unknowns.iter().map(|(own, unknown)| (own * factor, *unknown)));
        self.constant = &self.constant + &(&other.constant * factor);
    }
}

impl Template {
    /// Adds a multiple of another template.
    pub(crate) fn add(&mut self, factor: i64, other: &Template) {
        let factor = Rat::from(factor);
        for (&column, coefficient) in &other.columns {
            self.columns.entry(column).or_default().add(&factor, coefficient);
        }
        self.constant.add(&factor, &other.constant);
    }

    /// Adds a number.
    pub(crate) fn shift(&mut self, by: i64) {
        self.constant.constant = &self.constant.constant + &Rat::from(by);
    }
}

/// Asserts that the rows imply that the template is not negative.
pub(crate) fn assert_implied(store: &mut Store, solver: &mut Solver<NoProof>, rows: &[Row], goal: &Template) {
    let zero = store.real(Rat::from(0));
    let mut sums: BTreeMap<Term, Vec<(Rat, Term)>> = BTreeMap::new();
    let mut rest: Vec<(Rat, Term)> = Vec::new();
    for row in rows {
        let factor = store.variable("factor", Sort::Real);
        if !row.is_equation {
            let is_positive = store.ge(factor, zero);
            solver.assert(store, is_positive);
        }
        for (column, number) in &row.terms {
            sums.entry(*column).or_default().push((number.clone(), factor));
        }
        if !row.constant.is_zero() {
            rest.push((row.constant.clone(), factor));
        }
    }
    let nothing = Coefficient::default();
    let columns: Vec<Term> = sums.keys().chain(goal.columns.keys()).copied().collect();
    let mut last = None;
    let mut columns = columns;
    columns.sort_unstable();
    for column in columns {
        if last.replace(column) == Some(column) {
            continue;
        }
        let wanted = goal.columns.get(&column).unwrap_or(&nothing);
        let mut terms = sums.remove(&column).unwrap_or_default();
        terms.extend(wanted.unknowns.iter().map(|(factor, unknown)| (-factor, *unknown)));
        let difference = store.linear(&terms, &-&wanted.constant, Sort::Real);
        let equation = store.eq(difference, zero);
        solver.assert(store, equation);
    }
    // What the rows give is not more than what is wanted.
    rest.extend(goal.constant.unknowns.iter().map(|(factor, unknown)| (-factor, *unknown)));
    let difference = store.linear(&rest, &-&goal.constant.constant, Sort::Real);
    let enough = store.le(difference, zero);
    solver.assert(store, enough);
}
