//! Bit-vectors under a label: arcs are pushed through comparisons and equations.
//!
//! A term has the arc that its operation gives of those of its parts. A comparison or an equation that holds bounds its
//! two sides, and what bounds a sum, a conditional or a longer word bounds its parts. All is to a fixed depth.

use std::cmp::Ordering;

use shem_base::{Int, Rat};
use shem_term::{BitOp, Store, Term, View};

use super::environment::{Contradiction, DEPTH, Environment, WIDTH};
use super::values::Values;
use crate::domain::{Arc, Interval};

/// A sum with more summands bounds none of them.
const SUMMANDS: usize = 8;

/// What a relation of two bit-vectors says.
enum Relation {
    Equal(Term, Term),
    Different(Term, Term),
    /// The first is at most, or less than, the second, with signs or without.
    Less {
        low: Term,
        high: Term,
        is_strict: bool,
        has_sign: bool,
    },
}

impl Relation {
    /// What a formula says, if it is a relation of two bit-vectors.
    fn of(store: &Store, formula: Term) -> Option<Relation> {
        let is_negated = formula.is_negated();
        if let View::Equal(a, b) = store.view(formula) {
            store.sort(a).bit_width()?;
            return Some(if is_negated { Relation::Different(a, b) } else { Relation::Equal(a, b) });
        }
        let (op, &[a, b]) = store.as_bit_op(formula.positive())? else { return None };
        let has_sign = match op {
            BitOp::SignedLessEqual => true,
            BitOp::LessEqual => false,
            _ => return None,
        };
        let (low, high) = if is_negated { (b, a) } else { (a, b) };
        Some(Relation::Less { low, high, is_strict: is_negated, has_sign })
    }
}

impl Environment {
    /// Makes the arc of a variable smaller; whether it became so.
    pub(super) fn meet_arc(
        &mut self,
        store: &Store,
        variable: Term,
        with: &Arc,
    ) -> Result<bool, Contradiction> {
        let old = self.arc_of(store, variable);
        let new = old.meet(with).ok_or(Contradiction)?;
        let has_changed = new != old;
        if has_changed {
            self.set(variable, Values::Bits(new));
        }
        Ok(has_changed)
    }

    /// Assumes a relation of bit-vectors; whether an arc became smaller. Other formulas say nothing.
    pub(super) fn assume_bits(&mut self, store: &Store, formula: Term) -> Result<bool, Contradiction> {
        match Relation::of(store, formula) {
            None => Ok(false),
            Some(Relation::Equal(a, b)) => {
                let both = self.arc(store, a, DEPTH).meet(&self.arc(store, b, DEPTH)).ok_or(Contradiction)?;
                let first = self.bound_bits(store, a, &both, DEPTH)?;
                Ok(self.bound_bits(store, b, &both, DEPTH)? || first)
            }
            Some(Relation::Different(a, b)) => {
                let mut has_changed = false;
                for (a, b) in [(a, b), (b, a)] {
                    if let Some(value) = self.arc(store, b, DEPTH).value() {
                        let rest = self.arc(store, a, DEPTH).without(&value).ok_or(Contradiction)?;
                        has_changed |= self.bound_bits(store, a, &rest, DEPTH)?;
                    }
                }
                Ok(has_changed)
            }
            Some(Relation::Less { low, high, is_strict, has_sign }) => {
                let width = store.width(low);
                let (least, greatest) = Arc::all(width).range(has_sign);
                let step = Int::from(i64::from(is_strict));
                let most = &self.arc(store, high, DEPTH).range(has_sign).1 - &step;
                let below = (most >= least).then(|| Arc::of_range(width, &least, &most));
                let first = self.bound_bits(store, low, &below.ok_or(Contradiction)?, DEPTH)?;
                let fewest = &self.arc(store, low, DEPTH).range(has_sign).0 + &step;
                let above = (fewest <= greatest).then(|| Arc::of_range(width, &fewest, &greatest));
                Ok(self.bound_bits(store, high, &above.ok_or(Contradiction)?, DEPTH)? || first)
            }
        }
    }

