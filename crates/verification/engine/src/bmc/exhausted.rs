//! The invariant of a system whose paths all have bounded length.
//!
//! Suppose that no path from an initial state has `n` steps, and that no path of fewer steps ends in a bad
//! state. Then `Init(x0) ∧ ⋀ᵢ (Bad(xᵢ) ∨ T(xᵢ, xᵢ₊₁))`, with `i` from 0 to `n - 1`, is a contradiction: take the
//! first `i` where `T` does not hold; the states up to it are a path, and it ends in a bad state; without such
//! an `i` there is a path of `n` steps. Let `I₀, …, Iₙ₋₁` be the path interpolants, `Iᵢ` about `xᵢ`:
//!
//! - `Init ⇒ I₀`;
//! - `Iᵢ ∧ (Bad ∨ T) ⇒ Iᵢ₊₁'`, and `Iₙ₋₁ ∧ (Bad ∨ T) ⇒ false`.
//!
//! Their disjunction is an invariant. It has the initial states by the first line. It is closed under `T` by
//! the second, which sends the states of one `Iᵢ` to the next and those of the last nowhere. And no `Iᵢ` has a
//! bad state: if it had one, `Iᵢ₊₁` would have to hold of all states, for a bad state allows any next one;
//! the same bad state would then be in `Iᵢ₊₁`, hence in all that follow, and the last one has none.
//!
//! An interpolation problem has a limited number of cuts. A long path is divided into
//! pieces: the interpolant at the last cut of a piece contradicts the rest, and so takes the place of `Init` in
//! the next piece.

use shem_base::Budget;
use shem_chc::TransitionSystem;
use shem_check::certificate::{Argument, FiniteDiameter, TransitionCertificate};
use shem_smt::interpolate::{ItpOptions, Partition};
use shem_smt::{Answer, Solver, Template};
use shem_term::{Store, Term};

use crate::reason::WitnessError;
use crate::unroll::{Compiled, Unrolling};

/// The number of interpolants that are asked for at once: as many as the fastest set of cuts holds.
const MAX_CUTS: usize = 64;

/// The claim that no path from an initial state has `length` steps, and that none of fewer ends in a bad state.
pub(crate) fn certificate(length: usize) -> TransitionCertificate {
    // Without initial states there is not even a path of one step.
    Argument::FiniteDiameter(FiniteDiameter::plain(length.max(1))).into()
}

/// The invariant of a system without a path of `length` steps from an initial state and with no bad state
/// on a shorter one.
pub(crate) fn invariant(
    store: &mut Store,
    system: &TransitionSystem,
    length: usize,
    budget: &mut Budget,
) -> Result<Term, WitnessError> {
    in_pieces(store, system, length, MAX_CUTS, budget)
}

/// The same with at most `piece` interpolants at once, two or more.
fn in_pieces(
    store: &mut Store,
    system: &TransitionSystem,
    length: usize,
    piece: usize,
    budget: &mut Budget,
) -> Result<Term, WitnessError> {
    let compiled = Compiled::new(store, system);
    let pair = [&system.state[..], &system.next[..]].concat();
    // The auxiliaries of bad and transition are not shared, so those of the disjunction are theirs.
    let step = store.or2(system.bad, system.transition);
    let step = Template::new(store, step, &pair);
    let mut disjuncts = Vec::with_capacity(length);
    let mut start: Option<Template> = None;
    let mut done = 0;
    while done < length {
        let rest = length - done;
        let cuts = rest.min(piece);
        let mut unrolling = Unrolling::new(Solver::new(Default::default()), &compiled);
        let mut partition = Partition::new(cuts + 1);
        let first = unrolling.assert_at(store, start.as_ref().unwrap_or(compiled.initial()), 0);
        partition.assign(first, 0);
        for at in 0..rest {
            let number = unrolling.assert_step(store, &step, at);
            partition.assign(number, (at + 1).min(cuts));
        }
        let mut refutation = match unrolling.solver.check(store, budget) {
            Answer::Unsat(refutation) => refutation,
            Answer::Sat(_) => return Err(WitnessError::broken("the unrolling that was refuted has a model")),
            Answer::Unknown(reason) => return Err(reason.into()),
        };
        let interpolants = refutation.path_interpolants(store, &partition, &ItpOptions::default(), budget)?;
        for (at, interpolant) in interpolants.into_iter().enumerate() {
            disjuncts.push(unrolling.about(store, interpolant, at, &system.state));
        }
        done += cuts;
        if done < length {
            // The last interpolant is about the state with which the next piece begins, so it is done again.
            done -= 1;
            let last = disjuncts.pop().expect("a piece has cuts");
            start = Some(Template::new(store, last, &system.state));
        }
    }
    Ok(store.or(&disjuncts))
}

#[cfg(test)]
mod tests {
    use shem_term::Sort;

    use super::*;

    /// Whether the formulas contradict each other.
    fn contradict(store: &mut Store, formulas: &[Term]) -> bool {
        let mut solver = Solver::new(Default::default());
        for &formula in formulas {
            solver.assert(store, formula);
        }
        solver.check(store, &mut Budget::unlimited()).is_unsat()
    }

    /// `x` begins at 0 and grows by one while it is less than 10, `y` twice as fast; bad is `y = 13`, which
    /// has an auxiliary variable so that it says only that `y` is odd.
    fn system(store: &mut Store) -> TransitionSystem {
        let [x, y, u, v, aux] = ["x", "y", "x'", "y'", "aux"].map(|n| store.variable(n, Sort::Int));
        let (zero, ten) = (store.int(0), store.int(10));
        let initial = [store.eq(x, zero), store.eq(y, zero)];
        let mut transition = vec![store.lt(x, ten)];
        for (from, to, by) in [(x, u, 1), (y, v, 2)] {
            let sum = store.linear(&[(1.into(), from)], &by.into(), Sort::Int);
            transition.push(store.eq(to, sum));
        }
        let odd = store.linear(&[(2.into(), aux)], &1.into(), Sort::Int);
        TransitionSystem {
            state: vec![x, y],
            next: vec![u, v],
            initial: store.and(&initial),
            transition: store.and(&transition),
            bad: store.eq(y, odd),
        }
    }

    #[test]
    fn invariants_in_pieces() {
        // Eleven steps are one too many; more than that are no mistake.
        for (length, piece) in [(11, 1000), (11, 2), (11, 3), (11, 10), (11, 11), (14, 4)] {
            let mut store = Store::new();
            let store = &mut store;
            let system = system(store);
            let budget = &mut Budget::unlimited();
            let invariant = in_pieces(store, &system, length, piece, budget).unwrap();
            assert!(store.free_variables(&[invariant]).iter().all(|v| system.state.contains(v)));
            let mut next = shem_term::Substitution::new();
            for (&from, &to) in system.state.iter().zip(&system.next) {
                next.insert(store.as_var(from).unwrap(), to);
            }
            let after = store.substitute(invariant, &next);
            assert!(contradict(store, &[system.initial, !invariant]));
            assert!(contradict(store, &[invariant, system.transition, !after]));
            assert!(contradict(store, &[invariant, system.bad]));
        }
        let mut store = Store::new();
        let system = system(&mut store);
        let refused = invariant(&mut store, &system, 10, &mut Budget::unlimited());
        assert!(matches!(refused, Err(WitnessError::Broken(_))), "there is a path of ten steps");
    }
}
