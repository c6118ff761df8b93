//! The walk over terms: which circuit an operation is.

use std::fmt;

use rustc_hash::FxHashMap;
use shem_base::{BitVec, Int};
use shem_term::{BitOp, Store, Term, View};

use super::circuits;

/// Why a formula is not written by bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlastError {
    /// A function, an array or a quantifier over bit-vectors.
    Unsupported,
    /// The circuits would be larger than allowed.
    TooLarge,
}

impl fmt::Display for BlastError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BlastError::Unsupported => {
                "functions, arrays and quantifiers over bit-vectors are not supported yet"
            }
            BlastError::TooLarge => "the circuits of bit-vectors would be too large",
        })
    }
}

impl std::error::Error for BlastError {}

/// Writes formulas about bit-vectors by their bits. What was written once is kept.
#[derive(Clone, Debug)]
pub struct BitBlaster {
    /// The bits of terms, the lowest first.
    words: FxHashMap<Term, Vec<Term>>,
    /// Terms of other sorts over bit-vectors, and what they are in bits.
    replaced: Vec<(Term, Term)>,
    known: FxHashMap<Term, Term>,
    /// How many gates may still be made.
    gates: u64,
}

impl BitBlaster {
    /// A blaster that makes at most about so many gates.
    pub fn new(gates: u64) -> BitBlaster {
        BitBlaster { words: FxHashMap::default(), replaced: Vec::new(), known: FxHashMap::default(), gates }
    }

    /// The formula without bit-vectors: it has a model exactly if this one has.
    pub fn blast(&mut self, store: &mut Store, formula: Term) -> Result<Term, BlastError> {
        for term in store.subterms(&[formula]) {
            if store.sort(term).bit_width().is_some() {
                if !self.words.contains_key(&term) {
                    let word = self.word(store, term)?;
                    self.words.insert(term, word);
                }
                continue;
            }
            if let View::Forall(variables, _) = store.view(term)
                && variables.iter().any(|&variable| store.sort(variable).bit_width().is_some())
            {
                return Err(BlastError::Unsupported);
            }
            let mut has_bits = false;
            store.for_each_child(term, |child| has_bits |= store.sort(child).bit_width().is_some());
            if has_bits && !self.known.contains_key(&term) {
                let result = self.relation(store, term)?;
                self.known.insert(term, result);
                self.replaced.push((term, result));
            }
        }
        Ok(store.replace(formula, &self.replaced))
    }

    /// The value of a term that was met, given those of bits.
    pub fn value(&self, term: Term, truth: impl Fn(Term) -> bool) -> Option<BitVec> {
        let word = self.words.get(&term)?;
        Some(BitVec::from_bits(word.len() as u32, |at| truth(word[at as usize])))
    }

    /// The bits of a term that was met, the lowest first.
    pub fn bits(&self, term: Term) -> Option<&[Term]> {
        self.words.get(&term).map(Vec::as_slice)
    }

    fn pay(&mut self, gates: u64) -> Result<(), BlastError> {
        self.gates = self.gates.checked_sub(gates).ok_or(BlastError::TooLarge)?;
        Ok(())
    }

    fn relation(&mut self, store: &mut Store, term: Term) -> Result<Term, BlastError> {
        let (op, [a, b]) = match (store.view(term), store.as_bit_op(term)) {
            (View::Equal(a, b), _) => (None, [a, b]),
            (_, Some((op, &[a, b]))) => (Some(op), [a, b]),
            (_, Some((BitOp::ToInt, &[a]))) => {
                let mut parts = vec![store.int(0)];
                for (at, bit) in self.words[&a].clone().into_iter().enumerate() {
                    let [power, zero] = [store.int(power(at as u32)), store.int(0)];
                    parts.push(store.ite(bit, power, zero));
                }
                return Ok(store.add(&parts));
            }
            _ => return Err(BlastError::Unsupported),
        };
        let [mut a, mut b] = [a, b].map(|term| self.words.get(&term).cloned().unwrap_or_default());
        self.pay(2 * a.len() as u64)?;
        match op {
            None => Ok(circuits::equal(store, &a, &b)),
            Some(BitOp::LessEqual) => Ok(circuits::less_equal(store, &a, &b)),
            Some(BitOp::SignedLessEqual) => {
                // With signs, the highest bit counts the other way.
                for word in [&mut a, &mut b] {
                    if let Some(top) = word.last_mut() {
                        *top = !*top;
                    }
                }
                Ok(circuits::less_equal(store, &a, &b))
            }
            _ => Err(BlastError::Unsupported),
        }
    }

