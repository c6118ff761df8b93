//! Values of variables under a label: bounds are pushed through its atoms.
//!
//! An environment maps variables to intervals, and says that every solution in question has its values there.
//! To *assume* a formula makes the intervals smaller by what its conjuncts imply for single variables: each
//! linear atom bounds each of its variables by the ends of the others. A disjunction is assumed by joining what
//! its members give; where all but one are contradictory, that one holds. All steps lose solutions of the
//! environment only where the formula has none.
//!
//! Formulas are opened to a fixed depth; what is deeper is ignored, which is always sound. Bit-vectors have arcs in place
//! of intervals (`bits`).

use std::cell::Cell;
use std::collections::BTreeMap;

use shem_base::{Int, Rat};
use shem_term::{Poly, Sort, Store, Term, View};

use super::values::Values;
use crate::domain::{Arc, Interval};

/// How many passes are made over the conjuncts of a formula.
const ROUNDS: usize = 3;
/// How deep terms are opened.
pub(super) const DEPTH: usize = 4;
/// How deep connectives inside conjunctions are opened, when they are assumed.
const CONNECTIVES: usize = 2;
/// Disjunctions with more members, and polynomials with more summands, are ignored.
pub(super) const WIDTH: usize = 64;
/// Numbers with more bits are not kept.
const BITS: u64 = 200;

/// Where variables have their values; those without an entry may have any value of their sort.
#[derive(Clone, Debug, Default)]
pub(crate) struct Environment {
    values: BTreeMap<Term, Values>,
    /// What entries were before they changed, so that the branches of a disjunction can be undone.
    trail: Vec<(Term, Option<Values>)>,
    /// How many terms have been evaluated.
    pub(super) visits: Cell<usize>,
}

/// The assumptions contradict one another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contradiction;

impl Environment {
    /// Sets the values of a variable.
    pub(super) fn insert(&mut self, variable: Term, values: Values) {
        self.values.insert(variable, values);
    }

    /// The values of a variable.
    pub(super) fn get(&self, store: &Store, variable: Term) -> Values {
        self.values.get(&variable).cloned().unwrap_or_else(|| Values::all(store.sort(variable)))
    }

    /// The interval of a variable that is no bit-vector.
    fn interval(&self, store: &Store, variable: Term) -> Interval {
        match self.values.get(&variable) {
            Some(Values::Numbers(interval)) => interval.clone(),
            _ => Interval::all(store.sort(variable)),
        }
    }

    /// The arc of a variable that is a bit-vector.
    pub(crate) fn arc_of(&self, store: &Store, variable: Term) -> Arc {
        match self.values.get(&variable) {
            Some(Values::Bits(arc)) => arc.clone(),
            _ => Arc::all(store.width(variable)),
        }
    }

    /// Makes the values fewer by what the formula implies.
    pub(crate) fn assume(&mut self, store: &Store, formula: Term) -> Result<(), Contradiction> {
        self.assume_within(store, formula, CONNECTIVES)
    }

    fn assume_within(&mut self, store: &Store, formula: Term, depth: usize) -> Result<(), Contradiction> {
        let members = store.conjuncts(formula);
        for _ in 0..ROUNDS {
            let mut changed = false;
            for &member in &members {
                changed |= self.assume_member(store, member, depth)?;
            }
            if !changed {
                break;
            }
        }
        Ok(())
    }

    /// Assumes one conjunct; whether an interval became smaller.
    fn assume_member(&mut self, store: &Store, member: Term, depth: usize) -> Result<bool, Contradiction> {
        let negated = member.is_negated();
        match store.view(member) {
            View::True if negated => Err(Contradiction),
            View::Var(_) => {
                let value = Interval::point(if negated { Rat::ZERO } else { Rat::ONE });
                self.meet(store, member.positive(), &value)
            }
            View::Le(poly, bound) if negated && store.poly_is_integral(poly) => {
                self.at_least(store, poly, &(bound + &Rat::ONE))
            }
            // The closed interval is what is left of a strict bound.
            View::Le(poly, bound) | View::Lt(poly, bound) if negated => self.at_least(store, poly, bound),
            View::Le(poly, bound) | View::Lt(poly, bound) => self.at_most(store, poly, bound),
            View::Eq(poly, value) if !negated => {
                let above = self.at_least(store, poly, value)?;
                Ok(self.at_most(store, poly, value)? || above)
            }
            View::Eq(poly, value) => self.exclude(store, poly, value),
            View::Iff(a, b) if depth > 0 => {
                for (known, other) in [(a, b), (b, a)] {
                    if let Some(truth) = self.truth(store, known, depth - 1) {
                        let other = other.xor(truth == negated);
                        return self.assume_changed(store, other, depth - 1);
                    }
                }
                Ok(false)
            }
            View::And(_) if negated && depth > 0 => {
                self.assume_some(store, store.disjuncts(member), depth - 1)
            }
            View::Ite(condition, then, els) if depth > 0 => {
                let (then, els) = (then.xor(negated), els.xor(negated));
                match self.truth(store, condition, depth - 1) {
                    Some(true) => self.assume_changed(store, then, depth - 1),
                    Some(false) => self.assume_changed(store, els, depth - 1),
                    None => Ok(false),
                }
            }
            _ => self.assume_bits(store, member),
        }
    }

