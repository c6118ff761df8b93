//! Arithmetic terms as linear forms, as the rule `poly_simp` reads them.
//!
//! The leaves of a form are terms that are no sums, products or multiples, and products of several of these.

use std::collections::BTreeMap;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use shem_base::Rat;

use super::terms::{Shape, Sort, TermId, Terms};

/// A polynomial: products of leaves, SORTED, with their coefficients, none of which is 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Polynomial {
    terms: BTreeMap<Box<[TermId]>, Rat>,
    constant: Rat,
}

impl Polynomial {
    fn add(&mut self, other: &Polynomial, factor: &Rat) {
        for (product, coeff) in &other.terms {
            let sum = self.terms.entry(product.clone()).or_insert(Rat::ZERO);
            sum.add_mul(coeff, factor);
            if sum.is_zero() {
                self.terms.remove(product);
            }
        }
        self.constant.add_mul(&other.constant, factor);
    }

    fn product(&self, other: &Polynomial) -> Polynomial {
        let mut result = Polynomial { terms: BTreeMap::new(), constant: &self.constant * &other.constant };
        let one = |poly: &Polynomial| Polynomial { terms: poly.terms.clone(), constant: Rat::ZERO };
        result.add(&one(self), &other.constant);
        result.add(&one(other), &self.constant);
        for (left, a) in &self.terms {
            for (right, b) in &other.terms {
                let mut leaves = [&left[..], &right[..]].concat();
                leaves.sort_unstable();
                let single = Polynomial { terms: [(leaves.into(), a * b)].into(), constant: Rat::ZERO };
                result.add(&single, &Rat::ONE);
            }
        }
        result
    }
}

/// A linear form: leaves with their coefficients, none of which is 0, and a constant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Linear {
    pub(crate) terms: BTreeMap<TermId, Rat>,
    pub(crate) constant: Rat,
}

impl Linear {
    pub(crate) fn add(&mut self, other: &Linear, factor: &Rat) {
        for (&leaf, coeff) in &other.terms {
            self.add_leaf(leaf, &(coeff * factor));
        }
        self.constant.add_mul(&other.constant, factor);
    }

    pub(crate) fn add_leaf(&mut self, leaf: TermId, coeff: &Rat) {
        let sum = self.terms.entry(leaf).or_insert(Rat::ZERO);
        *sum = &*sum + coeff;
        if sum.is_zero() {
            self.terms.remove(&leaf);
        }
    }
}

/// The forms of terms, as far as they have been asked for.
#[derive(Debug, Default)]
pub(crate) struct Forms {
    polynomials: FxHashMap<TermId, Rc<Polynomial>>,
    forms: FxHashMap<TermId, Rc<Linear>>,
    /// Whether the rules of linear arithmetic read a term as we do.
    plain: FxHashMap<TermId, bool>,
}

/// Whether a term is made of others by sums, products or multiples.
pub(crate) fn is_arithmetic_operation(terms: &Terms, id: TermId) -> bool {
    match terms.parts(id) {
        ("+" | "-" | "*" | "to_real", [_, ..]) => true,
        ("/", [_, divisor]) => terms.signed_literal(*divisor).is_some_and(|value| !value.is_zero()),
        ("div", _) => terms.exact_quotient(id).is_some(),
        _ => matches!(terms.shape(id), Shape::Number(..)),
    }
}

impl Forms {
    /// The form of an arithmetic term.
    pub(crate) fn of(&mut self, terms: &mut Terms, id: TermId) -> Rc<Linear> {
        if let Some(known) = self.forms.get(&id) {
            return known.clone();
        }
        let polynomial = self.polynomial(terms, id);
        let mut form = Linear { terms: BTreeMap::new(), constant: polynomial.constant.clone() };
        for (leaves, coeff) in &polynomial.terms {
            let leaf = match &leaves[..] {
                &[leaf] => leaf,
                leaves => {
                    let real = leaves.iter().any(|&leaf| *terms.sort(leaf) == Sort::Real);
                    terms.apply("*", leaves, if real { Sort::Real } else { Sort::Int })
                }
            };
            form.add_leaf(leaf, coeff);
        }
        let form = Rc::new(form);
        self.forms.insert(id, form.clone());
        form
    }

