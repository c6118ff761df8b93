//! The general simplex of Dutertre and de Moura ("A fast linear-arithmetic solver for DPLL(T)", 2006),
//! persistent over many small queries.
//!
//! Values of the non-basic variables lie within their bounds; a basic variable that violates one of its
//! bounds is exchanged with a non-basic variable of its row that has room, or the row is a contradiction.
//! Three things differ from the paper. First, bounds are only queued when they are asserted, and take
//! effect at the next check, so that a bound that is taken back before costs nothing. Second, a slack variable
//! has a row only while it is *attached*: without a bound it needs none, and while the values happen to
//! satisfy its bounds it is only *watched*, that is, evaluated at the end of a check that changed values.
//! Rows are detached again when too many without bounds have gathered, so that inactive linear forms cost
//! nothing and the tableau holds what the search has had to work for.
//! Third, a check that fails puts back the values of the last check that succeeded, which satisfy
//! everything that backtracking may leave.
//!
//! The violated variable with the shortest row leaves the basis, the one with the shortest column enters it;
//! after a while the least variables are taken instead (Bland's rule), which ends.

mod attach;
mod facts;
mod invariants;

use shem_base::{Budget, DeltaRat, Int, Lit, Rat, TieBreak, UnknownReason, add_work};

use super::bounds::{Bounds, Side};
use super::poly::{ArithVar, Polys};
use super::tableau::{NO_ROW, Tableau};
use facts::Facts;

/// A structural variable has no polynomial.
const NO_POLY: u32 = u32::MAX;

/// A check makes this many pivots before it turns to Bland's rule.
const GREEDY_PIVOTS: usize = 40;

/// Rows without bounds are never detached while there are at most this many of them.
const IDLE_ROWS: usize = 8;

/// What the simplex knows of a variable apart from its bounds and rows.
#[derive(Debug)]
struct VarState {
    value: DeltaRat,
    /// The defining polynomial of a slack variable, or `NO_POLY`.
    poly: u32,
    /// The feasible point before which `value` was last saved.
    saved_at: u32,
    is_int: bool,
    /// A slack variable: whether it has a row. A structural variable is always attached.
    attached: bool,
    /// Whether it is in `possibly_violated`.
    is_possibly_violated: bool,
    /// Whether it is in `idle`.
    idle: bool,
    /// Whether it is in `unrounded`.
    unrounded: bool,
    /// Whether it is in `watched`.
    watched: bool,
    /// Whether facts fix it and its column has left the rows (see `facts`).
    settled: bool,
}

/// How a check over the rationals ends.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Feasibility {
    /// The values satisfy all bounds.
    Feasible,
    /// The basic variable of the row cannot reach its bound on this side.
    Infeasible(u32, Side),
}

/// The simplex: variables, bounds, rows and values.
#[derive(Debug, Default)]
pub(super) struct Simplex {
    pub(super) tableau: Tableau,
    pub(super) bounds: Bounds,
    pub(super) polys: Polys,
    vars: Vec<VarState>,
    /// POSSIBLY-VIOLATED: contains every attached variable whose value violates a bound and every detached variable
    /// with a bound that is not watched.
    possibly_violated: Vec<ArithVar>,
    /// Detached slack variables whose bounds the values satisfied when they were last evaluated.
    watched: Vec<ArithVar>,
    /// Whether slack variables are attached as soon as they have a bound, violated or not.
    pub(super) eager: bool,
    /// The order of variables, for the choice among those that are as good. Any fixed one makes pivots end (Bland, 1977).
    pub(super) ties: TieBreak,
    /// WATCHED: true if the values have changed since the watched variables were evaluated.
    changed: bool,
    /// Attached slack variables that lost their last bound at some time.
    idle: Vec<ArithVar>,
    /// INTEGRAL: contains every integer variable that is not basic and whose value is not an integer.
    unrounded: Vec<ArithVar>,
    /// The length of `idle` at which rows are detached.
    idle_limit: usize,
    /// Values at the last feasible point of the variables that have changed since.
    saved: Vec<(ArithVar, DeltaRat)>,
    /// Slack variables attached since the last feasible point.
    attached_since: Vec<ArithVar>,
    feasible_points: u32,
    /// SATISFIED: the last feasible point satisfies this many bounds from the start of the trail.
    satisfied: usize,
    facts: Facts,
    /// The number of pivots made.
    pub(super) pivots: u64,
    /// The number of rows attached.
    pub(super) attachments: u64,
}

