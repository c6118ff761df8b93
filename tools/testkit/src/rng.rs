//! Seeded randomness for the generators.
//!
//! The recorded answers of `tests/data` belong to scripts that are a pure function of (profile, seed);
//! they would all be void if the stream of numbers changed. So the generator keeps its own small
//! SplitMix64 (Steele, Lea and Flood, 2014) and does not follow whatever the solver uses.

/// A SplitMix64 stream.
#[derive(Clone, Debug)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// The stream of a seed; the first outputs are discarded so that near seeds part at once.
    pub fn new(seed: u64) -> Self {
        let mut rng = Self { state: seed };
        rng.bits();
        Self { state: rng.bits() ^ seed.rotate_left(32) }
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which must not be 0.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.bits()) * bound as u128) >> 64) as usize
    }

    /// A number of the closed interval from `low` to `high`.
    pub fn range(&mut self, low: i64, high: i64) -> i64 {
        let width = (i128::from(high) - i128::from(low) + 1) as u128;
        let step = (u128::from(self.bits()) * width) >> 64;
        (i128::from(low) + step as i128) as i64
    }

    /// True in `percent` of 100 cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// An element of a slice that is not empty.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::Rng;

    #[test]
    fn the_stream_is_a_function_of_the_seed() {
        let stream = |seed| {
            let mut rng = Rng::new(seed);
            (0..20).map(|_| rng.range(-50, 50)).collect::<Vec<_>>()
        };
        assert_eq!(stream(7), stream(7));
        assert_ne!(stream(7), stream(8));
        assert!(stream(9).iter().all(|value| (-50..=50).contains(value)));
    }

    #[test]
    fn extreme_ranges_do_not_overflow() {
        let mut rng = Rng::new(1);
        for _ in 0..100 {
            rng.range(i64::MIN, i64::MAX);
            assert_eq!(rng.range(3, 3), 3);
            assert!(rng.below(1) == 0);
        }
    }
}
