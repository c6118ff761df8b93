//! Arguments about transition systems, and which system of a graph they are about.
//!
//! **Claim.** The argument shows that the system made as follows has no path from an initial to a bad state.
//!
//! 1. The graph, without its edges from true to false, is a transition system itself, or is encoded as one (see
//!    `encoding`). That no edge leads from true to false by a label that can be true is checked.
//! 2. Disjuncts of the transition that change nothing are left out, if the certificate says so. The checker finds out
//!    which ones those are. No path needs such a step.
//! 3. Steps and bad states outside of an inductive invariant are left out. That the formula holds in initial states and is
//!    kept by steps is checked. All paths from initial states stay.
//! 4. The system is reversed, if the argument goes backwards: its paths are the same, read from the end.
//!
//! **Why that suffices.** Each system has a path from an initial to a bad state if the one before it has.

use shem_base::Budget;
use shem_chc::{Graph, TransitionSystem, VertexId};
use shem_term::{Store, Term};

use super::check_variables;
use super::encoding::Encoding;
use super::error::CertificateError;
use super::finite_diameter::FiniteDiameter;
use super::images::Images;
use super::k_inductive::KInductive;
use super::powers::Powers;
use super::refuter::{contradict, expect_contradiction};

/// An argument about the transition system that a graph is or is encoded as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopCertificate {
    /// How the graph is encoded; `None` if it is a transition system itself.
    pub encoding: Option<Encoding>,
    /// The argument.
    pub certificate: TransitionCertificate,
}

/// An argument that a transition system is safe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransitionCertificate {
    /// Whether steps that change nothing are left out.
    pub without_stuttering: bool,
    /// An inductive invariant of the system, over the state; truth if there is none.
    pub invariant: Term,
    /// The direction of the argument.
    pub direction: Direction,
    /// The argument.
    pub argument: Argument,
}

/// The direction of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From initial to bad states.
    Forward,
    /// From bad to initial states.
    Backward,
}

/// Why a transition system is safe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A k-inductive formula.
    KInductive(KInductive),
    /// A chain of images.
    Images(Images),
    /// Sequences of relations, with a transition invariant.
    Powers(Powers),
    /// An unrolling without a last step.
    FiniteDiameter(FiniteDiameter),
}

impl LoopCertificate {
    pub(super) fn parts(&self) -> usize {
        1 + self.certificate.parts()
    }

    pub(super) fn check_part(
        &self,
        part: usize,
        store: &mut Store,
        graph: &Graph,
        budget: &mut Budget,
    ) -> Result<(), CertificateError> {
        let Some(part) = part.checked_sub(1) else { return check_direct(store, graph, budget) };
        let system = self.system(store, graph)?;
        self.certificate.check_part(part, store, &system, budget)
    }

    /// The transition system that the graph is.
    pub fn system(&self, store: &mut Store, graph: &Graph) -> Result<TransitionSystem, CertificateError> {
        if let Some(encoding) = &self.encoding {
            return encoding.system(store, graph);
        }
        let mut graph = graph.clone();
        let direct: Vec<_> =
            graph.incoming(VertexId::FALSE).filter(|&id| graph.edge(id).sources.is_empty()).collect();
        for id in direct {
            graph.remove_edge(id);
        }
        let found = TransitionSystem::of(store, &mut graph);
        Ok(found.ok_or(CertificateError::wrong("the graph is no transition system"))?.1)
    }
}

/// No edge leads from true to false.
fn check_direct(store: &mut Store, graph: &Graph, budget: &mut Budget) -> Result<(), CertificateError> {
    for id in graph.incoming(VertexId::FALSE) {
        let edge = graph.edge(id);
        if edge.sources.is_empty() {
            expect_contradiction(store, &[edge.label], "falsehood is derived in one step", budget)?;
        }
    }
    Ok(())
}

impl From<Argument> for TransitionCertificate {
    fn from(argument: Argument) -> TransitionCertificate {
        TransitionCertificate {
            without_stuttering: false,
            invariant: Term::TRUE,
            direction: Direction::Forward,
            argument,
        }
    }
}

impl TransitionCertificate {
    fn parts(&self) -> usize {
        1 + match &self.argument {
            Argument::KInductive(_) => KInductive::PARTS,
            Argument::Images(_) => Images::PARTS,
            Argument::Powers(_) => Powers::PARTS,
            Argument::FiniteDiameter(_) => FiniteDiameter::PARTS,
        }
    }

    /// Checks that the transition system has no path from an initial to a bad state.
    pub fn check(
        &self,
        store: &mut Store,
        system: &TransitionSystem,
        budget: &mut Budget,
    ) -> Result<(), CertificateError> {
        (0..self.parts()).try_for_each(|part| self.check_part(part, store, system, budget))
    }

