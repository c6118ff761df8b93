//! Settings of TRL.

use super::precision::Precision;
use crate::{choice, settings};

/// Where the search begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// At the initial states.
    Forward,
    /// At the bad states.
    Backward,
    /// At both, a step each in turn.
    Interleaved,
}

choice!(Direction {
    "forward" => Direction::Forward,
    "backward" => Direction::Backward,
    "interleaved" => Direction::Interleaved,
});

settings! {
    /// Settings of TRL.
    pub struct Settings {
        direction: Direction = Direction::Interleaved,
            "trl.direction", "where the search begins", "options.md#engine-trl";
        precision: Precision = Precision::Rising,
            "trl.precision", "how finely the steps of a trace are told apart", "options.md#engine-trl";
        prefix: usize = 128,
            "trl.prefix", "the most plain steps with which a search begins when others have failed",
            "options.md#engine-trl";
        divisibility: bool = true,
            "trl.divisibility", "learn what divides the change of a loop", "options.md#engine-trl";
        growth: bool = true,
            "trl.growth", "learn changes of a loop that depend on the state", "options.md#engine-trl";
    }
}

impl Settings {
    /// The numbers of plain steps after none: powers of four times two, up to the greatest.
    pub(super) fn prefixes(&self) -> Vec<usize> {
        let sizes = std::iter::successors(Some(2_usize), |&size| size.checked_mul(4));
        let mut sizes: Vec<usize> = sizes.take_while(|&size| size < self.prefix).collect();
        if self.prefix > 0 {
            sizes.push(self.prefix);
        }
        sizes
    }
}
