//! Lemmas about equations: congruence, datatypes and arrays.
//!
//! The negations of the literals are assumed, and the classes of equal nodes are closed under the rules of the
//! theories until two nodes that are distinct become equal, or nothing changes any more. Only nodes that are given
//! take part; no rule makes one. Every rule is a plain loop over all nodes, and no rule has to be complete: what it
//! misses is refused.

mod arrays;
mod classes;
mod closure;
mod datatypes;
mod lemma;
mod universe;

pub(super) use lemma::check_equality;
