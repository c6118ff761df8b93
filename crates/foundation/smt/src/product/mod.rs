//! The product of theories: what the SAT core knows as its theory.

mod theories;

pub use theories::Theories;
