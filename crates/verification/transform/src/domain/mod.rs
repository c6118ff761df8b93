//! Abstract domains: sets of points that are computed with exactly.
//!
//! A domain is about points alone and knows neither terms nor graphs; whoever uses it says what the coordinates are.
//! `formula` writes what a domain says of its points as formulas over terms for the coordinates.

mod formula;
mod lattice;
mod subspace;

pub use formula::{above, below, bounds_of, congruence, equality};
pub use lattice::{Lattice, LinearConstraint};
pub use subspace::{Determined, Subspace};
