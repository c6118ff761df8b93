//! Linear sums in the making, and how they become primitive polynomials.

use shem_base::{Int, Rat};

use super::BuilderBuffers;
use crate::poly::{Poly, PolyTerm};
use crate::sort::Sort;
use crate::store::{Node, NodeKey, Store};
use crate::term::Term;

/// A sum of rational multiples of leaves and a constant.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinearSum {
    pub(crate) terms: Vec<(Term, Rat)>,
    pub(crate) constant: Rat,
}

impl LinearSum {
    fn clear(&mut self) {
        self.terms.clear();
        self.constant = Rat::ZERO;
    }

    /// Sorts by leaf, adds up equal leaves and drops zeros.
    pub(crate) fn normalise(&mut self) {
        if self.terms.len() > 1 {
            self.terms.sort_unstable_by_key(|t| t.0);
            let mut kept = 0;
            for i in 0..self.terms.len() {
                if kept > 0 && self.terms[kept - 1].0 == self.terms[i].0 {
                    let (head, tail) = self.terms.split_at_mut(i);
                    head[kept - 1].1 += &tail[0].1;
                } else {
                    if kept > 0 && self.terms[kept - 1].1.is_zero() {
                        kept -= 1;
                    }
                    self.terms.swap(kept, i);
                    kept += 1;
                }
            }
            self.terms.truncate(kept);
        }
        if self.terms.last().is_some_and(|t| t.1.is_zero()) {
            self.terms.pop();
        }
    }
}

impl Store {
    pub(crate) fn take_sum(&mut self) -> LinearSum {
        let mut sum = std::mem::take(&mut self.buffers.sum);
        sum.clear();
        sum
    }

    pub(crate) fn put_sum(&mut self, sum: LinearSum) {
        self.buffers.sum = sum;
    }

    /// Adds `scale * term` to the sum.
    pub(crate) fn accumulate(&self, sum: &mut LinearSum, term: Term, scale: &Rat) {
        debug_assert!(self.sort(term).is_arithmetic());
        match self.node(term) {
            Node::Num(c) => sum.constant.add_mul(scale, self.num(c)),
            Node::Linear(factor, poly, offset) => {
                let factor = scale * self.num(factor);
                for t in self.polys.terms(poly) {
                    sum.terms.push((t.leaf, factor.mul_int(&t.coeff)));
                }
                sum.constant.add_mul(scale, self.num(offset));
            }
            _ => sum.terms.push((term, scale.clone())),
        }
    }

    /// Interns the primitive polynomial of a normalised sum that has a leaf; the sum without its constant
    /// is the factor returned (not zero, of either sign) times the polynomial.
    pub(crate) fn primitive(&mut self, sum: &LinearSum) -> (Rat, Poly) {
        let mut denominator = Int::ONE;
        for (_, c) in &sum.terms {
            if !c.is_integer() {
                denominator = denominator.lcm(&c.denom());
            }
        }
        let BuilderBuffers { poly, .. } = &mut self.buffers;
        poly.clear();
        let mut divisor = Int::ZERO;
        for (leaf, c) in &sum.terms {
            let coeff =
                if denominator.is_one() { c.numer() } else { c.numer() * &denominator.div_exact(&c.denom()) };
            if !divisor.is_one() {
                divisor = divisor.gcd(&coeff);
            }
            poly.push(PolyTerm { leaf: *leaf, coeff });
        }
        if poly[0].coeff.is_negative() {
            divisor = -divisor;
        }
        if !divisor.is_one() {
            for t in poly.iter_mut() {
                t.coeff = t.coeff.div_exact(&divisor);
            }
        }
        let integral = sum.terms.iter().all(|t| self.sort(t.0) == Sort::Int);
        let poly = std::mem::take(&mut self.buffers.poly);
        let id = self.polys.intern(&poly, integral);
        self.buffers.poly = poly;
        (Rat::new(divisor, denominator), id)
    }

    /// The term of a sum, normalised here. An `Int` sum has integer coefficients, constant and leaves.
    pub(crate) fn sum_to_term(&mut self, sum: &mut LinearSum, sort: Sort) -> Term {
        sum.normalise();
        match &sum.terms[..] {
            [] => {
                let id = self.intern_num(&sum.constant);
                self.intern(NodeKey::Num(id), sort)
            }
            [(leaf, coeff)] if coeff.is_one() && sum.constant.is_zero() && self.sort(*leaf) == sort => *leaf,
            _ => {
                let (scale, poly) = self.primitive(sum);
                let scale = self.intern_num(&scale);
                let offset = self.intern_num(&sum.constant);
                self.intern(NodeKey::Linear(scale, poly, offset), sort)
            }
        }
    }
}
