//! Derivations: how a search records them, how a refutation is read off the record, and how it is checked.
//!
//! A solver reports what it does to a [`ProofSink`]; [`ProofLog`] keeps the report in a compact form;
//! [`Proof`] is the part of it that one clause needs, with all pivots and resolvents; [`check`] judges a
//! proof from the meaning of the atoms alone. Nothing here knows a solver.

mod check;
mod log;
mod proof;
mod sink;

pub use check::{AtomMeaning, CheckError, FunctionKind, LinearAtom, LinearForm, NodeShape, check};
pub use log::{ProofLog, Record};
pub use proof::{Extractor, Proof, ProofError, Resolution, Rule, StepId};
pub use sink::{ClauseId, Lemma, LemmaKind, NoProof, Origin, ProofSink};
