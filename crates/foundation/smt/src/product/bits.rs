//! Bit-vectors among the other theories: which nodes are words, and which atoms are tied to bits.

use shem_base::{BitVec, Budget, UnknownReason, Var};
use shem_term::{BitOp, Role, Store, Value};

use super::combination::Combination;
use super::sorts::SortKind;
use crate::bits::{Shapes, WordShape, Words};
use crate::equality::{Node, NodeShape};
use crate::theory::{Additions, Definitions, FinalCheck};

/// Definitions are handed to the search when they have so many literals.
const CHUNK: usize = 1 << 18;

impl Shapes for Combination {
    fn word(&self, node: Node) -> Option<(WordShape<'_>, u32)> {
        let entry = self.sorts.get(self.closure().sort(node));
        let SortKind::Bits = entry.kind else { return None };
        let width = entry.sort.bit_width()?;
        let shape = match (self.closure().shape(node), self.bit_op(node)) {
            (NodeShape::Number(value), _) => {
                WordShape::Constant(BitVec::from_int(width, &value.to_int().unwrap_or_default()))
            }
            (_, Some((BitOp::FromInt, _))) => WordShape::FromInt,
            (_, Some((op, args))) => WordShape::Operation(op, args),
            _ => WordShape::Free,
        };
        Some((shape, width))
    }
}

impl Combination {
    /// The operation on bit-vectors that a node is, with its arguments.
    pub(crate) fn bit_op(&self, node: Node) -> Option<(BitOp, &[Node])> {
        let NodeShape::Application(function, args) = self.closure().shape(node) else { return None };
        if self.sorts.is_difference(function) {
            return None;
        }
        match self.sorts.symbol(function).1 {
            Role::Bits(op) => Some((op, args)),
            _ => None,
        }
    }

    /// The comparison that an atom is, if it is one of words: no operation if it is an equation.
    fn comparison(&self, atom: Node) -> Option<(Option<BitOp>, [Node; 2])> {
        if let NodeShape::Equation(a, b) = self.closure().shape(atom) {
            return self.word(a).map(|_| (None, [a, b]));
        }
        match self.bit_op(atom) {
            Some((op @ (BitOp::LessEqual | BitOp::SignedLessEqual), &[a, b])) => Some((Some(op), [a, b])),
            _ => None,
        }
    }

    /// Takes note that an atom has a variable now, if it is about words.
    pub(super) fn leave_untied(&mut self, atom: Node) {
        if self.words.is_some()
            && self.comparison(atom).is_some()
            && let Some(words) = &mut self.words
        {
            words.untied.push(atom);
        }
    }

    /// Whether some words or ties are still to be made.
    fn needs_words(&self) -> bool {
        let is_open = |words: &Words| words.swept < self.closure().len() || !words.untied.is_empty();
        self.words.as_deref().is_some_and(is_open)
    }

    /// Makes words and ties, until all are there or the definitions are many; says whether there is more to do. The
    /// definitions have to be taken over even if a limit was reached.
    pub(crate) fn make_words(
        &mut self,
        definitions: &mut Definitions,
        budget: &Budget,
    ) -> Result<bool, UnknownReason> {
        if !self.needs_words() {
            return Ok(false);
        }
        let Some(mut words) = self.words.take() else { return Ok(false) };
        let result = self.settle(&mut words, definitions, budget);
        self.words = Some(words);
        result
    }

    fn settle(
        &self,
        words: &mut Words,
        definitions: &mut Definitions,
        budget: &Budget,
    ) -> Result<bool, UnknownReason> {
        while words.swept < self.closure().len() {
            self.sweep(words, Node::new(words.swept as u32), definitions, budget)?;
            words.swept += 1;
            if definitions.size() > CHUNK {
                return Ok(true);
            }
        }
        while let Some(&atom) = words.untied.last() {
            if let (Some((op, sides)), Some(var)) = (self.comparison(atom), self.var(atom)) {
                for side in sides {
                    words.demand(self, side, definitions, budget)?;
                }
                words.tie(var.positive(), op, sides, definitions, budget)?;
            }
            words.untied.pop();
            if definitions.size() > CHUNK {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Makes the words that a node needs by itself: operations wait until somebody asks for their bits.
    fn sweep(
        &self,
        words: &mut Words,
        node: Node,
        definitions: &mut Definitions,
        budget: &Budget,
    ) -> Result<(), UnknownReason> {
        match (self.bit_op(node), self.closure().shape(node)) {
            (Some((BitOp::ToInt, args)), _) => {
                words.demand(self, args[0], definitions, budget)?;
                words.conversions.push(node);
            }
            (Some((BitOp::FromInt, _)), _) | (None, NodeShape::Leaf) => {
                words.demand(self, node, definitions, budget)?;
            }
            (None, NodeShape::Application(_, args)) => {
                for &part in args.iter().chain([&node]) {
                    words.demand(self, part, definitions, budget)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Adds the words and ties of nodes that the search has made.
    pub(super) fn extend_words(&mut self, next_var: Var, budget: &Budget) -> Option<FinalCheck> {
        if !self.needs_words() {
            return None;
        }
        let mut definitions = Definitions::new(next_var);
        let result = self.make_words(&mut definitions, budget);
        Some(extension(definitions, result))
    }

    /// Excludes values of abstract operations that are wrong.
    pub(super) fn refine_words(&mut self, next_var: Var, budget: &Budget) -> Option<FinalCheck> {
        let mut definitions = Definitions::new(next_var);
        let result = self.words.as_mut()?.refine(&mut definitions, budget);
        (result != Ok(false)).then(|| extension(definitions, result))
    }

    /// The value of a node that is a bit-vector without a word or a truth value that is open, given those of its
    /// arguments: nobody but operations on bit-vectors looks at it.
    pub(super) fn computed_value<'a>(
        &self,
        store: &Store,
        node: Node,
        value: impl Fn(Node) -> Option<&'a Value>,
    ) -> Value {
        let sort = self.sorts.get(self.closure().sort(node)).sort;
        if let Some((WordShape::Constant(number), _)) = self.word(node) {
            return Value::Bits(number);
        }
        let known = self.bit_op(node).and_then(|(op, args)| {
            let args = args.iter().map(|&arg| value(arg).cloned()).collect::<Option<Vec<Value>>>()?;
            store.evaluate_bit_op(op, sort, &args)
        });
        known.unwrap_or_else(|| store.default_value(sort))
    }
}

/// What the search is told of definitions, after which a limit may have been reached.
fn extension(definitions: Definitions, result: Result<bool, UnknownReason>) -> FinalCheck {
    match result {
        // If nothing came before the limit, it is reached again.
        Err(reason) if definitions.vars() == 0 && definitions.size() == 0 => FinalCheck::Unknown(reason),
        _ => {
            let additions = Additions { definitions: Some(definitions), ..Additions::default() };
            FinalCheck::Extend(Box::new(additions))
        }
    }
}
