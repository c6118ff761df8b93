//! Options of bounded model checking.

/// Options of bounded model checking.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BmcOptions {
    /// Whether a linear graph is made a transition system first. Default: false.
    pub force_ts: bool,
    /// The greatest number of steps between the initial and the bad state; without one the engine goes on
    /// until its budget ends. Default: none.
    pub max_depth: Option<usize>,
}
