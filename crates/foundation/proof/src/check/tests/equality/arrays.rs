//! Rules of arrays.

use super::table::{TRUTH, Table};
use crate::check::FunctionKind;

fn select(t: &mut Table, array: u32, index: u32) -> u32 {
    t.apply(0, FunctionKind::Select, &[array, index])
}

fn store(t: &mut Table, array: u32, index: u32, value: u32) -> u32 {
    t.apply(1, FunctionKind::Store, &[array, index, value])
}

fn constant(t: &mut Table, value: u32) -> u32 {
    t.apply(2, FunctionKind::ConstantArray { indices: u64::MAX }, &[value])
}

fn finite_constant(t: &mut Table, value: u32) -> u32 {
    t.apply(3, FunctionKind::ConstantArray { indices: 2 }, &[value])
}

#[test]
fn reads_see_writes() {
    let mut t = Table::new(&[]);
    let [a, b, i, j, v] = [(); 5].map(|()| t.leaf());
    let written = store(&mut t, a, i, v);
    let (read, old) = (select(&mut t, written, j), select(&mut t, a, j));
    let (ij, same, new) = (t.eq(i, j), t.eq(read, old), t.eq(read, v));
    t.check_tight(&[ij, same], &[]);
    t.check_tight(&[!ij, new], &[]);
    // What was written is there, though nobody reads it from the store itself.
    let (bi, wb) = (select(&mut t, b, i), t.eq(written, b));
    let there = t.eq(bi, v);
    t.check_tight(&[!wb, there], &[]);
    // The two values written at the same place of equal arrays.
    let w = t.leaf();
    let other = store(&mut t, b, j, w);
    let (stores, vw) = (t.eq(written, other), t.eq(v, w));
    t.check_tight(&[!stores, !ij, vw], &[]);
    // Two ways to read, past a store on each side; the stores are named by the lemma.
    let (past, read_b, read_a) = (t.eq(written, b), select(&mut t, b, j), select(&mut t, a, j));
    let reads = t.eq(read_b, read_a);
    t.check_tight(&[!past, ij, reads], &[]);
}

#[test]
fn paths_go_through_many_stores() {
    let mut t = Table::new(&[]);
    let [a, b, i] = [(); 3].map(|()| t.leaf());
    let values = [(); 4].map(|()| t.leaf());
    // Up from a, down to b.
    let indices = [(); 4].map(|()| t.leaf());
    let one = store(&mut t, a, indices[0], values[0]);
    let left = store(&mut t, one, indices[1], values[1]);
    let two = store(&mut t, b, indices[2], values[2]);
    let right = store(&mut t, two, indices[3], values[3]);
    let mut lits = vec![!t.eq(left, right)];
    lits.extend(indices.map(|index| t.eq(index, i)));
    let (x, y) = (select(&mut t, a, i), select(&mut t, b, i));
    lits.push(t.eq(x, y));
    t.check_tight(&lits, &[]);
    // Numerals are distinct by themselves.
    let [one, two, three] = [1, 2, 3].map(|value| t.numeral(value));
    let first = store(&mut t, a, one, values[0]);
    let second = store(&mut t, first, two, values[1]);
    let (deep, plain) = (select(&mut t, second, three), select(&mut t, a, three));
    let same = t.eq(deep, plain);
    t.check_tight(&[same], &[]);
    let (deep, plain) = (select(&mut t, second, two), select(&mut t, a, two));
    let same = t.eq(deep, plain);
    assert!(!t.accepts(&[same], &[]));
}

#[test]
fn arrays_with_equal_elements_are_equal() {
    let mut t = Table::new(&[]);
    let [a, b, i, j, v, w] = [(); 6].map(|()| t.leaf());
    // Writing back what was there.
    let old = select(&mut t, a, i);
    let same = store(&mut t, a, i, old);
    let eq = t.eq(same, a);
    t.check_tight(&[eq], &[]);
    // Stores at different places commute.
    let (first, second) = (store(&mut t, a, i, v), store(&mut t, a, j, w));
    let (first, second) = (store(&mut t, first, j, w), store(&mut t, second, i, v));
    let (eq, ij, vw) = (t.eq(first, second), t.eq(i, j), t.eq(v, w));
    t.check_tight(&[ij, eq], &[]);
    assert!(t.accepts(&[!vw, !ij, eq], &[]) && !t.accepts(&[!vw, eq], &[]) && !t.accepts(&[!ij, eq], &[]));
    // The later store hides the earlier one.
    let (once, hidden) = (store(&mut t, a, i, v), store(&mut t, a, i, w));
    let twice = store(&mut t, hidden, i, v);
    let eq = t.eq(once, twice);
    t.check_tight(&[eq], &[]);
    // The same store to two arrays that are equal elsewhere; they differ at most at i.
    let other = store(&mut t, b, i, v);
    let (stores, ab) = (t.eq(once, other), t.eq(a, b));
    let (ai, bi) = (select(&mut t, a, i), select(&mut t, b, i));
    let reads = t.eq(ai, bi);
    t.check_tight(&[!stores, !reads, ab], &[]);
}

