//! Settings of TRL.

use super::precision::Precision;
use crate::choice;

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

/// Settings of TRL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Where the search begins.
    pub direction: Direction,
    /// How finely the steps of a trace are told apart.
    pub precision: Precision,
    /// The greatest number of plain steps at the beginning, with which a search that failed is tried again.
    pub prefix: usize,
    /// Whether relations say what divides the change.
    pub divisibility: bool,
    /// Whether relations speak of changes that depend on the state.
    pub growth: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            direction: Direction::Interleaved,
            precision: Precision::Rising,
            prefix: 128,
            divisibility: true,
            growth: true,
        }
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
