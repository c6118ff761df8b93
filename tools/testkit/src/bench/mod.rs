//! Benchmarks: Shem and z3 on the same files in one run.

mod measure;
mod report;
mod tiny;

pub use measure::{Class, Comparison, Contest, Course, Sample};
pub use report::{csv, inactive, table};
pub use tiny::{WINDOW, inactive_lemmas, under_assumptions, with_scopes};
