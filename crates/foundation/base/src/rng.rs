//! Seeded randomness: the generator xoshiro256** (Blackman and Vigna 2018), seeded through splitmix64.
//!
//! It is fast, small, and the same on every platform, which is all that tie-breaking and test generation ask
//! for. It is not for secrets.

use std::ops::RangeInclusive;

/// A seeded generator of pseudo-random numbers.
#[derive(Clone, Debug)]
pub struct Rng {
    state: [u64; 4],
}

impl Rng {
    /// The generator of this seed; every seed is good, zero included.
    pub fn new(seed: u64) -> Rng {
        let mut mixed = seed;
        let state = std::array::from_fn(|_| {
            mixed = mixed.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut word = mixed;
            word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            word ^ (word >> 31)
        });
        Rng { state }
    }

    /// The next 64 bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        let state = &mut self.state;
        let result = state[1].wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let shifted = state[1] << 17;
        state[2] ^= state[0];
        state[3] ^= state[1];
        state[1] ^= state[2];
        state[0] ^= state[3];
        state[2] ^= shifted;
        state[3] = state[3].rotate_left(45);
        result
    }

    /// A number less than `n`, by the multiply-shift method; its bias is below `n / 2^64`.
    ///
    /// # Panics
    /// If `n` is zero.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        assert!(n > 0, "an empty range has no elements");
        ((u128::from(self.next_u64()) * u128::from(n)) >> 64) as u64
    }

    /// An index less than `n`.
    ///
    /// # Panics
    /// If `n` is zero.
    #[inline]
    pub fn index(&mut self, n: usize) -> usize {
        self.below(n as u64) as usize
    }

    /// A number of the range.
    ///
    /// # Panics
    /// If the range is empty.
    pub fn range(&mut self, range: RangeInclusive<i64>) -> i64 {
        let (low, high) = range.into_inner();
        assert!(low <= high, "an empty range has no elements");
        match (high.wrapping_sub(low) as u64).checked_add(1) {
            Some(size) => low.wrapping_add(self.below(size) as i64),
            None => self.next_u64() as i64,
        }
    }

    /// True with a probability of `percent` in a hundred.
    #[inline]
    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// True or false, with even chances.
    #[inline]
    pub fn bool(&mut self) -> bool {
        self.next_u64() >> 63 != 0
    }

    /// Puts the items into a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            let chosen = self.index(end + 1);
            items.swap(end, chosen);
        }
    }

    /// One of the items.
    ///
    /// # Panics
    /// If there is none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.index(items.len())]
    }
}

/// The order of a seed among what is otherwise alike: that of their numbers for seed 0, and a fixed other one for each
/// other seed.
#[derive(Clone, Copy, Debug)]
pub struct TieBreak {
    /// An odd number.
    factor: usize,
    summand: usize,
}

impl TieBreak {
    /// The order of this seed.
    pub fn new(seed: u64) -> TieBreak {
        let mut rng = Rng::new(seed);
        let mut word = || rng.next_u64() as usize;
        if seed == 0 { TieBreak::default() } else { TieBreak { factor: word() | 1, summand: word() } }
    }

    /// The rank of a number. Different numbers have different ranks, since the factor is odd.
    #[inline]
    pub fn rank(self, number: usize) -> usize {
        number.wrapping_mul(self.factor).wrapping_add(self.summand)
    }
}

impl Default for TieBreak {
    fn default() -> TieBreak {
        TieBreak { factor: 1, summand: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_break_ties() {
        let order = |seed| {
            let ties = TieBreak::new(seed);
            let mut numbers: Vec<usize> = (0..64).collect();
            numbers.sort_by_key(|&number| ties.rank(number));
            numbers
        };
        assert_eq!(order(0), (0..64).collect::<Vec<_>>());
        assert_eq!(order(5), order(5));
        for seed in 1..8 {
            assert_ne!(order(seed), order(0), "seed {seed}");
            assert_ne!(order(seed), order(seed + 1), "seed {seed}");
        }
    }

    #[test]
    fn same_seed_same_numbers() {
        let draw = |seed| {
            let mut rng = Rng::new(seed);
            (0..8).map(|_| rng.next_u64()).collect::<Vec<_>>()
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
        assert!(draw(0).iter().any(|&n| n != 0));
    }

    #[test]
    fn numbers_stay_in_range_and_reach_its_ends() {
        let mut rng = Rng::new(1);
        let mut seen = [false; 7];
        for _ in 0..1000 {
            seen[(rng.range(-3..=3) + 3) as usize] = true;
            assert!(rng.below(10) < 10);
            assert!(rng.chance(100) && !rng.chance(0));
        }
        assert_eq!(seen, [true; 7]);
        rng.range(i64::MIN..=i64::MAX);
        assert_eq!(rng.range(i64::MAX..=i64::MAX), i64::MAX);
    }

    #[test]
    fn shuffling_keeps_the_items() {
        let mut rng = Rng::new(2);
        let mut items: Vec<u32> = (0..50).collect();
        rng.shuffle(&mut items);
        assert_ne!(items, (0..50).collect::<Vec<_>>());
        assert!(items.contains(rng.pick(&items.clone())));
        items.sort_unstable();
        assert_eq!(items, (0..50).collect::<Vec<_>>());
    }
}
