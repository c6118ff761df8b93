//! Bits put together to words.
//!
//! Interpolants over circuits are formulas over single bits. Bits of one word in a conjunction that are neighbours become
//! one equation with a number, and bits of two words that agree, place by place, become an equation of both. What is left
//! of formulas about one or two words is compared with equations and comparisons of these words; a solver says which of
//! them are equivalent. The meaning stays, so interpolants of paths and trees may be lifted one by one.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use shem_base::{BitVec, Budget, Effort};
use shem_proof::NoProof;
use shem_term::{BitOp, Sort, Store, Term, View};

use crate::solver::{Solver, SolverOptions};

/// The effort for one question.
const EFFORT: Effort = Effort { conflicts: 200, pivots: 1_000, splits: 20 };
/// The number of subterms up to which a formula is compared with comparisons.
const SIZE_LIMIT: usize = 400;
/// The width up to which bounds of a word are searched.
const WIDTH_LIMIT: u32 = 64;

/// An equivalent formula over words.
pub(super) fn lift(store: &mut Store, formula: Term, budget: &Budget) -> Term {
    let joined = join_bits(store, formula);
    compare(store, joined, budget).unwrap_or(joined)
}

/// The word, the place and the value of a literal about a single bit.
fn bit(store: &Store, literal: Term) -> Option<(Term, u32, bool)> {
    let View::Equal(a, b) = store.view(literal) else { return None };
    let [term, number] = if store.as_bit_vector(a).is_some() { [b, a] } else { [a, b] };
    let value = store.as_bit_vector(number).filter(|value| value.width() == 1)?.bit(0);
    let value = value != literal.is_negated();
    match store.as_bit_op(term) {
        Some((BitOp::Extract { high, low }, &[word])) if high == low => Some((word, low, value)),
        Some(_) => None,
        None => Some((term, 0, value)),
    }
}

/// Joins the bits of each conjunction and, negated, disjunction.
fn join_bits(store: &mut Store, formula: Term) -> Term {
    let mut images: FxHashMap<Term, Term> = FxHashMap::default();
    let image = |images: &FxHashMap<Term, Term>, term: Term| {
        images.get(&term.positive()).copied().unwrap_or(term.positive()).xor(term.is_negated())
    };
    for term in store.subterms(&[formula]) {
        if store.sort(term) != Sort::Bool {
            continue;
        }
        let new = match store.view(term) {
            View::And(args) => {
                let args: Vec<Term> = args.iter().map(|&arg| image(&images, arg)).collect();
                join_members(store, &args)
            }
            View::Iff(a, b) => {
                let [a, b] = [a, b].map(|side| image(&images, side));
                store.iff(a, b)
            }
            View::Ite(condition, then, otherwise) => {
                let [condition, then, otherwise] =
                    [condition, then, otherwise].map(|part| image(&images, part));
                store.ite(condition, then, otherwise)
            }
            _ => continue,
        };
        if new != term {
            images.insert(term, new);
        }
    }
    image(&images, formula)
}

/// The conjunction of the members, with neighbouring bits as parts of words.
fn join_members(store: &mut Store, members: &[Term]) -> Term {
    // By word: the values of its bits. By two words: the places at which they agree.
    let mut values: BTreeMap<Term, BTreeMap<u32, bool>> = BTreeMap::new();
    let mut agreements: BTreeMap<(Term, Term), BTreeMap<u32, bool>> = BTreeMap::new();
    let mut rest = Vec::with_capacity(members.len());
    for &member in members {
        if let Some((word, place, value)) = bit(store, member) {
            if values.entry(word).or_default().insert(place, value) == Some(!value) {
                return Term::FALSE;
            }
            continue;
        }
        if let View::Iff(a, b) = store.view(member)
            && let (Some((a, place, first)), Some((b, other, second))) = (bit(store, a), bit(store, b))
            && place == other
            && (first == second) != member.is_negated()
            && store.sort(a) == store.sort(b)
        {
            agreements.entry((a.min(b), a.max(b))).or_default().insert(place, true);
            continue;
        }
        rest.push(member);
    }
    for (word, places) in values {
        for (low, bits) in runs(&places) {
            let part = store.bv_extract(low + bits.len() as u32 - 1, low, word);
            let number = store.bit_vector(&BitVec::from_bits(bits.len() as u32, |at| bits[at as usize]));
            rest.push(store.eq(part, number));
        }
    }
    for ((a, b), places) in agreements {
        for (low, bits) in runs(&places) {
            let [a, b] = [a, b].map(|word| store.bv_extract(low + bits.len() as u32 - 1, low, word));
            rest.push(store.eq(a, b));
        }
    }
    store.and(&rest)
}

/// The runs of neighbouring places, each with its first place and its values.
fn runs(places: &BTreeMap<u32, bool>) -> Vec<(u32, Vec<bool>)> {
    let mut runs: Vec<(u32, Vec<bool>)> = Vec::new();
    for (&place, &value) in places {
        match runs.last_mut() {
            Some((low, bits)) if *low + bits.len() as u32 == place => bits.push(value),
            _ => runs.push((place, vec![value])),
        }
    }
    runs
}

