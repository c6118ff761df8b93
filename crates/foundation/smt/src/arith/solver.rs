//! The arithmetic solver: a theory of linear constraints over reals and integers.

use shem_base::{Budget, DeltaRat, Int, Lit, Rat, Statistics, TieBreak, UnknownReason, Var, add_work};
use shem_proof::Lemma;

use super::atoms::Atoms;
use super::bounds::Side;
use super::explain::opposite_bounds;
use super::integer::Integers;
use super::options::ArithOptions;
use super::poly::ArithVar;
use super::propagate::Propagations;
use super::simplex::{Feasibility, Simplex};
use crate::theory::{Consistency, FinalCheck, Theory};

/// The units of work that a bound counts for.
const WORK_OF_BOUND: usize = 16;

/// A literal asserted by the search.
#[derive(Debug)]
struct Asserted {
    atom: u32,
    /// The number of bounds before.
    bounds: u32,
}

/// What there was when a scope was opened.
#[derive(Debug)]
struct Scope {
    vars: usize,
    polys: usize,
    atoms: usize,
    propagations: usize,
}

/// Decides conjunctions of linear constraints over reals and integers.
///
/// Variables and linear forms are made with [`Arith::new_var`] and [`Arith::poly`], atoms on them with
/// [`Arith::register_atom`]; everything made inside a scope goes with it. The search drives the rest
/// through [`Theory`].
#[derive(Debug, Default)]
pub struct Arith {
    pub(super) simplex: Simplex,
    pub(super) atoms: Atoms,
    asserted: Vec<Asserted>,
    propagations: Propagations,
    scopes: Vec<Scope>,
    pub(super) integers: Integers,
    pub(super) options: ArithOptions,
    /// By variable: its colours, as bits.
    colours: Vec<u64>,
    /// The value of the infinitesimal in the current model.
    pub(super) epsilon: Rat,
    checks: u64,
    conflicts: u64,
}

impl Arith {
    /// A solver without variables.
    pub fn new(options: ArithOptions) -> Arith {
        let mut arith = Arith { options, ..Arith::default() };
        arith.simplex.eager = arith.options.row_propagation;
        arith
    }

    /// Lets choices among pivots that are as good follow a seed; those without a seed for 0.
    pub fn set_seed(&mut self, seed: u64) {
        self.simplex.ties = TieBreak::new(seed);
    }

    /// The options.
    pub fn options(&self) -> &ArithOptions {
        &self.options
    }

    /// A new structural variable.
    pub fn new_var(&mut self, is_int: bool) -> ArithVar {
        let x = self.simplex.new_var(is_int);
        self.atoms.grow(self.simplex.len());
        x
    }

    /// Gives a structural variable a colour, from 0 to 63. A variable may have several.
    pub fn colour(&mut self, x: ArithVar, colour: u32) {
        if self.colours.len() <= x.index() {
            self.colours.resize(x.index() + 1, 0);
        }
        self.colours[x.index()] |= 1 << colour;
    }

    /// The colours of a structural variable, as bits.
    pub(crate) fn colours(&self, x: ArithVar) -> u64 {
        self.colours.get(x.index()).copied().unwrap_or(0)
    }

    /// Whether a split on the form is allowed.
    pub(super) fn allows_split(&self, terms: &[(ArithVar, Int)]) -> bool {
        let mut common = u64::MAX;
        terms.iter().for_each(|(x, _)| common &= self.colours(*x));
        !self.options.pure_splits || common != 0
    }

    /// The number of variables, structural and slack.
    pub fn var_count(&self) -> usize {
        self.simplex.len()
    }

    /// Whether the variable takes integer values only.
    pub fn is_int(&self, x: ArithVar) -> bool {
        self.simplex.is_int(x)
    }

    /// The variable that stands for a linear form: sorted by variable, over structural variables, with at
    /// least one term, coprime integer coefficients and the first of them positive.
    pub fn poly(&mut self, terms: &[(ArithVar, Int)]) -> ArithVar {
        debug_assert!(!terms.is_empty() && terms[0].1.is_positive());
        debug_assert!(terms.windows(2).all(|w| w[0].0 < w[1].0));
        debug_assert!(terms.iter().all(|(x, c)| !c.is_zero() && self.simplex.definition(*x).is_none()));
        debug_assert!(terms.iter().fold(Int::ZERO, |g, (_, c)| g.gcd(c)).is_one());
        if let [(x, _)] = terms {
            return *x;
        }
        if let Some(slack) = self.simplex.polys.find(terms) {
            return slack;
        }
        let slack = self.simplex.new_slack(terms);
        self.atoms.grow(self.simplex.len());
        slack
    }

