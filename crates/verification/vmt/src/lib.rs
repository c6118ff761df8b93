//! Transition systems in VMT, the language of model checkers for infinite-state systems, and Horn clauses.
//!
//! A VMT file is an SMT-LIB script in which annotations say what a definition is: which constant is the next value of
//! which, what holds at the start, how a step goes, and what is to be shown. [`Vmt::read`] reads it. A property
//! becomes a system of Horn clauses ([`Vmt::clauses`]), which is decided and judged like any other, and its witness is
//! told in the words of the file ([`invariants`], [`Run`], [`Trace`]). [`write_vmt`] goes the other way for clauses that are a
//! transition system.
//!
//! The language: A. Cimatti, A. Griggio, S. Tonetta, The VMT-LIB Language and Tools, SMT 2022.

mod clauses;
mod finite;
mod ltl;
mod names;
mod read;
mod system;
mod witness;
mod write;

pub use clauses::{Encoding, LASSO, Reduction};
pub use ltl::{NoProduct, Product};
pub use read::{Mistake, is_vmt};
pub use system::{Property, PropertyKind, StateVariable, Vmt};
pub use witness::{Invariant, Run, RunStep, SortedValue, Trace, TraceStep, invariants};
pub use write::{NoTransitionSystem, write_vmt};