#[test]
fn the_lemma_lists_what_the_path_needs() {
    let mut t = Table::new(&[]);
    let [a, i, v] = [(); 3].map(|()| t.leaf());
    let written = store(&mut t, a, i, v);
    let (f_a, f_w) = (t.apply(9, FunctionKind::Free, &[a]), t.apply(9, FunctionKind::Free, &[written]));
    let old = select(&mut t, a, i);
    let (same, applied) = (t.eq(old, v), t.eq(f_a, f_w));
    t.check_tight(&[!same, applied], &[]);
    // a = b because both are the store to c: the store stands in no equation.
    let [c, d, x, y] = [(); 4].map(|()| t.leaf());
    let (p, q) = (t.apply(8, FunctionKind::Free, &[c]), t.apply(8, FunctionKind::Free, &[d]));
    let (pq, xy) = (t.eq(p, q), t.eq(x, y));
    assert!(!t.accepts(&[pq], &[written]) && !t.accepts(&[!pq, xy], &[written]));
    let (c_j, d_j) = (select(&mut t, c, x), select(&mut t, d, x));
    let (shrunk_c, shrunk_d) = (store(&mut t, c, x, c_j), store(&mut t, d, x, c_j));
    let (stores, reads, cd) = (t.eq(shrunk_c, shrunk_d), t.eq(c_j, d_j), t.eq(c, d));
    t.check_tight(&[!stores, !reads, cd], &[]);
    let bridge = store(&mut t, a, x, y);
    let back = store(&mut t, bridge, x, v);
    let direct = store(&mut t, a, x, v);
    let (fb, fd) = (t.apply(9, FunctionKind::Free, &[back]), t.apply(9, FunctionKind::Free, &[direct]));
    let eq = t.eq(fb, fd);
    t.check_tight(&[eq], &[]);
}

#[test]
fn constant_arrays_have_one_value() {
    for infinite in [true, false] {
        let make = if infinite { constant } else { finite_constant };
        let mut t = Table::new(&[]);
        let [a, i, j, v, w] = [(); 5].map(|()| t.leaf());
        let (k, l) = (make(&mut t, v), make(&mut t, w));
        let (read, kl, vw) = (select(&mut t, k, i), t.eq(k, l), t.eq(v, w));
        let eq = t.eq(read, v);
        t.check_tight(&[eq], &[]);
        t.check_tight(&[!kl, vw], &[]);
        // Past a store, and through an equation.
        let written = store(&mut t, k, j, w);
        let (aw, ij, a_i) = (t.eq(a, written), t.eq(i, j), select(&mut t, a, i));
        let eq = t.eq(a_i, v);
        t.check_tight(&[!aw, ij, eq], &[]);
        // Two that differ in one place only, of two or more: equal.
        let back = t.eq(written, l);
        t.check_tight(&[!back, vw], &[]);
        // In two places: equal, if there are others, or if it is the same place twice.
        let written = store(&mut t, written, i, w);
        let back = t.eq(written, l);
        assert_eq!(t.accepts(&[!back, vw], &[]), infinite);
        assert!(t.accepts(&[!back, !ij, vw], &[]));
        // Storing the same value changes nothing.
        let again = store(&mut t, k, j, v);
        let same = t.eq(again, k);
        t.check_tight(&[same], &[]);
    }
}

#[test]
fn arrays_that_agree_at_their_difference_are_equal() {
    let mut t = Table::new(&[]);
    let [a, b, c, x] = [(); 4].map(|()| t.leaf());
    let d = t.apply(7, FunctionKind::Difference, &[a, b]);
    let (a_d, b_d, c_d) = (select(&mut t, a, d), select(&mut t, b, d), select(&mut t, c, d));
    let (ab, ac, reads) = (t.eq(a, b), t.eq(a, c), t.eq(a_d, b_d));
    t.check_tight(&[!reads, ab], &[]);
    // At another index, or of another array, agreement says nothing.
    let (a_x, b_x) = (select(&mut t, a, x), select(&mut t, b, x));
    let (others, elsewhere) = (t.eq(a_d, c_d), t.eq(a_x, b_x));
    assert!(!t.accepts(&[!elsewhere, ab], &[]) && !t.accepts(&[!others, ac], &[]));
    let same = t.eq(x, d);
    t.check_tight(&[!elsewhere, !same, ab], &[]);
}

#[test]
fn indices_may_be_anything() {
    // Booleans, and arrays of arrays.
    let mut t = Table::new(&[]);
    let [a, p, v] = [(); 3].map(|()| t.leaf());
    let written = store(&mut t, a, TRUTH, v);
    let (read, old) = (select(&mut t, written, p), select(&mut t, a, p));
    let (is_p, same, new) = (t.eq(p, TRUTH), t.eq(read, old), t.eq(read, v));
    t.check_tight(&[is_p, same], &[]);
    t.check_tight(&[!is_p, new], &[]);
    let [m, i, j, x] = [(); 4].map(|()| t.leaf());
    let row = t.apply(5, FunctionKind::Select, &[m, i]);
    let new_row = store(&mut t, row, j, x);
    let changed = t.apply(6, FunctionKind::Store, &[m, i, new_row]);
    let again = t.apply(5, FunctionKind::Select, &[changed, i]);
    let cell = select(&mut t, again, j);
    let eq = t.eq(cell, x);
    t.check_tight(&[eq], &[]);
}
