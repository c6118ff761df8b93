//! An incremental SMT solver for arithmetic over reals and integers, bit-vectors, functions, arrays and datatypes, made
//! for what Horn solving asks of it: very many small, closely related queries.
//!
//! [`Solver`] is the way in. Below it, `cnf` compiles formulas to clauses and templates, `sat` searches, `arith`
//! decides conjunctions of linear constraints, `equality` those of equations, `bits` makes circuits of bit-vectors, and
//! `product` joins them.

pub mod arith;
mod bits;
mod cnf;
pub mod equality;
pub mod interpolate;
mod linear;
mod product;
pub mod project;
pub mod sat;
mod solver;
pub mod theory;

pub use bits::{BitCircuit, BitOptions, Gate};
pub use cnf::Template;
pub use product::FunctionTable;
pub use solver::{
    Answer, Group, Model, QueryObserver, Recorder, Refutation, Solution, Solver, SolverOptions, Status,
    Variable,
};
