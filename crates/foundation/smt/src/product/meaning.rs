//! What the atoms mean, for the checker of proofs.

use shem_base::{Rat, Var};
use shem_proof::{AtomMeaning, FunctionKind, LinearAtom, LinearForm, NodeShape as Shape};

use super::combination::Combination;
use super::sorts::SortKind;
use super::theories::Theories;
use crate::arith::ArithVar;
use crate::equality::{Kind, Node, NodeShape};

impl AtomMeaning for Theories {
    fn atom(&self, var: Var) -> Option<LinearAtom> {
        let (x, upper, _) = self.arith.meaning(var)?;
        let terms = match self.arith.definition(x) {
            Some(terms) => terms.iter().map(|(y, c)| (y.index() as u32, Rat::from(c.clone()))).collect(),
            None => vec![(x.index() as u32, Rat::ONE)],
        };
        Some(LinearAtom { terms, bound: upper.real.clone(), strict: !upper.delta.is_zero() })
    }

    fn is_integer(&self, var: u32) -> bool {
        self.arith.is_int(ArithVar::new(var))
    }

    fn equation(&self, var: Var) -> Option<(u32, u32)> {
        let combination = self.combination.as_ref()?;
        let (a, b) = combination.sides(combination.atom(var)?);
        Some((a.index() as u32, b.index() as u32))
    }

    fn node(&self, node: u32) -> Option<Shape> {
        self.combination.as_ref()?.proof_shape(Node::new(node))
    }

    fn linear_form(&self, node: u32) -> Option<LinearForm> {
        let form = self.combination.as_ref()?.forms.form(Node::new(node))?;
        let terms = form.terms.iter().map(|(x, c)| (x.index() as u32, c.clone())).collect();
        Some(LinearForm { terms, constant: form.constant.clone() })
    }

    fn datatype(&self, node: u32) -> Option<(u32, u32)> {
        let combination = self.combination.as_ref()?;
        match &combination.sorts.get(combination.closure().sort(Node::new(node))).kind {
            SortKind::Datatype { id, constructors, .. } => {
                Some((id.index() as u32, constructors.len() as u32))
            }
            _ => None,
        }
    }
}

impl Combination {
    /// How a node is built, as the checker of proofs sees it.
    fn proof_shape(&self, node: Node) -> Option<Shape> {
        if node.index() >= self.closure().len() {
            return None;
        }
        Some(match self.closure().shape(node) {
            NodeShape::Truth => Shape::Truth,
            NodeShape::Falsity => Shape::Falsity,
            NodeShape::Leaf => Shape::Leaf,
            NodeShape::Equation(a, b) => Shape::Equation(a.index() as u32, b.index() as u32),
            NodeShape::Number(value) => Shape::Numeral(value.clone()),
            NodeShape::Application(function, args) => {
                let kind = match self.closure().kind(function) {
                    Kind::Free if self.sorts.is_difference(function) => FunctionKind::Difference,
                    kind => kind.in_proofs(|| self.sorts.least_indices(self.closure().sort(node))),
                };
                let args = args.iter().map(|arg| arg.index() as u32).collect();
                Shape::Application { function: function.index() as u32, kind, args }
            }
        })
    }
}