    /// Assumes that a term is in an arc; whether that of a variable became smaller.
    fn bound_bits(
        &mut self,
        store: &Store,
        term: Term,
        to: &Arc,
        depth: usize,
    ) -> Result<bool, Contradiction> {
        if let View::Var(_) = store.view(term) {
            return self.meet_arc(store, term, to);
        }
        // What the parts say may leave less.
        let Some(to) = self.arc(store, term, depth).meet(to) else { return Err(Contradiction) };
        if depth == 0 || to.is_all() {
            return Ok(false);
        }
        if let View::Ite(condition, then, otherwise) = store.view(term) {
            let may_be = |part: Term| self.arc(store, part, depth - 1).meet(&to).is_some();
            let (condition, part) = match (may_be(then), may_be(otherwise)) {
                (true, true) => match self.truth(store, condition, depth - 1) {
                    None => return Ok(false),
                    Some(true) => (condition, then),
                    Some(false) => (!condition, otherwise),
                },
                (true, false) => (condition, then),
                (false, true) => (!condition, otherwise),
                (false, false) => return Err(Contradiction),
            };
            let first = self.assume_changed(store, condition, 0)?;
            return Ok(self.bound_bits(store, part, &to, depth - 1)? || first);
        }
        let Some((op, args)) = store.as_bit_op(term) else { return Ok(false) };
        match (op, args) {
            (BitOp::Add, parts) if parts.len() <= SUMMANDS => {
                let mut has_changed = false;
                for (at, &part) in parts.iter().enumerate() {
                    let others = parts.iter().enumerate().filter(|&(other, _)| other != at);
                    let arcs = others.map(|(_, &other)| self.arc(store, other, depth - 1));
                    let rest =
                        arcs.reduce(|sum, arc| sum.add(&arc)).map_or(to.clone(), |sum| to.add(&sum.negate()));
                    has_changed |= self.bound_bits(store, part, &rest, depth - 1)?;
                }
                Ok(has_changed)
            }
            (BitOp::Multiply, &[factor, part])
                if store.as_bit_vector(factor).is_some_and(|f| f.is_ones()) =>
            {
                self.bound_bits(store, part, &to.negate(), depth - 1)
            }
            (BitOp::Not, &[part]) => self.bound_bits(store, part, &to.not(), depth - 1),
            // The number with zeros or copies of its sign in front is the same number.
            (BitOp::Concat, &[above, part]) if store.as_bit_vector(above).is_some_and(|a| a.is_zero()) => {
                let (low, high) = to.range(false);
                self.bound_bits(store, part, &Arc::of_range(store.width(part), &low, &high), depth - 1)
            }
            (BitOp::SignExtend(_), &[part]) => {
                let (low, high) = to.range(true);
                self.bound_bits(store, part, &Arc::of_range(store.width(part), &low, &high), depth - 1)
            }
            (BitOp::Extract { high, low }, &[whole]) if high + 1 == store.width(whole) => {
                self.bound_bits(store, whole, &to.above(low), depth - 1)
            }
            _ => Ok(false),
        }
    }

