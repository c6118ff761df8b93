//! Values of all sorts: what they are, their order, and those that a sort has.

mod construct;
mod order;
mod representation;

pub use representation::{ArrayValue, DataValue, Value};