    fn check_part(
        &self,
        part: usize,
        store: &mut Store,
        system: &TransitionSystem,
        budget: &mut Budget,
    ) -> Result<(), CertificateError> {
        let other = "the invariant is about something else than the state";
        check_variables(store, &[self.invariant], &[&system.state], other)?;
        let Some(part) = part.checked_sub(1) else { return self.check_invariant(store, system, budget) };
        let mut system = system.clone();
        if self.without_stuttering {
            system.transition = without_stuttering(store, &system, budget)?;
        }
        if self.invariant != Term::TRUE {
            system = system.strengthened(store, self.invariant);
        }
        if self.direction == Direction::Backward {
            system = system.reversed(store);
        }
        match &self.argument {
            Argument::KInductive(argument) => argument.check_part(part, store, &system, budget),
            Argument::Images(argument) => argument.check_part(part, store, &system, budget),
            Argument::Powers(argument) => argument.check_part(part, store, &system, budget),
            Argument::FiniteDiameter(argument) => argument.check_part(part, store, &system, budget),
        }
    }

    /// The invariant holds in initial states, and steps keep it.
    fn check_invariant(
        &self,
        store: &mut Store,
        system: &TransitionSystem,
        budget: &mut Budget,
    ) -> Result<(), CertificateError> {
        if self.invariant == Term::TRUE {
            return Ok(());
        }
        let after = store.rename(self.invariant, &system.state, &system.next);
        let otherwise = "the invariant is not inductive";
        expect_contradiction(store, &[system.initial, !self.invariant], otherwise, budget)?;
        expect_contradiction(store, &[self.invariant, system.transition, !after], otherwise, budget)
    }

    /// The k-inductive formula, if it is all that there is.
    pub(super) fn k_inductive(&self) -> Option<&KInductive> {
        match self {
            TransitionCertificate {
                without_stuttering: false,
                invariant: Term::TRUE,
                direction: Direction::Forward,
                argument: Argument::KInductive(argument),
            } => Some(argument),
            _ => None,
        }
    }
}

/// The disjuncts of the transition that change something, all of them if they contradict no change.
pub(super) fn without_stuttering(
    store: &mut Store,
    system: &TransitionSystem,
    budget: &mut Budget,
) -> Result<Term, CertificateError> {
    let mut changes = Vec::with_capacity(system.state.len());
    for (&before, &after) in system.state.iter().zip(&system.next) {
        changes.push(!store.eq(before, after));
    }
    let change = store.or(&changes);
    let mut moving = Vec::new();
    for disjunct in store.disjuncts(system.transition) {
        if !contradict(store, &[disjunct, change], budget)? {
            moving.push(disjunct);
        }
    }
    Ok(store.or(&moving))
}

#[cfg(test)]
mod tests {
    use shem_term::Sort;

    use super::*;

    /// `x` begins at 0 and grows by one or stays; a negative one is bad.
    #[track_caller]
    fn check(
        change: impl Fn(&mut Store, Term, &mut TransitionCertificate),
        expected: Result<(), &'static str>,
    ) {
        let mut store = Store::new();
        let [x, y] = ["x", "y"].map(|name| store.variable(name, Sort::Int));
        let zero = store.int(0);
        let sum = store.linear(&[(1.into(), x)], &1.into(), Sort::Int);
        let (up, same) = (store.eq(y, sum), store.eq(y, x));
        let system = TransitionSystem {
            initial: store.eq(x, zero),
            transition: store.or2(up, same),
            bad: store.lt(x, zero),
            state: vec![x],
            next: vec![y],
        };
        let natural = KInductive { formula: store.ge(x, zero), k: 1 };
        let mut certificate = TransitionCertificate::from(Argument::KInductive(natural));
        change(&mut store, x, &mut certificate);
        let found = certificate.check(&mut store, &system, &mut Budget::unlimited());
        assert_eq!(found, expected.map_err(CertificateError::wrong));
    }

    fn formula(certificate: &mut TransitionCertificate, formula: Term) {
        certificate.argument = Argument::KInductive(KInductive { formula, k: 1 });
    }

    #[test]
    fn systems() {
        check(|_, _, _| {}, Ok(()));
        check(|_, _, own| own.without_stuttering = true, Ok(()));
        check(|_, _, own| formula(own, Term::TRUE), Err("the formula admits a bad state"));
        // Backwards the negation is inductive.
        check(|_, _, own| own.direction = Direction::Backward, Err("the formula admits a bad state"));
        check(
            |store, x, own| {
                let zero = store.int(0);
                own.direction = Direction::Backward;
                formula(own, store.lt(x, zero));
            },
            Ok(()),
        );
        // With an invariant that excludes the bad states, truth is enough.
        check(
            |store, x, own| {
                let zero = store.int(0);
                own.invariant = store.ge(x, zero);
                formula(own, Term::TRUE);
            },
            Ok(()),
        );
        for bound in [1, -5] {
            check(
                |store, x, own| {
                    let bound = store.int(bound);
                    own.invariant = store.eq(x, bound);
                    formula(own, Term::TRUE);
                },
                Err("the invariant is not inductive"),
            );
        }
        let other = Err("the invariant is about something else than the state");
        check(|store, _, own| own.invariant = store.variable("p", Sort::Bool), other);
        let other = Err("the formula is about something else than the state");
        check(|store, _, own| formula(own, store.variable("p", Sort::Bool)), other);
        check(
            |_, _, own| {
                if let Argument::KInductive(argument) = &mut own.argument {
                    argument.k = 0;
                }
            },
            Err("induction needs a step"),
        );
    }
}
