//! Arrays by weak equivalence.
//!
//! Stores connect arrays: `store(a, i, v)` agrees with `a` everywhere but at `i`. Two arrays are *weakly equivalent
//! modulo an index* if a path of stores at other indices leads from one to the other; then they agree at that index.
//! From this follow all equalities that reads, stores, extensionality and constant arrays demand, over nodes that
//! exist already (Christ and Hoenicke, Weakly equivalent arrays, 2015; constant arrays after Hoenicke and Schindler,
//! 2019).
//!
//! The rules look at the classes when everything else is at rest. Two indices of different classes count as
//! different. Where a consequence needs that for certain and it is not known, the equation of the two indices is asked
//! for as a case split. Only arrays with finitely many elements need new reads.

mod check;
mod graph;
mod model;
mod path;
#[cfg(test)]
mod tests;

pub use check::{ArrayOutcome, Arrays, is_compared};
pub use graph::ArraySort;
pub use model::{ArrayModel, Content};
