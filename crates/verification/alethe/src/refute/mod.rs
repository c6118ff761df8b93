//! Proofs that an SMT-LIB problem has no model.
//!
//! The problem goes to a solver of its own as clauses over names of what is written (`encode`). Each of these clauses is a
//! rule of Alethe, or a lemma of arithmetic with few literals: no rewriting has to be proved. The solver's proof is then
//! printed (`print`): its inputs by their reasons, resolution as resolution, Farkas coefficients as `la_generic`,
//! equations without integer solution as a cut and its two halves (`arithmetic`), equality by congruence and
//! transitivity (`equality`). Bit-vectors are vectors of formulas (`bits`).
//!
//! What has no rules is, if a function without a meaning will do in its place, such a function: quotients and remainders,
//! absolute values, arrays. Some of their definitions may be asserted along with the problem (`axioms`). `clause` makes the
//! problems of a certificate out of pieces of the input and the model.

mod arithmetic;
mod axioms;
mod bits;
mod clause;
mod encode;
mod equality;
mod print;
mod problem;

pub use clause::{clause_problems, prove_clause};
pub use problem::Problem;
