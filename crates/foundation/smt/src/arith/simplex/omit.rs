//! Variables that have one value for good, left out of the rows.
//!
//! An unrolling is mostly equations between numbers of one step and the next, and they are facts: nothing but the end
//! of a scope takes them back. Each is a variable with two equal bounds. It cannot move, so it never enters the basis
//! again; but in a row it stays for ever, since the row is a contradiction by the bounds of all its variables. After
//! twenty steps a row has three variables that matter and eighty that do not, and every pivot adds rows up.
//!
//! So such a *settled* variable leaves the basis at once, and its entries are *omitted* from all rows. A row then says
//! that the sum of its entries is some constant, which the values tell. When a row has to explain something, the
//! entries that it omits are computed: every row is zero if each variable is replaced by its definition over the
//! structural variables, and the definitions of omitted variables are linearly independent (they are not basic), so
//! the entries are the solution of a linear system. It is kept in triangular form, a definition reduced by the earlier
//! ones when its variable is omitted; so the cost is about that of the entries found. Solvers that eliminate variables
//! by top-level equations save the same work, but the equations are gone then from conflicts, proofs and interpolants.
//!
//! If a bound of an omitted variable is taken back after all, all rows are given up, and those that have a bound are
//! attached again by the next check. That must not happen often: see [`Arith::facts`](crate::theory::Theory::facts).

use std::cell::RefCell;
use std::collections::{BTreeMap, BinaryHeap};
use std::mem::take;

use shem_base::{DeltaRat, Int, Rat, add_work};

use super::{NO_POLY, Simplex};
use crate::arith::bounds::Side;
use crate::arith::poly::ArithVar;
use crate::arith::tableau::{NO_ROW, Row};

/// The definition of an omitted variable, reduced.
#[derive(Debug)]
struct Equation {
    /// The omitted variable.
    var: ArithVar,
    /// The reduced definition without its leading variable, which has the coefficient 1 and no part in later equations.
    rest: Vec<(ArithVar, Rat)>,
    /// The definition is `scale` times the reduced one and these multiples of earlier reduced ones.
    scale: Rat,
    uses: Vec<(u32, Rat)>,
}

/// The absence of an equation.
const NONE: u32 = u32::MAX;

/// The omitted variables.
#[derive(Debug, Default)]
pub(super) struct Omitted {
    equations: Vec<Equation>,
    /// By structural variable: the equation that it leads, or `NONE`.
    leads: Vec<u32>,
    /// How often all was forgotten.
    epoch: u32,
    scratch: RefCell<Multiples>,
}

/// Equations with multiples, taken one by one from either end. All memory is zero when there is none.
#[derive(Debug, Default)]
struct Multiples {
    by_equation: Vec<Rat>,
    is_open: Vec<bool>,
    /// The open equations, as keys of which the largest is the next.
    open: BinaryHeap<i64>,
}

impl Multiples {
    /// The multiple of an equation, which is open from now on. Later equations come first if `sign` is 1, earlier
    /// ones if it is -1.
    fn at(&mut self, equation: u32, sign: i64) -> &mut Rat {
        let index = equation as usize;
        if !self.is_open[index] {
            self.is_open[index] = true;
            self.open.push(sign * i64::from(equation));
        }
        &mut self.by_equation[index]
    }

    /// The next equation with a multiple that is not zero.
    fn pop(&mut self) -> Option<(u32, Rat)> {
        while let Some(key) = self.open.pop() {
            let index = key.unsigned_abs() as usize;
            self.is_open[index] = false;
            let multiple = take(&mut self.by_equation[index]);
            if !multiple.is_zero() {
                return Some((index as u32, multiple));
            }
        }
        None
    }
}

impl Omitted {
    fn clear(&mut self) {
        self.equations.clear();
        self.leads.clear();
        self.epoch = self.epoch.wrapping_add(1);
    }

    fn lead(&self, x: ArithVar) -> Option<u32> {
        self.leads.get(x.index()).copied().filter(|&equation| equation != NONE)
    }

    /// Empty multiples for all equations.
    fn multiples(&self) -> Multiples {
        let mut multiples = self.scratch.take();
        multiples.by_equation.resize(self.equations.len(), Rat::ZERO);
        multiples.is_open.resize(self.equations.len(), false);
        multiples
    }

