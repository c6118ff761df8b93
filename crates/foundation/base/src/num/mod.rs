//! Exact numbers: integers, rationals, and rationals with an infinitesimal part.
//!
//! Almost every number in a solver run fits a machine word, so all three types keep such values inline and
//! compute on them without allocation; the rest lives in a box behind a cold branch. The representation of a
//! value is unique, hence equality and hashing look at the representation alone.

mod big;
mod delta;
mod forms;
mod int;
mod int_division;
mod int_ops;
mod parse;
mod rat;
mod rat_ops;
mod word;

pub use delta::DeltaRat;
pub use int::Int;
pub use parse::ParseNumberError;
pub use rat::Rat;

#[cfg(test)]
mod laws;
