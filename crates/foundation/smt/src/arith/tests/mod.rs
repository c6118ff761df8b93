//! Tests of the arithmetic solver as the search sees it.

mod conjunctions;
mod driver;
mod families;
mod sequences;