    /// Adds a variable with its definition, which does not depend on the others.
    fn add(&mut self, var: ArithVar, definition: &[(ArithVar, Int)]) {
        let mut multiples = self.multiples();
        let mut rest: BTreeMap<ArithVar, Rat> = BTreeMap::new();
        for (x, coeff) in definition {
            match self.lead(*x) {
                Some(equation) => *multiples.at(equation, -1) += &Rat::from(coeff),
                None => drop(rest.insert(*x, Rat::from(coeff))),
            }
        }
        let mut uses = Vec::new();
        while let Some((number, multiple)) = multiples.pop() {
            for (x, coeff) in &self.equations[number as usize].rest {
                match self.lead(*x) {
                    Some(later) => multiples.at(later, -1).sub_mul(&multiple, coeff),
                    None => rest.entry(*x).or_default().sub_mul(&multiple, coeff),
                }
            }
            uses.push((number, multiple));
        }
        self.scratch.replace(multiples);
        rest.retain(|_, coeff| !coeff.is_zero());
        let Some((lead, scale)) = rest.pop_last() else {
            unreachable!("the definitions of variables that are not basic are independent")
        };
        let rest = rest.into_iter().map(|(x, coeff)| (x, &coeff / &scale)).collect();
        if self.leads.len() <= lead.index() {
            self.leads.resize(lead.index() + 1, NONE);
        }
        self.leads[lead.index()] = self.equations.len() as u32;
        self.equations.push(Equation { var, rest, scale, uses });
    }

    /// The multiples of definitions whose sum cancels that of these structural variables.
    fn solve<'a>(&self, form: impl Iterator<Item = (ArithVar, &'a Int, &'a Int)>) -> Vec<(ArithVar, Rat)> {
        let mut multiples = self.multiples();
        for (x, factor, coeff) in form {
            if let Some(equation) = self.lead(x) {
                multiples.at(equation, -1).sub_mul_int(factor, &Rat::from(coeff));
            }
        }
        // Multiples of reduced definitions. The leading variable of an equation is in no later one.
        let mut reduced = Vec::new();
        while let Some((number, multiple)) = multiples.pop() {
            for (x, coeff) in &self.equations[number as usize].rest {
                if let Some(later) = self.lead(*x) {
                    multiples.at(later, -1).sub_mul(&multiple, coeff);
                }
            }
            reduced.push((number, multiple));
        }
        for (number, multiple) in reduced {
            *multiples.at(number, 1) = multiple;
        }
        let mut found = Vec::new();
        while let Some((number, multiple)) = multiples.pop() {
            let Equation { var, scale, uses, .. } = &self.equations[number as usize];
            let multiple = if scale.is_one() { multiple } else { &multiple / scale };
            for (earlier, coeff) in uses {
                multiples.at(*earlier, 1).sub_mul(&multiple, coeff);
            }
            found.push((*var, multiple));
        }
        self.scratch.replace(multiples);
        add_work(8 * found.len());
        found
    }
}

impl Simplex {
    /// Whether rows may omit entries.
    #[inline]
    pub(in crate::arith) fn omits(&self) -> bool {
        !self.omitted.equations.is_empty()
    }

    /// The entries that a row omits.
    pub(in crate::arith) fn omitted_entries(&self, row: u32) -> Vec<(ArithVar, Rat)> {
        self.omitted_beside(self.tableau.row(row).entries().map(|entry| (entry.var, &entry.coeff)))
    }

    /// The entries of omitted variables in a row with these other entries.
    pub(in crate::arith) fn omitted_beside<'a>(
        &'a self,
        entries: impl Iterator<Item = (ArithVar, &'a Int)>,
    ) -> Vec<(ArithVar, Rat)> {
        if !self.omits() {
            return Vec::new();
        }
        let structural = |(x, factor)| {
            let terms = self.definition(x);
            let own = terms.is_none().then_some((x, factor, &Int::ONE));
            own.into_iter().chain(terms.into_iter().flatten().map(move |(y, coeff)| (*y, factor, coeff)))
        };
        self.omitted.solve(entries.flat_map(structural))
    }

    /// What is omitted grows within an epoch.
    pub(in crate::arith) fn epoch(&self) -> u32 {
        self.omitted.epoch
    }

    /// Takes note that the first `count` bounds on the trail will stay.
    pub(in crate::arith) fn settle(&mut self, count: usize) {
        for index in self.lasting..count {
            let x = self.bounds.at(index as u32).var;
            let lasts = |side| self.bounds.index(x, side).is_some_and(|index| (index as usize) < count);
            if !self.vars[x.index()].settled
                && self.bounds.is_fixed(x)
                && lasts(Side::Lower)
                && lasts(Side::Upper)
            {
                self.vars[x.index()].settled = true;
                self.settling.push(x);
            }
        }
        self.lasting = self.lasting.max(count);
    }

