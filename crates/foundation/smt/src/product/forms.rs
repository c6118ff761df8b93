//! The linear forms of arithmetic nodes.
//!
//! To the congruence closure an arithmetic term is a leaf, a numeral or an application; what its value is, the
//! arithmetic knows: a sum of its variables and a constant. Each form of a sort has one node, so that terms that
//! are written differently but are the same form are one term to the closure.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use shem_base::Rat;

use crate::arith::{Arith, ArithVar};
use crate::equality::{Node, NodeSort};
use crate::linear::add_up;

/// A sum of arithmetic variables, sorted and without zeros, and a constant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Form {
    pub(crate) terms: Box<[(ArithVar, Rat)]>,
    pub(crate) constant: Rat,
}

impl Form {
    /// The form of a single variable.
    pub(crate) fn of_variable(x: ArithVar) -> Form {
        Form { terms: [(x, Rat::ONE)].into(), constant: Rat::ZERO }
    }

    /// The value in the model that the arithmetic has fixed.
    pub(crate) fn value(&self, arith: &Arith) -> Rat {
        let mut value = self.constant.clone();
        for (x, coeff) in &self.terms {
            value.add_mul(coeff, &arith.value(*x));
        }
        value
    }

    /// The difference of two forms.
    pub(crate) fn minus(&self, other: &Form) -> Form {
        let mut sum = self.terms.to_vec();
        sum.extend(other.terms.iter().map(|(x, coeff)| (*x, -coeff)));
        add_up(&mut sum);
        Form { terms: sum.into(), constant: &self.constant - &other.constant }
    }
}

/// The forms of all arithmetic nodes.
#[derive(Debug, Default)]
pub(crate) struct Forms {
    /// The nodes with their forms, in the order in which they got them.
    all: Vec<(Node, NodeSort, Form)>,
    by_node: HashMap<Node, u32, FxBuildHasher>,
    by_form: HashMap<(NodeSort, Form), Node, FxBuildHasher>,
}

impl Forms {
    /// The number of arithmetic nodes.
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// The arithmetic nodes with their sorts and forms, in the order in which they got them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &(Node, NodeSort, Form)> {
        self.all.iter()
    }

    /// The form of a node, if it is arithmetic.
    pub(crate) fn form(&self, node: Node) -> Option<&Form> {
        Some(&self.all[*self.by_node.get(&node)? as usize].2)
    }

    /// The node of a form.
    pub(crate) fn node(&self, sort: NodeSort, form: &Form) -> Option<Node> {
        self.by_form.get(&(sort, form.clone())).copied()
    }

    /// Gives a node a form, which no other node of the sort has.
    pub(crate) fn add(&mut self, node: Node, sort: NodeSort, form: Form) {
        self.by_node.insert(node, self.all.len() as u32);
        self.by_form.insert((sort, form.clone()), node);
        self.all.push((node, sort, form));
    }

    /// Takes back the youngest forms until `count` are left.
    pub(crate) fn truncate(&mut self, count: usize) {
        while self.all.len() > count {
            let Some((node, sort, form)) = self.all.pop() else { break };
            self.by_node.remove(&node);
            self.by_form.remove(&(sort, form));
        }
    }
}
