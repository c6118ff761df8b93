//! Dropping of redundant conjuncts.
//!
//! A member of a conjunction that the others imply can go, and so can a member of a disjunction that implies
//! the others: both are a set of formulas of which all but one contradict the negation of that one. Comparing
//! bounds finds only members over one linear form; here a solver decides, with little effort for each, one
//! after the other with what is left. Later members go first, since they tend to be built of earlier ones.
//! The meaning stays, so interpolants of paths and trees may be pruned one by one.

use shem_base::{Budget, Effort};
use shem_proof::NoProof;
use shem_term::{Store, Term, View};

use super::statistics::ItpCounters;
use crate::solver::{Solver, SolverOptions};

/// How many members of one conjunction are looked at.
const MEMBERS: usize = 64;
/// The effort for one member.
const MEMBER_EFFORT: Effort = Effort { conflicts: 100, pivots: 1_000, splits: 20 };

/// An equivalent formula without members that the others make redundant, at the top and one level below it.
pub(super) fn prune(store: &mut Store, formula: Term, budget: &Budget, counters: &mut ItpCounters) -> Term {
    let Some(members) = conjunction(store, formula) else { return formula };
    let mut solver = None;
    let mut kept = Vec::with_capacity(members.len());
    for member in members {
        let pruned = match conjunction(store, member) {
            Some(inner) => {
                let inner = prune_members(store, inner, budget, counters, &mut solver);
                store.and(&inner).xor(member.is_negated())
            }
            None => member,
        };
        kept.push(pruned);
    }
    let kept = prune_members(store, kept, budget, counters, &mut solver);
    store.and(&kept).xor(formula.is_negated())
}

/// The members of a conjunction or, negated, of a disjunction.
fn conjunction(store: &Store, formula: Term) -> Option<Vec<Term>> {
    match store.view(formula) {
        View::And(members) if members.len() <= MEMBERS => Some(members.to_vec()),
        _ => None,
    }
}

/// The members without those that the others imply.
fn prune_members(
    store: &mut Store,
    mut members: Vec<Term>,
    budget: &Budget,
    counters: &mut ItpCounters,
    solver: &mut Option<Solver<NoProof>>,
) -> Vec<Term> {
    let solver = solver.get_or_insert_with(|| Solver::with_proof(SolverOptions::default(), NoProof));
    for index in (0..members.len()).rev() {
        if members.len() == 1 {
            break;
        }
        let mut assumed = members.clone();
        assumed[index] = !assumed[index];
        counters.prunings += 1;
        if solver.check_assuming(store, &assumed, &mut budget.at_most(MEMBER_EFFORT)).is_unsat() {
            counters.pruned += 1;
            members.remove(index);
        }
    }
    members
}

#[cfg(test)]
mod tests {
    use super::*;
    use shem_term::Sort;

    #[test]
    fn implied_members_go() {
        let mut store = Store::new();
        let [x, y, z] = ["x", "y", "z"].map(|name| store.variable(name, Sort::Int));
        let p = store.variable("p", Sort::Bool);
        let (first, second, third) = (store.le(x, y), store.le(y, z), store.le(x, z));
        let mut counters = ItpCounters::default();
        let budget = Budget::unlimited();
        // x <= z follows from the others; no bound on one form shows it.
        let all = store.and(&[first, second, third]);
        let expected = store.and2(first, second);
        assert_eq!(prune(&mut store, all, &budget, &mut counters), expected);
        assert_eq!((counters.prunings, counters.pruned), (3, 1));
        // Of a disjunction, what implies another member goes; likewise one level below.
        let either = store.or(&[expected, third]);
        assert_eq!(prune(&mut store, either, &budget, &mut counters), third);
        let nested = store.or2(all, p);
        let simpler = store.or2(expected, p);
        assert_eq!(prune(&mut store, nested, &budget, &mut counters), simpler);
        // Where p holds, the last one is needed.
        let (above, below) = (store.lt(y, x), store.lt(z, y));
        let (one, other) = (store.or2(!above, p), store.or2(!below, p));
        let cycle = store.and(&[one, other, third]);
        let kept = prune(&mut store, cycle, &budget, &mut counters);
        assert!(kept == cycle);
    }
}
