//! The certificate of safety: the sequences themselves.
//!
//! It is checked from the bottom up with queries about two neighbouring levels at a time: element 0 is what it
//! has to be by definition, and every conjunct of an element follows from each decomposition over the level
//! below. So every element covers the paths that it should cover. Then the transition invariant that ended the search
//! has to be one: the element is closed, and relates no initial state with a bad one. No query has more than a few
//! copies of the state, whatever the lengths of the paths that the elements stand for.

use std::fmt;

use shem_base::Budget;
use shem_chc::TransitionSystem;
use shem_proof::NoProof;
use shem_smt::{Answer, Solver};
use shem_term::{Store, Term};

use super::copies::Copies;
use super::sequence::{Composition, SequenceKind, Sequences};
use super::stuttering::{DividedTransition, is_stuttering};
use super::transition_invariant::{Endpoints, TransitionInvariant};
use crate::Certificate;
use crate::reason::CertificateError;
use crate::strengthen::strengthen;

/// The sequences, with the transition invariant, made of one of their elements, that proves safety.
#[derive(Clone)]
pub(super) struct PowerCertificate {
    /// The transition system, without the stuttering transitions.
    pub system: TransitionSystem,
    /// The stuttering transitions.
    pub stuttering: Vec<Term>,
    pub composition: Composition,
    pub sequences: Sequences,
    pub transition_invariant: TransitionInvariant,
    /// Whether the closure holds for all pairs of states.
    pub full: bool,
}

impl PowerCertificate {
    /// Copies of the state for the queries of the checks.
    pub(super) fn copies(&self, store: &mut Store) -> Copies {
        Copies::of(store, &self.system, self.composition.base + 3)
    }

    /// Every element up to the level of the transition invariant covers its decompositions.
    fn check_sequence(
        &self,
        store: &mut Store,
        kind: SequenceKind,
        budget: &mut Budget,
    ) -> Result<(), CertificateError> {
        let mut copies = self.copies(store);
        let exact = Sequences::of(store, &copies, &self.system);
        if self.sequences.element(kind, 0) != exact.element(kind, 0) {
            return Err(CertificateError::wrong(format!("element {kind:?} 0 is not the exact one")));
        }
        for level in 0..self.transition_invariant.height() {
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

    fn ends(&self) -> Endpoints {
        Endpoints { initial: self.system.initial, bad: self.system.bad }
    }
}

impl Certificate for PowerCertificate {
    fn check_part(&self, _: usize, store: &mut Store, budget: &mut Budget) -> Result<(), CertificateError> {
        let transition_invariant = self.transition_invariant;
        for &relation in &self.stuttering {
            if !is_stuttering(store, &self.system.state, &self.system.next, relation, budget)? {
                return Err(CertificateError::wrong("a transition that was left out changes something"));
            }
        }
        self.check_sequence(store, SequenceKind::Equal, budget)?;
        let covering = if transition_invariant.kind == SequenceKind::AtMost {
            SequenceKind::AtMost
        } else {
            SequenceKind::Less
        };
        self.check_sequence(store, covering, budget)?;
        // The stride's own element has to be within the paths that the base of the induction covers.
        let stride_is_right = match transition_invariant.kind {
            SequenceKind::AtMost => transition_invariant.stride == 0,
            SequenceKind::Less => transition_invariant.stride <= transition_invariant.level,
            SequenceKind::Equal => transition_invariant.stride == transition_invariant.level,
        };
        if !stride_is_right {
            return Err(CertificateError::wrong(format!("{transition_invariant:?} has no base")));
        }
        let mut copies = self.copies(store);
        let ends = (!self.full).then(|| self.ends());
        let sequences = &self.sequences;
        if transition_invariant.refute_closure(store, &mut copies, sequences, ends, budget)?.is_some() {
            return Err(CertificateError::wrong(format!("{transition_invariant:?} is not closed")));
        }
        if !transition_invariant.is_safe(store, &mut copies, sequences, self.ends(), budget)? {
            return Err(CertificateError::wrong(format!("{transition_invariant:?} is not safe")));
        }
        Ok(())
    }
}

/// A certificate for a single loop: the powers are about all of its transitions but the stuttering ones.
#[derive(Debug)]
pub(super) struct LoopCertificate {
    /// The system as it was given.
    pub given: TransitionSystem,
    /// An inductive invariant that other engines have found; that it is one is not checked here.
    pub invariant: Term,
    /// The transitions that change something.
    pub moving: Term,
    pub powers: PowerCertificate,
}

impl Certificate for LoopCertificate {
    fn check_part(&self, _: usize, store: &mut Store, budget: &mut Budget) -> Result<(), CertificateError> {
        let LoopCertificate { given, invariant, moving, powers } = self;
        let whole = DividedTransition { moving: *moving, stuttering: powers.stuttering.clone() }.whole(store);
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
        write!(f, "PowerCertificate({:?}, full: {}, {size} conjuncts)", self.transition_invariant, self.full)
    }
}
