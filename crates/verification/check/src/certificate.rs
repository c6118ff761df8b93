//! Certificates: evidence of safety that is checked on the graph that an engine was given.
//!
//! A certificate is data: formulas over the variables of the graph, and numbers. It names no engine and contains no graph
//! or transition system: whoever checks it has the graph and makes of it what the certificate is about. So what is
//! established is always the same, whoever made the certificate: **falsehood cannot be derived in the graph that the
//! checker was given.** A certificate about another graph is refused, or it is right for this one, too.
//!
//! Each kind has a file that says what a certificate of this kind claims and why its checks suffice. Every kind has parts
//! that can be checked at the same time; all of them have to be accepted.
//!
//! That the graph is what passes have made of the system as read is not established here; a model of the system as read
//! has no such gap.

mod encoding;
mod error;
mod finite_diameter;
mod functions;
mod images;
mod k_inductive;
mod model;
mod pack;
mod powers;
mod refuter;
mod safe_sets;
mod transition;
mod unwinding;

pub use encoding::Encoding;
pub use error::CertificateError;
pub use finite_diameter::{Exclusion, FiniteDiameter};
pub use functions::{Fact, FunctionDefinition, FunctionModel, Lemma};
pub use images::Images;
pub use k_inductive::KInductive;
pub use pack::PackError;
pub use powers::{
    Composition, FIRST, Ground, LAST, Link, Powers, SequenceKind, StepOrder, TransitionInvariant,
};
pub use safe_sets::{SafeSet, SafeSets};
pub use transition::{Argument, Direction, LoopCertificate, TransitionCertificate};
pub use unwinding::{EdgeTargets, NodeStatus, Unwinding, UnwindingNode};

use shem_base::Budget;
use shem_chc::{Graph, Interpretation};
use shem_term::{Store, Term};

/// Evidence that falsehood cannot be derived in a graph.
#[derive(Clone, Debug)]
pub enum Certificate {
    /// An interpretation that every edge keeps: the witness as the engine has found it, before the passes are undone.
    Model(Interpretation),
    /// An interpretation by recursive functions, with lemmas about them.
    Functions(Box<FunctionModel>),
    /// A closed unwinding of a linear graph.
    Unwinding(Unwinding),
    /// Entries of vertices of a linear graph from which their loops lead to no bad exit.
    SafeSets(SafeSets),
    /// An argument about the transition system that the graph is or is encoded as.
    Loop(Box<LoopCertificate>),
}

impl Certificate {
    /// The number of its parts. Each can be checked by itself, so several can be checked at the same time.
    pub fn parts(&self, graph: &Graph) -> usize {
        match self {
            Certificate::Model(_) => model::parts(graph),
            Certificate::Functions(model) => model.parts(graph),
            Certificate::Unwinding(_) => unwinding::parts(graph),
            Certificate::SafeSets(safe_sets) => safe_sets.parts(),
            Certificate::Loop(certificate) => certificate.parts(),
        }
    }

    /// Checks the part of this number; the error says whether it is wrong or could not be checked.
    pub fn check_part(
        &self,
        part: usize,
        store: &mut Store,
        graph: &Graph,
        budget: &mut Budget,
    ) -> Result<(), CertificateError> {
        if part >= self.parts(graph) {
            return Err(CertificateError::wrong("there is no such part"));
        }
        match self {
            Certificate::Model(interpretation) => {
                model::check_part(interpretation, part, store, graph, budget)
            }
            Certificate::Functions(model) => model.check_part(part, store, graph, budget),
            Certificate::Unwinding(unwinding) => unwinding.check_part(part, store, graph, budget),
            Certificate::SafeSets(safe_sets) => safe_sets.check_part(part, store, graph, budget),
            Certificate::Loop(certificate) => certificate.check_part(part, store, graph, budget),
        }
    }

    /// Checks all parts, one after the other.
    pub fn check(
        &self,
        store: &mut Store,
        graph: &Graph,
        budget: &mut Budget,
    ) -> Result<(), CertificateError> {
        (0..self.parts(graph)).try_for_each(|part| self.check_part(part, store, graph, budget))
    }

    /// The k-inductive formula that it consists of, if that is all, with the variables of the state that it is about:
    /// others who see the same states can check it on a transition system of their own.
    pub fn k_inductive<'a>(&'a self, graph: &'a Graph) -> Option<(&'a [Term], &'a KInductive)> {
        let Certificate::Loop(certificate) = self else { return None };
        let LoopCertificate { encoding, certificate } = &**certificate;
        let state = match encoding {
            Some(encoding) => &encoding.state,
            None => graph.vertex(graph.vertices().next()?).state(),
        };
        Some((state, certificate.k_inductive()?))
    }
}

/// The formulas are about nothing but these variables.
fn check_variables(
    store: &Store,
    formulas: &[Term],
    variables: &[&[Term]],
    otherwise: &'static str,
) -> Result<(), CertificateError> {
    let is_known = |v: &Term| variables.iter().any(|list| list.contains(v));
    if formulas.iter().any(|&formula| store.sort(formula) != shem_term::Sort::Bool)
        || !store.free_variables(formulas).iter().all(is_known)
    {
        return Err(CertificateError::wrong(otherwise));
    }
    Ok(())
}

/// New variables of the sorts of these.
fn fresh_like(store: &mut Store, variables: &[Term]) -> Vec<Term> {
    let mut fresh = Vec::with_capacity(variables.len());
    for &variable in variables {
        let name = store.name(store.as_var(variable).expect("a variable")).to_owned();
        let sort = store.sort(variable);
        fresh.push(store.variable(&name, sort));
    }
    fresh
}
