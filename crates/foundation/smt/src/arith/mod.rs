//! Linear arithmetic over reals and integers.
//!
//! [`Arith`] decides conjunctions of bounds on linear forms: over the rationals by the general simplex
//! (`simplex`, `tableau`, `bounds`), over the integers by elimination of equalities, branching and cuts on
//! top of it (`integer`). Every contradiction comes with a certificate that a checker can add up.

mod atoms;
mod bounds;
mod explain;
mod integer;
mod model;
mod options;
mod poly;
mod propagate;
mod simplex;
mod solver;
mod tableau;
#[cfg(test)]
mod tests;

pub use options::ArithOptions;
pub use poly::ArithVar;
pub use solver::Arith;
