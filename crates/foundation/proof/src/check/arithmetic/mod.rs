//! Lemmas of linear arithmetic.

mod bridge;
mod dioph;
mod farkas;
mod inequality;

pub(super) use bridge::check_bridge;
pub(super) use dioph::check_dioph;
pub(super) use farkas::check_farkas;
