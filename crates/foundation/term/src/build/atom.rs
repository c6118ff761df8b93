//! Linear atoms and divisibility.
//!
//! A comparison becomes `poly <= c` or, for polynomials with a real variable, `poly < c`; the other two
//! relations are their negations. Bounds of integral polynomials are rounded, so the negation of `p <= c`
//! is `p >= c + 1`. An equality is an atom of its own.

use shem_base::{Int, Rat};

use super::LinearSum;
use crate::poly::Poly;
use crate::sort::Sort;
use crate::store::{Node, NodeKey, Store};
use crate::term::Term;

#[derive(Clone, Copy, PartialEq)]
enum Relation {
    Le,
    Lt,
    Eq,
    Ge,
    Gt,
}

impl Relation {
    fn mirrored(self) -> Relation {
        match self {
            Relation::Le => Relation::Ge,
            Relation::Lt => Relation::Gt,
            Relation::Eq => Relation::Eq,
            Relation::Ge => Relation::Le,
            Relation::Gt => Relation::Lt,
        }
    }

    fn holds(self, left: &Rat, right: &Rat) -> bool {
        match self {
            Relation::Le => left <= right,
            Relation::Lt => left < right,
            Relation::Eq => left == right,
            Relation::Ge => left >= right,
            Relation::Gt => left > right,
        }
    }
}

impl Store {
    /// `a <= b`, for two terms of one arithmetic sort.
    pub fn le(&mut self, a: Term, b: Term) -> Term {
        self.compare(a, b, Relation::Le)
    }

    /// `a < b`.
    pub fn lt(&mut self, a: Term, b: Term) -> Term {
        self.compare(a, b, Relation::Lt)
    }

    /// `a >= b`.
    pub fn ge(&mut self, a: Term, b: Term) -> Term {
        self.compare(b, a, Relation::Le)
    }

    /// `a > b`.
    pub fn gt(&mut self, a: Term, b: Term) -> Term {
        self.compare(b, a, Relation::Lt)
    }

    /// The sum of these multiples of arithmetic terms, of either sort, is at most the bound, or less than it if
    /// `strict` holds.
    pub fn linear_le(&mut self, terms: &[(Rat, Term)], bound: &Rat, strict: bool) -> Term {
        let mut sum = self.take_sum();
        for (coeff, term) in terms {
            self.accumulate(&mut sum, *term, coeff);
        }
        sum.constant -= bound;
        let atom = self.sum_to_atom(&mut sum, if strict { Relation::Lt } else { Relation::Le });
        self.put_sum(sum);
        atom
    }

