//! Claims: verdicts on a system with what is to show them.

use std::sync::Arc;

use shem_base::{Statistics, StopToken};
use shem_chc::{Derivation, EdgeId, Interpretation};
use shem_engine::Proven;
use shem_exchange::SentWitness;
use shem_term::Store;

use crate::answer::Status;
use crate::judge::Accepted;
use crate::prepare::Variant;

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
    Remote(Remote),
    /// It was judged where it came in.
    Judged(Box<Accepted>),
}

impl Evidence {
    /// Whether there is a certificate.
    pub fn has_certificate(&self) -> bool {
        match self {
            Evidence::Local(Local { proof: Proof::Safe(proven), .. }) => proven.certificate.is_some(),
            Evidence::Remote(remote) => remote.findings.certificate.is_some(),
            Evidence::Local(_) | Evidence::Judged(_) => false,
        }
    }

    /// What another process has sent, if it is that.
    pub(crate) fn remote(&self) -> Option<Remote> {
        match self {
            Evidence::Remote(remote) => Some(remote.clone()),
            Evidence::Local(_) | Evidence::Judged(_) => None,
        }
    }
}

/// What an engine of this process has found.
pub struct Local {
    /// The store of the engine, if that is not the caller's.
    pub store: Option<Box<Store>>,
    /// The graph that the engine saw, with the way back.
    pub variant: Arc<Variant>,
    /// The witness or the means to build it, and a certificate.
    pub proof: Proof,
}

/// A verdict of an engine with what stands behind it.
pub enum Proof {
    /// Falsehood cannot be derived.
    Safe(Proven<Interpretation>),
    /// Falsehood can be derived.
    Unsafe(shem_engine::WitnessSource<Derivation<EdgeId>>),
}

/// What another process has sent about the graph that it was given.
#[derive(Clone)]
pub struct Remote {
    /// The graph that it was given.
    pub variant: Arc<Variant>,
    /// What it has found.
    pub findings: Arc<Findings>,
    /// Where the witness is still to come: stopped when it has.
    pub witness_came: Option<StopToken>,
}

/// What the engine of another process has found, in the form in which it is sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Findings {
    /// The witness, or why there is none.
    pub witness: Result<SentWitness, String>,
    /// The certificate of the engine, if it has one.
    pub certificate: Option<Arc<str>>,
}
