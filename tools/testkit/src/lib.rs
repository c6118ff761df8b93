//! Differential tests and benchmarks of Shem.
//!
//! The crate works on SMT-LIB *text* and on processes: it knows nothing of Shem's inside, so that what
//! judges the solver shares no code with it. [`generate`] makes random scripts from a seed, [`compare`]
//! runs them through Shem and z3 and judges answers, models and cores, [`interpolants`] has z3 judge
//! interpolants, [`elimination`] the results of quantifier elimination, [`proofs`] has Carcara judge proofs and
//! [`steps`] an SMT solver their steps, [`shrink`] makes a failing script small, [`mod@bench`] measures both programs on the same files.

pub mod answers;
pub mod batch;
pub mod bench;
pub mod compare;
pub mod elimination;
pub mod generate;
pub mod interpolants;
pub mod judge;
pub mod process;
pub mod proofs;
pub mod rng;
pub mod script;
pub mod sexpr;
pub mod shrink;
pub mod sorts;
pub mod steps;
pub mod symbols;
