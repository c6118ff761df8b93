//! Sets of cuts.
//!
//! All cuts of a query are interpolated together, so the side of a symbol is not one bit but one a cut. The
//! width is a parameter of the type, which keeps the common case, up to 64 cuts, a single word.

use std::ops::{BitAnd, BitOr, Not};

/// A set of cuts with indices below `64 * W`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CutSet<const W: usize>([u64; W]);

impl<const W: usize> CutSet<W> {
    /// No cut.
    pub(super) const EMPTY: Self = CutSet([0; W]);
    /// Every cut.
    pub(super) const ALL: Self = CutSet([u64::MAX; W]);

    /// The first `count` cuts.
    pub(super) fn first(count: usize) -> Self {
        let mut set = Self::EMPTY;
        for (index, word) in set.0.iter_mut().enumerate() {
            *word = match count.saturating_sub(64 * index) {
                0 => 0,
                some @ 1..64 => (1 << some) - 1,
                _ => u64::MAX,
            };
        }
        set
    }

    /// The number of cuts in the set below this one.
    #[inline]
    pub(super) fn rank(&self, cut: usize) -> usize {
        let before: u32 = self.0[..cut / 64].iter().map(|word| word.count_ones()).sum();
        (before + (self.0[cut / 64] & ((1 << (cut % 64)) - 1)).count_ones()) as usize
    }

    /// The number of cuts in the set.
    pub(super) fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub(super) fn insert(&mut self, cut: usize) {
        self.0[cut / 64] |= 1 << (cut % 64);
    }

    #[inline]
    pub(super) fn contains(&self, cut: usize) -> bool {
        self.0[cut / 64] >> (cut % 64) & 1 != 0
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// Whether every cut of the set is in the other one.
    pub(super) fn is_subset(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a & !b == 0)
    }

    /// The cuts in increasing order.
    pub(super) fn iter(self) -> impl Iterator<Item = usize> {
        self.0.into_iter().enumerate().flat_map(|(index, word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = rest.trailing_zeros() as usize;
                rest &= rest.wrapping_sub(1);
                (bit < 64).then_some(64 * index + bit)
            })
        })
    }
}

impl<const W: usize> BitAnd for CutSet<W> {
    type Output = Self;

    #[inline]
    fn bitand(mut self, other: Self) -> Self {
        for (a, b) in self.0.iter_mut().zip(other.0) {
            *a &= b;
        }
        self
    }
}

impl<const W: usize> BitOr for CutSet<W> {
    type Output = Self;

    #[inline]
    fn bitor(mut self, other: Self) -> Self {
        for (a, b) in self.0.iter_mut().zip(other.0) {
            *a |= b;
        }
        self
    }
}

impl<const W: usize> Not for CutSet<W> {
    type Output = Self;

    #[inline]
    fn not(mut self) -> Self {
        for a in &mut self.0 {
            *a = !*a;
        }
        self
    }
}

/// On which sides of each cut something occurs, or may occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sides<const W: usize> {
    /// The cuts on whose A side it is.
    pub(super) a: CutSet<W>,
    /// The cuts on whose B side it is.
    pub(super) b: CutSet<W>,
}

impl<const W: usize> Sides<W> {
    /// On no side.
    pub(super) const NONE: Self = Sides { a: CutSet::EMPTY, b: CutSet::EMPTY };
    /// On both sides of every cut.
    pub(super) const BOTH: Self = Sides { a: CutSet::ALL, b: CutSet::ALL };

    /// The sides of what has one side of each cut, the A side of the given ones.
    pub(super) fn of_a(a: CutSet<W>) -> Self {
        Sides { a, b: !a }
    }

    pub(super) fn is_none(&self) -> bool {
        self.a.is_empty() && self.b.is_empty()
    }

    /// The sides of either.
    pub(super) fn join(self, other: Self) -> Self {
        Sides { a: self.a | other.a, b: self.b | other.b }
    }

    /// The sides that have both.
    pub(super) fn meet(self, other: Self) -> Self {
        Sides { a: self.a & other.a, b: self.b & other.b }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_are_listed_in_order() {
        let mut set = CutSet::<4>::EMPTY;
        for cut in [200, 0, 63, 64, 255] {
            set.insert(cut);
        }
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 63, 64, 200, 255]);
        assert!(set.contains(64) && !set.contains(65));
        assert!((set & CutSet::first(64)).is_subset(&set));
        assert_eq!((set & !set), CutSet::EMPTY);
        assert_eq!([0, 1, 63, 64, 65, 200, 255].map(|cut| set.rank(cut)), [0, 1, 1, 2, 3, 3, 4]);
        for count in [0, 1, 63, 64, 65, 128, 256] {
            assert_eq!(CutSet::<4>::first(count).iter().collect::<Vec<_>>(), (0..count).collect::<Vec<_>>());
        }
    }
}
