//! Datatypes, arrays and nonlinear arithmetic, by hand.

use shem_base::{BitVec, UnknownReason};
use shem_smt::Status;
use shem_term::{ConstructorDeclaration, DatatypeDeclaration, FieldSort, Sort, Store, Term};

use super::session::Session;

/// Declares one datatype.
fn declare(store: &mut Store, name: &str, constructors: Vec<ConstructorDeclaration>) -> Sort {
    let group = [DatatypeDeclaration { name: name.to_owned(), constructors }];
    store.declare_datatypes(&group).expect("the datatype is well-founded")[0]
}

/// Lists of integers.
fn lists(store: &mut Store) -> Sort {
    let nil = ConstructorDeclaration::new("nil", &[]);
    let cons =
        ConstructorDeclaration::new("cons", &[("head", Sort::Int.into()), ("tail", FieldSort::Member(0))]);
    declare(store, "List", vec![nil, cons])
}

/// The symbols of a constructor: itself, its selectors and its tester.
fn symbols(store: &Store, sort: Sort, index: usize) -> Vec<shem_term::Symbol> {
    let id = sort.as_datatype().expect("a datatype");
    let constructor = &store.datatype(id).constructors()[index];
    let mut symbols = vec![constructor.symbol];
    symbols.extend_from_slice(&constructor.selectors);
    symbols.push(constructor.tester);
    symbols
}

#[test]
fn constructors_are_injective_and_lists_have_an_end() {
    let mut store = Store::new();
    let list = lists(&mut store);
    let cons = symbols(&store, list, 1)[0];
    let (a, b) = (store.variable("a", list), store.variable("b", list));
    let (x, y) = (store.variable("x", Sort::Int), store.variable("y", Sort::Int));
    let (left, right) = (store.construct(cons, &[x, a]), store.construct(cons, &[y, b]));
    let same = store.eq(left, right);
    let less = store.lt(x, y);
    let cycle = store.eq(a, right);
    let back = store.eq(b, left);
    let mut session = Session::new(store);
    session.assert(same);
    assert_eq!(session.check(), Status::Sat);
    assert_eq!(session.check_assuming(&[less]), Status::Unsat);
    // The tail of a list is another list.
    assert_eq!(session.check_assuming(&[cycle]), Status::Unsat);
    session.push();
    session.assert(cycle);
    assert_eq!(session.check(), Status::Unsat);
    session.pop();
    assert_eq!(session.check_assuming(&[back]), Status::Unsat);
}

#[test]
fn a_selector_of_another_constructor_has_some_value() {
    let mut store = Store::new();
    let list = lists(&mut store);
    let nil = symbols(&store, list, 0)[0];
    let head = symbols(&store, list, 1)[1];
    let a = store.variable("a", list);
    let empty = store.construct(nil, &[]);
    let is_empty = store.eq(a, empty);
    let first = store.select_field(head, a);
    let of_nil = store.apply(head, &[empty]);
    let (five, six) = (store.int(5), store.int(6));
    let (is_five, is_six) = (store.eq(first, five), store.eq(of_nil, six));
    let mut session = Session::new(store);
    session.assert(is_empty);
    session.assert(is_five);
    assert_eq!(session.check(), Status::Sat);
    // The same each time.
    assert_eq!(session.check_assuming(&[is_six]), Status::Unsat);
}

#[test]
fn an_enumeration_has_no_more_values_than_names() {
    let mut store = Store::new();
    let names = ["red", "green", "blue"].map(|name| ConstructorDeclaration::new(name, &[])).to_vec();
    let colour = declare(&mut store, "Colour", names);
    let colours: Vec<Term> = (0..4).map(|i| store.variable(&format!("c{i}"), colour)).collect();
    let three = store.distinct(&colours[..3]);
    let four = store.distinct(&colours);
    let mut session = Session::new(store);
    session.assert(three);
    assert_eq!(session.check(), Status::Sat);
    session.assert(four);
    assert_eq!(session.check(), Status::Unsat);
}

#[test]
fn records_have_no_tester_to_wait_for() {
    let mut store = Store::new();
    let pair = declare(
        &mut store,
        "Pair",
        vec![ConstructorDeclaration::new(
            "pair",
            &[("first", Sort::Int.into()), ("second", Sort::Bool.into())],
        )],
    );
    let [_, first, second, _] = symbols(&store, pair, 0)[..] else { panic!("two fields") };
    let (p, q) = (store.variable("p", pair), store.variable("q", pair));
    let [p1, q1] = [p, q].map(|it| store.select_field(first, it));
    let [p2, q2] = [p, q].map(|it| store.select_field(second, it));
    let equal = store.eq(p, q);
    let (firsts, seconds) = (store.eq(p1, q1), store.iff(p2, q2));
    let mut session = Session::new(store);
    session.assert(!equal);
    session.assert(firsts);
    assert_eq!(session.check(), Status::Sat);
    session.assert(seconds);
    assert_eq!(session.check(), Status::Unsat);
}

