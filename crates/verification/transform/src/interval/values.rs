//! What is known of the value of a variable: an interval of numbers, or an arc of bit-vectors.

use shem_base::{BitVec, Int};
use shem_term::{Sort, Store, Term};

use crate::domain::{Arc, Interval};

/// Where the values of a variable are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Values {
    /// In an interval. Truth values are 0 and 1; of other sorts that are no numbers nothing is known.
    Numbers(Interval),
    /// In an arc.
    Bits(Arc),
}

impl Values {
    /// All values of a sort.
    pub(crate) fn all(sort: Sort) -> Values {
        match sort.bit_width() {
            Some(width) => Values::Bits(Arc::all(width)),
            None => Values::Numbers(Interval::all(sort)),
        }
    }

    fn combine(
        &self,
        other: &Values,
        intervals: impl Fn(&Interval, &Interval) -> Interval,
        arcs: impl Fn(&Arc, &Arc) -> Arc,
    ) -> Values {
        match (self, other) {
            (Values::Numbers(a), Values::Numbers(b)) => Values::Numbers(intervals(a, b)),
            (Values::Bits(a), Values::Bits(b)) => Values::Bits(arcs(a, b)),
            _ => unreachable!("values of one sort"),
        }
    }

    /// The least that have both.
    pub(crate) fn join(&self, other: &Values) -> Values {
        self.combine(other, Interval::join, Arc::join)
    }

    /// These, which contain the old ones, with ends that moved put far away.
    pub(crate) fn widen(&self, old: &Values) -> Values {
        self.combine(old, Interval::widen, Arc::widen)
    }

    /// Whether all of these are among the others.
    pub(crate) fn is_within(&self, other: &Values) -> bool {
        match (self, other) {
            (Values::Numbers(a), Values::Numbers(b)) => a.is_within(b),
            (Values::Bits(a), Values::Bits(b)) => a.is_within(b),
            _ => unreachable!("values of one sort"),
        }
    }

    /// The constant of this sort, if there is only one value.
    pub(crate) fn constant(&self, store: &mut Store, sort: Sort) -> Option<Term> {
        match self {
            Values::Numbers(interval) => {
                let value = interval.value()?;
                Some(if sort == Sort::Bool {
                    Term::from_bool(value.is_one())
                } else {
                    store.numeral(value, sort)
                })
            }
            Values::Bits(arc) => Some(store.bit_vector(&arc.value()?)),
        }
    }

    /// The formula that says that a term has such a value.
    pub(crate) fn describe(&self, store: &mut Store, term: Term) -> Term {
        let sort = store.sort(term);
        if let Some(constant) = self.constant(store, sort) {
            return store.eq(term, constant);
        }
        let mut parts = Vec::new();
        match self {
            Values::Numbers(_) if sort == Sort::Bool => {}
            Values::Numbers(Interval { low, high }) => {
                if let Some(low) = low {
                    let low = store.numeral(low, sort);
                    parts.push(store.ge(term, low));
                }
                if let Some(high) = high {
                    let high = store.numeral(high, sort);
                    parts.push(store.le(term, high));
                }
            }
            Values::Bits(arc) => parts.push(describe_arc(store, arc, term)),
        }
        store.and(&parts)
    }
}

/// A comparison with signs or without, whichever does; otherwise one of the distance from where the arc begins.
fn describe_arc(store: &mut Store, arc: &Arc, term: Term) -> Term {
    if arc.is_all() {
        return Term::TRUE;
    }
    let number = |store: &mut Store, number: &Int| store.bit_vector(&BitVec::from_int(arc.width(), number));
    if let Some(has_sign) = [false, true].into_iter().find(|&has_sign| !arc.is_torn(has_sign)) {
        let (low, high) = arc.range(has_sign);
        let (low, high) = (number(store, &low), number(store, &high));
        let (above, below) = match has_sign {
            true => (store.bv_sle(low, term), store.bv_sle(term, high)),
            false => (store.bv_ule(low, term), store.bv_ule(term, high)),
        };
        return store.and2(above, below);
    }
    let (low, high) = arc.integers();
    let (length, low) = (number(store, &(&high - &low)), number(store, &low));
    let distance = store.bv_sub(term, low);
    store.bv_ule(distance, length)
}
