//! Formulas whose size as a tree is out of reach are asserted by their size as a graph.

use shem_base::Budget;
use shem_smt::Solver;
use shem_term::{Sort, Store, Term};

/// Conjunctions that share their members two by two, a hundred levels deep.
#[test]
fn shared_conjunctions_are_opened_once() {
    let mut store = Store::new();
    let x = store.variable("x", Sort::Int);
    // So many members that a conjunction is not flattened into the next one.
    let many: Vec<Term> = (0..128).map(|i| store.variable(&format!("p{i}"), Sort::Bool)).collect();
    let low = store.int(0);
    let mut left = store.ge(x, low);
    let mut right = store.variable("q", Sort::Bool);
    let half = many.len() / 2 + 1;
    for _ in 0..100 {
        let [a, b] = [&many[..half], &many[many.len() - half..]].map(|own| {
            let members = [&[left, right], own].concat();
            store.and(&members)
        });
        (left, right) = (a, b);
    }
    let both = store.and2(left, right);
    let mut solver = Solver::new(Default::default());
    solver.assert(&mut store, both);
    assert!(solver.check(&mut store, &mut Budget::unlimited()).is_sat());
    let below = store.lt(x, low);
    assert!(solver.check_assuming(&mut store, &[below], &mut Budget::unlimited()).is_unsat());
}
