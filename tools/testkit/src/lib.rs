//! Differential tests and benchmarks of Shem.
//!
//! The crate works on SMT-LIB *text* and on processes: it knows nothing of Shem's inside, so that what
//! judges the solver shares no code with it. [`generate`] makes random scripts from a seed, [`compare`]
//! runs them through Shem and z3 and judges answers, models and cores, [`elimination`] does so with
//! quantifier elimination, [`shrink`] makes a failing
//! script small, [`mod@bench`] measures both programs on the same files.

pub mod answers;
pub mod batch;
pub mod bench;
pub mod compare;
pub mod elimination;
pub mod generate;
pub mod judge;
pub mod process;
pub mod rng;
pub mod script;
pub mod sexpr;
pub mod shrink;
pub mod sorts;