    /// The linear form that a slack variable stands for; `None` for a structural variable.
    pub fn definition(&self, x: ArithVar) -> Option<&[(ArithVar, Int)]> {
        self.simplex.definition(x)
    }

    /// The literal that says `x <= c`, or `x < c` if `strict`, if there is such an atom.
    pub fn atom(&self, x: ArithVar, c: &Rat, strict: bool) -> Option<Lit> {
        let atom = self.atoms.find(x, c, strict, self.simplex.is_int(x))?;
        Some(self.atoms.get(atom).sat_var.positive())
    }

    /// Makes the propositional variable `var` mean `x <= c`, or `x < c` if `strict`. For an integer variable
    /// the bound is tightened to an integer.
    ///
    /// # Panics
    /// If there is such an atom already, or `var` is another atom.
    pub fn register_atom(&mut self, x: ArithVar, c: &Rat, strict: bool, var: Var) {
        self.atoms.add(x, c, strict, self.simplex.is_int(x), var);
    }

    /// Takes an atom out of propagation, because no active clause mentions it, or puts it back. A dormant
    /// atom costs nothing until it is asserted, which is allowed.
    pub fn set_dormant(&mut self, var: Var, dormant: bool) {
        if let Some(atom) = self.atoms.of(var) {
            self.atoms.set_dormant(atom, dormant);
        }
    }

    /// What an atom means: the variable, the upper bound that holds if it is true and the lower bound that
    /// holds if it is false.
    pub fn meaning(&self, var: Var) -> Option<(ArithVar, &DeltaRat, &DeltaRat)> {
        let atom = self.atoms.get(self.atoms.of(var)?);
        Some((atom.var, &atom.upper, &atom.lower))
    }

    /// The lower bound in force, with the literal that says it.
    pub fn lower(&self, x: ArithVar) -> Option<(&DeltaRat, Lit)> {
        self.simplex.bounds.get(x, Side::Lower).map(|bound| (&bound.value, bound.lit))
    }

    /// The upper bound in force, with the literal that says it.
    pub fn upper(&self, x: ArithVar) -> Option<(&DeltaRat, Lit)> {
        self.simplex.bounds.get(x, Side::Upper).map(|bound| (&bound.value, bound.lit))
    }

    /// The number of literals asserted.
    pub fn asserted(&self) -> usize {
        self.asserted.len()
    }

    /// Counters of the work done.
    pub fn statistics(&self) -> Statistics {
        let mut statistics = Statistics::new();
        statistics.add("checks", self.checks);
        statistics.add("conflicts", self.conflicts);
        statistics.add("pivots", self.simplex.pivots);
        statistics.add("attachments", self.simplex.attachments);
        statistics.add("settled", self.simplex.settled() as u64);
        let tableau = &self.simplex.tableau;
        statistics.add("rows", tableau.live().len() as u64);
        let entries: usize = tableau.live().iter().map(|&row| tableau.row(row).len()).sum();
        statistics.add("entries", entries as u64);
        statistics.add("propagations", self.propagations.count);
        self.integers.count(&mut statistics);
        statistics
    }

    /// Checks all invariants of the solver; for tests.
    ///
    /// # Panics
    /// If one does not hold.
    pub fn check_invariants(&self) {
        self.simplex.check_invariants();
        self.atoms.check_invariants();
    }

    /// Checks the bounds over the rationals.
    pub(super) fn check_rationals(
        &mut self,
        lemma: &mut Lemma,
        budget: &mut Budget,
    ) -> Result<bool, UnknownReason> {
        match self.simplex.check(budget)? {
            Feasibility::Feasible => Ok(true),
            Feasibility::Infeasible(row, side) => {
                self.simplex.explain_row(row, side, lemma);
                self.conflicts += 1;
                Ok(false)
            }
        }
    }
}