    /// Where the values of a bit-vector are.
    pub(super) fn arc(&self, store: &Store, term: Term, depth: usize) -> Arc {
        self.visits.set(self.visits.get() + 1);
        let width = store.width(term);
        let all = || Arc::all(width);
        if let View::Var(_) = store.view(term) {
            return self.arc_of(store, term);
        }
        if let Some(value) = store.as_bit_vector(term) {
            return Arc::point(value);
        }
        if depth == 0 {
            return all();
        }
        let part = |part: Term| self.arc(store, part, depth - 1);
        if let View::Ite(condition, then, otherwise) = store.view(term) {
            return match self.truth(store, condition, depth - 1) {
                Some(true) => part(then),
                Some(false) => part(otherwise),
                None => part(then).join(&part(otherwise)),
            };
        }
        let Some((op, args)) = store.as_bit_op(term).filter(|(_, args)| args.len() <= WIDTH) else {
            return all();
        };
        let range = |term: Term| part(term).range(false);
        match (op, args) {
            (BitOp::Add, args) => {
                args.iter().map(|&arg| part(arg)).reduce(|a, b| a.add(&b)).unwrap_or_else(all)
            }
            (BitOp::Multiply, args) => {
                args.iter().map(|&arg| part(arg)).reduce(|a, b| a.multiply(&b)).unwrap_or_else(all)
            }
            (BitOp::Not, &[arg]) => part(arg).not(),
            (BitOp::And, args) => {
                // What two numbers have in common is at most each, and at least what their sum is beyond all bits.
                let ones = all().range(false).1;
                let common =
                    |(a, b): (Int, Int), (c, d): (Int, Int)| ((&(&a + &c) - &ones).max(Int::ZERO), b.min(d));
                let range = args.iter().map(|&arg| range(arg)).reduce(common);
                range.map_or_else(all, |(low, high)| Arc::of_range(width, &low, &high))
            }
            (BitOp::Concat, &[above, below]) => {
                let (low, high) = range(below);
                let by = &Arc::all(store.width(below)).range(false).1 + &Int::ONE;
                let (first, last) = part(above).integers();
                Arc::of_range(width, &(&(&first * &by) + &low), &(&(&last * &by) + &high))
            }
            (BitOp::Extract { high, low }, &[whole]) => part(whole).extract(high, low),
            (BitOp::SignExtend(_), &[inner]) => {
                let (low, high) = part(inner).range(true);
                Arc::of_range(width, &low, &high)
            }
            (BitOp::Quotient, &[a, b]) => {
                let ((low, high), (least, greatest)) = (range(a), range(b));
                if least.is_zero() {
                    return all();
                }
                Arc::of_range(width, &low.div_floor(&greatest), &high.div_floor(&least))
            }
            (BitOp::Remainder, &[a, b]) => {
                let ((low, high), (least, greatest)) = (range(a), range(b));
                match (high < least, least.is_zero()) {
                    (true, _) => Arc::of_range(width, &low, &high),
                    (false, true) => Arc::of_range(width, &Int::ZERO, &high),
                    (false, false) => Arc::of_range(width, &Int::ZERO, &high.min(&greatest - &Int::ONE)),
                }
            }
            (BitOp::ShiftRight, &[a, _]) => Arc::of_range(width, &Int::ZERO, &range(a).1),
            (BitOp::FromInt, &[number]) => match self.term(store, number, depth - 1) {
                Interval { low: Some(low), high: Some(high) } => {
                    Arc::of_range(width, &low.ceil(), &high.floor())
                }
                _ => all(),
            },
            _ => all(),
        }
    }

    /// Where the values of an integer are that is the number of a bit-vector.
    pub(super) fn integer_of_bits(&self, store: &Store, term: Term, depth: usize) -> Interval {
        let Some((BitOp::ToInt, &[bits])) = store.as_bit_op(term) else { return Interval::default() };
        let (low, high) = self.arc(store, bits, depth).range(false);
        Interval { low: Some(Rat::from(low)), high: Some(Rat::from(high)) }
    }