#[test]
fn writes_at_different_indices_commute() {
    let mut store = Store::new();
    let array = store.array_sort(Sort::Int, Sort::Int);
    let a = store.variable("a", array);
    let [i, j, x, y] = ["i", "j", "x", "y"].map(|name| store.variable(name, Sort::Int));
    let first = store.store_at(a, i, x);
    let first = store.store_at(first, j, y);
    let second = store.store_at(a, j, y);
    let second = store.store_at(second, i, x);
    let equal = store.eq(first, second);
    let apart = store.lt(i, j);
    let mut session = Session::new(store);
    session.assert(!equal);
    assert_eq!(session.check(), Status::Sat);
    assert_eq!(session.check_assuming(&[apart]), Status::Unsat);
}

#[test]
fn reads_see_writes_through_conditionals_and_functions() {
    let mut store = Store::new();
    let array = store.array_sort(Sort::Int, Sort::Int);
    let f = store.declare("f", &[array], Sort::Int);
    let (a, b) = (store.variable("a", array), store.variable("b", array));
    let p = store.variable("p", Sort::Bool);
    let (i, x) = (store.variable("i", Sort::Int), store.variable("x", Sort::Int));
    let either = store.ite(p, a, b);
    let written = store.store_at(either, i, x);
    let read = store.select(a, i);
    let unchanged = store.eq(read, x);
    let (fa, fw) = (store.apply(f, &[a]), store.apply(f, &[written]));
    let differ = store.lt(fa, fw);
    let mut session = Session::new(store);
    session.assert(unchanged);
    session.assert(differ);
    assert_eq!(session.check(), Status::Sat);
    session.assert(p);
    assert_eq!(session.check(), Status::Unsat);
}

#[test]
fn constant_arrays() {
    let mut store = Store::new();
    let array = store.array_sort(Sort::Int, Sort::Real);
    let a = store.variable("a", array);
    let (x, y) = (store.variable("x", Sort::Real), store.variable("y", Sort::Real));
    let (i, j) = (store.variable("i", Sort::Int), store.variable("j", Sort::Int));
    let constant = store.constant_array(array, x);
    let written = store.store_at(constant, i, y);
    let is_written = store.eq(a, written);
    let read = store.select(a, j);
    let other = store.lt(x, read);
    let elsewhere = store.lt(i, j);
    let mut session = Session::new(store);
    session.assert(is_written);
    session.assert(other);
    assert_eq!(session.check(), Status::Sat);
    assert_eq!(session.check_assuming(&[elsewhere]), Status::Unsat);
}

#[test]
fn arrays_of_arrays() {
    let mut store = Store::new();
    let row = store.array_sort(Sort::Int, Sort::Int);
    let matrix = store.array_sort(Sort::Int, row);
    let (m, n) = (store.variable("m", matrix), store.variable("n", matrix));
    let (i, j) = (store.variable("i", Sort::Int), store.variable("j", Sort::Int));
    let old = store.select(m, i);
    let cell = store.select(old, j);
    let next = store.linear(&[(1.into(), cell)], &1.into(), Sort::Int);
    let row = store.store_at(old, j, next);
    let changed = store.store_at(m, i, row);
    let step = store.eq(n, changed);
    let new = store.select(n, i);
    let new = store.select(new, j);
    let grown = store.lt(cell, new);
    let mut session = Session::new(store);
    session.assert(step);
    assert_eq!(session.check(), Status::Sat);
    session.assert(!grown);
    assert_eq!(session.check(), Status::Unsat);
}

#[test]
fn products_count_only_if_they_evaluate() {
    let mut store = Store::new();
    let (x, y) = (store.variable("x", Sort::Int), store.variable("y", Sort::Int));
    let product = store.product(&[x, y]);
    let (two, six) = (store.int(2), store.int(6));
    let is_six = store.eq(product, six);
    let is_two = store.eq(x, two);
    let less = store.lt(product, six);
    let mut session = Session::new(store);
    session.assert(is_six);
    // Nothing is known of a product but that it is one: a model is given if it happens to be right.
    match session.check_assuming(&[is_two]) {
        Status::Sat | Status::Unknown(UnknownReason::Incomplete(_)) => {}
        other => panic!("{other}"),
    }
    assert_eq!(session.check_assuming(&[less]), Status::Unsat);
}

/// The solver has no theory of bit-vectors yet: it must not call satisfiable what is not, and what follows from equations
/// alone it knows.
#[test]
fn bit_vectors_are_never_answered_wrongly() {
    let mut store = Store::new();
    let sort = Sort::bit_vec(8).expect("a width");
    let (x, y) = (store.variable("x", sort), store.variable("y", sort));
    let square = store.bv_mul(&[x, x]);
    let three = store.bit_vector(&BitVec::new(8, 3));
    let no_square = store.eq(square, three);
    let less = store.bv_ult(x, y);
    let greater = store.bv_ult(y, x);
    let same = store.eq(x, y);
    let other_square = store.bv_mul(&[y, y]);
    let differ = !store.eq(square, other_square);
    let mut session = Session::new(store);
    assert_ne!(session.check_assuming(&[no_square]), Status::Sat);
    assert_ne!(session.check_assuming(&[less, greater]), Status::Sat);
    assert_ne!(session.check_assuming(&[less]), Status::Unsat);
    assert_eq!(session.check_assuming(&[same, differ]), Status::Unsat);
    assert_ne!(session.check_assuming(&[!same]), Status::Unsat);
}
