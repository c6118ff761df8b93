//! Columns of facts leave the rows.
//!
//! A variable that facts fix never moves again. In rows it is a constant, but as long as it stands there, elimination
//! carries it along: on unrollings, where most equations are facts, two thirds of all entries were of such variables.
//! So a column goes for good once its variable is *settled*: fixed by bounds that will not be taken back. Each row keeps
//! one number instead, the sum of what has left it. (Other solvers substitute facts before rows are made, and make the
//! rows anew when a scope ends; here only facts that no scope can end are settled, and nothing is made anew.)
//!
//! A certificate needs the coefficients of settled variables nevertheless. They are determined by the other entries: the
//! row is a vector of forms that sums to zero, and the settled forms are linearly independent of each other and of those
//! in the row. So the settled forms are kept in echelon form by Gaussian elimination, each with the variable that it
//! is solved for, and what is left of a row, written in structural variables, is reduced by them when somebody asks
//! for an explanation. That is rare, while elimination is what most time is spent on.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use shem_base::{Rat, add_work};

use super::Simplex;
use crate::arith::bounds::Side;
use crate::arith::poly::ArithVar;

/// A settled form whose reduction has more terms than this stays a column.
const REDUCED_LENGTH: usize = 32;

/// A settled form, reduced by those before it.
#[derive(Debug)]
struct Reduced {
    var: ArithVar,
    /// ECHELON: holds no variable that an earlier form is solved for, and the one that it is itself solved for.
    terms: Vec<(ArithVar, Rat)>,
    pivot: Rat,
    /// The reduction is the form minus these multiples of earlier reductions.
    subtracted: Vec<(u32, Rat)>,
}

/// The settled variables.
#[derive(Debug, Default)]
pub(super) struct Facts {
    forms: Vec<Reduced>,
    /// By structural variable: the settled form that is solved for it.
    solved: FxHashMap<ArithVar, u32>,
    /// How many bounds have been looked at.
    bounds: usize,
}

/// Multiples of reduced forms, and what is left of a form without them.
#[derive(Debug, Default)]
struct Reduction {
    multiples: Vec<(u32, Rat)>,
    rest: Vec<(ArithVar, Rat)>,
}

impl Facts {
    /// Subtracts multiples of the settled forms until none of the variables is left that they are solved for.
    fn reduce(&self, terms: impl Iterator<Item = (ArithVar, Rat)>) -> Reduction {
        let mut rest: BTreeMap<ArithVar, Rat> = BTreeMap::new();
        let mut due: BTreeMap<u32, Rat> = BTreeMap::new();
        let mut multiples = Vec::new();
        let add = |due: &mut BTreeMap<u32, Rat>, rest: &mut BTreeMap<ArithVar, Rat>, x: ArithVar, c: &Rat| {
            match self.solved.get(&x) {
                Some(&form) => *due.entry(form).or_default() += c,
                None => *rest.entry(x).or_default() += c,
            }
        };
        terms.for_each(|(x, c)| add(&mut due, &mut rest, x, &c));
        // An earlier form may hold variables that later ones are solved for, but not the other way round.
        while let Some((form, coeff)) = due.pop_first() {
            if coeff.is_zero() {
                continue;
            }
            let Reduced { terms, pivot, .. } = &self.forms[form as usize];
            add_work(terms.len());
            let multiple = &coeff / pivot;
            for (x, c) in terms {
                if self.solved.get(x) != Some(&form) {
                    add(&mut due, &mut rest, *x, &-(c * &multiple));
                }
            }
            multiples.push((form, multiple));
        }
        rest.retain(|_, c| !c.is_zero());
        Reduction { multiples, rest: rest.into_iter().collect() }
    }

    /// The coefficients of the settled forms themselves in a sum of multiples of their reductions.
    fn unfold(&self, multiples: Vec<(u32, Rat)>) -> Vec<(ArithVar, Rat)> {
        let mut due: BTreeMap<u32, Rat> = multiples.into_iter().collect();
        let mut forms = Vec::new();
        while let Some((form, multiple)) = due.pop_last() {
            if multiple.is_zero() {
                continue;
            }
            let Reduced { var, subtracted, .. } = &self.forms[form as usize];
            add_work(subtracted.len());
            for (earlier, c) in subtracted {
                *due.entry(*earlier).or_default() -= &(c * &multiple);
            }
            forms.push((*var, multiple));
        }
        forms
    }
}

