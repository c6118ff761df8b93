//! The bounds in force, as a trail.
//!
//! Every bound is a literal that the search has made true. A bound that tightens its variable is pushed on
//! the trail and remembers the one that it replaces, so that taking it back is a pop. Nothing else is
//! undone on backtracking: the values of the variables stay as they are.

use shem_base::{DeltaRat, Lit};

use super::poly::ArithVar;

/// The absence of a bound.
const NONE: u32 = u32::MAX;

/// Which side a bound is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Lower,
    Upper,
}

impl Side {
    /// The other side.
    #[inline]
    pub(super) fn opposite(self) -> Side {
        match self {
            Side::Lower => Side::Upper,
            Side::Upper => Side::Lower,
        }
    }

    /// The side a bound is on after multiplication by a number that is negative if `negative` holds.
    #[inline]
    pub(super) fn flip(self, negative: bool) -> Side {
        if negative { self.opposite() } else { self }
    }
}

/// A bound in force or shadowed by a tighter one.
#[derive(Clone, Debug)]
pub(super) struct Bound {
    pub(super) value: DeltaRat,
    /// The literal that says it.
    pub(super) lit: Lit,
    pub(super) var: ArithVar,
    pub(super) side: Side,
    /// The bound of the same variable and side that this one replaces.
    previous: u32,
}

/// The trail of bounds.
#[derive(Debug, Default)]
pub(super) struct Bounds {
    trail: Vec<Bound>,
    /// IN-FORCE: the tightest lower and upper bound of each variable on the trail, which is also the
    /// latest.
    current: Vec<[u32; 2]>,
}

impl Bounds {
    /// Makes room for the variables below `count`.
    pub(super) fn grow(&mut self, count: usize) {
        if self.current.len() < count {
            self.current.resize(count, [NONE; 2]);
        }
    }

    /// The number of bounds on the trail.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.trail.len()
    }

    /// The bound at an index of the trail.
    #[inline]
    pub(super) fn at(&self, index: u32) -> &Bound {
        &self.trail[index as usize]
    }

    /// The trail, oldest first.
    pub(super) fn trail(&self) -> &[Bound] {
        &self.trail
    }

    /// The index on the trail of the bound in force.
    #[inline]
    pub(super) fn index(&self, x: ArithVar, side: Side) -> Option<u32> {
        let index = self.current[x.index()][side as usize];
        (index != NONE).then_some(index)
    }

    /// The bound in force.
    #[inline]
    pub(super) fn get(&self, x: ArithVar, side: Side) -> Option<&Bound> {
        self.trail.get(self.current[x.index()][side as usize] as usize)
    }

    /// Whether the variable has no bound at all.
    #[inline]
    pub(super) fn is_free(&self, x: ArithVar) -> bool {
        self.current[x.index()] == [NONE; 2]
    }

    /// Whether the two bounds of the variable coincide.
    #[inline]
    pub(super) fn is_fixed(&self, x: ArithVar) -> bool {
        match (self.get(x, Side::Lower), self.get(x, Side::Upper)) {
            (Some(lower), Some(upper)) => lower.value == upper.value,
            _ => false,
        }
    }

    /// Whether `value` satisfies the bound of this side.
    #[inline]
    pub(super) fn allows(&self, x: ArithVar, side: Side, value: &DeltaRat) -> bool {
        match (self.get(x, side), side) {
            (None, _) => true,
            (Some(bound), Side::Lower) => bound.value <= *value,
            (Some(bound), Side::Upper) => bound.value >= *value,
        }
    }

    /// The side whose bound `value` violates, if any.
    #[inline]
    pub(super) fn violated(&self, x: ArithVar, value: &DeltaRat) -> Option<Side> {
        if !self.allows(x, Side::Lower, value) {
            Some(Side::Lower)
        } else if !self.allows(x, Side::Upper, value) {
            Some(Side::Upper)
        } else {
            None
        }
    }

    /// Puts a bound that tightens its variable on the trail.
    pub(super) fn push(&mut self, var: ArithVar, side: Side, value: DeltaRat, lit: Lit) {
        let slot = &mut self.current[var.index()][side as usize];
        let previous = *slot;
        *slot = self.trail.len() as u32;
        self.trail.push(Bound { value, lit, var, side, previous });
    }

    /// Takes back the latest bound; gives its variable.
    pub(super) fn pop(&mut self) -> Option<ArithVar> {
        let bound = self.trail.pop()?;
        self.current[bound.var.index()][bound.side as usize] = bound.previous;
        Some(bound.var)
    }

    /// Checks IN-FORCE.
    pub(super) fn check_invariants(&self) {
        let mut latest = vec![[NONE; 2]; self.current.len()];
        for (i, bound) in self.trail.iter().enumerate() {
            let slot = &mut latest[bound.var.index()][bound.side as usize];
            assert_eq!(*slot, bound.previous);
            if let Some(older) = self.trail.get(*slot as usize) {
                assert!(match bound.side {
                    Side::Lower => older.value < bound.value,
                    Side::Upper => older.value > bound.value,
                });
            }
            *slot = i as u32;
        }
        assert_eq!(latest, self.current);
    }
}