    pub(super) fn assume_changed(
        &mut self,
        store: &Store,
        formula: Term,
        depth: usize,
    ) -> Result<bool, Contradiction> {
        let mark = self.trail.len();
        self.assume_within(store, formula, depth)?;
        Ok(self.trail.len() > mark)
    }

    /// Assumes that some of the formulas holds: a variable is bounded by what every one of them, other than
    /// those that are contradictory, says.
    fn assume_some(
        &mut self,
        store: &Store,
        members: Vec<Term>,
        depth: usize,
    ) -> Result<bool, Contradiction> {
        if members.len() > WIDTH {
            return Ok(false);
        }
        let mark = self.trail.len();
        let mut joined: Option<BTreeMap<Term, Values>> = None;
        for member in members {
            let holds = self.assume_within(store, member, depth).is_ok();
            let mut found: BTreeMap<Term, Values> = BTreeMap::new();
            for (variable, _) in &self.trail[mark..] {
                found.insert(*variable, self.get(store, *variable));
            }
            self.undo(mark);
            if !holds {
                continue;
            }
            joined = Some(match joined {
                None => found,
                Some(mut before) => {
                    before.retain(|variable, values| match found.get(variable) {
                        Some(other) => {
                            *values = values.join(other);
                            true
                        }
                        None => false,
                    });
                    before
                }
            });
        }
        let mut changed = false;
        for (variable, values) in joined.ok_or(Contradiction)? {
            changed |= match values {
                Values::Numbers(interval) => self.meet(store, variable, &interval)?,
                Values::Bits(arc) => self.meet_arc(store, variable, &arc)?,
            };
        }
        Ok(changed)
    }

    /// Takes back what was assumed since the trail had this length.
    fn undo(&mut self, mark: usize) {
        for (variable, before) in self.trail.drain(mark..).rev() {
            match before {
                Some(values) => self.values.insert(variable, values),
                None => self.values.remove(&variable),
            };
        }
    }

    /// Makes the interval of a variable smaller.
    fn meet(&mut self, store: &Store, variable: Term, with: &Interval) -> Result<bool, Contradiction> {
        let old = self.interval(store, variable);
        let mut new = old.clone();
        if let Some(low) = &with.low
            && low.bits() <= BITS
            && new.low.as_ref().is_none_or(|old| old < low)
        {
            new.low =
                Some(if store.sort(variable) == Sort::Int { Rat::from(low.ceil()) } else { low.clone() });
        }
        if let Some(high) = &with.high
            && high.bits() <= BITS
            && new.high.as_ref().is_none_or(|old| old > high)
        {
            new.high =
                Some(if store.sort(variable) == Sort::Int { Rat::from(high.floor()) } else { high.clone() });
        }
        if let (Some(low), Some(high)) = (&new.low, &new.high)
            && low > high
        {
            return Err(Contradiction);
        }
        let changed = new != old;
        if changed {
            self.set(variable, Values::Numbers(new));
        }
        Ok(changed)
    }

    /// Changes the values of a variable.
    pub(super) fn set(&mut self, variable: Term, values: Values) {
        let before = self.values.insert(variable, values);
        self.trail.push((variable, before));
    }

    /// Assumes `poly <= bound`.
    fn at_most(&mut self, store: &Store, poly: Poly, bound: &Rat) -> Result<bool, Contradiction> {
        self.bound(store, poly, bound, &Int::ONE)
    }

    /// Assumes `poly >= bound`, which is `-poly <= -bound`.
    fn at_least(&mut self, store: &Store, poly: Poly, bound: &Rat) -> Result<bool, Contradiction> {
        self.bound(store, poly, &-bound, &-Int::ONE)
    }

    /// Assumes `sign * poly <= bound`.
    fn bound(&mut self, store: &Store, poly: Poly, bound: &Rat, sign: &Int) -> Result<bool, Contradiction> {
        let terms = store.poly_terms(poly);
        if terms.len() > WIDTH {
            return Ok(false);
        }
        // The least that each summand can be; at most one may be without.
        let mut least = Vec::with_capacity(terms.len());
        for t in terms {
            let factor = Rat::from(&t.coeff).mul_int(sign);
            least.push(self.term(store, t.leaf, DEPTH).scale(&factor).low);
        }
        let open = least.iter().filter(|l| l.is_none()).count();
        let sum: Rat = least.iter().flatten().sum();
        if open == 0 && sum > *bound {
            return Err(Contradiction);
        }
        let mut changed = false;
        for (t, own) in terms.iter().zip(&least) {
            if store.as_var(t.leaf).is_none() || open > usize::from(own.is_none()) {
                continue;
            }
            let others = match own {
                Some(own) => &sum - own,
                None => sum.clone(),
            };
            let factor = Rat::from(&t.coeff).mul_int(sign);
            let end = &(bound - &others) / &factor;
            let with = if factor.is_positive() {
                Interval { low: None, high: Some(end) }
            } else {
                Interval { low: Some(end), high: None }
            };
            changed |= self.meet(store, t.leaf, &with)?;
        }
        Ok(changed)
    }