    fn polynomial(&mut self, terms: &Terms, root: TermId) -> Rc<Polynomial> {
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            if self.polynomials.contains_key(&id) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            if is_arithmetic_operation(terms, id) {
                let args = terms.parts(id).1;
                stack.extend(args.iter().filter(|arg| !self.polynomials.contains_key(arg)));
                if stack.len() > before {
                    continue;
                }
            }
            let polynomial = self.combine(terms, id);
            self.polynomials.insert(id, Rc::new(polynomial));
            stack.pop();
        }
        self.polynomials[&root].clone()
    }

    /// The polynomial of a term whose arguments have theirs.
    fn combine(&self, terms: &Terms, id: TermId) -> Polynomial {
        let mut result = Polynomial::default();
        if let Shape::Number(value, _) = terms.shape(id) {
            result.constant = value.clone();
            return result;
        }
        if let Some(value) = terms.exact_quotient(id) {
            result.constant = value;
            return result;
        }
        if !is_arithmetic_operation(terms, id) {
            result.terms.insert([id].into(), Rat::ONE);
            return result;
        }
        let (name, args) = terms.parts(id);
        let of = |id: &TermId| &self.polynomials[id];
        match name {
            "+" | "to_real" => args.iter().for_each(|arg| result.add(of(arg), &Rat::ONE)),
            "-" if args.len() == 1 => result.add(of(&args[0]), &-Rat::ONE),
            "-" => {
                result.add(of(&args[0]), &Rat::ONE);
                args[1..].iter().for_each(|arg| result.add(of(arg), &-Rat::ONE));
            }
            "*" => {
                result = (**of(&args[0])).clone();
                args[1..].iter().for_each(|arg| result = result.product(of(arg)));
            }
            _ => {
                let divisor = terms.signed_literal(args[1]).expect("a quotient by a number");
                result.add(of(&args[0]), &divisor.recip());
            }
        }
        result
    }

    /// Whether the rules of linear arithmetic see the same leaves in a term as its form has.
    pub(crate) fn is_plain(&mut self, terms: &Terms, root: TermId) -> bool {
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            if self.plain.contains_key(&id) {
                stack.pop();
                continue;
            }
            let (name, args) = terms.parts(id);
            let is_number = |id: TermId| terms.signed_literal(id).is_some();
            let (is_candidate, parts): (bool, &[TermId]) = match (name, args) {
                ("+" | "-", [_, ..]) => (true, args),
                ("*", &[a, b]) if is_number(a) || is_number(b) => (true, args),
                ("*", _) => (args.iter().all(|&arg| self.is_leaf(terms, arg)) && is_sorted(args), &[]),
                ("/", &[a, b]) => (!is_number(b) || is_number(a), &[]),
                ("to_real", _) => (false, &[]),
                _ => (true, &[]),
            };
            let before = stack.len();
            stack.extend(parts.iter().filter(|part| !self.plain.contains_key(part)));
            if stack.len() > before {
                continue;
            }
            let plain = is_candidate && parts.iter().all(|part| self.plain[part]);
            self.plain.insert(id, plain);
            stack.pop();
        }
        self.plain[&root]
    }

    fn is_leaf(&self, terms: &Terms, id: TermId) -> bool {
        !is_arithmetic_operation(terms, id)
    }

    /// A term for a form, of the sort that a term has.
    pub(crate) fn term(terms: &mut Terms, form: &Linear, real: bool) -> TermId {
        let sort = if real { Sort::Real } else { Sort::Int };
        let mut summands = Vec::with_capacity(form.terms.len() + 1);
        let mixed = real && form.terms.keys().any(|&leaf| *terms.sort(leaf) == Sort::Int);
        if mixed || !form.constant.is_zero() || form.terms.is_empty() {
            summands.push(terms.number(&form.constant, real));
        }
        for (&leaf, coeff) in &form.terms {
            summands.push(if coeff.is_one() {
                leaf
            } else {
                let coeff = terms.number(coeff, real);
                terms.apply("*", &[coeff, leaf], sort.clone())
            });
        }
        match summands[..] {
            [single] => single,
            _ => terms.apply("+", &summands, sort),
        }
    }
}

fn is_sorted(ids: &[TermId]) -> bool {
    ids.windows(2).all(|pair| pair[0] <= pair[1])
}
