//! Claims: verdicts on a system with what is to show them.

use std::sync::Arc;

use shem_base::Statistics;
use shem_chc::{Derivation, EdgeId, Interpretation};
use shem_engine::Proven;
use shem_exchange::SentWitness;
use shem_term::Store;
use shem_transform::Preprocessed;

use crate::answer::Status;
use crate::judge::Accepted;

/// A verdict that an engine or another process claims.
pub struct Claim {
    /// The number of the engine among those of the runner.
    pub member: usize,
    /// Its name, for messages.
    pub by: String,
    /// The engine, for the answer.
    pub engine: &'static str,
    /// What is claimed.
    pub status: Status,
    /// What is to show it.
    pub evidence: Evidence,
    /// The figures of the engine.
    pub statistics: Statistics,
}

/// What is to show a verdict.
pub enum Evidence {
    /// Of an engine in this process.
    Local(Local),
    /// Of another process that this one has started.
    Remote(Arc<Remote>),
    /// It was judged where it came in.
    Judged(Box<Accepted>),
}

impl Evidence {
    /// What another process has sent, if it is that.
    pub(crate) fn sent(&self) -> Option<Arc<Remote>> {
        match self {
            Evidence::Remote(remote) => Some(Arc::clone(remote)),
            Evidence::Local(_) | Evidence::Judged(_) => None,
        }
    }
}

impl Local {
    /// The number of parts of the certificate, if there is one.
    pub(crate) fn parts(&self) -> usize {
        match &self.proof {
            Proof::Safe(Proven { certificate: Some(certificate), .. }) => {
                certificate.parts(&self.preprocessed.graph)
            }
            Proof::Safe(_) | Proof::Unsafe(_) => 0,
        }
    }
}

/// What an engine of this process has found.
pub struct Local {
    /// The store of the engine, if that is not the caller's.
    pub store: Option<Box<Store>>,
    /// The graph that the engine saw, with the way back.
    pub preprocessed: Arc<Preprocessed>,
    /// The witness or the means to build it, and a certificate.
    pub proof: Proof,
}

/// A verdict of an engine with what stands behind it.
pub enum Proof {
    /// Falsehood cannot be derived.
    Safe(Proven<Interpretation>),
    /// Falsehood can be derived.
    Unsafe(shem_engine::Evidence<Derivation<EdgeId>>),
}

/// What another process has sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Remote {
    /// Whether it has checked a certificate of its engine and accepted it.
    pub certified: bool,
    /// This certificate, if others can check it.
    pub certificate: Option<SentWitness>,
    /// The witness, or why there is none.
    pub witness: Result<SentWitness, String>,
}