impl Simplex {
    /// The number of settled variables.
    pub(in crate::arith) fn settled(&self) -> usize {
        self.facts.forms.len()
    }

    /// Takes note that the first bounds of the trail, so many, will not be taken back. The values satisfy all bounds.
    pub(in crate::arith) fn settle(&mut self, bounds: usize) {
        while self.facts.bounds < bounds {
            let x = self.bounds.at(self.facts.bounds as u32).var;
            self.facts.bounds += 1;
            let lasting = |side| self.bounds.index(x, side).is_some_and(|index| (index as usize) < bounds);
            let state = &self.vars[x.index()];
            if state.attached
                && !state.settled
                && self.bounds.is_fixed(x)
                && state.value.is_rational()
                && lasting(Side::Lower)
                && lasting(Side::Upper)
            {
                self.settle_variable(x);
            }
        }
    }

    /// Removes the column of a variable that never moves again, unless its form would be long.
    fn settle_variable(&mut self, x: ArithVar) {
        let Reduction { multiples, rest } = self.facts.reduce(self.form(x));
        let Some((solved, pivot)) = rest.last().filter(|_| rest.len() <= REDUCED_LENGTH) else { return };
        if self.tableau.is_basic(x) {
            let row = self.tableau.row(self.tableau.row_of(x));
            let column = |y: ArithVar| (!self.bounds.is_free(y), self.tableau.column_len(y), y);
            let Some((pos, _)) = row.iter().skip(1).min_by_key(|(_, entry)| column(entry.var)) else {
                return;
            };
            self.tableau.pivot(self.tableau.row_of(x), pos);
            self.pivots += 1;
        }
        let (solved, pivot) = (*solved, pivot.clone());
        self.facts.solved.insert(solved, self.facts.forms.len() as u32);
        self.facts.forms.push(Reduced { var: x, terms: rest, pivot, subtracted: multiples });
        self.vars[x.index()].settled = true;
        self.tableau.drop_column(x, &self.vars[x.index()].value.real);
    }

    /// A variable as a form over structural variables.
    fn form(&self, x: ArithVar) -> impl Iterator<Item = (ArithVar, Rat)> {
        let definition = self.definition(x);
        let own = definition.is_none().then_some((x, Rat::ONE));
        own.into_iter().chain(definition.into_iter().flatten().map(|(y, c)| (*y, Rat::from(c))))
    }

    /// The settled variables with their coefficients in a row that has these other entries.
    pub(in crate::arith) fn settled_entries(
        &self,
        entries: impl Iterator<Item = (ArithVar, Rat)>,
    ) -> Vec<(ArithVar, Rat)> {
        if self.facts.forms.is_empty() {
            return Vec::new();
        }
        let terms = entries.flat_map(|(x, c)| self.form(x).map(move |(y, d)| (y, &c * &d)));
        let Reduction { mut multiples, rest } = self.facts.reduce(terms);
        debug_assert!(rest.is_empty(), "a row is a sum of forms that is zero");
        // They make up for what the other entries sum to.
        multiples.iter_mut().for_each(|(_, multiple)| *multiple = -&*multiple);
        self.facts.unfold(multiples)
    }

    /// Checks ECHELON and that settled variables are in no row.
    pub(super) fn check_facts(&self) {
        for (i, form) in self.facts.forms.iter().enumerate() {
            assert!(self.vars[form.var.index()].settled && self.bounds.is_fixed(form.var));
            assert_eq!(self.tableau.column_len(form.var), 0);
            assert!(form.terms.iter().any(|(x, _)| self.facts.solved.get(x) == Some(&(i as u32))));
            assert!(
                form.terms
                    .iter()
                    .all(|(x, _)| { self.facts.solved.get(x).is_none_or(|&other| other as usize >= i) })
            );
        }
        assert_eq!(self.vars.iter().filter(|state| state.settled).count(), self.facts.forms.len());
    }
}
