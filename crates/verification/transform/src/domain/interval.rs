//! Intervals of numbers. The abstract interpretation of truth values takes them as the numbers 0 and 1.

use shem_base::Rat;
use shem_term::Sort;

/// A closed interval; `None` is infinity. The lower end is not above the upper one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interval {
    /// The lower end.
    pub low: Option<Rat>,
    /// The upper end.
    pub high: Option<Rat>,
}

impl Interval {
    /// All values of a sort.
    pub fn all(sort: Sort) -> Interval {
        match sort {
            Sort::Bool => Interval { low: Some(Rat::ZERO), high: Some(Rat::ONE) },
            _ => Interval::default(),
        }
    }

    /// The interval of one value.
    pub fn point(value: Rat) -> Interval {
        Interval { low: Some(value.clone()), high: Some(value) }
    }

    /// The value, if there is only one.
    pub fn value(&self) -> Option<&Rat> {
        if self.low == self.high { self.low.as_ref() } else { None }
    }

    /// The least interval that has both.
    pub fn join(&self, other: &Interval) -> Interval {
        let pick = |a: &Option<Rat>, b: &Option<Rat>, least: bool| match (a, b) {
            (Some(a), Some(b)) => Some(if (a <= b) == least { a.clone() } else { b.clone() }),
            _ => None,
        };
        Interval { low: pick(&self.low, &other.low, true), high: pick(&self.high, &other.high, false) }
    }

    /// Whether every number of the interval is in the other one.
    pub fn is_within(&self, other: &Interval) -> bool {
        let low = match (&self.low, &other.low) {
            (_, None) => true,
            (None, _) => false,
            (Some(a), Some(b)) => a >= b,
        };
        let high = match (&self.high, &other.high) {
            (_, None) => true,
            (None, _) => false,
            (Some(a), Some(b)) => a <= b,
        };
        low && high
    }

    /// This interval, which contains the old one, with the ends that moved put to infinity.
    pub fn widen(&self, old: &Interval) -> Interval {
        Interval {
            low: if self.low == old.low { self.low.clone() } else { None },
            high: if self.high == old.high { self.high.clone() } else { None },
        }
    }

    /// Adds a value: an end that it is beyond moves to where `below` or `above` puts it. Returns whether the lower and the
    /// upper end have moved.
    pub fn join_value(
        &mut self,
        value: &Rat,
        below: impl FnOnce(&Rat) -> Option<Rat>,
        above: impl FnOnce(&Rat) -> Option<Rat>,
    ) -> (bool, bool) {
        let lower = self.low.as_ref().is_some_and(|low| value < low);
        let higher = self.high.as_ref().is_some_and(|high| value > high);
        if lower {
            self.low = below(value);
        }
        if higher {
            self.high = above(value);
        }
        (lower, higher)
    }

    /// The multiple of the interval by a number that is not zero.
    pub fn scale(&self, factor: &Rat) -> Interval {
        let times = |end: &Option<Rat>| end.as_ref().map(|end| end * factor);
        let (low, high) = (times(&self.low), times(&self.high));
        if factor.is_negative() { Interval { low: high, high: low } } else { Interval { low, high } }
    }

    /// The sums of two intervals.
    pub fn add(&self, other: &Interval) -> Interval {
        let sum = |a: &Option<Rat>, b: &Option<Rat>| Some(a.as_ref()? + b.as_ref()?);
        Interval { low: sum(&self.low, &other.low), high: sum(&self.high, &other.high) }
    }

    /// The interval of the values rounded down.
    pub fn floor(&self) -> Interval {
        let floor = |end: &Option<Rat>| end.as_ref().map(|end| Rat::from(end.floor()));
        Interval { low: floor(&self.low), high: floor(&self.high) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(low: Option<i64>, high: Option<i64>) -> Interval {
        Interval { low: low.map(Rat::from), high: high.map(Rat::from) }
    }

    #[test]
    fn ends() {
        let (a, b) = (interval(Some(0), Some(3)), interval(Some(-2), None));
        assert_eq!(a.join(&b), interval(Some(-2), None));
        assert_eq!(b.join(&a), interval(Some(-2), None));
        assert!(a.is_within(&b) && !b.is_within(&a) && a.is_within(&a));
        assert_eq!(a.scale(&Rat::from(-2)), interval(Some(-6), Some(0)));
        assert_eq!(b.scale(&Rat::from(-1)), interval(None, Some(2)));
        assert_eq!(a.add(&b), interval(Some(-2), None));
        assert_eq!(interval(Some(-1), Some(3)).widen(&a), interval(None, Some(3)));
        assert_eq!(Interval { low: Some(Rat::new(-1, 2)), high: None }.floor(), interval(Some(-1), None));
        assert_eq!(Interval::point(Rat::ONE).value(), Some(&Rat::ONE));
        assert_eq!(a.value(), None);
    }
}
