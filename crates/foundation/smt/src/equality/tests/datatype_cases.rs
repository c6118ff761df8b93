//! Cases of datatypes by hand.

use shem_base::{Lit, Var};

use super::values::{BOOLEAN, COLOUR, LIST, PAIR, RECORD, Signature, TREE, declare};
use crate::equality::{Equality, Explanation, Kind, Node, NodeSort, Request};

fn lit(index: u32) -> Lit {
    Var::new(index).positive()
}

/// An engine, and its functions by kind.
struct Bench {
    equality: Equality,
    functions: Vec<Signature>,
    out: Explanation,
}

impl Bench {
    fn new() -> Bench {
        let (equality, functions) = declare();
        Bench { equality, functions, out: Explanation::default() }
    }

    fn leaf(&mut self, sort: NodeSort) -> Node {
        self.equality.closure_mut().leaf(sort)
    }

    fn apply(&mut self, kind: Kind, args: &[Node]) -> Node {
        let closure = self.equality.closure_mut();
        let signature =
            self.functions.iter().find(|signature| closure.kind(signature.function) == kind).unwrap();
        closure.application(signature.function, args, signature.result)
    }

    /// A constructor of the datatype of this number.
    fn build(&mut self, datatype: u32, index: u32, args: &[Node]) -> Node {
        self.apply(Kind::Constructor { datatype, index }, args)
    }

    fn select(&mut self, datatype: u32, constructor: u32, field: u32, arg: Node) -> Node {
        self.apply(Kind::Selector { datatype, constructor, field }, &[arg])
    }

    fn test(&mut self, datatype: u32, constructor: u32, arg: Node) -> Node {
        self.apply(Kind::Tester { datatype, constructor }, &[arg])
    }

    fn equal(&mut self, a: Node, b: Node, index: u32) {
        self.equality.closure_mut().assert_equal(a, b, lit(index));
    }

    fn distinct(&mut self, a: Node, b: Node, index: u32) {
        self.equality.closure_mut().assert_distinct(a, b, lit(index));
    }

    fn is_consistent(&mut self) -> bool {
        self.equality.close(&mut self.out).is_ok()
    }

    fn requests(&mut self) -> Vec<Request> {
        let mut requests = Vec::new();
        self.equality.requests(&mut requests);
        requests
    }
}

const TRUTH: Node = Node::new(0);
const FALSITY: Node = Node::new(1);

#[test]
fn a_list_is_no_part_of_itself() {
    let mut bench = Bench::new();
    let (x, y, c) = (bench.leaf(LIST), bench.leaf(LIST), bench.leaf(COLOUR));
    let longer = bench.build(1, 1, &[c, x]);
    let longest = bench.build(1, 1, &[c, y]);
    bench.equal(longest, x, 0);
    assert!(bench.is_consistent());
    bench.equal(longer, y, 1);
    assert!(!bench.is_consistent());
    assert_eq!(bench.out.lits, [lit(0), lit(1)]);
    bench.equality.undo(1);
    assert!(bench.is_consistent());
}

#[test]
fn a_cycle_is_found_after_a_conflict_that_hid_it() {
    let mut bench = Bench::new();
    let (x, c) = (bench.leaf(LIST), bench.leaf(COLOUR));
    let longer = bench.build(1, 1, &[c, x]);
    bench.equal(longer, x, 0);
    bench.equal(TRUTH, FALSITY, 1);
    assert!(!bench.is_consistent());
    assert_eq!(bench.out.lits, [lit(1)]);
    bench.equality.undo(1);
    assert!(!bench.is_consistent());
    assert_eq!(bench.out.lits, [lit(0)]);
}

/// A class gets a value and is absorbed by a larger one with another value, in one step: its selectors are applied.
#[test]
fn a_class_that_got_a_value_on_the_way_has_its_fields() {
    let mut bench = Bench::new();
    let mut leaves = |count: usize| -> Vec<Node> { (0..count).map(|_| bench.leaf(TREE)).collect() };
    let (open, fields, many) = (leaves(3), leaves(4), leaves(8));
    let small = bench.build(2, 1, &fields[..2]);
    let large = bench.build(2, 1, &fields[2..]);
    let left = bench.select(2, 1, 0, open[2]);
    let (first, second) = (bench.build(2, 1, &open[..2]), bench.build(2, 1, &[small, large]));
    for (index, pair) in (0..).zip(open.windows(2).chain(many.windows(2))) {
        bench.equal(pair[0], pair[1], index);
    }
    bench.equal(many[0], large, 20);
    assert!(bench.is_consistent());
    assert!(!bench.equality.closure().are_equal(left, fields[0]));
    bench.equal(first, second, 21);
    assert!(bench.is_consistent());
    for field in [fields[0], fields[2]] {
        assert!(bench.equality.closure().are_equal(left, field));
    }
}

#[test]
fn equal_constructors_have_equal_fields_and_different_ones_clash() {
    let mut bench = Bench::new();
    let (x, y, c, d) = (bench.leaf(LIST), bench.leaf(LIST), bench.leaf(COLOUR), bench.leaf(COLOUR));
    let (first, second) = (bench.build(1, 1, &[c, x]), bench.build(1, 1, &[d, y]));
    let nil = bench.build(1, 0, &[]);
    bench.equal(first, second, 0);
    assert!(bench.is_consistent());
    assert!(bench.equality.closure().are_equal(c, d) && bench.equality.closure().are_equal(x, y));
    assert!(bench.equality.closure().are_distinct(first, nil));
    bench.equal(nil, second, 1);
    assert!(!bench.is_consistent());
    assert_eq!(bench.out.lits, [lit(1)]);
}

