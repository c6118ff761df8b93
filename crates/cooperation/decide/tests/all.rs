//! All tests that use the crate from outside, as one program: linking each file on its own would take longer than
//! running it.

mod division;
mod runners;
mod shorter;
mod translation;
