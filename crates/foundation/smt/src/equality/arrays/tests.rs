//! Random problems: conflicts are refuted by no small structure, and what is stable has a model.

use std::collections::BTreeMap;

use shem_base::{Lit, Rng, Var};

use super::super::closure::Closure;
use super::super::forest::Explanation;
use super::super::node::{Function, Kind, Node, NodeShape, NodeSort};
use super::{ArrayOutcome, ArraySort, Arrays, Content};

const BOOLEAN: NodeSort = NodeSort::new(0);
const INDEX: NodeSort = NodeSort::new(1);
const ELEMENT: NodeSort = NodeSort::new(2);
const ARRAY: NodeSort = NodeSort::new(3);
const SELECT: Function = Function::new(0);
const STORE: Function = Function::new(1);
const CONSTANT: Function = Function::new(2);

/// A closure with arrays, and the literals asserted.
struct Problem {
    closure: Closure,
    arrays: Arrays,
    /// By variable: the two nodes and whether they were asserted equal.
    literals: Vec<(Node, Node, bool)>,
    indices: Vec<Node>,
    elements: Vec<Node>,
    arrays_of: Vec<Node>,
}

impl Problem {
    fn new() -> Problem {
        let mut closure = Closure::new(BOOLEAN);
        closure.declare(SELECT, Kind::Select);
        closure.declare(STORE, Kind::Store);
        closure.declare(CONSTANT, Kind::ConstantArray);
        let mut arrays = Arrays::default();
        arrays.declare(ARRAY, ArraySort { indices: u64::MAX, infinite_element: true });
        let indices = (0..3).map(|_| closure.leaf(INDEX)).collect();
        let elements = (0..2).map(|_| closure.leaf(ELEMENT)).collect();
        let arrays_of = (0..2).map(|_| closure.leaf(ARRAY)).collect();
        Problem { closure, arrays, literals: Vec::new(), indices, elements, arrays_of }
    }

    fn grow(&mut self, rng: &mut Rng, constants: bool) {
        let pick = |rng: &mut Rng, list: &[Node]| list[rng.below(list.len() as u64) as usize];
        let array = pick(rng, &self.arrays_of);
        let index = pick(rng, &self.indices);
        let element = pick(rng, &self.elements);
        match rng.below(if constants { 6 } else { 5 }) {
            0 | 1 => self.elements.push(self.closure.application(SELECT, &[array, index], ELEMENT)),
            2..=4 => self.arrays_of.push(self.closure.application(STORE, &[array, index, element], ARRAY)),
            _ => self.arrays_of.push(self.closure.application(CONSTANT, &[element], ARRAY)),
        }
    }

    fn assert(&mut self, a: Node, b: Node, equal: bool) {
        if a == b {
            return;
        }
        let lit = Var::new(self.literals.len() as u32).positive();
        self.literals.push((a, b, equal));
        match equal {
            true => self.closure.assert_equal(a, b, lit),
            false => self.closure.assert_distinct(a, b, lit),
        }
    }

    /// Runs the rules to the end. An inconsistency gives the literals behind it.
    fn run(&mut self, rng: &mut Rng) -> Result<(), Vec<Lit>> {
        loop {
            let mut explanation = Explanation::default();
            if self.closure.close(&mut explanation).is_err() {
                return Err(explanation.lits);
            }
            match self.arrays.check(&mut self.closure) {
                ArrayOutcome::Stable => return Ok(()),
                ArrayOutcome::Derived => {}
                ArrayOutcome::Split => {
                    let open = self.arrays.open_pairs();
                    let is_open = |&(a, b): &(Node, Node)| {
                        !self.closure.are_equal(a, b) && !self.closure.are_distinct(a, b)
                    };
                    assert!(!open.is_empty() && open.iter().all(is_open));
                    let (a, b) = open[rng.below(open.len() as u64) as usize];
                    self.assert(a, b, rng.below(3) == 0);
                }
                ArrayOutcome::Read(..) => panic!("there are infinitely many elements"),
            }
        }
    }

