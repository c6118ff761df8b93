//! All tests that use the crate from outside, as one program: linking each file on its own would take longer than
//! running it.

mod derivations;
mod models;
mod quantifiers;
mod termination;
