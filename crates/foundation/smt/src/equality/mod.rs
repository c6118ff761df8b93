//! Equality with functions, and the theories that rest on it.
//!
//! [`Closure`] is the hub: congruence closure over nodes, with explanations. `datatypes` are rules that look at what
//! changed in its classes and derive further equalities. [`Equality`] drives both. Nothing here knows terms, the search
//! or arithmetic.

mod arrays;
mod closure;
mod datatypes;
mod engine;
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

pub use arrays::{ArrayModel, ArrayOutcome, ArraySort, Arrays, Content, is_compared};
pub use closure::{Closure, Conflict};
pub use datatypes::{Constructor, Datatype, Request};
pub use engine::Equality;
pub use forest::Explanation;
pub use node::{Function, Kind, Node, NodeShape, NodeSort, Premise};
pub use trail::Change;
