//! Finite models of systems over datatypes.
//!
//! It is forgotten that constructors are free: a finite structure is looked for in which constructors are any functions and
//! all clauses hold. The values that evaluate to a tuple of a predicate's relation are a model over the datatypes then,
//! whose definitions are recursive functions to finitely many numbers: a tree automaton (Kostyukov, Mordvinov and
//! Fedyukovich, "Beyond the elementary representations of program invariants over algebraic data types", PLDI 2021).
//!
//! Edges become clauses without constraints by unification (`clause`), and structures are found by the SAT core, with one
//! variable for each entry of a table, in the manner of McCune's MACE (`structure`). Only those instances of clauses are
//! there that some structure has violated. Numbers and arrays have no place in the structure: what labels say of them is
//! left out, which makes clauses stronger. So are inequalities, unless they are about enumerations: systems of this kind
//! define them by clauses. Nothing is said of systems that are unsafe.

mod clause;
mod engine;
mod structure;

pub(crate) use engine::DESCRIPTION;
pub use engine::{FiniteModelSettings, FiniteModels};
