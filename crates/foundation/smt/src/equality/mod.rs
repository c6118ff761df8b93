//! Equality with functions, and the theories that rest on it.
//!
//! [`Closure`] is the hub: congruence closure over nodes, with explanations. Nothing here knows terms, the search or
//! arithmetic.

mod arrays;
mod closure;
mod explain;
mod forest;
mod invariants;
mod merge;
mod node;
mod nodes;
mod signatures;
#[cfg(test)]
mod tests;
mod trail;

pub use arrays::{ArrayModel, ArrayOutcome, ArraySort, Arrays, Content};
pub use closure::{Closure, Conflict};
pub use forest::Explanation;
pub use node::{Function, Kind, Node, NodeShape, NodeSort, Premise};
pub use trail::Change;
