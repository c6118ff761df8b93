//! Lemmas about equations.

mod arrays;
mod datatypes;
mod functions;

mod table;
