//! Options of the arithmetic solver.

/// Options of the arithmetic solver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArithOptions {
    /// Whether bounds are propagated through rows, towards atoms that have no truth value yet.
    /// Default: true.
    pub row_propagation: bool,
    /// Rows with more entries than this are not used for propagation. Default: 16; at least 2.
    pub row_propagation_length: usize,
    /// Whether systems of tight integer constraints without integer solutions are used for cuts (as case
    /// splits). Without them some unbounded problems do not end. Default: true.
    pub cuts: bool,
    /// Every how many integer splits a cut is tried first. Default: 2; at least 1.
    pub cut_period: u32,
    /// Cuts with a coefficient of more bits than this are dropped in favour of a branch. Default: 24.
    pub cut_bits: u64,
    /// Whether the columns of variables that facts outside of all scopes fix leave the rows. For solvers that are asked
    /// few large questions: the search takes other pivots, which engines may not like. Default: false.
    pub settle_facts: bool,
    /// Whether case splits on linear forms are made only if the variables of the form have a colour in common
    /// (see [`Arith::colour`](super::Arith::colour)). Default: false.
    pub pure_splits: bool,
}

impl Default for ArithOptions {
    fn default() -> Self {
        ArithOptions {
            row_propagation: true,
            row_propagation_length: 16,
            cuts: true,
            cut_period: 2,
            cut_bits: 24,
            settle_facts: false,
            pure_splits: false,
        }
    }
}
