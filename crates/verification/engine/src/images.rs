//! A chain of images whose union is closed: the certificate of interpolation-based model checking.
//!
//! Each set of the chain contains the successors of the one before it, the first one those of the initial
//! states, and the last one lies in the union of the others. So every state after the first of a run is in the
//! union. If from no set of the chain a bad state is exactly k − 1 steps away, and from no initial state fewer
//! than k, then none is reached at all. The check goes set by set; the check of an invariant,
//! with the union in one query, may be much harder.

use shem_base::Budget;
use shem_chc::TransitionSystem;
use shem_term::{Store, Term};

use crate::induction::{expect_unsat, refuter};
use crate::reason::CertificateError;
use crate::steps::Steps;
use crate::verdict::Certificate;

/// A chain of images, of which the last one adds nothing, k − 1 steps away from the bad states.
#[derive(Clone, Debug)]
pub(crate) struct Images {
    pub system: TransitionSystem,
    /// Over the state, without auxiliary variables.
    pub chain: Vec<Term>,
    /// At least 1.
    pub k: usize,
}

impl Certificate for Images {
    fn parts(&self) -> usize {
        2
    }

    fn check_part(
        &self,
        part: usize,
        store: &mut Store,
        budget: &mut Budget,
    ) -> Result<(), CertificateError> {
        if part == 0 { self.check_chain(store, budget) } else { self.check_distance(store, budget) }
    }
}

impl Images {
    /// Each set contains the successors of the one before, and the last one lies in the union of the others.
    fn check_chain(&self, store: &mut Store, budget: &mut Budget) -> Result<(), CertificateError> {
        let mut steps = Steps::new(store, &self.system);
        let Some((&last, others)) = self.chain.split_last() else {
            return Err(CertificateError::wrong("a chain has sets"));
        };
        // Closed: the last one is in the union of the others.
        let union = store.or(others);
        let mut solver = refuter();
        solver.assert(store, last);
        solver.assert(store, !union);
        expect_unsat(&solver.check(store, budget), "the last image is new")?;
        // Images.
        let mut solver = refuter();
        let transition = steps.transition(store, 0);
        solver.assert(store, transition);
        let mut before = self.system.initial;
        for &image in &self.chain {
            let outside = steps.at(store, !image, 1);
            solver.push();
            solver.assert(store, before);
            solver.assert(store, outside);
            expect_unsat(&solver.check(store, budget), "a step leads out of the image")?;
            solver.pop();
            before = image;
        }
        Ok(())
    }

    /// All sets are far from bad states.
    fn check_distance(&self, store: &mut Store, budget: &mut Budget) -> Result<(), CertificateError> {
        let mut steps = Steps::new(store, &self.system);
        let Some((_, others)) = self.chain.split_last() else {
            return Err(CertificateError::wrong("a chain has sets"));
        };
        let mut solver = refuter();
        for step in 0..self.k - 1 {
            let transition = steps.transition(store, step);
            solver.assert(store, transition);
        }
        let bad = steps.at(store, self.system.bad, self.k - 1);
        solver.assert(store, bad);
        for &image in others {
            solver.push();
            solver.assert(store, image);
            expect_unsat(&solver.check(store, budget), "an image is near bad states")?;
            solver.pop();
        }
        let mut solver = refuter();
        solver.assert(store, self.system.initial);
        for step in 0..self.k {
            let bad = steps.at(store, self.system.bad, step);
            solver.push();
            solver.assert(store, bad);
            expect_unsat(&solver.check(store, budget), "a bad state is near the initial ones")?;
            solver.pop();
            let transition = steps.transition(store, step);
            solver.assert(store, transition);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use shem_base::Rat;
    use shem_term::Sort;

    use super::*;

    /// `x` begins at 0 and goes up by two, at most to 10, where it stays; bad is 9. The images are intervals of
    /// even numbers, given by their ends.
    fn chain(ends: &[(i64, i64)], k: usize) -> (Store, Images) {
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
        (store, Images { system, chain, k })
    }

    #[track_caller]
    fn check(ends: &[(i64, i64)], k: usize, expected: Result<(), &'static str>) {
        let (mut store, images) = chain(ends, k);
        let found = images.check(&mut store, &mut Budget::unlimited());
        assert_eq!(found, expected.map_err(CertificateError::wrong));
    }

    #[test]
    fn chains() {
        check(&[(2, 10), (4, 10)], 1, Ok(()));
        check(&[(2, 4), (4, 10), (6, 10)], 3, Ok(()));
        check(&[], 1, Err("a chain has sets"));
        check(&[(2, 10)], 1, Err("the last image is new"));
        check(&[(2, 8), (4, 10)], 1, Err("the last image is new"));
        check(&[(4, 10), (4, 10)], 1, Err("a step leads out of the image"));
        check(&[(2, 8), (2, 4)], 1, Err("a step leads out of the image"));
    }

    #[test]
    fn distances() {
        let (mut store, mut images) = chain(&[(2, 10), (4, 10)], 3);
        let six = store.int(6);
        let budget = &mut Budget::unlimited();
        images.system.bad = store.eq(images.system.state[0], six);
        assert_eq!(
            images.check(&mut store, budget),
            Err(CertificateError::wrong("an image is near bad states"))
        );
        // Empty sets are far from all, but the initial states are not.
        let none = store.int(0);
        images.system.transition = Term::FALSE;
        images.system.bad = store.eq(images.system.state[0], none);
        images.k = 2;
        let near = CertificateError::wrong("a bad state is near the initial ones");
        assert_eq!(images.check(&mut store, budget), Err(near));
    }
}
