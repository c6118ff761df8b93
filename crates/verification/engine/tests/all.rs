//! All tests that use the crate from outside, as one program: linking each file on its own would take longer than
//! running it.

mod abstractions;
mod bmc;
mod datatypes;
mod forged_certificates;
mod functions;
mod hull;
mod lawi;
mod loops;
mod partition;
mod parts;
mod quantifiers;
mod registry;
mod scout;
mod scout_random;
mod spacer;
mod theories;
mod tpa;
mod transition;
mod trl;
