//! Functions, by hand.

use shem_smt::Status;
use shem_term::{Sort, Store};

use super::session::Session;

#[test]
fn congruence_over_integers() {
    let mut store = Store::new();
    let f = store.declare("f", &[Sort::Int], Sort::Int);
    let x = store.variable("x", Sort::Int);
    let y = store.variable("y", Sort::Int);
    let (fx, fy) = (store.apply(f, &[x]), store.apply(f, &[y]));
    let (le, ge) = (store.le(x, y), store.ge(x, y));
    let less = store.lt(fx, fy);
    let mut session = Session::new(store);
    session.assert(le);
    session.assert(less);
    assert_eq!(session.check(), Status::Sat);
    session.push();
    session.assert(ge);
    assert_eq!(session.check(), Status::Unsat);
    session.pop();
    assert_eq!(session.check(), Status::Sat);
    assert_eq!(session.check_assuming(&[ge]), Status::Unsat);
    assert_eq!(session.check_assuming(&[!ge]), Status::Sat);
}

#[test]
fn five_applications_of_a_function_lead_back() {
    // f(f(f(x))) = x and f(f(f(f(f(x))))) = x imply f(x) = x.
    let mut store = Store::new();
    let u = store.declare_sort("U");
    let f = store.declare("f", &[u], u);
    let x = store.variable("x", u);
    let mut powers = vec![x];
    for i in 0..5 {
        let next = store.apply(f, &[powers[i]]);
        powers.push(next);
    }
    let third = store.eq(powers[3], x);
    let fifth = store.eq(powers[5], x);
    let first = store.eq(powers[1], x);
    let mut session = Session::new(store);
    session.assert(third);
    session.assert(!first);
    assert_eq!(session.check(), Status::Sat);
    assert_eq!(session.check_assuming(&[fifth]), Status::Unsat);
}

#[test]
fn truth_values_are_arguments() {
    // f(p) is one of f(true) and f(false).
    let mut store = Store::new();
    let f = store.declare("f", &[Sort::Bool], Sort::Int);
    let p = store.variable("p", Sort::Bool);
    let x = store.variable("x", Sort::Int);
    let zero = store.int(0);
    let formula = store.le(x, zero);
    let (t, e, both) = (
        store.apply(f, &[shem_term::Term::TRUE]),
        store.apply(f, &[!shem_term::Term::TRUE]),
        store.and2(p, formula),
    );
    let image = store.apply(f, &[both]);
    let first = store.eq(image, t);
    let second = store.eq(image, e);
    let mut session = Session::new(store);
    session.assert(!first);
    assert_eq!(session.check(), Status::Sat);
    session.assert(!second);
    assert_eq!(session.check(), Status::Unsat);
}

/// 2^40 paths, all with the same ends: without an atom for the two ends of each diamond this has no short refutation.
#[test]
fn diamonds_of_equations_are_refuted_one_by_one() {
    const LENGTH: usize = 40;
    let mut store = Store::new();
    let u = store.declare_sort("U");
    let mut variables = |name: &str, count| -> Vec<_> {
        (0..count).map(|k| store.variable(&format!("{name}{k}"), u)).collect()
    };
    let (ends, upper, lower) = (variables("x", LENGTH + 1), variables("y", LENGTH), variables("z", LENGTH));
    let mut diamonds = Vec::new();
    for k in 0..LENGTH {
        let ways = [upper[k], lower[k]].map(|middle| {
            let parts = [store.eq(ends[k], middle), store.eq(middle, ends[k + 1])];
            store.and(&parts)
        });
        diamonds.push(store.or(&ways));
    }
    let same = store.eq(ends[0], ends[LENGTH]);
    let mut session = Session::new(store);
    for diamond in diamonds {
        session.assert(diamond);
    }
    assert_eq!(session.check_assuming(&[!same]), Status::Unsat);
    assert_eq!(session.check_assuming(&[same]), Status::Sat);
    session.push();
    session.assert(!same);
    assert_eq!(session.check(), Status::Unsat);
    session.pop();
    assert_eq!(session.check(), Status::Sat);
}
