//! Any runner whose members work on parts of the problem.
//!
//! Members without a part work on the whole, and what they claim goes through unchanged. A part in which falsehood is
//! derived is a claim about the whole; one that is safe is kept ([`Parts`]), and its other members are let go. When all parts
//! are safe, that is the claim that the whole is.

use std::task::Poll;

use shem_base::StopToken;
use shem_chc::System;
use shem_term::Store;

use super::{Ending, Event, Runner};
use crate::answer::Status;
use crate::evidence::{Claim, Evidence};
use crate::judge::Accepted;
use crate::observer::Observer;
use crate::options::SolveOptions;
use crate::parts::Parts;
use crate::prepare::Prepared;

/// A runner whose members work on parts.
pub(crate) struct Divided {
    inner: Box<dyn Runner>,
    /// The part of each member of the inner runner; none for those that work on the whole.
    part_of: Vec<Option<usize>>,
    parts: Parts,
    options: SolveOptions,
    stop: StopToken,
}

impl Divided {
    /// A runner whose members work on these parts.
    pub(crate) fn new(
        inner: Box<dyn Runner>,
        part_of: Vec<Option<usize>>,
        parts: Parts,
        options: &SolveOptions,
        stop: &StopToken,
    ) -> Divided {
        Divided { inner, part_of, parts, options: options.clone(), stop: stop.clone() }
    }

    /// What a claim about a part says of the whole.
    fn of_part(&mut self, store: &mut Store, number: usize, claim: Claim) -> Event {
        if self.parts.is_solved(number) {
            return Event::Nothing;
        }
        let member = claim.member;
        let (event, _) = self.parts.rule(store, number, claim, (&self.options, &self.stop));
        if self.parts.is_solved(number) {
            for (other, part) in self.part_of.iter().enumerate() {
                if *part == Some(number) && other != member {
                    self.inner.release(other);
                }
            }
        }
        event
    }

    /// The part that a claim is about.
    fn part(&self, claim: &Claim) -> Option<usize> {
        self.part_of.get(claim.member).copied().flatten()
    }
}

impl Runner for Divided {
    fn next(&mut self, store: &mut Store, prepared: &mut Prepared, observer: &mut dyn Observer) -> Event {
        match self.inner.next(store, prepared, observer) {
            Event::Claim(claim) => match self.part(&claim) {
                Some(number) => self.of_part(store, number, claim),
                None => Event::Claim(claim),
            },
            event => event,
        }
    }

    fn size(&self) -> usize {
        // What is found about one part alone is no answer, so what is wrong with it is no fault of the answer.
        self.inner.size().max(2)
    }

    fn release(&mut self, member: usize) {
        self.inner.release(member);
    }

    fn reject(&mut self, member: usize) {
        self.inner.reject(member);
    }

    fn opposition(&mut self, status: Status, late: bool) -> Poll<Option<Claim>> {
        loop {
            let claim = match self.inner.opposition(status, late) {
                Poll::Ready(Some(claim)) => claim,
                other => return other,
            };
            if self.part(&claim).is_none() {
                return Poll::Ready(Some(claim));
            }
            // That a part is safe contradicts nothing.
            if let (Status::Unsat, Evidence::Local(found)) = (claim.status, claim.evidence) {
                let local = self.parts.derived(found);
                let Some(evidence) = local.map(Evidence::Local) else { continue };
                return Poll::Ready(Some(Claim { evidence, ..claim }));
            }
        }
    }

    fn finish(&mut self, store: &mut Store, system: &System, found: Option<&Accepted>) -> Ending {
        let mut ending = self.inner.finish(store, system, found);
        ending.statistics.merge_prefixed("parts", &self.parts.statistics());
        ending
    }
}
