//! All tests that use the crate from outside, as one program: linking each file on its own would take longer than
//! running it.

mod case;
mod cases;
mod definitions;
mod domain;
mod few_values;
mod invariants;
mod path;
mod quantifiers;
mod random;
mod stages;
mod theories;
