//! All tests that use the crate from outside, as one program: linking each file on its own would take longer than
//! running it.

mod bit_vectors;
mod build;
mod dependencies;
mod limits;
mod passes;
mod terms;