impl Simplex {
    /// The number of variables.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.vars.len()
    }

    /// A new structural variable.
    pub(super) fn new_var(&mut self, is_int: bool) -> ArithVar {
        self.add_var(is_int, NO_POLY)
    }

    /// A new slack variable, without a row, for a polynomial that is not known yet.
    pub(super) fn new_slack(&mut self, terms: &[(ArithVar, Int)]) -> ArithVar {
        let is_int = terms.iter().all(|(x, _)| self.vars[x.index()].is_int);
        let poly = self.polys.add(terms, ArithVar::new(self.vars.len() as u32));
        self.add_var(is_int, poly)
    }

    fn add_var(&mut self, is_int: bool, poly: u32) -> ArithVar {
        let x = ArithVar::new(self.vars.len() as u32);
        self.vars.push(VarState {
            value: DeltaRat::ZERO,
            poly,
            saved_at: self.feasible_points.wrapping_sub(1),
            is_int,
            attached: poly == NO_POLY,
            is_possibly_violated: false,
            idle: false,
            unrounded: false,
            watched: false,
            settled: false,
        });
        self.tableau.grow(self.vars.len());
        self.bounds.grow(self.vars.len());
        x
    }

    /// Whether the variable takes integer values only.
    #[inline]
    pub(super) fn is_int(&self, x: ArithVar) -> bool {
        self.vars[x.index()].is_int
    }

    /// The defining polynomial of a slack variable.
    #[inline]
    pub(super) fn definition(&self, x: ArithVar) -> Option<&[(ArithVar, Int)]> {
        let poly = self.vars[x.index()].poly;
        (poly != NO_POLY).then(|| self.polys.terms(poly))
    }

    /// The current value of an attached variable.
    #[inline]
    pub(super) fn attached_value(&self, x: ArithVar) -> &DeltaRat {
        debug_assert!(self.vars[x.index()].attached);
        &self.vars[x.index()].value
    }

    /// The current value of any variable.
    pub(super) fn value(&self, x: ArithVar) -> DeltaRat {
        let state = &self.vars[x.index()];
        if state.attached { state.value.clone() } else { self.evaluate(state.poly) }
    }

    /// Whether the variable has a value of its own: it is structural or has a row.
    #[inline]
    pub(super) fn is_attached(&self, x: ArithVar) -> bool {
        self.vars[x.index()].attached
    }

    fn evaluate(&self, poly: u32) -> DeltaRat {
        let mut sum = DeltaRat::ZERO;
        for (x, coeff) in self.polys.terms(poly) {
            sum.add_mul(&Rat::from(coeff), &self.vars[x.index()].value);
        }
        sum
    }

    /// Puts a bound that tightens its variable on the trail. It takes effect at the next check.
    pub(super) fn assert_bound(&mut self, x: ArithVar, side: Side, value: DeltaRat, lit: Lit) {
        self.bounds.push(x, side, value, lit);
        let state = &self.vars[x.index()];
        if !state.attached || !self.bounds.allows(x, side, &state.value) {
            self.mark_possibly_violated(x);
        }
    }

    /// Takes back bounds until `count` are left.
    pub(super) fn backtrack(&mut self, count: usize) {
        while self.bounds.len() > count {
            let Some(x) = self.bounds.pop() else { break };
            let state = &mut self.vars[x.index()];
            if state.poly != NO_POLY && state.attached && !state.idle && self.bounds.is_free(x) {
                state.idle = true;
                self.idle.push(x);
            }
        }
        self.satisfied = self.satisfied.min(count);
    }

    #[inline]
    fn mark_possibly_violated(&mut self, x: ArithVar) {
        let state = &mut self.vars[x.index()];
        if !state.is_possibly_violated {
            state.is_possibly_violated = true;
            self.possibly_violated.push(x);
        }
    }

    /// Looks for values that satisfy all bounds. If there are none, or the budget ends, the values are those
    /// of the last feasible point.
    pub(super) fn check(&mut self, budget: &mut Budget) -> Result<Feasibility, UnknownReason> {
        if !self.possibly_violated.is_empty() || self.changed {
            match self.restore_feasibility(budget) {
                Ok(Feasibility::Feasible) => {}
                other => {
                    self.restore();
                    return other;
                }
            }
        }
        self.saved.clear();
        self.attached_since.clear();
        self.feasible_points = self.feasible_points.wrapping_add(1);
        self.satisfied = self.bounds.len();
        Ok(Feasibility::Feasible)
    }

    fn restore_feasibility(&mut self, budget: &mut Budget) -> Result<Feasibility, UnknownReason> {
        self.apply_bounds();
        let mut rounds = 0;
        loop {
            let greedy = rounds < GREEDY_PIVOTS;
            let Some((x, side)) = self.leaving(greedy) else {
                if self.changed && self.attach_violated() {
                    continue;
                }
                return Ok(Feasibility::Feasible);
            };
            budget.use_pivot()?;
            if rounds & 63 == 63 {
                budget.check_stop()?;
            }
            let row = self.tableau.row_of(x);
            add_work(2 * self.tableau.row(row).len() + self.possibly_violated.len());
            let Some(pos) = self.entering(row, side, greedy) else {
                return Ok(Feasibility::Infeasible(row, side));
            };
            rounds += 1;
            let Some(bound) = self.bounds.get(x, side) else { unreachable!("a violated bound exists") };
            let target = bound.value.clone();
            self.pivot_and_update(row, pos, target);
        }
    }

    /// Attaches or watches the slack variables that have got a bound and moves non-basic variables into
    /// their bounds.
    fn apply_bounds(&mut self) {
        if self.idle.len() > self.idle_limit.max(IDLE_ROWS) {
            self.detach_idle();
        }
        let mut i = 0;
        while i < self.possibly_violated.len() {
            let x = self.possibly_violated[i];
            let state = &self.vars[x.index()];
            if !state.attached && !self.bounds.is_free(x) {
                let value = self.evaluate(state.poly);
                if self.eager || self.bounds.violated(x, &value).is_some() {
                    self.attach(x, value);
                } else if !state.watched {
                    self.vars[x.index()].watched = true;
                    self.watched.push(x);
                }
            }
            i += 1;
        }
        // Moving a non-basic variable adds only basic variables to the list, at its end.
        let mut i = 0;
        while i < self.possibly_violated.len() {
            let x = self.possibly_violated[i];
            let state = &self.vars[x.index()];
            let violated = if state.attached { self.bounds.violated(x, &state.value) } else { None };
            match violated {
                Some(_) if self.tableau.is_basic(x) => {
                    i += 1;
                    continue;
                }
                Some(side) => {
                    if let Some(bound) = self.bounds.get(x, side) {
                        let target = bound.value.clone();
                        self.update(x, target);
                    }
                }
                None => {}
            }
            self.vars[x.index()].is_possibly_violated = false;
            self.possibly_violated.swap_remove(i);
        }
    }

    /// The basic variable to leave the basis, with the side that it violates.
    fn leaving(&mut self, greedy: bool) -> Option<(ArithVar, Side)> {
        let mut best: Option<(ArithVar, Side)> = None;
        let mut best_key = (usize::MAX, usize::MAX);
        let mut i = 0;
        while i < self.possibly_violated.len() {
            let x = self.possibly_violated[i];
            let row = self.tableau.row_of(x);
            let side =
                if row == NO_ROW { None } else { self.bounds.violated(x, &self.vars[x.index()].value) };
            let Some(side) = side else {
                self.vars[x.index()].is_possibly_violated = false;
                self.possibly_violated.swap_remove(i);
                continue;
            };
            let key = (if greedy { self.tableau.row(row).len() } else { 0 }, self.ties.rank(x.index()));
            if key < best_key {
                best_key = key;
                best = Some((x, side));
            }
            i += 1;
        }
        best
    }

    /// The position in the row of a non-basic variable that has room to move the basic variable towards its
    /// bound on `side`.
    fn entering(&self, row: u32, side: Side, greedy: bool) -> Option<usize> {
        let mut best = None;
        let mut best_key = (usize::MAX, usize::MAX);
        for (pos, entry) in self.tableau.row(row).iter().skip(1) {
            let x = entry.var;
            // The side whose bound stops the variable is the one that an explanation would name.
            let blocking = side.flip(entry.coeff.is_negative());
            let key = (if greedy { self.tableau.column_len(x) } else { 0 }, self.ties.rank(x.index()));
            if key < best_key {
                let has_room = match self.bounds.get(x, blocking) {
                    None => true,
                    Some(bound) => bound.value != self.vars[x.index()].value,
                };
                if has_room {
                    best_key = key;
                    best = Some(pos);
                }
            }
        }
        best
    }

    /// Gives the basic variable of `row` the value `target` by moving the variable at `pos`, and exchanges
    /// the two.
    fn pivot_and_update(&mut self, row: u32, pos: usize, target: DeltaRat) {
        let entries = self.tableau.row(row);
        let (leaving, entering) = (entries.basic().var, entries.at(pos).var);
        let mut step = &self.vars[leaving.index()].value - &target;
        let (basic, other) = (&entries.basic().coeff, &entries.at(pos).coeff);
        if !(basic.is_one() && other.is_one()) {
            step *= &Rat::new(basic.clone(), other.clone());
        }
        self.shift(entering, &step);
        // Exact arithmetic has brought the leaving variable to its target.
        debug_assert_eq!(self.vars[leaving.index()].value, target);
        self.tableau.pivot(row, pos);
        self.pivots += 1;
    }

    /// Gives a non-basic variable a new value.
    pub(super) fn update(&mut self, x: ArithVar, target: DeltaRat) {
        let step = &target - &self.vars[x.index()].value;
        self.shift(x, &step);
    }

    /// Adds `step` to a non-basic variable and changes the basic variables accordingly.
    fn shift(&mut self, x: ArithVar, step: &DeltaRat) {
        self.changed = true;
        let Simplex { tableau, bounds, vars, possibly_violated, saved, feasible_points, .. } = self;
        let mut change = |y: ArithVar, factor: &Rat| {
            let state = &mut vars[y.index()];
            if state.saved_at != *feasible_points {
                state.saved_at = *feasible_points;
                saved.push((y, state.value.clone()));
            }
            state.value.add_mul(factor, step);
            if !state.is_possibly_violated && bounds.violated(y, &state.value).is_some() {
                state.is_possibly_violated = true;
                possibly_violated.push(y);
            }
        };
        change(x, &Rat::ONE);
        add_work(4 * tableau.column_len(x) + 4);
        for occurrence in tableau.column(x) {
            let entries = tableau.row(occurrence.row);
            let basic = entries.basic();
            let coeff = &entries.at(occurrence.pos as usize).coeff;
            let factor =
                if basic.coeff.is_one() { Rat::from(-coeff) } else { Rat::new(-coeff, basic.coeff.clone()) };
            change(basic.var, &factor);
        }
    }

    /// Goes back to the last feasible point.
    fn restore(&mut self) {
        while let Some((x, value)) = self.saved.pop() {
            self.vars[x.index()].value = value;
            self.note_unrounded(x);
        }
        while let Some(x) = self.attached_since.pop() {
            if self.vars[x.index()].attached {
                self.vars[x.index()].value = self.evaluate(self.vars[x.index()].poly);
                self.note_unrounded(x);
            }
        }
        self.feasible_points = self.feasible_points.wrapping_add(1);
        self.changed = false;
        while let Some(x) = self.possibly_violated.pop() {
            self.vars[x.index()].is_possibly_violated = false;
        }
        for i in self.satisfied..self.bounds.len() {
            self.mark_possibly_violated(self.bounds.at(i as u32).var);
        }
    }

    /// Remembers an integer variable that is not basic and has no integer value.
    fn note_unrounded(&mut self, x: ArithVar) {
        let state = &mut self.vars[x.index()];
        if state.is_int && !state.unrounded && !self.tableau.is_basic(x) && !state.value.is_integer() {
            state.unrounded = true;
            self.unrounded.push(x);
        }
    }

    /// Moves integer variables that are not basic to integers within their bounds. A check has to follow.
    pub(super) fn round_nonbasic(&mut self) {
        while let Some(x) = self.unrounded.pop() {
            let state = &mut self.vars[x.index()];
            state.unrounded = false;
            if state.attached && !self.tableau.is_basic(x) && !state.value.is_integer() {
                // Bounds of integer variables are integers, so rounding down stays within them.
                let target = DeltaRat::from(state.value.floor());
                self.update(x, target);
            }
        }
    }
}
