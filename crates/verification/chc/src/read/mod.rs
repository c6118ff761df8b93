//! From SMT-LIB text to systems of clauses.
//!
//! `script` goes through the commands, `fixed_point` reads those that SMT-LIB does not have, `clauses` takes an asserted formula apart, `opening` deals with the
//! quantifiers that are left inside constraints, `contents` remembers what occurs in terms, `constructor_counts` says what `_size` is, `builder` makes systems without text, `heap` reads declarations of heaps, `premises` predicates
//! under quantifiers in bodies.

mod bits;
mod builder;
mod clauses;
mod constants;
mod constructor_counts;
mod contents;
mod fixed_point;
mod heap;
mod opening;
mod premises;
mod script;
#[cfg(test)]
mod tests;

pub use builder::{BuildError, SystemBuilder};
pub use script::{Effect, Request, Script, ScriptReader};
