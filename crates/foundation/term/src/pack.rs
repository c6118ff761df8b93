//! Terms on their way from one store to another, which may be that of another process.
//!
//! A term belongs to one store; it comes into another one as the text of a [`Formula`], whose variables are named by their
//! places. A [`Naming`] says which variables of a store these names stand for, in either direction. What is read is looked
//! through under [`FormulaLimits`] first, and ill-sorted text is refused: it may come from a process that is broken.

mod formula;
mod naming;

pub use formula::{Formula, FormulaError, FormulaLimits};
pub use naming::Naming;
