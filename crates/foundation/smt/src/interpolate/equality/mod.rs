//! Interpolation of lemmas about equations.
//!
//! A lemma whose symbols are all on one side of each cut is valid there and needs no more. Any other one is proved
//! again, by a derivation whose steps are valid clauses over the symbols of one side of each cut: `vertex` has the
//! terms, `graph` and `rules` find a contradiction of the negated literals by congruence and the axioms of datatypes
//! and arrays, `localise` cuts its steps to pieces of one side, `polygon` those by transitivity, and `derivation` is
//! the result. The walk through the proof then takes these clauses for leaves.

mod cycles;
mod derivation;
mod extensionality;
mod graph;
mod localise;
mod polygon;
mod rules;
mod vertex;

#[cfg(test)]
mod tests;

pub(super) use localise::{Obstacle, derive};
pub(super) use vertex::{Claim, Literal, Shape, Vertex, Vertices};
