//! Problems as they are written: terms that nothing has simplified, their one reader, their values, their linear forms,
//! and their text.

pub(crate) mod bits;
mod evaluate;
mod linear;
mod print;
mod script;
mod terms;

pub(crate) use evaluate::{compute, decide, truth};
pub(crate) use linear::{Forms, Linear, is_arithmetic_operation};
pub(crate) use script::{Script, skip};
pub(crate) use terms::{Head, Quantifier, Shape, Sort, TermId, Terms, VariableId};
