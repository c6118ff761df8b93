//! Lemmas of linear arithmetic.

mod dioph;
mod farkas;
mod inequality;

pub(super) use dioph::check_dioph;
pub(super) use farkas::check_farkas;
