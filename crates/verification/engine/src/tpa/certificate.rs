//! The certificate of safety: the sequences themselves.
//!
//! It is checked from the bottom up with queries about two neighbouring levels at a time: element 0 is what it
//! has to be by definition, and every conjunct of an element follows from each decomposition over the level
//! below. So every element covers the paths that it should cover. Then the claim that ended the search has to
//! hold: the element is closed, and relates no initial state with a bad one. No query has more than a few
//! copies of the state, whatever the lengths of the paths that the elements stand for.

use std::fmt;

use shem_base::Budget;
use shem_chc::TransitionSystem;
use shem_proof::NoProof;
use shem_smt::{Answer, Solver};
use shem_term::{Store, Term};

use super::claim::{Claim, Ends};
use super::copies::Copies;
use super::idle::{Divided, is_idle};
use super::sequence::{Composition, Kind, Sequences};
use crate::Certificate;
use crate::reason::CertificateError;
use crate::strengthen::strengthen;

/// The sequences, with the claim about one of their elements that proves safety.
#[derive(Clone)]
pub(super) struct PowerCertificate {
    /// The transition system, without the transitions that change nothing.
    pub system: TransitionSystem,
    /// Those transitions.
    pub idle: Vec<Term>,
    pub composition: Composition,
    pub sequences: Sequences,
    pub claim: Claim,
    /// Whether the closure holds for all pairs of states.
    pub full: bool,
}

impl PowerCertificate {
    /// Copies of the state for the queries of the checks.
    pub(super) fn copies(&self, store: &mut Store) -> Copies {
        Copies::of(store, &self.system, self.composition.base + 3)
    }

    /// Every element up to the level of the claim covers its decompositions.
    fn check_sequence(
        &self,
        store: &mut Store,
        kind: Kind,
        budget: &mut Budget,
    ) -> Result<(), CertificateError> {
        let mut copies = self.copies(store);
        let exact = Sequences::of(store, &copies, &self.system);
        if self.sequences.element(kind, 0) != exact.element(kind, 0) {
            return Err(CertificateError::wrong(format!("element {kind:?} 0 is not the exact one")));
        }
        for level in 0..self.claim.height() {
            let claimed = self.sequences.element(kind, level + 1);
            if claimed.is_empty() {
                continue;
            }
            for decomposition in 0..self.composition.decompositions(kind) {
                let mut below = Vec::new();
                for link in self.composition.chain(kind, decomposition) {
                    self.sequences.instance(store, &mut copies, level, link, &mut below);
                }
                let mut solver = Solver::with_proof(Default::default(), NoProof);
                for formula in below {
                    solver.assert(store, formula);
                }
                for &conjunct in claimed {
                    match solver.check_assuming(store, &[!conjunct], budget) {
                        Answer::Unsat(_) => {}
                        Answer::Sat(_) => {
                            return Err(CertificateError::wrong(format!(
                                "element {kind:?} {} does not cover decomposition {decomposition}",
                                level + 1
                            )));
                        }
                        Answer::Unknown(reason) => return Err(reason.into()),
                    }
                }
            }
        }
        Ok(())
    }

    fn ends(&self) -> Ends {
        Ends { initial: self.system.initial, bad: self.system.bad }
    }
}

impl Certificate for PowerCertificate {
    fn check(&self, store: &mut Store, budget: &mut Budget) -> Result<(), CertificateError> {
        let claim = self.claim;
        for &relation in &self.idle {
            if !is_idle(store, &self.system.state, &self.system.next, relation, budget)? {
                return Err(CertificateError::wrong("a transition that was left out changes something"));
            }
        }
        self.check_sequence(store, Kind::Equal, budget)?;
        let covering = if claim.kind == Kind::AtMost { Kind::AtMost } else { Kind::Less };
        self.check_sequence(store, covering, budget)?;
        // The stride's own element has to be within the paths that the base of the induction covers.
        let stride_is_right = match claim.kind {
            Kind::AtMost => claim.stride == 0,
            Kind::Less => claim.stride <= claim.level,
            Kind::Equal => claim.stride == claim.level,
        };
        if !stride_is_right {
            return Err(CertificateError::wrong(format!("{claim:?} has no base")));
        }
        let mut copies = self.copies(store);
        let ends = (!self.full).then(|| self.ends());
        let sequences = &self.sequences;
        if claim.refute_closure(store, &mut copies, sequences, ends, budget)?.is_some() {
            return Err(CertificateError::wrong(format!("{claim:?} is not closed")));
        }
        if !claim.is_safe(store, &mut copies, sequences, self.ends(), budget)? {
            return Err(CertificateError::wrong(format!("{claim:?} is not safe")));
        }
        Ok(())
    }
}

/// A certificate for a single loop: the powers are about all of its transitions, as far as they matter.
#[derive(Debug)]
pub(super) struct LoopCertificate {
    /// The system as it was given.
    pub given: TransitionSystem,
    /// What others have found to hold in all its states; that it does is not checked here.
    pub invariant: Term,
    /// The transitions that change something.
    pub moving: Term,
    pub powers: PowerCertificate,
}

impl Certificate for LoopCertificate {
    fn check(&self, store: &mut Store, budget: &mut Budget) -> Result<(), CertificateError> {
        let LoopCertificate { given, invariant, moving, powers } = self;
        let whole = Divided { moving: *moving, idle: powers.idle.clone() }.whole(store);
        let moving = TransitionSystem { transition: *moving, ..given.clone() };
        if whole != given.transition || strengthen(store, &moving, *invariant) != powers.system {
            return Err(CertificateError::wrong("the powers are about another loop"));
        }
        powers.check(store, budget)
    }
}

impl fmt::Debug for PowerCertificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.sequences.size();
        write!(f, "PowerCertificate({:?}, full: {}, {size} conjuncts)", self.claim, self.full)
    }
}
