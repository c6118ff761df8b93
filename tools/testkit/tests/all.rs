//! All tests that use the crate from outside, as one program: linking each file on its own would take longer than
//! running it.

mod common;
mod fixed_seed;
mod live_elimination;
mod live_z3;