impl Theory for Arith {
    fn start(&mut self) {
        self.integers.start();
    }

    fn assert_lit(&mut self, lit: Lit, lemma: &mut Lemma) -> bool {
        add_work(WORK_OF_BOUND);
        let Some(index) = self.atoms.of(lit.var()) else {
            unreachable!("{lit:?} is not an arithmetic literal")
        };
        let atom = self.atoms.get(index);
        let x = atom.var;
        let (side, value) =
            if lit.is_positive() { (Side::Upper, &atom.upper) } else { (Side::Lower, &atom.lower) };
        let bounds = self.simplex.bounds.len() as u32;
        let redundant = match self.simplex.bounds.get(x, side) {
            Some(bound) if side == Side::Upper => bound.value <= *value,
            Some(bound) => bound.value >= *value,
            None => false,
        };
        if !redundant {
            if let Some(bound) = self.simplex.bounds.get(x, side.opposite())
                && (if side == Side::Upper { *value < bound.value } else { *value > bound.value })
            {
                opposite_bounds(lit, bound.lit, lemma);
                self.conflicts += 1;
                return false;
            }
            self.simplex.assert_bound(x, side, value.clone(), lit);
            self.atoms.set_asserted(index, true);
            self.propagations.propagate_bound(index, side, &self.simplex, &mut self.atoms);
        } else {
            self.atoms.set_asserted(index, true);
        }
        self.asserted.push(Asserted { atom: index, bounds });
        true
    }

    fn settle(&mut self, count: usize) {
        if !self.options.settle_facts {
            return;
        }
        let bounds = self.simplex.bounds.len();
        self.simplex.settle(self.asserted.get(count).map_or(bounds, |asserted| asserted.bounds as usize));
    }

    fn check(&mut self, lemma: &mut Lemma, budget: &mut Budget) -> Consistency {
        self.checks += 1;
        match self.check_rationals(lemma, budget) {
            Ok(true) => {
                if self.options.row_propagation {
                    let length = self.options.row_propagation_length;
                    self.propagations.through_rows(length, &self.simplex, &mut self.atoms);
                }
                Consistency::Consistent
            }
            Ok(false) => Consistency::Conflict,
            Err(reason) => Consistency::Unknown(reason),
        }
    }

    fn next_propagation(&mut self) -> Option<Lit> {
        self.propagations.next(self.asserted.len())
    }

    fn explain(&mut self, lit: Lit, lemma: &mut Lemma) {
        self.propagations.explain(lit, &self.simplex, &self.atoms, lemma);
    }

    fn final_check(&mut self, next_var: Var, lemma: &mut Lemma, budget: &mut Budget) -> FinalCheck {
        self.complete(next_var, lemma, budget).unwrap_or_else(FinalCheck::Unknown)
    }

    fn backtrack(&mut self, count: usize) {
        while self.asserted.len() > count {
            let Some(asserted) = self.asserted.pop() else { break };
            self.atoms.set_asserted(asserted.atom, false);
            self.simplex.backtrack(asserted.bounds as usize);
        }
        self.propagations.backtrack(count, self.simplex.bounds.len(), &mut self.atoms);
    }

    fn set_active(&mut self, var: Var, active: bool) {
        self.set_dormant(var, !active);
    }

    fn suggest_phase(&self, var: Var) -> Option<bool> {
        let atom = self.atoms.get(self.atoms.of(var)?);
        Some(if self.simplex.is_attached(atom.var) {
            *self.simplex.attached_value(atom.var) <= atom.upper
        } else {
            self.simplex.value(atom.var) <= atom.upper
        })
    }

    fn push(&mut self) {
        self.scopes.push(Scope {
            vars: self.simplex.len(),
            polys: self.simplex.polys.len(),
            atoms: self.atoms.len(),
            propagations: self.propagations.len(),
        });
    }

    fn pop(&mut self, _first_var: Var) {
        let Some(scope) = self.scopes.pop() else { return };
        self.propagations.forget_atoms(scope.propagations, scope.atoms, &mut self.atoms);
        self.atoms.truncate(scope.atoms);
        self.colours.truncate(scope.vars);
        self.simplex.truncate(scope.vars, scope.polys);
    }
}
