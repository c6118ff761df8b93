//! Nodes that the rules of datatypes and arrays ask for.
//!
//! The rules of arrays see that arrays differ if something that is infinite is left open: the index at which they do, or
//! the element that they have there. For arrays with finitely many indices the index is named: two arrays that are known
//! to be different have a *difference*, at which both are read, and what is read there is different. Which of the arrays
//! that are compared are equal has to be decided then.

use super::combination::Combination;
use super::sorts::{ConstructorShape, SortKind, Sorts};
use crate::arith::Arith;
use crate::equality::{ArrayOutcome, Kind, Node, NodeShape, NodeSort, Premise, Request, is_compared};

/// What the rules need next.
pub(super) enum Demand {
    /// Nothing: the classes describe values.
    None,
    /// Nodes were made or equalities derived: the classes have to be closed again.
    Close,
    /// A decision on a Boolean node, which is to be tried with this value first.
    Decide(Node, bool),
    /// The equations of pairs of nodes, which are to be tried as false first.
    Compare(Vec<(Node, Node)>),
    /// A node whose parts have no colour in common.
    Mixed,
}

impl Combination {
    /// Makes the nodes that the rules of datatypes and arrays ask for, after the classes were closed.
    pub(super) fn serve_rules(&mut self, arith: &mut Arith) -> Demand {
        let mut requests = std::mem::take(&mut self.requests);
        requests.clear();
        self.equality.requests(&mut requests);
        let mut constructed = false;
        let mut split = None;
        for &request in &requests {
            match request {
                Request::Construct { node, constructor } => {
                    constructed = true;
                    self.construct(arith, node, constructor);
                }
                Request::Split { node, constructor } => split = Some((node, constructor)),
            }
        }
        self.requests = requests;
        if constructed {
            return Demand::Close;
        }
        match self.equality.check_arrays() {
            ArrayOutcome::Derived => return Demand::Close,
            ArrayOutcome::Read(array, index) if !self.are_pure(arith, array, index) => return Demand::Mixed,
            ArrayOutcome::Read(array, index) => {
                self.read(arith, array, index);
                return Demand::Close;
            }
            ArrayOutcome::Split => return Demand::Compare(self.equality.open_indices().to_vec()),
            ArrayOutcome::Stable => {}
        }
        if self.sorts.has_finite_arrays() && self.extend_finite_arrays(arith) {
            return Demand::Close;
        }
        if let Some((node, constructor)) = split {
            let (shape, _) = self.constructor(node, constructor);
            let tester = self.sorts.function_of(shape.tester);
            return Demand::Decide(self.application(arith, tester, &[node], Sorts::BOOL), true);
        }
        if self.sorts.has_finite_arrays() { self.decide_finite_arrays() } else { Demand::None }
    }

    /// Makes the read of an array at an index.
    fn read(&mut self, arith: &mut Arith, array: Node, index: Node) {
        let sort = self.closure().sort(array);
        let SortKind::Array { element, select, .. } = self.sorts.get(sort).kind else {
            unreachable!("the node is an array")
        };
        let select = self.sorts.function_of(select);
        self.application(arith, select, &[array, index], element);
        self.statistics.constructions += 1;
    }

    fn constructor(&self, node: Node, constructor: u32) -> (ConstructorShape, NodeSort) {
        let sort = self.closure().sort(node);
        let SortKind::Datatype { constructors, .. } = &self.sorts.get(sort).kind else {
            unreachable!("the node is of a datatype")
        };
        (constructors[constructor as usize].clone(), sort)
    }

    /// Makes the application of a constructor to the fields of a node.
    fn construct(&mut self, arith: &mut Arith, node: Node, constructor: u32) {
        let (shape, sort) = self.constructor(node, constructor);
        let fields: Vec<Node> = shape
            .fields
            .iter()
            .map(|field| {
                let selector = self.sorts.function_of(field.selector);
                self.application(arith, selector, &[node], field.sort)
            })
            .collect();
        let function = self.sorts.function_of(shape.symbol);
        self.application(arith, function, &fields, sort);
        self.statistics.constructions += 1;
    }

    /// Makes the nodes that arrays with finitely many indices need; says whether there is a new one or a new equality.
    fn extend_finite_arrays(&mut self, arith: &mut Arith) -> bool {
        self.name_differences(arith) | self.apply_differences() | self.read_constants(arith)
    }

