//! Small structures in which the axioms of the theories hold, and all interpretations of some nodes in them.
//!
//! There are three numbers, an enumeration of two, lists and pairs of these, and two sorts of arrays of numbers: one
//! whose indices are true and false, and one with infinitely many indices, of which an array knows the elements at
//! the three numbers and the one that stands everywhere else.

use super::table::{FALSITY, TRUTH, Table};
use crate::check::{AtomMeaning, FunctionKind, NodeShape};
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sort {
    Bool,
    Number,
    Enumeration,
    List,
    Pair,
    /// Whether there are infinitely many indices.
    Array {
        infinite: bool,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Bool(bool),
    Number(usize),
    /// What a constructor made of its arguments.
    Data(u32, Vec<Value>),
    /// The elements at false and true, or those at the three numbers and the one elsewhere.
    Array(Vec<Value>),
}

/// How many constructors the enumeration (datatype 0), the lists (datatype 1) and the pairs (datatype 2) have.
pub(super) const DATATYPES: &[u32] = &[2, 2, 1];

/// A function: what it does, the sorts of its arguments and that of its value. The index in the list is its number.
pub(super) type Signature = (FunctionKind, &'static [Sort], Sort);

const INFINITE: Sort = Sort::Array { infinite: true };
const FINITE: Sort = Sort::Array { infinite: false };

const fn constructor(datatype: u32, index: u32) -> FunctionKind {
    FunctionKind::Constructor { datatype, index }
}

const fn tester(datatype: u32, constructor: u32) -> FunctionKind {
    FunctionKind::Tester { datatype, constructor }
}

const fn selector(datatype: u32, constructor: u32, field: u32) -> FunctionKind {
    FunctionKind::Selector { datatype, constructor, field }
}

/// All functions.
pub(super) const FUNCTIONS: &[Signature] = &[
    (FunctionKind::Free, &[Sort::Number], Sort::Number),
    (FunctionKind::Free, &[Sort::Number], Sort::Bool),
    (FunctionKind::Free, &[Sort::Bool], Sort::Number),
    (FunctionKind::Free, &[Sort::Enumeration, Sort::Bool], Sort::Enumeration),
    (constructor(0, 0), &[], Sort::Enumeration),
    (constructor(0, 1), &[], Sort::Enumeration),
    (tester(0, 0), &[Sort::Enumeration], Sort::Bool),
    (tester(0, 1), &[Sort::Enumeration], Sort::Bool),
    (constructor(1, 0), &[], Sort::List),
    (constructor(1, 1), &[Sort::Enumeration, Sort::List], Sort::List),
    (tester(1, 0), &[Sort::List], Sort::Bool),
    (tester(1, 1), &[Sort::List], Sort::Bool),
    (selector(1, 1, 0), &[Sort::List], Sort::Enumeration),
    (selector(1, 1, 1), &[Sort::List], Sort::List),
    (FunctionKind::Select, &[INFINITE, Sort::Number], Sort::Number),
    (FunctionKind::Store, &[INFINITE, Sort::Number, Sort::Number], INFINITE),
    (FunctionKind::ConstantArray { indices: u64::MAX }, &[Sort::Number], INFINITE),
    (FunctionKind::Select, &[FINITE, Sort::Bool], Sort::Number),
    (FunctionKind::Store, &[FINITE, Sort::Bool, Sort::Number], FINITE),
    (FunctionKind::ConstantArray { indices: 2 }, &[Sort::Number], FINITE),
    (constructor(2, 0), &[Sort::Enumeration, Sort::Enumeration], Sort::Pair),
    (tester(2, 0), &[Sort::Pair], Sort::Bool),
    (selector(2, 0, 0), &[Sort::Pair], Sort::Enumeration),
    (selector(2, 0, 1), &[Sort::Pair], Sort::Enumeration),
    (FunctionKind::Difference, &[FINITE, FINITE], Sort::Bool),
];

impl Sort {
    /// The number of the datatype.
    pub(super) fn datatype(self) -> Option<u32> {
        match self {
            Sort::Enumeration => Some(0),
            Sort::List => Some(1),
            Sort::Pair => Some(2),
            _ => None,
        }
    }

    /// The values that a leaf may have.
    pub(super) fn values(self) -> Vec<Value> {
        match self {
            Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
            Sort::Number => (0..3).map(Value::Number).collect(),
            Sort::Enumeration => (0..2).map(|index| Value::Data(index, Vec::new())).collect(),
            Sort::List => {
                // Those with up to two elements.
                let mut lists = vec![Value::Data(0, Vec::new())];
                for at in 0..3 {
                    for head in Sort::Enumeration.values() {
                        lists.push(Value::Data(1, vec![head, lists[at].clone()]));
                    }
                }
                lists
            }
            Sort::Pair => {
                let parts = Sort::Enumeration.values();
                let pairs = parts.iter().flat_map(|a| parts.iter().map(|b| vec![a.clone(), b.clone()]));
                pairs.map(|pair| Value::Data(0, pair)).collect()
            }
            Sort::Array { infinite } => {
                let len = if infinite { 4 } else { 2 };
                let digits = |code: usize| {
                    (0..len).map(|at| Value::Number(code / 3usize.pow(at) % 3)).collect::<Vec<Value>>()
                };
                (0..3usize.pow(len)).map(|code| Value::Array(digits(code))).collect()
            }
        }
    }
}

/// What has to be chosen: the value of a leaf, or that of a function on some arguments.
#[derive(Clone, Debug, PartialEq)]
enum Choice {
    Leaf(u32),
    Entry(u32, Vec<Value>),
}

/// An interpretation, in the making: whatever is asked for and was not chosen before gets its first value; the next
/// interpretation takes the next one. So all interpretations are met that differ on the nodes in question.
#[derive(Default)]
pub(super) struct Interpretations {
    choices: Vec<(Choice, Vec<Value>, usize)>,
}

impl Interpretations {
    fn choose(&mut self, choice: Choice, sort: Sort) -> Value {
        if let Some((_, values, at)) = self.choices.iter().find(|(known, ..)| *known == choice) {
            return values[*at].clone();
        }
        let values = sort.values();
        let first = values[0].clone();
        self.choices.push((choice, values, 0));
        first
    }

    /// Goes on to the next interpretation; returns whether there is one.
    pub(super) fn advance(&mut self) -> bool {
        while let Some((_, values, at)) = self.choices.last_mut() {
            *at += 1;
            if *at < values.len() {
                return true;
            }
            self.choices.pop();
        }
        false
    }

    /// The value of a node.
    pub(super) fn value(&mut self, node: u32, table: &Table, sorts: &BTreeMap<u32, Sort>) -> Value {
        if node == TRUTH || node == FALSITY {
            return Value::Bool(node == TRUTH);
        }
        match AtomMeaning::node(table, node).unwrap() {
            NodeShape::Truth | NodeShape::Falsity => unreachable!("others are true and false"),
            NodeShape::Equation(a, b) => {
                let a = self.value(a, table, sorts);
                Value::Bool(a == self.value(b, table, sorts))
            }
            NodeShape::Leaf => self.choose(Choice::Leaf(node), sorts[&node]),
            NodeShape::Numeral(value) => Value::Number(value.numer().to_i64().unwrap() as usize),
            NodeShape::Application { function, args, .. } => {
                let args = args.iter().map(|&arg| self.value(arg, table, sorts)).collect();
                self.apply(function, args)
            }
        }
    }

    fn apply(&mut self, function: u32, mut args: Vec<Value>) -> Value {
        let (kind, _, sort) = FUNCTIONS[function as usize];
        let index = |value: &Value| match value {
            Value::Number(number) => *number,
            Value::Bool(value) => usize::from(*value),
            _ => panic!("no index"),
        };
        match kind {
            FunctionKind::Free => self.choose(Choice::Entry(function, args), sort),
            FunctionKind::Constructor { index, .. } => Value::Data(index, args),
            FunctionKind::Tester { constructor, .. } => {
                Value::Bool(matches!(args[0], Value::Data(index, _) if index == constructor))
            }
            FunctionKind::Selector { constructor, field, .. } => match &args[0] {
                Value::Data(index, fields) if *index == constructor => fields[field as usize].clone(),
                _ => self.choose(Choice::Entry(function, args), sort),
            },
            FunctionKind::Select => match &args[0] {
                Value::Array(elements) => elements[index(&args[1])].clone(),
                _ => panic!("no array"),
            },
            FunctionKind::Store => {
                let (element, index) = (args.pop().unwrap(), index(&args.pop().unwrap()));
                let Some(Value::Array(mut elements)) = args.pop() else { panic!("no array") };
                elements[index] = element;
                Value::Array(elements)
            }
            FunctionKind::Difference => match (&args[0], &args[1]) {
                (Value::Array(a), Value::Array(b)) => match a.iter().zip(b).position(|(x, y)| x != y) {
                    Some(index) => Value::Bool(index == 1),
                    None => self.choose(Choice::Entry(function, args), sort),
                },
                _ => panic!("no arrays"),
            },
            FunctionKind::ConstantArray { indices } => {
                Value::Array(vec![args[0].clone(); indices.min(4) as usize])
            }
        }
    }
}
