//! Lemmas about equations.

mod arrays;
mod datatypes;
mod functions;
mod random;
mod structure;
mod table;
