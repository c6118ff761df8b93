//! Nodes of the proof: whether they are well-formed, and what their values are.
//!
//! A node is made of nodes with smaller numbers, so no node is a part of itself, whatever the translation says. The
//! sorts of parts are checked where the parts are used, one level at a time.

use shem_base::{Int, Rat};
use shem_proof::LinearForm;
use shem_term::Sort;

use crate::linear::Linear;
use crate::literal::{Literal, Statement, Statements};
use crate::translation::{NodeMeaning, NumberMeaning, Translation};
use crate::value::Value;

impl<T: Translation> Statements<'_, T> {
    /// The value of a node, or `None` if it means nonsense.
    pub(crate) fn value_of_node(&mut self, root: u32) -> Option<u32> {
        let mut stack = vec![root];
        while let Some(&node) = stack.last() {
            if self.nodes.contains_key(&node) {
                stack.pop();
                continue;
            }
            let Some(meaning) = self.well_formed(node) else {
                self.nodes.insert(node, None);
                continue;
            };
            let before = stack.len();
            self.for_each_part(&meaning, |part| {
                if !self.nodes.contains_key(&part) {
                    stack.push(part);
                }
            });
            if stack.len() == before {
                let value = self.combine(node, meaning);
                self.nodes.insert(node, value);
            }
        }
        self.nodes[&root]
    }

    /// The value of a node whose parts have been seen.
    fn combine(&mut self, node: u32, meaning: NodeMeaning) -> Option<u32> {
        let value = match meaning {
            NodeMeaning::Term(term) => return Some(self.value_of_term(term)),
            NodeMeaning::Application { symbol, args, .. } => {
                let args: Option<Box<[u32]>> = args.iter().map(|&arg| self.value_of_node(arg)).collect();
                return Some(self.application(symbol, args?));
            }
            NodeMeaning::Numeral(value, sort) if sort.bit_width().is_some() => {
                let number = self.numeral_of_bits(&value, sort)?;
                return Some(self.value_of_term(number));
            }
            NodeMeaning::Numeral(value, _) => Value::Number(Linear { terms: Vec::new(), constant: value }),
            NodeMeaning::Sum(form, _) => {
                let mut sum = Linear { terms: Vec::new(), constant: form.constant };
                for (number, coeff) in &form.terms {
                    let part = self.of_number(*number)?;
                    sum.add(&part, coeff);
                }
                sum.add_up();
                Value::Number(sum)
            }
            NodeMeaning::Equation(a, b) => {
                let (a, b) = (self.value_of_node(a)?, self.value_of_node(b)?);
                Value::Truth(self.equation(a, b))
            }
            NodeMeaning::Truth => Value::Truth(Literal::TRUE),
            NodeMeaning::Falsity => Value::Truth(Literal::FALSE),
            // A difference is known by its number only.
            NodeMeaning::Free(Sort::Bool) | NodeMeaning::Difference(_, Sort::Bool) => {
                Value::Truth(self.state(Statement::FreeNode(node)))
            }
            NodeMeaning::Free(_) | NodeMeaning::Difference(..) => Value::Free(node),
            NodeMeaning::Unknown => return None,
        };
        Some(self.values.intern(value))
    }

    /// What a node means, if it is made of nodes with smaller numbers and of the right sorts.
    pub(crate) fn well_formed(&self, node: u32) -> Option<NodeMeaning> {
        let meaning = self.translation.node(node);
        let is_right = match &meaning {
            NodeMeaning::Term(_) | NodeMeaning::Truth | NodeMeaning::Falsity => true,
            NodeMeaning::Application { symbol, args, number } => {
                let signature = self.store.signature(*symbol);
                let sorts_match = if signature.role.is_variadic() {
                    args.iter().all(|&arg| self.sort_of_node(arg) == Some(signature.result))
                } else {
                    let sorts = signature.args.iter().map(|&sort| Some(sort));
                    sorts.eq(args.iter().map(|&arg| self.sort_of_node(arg)))
                };
                let is_value = |number: u32| match self.translation.number(number) {
                    NumberMeaning::Node(other) => other == node && signature.result.is_arithmetic(),
                    _ => false,
                };
                sorts_match && !self.is_constant(*symbol) && number.is_none_or(is_value)
            }
            NodeMeaning::Numeral(value, sort) if sort.bit_width().is_some() => {
                let modulus = Int::from(2).pow(sort.bit_width().unwrap_or(0));
                !value.is_negative() && value.to_int().is_some_and(|number| number < modulus)
            }
            NodeMeaning::Numeral(value, sort) => {
                sort.is_arithmetic() && (*sort == Sort::Real || value.is_integer())
            }
            NodeMeaning::Sum(form, sort) => {
                sort.is_arithmetic() && (*sort == Sort::Real || self.is_integral(form))
            }
            NodeMeaning::Equation(a, b) => {
                let sort = self.sort_of_node(*a);
                sort.is_some() && sort == self.sort_of_node(*b)
            }
            NodeMeaning::Difference([a, b], sort) => {
                let array = self.sort_of_node(*a);
                let index = array.and_then(|array| self.store.array_parts(array)).map(|(index, _)| index);
                array == self.sort_of_node(*b) && index == Some(*sort) && !sort.is_arithmetic()
            }
            NodeMeaning::Free(sort) => !sort.is_arithmetic(),
            NodeMeaning::Unknown => false,
        };
        let mut is_founded = true;
        self.for_each_part(&meaning, |part| is_founded &= part < node);
        (is_right && is_founded).then_some(meaning)
    }

    /// The sort that a node has if it is well-formed.
    pub(crate) fn sort_of_node(&self, node: u32) -> Option<Sort> {
        match self.translation.node(node) {
            NodeMeaning::Term(term) => Some(self.store.sort(term)),
            NodeMeaning::Application { symbol, .. } => Some(self.store.signature(symbol).result),
            NodeMeaning::Numeral(_, sort) | NodeMeaning::Sum(_, sort) => Some(sort),
            NodeMeaning::Difference(_, sort) | NodeMeaning::Free(sort) => Some(sort),
            NodeMeaning::Equation(..) | NodeMeaning::Truth | NodeMeaning::Falsity => Some(Sort::Bool),
            NodeMeaning::Unknown => None,
        }
    }

    /// Visits the nodes that a node is made of, those that its numbers are included.
    fn for_each_part(&self, meaning: &NodeMeaning, mut visit: impl FnMut(u32)) {
        match meaning {
            NodeMeaning::Application { args, .. } => args.iter().copied().for_each(visit),
            NodeMeaning::Equation(a, b) | NodeMeaning::Difference([a, b], _) => {
                visit(*a);
                visit(*b);
            }
            NodeMeaning::Sum(form, _) => {
                for (number, _) in &form.terms {
                    if let NumberMeaning::Node(node) = self.translation.number(*number) {
                        visit(node);
                    }
                }
            }
            _ => {}
        }
    }

    /// Whether the form has integers for values.
    fn is_integral(&self, form: &LinearForm) -> bool {
        let is_term_integral =
            |(number, coeff): &(u32, Rat)| coeff.is_integer() && self.is_integer_number(*number);
        form.constant.is_integer() && form.terms.iter().all(is_term_integral)
    }

    /// Whether an arithmetic variable of the proof ranges over the integers.
    pub(crate) fn is_integer_number(&self, number: u32) -> bool {
        match self.translation.number(number) {
            NumberMeaning::Symbol(symbol) => self.store.signature(symbol).result == Sort::Int,
            NumberMeaning::Term(term) => self.store.sort(term) == Sort::Int,
            NumberMeaning::Quotient(..) | NumberMeaning::NodeQuotient(..) | NumberMeaning::Digit(_) => true,
            NumberMeaning::Node(node) => self.sort_of_node(node) == Some(Sort::Int),
            NumberMeaning::Free { integral } => integral,
        }
    }
}