    /// Assumes that a polynomial differs from a value.
    fn exclude(&mut self, store: &Store, poly: Poly, value: &Rat) -> Result<bool, Contradiction> {
        let [single] = store.poly_terms(poly) else { return Ok(false) };
        let interval = self.term(store, single.leaf, DEPTH);
        if interval.value() == Some(value) {
            return Err(Contradiction);
        }
        if store.as_var(single.leaf).is_none() || store.sort(single.leaf) != Sort::Int {
            return Ok(false);
        }
        if interval.low.as_ref() == Some(value) {
            let with = Interval { low: Some(value + &Rat::ONE), high: None };
            return self.meet(store, single.leaf, &with);
        }
        if interval.high.as_ref() == Some(value) {
            let with = Interval { low: None, high: Some(value - &Rat::ONE) };
            return self.meet(store, single.leaf, &with);
        }
        Ok(false)
    }

    /// Where the values of an arithmetic term are.
    pub(super) fn term(&self, store: &Store, term: Term, depth: usize) -> Interval {
        self.visits.set(self.visits.get() + 1);
        match store.view(term) {
            View::Var(_) => self.interval(store, term),
            View::Num(value) => Interval::point(value.clone()),
            _ if depth == 0 => Interval::default(),
            View::Linear(scale, poly, offset) => {
                let sum = self.poly(store, poly, depth - 1);
                sum.scale(scale).add(&Interval::point(offset.clone()))
            }
            View::Ite(condition, then, els) => match self.truth(store, condition, depth - 1) {
                Some(true) => self.term(store, then, depth - 1),
                Some(false) => self.term(store, els, depth - 1),
                None => self.term(store, then, depth - 1).join(&self.term(store, els, depth - 1)),
            },
            View::Div(inner, modulus) => {
                let factor = Rat::from(modulus).recip();
                self.term(store, inner, depth - 1).scale(&factor).floor()
            }
            View::Mod(_, modulus) => {
                Interval { low: Some(Rat::ZERO), high: Some(Rat::from(modulus) - Rat::ONE) }
            }
            View::ToInt(inner) => self.term(store, inner, depth - 1).floor(),
            View::App(..) => self.integer_of_bits(store, term, depth - 1),
            _ => Interval::default(),
        }
    }

    fn poly(&self, store: &Store, poly: Poly, depth: usize) -> Interval {
        let mut sum = Interval::point(Rat::ZERO);
        for t in store.poly_terms(poly) {
            sum = sum.add(&self.term(store, t.leaf, depth).scale(&Rat::from(&t.coeff)));
            if sum == Interval::default() {
                break;
            }
        }
        sum
    }

    /// The truth value of a formula, if the intervals decide it.
    pub(super) fn truth(&self, store: &Store, formula: Term, depth: usize) -> Option<bool> {
        let value = match store.view(formula) {
            View::True => Some(true),
            View::Var(_) => self.interval(store, formula.positive()).value().map(|v| v.is_one()),
            View::Le(poly, bound) => {
                let Interval { low, high } = self.poly(store, poly, depth);
                match (low, high) {
                    (_, Some(high)) if high <= *bound => Some(true),
                    (Some(low), _) if low > *bound => Some(false),
                    _ => None,
                }
            }
            View::Lt(poly, bound) => {
                let Interval { low, high } = self.poly(store, poly, depth);
                match (low, high) {
                    (_, Some(high)) if high < *bound => Some(true),
                    (Some(low), _) if low >= *bound => Some(false),
                    _ => None,
                }
            }
            View::Eq(poly, value) => {
                let interval = self.poly(store, poly, depth);
                if interval.value() == Some(value) {
                    Some(true)
                } else if Interval::point(value.clone()).is_within(&interval) {
                    None
                } else {
                    Some(false)
                }
            }
            View::And(members) if depth > 0 && members.len() <= WIDTH => {
                let mut all = Some(true);
                for &member in members {
                    match self.truth(store, member, depth - 1) {
                        Some(false) => {
                            all = Some(false);
                            break;
                        }
                        None => all = None,
                        Some(true) => {}
                    }
                }
                all
            }
            _ => self.truth_of_bits(store, formula, depth + 1),
        };
        value.map(|truth| truth != formula.is_negated())
    }
}