    /// What has to be decided about arrays with finitely many indices.
    ///
    /// First at which index arrays differ: until that is known, what is read there is one more element that would have
    /// to be compared with all others, and where elements are arrays themselves their number grows with each such
    /// comparison. Arrays are compared by the oldest nodes of their classes, so that the same classes ask for the same
    /// equations, whichever node represents them.
    fn decide_finite_arrays(&self) -> Demand {
        let closure = self.closure();
        let open_place = self.differences.iter().copied().find(|&place| {
            let [a, b] = [0, 1].map(|side| closure.args(place)[side]);
            closure.sort(place) == Sorts::BOOL
                && closure.truth_value(place).is_none()
                && closure.are_distinct(a, b)
        });
        if let Some(place) = open_place {
            return Demand::Decide(place, true);
        }
        let mut compared: Vec<Node> = Vec::new();
        for index in 0..closure.len() {
            let node = Node::new(index as u32);
            if closure.class(node) != node
                || !self.sorts.is_finite_array(closure.sort(node))
                || !is_compared(closure, node)
            {
                continue;
            }
            let is_open = |&&other: &&Node| {
                closure.sort(other) == closure.sort(node) && !closure.are_distinct(node, other)
            };
            if let Some(&other) = compared.iter().find(is_open) {
                let oldest = |node| closure.members(node).min().expect("a class has members");
                return Demand::Compare(vec![(oldest(other), oldest(node))]);
            }
            compared.push(node);
        }
        Demand::None
    }

    /// Names the index at which arrays differ that are known to be different; says whether there is a new one.
    fn name_differences(&mut self, arith: &mut Arith) -> bool {
        let mut made = false;
        for index in 0..self.closure().len() {
            let equation = Node::new(index as u32);
            let NodeShape::Equation(a, b) = self.closure().shape(equation) else { continue };
            let sort = self.closure().sort(a);
            if !self.sorts.is_finite_array(sort) || self.closure().truth_value(equation) != Some(false) {
                continue;
            }
            let difference = Sorts::difference(sort);
            if self.closure().find_application(difference, &[a, b]).is_some() {
                continue;
            }
            let SortKind::Array { index, .. } = self.sorts.get(sort).kind else {
                unreachable!("the nodes are arrays")
            };
            let place = self.application(arith, difference, &[a, b], index);
            self.read(arith, a, place);
            self.read(arith, b, place);
            self.differences.push(place);
            made = true;
        }
        made
    }

    /// Derives that different arrays have different elements at their difference; says whether that is new.
    fn apply_differences(&mut self) -> bool {
        let mut derived = false;
        for at in 0..self.differences.len() {
            let place = self.differences[at];
            let closure = self.equality.closure_mut();
            let [a, b] = [0, 1].map(|side| closure.args(place)[side]);
            let SortKind::Array { select, .. } = self.sorts.get(closure.sort(a)).kind else {
                unreachable!("a difference is one of arrays")
            };
            let select = self.sorts.function_of(select);
            let reads = [a, b].map(|array| closure.find_application(select, &[array, place]));
            let (Some(arrays), [Some(left), Some(right)]) = (closure.find_equation(a, b), reads) else {
                continue;
            };
            let (elements, falsity) = (closure.equation(left, right), closure.falsity());
            if closure.are_equal(arrays, falsity) && !closure.are_equal(elements, falsity) {
                closure.derive_equal(elements, falsity, &[Premise::Equal(arrays, falsity)]);
                derived = true;
            }
        }
        derived
    }

    /// Reads constant arrays at all indices of a sort of truth values or names, of which there are few; says whether there
    /// is a new read. So arrays that connect two of them cannot hide where they agree. Bit-vectors need no such reads: two
    /// constant arrays are connected by stores at fewer indices than there are, or at all of them.
    fn read_constants(&mut self, arith: &mut Arith) -> bool {
        let mut made = false;
        for index in 0..self.closure().len() {
            let node = Node::new(index as u32);
            let sort = self.closure().sort(node);
            if !matches!(self.closure().function(node), Some((_, Kind::ConstantArray)))
                || !self.sorts.is_finite_array(sort)
            {
                continue;
            }
            let SortKind::Array { index, select, .. } = self.sorts.get(sort).kind else {
                unreachable!("a constant array is one")
            };
            let select = self.sorts.function_of(select);
            for place in self.names_of_values(arith, index) {
                if self.closure().find_application(select, &[node, place]).is_none() {
                    self.read(arith, node, place);
                    made = true;
                }
            }
        }
        made
    }

    /// The nodes of all values of a sort, if they are truth values or constructors without fields.
    fn names_of_values(&mut self, arith: &mut Arith, sort: NodeSort) -> Vec<Node> {
        match self.sorts.get(sort).kind.clone() {
            SortKind::Bool => vec![self.closure().truth(), self.closure().falsity()],
            SortKind::Datatype { constructors, .. } if constructors.iter().all(|it| it.fields.is_empty()) => {
                let functions = constructors.iter().map(|it| self.sorts.function_of(it.symbol));
                let functions: Vec<_> = functions.collect();
                functions.into_iter().map(|function| self.application(arith, function, &[], sort)).collect()
            }
            _ => Vec::new(),
        }
    }
}
