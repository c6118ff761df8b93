//! What the solver's variables mean, for the judge of refutations.
//!
//! Gates and auxiliaries of asserted formulas mean terms, which the compiler's names tell; those of a group's
//! formulas have names of their own. Those of a template's instance have none, so the judge refuses a proof that
//! depends on their definitions.

use shem_base::{Rat, Var};
use shem_justify::{Gate, Meaning, NodeMeaning, NumberMeaning, Translation};
use shem_proof::{LinearAtom, ProofSink};

use super::bits::WordPart;
use super::facade::Solver;
use super::group::Group;
use crate::arith::ArithVar;
use crate::bits;
use crate::cnf::Defined;
use crate::equality::{Node, NodeShape};

impl<P: ProofSink> Solver<P> {
    /// The variable that stands for a group in the clauses of a proof.
    pub fn guard(&self, group: Group) -> Var {
        self.groups.states[group.0 as usize].guard.var()
    }
}

impl<P: ProofSink> Translation for Solver<P> {
    fn meaning(&self, var: Var) -> Meaning {
        let theory = &self.core.sat.theory().arith;
        if let Some((x, upper, _)) = theory.meaning(var) {
            let terms = match theory.definition(x) {
                Some(terms) => terms.iter().map(|(y, c)| (y.index() as u32, Rat::from(c.clone()))).collect(),
                None => vec![(x.index() as u32, Rat::ONE)],
            };
            let (bound, strict) = (upper.real.clone(), !upper.delta.is_zero());
            return Meaning::Inequality(LinearAtom { terms, bound, strict });
        }
        if let Some(atom) = self.core.equation_of(var) {
            let (a, b) = self.core.sides(atom);
            return Meaning::Equation(a.index() as u32, b.index() as u32);
        }
        if let Some(symbol) = self.core.boolean_symbol(var).or_else(|| self.ledger.symbol_of_var(var)) {
            return Meaning::Symbol(symbol);
        }
        if let Some(formula) = self.memo.names().gate(var) {
            return Meaning::Formula(formula);
        }
        if let Some(formula) = self.ledger.names_of_var(var).and_then(|names| names.gate(var)) {
            return Meaning::Formula(formula);
        }
        if self.core.truth_var() == Some(var) {
            return Meaning::Truth;
        }
        let Some(words) = self.core.words() else { return Meaning::Free };
        if let Some(gate) = words.gate(var) {
            return Meaning::Gate(match gate {
                bits::Gate::And(inputs) => Gate::And(inputs),
                bits::Gate::Xor(inputs) => Gate::Xor(inputs),
                bits::Gate::Choose(inputs) => Gate::Choose(inputs),
                bits::Gate::Majority(inputs) => Gate::Majority(inputs),
            });
        }
        match words.bit(var) {
            Some((node, place)) => Meaning::Bit(node.index() as u32, place),
            None => Meaning::Free,
        }
    }

    fn number(&self, number: u32) -> NumberMeaning {
        let x = ArithVar::new(number);
        if let Some(symbol) = self.core.number_symbol(x).or_else(|| self.ledger.symbol_of_number(x)) {
            return NumberMeaning::Symbol(symbol);
        }
        if let Some(node) = self.core.application_of(x) {
            return NumberMeaning::Node(node.index() as u32);
        }
        let own = || self.ledger.names_of_number(x).and_then(|names| names.number(x));
        match self.memo.names().number(x).or_else(own) {
            Some(Defined::Leaf(term)) => NumberMeaning::Term(*term),
            Some(Defined::Quotient(term, modulus)) => NumberMeaning::Quotient(*term, modulus.clone()),
            None => match self.core.word_part(x) {
                Some(WordPart::Digit(lit)) => NumberMeaning::Digit(*lit),
                Some(WordPart::Quotient(node, modulus)) => {
                    NumberMeaning::NodeQuotient(node.index() as u32, modulus.clone())
                }
                None => NumberMeaning::Free { integral: self.core.sat.theory().arith.is_int(x) },
            },
        }
    }

    fn node(&self, node: u32) -> NodeMeaning {
        if node as usize >= self.core.node_count() {
            return NodeMeaning::Unknown;
        }
        let node = Node::new(node);
        let sort = self.core.node_sort(node);
        match self.core.shape(node) {
            NodeShape::Truth => NodeMeaning::Truth,
            NodeShape::Falsity => NodeMeaning::Falsity,
            NodeShape::Number(value) => NodeMeaning::Numeral(value.clone(), sort),
            NodeShape::Equation(a, b) => NodeMeaning::Equation(a.index() as u32, b.index() as u32),
            NodeShape::Application(function, args) => {
                let args: Vec<u32> = args.iter().map(|arg| arg.index() as u32).collect();
                match self.core.function_symbol(function) {
                    Some(symbol) => {
                        let form = self.core.linear_form(node);
                        let number = form.and_then(|form| form.terms.first().map(|term| term.0));
                        NodeMeaning::Application { symbol, args, number }
                    }
                    None => NodeMeaning::Difference([args[0], args[1]], sort),
                }
            }
            NodeShape::Leaf => match (self.core.linear_form(node), self.core.term_of_node(node)) {
                (Some(form), _) => NodeMeaning::Sum(form, sort),
                (None, Some(term)) => NodeMeaning::Term(term),
                (None, None) => NodeMeaning::Free(sort),
            },
        }
    }
}
