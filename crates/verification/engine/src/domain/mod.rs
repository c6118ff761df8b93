//! Abstract domains: sets of points that are computed with exactly.
//!
//! A domain is about points alone and knows neither terms nor graphs; whoever uses it says what the coordinates are.

mod lattice;
mod subspace;

pub use lattice::{Lattice, LinearConstraint};
pub use subspace::Subspace;