    /// The truth value of a relation of bit-vectors, if the arcs decide it. A negation is not looked at.
    pub(super) fn truth_of_bits(&self, store: &Store, formula: Term, depth: usize) -> Option<bool> {
        match Relation::of(store, formula.positive())? {
            Relation::Equal(a, b) | Relation::Different(a, b) => {
                let (a, b) = (self.arc(store, a, depth), self.arc(store, b, depth));
                match (a.value(), b.value(), a.meet(&b)) {
                    (_, _, None) => Some(false),
                    (Some(_), Some(_), _) => Some(true),
                    _ => None,
                }
            }
            Relation::Less { low, high, has_sign, .. } => {
                let (low, high) = (
                    self.arc(store, low, depth).range(has_sign),
                    self.arc(store, high, depth).range(has_sign),
                );
                match (low.1.cmp(&high.0), low.0.cmp(&high.1)) {
                    (Ordering::Less | Ordering::Equal, _) => Some(true),
                    (_, Ordering::Greater) => Some(false),
                    _ => None,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use shem_base::{BitVec, Rng};
    use shem_term::{Sort, Symbol, Value};

    use super::*;

    fn random(rng: &mut Rng, width: u32) -> Arc {
        let low = Int::from(rng.below(1 << width) as i64);
        let high = &low + &Int::from(rng.below(1 << width) as i64);
        Arc::of_range(width, &low, &high)
    }

    /// Terms over two words of a width, of the same width.
    fn words(store: &mut Store, x: Term, y: Term) -> Vec<Term> {
        let width = store.width(x);
        let number = |store: &mut Store, number: u64| store.bit_vector(&BitVec::new(width, number));
        let (two, three) = (number(store, 2), number(store, 3));
        let is_less = store.bv_slt(x, y);
        let (zeros, signs) = (store.bv_zero_extend(2, x), store.bv_sign_extend(2, y));
        let wide = store.bv_mul(&[zeros, signs]);
        let joined = store.bv_concat(x, y);
        vec![
            x,
            y,
            three,
            store.bv_add(&[x, three]),
            store.bv_sub(x, y),
            store.bv_mul(&[two, x]),
            store.bv_mul(&[x, y]),
            store.bv_not(y),
            store.bv_and(&[x, y]),
            store.bv_or(&[x, three]),
            store.bv_xor(&[x, y]),
            store.bv_udiv(x, y),
            store.bv_urem(x, three),
            store.bv_lshr(x, y),
            store.bv_ashr(x, y),
            store.ite(is_less, x, three),
            store.bv_extract(width, 1, wide),
            store.bv_extract(width + 1, 2, zeros),
            store.bv_extract(width - 1 + width / 2, width / 2, joined),
        ]
    }

    /// What is assumed loses no solution, and what is said to be true or false is so.
    #[test]
    fn arcs_keep_all_solutions() {
        let mut rng = Rng::new(11);
        for width in 1..=4 {
            let mut store = Store::new();
            let sort = Sort::bit_vec(width).expect("a width");
            let [x, y] = ["x", "y"].map(|name| store.variable(name, sort));
            let terms = words(&mut store, x, y);
            let symbols = [x, y].map(|variable| store.as_var(variable).expect("a variable"));
            let [mut narrowed, mut decided] = [0; 2];
            for _ in 0..400 {
                let (a, b) = (terms[rng.index(terms.len())], terms[rng.index(terms.len())]);
                let relation = match rng.below(3) {
                    0 => store.eq(a, b),
                    1 => store.bv_ule(a, b),
                    _ => store.bv_sle(a, b),
                };
                let relation = relation.xor(rng.chance(50));
                let arcs = [random(&mut rng, width), random(&mut rng, width)];
                let mut environment = Environment::default();
                for (&variable, arc) in [x, y].iter().zip(&arcs) {
                    environment.insert(variable, Values::Bits(arc.clone()));
                }
                let truth = environment.truth(&store, relation, DEPTH);
                decided += usize::from(truth.is_some());
                let end = environment.assume(&store, relation);
                narrowed += usize::from(end.is_ok() && environment.arc_of(&store, x) != arcs[0]);
                for (first, second) in (0..1 << width).flat_map(|n| (0..1 << width).map(move |m| (n, m))) {
                    let values = [first, second].map(|number| BitVec::new(width, number));
                    let inside = |arc: &Arc, value: &BitVec| Arc::point(value).is_within(arc);
                    if !arcs.iter().zip(&values).all(|(arc, value)| inside(arc, value)) {
                        continue;
                    }
                    let value = |symbol: Symbol| {
                        let at = symbols.iter().position(|&own| own == symbol)?;
                        Some(Value::Bits(values[at].clone()))
                    };
                    let holds = store.evaluate(relation, &value) == Some(Value::Bool(true));
                    assert!(truth.is_none_or(|truth| truth == holds), "{}", store.display(relation));
                    let kept = [x, y]
                        .iter()
                        .zip(&values)
                        .all(|(&v, value)| inside(&environment.arc_of(&store, v), value));
                    assert!(!holds || (end.is_ok() && kept), "{} {values:?}", store.display(relation));
                }
            }
            assert!(width < 3 || (narrowed > 20 && decided > 20), "{narrowed} {decided}");
        }
    }

    #[test]
    fn comparisons_refine() {
        let mut store = Store::new();
        let [x, y] = ["x", "y"].map(|name| store.variable(name, Sort::bit_vec(8).expect("a width")));
        let [zero, ten] = [0, 10].map(|number| store.bit_vector(&BitVec::new(8, number)));
        let least = store.bv_sle(zero, y);
        let less = store.bv_slt(y, ten);
        let sum = store.bv_add(&[y, ten]);
        let equal = store.eq(x, sum);
        let label = store.and(&[least, less, equal]);
        let mut environment = Environment::default();
        environment.assume(&store, label).expect("solutions");
        assert_eq!(environment.arc_of(&store, x), Arc::of_range(8, &Int::from(10), &Int::from(19)));
        // What is known of the sum is known of its summand.
        environment
            .meet_arc(&store, x, &Arc::of_range(8, &Int::from(12), &Int::from(200)))
            .expect("solutions");
        environment.assume(&store, label).expect("solutions");
        assert_eq!(environment.arc_of(&store, y), Arc::of_range(8, &Int::from(2), &Int::from(9)));
        let negative = store.bv_slt(x, zero);
        assert!(environment.assume(&store, negative).is_err());
    }
}
