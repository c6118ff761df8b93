//! All tests that use the crate from outside, as one program: linking each file on its own would take longer than
//! running it.

mod equivalence;
mod fuzz;
mod print;
mod round_trip;
mod streaming;