    /// Whether a structure with few points, one of which no index names, satisfies the literals.
    fn has_small_model(&self, literals: &[(Node, Node, bool)]) -> bool {
        const POINTS: u32 = 4;
        let arrays = 1_u32 << POINTS;
        let (indices, elements) = (&self.indices[..3], &self.elements[..2]);
        let leaves = &self.arrays_of[..2];
        let count = 27 * 4 * arrays * arrays;
        (0..count).any(|number| {
            let mut rest = number;
            let mut take = |bound: u32| {
                let digit = rest % bound;
                rest /= bound;
                digit
            };
            let mut values = vec![0; self.closure.len()];
            for (nodes, bound) in [(indices, POINTS - 1), (elements, 2), (leaves, arrays)] {
                for node in nodes {
                    values[node.index()] = take(bound);
                }
            }
            for number in 2..self.closure.len() {
                let node = Node::new(number as u32);
                if let NodeShape::Application(function, args) = self.closure.shape(node) {
                    let of = |at: usize| values[args[at].index()];
                    values[number] = match function {
                        SELECT => of(0) >> of(1) & 1,
                        STORE => of(0) & !(1 << of(1)) | of(2) << of(1),
                        _ => of(0) * (arrays - 1),
                    };
                }
            }
            literals.iter().all(|(a, b, equal)| (values[a.index()] == values[b.index()]) == *equal)
        })
    }

    /// Checks that the content of the arrays agrees with all nodes and literals.
    fn check_model(&mut self) {
        let closure = &self.closure;
        let models = self.arrays.model(closure);
        // A content: what there is at each index, and elsewhere. Classes stand for themselves.
        type Contents = (BTreeMap<Node, String>, String);
        let mut contents: BTreeMap<Node, Contents> = BTreeMap::new();
        for model in &models {
            let element = |node: Node| format!("{:?}", closure.class(node));
            let elsewhere = match model.constant {
                Some(node) => element(node),
                None => format!("elsewhere {}", model.component),
            };
            let entries = model.entries.iter().map(|&(index, content)| match content {
                Content::Element(node) => (index, element(node)),
                Content::Other(number) => (index, format!("other {number}")),
            });
            contents.insert(model.root, (entries.collect(), elsewhere));
        }
        let content = |array: Node, index: Node| {
            let (entries, elsewhere) = &contents[&closure.class(array)];
            entries.get(&closure.class(index)).unwrap_or(elsewhere).clone()
        };
        let indices: Vec<Node> = self.indices.iter().map(|&index| closure.class(index)).collect();
        for number in 2..closure.len() {
            let node = Node::new(number as u32);
            let NodeShape::Application(function, args) = closure.shape(node) else { continue };
            let element = |node: Node| format!("{:?}", closure.class(node));
            match function {
                SELECT => assert_eq!(content(args[0], args[1]), element(node)),
                STORE => {
                    assert_eq!(contents[&closure.class(node)].1, contents[&closure.class(args[0])].1);
                    for &index in &indices {
                        let expected = match index == closure.class(args[1]) {
                            true => element(args[2]),
                            false => content(args[0], index),
                        };
                        assert_eq!(content(node, index), expected);
                    }
                }
                _ => assert!(indices.iter().all(|&index| content(node, index) == element(args[0]))),
            }
        }
        for &(a, b, equal) in &self.literals {
            assert_eq!(closure.are_equal(a, b), equal);
            if let (false, Some(left), Some(right)) =
                (equal, contents.get(&closure.class(a)), contents.get(&closure.class(b)))
            {
                let differ = left.1 != right.1 || indices.iter().any(|&i| content(a, i) != content(b, i));
                assert!(differ, "{a:?} and {b:?} must differ");
            }
        }
    }
}

