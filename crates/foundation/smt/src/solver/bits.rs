//! Bit-vectors in the live solver: words on their way to the SAT core, and what arithmetic is told of them.

use shem_base::{Budget, Int, Lit, Rat, UnknownReason, Var};
use shem_proof::{Origin, ProofSink};
use shem_term::BitOp;

use super::core::Core;
use crate::arith::ArithVar;
use crate::cnf::Target;
use crate::equality::Node;
use crate::theory::Definitions;

/// An integer that a word is made of.
#[derive(Clone, Debug)]
pub(super) enum WordPart {
    /// 1 if the literal holds, and 0 otherwise.
    Digit(Lit),
    /// The value of the node divided by the number, rounded down.
    Quotient(Node, Int),
}

impl<P: ProofSink> Core<P> {
    /// Makes the words of all nodes that need one, and ties atoms to bits.
    pub(super) fn make_words(&mut self, budget: &Budget) -> Result<(), UnknownReason> {
        loop {
            let first_var = Var::new(self.sat.num_vars() as u32);
            let Some(combination) = &mut self.sat.theory_mut().combination else { return Ok(()) };
            if combination.words.is_none() {
                return Ok(());
            }
            let mut definitions = Definitions::new(first_var);
            let result = combination.make_words(&mut definitions, budget);
            for _ in 0..definitions.vars() {
                self.fresh_var();
            }
            for clause in definitions.clauses() {
                self.sat.add_clause(clause, Origin::Definition);
            }
            self.convert_words();
            if !result? {
                return Ok(());
            }
        }
    }

    /// What an arithmetic variable is that a word is made of.
    pub(super) fn word_part(&self, number: ArithVar) -> Option<&WordPart> {
        let place = self.parts.binary_search_by_key(&number, |part| part.0).ok()?;
        Some(&self.parts[place].1)
    }

    /// Tells arithmetic what words are as integers.
    fn convert_words(&mut self) {
        let (combination, _) = self.sat.theory_mut().combine();
        let Some(words) = &mut combination.words else { return };
        for node in std::mem::take(&mut words.conversions) {
            let (combination, _) = self.sat.theory_mut().combine();
            let (Some(words), Some((op, args))) = (&combination.words, combination.bit_op(node)) else {
                continue;
            };
            let (word, number) = if op == BitOp::ToInt { (args[0], node) } else { (node, args[0]) };
            let (Some(bits), Some(form)) = (words.get(word), combination.forms.form(number)) else {
                continue;
            };
            let (bits, form) = (bits.to_vec(), form.clone());
            let mut sum: Vec<(ArithVar, Rat)> = form.terms.to_vec();
            let mut power = Int::ONE;
            for bit in bits {
                let digit = self.digit(bit);
                sum.push((digit, -Rat::from(power.clone())));
                power = &power + &power;
            }
            if op == BitOp::FromInt {
                let quotient = self.auxiliary(true);
                sum.push((quotient, -Rat::from(power.clone())));
                self.parts.push((quotient, WordPart::Quotient(number, power)));
            }
            self.define_zero(sum, &form.constant);
        }
    }

    /// An integer that is 1 if the bit is true, and 0 otherwise.
    fn digit(&mut self, bit: Lit) -> ArithVar {
        let digit = self.auxiliary(true);
        self.parts.push((digit, WordPart::Digit(bit)));
        let mut at_most = |bound: i64| self.upper(digit, &Rat::from(bound), false);
        let [negative, zero, one] = [at_most(-1), at_most(0), at_most(1)];
        for clause in [&[!negative][..], &[one], &[bit, zero], &[!bit, !zero]] {
            self.clause(clause, Origin::Definition);
        }
        digit
    }

    /// Says that the sum and the constant are zero.
    fn define_zero(&mut self, mut sum: Vec<(ArithVar, Rat)>, constant: &Rat) {
        let Some((row, factor)) = self.row(&mut sum) else { return };
        let bound = -(constant / &factor);
        let [at_most, below] = [false, true].map(|strict| self.upper(row, &bound, strict));
        self.clause(&[at_most], Origin::Definition);
        self.clause(&[!below], Origin::Definition);
    }
}
