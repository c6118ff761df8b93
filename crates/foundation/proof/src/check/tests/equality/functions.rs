//! Congruence, numerals and Booleans.

use super::table::{FALSITY, TRUTH, Table};
use crate::check::{CheckError, FunctionKind, NodeShape};
use FunctionKind::Free;

#[test]
fn equality_is_an_equivalence() {
    let mut t = Table::new(&[]);
    let [a, b, c] = [(); 3].map(|()| t.leaf());
    let (ab, bc, ca) = (t.eq(a, b), t.eq(b, c), t.eq(c, a));
    t.check_tight(&[!ab, !bc, ca], &[]);
    let (aa, ba) = (t.eq(a, a), t.eq(b, a));
    t.check_tight(&[aa], &[]);
    t.check_tight(&[!ab, ba], &[]);
    assert!(!t.accepts(&[], &[a, b]));
    assert!(matches!(t.judge(&[!ab], &[99]), Err(CheckError::Node(_, 99))));
    let no_equation = shem_base::Var::new(77).positive();
    assert!(matches!(t.judge(&[!ab, no_equation], &[]), Err(CheckError::Meaning(..))));
}

#[test]
fn functions_are_congruent() {
    let mut t = Table::new(&[]);
    let [a, b, c] = [(); 3].map(|()| t.leaf());
    let (fa, fb) = (t.apply(0, Free, &[a]), t.apply(0, Free, &[b]));
    let (ab, fab) = (t.eq(a, b), t.eq(fa, fb));
    t.check_tight(&[!ab, fab], &[]);
    // Another function, and one with two arguments.
    let gb = t.apply(1, Free, &[b]);
    let other = t.eq(fa, gb);
    assert!(!t.accepts(&[!ab, other], &[]));
    let (hac, hbb) = (t.apply(2, Free, &[a, c]), t.apply(2, Free, &[b, b]));
    let (bc, both) = (t.eq(b, c), t.eq(hac, hbb));
    t.check_tight(&[!ab, !bc, both], &[]);
    // f(f(f(a))) = a and f(f(f(f(f(a))))) = a imply f(a) = a.
    let mut powers = vec![a];
    for _ in 0..5 {
        powers.push(t.apply(0, Free, &[*powers.last().unwrap()]));
    }
    let (three, five, one) = (t.eq(powers[3], a), t.eq(powers[5], a), t.eq(powers[1], a));
    t.check_tight(&[!three, !five, one], &[]);
    // The way goes through a node that is no part of the clause: f(a) = b and f(a) = c for no reason at all.
    let (ga, gc) = (t.apply(1, Free, &[fa]), t.apply(1, Free, &[c]));
    let (fac, gg) = (t.eq(fa, c), t.eq(ga, gc));
    t.check_tight(&[!fac, gg], &[]);
}

#[test]
fn numerals_are_distinct() {
    let mut t = Table::new(&[]);
    let [a, b] = [(); 2].map(|()| t.leaf());
    let [one, two] = [1, 2].map(|value| t.numeral(value));
    let (a1, b2, ab) = (t.eq(a, one), t.eq(b, two), t.eq(a, b));
    assert!(t.accepts(&[!a1, !b2, !ab], &[]));
    assert!(!t.accepts(&[!a1, !b2, ab], &[]));
    assert!(!t.accepts(&[!a1, !ab], &[]) && !t.accepts(&[!b2, !ab], &[]) && !t.accepts(&[!a1, !b2], &[]));
}

#[test]
fn a_boolean_is_true_or_false() {
    let mut t = Table::new(&[]);
    let [a, b, x] = [(); 3].map(|()| t.leaf());
    let (at, bt, ab) = (t.eq(a, TRUTH), t.eq(b, TRUTH), t.eq(a, b));
    // Two that are not true are equal, and so are two that are.
    t.check_tight(&[at, bt, ab], &[]);
    t.check_tight(&[!at, !bt, ab], &[]);
    t.check_tight(&[!at, bt, !ab], &[]);
    let (af, fa, fb) = (t.eq(a, FALSITY), t.apply(0, Free, &[a]), t.apply(0, Free, &[FALSITY]));
    t.check_tight(&[at, af], &[]);
    assert!(t.accepts(&[!at, !af], &[]));
    let same = t.eq(fa, fb);
    t.check_tight(&[at, same], &[]);
    let xa = t.eq(x, a);
    assert!(!t.accepts(&[xa], &[]) && !t.accepts(&[at, xa], &[]));
}

#[test]
fn equations_are_nodes() {
    let mut t = Table::new(&[]);
    let [a, b, c, d] = [(); 4].map(|()| t.leaf());
    let [ab, cd] = [(a, b), (c, d)].map(|(a, b)| t.make(NodeShape::Equation(a, b), None));
    let (is_ab, is_true, is_false) = (t.eq(a, b), t.eq(ab, TRUTH), t.eq(ab, FALSITY));
    t.check_tight(&[!is_ab, is_true], &[]);
    t.check_tight(&[is_ab, !is_true], &[]);
    t.check_tight(&[is_ab, is_false], &[]);
    t.check_tight(&[!is_ab, !is_false], &[]);
    // Sides may be turned; what is applied to the equations is equal.
    let (ad, bc) = (t.eq(a, d), t.eq(b, c));
    let (f, g) = (t.apply(0, Free, &[ab]), t.apply(0, Free, &[cd]));
    let fg = t.eq(f, g);
    t.check_tight(&[!ad, !bc, fg], &[]);
    let (same, is_cd) = (t.eq(ab, cd), t.eq(c, d));
    t.check_tight(&[!same, !is_ab, is_cd], &[]);
    t.check_tight(&[!same, is_ab, !is_cd], &[]);
}