#[test]
fn random_problems() {
    let (mut conflicts, mut models) = (0, 0);
    for seed in 0..300 {
        let mut rng = Rng::new(seed);
        let mut problem = Problem::new();
        let constants = seed % 2 == 0;
        for _ in 0..rng.below(9) + 2 {
            problem.grow(&mut rng, constants);
        }
        for _ in 0..rng.below(7) + 2 {
            let lists = [&problem.indices, &problem.elements, &problem.arrays_of, &problem.arrays_of];
            let list = lists[rng.below(4) as usize];
            let a = list[rng.below(list.len() as u64) as usize];
            let b = list[rng.below(list.len() as u64) as usize];
            problem.assert(a, b, rng.below(2) == 0);
        }
        match problem.run(&mut rng) {
            Ok(()) => {
                models += 1;
                problem.check_model();
            }
            Err(lits) => {
                conflicts += 1;
                let core: Vec<_> = lits.iter().map(|lit| problem.literals[lit.var().index()]).collect();
                assert!(!problem.has_small_model(&core), "seed {seed}: {core:?}");
            }
        }
    }
    assert!(conflicts > 50 && models > 50, "{conflicts} conflicts, {models} models");
}

#[test]
fn stores_at_different_indices_commute() {
    let mut problem = Problem::new();
    let (i, j) = (problem.indices[0], problem.indices[1]);
    let (v, w) = (problem.elements[0], problem.elements[1]);
    let a = problem.arrays_of[0];
    let mut store =
        |array, index, element| problem.closure.application(STORE, &[array, index, element], ARRAY);
    let inner = [store(a, i, v), store(a, j, w)];
    let outer = [store(inner[0], j, w), store(inner[1], i, v)];
    problem.assert(outer[0], outer[1], false);
    problem.assert(i, j, false);
    assert_eq!(problem.run(&mut Rng::new(1)).map_err(|lits| lits.len()), Err(2));
}

#[test]
fn finitely_many_elements_need_reads() {
    let mut problem = Problem::new();
    problem.arrays.declare(ARRAY, ArraySort { indices: u64::MAX, infinite_element: false });
    let (i, v, a) = (problem.indices[0], problem.elements[0], problem.arrays_of[0]);
    let stored = problem.closure.application(STORE, &[a, i, v], ARRAY);
    problem.assert(a, stored, false);
    problem.closure.close(&mut Explanation::default()).unwrap();
    assert_eq!(problem.arrays.check(&mut problem.closure), ArrayOutcome::Read(a, i));
}

#[test]
fn constant_arrays_agree_unless_stores_reach_all_indices() {
    for (indices, stores, is_equal) in [(3, 2, true), (3, 3, false), (2, 2, false), (u64::MAX, 3, true)] {
        let mut problem = Problem::new();
        problem.arrays.declare(ARRAY, ArraySort { indices, infinite_element: true });
        let [v, w] = [0, 1].map(|at| problem.elements[at]);
        let [first, second] = [v, w].map(|element| problem.closure.application(CONSTANT, &[element], ARRAY));
        let mut array = first;
        for at in 0..stores {
            let index = problem.indices[at];
            array = problem.closure.application(STORE, &[array, index, w], ARRAY);
        }
        for (at, other) in [(0, 1), (0, 2), (1, 2)] {
            let [a, b] = [at, other].map(|at| problem.indices[at]);
            problem.assert(a, b, false);
        }
        problem.assert(array, second, true);
        problem.assert(v, w, false);
        assert_eq!(problem.run(&mut Rng::new(1)).is_err(), is_equal, "{stores} of {indices} indices");
    }
}

#[test]
fn stores_at_one_index_count_once() {
    let mut problem = Problem::new();
    problem.arrays.declare(ARRAY, ArraySort { indices: 2, infinite_element: true });
    let [v, w] = [0, 1].map(|at| problem.elements[at]);
    let [i, j] = [0, 1].map(|at| problem.indices[at]);
    let [first, second] = [v, w].map(|element| problem.closure.application(CONSTANT, &[element], ARRAY));
    let once = problem.closure.application(STORE, &[first, i, w], ARRAY);
    let twice = problem.closure.application(STORE, &[once, j, w], ARRAY);
    problem.assert(twice, second, true);
    problem.assert(i, j, true);
    problem.assert(v, w, false);
    assert_eq!(problem.run(&mut Rng::new(1)).map_err(|lits| lits.len()), Err(3));
}
