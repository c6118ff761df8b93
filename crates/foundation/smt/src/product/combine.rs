//! The final check of the product: closure, arithmetic and bits agree on a model.
//!
//! First the rules of datatypes and arrays come to rest. Then there is arithmetic's candidate model (de Moura and
//! Bjørner, Model-based theory combination, 2007). Two things may be wrong with it. Nodes that the closure has merged
//! may have different values: then their equation becomes an atom, which the closure implies and which tells
//! arithmetic, or is tied to the bits. Or nodes that the closure has not merged have the same value although it matters that they are
//! different (see `coincidences`): then their equation becomes an atom and is tried as true first.

use shem_base::{Budget, UnknownReason, Var};
use shem_proof::Lemma;

use super::candidate::{Candidate, Map};
use super::colours::MIXED;
use super::combination::Combination;
use super::extension::Extension;
use super::sorts::Sorts;
use super::structure::Demand;
use crate::arith::Arith;
use crate::equality::{Kind, Node, NodeShape};
use crate::theory::{Consistency, FinalCheck};

/// What is missing for a model.
enum Need {
    /// Nothing.
    Nothing,
    /// Arithmetic has to learn that these nodes are equal, or different.
    Transfers(Vec<(Node, Node)>),
    /// It has to be decided whether these nodes, which have the same value, are equal.
    Coincidences(Vec<(Node, Node)>),
    /// The equations of pairs of nodes have to be decided.
    Comparisons(Vec<(Node, Node)>),
    /// A Boolean node has to be decided, with this value first.
    Decision(Node, bool),
    /// Nodes without a common colour have to be compared.
    Mixed,
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
        let demand = loop {
            if self.close(lemma) == Consistency::Conflict {
                return FinalCheck::Conflict;
            }
            match self.serve_rules(arith) {
                Demand::Close => {}
                demand => break demand,
            }
        };
        let need = match demand {
            Demand::Decide(node, value) => Need::Decision(node, value),
            Demand::Compare(mut pairs) => {
                if let Some(colours) = self.node_colours(arith) {
                    pairs.retain(|&(a, b)| colours.are_pure(a, b));
                }
                if pairs.is_empty() { Need::Mixed } else { Need::Comparisons(pairs) }
            }
            Demand::Mixed => Need::Mixed,
            Demand::None | Demand::Close => {
                let extension = self.extend_words(next_var, budget);
                if let Some(outcome) = extension.or_else(|| self.refine_words(next_var, budget)) {
                    return outcome;
                }
                self.find_disagreement(arith)
            }
        };
        self.extend(arith, need, next_var, budget).unwrap_or_else(FinalCheck::Unknown)
    }

    /// What closure and arithmetic do not agree on.
    fn find_disagreement(&mut self, arith: &mut Arith) -> Need {
        arith.model();
        let candidate = Candidate::new(self, arith);
        let mut transfers = self.find_transfers(&candidate);
        if !transfers.is_empty() {
            if let Some(colours) = self.node_colours(arith) {
                transfers = self.find_pure_transfers(&candidate, &colours);
            }
            return if transfers.is_empty() { Need::Mixed } else { Need::Transfers(transfers) };
        }
        if let Some(node) = self.find_open_argument() {
            return Need::Decision(node, false);
        }
        let mut coincidences = self.find_coincidences(&candidate);
        if coincidences.is_empty() {
            return Need::Nothing;
        }
        if let Some(colours) = self.node_colours(arith) {
            coincidences.retain(|&(a, b)| colours.are_pure(a, b));
        }
        if coincidences.is_empty() { Need::Mixed } else { Need::Coincidences(coincidences) }
    }

    /// Equalities and disequalities of the closure that the model of arithmetic, or the bits, do not satisfy.
    fn find_transfers(&self, candidate: &Candidate) -> Vec<(Node, Node)> {
        let mut first: Map<Node, Node> = Map::default();
        let mut found = Vec::new();
        let numbers = self.forms.iter().map(|entry| entry.0);
        let words = self.words.iter().flat_map(|words| words.values().map(|entry| entry.0));
        for node in numbers.chain(words) {
            let other = *first.entry(self.closure().class(node)).or_insert(node);
            if candidate.number(node) != candidate.number(other) {
                found.push((other, node));
            }
        }
        // What the closure knows to be different must not have the same value, either.
        let closure = self.closure();
        for equation in (0..closure.len() as u32).map(Node::new) {
            if let NodeShape::Equation(a, b) = closure.shape(equation)
                && closure.truth_value(equation) == Some(false)
                && candidate.number(a).is_some()
                && candidate.number(a) == candidate.number(b)
            {
                found.push((a, b));
            }
        }
        found
    }

    /// A Boolean node that is an argument of a function or the element of an array, and is not decided.
    fn find_open_argument(&self) -> Option<Node> {
        let closure = self.closure();
        let is_open = |&node: &Node| closure.sort(node) == Sorts::BOOL && closure.truth_value(node).is_none();
        (0..closure.len() as u32).map(Node::new).find_map(|node| {
            let (_, kind) = closure.function(node)?;
            let element = (kind == Kind::Select).then_some(node);
            closure.args(node).iter().copied().chain(element).find(is_open)
        })
    }

    /// Asks the search for what is missing.
    fn extend(
        &mut self,
        arith: &mut Arith,
        need: Need,
        next_var: Var,
        budget: &mut Budget,
    ) -> Result<FinalCheck, UnknownReason> {
        match need {
            Need::Nothing => return Ok(FinalCheck::Model),
            Need::Mixed => return Err(MIXED),
            _ => {}
        }
        budget.use_split()?;
        let mut extension = Extension::new(next_var);
        match need {
            Need::Nothing | Need::Mixed => {}
            Need::Transfers(pairs) => {
                self.statistics.transfers += pairs.len() as u64;
                for (a, b) in pairs {
                    self.demand_equation(arith, a, b, &mut extension);
                }
            }
            Need::Coincidences(pairs) => {
                self.statistics.coincidences += pairs.len() as u64;
                for (a, b) in pairs {
                    let lit = self.demand_equation(arith, a, b, &mut extension);
                    let equation = self.equality.closure_mut().equation(a, b);
                    if self.closure().truth_value(equation).is_none() {
                        extension.split(lit);
                    }
                }
            }
            Need::Comparisons(pairs) => {
                self.statistics.splits += pairs.len() as u64;
                for (a, b) in pairs {
                    // Arithmetic learns of it only if its model disagrees.
                    let equation = self.equality.closure_mut().equation(a, b);
                    let lit = self.demand_var(equation, &mut extension).positive();
                    if let Some(bridge) = self.bridges.get(&equation) {
                        bridge.sides.iter().flatten().for_each(|side| extension.wake(side.var()));
                    }
                    extension.split_also(!lit);
                }
            }
            Need::Decision(node, value) => {
                self.statistics.splits += 1;
                let var = self.demand_var(node, &mut extension);
                extension.split(var.lit(value));
            }
        }
        Ok(extension.into_outcome())
    }
}
