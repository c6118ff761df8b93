//! Predicates as recursive functions, and queries as theorems about them.
//!
//! Most systems over lists and trees define functions by relations: a clause for each case, the result as an argument. Such
//! a predicate is *read* as a function (`reading`, `flow`), and stands for it: the result is the value of the function.
//! A query says then that some terms over functions never have some values, which is proved by induction over the size
//! of a value (`prove`), with lemmas that are found in the values of terms (`explore`), as theory exploration does
//! (Claessen, Johansson, Rosén and Smallbone, "Automating Inductive Proofs using Theory Exploration", CADE 2013). A predicate
//! that is no function may stand for what the queries ask of it.
//!
//! Tuple patterns (CHoCoL, 2025) say of lists that one is others one after the other; that is an equation between
//! functions here, checked by the same means, and functions may be about trees, numbers and truth values as well. The
//! answer is a certificate of its own kind: the functions, the lemmas with the instances that they follow from, and those
//! that edges follow from. Nothing is said of systems that are unsafe.

mod engine;
mod evaluate;
mod explore;
mod flow;
mod prove;
mod reading;

pub(crate) use engine::DESCRIPTION;
pub use engine::{FunctionSettings, Functions};
