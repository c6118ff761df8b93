//! The model of a consistent product: a value for each class of nodes, and tables for the functions.
//!
//! `values` gives values to classes, parts before wholes, `arrays` to the arrays of a component, `fresh` makes values
//! that nothing else has. `confirm` then evaluates every application and every decided equation from the values of
//! its parts: a model that does not pass is none.

mod arrays;
mod confirm;
mod fresh;
mod table;
mod values;

pub use table::FunctionTable;
pub(crate) use values::NodeValues;