    /// Takes the variables that have settled since the last time out of the basis and out of all rows. What is
    /// not basic is within its bounds.
    pub(super) fn omit_settled(&mut self) {
        for x in take(&mut self.settling) {
            let state = &self.vars[x.index()];
            if !state.settled || !state.attached || self.tableau.is_hidden(x) {
                continue;
            }
            let row = self.tableau.row_of(x);
            if row == NO_ROW {
                debug_assert_eq!(self.bounds.violated(x, &state.value), None);
                self.tableau.hide_column(x);
                self.add_omitted(x);
            } else if let Some(pos) = self.least_column(row)
                && let Some(bound) = self.bounds.get(x, Side::Lower)
            {
                let target = bound.value.clone();
                self.pivot_and_update(row, pos, target);
            }
        }
    }

    /// The variable of a row that is in the fewest rows, those without bounds first.
    fn least_column(&self, row: u32) -> Option<usize> {
        let others = self.tableau.row(row).iter().skip(1);
        let key = |x: ArithVar| (!self.bounds.is_free(x), self.tableau.column_len(x), x);
        others.min_by_key(|(_, entry)| key(entry.var)).map(|(pos, _)| pos)
    }

    /// Takes note that a variable, which is not basic, is in no row any more.
    pub(super) fn add_omitted(&mut self, x: ArithVar) {
        let own = [(x, Int::ONE)];
        let poly = self.vars[x.index()].poly;
        self.omitted.add(x, if poly == NO_POLY { &own } else { self.polys.terms(poly) });
        self.omitted_since = true;
    }

    /// Takes the present values, at which a check has failed, as the point from which the next one starts.
    /// The variables that were omitted on the way are not at their bounds at the point before.
    pub(super) fn stay(&mut self) {
        self.saved.clear();
        self.attached_since.clear();
        self.feasible_points = self.feasible_points.wrapping_add(1);
        self.satisfied = 0;
        self.omitted_since = false;
    }

    /// Takes note that bounds were taken back, and `count` are left.
    pub(super) fn unsettle(&mut self, count: usize, omitted: bool) {
        self.lasting = self.lasting.min(count);
        if omitted {
            self.give_up_rows();
        }
    }

    /// Drops all rows. The structural variables keep their values.
    fn give_up_rows(&mut self) {
        self.tableau.clear();
        self.omitted.clear();
        self.idle.clear();
        self.settling.clear();
        for index in 0..self.vars.len() {
            let x = ArithVar::new(index as u32);
            let state = &mut self.vars[index];
            state.idle = false;
            let is_slack = state.poly != NO_POLY;
            if is_slack {
                state.attached = false;
            }
            if state.settled {
                self.settling.push(x);
            }
            let open = match is_slack {
                true => !self.bounds.is_free(x),
                false => self.bounds.violated(x, &state.value).is_some(),
            };
            if open {
                self.mark_possibly_violated(x);
            }
            if !is_slack {
                self.note_unrounded(x);
            }
        }
        self.changed = true;
        self.stay();
    }

    /// The sum of the entries that a row omits, times their values.
    pub(in crate::arith) fn omitted_sum(&self, row: &Row) -> DeltaRat {
        let mut sum = DeltaRat::ZERO;
        if self.omits() {
            for entry in row.entries() {
                sum.sub_mul(&Rat::from(&entry.coeff), &self.vars[entry.var.index()].value);
            }
        }
        sum
    }

    /// Checks that rows with the entries that they omit are sums of definitions, and zero.
    pub(super) fn check_omitted(&self) {
        for &row in self.tableau.live() {
            let mut form: BTreeMap<ArithVar, Rat> = BTreeMap::new();
            let mut sum = DeltaRat::ZERO;
            let mut add = |x: ArithVar, coeff: &Rat| {
                for (y, factor) in self.definition(x).unwrap_or(&[(x, Int::ONE)]) {
                    *form.entry(*y).or_default() += &coeff.mul_int(factor);
                }
                sum.add_mul(coeff, &self.vars[x.index()].value);
            };
            for entry in self.tableau.row(row).entries() {
                assert!(self.vars[entry.var.index()].attached && !self.tableau.is_hidden(entry.var));
                add(entry.var, &Rat::from(&entry.coeff));
            }
            for (x, coeff) in self.omitted_entries(row) {
                assert!(self.tableau.is_hidden(x));
                add(x, &coeff);
            }
            assert!(sum.is_zero(), "a row sums to zero");
            assert!(form.values().all(Rat::is_zero), "a row is a sum of definitions");
        }
        for Equation { var, .. } in &self.omitted.equations {
            let state = &self.vars[var.index()];
            assert!(state.settled && state.attached && self.bounds.is_fixed(*var));
            assert_eq!(self.bounds.get(*var, Side::Lower).map(|bound| &bound.value), Some(&state.value));
            assert!(!self.tableau.is_basic(*var) && self.tableau.column_len(*var) == 0);
        }
        let hidden = (0..self.vars.len() as u32).filter(|&x| self.tableau.is_hidden(ArithVar::new(x)));
        assert_eq!(hidden.count(), self.omitted.equations.len());
    }
}
