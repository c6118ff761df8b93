//! Colours of nodes, for proofs that are to be interpolated.
//!
//! A colour stands for a group of assertions. A node has the colours of the groups that know all its symbols. Where
//! nodes are coloured, no equation between two nodes without a colour in common is made, nor a read of such an array
//! at such an index: no group could write it. If the search cannot do without, the answer is unknown.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use shem_base::UnknownReason;

use super::candidate::Candidate;
use super::combination::Combination;
use super::forms::Form;
use super::sorts::Sorts;
use crate::arith::{Arith, ArithVar};
use crate::equality::{Function, Kind, Node, NodeShape};

/// The colours of what nodes are made of, as bits.
#[derive(Debug, Default)]
pub(crate) struct Colours {
    leaves: HashMap<Node, u64, FxBuildHasher>,
    functions: HashMap<Function, u64, FxBuildHasher>,
}

impl Colours {
    /// Gives a leaf a colour, from 0 to 63.
    pub(crate) fn colour_leaf(&mut self, leaf: Node, colour: u32) {
        *self.leaves.entry(leaf).or_default() |= 1 << colour;
    }

    /// Gives a declared function a colour, from 0 to 63.
    pub(crate) fn colour_function(&mut self, function: Function, colour: u32) {
        *self.functions.entry(function).or_default() |= 1 << colour;
    }
}

/// The colours of all nodes.
pub(crate) struct NodeColours(Vec<u64>);

impl NodeColours {
    /// Whether two nodes have a colour in common.
    pub(crate) fn are_pure(&self, a: Node, b: Node) -> bool {
        self.of(a) & self.of(b) != 0
    }

    /// The colours of a node, as bits.
    pub(crate) fn of(&self, node: Node) -> u64 {
        self.0.get(node.index()).copied().unwrap_or(0)
    }
}

/// The answer if an equation of two nodes without a common colour is needed.
pub(super) const MIXED: UnknownReason =
    UnknownReason::Incomplete("an equation between terms of different groups is needed");

impl Combination {
    /// The colours of all nodes; none if nodes are not coloured.
    pub(crate) fn node_colours(&self, arith: &Arith) -> Option<NodeColours> {
        let colours = self.colours.as_ref()?;
        let mut all = NodeColours(Vec::with_capacity(self.closure().len()));
        for index in 0..self.closure().len() {
            let node = Node::new(index as u32);
            let meet = |nodes: &[Node]| nodes.iter().fold(u64::MAX, |met, &node| met & all.of(node));
            let own = match self.closure().shape(node) {
                NodeShape::Truth | NodeShape::Falsity | NodeShape::Number(_) => u64::MAX,
                NodeShape::Equation(a, b) => meet(&[a, b]),
                NodeShape::Application(function, args) => match self.closure().kind(function) {
                    Kind::Free => meet(args) & colours.functions.get(&function).copied().unwrap_or(u64::MAX),
                    _ => meet(args),
                },
                NodeShape::Leaf => match self.forms.form(node) {
                    Some(form) => form.terms.iter().fold(u64::MAX, |met, (x, _)| {
                        met & self
                            .application_of(arith, *x)
                            .map_or_else(|| arith.colours(*x), |node| all.of(node))
                    }),
                    None => colours.leaves.get(&node).copied().unwrap_or(0),
                },
            };
            all.0.push(own);
        }
        Some(all)
    }

    /// Whether two nodes have a colour in common, if nodes are coloured.
    pub(super) fn are_pure(&self, arith: &Arith, a: Node, b: Node) -> bool {
        self.node_colours(arith).is_none_or(|colours| colours.are_pure(a, b))
    }

    /// Equalities of the closure between nodes with a common colour that the model of arithmetic does not satisfy.
    pub(super) fn find_pure_transfers(
        &self,
        candidate: &Candidate,
        colours: &NodeColours,
    ) -> Vec<(Node, Node)> {
        let mut classes: BTreeMap<Node, Vec<Node>> = BTreeMap::new();
        let mut found = Vec::new();
        for (node, _, _) in self.forms.iter() {
            let class = classes.entry(self.closure().class(*node)).or_default();
            let differs = |other: &&Node| {
                candidate.number(*node) != candidate.number(**other) && colours.are_pure(*node, **other)
            };
            found.extend(class.iter().find(differs).map(|&other| (other, *node)));
            class.push(*node);
        }
        found
    }

    /// Gives the numbers of applications their colours.
    pub(crate) fn colour_numbers(&self, arith: &mut Arith) {
        let Some(colours) = self.node_colours(arith) else { return };
        for (node, _, form) in self.forms.iter() {
            if self.closure().function(*node).is_some() {
                let of_node = colours.of(*node);
                (0..64).filter(|colour| of_node >> colour & 1 != 0).for_each(|colour| {
                    arith.colour(form.terms[0].0, colour);
                });
            }
        }
    }

    /// The application that a variable of the arithmetic is.
    fn application_of(&self, arith: &Arith, number: ArithVar) -> Option<Node> {
        let sort = if arith.is_int(number) { Sorts::INT } else { Sorts::REAL };
        let node = self.forms.node(sort, &Form::of_variable(number))?;
        self.closure().function(node).map(|_| node)
    }
}