    /// Equality of two terms of one sort.
    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        match self.sort(a) {
            Sort::Bool => self.iff(a, b),
            Sort::Int | Sort::Real => self.compare(a, b, Relation::Eq),
            Sort::BitVec(_) => self.equal_bits(a, b),
            _ => self.equal(a, b),
        }
    }

    /// The terms, all of one sort, differ pairwise.
    pub fn distinct(&mut self, args: &[Term]) -> Term {
        let mut pairs = Vec::with_capacity(args.len() * args.len().saturating_sub(1) / 2);
        for (i, &a) in args.iter().enumerate() {
            for &b in &args[i + 1..] {
                pairs.push(!self.eq(a, b));
            }
        }
        self.and(&pairs)
    }

    fn compare(&mut self, a: Term, b: Term, relation: Relation) -> Term {
        debug_assert_eq!(self.sort(a), self.sort(b));
        let mut sum = self.take_sum();
        self.accumulate(&mut sum, a, &Rat::ONE);
        self.accumulate(&mut sum, b, &Rat::MINUS_ONE);
        let atom = self.sum_to_atom(&mut sum, relation);
        self.put_sum(sum);
        atom
    }

    /// The atom `sum ~ 0`.
    fn sum_to_atom(&mut self, sum: &mut LinearSum, relation: Relation) -> Term {
        sum.normalise();
        if sum.terms.is_empty() {
            return Term::from_bool(relation.holds(&sum.constant, &Rat::ZERO));
        }
        let (factor, poly) = self.primitive(sum);
        let relation = if factor.is_negative() { relation.mirrored() } else { relation };
        let bound = -(&sum.constant / &factor);
        self.poly_atom(poly, relation, bound)
    }

    fn poly_atom(&mut self, poly: Poly, relation: Relation, bound: Rat) -> Term {
        if let [single] = self.polys.terms(poly) {
            let leaf = single.leaf;
            match self.node(leaf) {
                // Both branches are numbers: the atom is decided by the condition.
                Node::Ite(cond, then, els) => {
                    if let (Some(a), Some(b)) = (self.as_num(then), self.as_num(els)) {
                        let then = Term::from_bool(relation.holds(a, &bound));
                        let els = Term::from_bool(relation.holds(b, &bound));
                        return self.ite(cond, then, els);
                    }
                }
                Node::Mod(inner, modulus) if relation == Relation::Eq => {
                    let modulus = self.num_int(modulus).clone();
                    return match bound.to_int() {
                        Some(r) if !r.is_negative() && r < modulus => {
                            let r = self.int(r);
                            let shifted = self.sub_nested(inner, r);
                            self.divisible(&modulus, shifted)
                        }
                        _ => Term::FALSE,
                    };
                }
                _ => {}
            }
        }
        match relation {
            Relation::Le => self.poly_le(poly, &bound),
            Relation::Lt => self.poly_lt(poly, &bound),
            Relation::Ge => !self.poly_lt(poly, &bound),
            Relation::Gt => !self.poly_le(poly, &bound),
            Relation::Eq => self.poly_eq(poly, &bound),
        }
    }

    /// A difference computed while the shared sum is in use.
    fn sub_nested(&mut self, a: Term, b: Term) -> Term {
        let mut sum = LinearSum::default();
        self.accumulate(&mut sum, a, &Rat::ONE);
        self.accumulate(&mut sum, b, &Rat::MINUS_ONE);
        self.sum_to_term(&mut sum, Sort::Int)
    }

    /// `poly <= bound`.
    pub fn poly_le(&mut self, poly: Poly, bound: &Rat) -> Term {
        let id = if self.polys.is_integral(poly) && !bound.is_integer() {
            let bound = Rat::from(bound.floor());
            self.intern_num(&bound)
        } else {
            self.intern_num(bound)
        };
        self.intern(NodeKey::Le(poly, id), Sort::Bool)
    }

    /// `poly < bound`.
    pub fn poly_lt(&mut self, poly: Poly, bound: &Rat) -> Term {
        if self.polys.is_integral(poly) {
            let bound = Rat::from(bound.ceil() - Int::ONE);
            return self.poly_le(poly, &bound);
        }
        let id = self.intern_num(bound);
        self.intern(NodeKey::Lt(poly, id), Sort::Bool)
    }

    /// `poly = value`.
    pub fn poly_eq(&mut self, poly: Poly, value: &Rat) -> Term {
        if self.polys.is_integral(poly) && !value.is_integer() {
            return Term::FALSE;
        }
        let id = self.intern_num(value);
        self.intern(NodeKey::Eq(poly, id), Sort::Bool)
    }

    /// The positive integer `modulus` divides the `Int` term.
    pub fn divisible(&mut self, modulus: &Int, term: Term) -> Term {
        assert!(modulus.is_positive(), "the modulus of a divisibility is positive");
        let mut sum = LinearSum::default();
        self.accumulate(&mut sum, term, &Rat::ONE);
        sum.normalise();
        let mut common = modulus.clone();
        for (_, coeff) in &mut sum.terms {
            let reduced = coeff.numer().rem_floor(modulus);
            common = common.gcd(&reduced);
            *coeff = Rat::from(reduced);
        }
        sum.terms.retain(|t| !t.1.is_zero());
        let constant = sum.constant.numer().rem_floor(modulus);
        if !constant.rem_floor(&common).is_zero() {
            return Term::FALSE;
        }
        let modulus = modulus.div_exact(&common);
        if modulus.is_one() {
            return Term::TRUE;
        }
        let constant = constant.div_exact(&common);
        // What is left after the common divisor `h` of the coefficients, prime to the modulus, is taken
        // out: k | h q + c if and only if k | q + c / h, where 1 / h is the inverse modulo k.
        let (factor, poly) = self.primitive(&sum);
        let factor = factor.numer().div_exact(&common);
        let constant = if factor.is_one() {
            constant
        } else {
            let (_, inverse, _) = Int::extended_gcd(&factor, &modulus);
            (constant * &inverse).rem_floor(&modulus)
        };
        let modulus = self.intern_num(&Rat::from(modulus));
        let constant = self.intern_num(&Rat::from(constant));
        self.intern(NodeKey::Divisible(modulus, poly, constant), Sort::Bool)
    }
}

/// Parts of atoms.
impl Store {
    /// The linear atom with one leaf of its polynomial replaced by a term of the same sort. Other
    /// occurrences, inside other leaves, stay.
    pub fn replace_leaf(&mut self, atom: Term, leaf: Term, by: Term) -> Term {
        let (poly, bound, relation) = match self.node(atom) {
            Node::Le(p, c) => (p, c, Relation::Le),
            Node::Lt(p, c) => (p, c, Relation::Lt),
            Node::Eq(p, c) => (p, c, Relation::Eq),
            _ => panic!("not a linear atom"),
        };
        let mut sum = self.take_sum();
        for t in self.polys.terms(poly) {
            let term = if t.leaf == leaf { by } else { t.leaf };
            self.accumulate(&mut sum, term, &Rat::from(t.coeff.clone()));
        }
        sum.constant -= self.num(bound);
        let result = self.sum_to_atom(&mut sum, relation);
        self.put_sum(sum);
        result.xor(atom.is_negated())
    }

    /// The term `poly + offset` of this sort; an `Int` needs an integral polynomial and offset.
    pub fn poly_sum(&mut self, poly: Poly, offset: &Rat, sort: Sort) -> Term {
        let mut sum = self.take_sum();
        for t in self.polys.terms(poly) {
            sum.terms.push((t.leaf, Rat::from(t.coeff.clone())));
        }
        sum.constant += offset;
        let term = self.sum_to_term(&mut sum, sort);
        self.put_sum(sum);
        term
    }
}
