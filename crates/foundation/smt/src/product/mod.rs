//! The product of theories: what the SAT core knows as its theory.
//!
//! [`Theories`] is arithmetic and, from the first term on that needs it, a [`Combination`] of congruence closure with
//! arithmetic. `combine` is the final check, by which the two agree on a model, and `model` makes it.

mod bits;
mod candidate;
mod coincidences;
mod colours;
mod combination;
mod combine;
mod extension;
mod forms;
mod meaning;
mod model;
mod sorts;
mod structure;
mod theories;

pub(crate) use combination::Combination;
pub(crate) use forms::Form;
pub use model::FunctionTable;
pub(crate) use model::NodeValues;
pub(crate) use sorts::Sorts;
pub use theories::Theories;
