//! Arithmetic terms as linear forms, as the rule `poly_simp` reads them.
//!
//! The leaves of a form are terms that are no sums, products or multiples, and products of several of these.

use std::collections::BTreeMap;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use shem_base::Rat;

use crate::problem::Problem;
use crate::terms::{Id, Shape, Sort};

/// A polynomial: products of leaves, SORTED, with their coefficients, none of which is 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Polynomial {
    terms: BTreeMap<Box<[Id]>, Rat>,
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
    pub(crate) terms: BTreeMap<Id, Rat>,
    pub(crate) constant: Rat,
}

impl Linear {
    pub(crate) fn add(&mut self, other: &Linear, factor: &Rat) {
        for (&leaf, coeff) in &other.terms {
            self.add_leaf(leaf, &(coeff * factor));
        }
        self.constant.add_mul(&other.constant, factor);
    }

    pub(crate) fn add_leaf(&mut self, leaf: Id, coeff: &Rat) {
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
    polynomials: FxHashMap<Id, Rc<Polynomial>>,
    forms: FxHashMap<Id, Rc<Linear>>,
    /// Whether the rules of linear arithmetic read a term as we do.
    plain: FxHashMap<Id, bool>,
}

/// Whether a term is made of others by sums, products or multiples.
pub(crate) fn is_arithmetic_operation(problem: &Problem, id: Id) -> bool {
    match problem.terms.parts(id) {
        ("+" | "-" | "*" | "to_real", [_, ..]) => true,
        ("/", [_, divisor]) => problem.signed_literal(*divisor).is_some_and(|value| !value.is_zero()),
        ("div", _) => problem.exact_quotient(id).is_some(),
        _ => matches!(problem.terms.shape(id), Shape::Number(..)),
    }
}

impl Forms {
    /// The form of an arithmetic term.
    pub(crate) fn of(&mut self, problem: &mut Problem, id: Id) -> Rc<Linear> {
        if let Some(known) = self.forms.get(&id) {
            return known.clone();
        }
        let polynomial = self.polynomial(problem, id);
        let mut form = Linear { terms: BTreeMap::new(), constant: polynomial.constant.clone() };
        for (leaves, coeff) in &polynomial.terms {
            let leaf = match &leaves[..] {
                &[leaf] => leaf,
                leaves => {
                    let real = leaves.iter().any(|&leaf| *problem.terms.sort(leaf) == Sort::Real);
                    problem.terms.apply("*", leaves, if real { Sort::Real } else { Sort::Int })
                }
            };
            form.add_leaf(leaf, coeff);
        }
        let form = Rc::new(form);
        self.forms.insert(id, form.clone());
        form
    }

    fn polynomial(&mut self, problem: &Problem, root: Id) -> Rc<Polynomial> {
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            if self.polynomials.contains_key(&id) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            if is_arithmetic_operation(problem, id) {
                let args = problem.terms.parts(id).1;
                stack.extend(args.iter().filter(|arg| !self.polynomials.contains_key(arg)));
                if stack.len() > before {
                    continue;
                }
            }
            let polynomial = self.combine(problem, id);
            self.polynomials.insert(id, Rc::new(polynomial));
            stack.pop();
        }
        self.polynomials[&root].clone()
    }

    /// The polynomial of a term whose arguments have theirs.
    fn combine(&self, problem: &Problem, id: Id) -> Polynomial {
        let mut result = Polynomial::default();
        if let Shape::Number(value, _) = problem.terms.shape(id) {
            result.constant = value.clone();
            return result;
        }
        if let Some(value) = problem.exact_quotient(id) {
            result.constant = value;
            return result;
        }
        if !is_arithmetic_operation(problem, id) {
            result.terms.insert([id].into(), Rat::ONE);
            return result;
        }
        let (name, args) = problem.terms.parts(id);
        let of = |id: &Id| &self.polynomials[id];
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
                let divisor = problem.signed_literal(args[1]).expect("a quotient by a number");
                result.add(of(&args[0]), &divisor.recip());
            }
        }
        result
    }

    /// Whether the rules of linear arithmetic see the same leaves in a term as its form has.
    pub(crate) fn is_plain(&mut self, problem: &Problem, root: Id) -> bool {
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            if self.plain.contains_key(&id) {
                stack.pop();
                continue;
            }
            let (name, args) = problem.terms.parts(id);
            let is_number = |id: Id| problem.signed_literal(id).is_some();
            let (is_candidate, parts): (bool, &[Id]) = match (name, args) {
                ("+" | "-", [_, ..]) => (true, args),
                ("*", &[a, b]) if is_number(a) || is_number(b) => (true, args),
                ("*", _) => (args.iter().all(|&arg| self.is_leaf(problem, arg)) && is_sorted(args), &[]),
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

    fn is_leaf(&self, problem: &Problem, id: Id) -> bool {
        !is_arithmetic_operation(problem, id)
    }

    /// A term for a form, of the sort that a term has.
    pub(crate) fn term(problem: &mut Problem, form: &Linear, real: bool) -> Id {
        let sort = if real { Sort::Real } else { Sort::Int };
        let mut summands = Vec::with_capacity(form.terms.len() + 1);
        let mixed = real && form.terms.keys().any(|&leaf| *problem.terms.sort(leaf) == Sort::Int);
        if mixed || !form.constant.is_zero() || form.terms.is_empty() {
            summands.push(problem.terms.number(&form.constant, real));
        }
        for (&leaf, coeff) in &form.terms {
            summands.push(if coeff.is_one() {
                leaf
            } else {
                let coeff = problem.terms.number(coeff, real);
                problem.terms.apply("*", &[coeff, leaf], sort.clone())
            });
        }
        match summands[..] {
            [single] => single,
            _ => problem.terms.apply("+", &summands, sort),
        }
    }
}

fn is_sorted(ids: &[Id]) -> bool {
    ids.windows(2).all(|pair| pair[0] <= pair[1])
}
