//! Clauses about products and quotients whose bits are variables of the proof.
//!
//! A translation may leave the circuit of an operation out and say what it needs of the result, clause by clause. The bits
//! of the result are statements of their own then. Such a clause follows in one of two ways. If all its literals are
//! false, some bits are known; with these, the circuit of the judge has another value at some bit of the result than the
//! clause leaves to it. Or the clause is one of those that bound quotients and remainders, of which the judge has a list.

use std::rc::Rc;

use hashbrown::HashSet;
use rustc_hash::FxBuildHasher;
use shem_base::Var;
use shem_proof::Proof;
use shem_term::BitOp;

use crate::bits::{Gate, as_constant, constant};
use crate::clause::normal;
use crate::literal::{Literal, Statement, Statements};
use crate::translation::{Meaning, Translation};

type Set<T> = HashSet<T, FxBuildHasher>;

/// The clauses that bound the result of an operation.
pub(crate) type Bounds = Rc<Set<Box<[Literal]>>>;

impl<T: Translation> Statements<'_, T> {
    /// Finds the products and quotients whose bits are variables of the proof. Comes before all else: these bits are
    /// statements of their own.
    pub(crate) fn find_operations(&mut self, proof: &Proof) {
        let mut seen: Set<Var> = Set::default();
        let mut stack: Vec<Var> = Vec::new();
        for step in proof.steps() {
            stack.extend(proof.clause(step).iter().map(|lit| lit.var()));
            while let Some(var) = stack.pop() {
                if !seen.insert(var) {
                    continue;
                }
                match self.translation.meaning(var) {
                    Meaning::Gate(gate) => stack.extend(gate.inputs().iter().map(|input| input.var())),
                    Meaning::Bit(node, _) => {
                        if let Some(value) = self.value_of_node(node)
                            && self.operation_of(value).is_some()
                            && !self.words.contains_key(&value)
                        {
                            self.bounds.entry(value).or_default();
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    /// The product, quotient or remainder that a value is.
    fn operation_of(&self, value: u32) -> Option<(BitOp, [u32; 2])> {
        match self.bit_op(value)? {
            (op @ (BitOp::Multiply | BitOp::Quotient | BitOp::Remainder), args) => {
                Some((op, args[..].try_into().ok()?))
            }
            _ => None,
        }
    }

    /// Whether the clause follows from what some operation is whose bits are variables of the proof.
    pub(crate) fn follows_from_operation(&mut self, clause: &[Literal]) -> bool {
        if self.bounds.is_empty() {
            return false;
        }
        let known = self.known_if_false(clause);
        let mut about: Vec<u32> = clause
            .iter()
            .filter_map(|&literal| match **self.statement(literal) {
                Statement::Bit(value, _) if self.bounds.contains_key(&value) => Some(value),
                _ => None,
            })
            .collect();
        about.sort_unstable();
        about.dedup();
        if about.into_iter().any(|value| self.has_value(value, &known).unwrap_or(false)) {
            return true;
        }
        let all: Vec<u32> = self.bounds.keys().copied().collect();
        all.into_iter().any(|value| self.bounds_of(value).is_some_and(|bounds| bounds.contains(clause)))
    }

    /// What is true if all literals of the clause are false: conjunctions are opened.
    fn known_if_false(&self, clause: &[Literal]) -> Set<Literal> {
        let mut known = Set::default();
        let mut stack: Vec<Literal> = clause.iter().map(|&literal| !literal).collect();
        while let Some(literal) = stack.pop() {
            if known.insert(literal)
                && !literal.is_negated()
                && let Statement::Gate(Gate::And(inputs)) = &**self.statement(literal)
            {
                stack.extend(inputs);
            }
        }
        known
    }

    /// Whether a bit of the operation contradicts what is known: the circuit has another value there.
    fn has_value(&mut self, value: u32, known: &Set<Literal>) -> Option<bool> {
        let (op, args) = self.operation_of(value)?;
        let result = self.bits(value)?;
        let truth = |literal: Literal| match (known.contains(&literal), known.contains(&!literal)) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => as_constant(literal),
        };
        let whole = [self.bits(args[0])?, self.bits(args[1])?];
        let put = |word: &Rc<[Literal]>| -> Rc<[Literal]> {
            word.iter().map(|&bit| truth(bit).map_or(bit, constant)).collect()
        };
        let words = [put(&whole[0]), put(&whole[1])];
        if op == BitOp::Quotient {
            // What is less than 2^m, divided by at least 2^n, is less than 2^(m - n).
            let below = words[0].iter().rposition(|&bit| bit != Literal::FALSE).map_or(0, |top| top + 1);
            if let Some(least) = words[1].iter().rposition(|&bit| bit == Literal::TRUE)
                && result.iter().skip(below.saturating_sub(least)).any(|&bit| truth(bit) == Some(true))
            {
                return Some(true);
            }
        }
        // The circuit as a translation makes it, and with what is known put in.
        for words in [whole, words] {
            let found = self.operation(op, &words, result.len())?;
            let differ = |(&bit, found): (&Literal, Literal)| match (truth(bit), truth(found)) {
                (Some(one), Some(other)) => one != other,
                _ => false,
            };
            if result.iter().zip(found).any(differ) {
                return Some(true);
            }
        }
        Some(false)
    }

    /// The clauses that bound the quotient or remainder that a value is.
    fn bounds_of(&mut self, value: u32) -> Option<Bounds> {
        if let Some(known) = self.bounds.get(&value)?.clone() {
            return Some(known);
        }
        let (op, [dividend, divisor]) = self.operation_of(value)?;
        let mut found: Set<Box<[Literal]>> = Set::default();
        if op != BitOp::Multiply {
            let mut add = |literals: Vec<Literal>| found.extend(normal(literals));
            let (result, words) = (self.bits(value)?, [self.bits(dividend)?, self.bits(divisor)?]);
            let fits = self.at_most(false, divisor, dividend)?;
            if op == BitOp::Quotient {
                // The quotient is zero exactly if the divisor does not fit, and at most the dividend unless the divisor is
                // zero.
                result.iter().for_each(|&bit| add(vec![fits, !bit]));
                add(result.iter().copied().chain([!fits]).collect());
                let is_small = self.at_most(false, value, dividend)?;
                words[1].iter().for_each(|&bit| add(vec![!bit, is_small]));
            } else {
                // A divisor that does not fit leaves the dividend; otherwise the remainder is less than the divisor, unless
                // that is zero. It is never more than the dividend.
                for (&bit, &same) in result.iter().zip(words[0].iter()) {
                    add(vec![fits, !bit, same]);
                    add(vec![fits, bit, !same]);
                }
                let is_too_large = self.at_most(false, divisor, value)?;
                words[1].iter().for_each(|&bit| add(vec![!bit, !is_too_large]));
                add(vec![self.at_most(false, value, dividend)?]);
            }
        }
        let found = Rc::new(found);
        self.bounds.insert(value, Some(found.clone()));
        Some(found)
    }
}