#[test]
fn selectors_and_testers_of_a_constructor() {
    let mut bench = Bench::new();
    let (x, y, c) = (bench.leaf(LIST), bench.leaf(LIST), bench.leaf(COLOUR));
    let longer = bench.build(1, 1, &[c, x]);
    let tail = bench.select(1, 1, 1, y);
    let (is_nil, is_cons) = (bench.test(1, 0, y), bench.test(1, 1, y));
    bench.equal(y, longer, 0);
    assert!(bench.is_consistent());
    // Made late, and tried again after undoing.
    let head = bench.select(1, 1, 0, y);
    bench.equal(x, x, 1);
    assert!(bench.is_consistent());
    bench.equality.undo(1);
    assert!(bench.is_consistent());
    let closure = bench.equality.closure();
    assert!(closure.are_equal(tail, x) && closure.are_equal(head, c));
    assert_eq!((closure.truth_value(is_nil), closure.truth_value(is_cons)), (Some(false), Some(true)));
}

#[test]
fn a_selector_of_another_constructor_is_free() {
    let mut bench = Bench::new();
    let (nil, c) = (bench.build(1, 0, &[]), bench.leaf(COLOUR));
    let (head, tail) = (bench.select(1, 1, 0, nil), bench.select(1, 1, 1, nil));
    let longer = bench.build(1, 1, &[c, nil]);
    bench.equal(tail, longer, 0);
    bench.equal(head, c, 1);
    assert!(bench.is_consistent());
}

#[test]
fn the_last_constructor_holds() {
    let mut bench = Bench::new();
    let c = bench.leaf(COLOUR);
    let tests: Vec<Node> = (0..3).map(|index| bench.test(0, index, c)).collect();
    bench.equal(tests[0], FALSITY, 0);
    bench.equal(tests[2], FALSITY, 1);
    assert!(bench.is_consistent());
    assert_eq!(bench.equality.closure().truth_value(tests[1]), Some(true));
    assert_eq!(bench.requests(), [Request::Construct { node: c, constructor: 1 }]);
    let green = bench.build(0, 1, &[]);
    assert!(bench.is_consistent());
    assert!(bench.equality.closure().are_equal(c, green));
    bench.equality.closure_mut().explain_equal(c, green, &mut bench.out);
    assert_eq!(bench.out.lits, [lit(0), lit(1)]);
    assert!(bench.requests().is_empty());
}

#[test]
fn merged_classes_know_what_each_of_them_knew() {
    let mut bench = Bench::new();
    let (c, d, e) = (bench.leaf(COLOUR), bench.leaf(COLOUR), bench.leaf(COLOUR));
    let (is_red, is_green) = (bench.test(0, 0, c), bench.test(0, 1, d));
    let is_blue = bench.test(0, 2, e);
    bench.equal(is_red, FALSITY, 0);
    bench.equal(is_green, FALSITY, 1);
    bench.equal(d, e, 2);
    assert!(bench.is_consistent());
    assert_eq!(bench.equality.closure().truth_value(is_blue), None);
    bench.equal(c, d, 3);
    assert!(bench.is_consistent());
    assert_eq!(bench.equality.closure().truth_value(is_blue), Some(true));
    bench.equality.closure_mut().explain_equal(is_blue, TRUTH, &mut bench.out);
    assert_eq!(bench.out.lits, [lit(0), lit(1), lit(2), lit(3)]);
}

#[test]
fn four_different_colours_of_three() {
    let mut bench = Bench::new();
    let colours: Vec<Node> = (0..3).map(|index| bench.build(0, index, &[])).collect();
    let c = bench.leaf(COLOUR);
    for index in 0..3 {
        bench.distinct(c, colours[index as usize], index);
    }
    assert!(!bench.is_consistent());
    assert_eq!(bench.out.lits, [lit(0), lit(1), lit(2)]);
}

#[test]
fn records_with_equal_fields_are_equal() {
    let mut bench = Bench::new();
    let (r, s) = (bench.leaf(RECORD), bench.leaf(RECORD));
    for (index, field) in [(0, 0), (1, 1)] {
        let (left, right) = (bench.select(4, 0, field, r), bench.select(4, 0, field, s));
        bench.equal(left, right, index);
    }
    bench.distinct(r, s, 2);
    assert!(bench.is_consistent());
    for request in bench.requests() {
        if let Request::Construct { node, constructor: 0 } = request
            && (node == r || node == s)
        {
            let fields: Vec<Node> = (0..2).map(|field| bench.select(4, 0, field, node)).collect();
            bench.build(4, 0, &fields);
        }
    }
    assert!(!bench.is_consistent());
    assert_eq!(bench.out.lits, [lit(0), lit(1), lit(2)]);
}

#[test]
fn only_what_matters_is_asked_for() {
    let mut bench = Bench::new();
    let (x, p) = (bench.leaf(LIST), bench.leaf(PAIR));
    let flag = bench.leaf(BOOLEAN);
    assert!(bench.is_consistent());
    // The pair is of a finite sort; the list is not.
    assert_eq!(bench.requests(), [Request::Construct { node: p, constructor: 0 }]);
    let fields: Vec<Node> = (0..2).map(|field| bench.select(3, 0, field, p)).collect();
    bench.build(3, 0, &fields);
    assert!(bench.is_consistent());
    assert_eq!(bench.requests(), [Request::Split { node: fields[0], constructor: 0 }]);
    bench.select(1, 1, 1, x);
    assert!(bench.is_consistent());
    assert!(bench.requests().contains(&Request::Split { node: x, constructor: 0 }));
    assert!(!bench.equality.closure().are_equal(flag, TRUTH));
}
