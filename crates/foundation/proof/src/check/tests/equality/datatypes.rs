//! Rules of datatypes: an enumeration of three, and lists.

use super::table::{FALSITY, TRUTH, Table};
use crate::check::FunctionKind;

const COLOUR: u32 = 0;
const LIST: u32 = 1;

fn table() -> Table {
    Table::new(&[3, 2])
}

fn colour(t: &mut Table, index: u32) -> u32 {
    t.apply(index, FunctionKind::Constructor { datatype: COLOUR, index }, &[])
}

fn is_colour(t: &mut Table, constructor: u32, arg: u32) -> u32 {
    t.apply(10 + constructor, FunctionKind::Tester { datatype: COLOUR, constructor }, &[arg])
}

fn nil(t: &mut Table) -> u32 {
    t.apply(20, FunctionKind::Constructor { datatype: LIST, index: 0 }, &[])
}

fn cons(t: &mut Table, head: u32, tail: u32) -> u32 {
    t.apply(21, FunctionKind::Constructor { datatype: LIST, index: 1 }, &[head, tail])
}

fn is_nil(t: &mut Table, arg: u32) -> u32 {
    t.apply(22, FunctionKind::Tester { datatype: LIST, constructor: 0 }, &[arg])
}

fn is_cons(t: &mut Table, arg: u32) -> u32 {
    t.apply(23, FunctionKind::Tester { datatype: LIST, constructor: 1 }, &[arg])
}

fn head(t: &mut Table, arg: u32) -> u32 {
    t.apply(24, FunctionKind::Selector { datatype: LIST, constructor: 1, field: 0 }, &[arg])
}

fn tail(t: &mut Table, arg: u32) -> u32 {
    t.apply_to(25, FunctionKind::Selector { datatype: LIST, constructor: 1, field: 1 }, &[arg], Some(LIST))
}

#[test]
fn constructors_are_injective() {
    let mut t = table();
    let [x, y] = [(); 2].map(|()| t.leaf());
    let [l, m] = [(); 2].map(|()| t.leaf_of(LIST));
    let (a, b) = (cons(&mut t, x, l), cons(&mut t, y, m));
    let (ab, xy, lm) = (t.eq(a, b), t.eq(x, y), t.eq(l, m));
    t.check_tight(&[!ab, xy], &[]);
    t.check_tight(&[!ab, lm], &[]);
    t.check_tight(&[!xy, !lm, ab], &[]);
}

#[test]
fn constructors_are_distinct() {
    let mut t = table();
    let x = t.leaf();
    let [l, m] = [(); 2].map(|()| t.leaf_of(LIST));
    let (empty, longer) = (nil(&mut t), cons(&mut t, x, m));
    let (a, b) = (t.eq(l, empty), t.eq(l, longer));
    assert!(t.accepts(&[!a, !b], &[]));
    assert!(!t.accepts(&[!a], &[]) && !t.accepts(&[!a, b], &[]) && !t.accepts(&[a, !b], &[longer]));
    let (red, blue) = (colour(&mut t, 0), colour(&mut t, 2));
    let same = t.eq(red, blue);
    t.check_tight(&[!same], &[]);
}

#[test]
fn no_value_is_a_part_of_itself() {
    let mut t = table();
    let [x, y] = [(); 2].map(|()| t.leaf());
    let [l, m] = [(); 2].map(|()| t.leaf_of(LIST));
    let (a, b) = (cons(&mut t, x, l), cons(&mut t, y, m));
    let (la, lb, ma) = (t.eq(l, a), t.eq(l, b), t.eq(m, a));
    t.check_tight(&[!la], &[]);
    t.check_tight(&[!lb, !ma], &[]);
    // By selectors, if the list is known not to be empty.
    let (rest, longer) = (tail(&mut t, l), is_cons(&mut t, l));
    let (is_rest, is_longer) = (t.eq(l, rest), t.eq(longer, TRUTH));
    t.check_tight(&[!is_rest, !is_longer], &[]);
    let empty = nil(&mut t);
    let is_empty = t.eq(l, empty);
    t.check_tight(&[!is_rest, is_empty], &[]);
    // A tail of the empty list is anything.
    let rest = tail(&mut t, empty);
    let same = t.eq(rest, empty);
    assert!(!t.accepts(&[!same], &[]) && !t.accepts(&[same], &[]));
}

#[test]
fn selectors_take_constructors_apart() {
    let mut t = table();
    let x = t.leaf();
    let [l, m] = [(); 2].map(|()| t.leaf_of(LIST));
    let a = cons(&mut t, x, m);
    let (first, rest) = (head(&mut t, l), tail(&mut t, l));
    let (la, xf, mr) = (t.eq(l, a), t.eq(first, x), t.eq(rest, m));
    t.check_tight(&[!la, xf], &[]);
    t.check_tight(&[!la, mr], &[]);
    // And constructors put the parts together again.
    let again = cons(&mut t, first, rest);
    let (longer, whole) = (is_cons(&mut t, l), t.eq(l, again));
    let is_longer = t.eq(longer, TRUTH);
    t.check_tight(&[!is_longer, whole], &[]);
    t.check_tight(&[!xf, !mr, !is_longer, la], &[]);
}

#[test]
fn testers_tell_the_constructor() {
    let mut t = table();
    let x = t.leaf();
    let [l, m] = [(); 2].map(|()| t.leaf_of(LIST));
    let (a, empty) = (cons(&mut t, x, m), nil(&mut t));
    let (la, le) = (t.eq(l, a), t.eq(l, empty));
    let (is_n, is_c) = (is_nil(&mut t, l), is_cons(&mut t, l));
    let (n, c) = (t.eq(is_n, TRUTH), t.eq(is_c, TRUTH));
    t.check_tight(&[!la, c], &[]);
    t.check_tight(&[!la, !n], &[]);
    t.check_tight(&[!le, n], &[]);
    t.check_tight(&[!le, !c], &[]);
    // Exactly one is true.
    t.check_tight(&[n, c], &[]);
    t.check_tight(&[!n, !c], &[]);
    // Only the empty list has no parts.
    t.check_tight(&[!n, le], &[]);
    t.check_tight(&[c, le], &[]);
    let not_nil = t.eq(is_n, FALSITY);
    t.check_tight(&[!not_nil, c], &[]);
    // If there are more constructors, neither is known to be the last one.
    let (mut t, l) = (Table::new(&[3, 3]), 2);
    assert_eq!(t.leaf_of(LIST), l);
    let (is_n, is_c) = (is_nil(&mut t, l), is_cons(&mut t, l));
    let (n, c) = (t.eq(is_n, TRUTH), t.eq(is_c, TRUTH));
    assert!(!t.accepts(&[n, c], &[]) && t.accepts(&[!n, !c], &[]));
}

#[test]
fn an_enumeration_ends() {
    let mut t = table();
    let x = t.leaf_of(COLOUR);
    let colours = [0, 1, 2].map(|index| colour(&mut t, index));
    let [r, g, b] = colours.map(|colour| t.eq(x, colour));
    t.check_tight(&[r, g, b], &[]);
    let tests = [0, 1, 2].map(|index| is_colour(&mut t, index, x));
    let [is_r, is_g, is_b] = tests.map(|test| t.eq(test, TRUTH));
    t.check_tight(&[is_r, is_g, is_b], &[]);
    t.check_tight(&[is_r, g, is_b], &[]);
    t.check_tight(&[is_r, g, b], &[]);
}