    /// The bits of a term whose parts are known.
    fn word(&mut self, store: &mut Store, term: Term) -> Result<Vec<Term>, BlastError> {
        let width = store.width(term);
        let size = u64::from(width);
        match store.view(term) {
            View::Var(symbol) => {
                let name = store.name(symbol).to_owned();
                self.pay(size)?;
                let bit = |at: u32| store.variable(&format!("{name}.{at}"), shem_term::Sort::Bool);
                return Ok((0..width).map(bit).collect());
            }
            View::Ite(condition, then, otherwise) => {
                self.pay(size)?;
                let condition = store.replace(condition, &self.replaced);
                let [then, otherwise] = [&self.words[&then], &self.words[&otherwise]];
                return Ok(circuits::choose(store, condition, then, otherwise));
            }
            _ => {}
        }
        let Some((op, args)) = store.as_bit_op(term) else { return Err(BlastError::Unsupported) };
        let args = args.to_vec();
        let value = store.as_bit_vector(term).cloned();
        let stages = u64::from(u32::BITS - width.leading_zeros());
        self.pay(match op {
            BitOp::Multiply => 4 * size * size * (args.len() as u64 - 1),
            BitOp::Quotient | BitOp::Remainder => 8 * size * size,
            BitOp::Add => 3 * size * args.len() as u64,
            BitOp::And | BitOp::Xor => size * args.len() as u64,
            BitOp::ShiftLeft | BitOp::ShiftRight | BitOp::ShiftRightSigned => size * (stages + 1),
            _ => size,
        })?;
        if op == BitOp::FromInt {
            let number = store.replace(args[0], &self.replaced);
            let one = store.int(1);
            let bit = |at: u32| {
                let part = store.int_div(number, &power(at));
                let part = store.int_mod(part, &Int::from(2));
                store.eq(part, one)
            };
            return Ok((0..width).map(bit).collect());
        }
        let words: Vec<&[Term]> = args.iter().map(|arg| &self.words[arg][..]).collect();
        let fold = |store: &mut Store, operation: fn(&mut Store, &[Term], &[Term]) -> Vec<Term>| {
            let first = words[0].to_vec();
            words[1..].iter().fold(first, |result, word| operation(store, &result, word))
        };
        Ok(match op {
            BitOp::Constant(_) => {
                let value = value.expect("a constant has a value");
                (0..width).map(|at| Term::from_bool(value.bit(at))).collect()
            }
            BitOp::Concat => [words[1], words[0]].concat(),
            BitOp::Extract { high, low } => words[0][low as usize..=high as usize].to_vec(),
            BitOp::SignExtend(by) => {
                let mut word = words[0].to_vec();
                let top = *word.last().expect("a bit-vector has a bit");
                word.extend((0..by).map(|_| top));
                word
            }
            BitOp::Not => circuits::negation(words[0]),
            BitOp::And => {
                fold(store, |store, a, b| a.iter().zip(b).map(|(&x, &y)| store.and(&[x, y])).collect())
            }
            BitOp::Xor => {
                fold(store, |store, a, b| a.iter().zip(b).map(|(&x, &y)| store.xor(x, y)).collect())
            }
            BitOp::Add => fold(store, |store, a, b| circuits::add(store, a, b, Term::FALSE)),
            // A number comes first: as the second factor it leaves out the summands of its zeros.
            BitOp::Multiply => fold(store, |store, a, b| circuits::multiply(store, b, a)),
            BitOp::Quotient => circuits::divide(store, words[0], words[1]).0,
            BitOp::Remainder => circuits::divide(store, words[0], words[1]).1,
            BitOp::ShiftLeft => circuits::shift(store, words[0], words[1], true, Term::FALSE),
            BitOp::ShiftRight => circuits::shift(store, words[0], words[1], false, Term::FALSE),
            BitOp::ShiftRightSigned => {
                let top = *words[0].last().expect("a bit-vector has a bit");
                circuits::shift(store, words[0], words[1], false, top)
            }
            BitOp::LessEqual | BitOp::SignedLessEqual | BitOp::ToInt | BitOp::FromInt => {
                return Err(BlastError::Unsupported);
            }
        })
    }
}

/// 2 to the power of the exponent.
fn power(exponent: u32) -> Int {
    Int::from(2).pow(exponent)
}