/// A comparison of one or two words that the formula is equivalent to.
fn compare(store: &mut Store, formula: Term, budget: &Budget) -> Option<Term> {
    let terms = store.subterms(&[formula]);
    let is_connected = matches!(store.view(formula), View::And(_) | View::Iff(..) | View::Ite(..));
    if !is_connected || terms.len() > SIZE_LIMIT {
        return None;
    }
    let mut words: Vec<Term> = Vec::new();
    for &term in &terms {
        let sort = store.sort(term);
        let is_symbol = store.as_var(term).is_some();
        match sort.bit_width() {
            Some(_) if is_symbol => words.push(term),
            Some(_) => {}
            None if sort == Sort::Bool && !is_symbol => {}
            None => return None,
        }
    }
    let mut questions = Questions { solver: Solver::with_proof(SolverOptions::default(), NoProof), budget };
    match words[..] {
        [word] => questions.interval(store, formula, word),
        [a, b] if store.sort(a) == store.sort(b) => {
            let candidates = [
                store.eq(a, b),
                store.bv_ule(a, b),
                store.bv_ule(b, a),
                store.bv_sle(a, b),
                store.bv_sle(b, a),
            ];
            let mut signed = candidates.into_iter().flat_map(|candidate| [candidate, !candidate]);
            signed.find(|&candidate| questions.are_equivalent(store, formula, candidate))
        }
        _ => None,
    }
}

/// A solver that is asked about formulas.
struct Questions<'a> {
    solver: Solver<NoProof>,
    budget: &'a Budget,
}

impl Questions<'_> {
    /// Whether the formulas contradict one another; false if that is not found out.
    fn contradict(&mut self, store: &mut Store, formulas: &[Term]) -> bool {
        self.solver.check_assuming(store, formulas, &mut self.budget.at_most(EFFORT)).is_unsat()
    }

    fn are_equivalent(&mut self, store: &mut Store, a: Term, b: Term) -> bool {
        self.contradict(store, &[a, !b]) && self.contradict(store, &[b, !a])
    }

    /// The interval of the word that the formula, or its negation, describes.
    fn interval(&mut self, store: &mut Store, formula: Term, word: Term) -> Option<Term> {
        let width = store.width(word);
        if width > WIDTH_LIMIT {
            return None;
        }
        let zero = store.bit_vector(&BitVec::zero(width));
        let starts_at_zero = self.holds_at(store, formula, word, zero)?;
        // Of the formula and its negation, take the one that does not hold at zero.
        let inner = formula.xor(starts_at_zero);
        let [least, greatest] = [false, true].map(|greatest| self.extreme(store, inner, word, greatest));
        let low = store.bv_ule(least, word);
        let high = store.bv_ule(word, greatest);
        let interval = store.and2(low, high);
        self.contradict(store, &[interval, !inner]).then(|| interval.xor(starts_at_zero))
    }

    /// Whether the formula, which is about the word alone, holds at a number.
    fn holds_at(&mut self, store: &mut Store, formula: Term, word: Term, number: Term) -> Option<bool> {
        let there = store.eq(word, number);
        if self.contradict(store, &[formula, there]) {
            return Some(false);
        }
        self.contradict(store, &[!formula, there]).then_some(true)
    }

    /// The least or the greatest number at which the formula holds: at any rate a bound.
    fn extreme(&mut self, store: &mut Store, formula: Term, word: Term, greatest: bool) -> Term {
        let width = store.width(word);
        let mut bits = vec![greatest; width as usize];
        for place in (0..width).rev() {
            // Is there a number that agrees with the bits above and has the wanted one here?
            let number = BitVec::from_bits(width - place, |at| bits[(at + place) as usize]);
            let (part, number) = (store.bv_extract(width - 1, place, word), store.bit_vector(&number));
            let there = store.eq(part, number);
            if self.contradict(store, &[formula, there]) {
                bits[place as usize] = !greatest;
            }
        }
        let value = BitVec::from_bits(width, |at| bits[at as usize]);
        store.bit_vector(&value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(store: &mut Store, word: Term, values: &[(u32, bool)]) -> Term {
        let one = store.bit_vector(&BitVec::new(1, 1));
        let literals: Vec<Term> = values
            .iter()
            .map(|&(place, value)| {
                let bit = store.bv_extract(place, place, word);
                store.eq(bit, one).xor(!value)
            })
            .collect();
        store.and(&literals)
    }

    #[test]
    fn bits_become_words() {
        let mut store = Store::new();
        let sort = Sort::bit_vec(4).expect("a width");
        let [x, y] = ["x", "y"].map(|name| store.variable(name, sort));
        let budget = Budget::unlimited();
        let all = bits(&mut store, x, &[(0, true), (1, false), (2, true), (3, true)]);
        let thirteen = store.bit_vector(&BitVec::new(4, 13));
        assert_eq!(lift(&mut store, all, &budget), store.eq(x, thirteen));
        // At least 12, and neither 0 nor 1.
        let high = bits(&mut store, x, &[(3, true), (2, true)]);
        let found = lift(&mut store, high, &budget);
        let part = store.bv_extract(3, 2, x);
        let three = store.bit_vector(&BitVec::new(2, 3));
        assert_eq!(found, store.eq(part, three));
        let low = bits(&mut store, x, &[(3, false), (2, false), (1, false)]);
        let either = store.or2(high, !low);
        let two = store.bit_vector(&BitVec::new(4, 2));
        let at_least = store.bv_ule(two, x);
        assert_eq!(lift(&mut store, either, &budget), at_least);
        // The bits of two words agree.
        let mut agree = Vec::new();
        for place in 0..4 {
            let [a, b] = [x, y].map(|word| bits(&mut store, word, &[(place, true)]));
            agree.push(store.iff(a, b));
        }
        let agree = store.and(&agree);
        assert_eq!(lift(&mut store, agree, &budget), store.eq(x, y));
    }
}
