//! All tests that use the crate from outside, as one program: linking each file on its own would take longer than
//! running it.

mod bit_vectors;
mod cnf_sharing;
mod expressions;
mod interpolate;
mod interpolate_random;
mod interpolate_theories;
mod interpolate_unrolling;
mod justify;
mod project;
mod project_random;
mod project_theories;
mod solver;
mod theories;
