//! Giving rows to slack variables and taking them away.
//!
//! A row is worth keeping in the tableau only while the values could leave the bounds of its slack
//! variable. Rows come when a bound is violated; they go when their variable has lost its bounds and too many
//! such rows have accumulated, or when the scope ends in which their variable was made.

use shem_base::DeltaRat;

use super::{NO_POLY, Simplex, VarState};
use crate::arith::poly::ArithVar;

impl Simplex {
    /// Evaluates the watched variables and attaches those that violate a bound; says if there are any.
    pub(super) fn attach_violated(&mut self) -> bool {
        let mut found = false;
        let mut i = 0;
        while i < self.watched.len() {
            let x = self.watched[i];
            let VarState { poly, attached, .. } = self.vars[x.index()];
            if !attached && !self.bounds.is_free(x) {
                let value = self.evaluate(poly);
                if self.bounds.violated(x, &value).is_none() {
                    i += 1;
                    continue;
                }
                self.attach(x, value);
                self.mark_possibly_violated(x);
                found = true;
            }
            self.vars[x.index()].watched = false;
            self.watched.swap_remove(i);
        }
        self.changed = false;
        found
    }

    /// Gives a slack variable its row.
    pub(super) fn attach(&mut self, s: ArithVar, value: DeltaRat) {
        let Simplex { tableau, polys, vars, .. } = self;
        let settled =
            |x: ArithVar| Some(&vars[x.index()]).filter(|state| state.settled).map(|state| &state.value.real);
        tableau.add_row(s, polys.terms(vars[s.index()].poly), settled);
        let state = &mut self.vars[s.index()];
        state.value = value;
        state.attached = true;
        state.saved_at = self.feasible_points;
        self.attached_since.push(s);
        self.attachments += 1;
    }

    /// Drops the row of a basic slack variable.
    fn detach(&mut self, s: ArithVar) {
        self.tableau.drop_row(self.tableau.row_of(s));
        self.vars[s.index()].attached = false;
    }

    /// Detaches basic slack variables that have no bound.
    pub(super) fn detach_idle(&mut self) {
        let mut kept = 0;
        for i in 0..self.idle.len() {
            let s = self.idle[i];
            let attached = self.vars[s.index()].attached;
            if attached && self.bounds.is_free(s) {
                if self.tableau.is_basic(s) {
                    self.detach(s);
                } else {
                    self.idle[kept] = s;
                    kept += 1;
                    continue;
                }
            }
            self.vars[s.index()].idle = false;
        }
        self.idle.truncate(kept);
        self.idle_limit = (2 * kept).max(self.tableau.live().len());
    }

    /// Removes the variables from number `count` on and the polynomials from number `polys` on. The variables
    /// have no bounds, and no variable that stays is defined by them.
    pub(in crate::arith) fn truncate(&mut self, count: usize, polys: usize) {
        self.possibly_violated.retain(|x| x.index() < count);
        self.idle.retain(|x| x.index() < count);
        self.unrounded.retain(|x| x.index() < count);
        self.watched.retain(|x| x.index() < count);
        for i in count..self.vars.len() {
            let s = ArithVar::new(i as u32);
            if self.vars[i].poly != NO_POLY && self.tableau.is_basic(s) {
                self.detach(s);
            }
        }
        for i in count..self.vars.len() {
            if self.vars[i].poly != NO_POLY && self.vars[i].attached {
                self.remove_nonbasic_slack(ArithVar::new(i as u32), count);
            }
        }
        // The rows that are left are combinations of the definitions that are left: no removed variable
        // occurs in them.
        debug_assert!(
            (count..self.vars.len()).all(|i| { self.tableau.column_len(ArithVar::new(i as u32)) == 0 })
        );
        self.vars.truncate(count);
        self.polys.truncate(polys);
    }

    /// Detaches a slack variable without bounds that is not basic. It enters the basis first, in exchange
    /// for a variable that is going too or has no bounds, if there is one.
    fn remove_nonbasic_slack(&mut self, s: ArithVar, count: usize) {
        let mut best = None;
        let mut best_key = (3, usize::MAX);
        for occurrence in self.tableau.column(s) {
            let entries = self.tableau.row(occurrence.row);
            let basic = entries.basic().var;
            let class = if basic.index() >= count {
                0
            } else if self.bounds.is_free(basic) {
                1
            } else {
                2
            };
            let key = (class, entries.len());
            if key < best_key {
                best_key = key;
                best = Some(occurrence);
            }
        }
        if let Some(occurrence) = best {
            let leaving = self.tableau.basic(occurrence.row);
            self.tableau.pivot(occurrence.row, occurrence.pos as usize);
            self.detach(s);
            if leaving.index() < count {
                self.move_into_bounds(leaving);
            }
        } else {
            // A variable in no row at all: its definition cannot be empty, so this does not happen.
            debug_assert!(false, "an attached slack variable occurs in a row");
            self.vars[s.index()].attached = false;
        }
    }

    /// Moves a variable that has just become non-basic into its bounds.
    fn move_into_bounds(&mut self, x: ArithVar) {
        if let Some(side) = self.bounds.violated(x, &self.vars[x.index()].value)
            && let Some(bound) = self.bounds.get(x, side)
        {
            let target = bound.value.clone();
            self.update(x, target);
            // The values are a new point, which need not be feasible.
            self.saved.clear();
            self.feasible_points = self.feasible_points.wrapping_add(1);
            self.satisfied = 0;
        }
        self.note_unrounded(x);
    }
}
