//! Nodes that the rules of datatypes and arrays ask for.

use super::combination::Combination;
use super::sorts::{ConstructorShape, SortKind, Sorts};
use crate::arith::Arith;
use crate::equality::{ArrayOutcome, Node, NodeSort, Request};

/// What the rules need next.
pub(super) enum Demand {
    /// Nothing: the classes describe values.
    None,
    /// Nodes were made or equalities derived: the classes have to be closed again.
    Close,
    /// A decision on a Boolean node, which is to be tried with this value first.
    Decide(Node, bool),
    /// The equation of two nodes, which is to be tried as false first.
    Compare(Node, Node),
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
            ArrayOutcome::Split(a, b) => return Demand::Compare(a, b),
            ArrayOutcome::Stable => {}
        }
        match split {
            None => Demand::None,
            Some((node, constructor)) => {
                let (shape, _) = self.constructor(node, constructor);
                let tester = self.sorts.function_of(shape.tester);
                Demand::Decide(self.application(arith, tester, &[node], Sorts::BOOL), true)
            }
        }
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
}
