//! What a profile likes: sizes, operators and their frequencies.

use super::numbers::Magnitude;

/// Frequencies are in percent of the places where the operator may stand.
#[derive(Clone, Debug)]
pub struct Taste {
    /// The logic that the script declares.
    pub logic: &'static str,
    /// Least and greatest number of integer constants.
    pub ints: (i64, i64),
    /// Least and greatest number of real constants.
    pub reals: (i64, i64),
    /// Least and greatest number of Boolean constants.
    pub bools: (i64, i64),
    /// Nesting of connectives.
    pub formula_depth: usize,
    /// Nesting of arithmetic.
    pub term_depth: usize,
    /// The size of constants.
    pub magnitude: Magnitude,
    /// Arithmetic and Boolean `ite`.
    pub ite: usize,
    /// `div` and `mod` by constants.
    pub divmod: usize,
    /// `(_ divisible k)`.
    pub divisible: usize,
    /// `abs`.
    pub abs: usize,
    /// `to_real`, `to_int` and `is_int`.
    pub conversions: usize,
    /// `let`, half of them hiding a symbol.
    pub lets: usize,
    /// `distinct` and chains of a relation.
    pub chains: usize,
    /// Strict inequalities among the inequalities.
    pub strict: usize,
    /// Equalities among the atoms.
    pub equality: usize,
    /// The chance that the integer constants are given bounds, and their size.
    pub bounded: usize,
    /// Greatest number of functions defined.
    pub macros: i64,
    /// Greatest number of assertions at the start.
    pub assertions: i64,
}

impl Taste {
    /// Linear integer arithmetic without extras.
    pub const INTEGERS: Self = Self {
        logic: "QF_LIA",
        ints: (2, 5),
        reals: (0, 0),
        bools: (0, 1),
        formula_depth: 2,
        term_depth: 1,
        magnitude: Magnitude::Small,
        ite: 0,
        divmod: 0,
        divisible: 0,
        abs: 0,
        conversions: 0,
        lets: 0,
        chains: 5,
        strict: 50,
        equality: 20,
        bounded: 75,
        macros: 0,
        assertions: 6,
    };

    /// Linear real arithmetic without extras.
    pub const REALS: Self =
        Self { logic: "QF_LRA", ints: (0, 0), reals: (2, 5), bounded: 0, ..Self::INTEGERS };

    /// Makes the script about twice as large.
    pub fn enlarge(&mut self) {
        for count in [&mut self.ints, &mut self.reals, &mut self.bools] {
            count.1 *= 2;
        }
        self.assertions *= 2;
        self.formula_depth += 1;
    }
}
