//! Derivations: how a search records them, how a refutation is read off the record, and how it is checked.

mod sink;

pub use sink::{ClauseId, Lemma, LemmaKind, NoProof, Origin, ProofSink};
