//! The final check of the product: closure and arithmetic agree on a model.
//!
//! Arithmetic has a candidate model (de Moura and Bjørner, Model-based theory combination, 2007). Two things may be
//! wrong with it. Nodes that the closure has merged may have different values: then their equation becomes an atom,
//! which the closure implies and which tells arithmetic. Or nodes that the closure has not merged have the same
//! value: that matters only if the values of two applications of one function contradict each other because of
//! it; then the equations of their arguments become atoms and are tried as true first. Differently from the
//! paper, equations are looked for where a function would get two values, and nowhere else.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use shem_base::{Budget, Rat, UnknownReason, Var};
use shem_proof::Lemma;

use super::combination::Combination;
use super::extension::Extension;
use super::sorts::{ConstructorShape, SortKind, Sorts};
use crate::arith::Arith;
use crate::equality::{Function, Kind, Node, NodeSort, Request};
use crate::theory::{Consistency, FinalCheck};

type Map<K, V> = HashMap<K, V, FxBuildHasher>;

/// The values that the candidate model gives to arithmetic nodes.
struct Candidate {
    /// In the order of the forms.
    values: Vec<(Node, NodeSort, Rat)>,
    /// By node: the number of its value. Nodes of one sort have the same number if they have the same value.
    numbers: Map<Node, u32>,
}

impl Candidate {
    fn new(combination: &Combination, arith: &Arith) -> Candidate {
        let mut values = Vec::with_capacity(combination.forms.len());
        let mut numbers = Map::default();
        let mut known: Map<(NodeSort, Rat), u32> = Map::default();
        for (node, sort, form) in combination.forms.iter() {
            let value = form.value(arith);
            let next = known.len() as u32;
            let number = *known.entry((*sort, value.clone())).or_insert(next);
            numbers.insert(*node, number);
            values.push((*node, *sort, value));
        }
        Candidate { values, numbers }
    }

    /// What a node is in the model: a number of a value, or a class.
    fn identity(&self, combination: &Combination, node: Node) -> u64 {
        match self.numbers.get(&node) {
            Some(&number) => u64::from(number) << 1 | 1,
            None => (combination.closure().class(node).index() as u64) << 1,
        }
    }
}

impl Combination {
    /// Looks for a model that closure and arithmetic, which has one, agree on.
    pub(super) fn final_check(
        &mut self,
        arith: &mut Arith,
        next_var: Var,
        lemma: &mut Lemma,
        budget: &mut Budget,
    ) -> FinalCheck {
        let mut extension = Extension::new(next_var);
        loop {
            if self.close(lemma) == Consistency::Conflict {
                return FinalCheck::Conflict;
            }
            if !self.serve_requests(arith, &mut extension) {
                break;
            }
        }
        self.agree(arith, extension, budget).unwrap_or_else(FinalCheck::Unknown)
    }

    /// Makes the constructor applications that the rules of datatypes ask for; says whether there are any. If there
    /// are none, asks for the decision that the rules need.
    fn serve_requests(&mut self, arith: &mut Arith, extension: &mut Extension) -> bool {
        let mut requests = std::mem::take(&mut self.requests);
        requests.clear();
        self.equality.requests(&mut requests);
        let mut constructs = false;
        for &request in &requests {
            match request {
                Request::Construct { node, constructor } => {
                    constructs = true;
                    self.construct(arith, node, constructor);
                }
                Request::Split { node, constructor } => {
                    let (shape, _) = self.constructor(node, constructor);
                    let tester = self.sorts.function_of(shape.tester);
                    let tester = self.application(arith, tester, &[node], Sorts::BOOL);
                    let var = self.demand_var(tester, extension);
                    self.statistics.splits += 1;
                    extension.split(var.positive());
                }
            }
        }
        self.requests = requests;
        constructs
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

    fn agree(
        &mut self,
        arith: &mut Arith,
        mut extension: Extension,
        budget: &mut Budget,
    ) -> Result<FinalCheck, UnknownReason> {
        arith.model();
        let candidate = Candidate::new(self, arith);
        if extension.is_empty() {
            self.transfer_equalities(arith, &candidate, &mut extension);
        }
        if extension.is_empty() {
            self.decide_arguments(&mut extension);
        }
        if extension.is_empty() {
            self.meet_coincidences(arith, &candidate, &mut extension);
        }
        if extension.is_empty() {
            return Ok(FinalCheck::Model);
        }
        budget.use_split()?;
        Ok(extension.into_outcome())
    }

    /// Has arithmetic learn the equalities of the closure that its model does not satisfy.
    fn transfer_equalities(&mut self, arith: &mut Arith, candidate: &Candidate, extension: &mut Extension) {
        let mut first: Map<Node, usize> = Map::default();
        for (index, (node, _, value)) in candidate.values.iter().enumerate() {
            let other = *first.entry(self.closure().class(*node)).or_insert(index);
            let (other, other_value, _) = {
                let (other, sort, value) = &candidate.values[other];
                (*other, value, sort)
            };
            if value != other_value {
                self.statistics.transfers += 1;
                self.demand_equation(arith, other, *node, extension);
            }
        }
    }

    /// Asks for a decision on a Boolean node that is an argument of a function or the element of an array.
    fn decide_arguments(&mut self, extension: &mut Extension) {
        for index in 0..self.closure().len() {
            let node = Node::new(index as u32);
            let Some((_, kind)) = self.closure().function(node) else { continue };
            let is_open = |&node: &Node| {
                self.closure().sort(node) == Sorts::BOOL && self.closure().truth_value(node).is_none()
            };
            let element = (kind == Kind::Select).then_some(node);
            let found = self.closure().args(node).iter().copied().chain(element).find(is_open);
            if let Some(open) = found {
                self.statistics.splits += 1;
                let var = self.demand_var(open, extension);
                extension.split(var.negative());
                return;
            }
        }
    }

    /// Asks for the equations of arguments whose values coincide although it matters that they are different.
    fn meet_coincidences(&mut self, arith: &mut Arith, candidate: &Candidate, extension: &mut Extension) {
        let mut wanted: Vec<(Node, Node)> = Vec::new();
        let mut table: Map<(Function, Vec<u64>), Node> = Map::default();
        let mut shared: Map<u32, Node> = Map::default();
        for index in 0..self.closure().len() {
            let node = Node::new(index as u32);
            let Some((function, kind)) = self.closure().function(node) else { continue };
            let args = self.closure().args(node);
            if matches!(kind, Kind::Select | Kind::Store | Kind::ConstantArray) {
                // Which indices and elements are equal decides what arrays are.
                for &part in args.iter().chain([&node]) {
                    if let Some(&number) = candidate.numbers.get(&part) {
                        let other = *shared.entry(number).or_insert(part);
                        if !self.closure().are_equal(part, other) {
                            wanted.push((other, part));
                        }
                    }
                }
                continue;
            }
            let key: Vec<u64> = args.iter().map(|&arg| candidate.identity(self, arg)).collect();
            let other = *table.entry((function, key)).or_insert(node);
            if other == node || candidate.identity(self, node) == candidate.identity(self, other) {
                continue;
            }
            let pairs = self.closure().args(other).iter().zip(args);
            wanted.extend(pairs.filter(|(a, b)| !self.closure().are_equal(**a, **b)).map(|(&a, &b)| (a, b)));
        }
        for (a, b) in wanted {
            self.statistics.coincidences += 1;
            let lit = self.demand_equation(arith, a, b, extension);
            let equation = self.equality.closure_mut().equation(a, b);
            if self.closure().truth_value(equation).is_none() {
                extension.split(lit);
            }
        }
    }
}
