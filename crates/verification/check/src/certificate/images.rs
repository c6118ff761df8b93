//! A chain of images whose union is closed, by interpolation-based model checking.
//!
//! **Claim.** Each set of the chain contains the successors of the one before it, the first one those of the initial
//! states, and the last one lies in the union of the others. From no set of the chain but the last a bad state is exactly
//! k − 1 steps away, and from no initial state fewer than k.
//!
//! **Why that suffices.** Every state after the first of a run is in the union of the sets but the last. Were a bad state
//! reached in n steps, n would be at least k, and the state k − 1 steps before it, which is not the first, in the union.
//!
//! The check goes set by set; the check of an invariant, with the union in one query, may be much harder.

use shem_base::Budget;
use shem_chc::{Steps, TransitionSystem};
use shem_term::{Store, Term};

use super::check_variables;
use super::error::CertificateError;
use super::refuter::{Refuter, expect_contradiction};

/// A chain of images, of which the last one adds nothing, k − 1 steps away from the bad states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Images {
    /// Over the state, without auxiliary variables.
    pub chain: Vec<Term>,
    /// At least 1.
    pub k: usize,
}

impl Images {
    pub(super) const PARTS: usize = 2;

    pub(super) fn check_part(
        &self,
        part: usize,
        store: &mut Store,
        system: &TransitionSystem,
        budget: &mut Budget,
    ) -> Result<(), CertificateError> {
        let Some((&last, others)) = self.chain.split_last() else {
            return Err(CertificateError::wrong("a chain has sets"));
        };
        let Some(distance) = self.k.checked_sub(1) else {
            return Err(CertificateError::wrong("a distance is missing"));
        };
        let other = "an image is about something else than the state";
        check_variables(store, &self.chain, &[&system.state], other)?;
        if part == 0 {
            self.check_chain(store, system, last, others, budget)
        } else {
            check_distance(store, system, others, distance, budget)
        }
    }

    /// Each set contains the successors of the one before, and the last one lies in the union of the others.
    fn check_chain(
        &self,
        store: &mut Store,
        system: &TransitionSystem,
        last: Term,
        others: &[Term],
        budget: &mut Budget,
    ) -> Result<(), CertificateError> {
        let union = store.or(others);
        expect_contradiction(store, &[last, !union], "the last image is new", budget)?;
        let mut refuter = Refuter::new();
        refuter.assert(store, system.transition);
        let mut before = system.initial;
        for &image in &self.chain {
            let outside = store.rename(!image, &system.state, &system.next);
            refuter.push();
            refuter.assert(store, before);
            refuter.assert(store, outside);
            refuter.expect_refuted(store, &[], "a step leads out of the image", budget)?;
            refuter.pop();
            before = image;
        }
        Ok(())
    }
}

/// The sets are far from bad states, and so are the initial ones.
fn check_distance(
    store: &mut Store,
    system: &TransitionSystem,
    others: &[Term],
    distance: usize,
    budget: &mut Budget,
) -> Result<(), CertificateError> {
    let mut steps = Steps::new(store, system);
    let mut refuter = Refuter::new();
    for step in 0..distance {
        budget.check_stop()?;
        let transition = steps.transition(store, step);
        refuter.assert(store, transition);
    }
    let bad = steps.at(store, system.bad, distance);
    refuter.assert(store, bad);
    for &image in others {
        refuter.push();
        refuter.assert(store, image);
        refuter.expect_refuted(store, &[], "an image is near bad states", budget)?;
        refuter.pop();
    }
    let mut refuter = Refuter::new();
    refuter.assert(store, system.initial);
    for step in 0..=distance {
        let bad = steps.at(store, system.bad, step);
        refuter.push();
        refuter.assert(store, bad);
        refuter.expect_refuted(store, &[], "a bad state is near the initial ones", budget)?;
        refuter.pop();
        let transition = steps.transition(store, step);
        refuter.assert(store, transition);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use shem_base::Rat;
    use shem_term::Sort;

    use super::*;
    use crate::certificate::transition::{Argument, TransitionCertificate};

    /// `x` begins at 0 and goes up by two, at most to 10, where it stays; bad is 9. The images are intervals of
    /// even numbers, given by their ends.
    fn chain(ends: &[(i64, i64)], k: usize) -> (Store, TransitionSystem, Images) {
        let mut store = Store::new();
        let [x, y] = ["x", "y"].map(|name| store.variable(name, Sort::Int));
        let [zero, ten] = [0, 10].map(|n| store.int(n));
        let two = Rat::from(2);
        let up = store.linear(&[(Rat::from(1), x)], &two, Sort::Int);
        let (moves, below) = (store.eq(y, up), store.lt(x, ten));
        let (stays, at_end) = (store.eq(y, x), store.ge(x, ten));
        let [moving, staying] = [store.and2(moves, below), store.and2(stays, at_end)];
        let nine = store.int(9);
        let system = TransitionSystem {
            initial: store.eq(x, zero),
            transition: store.or2(moving, staying),
            bad: store.eq(x, nine),
            state: vec![x],
            next: vec![y],
        };
        let mut chain = Vec::new();
        for &(low, high) in ends {
            let (low, high) = (store.int(low), store.int(high));
            let rest = store.int_mod(x, &2.into());
            let parts = [store.ge(x, low), store.le(x, high), store.eq(rest, zero)];
            chain.push(store.and(&parts));
        }
        (store, system, Images { chain, k })
    }

    fn judge(store: &mut Store, system: &TransitionSystem, images: Images) -> Result<(), CertificateError> {
        let certificate = TransitionCertificate::from(Argument::Images(images));
        certificate.check(store, system, &mut Budget::unlimited())
    }

    #[track_caller]
    fn check(ends: &[(i64, i64)], k: usize, expected: Result<(), &'static str>) {
        let (mut store, system, images) = chain(ends, k);
        assert_eq!(judge(&mut store, &system, images), expected.map_err(CertificateError::wrong));
    }

    #[test]
    fn chains() {
        check(&[(2, 10), (4, 10)], 1, Ok(()));
        check(&[(2, 4), (4, 10), (6, 10)], 3, Ok(()));
        check(&[], 1, Err("a chain has sets"));
        check(&[(2, 10), (4, 10)], 0, Err("a distance is missing"));
        check(&[(2, 10)], 1, Err("the last image is new"));
        check(&[(2, 8), (4, 10)], 1, Err("the last image is new"));
        check(&[(4, 10), (4, 10)], 1, Err("a step leads out of the image"));
        check(&[(2, 8), (2, 4)], 1, Err("a step leads out of the image"));
    }

    #[test]
    fn distances() {
        let (mut store, mut system, mut images) = chain(&[(2, 10), (4, 10)], 3);
        let six = store.int(6);
        system.bad = store.eq(system.state[0], six);
        let near = Err(CertificateError::wrong("an image is near bad states"));
        assert_eq!(judge(&mut store, &system, images.clone()), near);
        // Empty sets are far from all, but the initial states are not.
        let none = store.int(0);
        system.transition = Term::FALSE;
        system.bad = store.eq(system.state[0], none);
        images.k = 2;
        let near = CertificateError::wrong("a bad state is near the initial ones");
        assert_eq!(judge(&mut store, &system, images), Err(near));
    }
}
