//! What holds of products, quotients and remainders whatever their operands are.
//!
//! The solver takes a product of terms for a number of which it knows nothing. Many formulas need little more: signs, what
//! the product is where an operand is a number, that it grows with its factors, what follows from bounds of factors
//! (McCormick, 1976), the few integers whose product or square is a given number. Each fact is a formula that is true for
//! all values, about products that occur in the given formulas and numbers that these compare them or their operands with:
//! whoever asserts it changes nothing but what a solver finds.
//!
//! The facts about one product are few; those about numbers and about pairs of products are limited.

use std::collections::BTreeMap;

use shem_base::{Int, Rat};

use crate::sort::Sort;
use crate::store::Store;
use crate::symbol::Role;
use crate::term::{Term, View};

/// How many pairs of products with a common factor are compared.
const MOST_PAIRS: usize = 200;

/// How many numbers a factor is compared with.
const MOST_NUMBERS: usize = 4;

/// How many pairs of such numbers there are facts about.
const MOST_BOUNDS: usize = 40;

/// The greatest number whose divisors are listed.
const MOST_DIVIDED: i64 = 1_000;

/// A product of two factors.
#[derive(Clone, Copy)]
struct Product {
    term: Term,
    a: Term,
    b: Term,
}

/// Facts about the products of some formulas.
struct Facts<'s> {
    store: &'s mut Store,
    /// By term: the numbers that formulas compare it with.
    numbers: BTreeMap<Term, Vec<Rat>>,
    /// How many more pairs of numbers there may be facts about.
    bounds: usize,
    found: Vec<Term>,
}

impl Store {
    /// Whether a term is a product of terms, or a quotient or remainder by one.
    pub fn is_product(&self, term: Term) -> bool {
        matches!(
            self.as_app(term),
            Some((_, Role::Product | Role::RealQuotient | Role::IntQuotient | Role::Remainder, _))
        )
    }

    /// Formulas that hold of the products, quotients and remainders in these formulas, whatever the values of variables.
    /// There are none for formulas with quantifiers.
    pub fn product_facts(&mut self, formulas: &[Term]) -> Vec<Term> {
        let terms = self.subterms(formulas);
        if !terms.iter().any(|&term| self.is_product(term))
            || formulas.iter().any(|&formula| self.has_quantifier(formula))
        {
            return Vec::new();
        }
        let mut numbers: BTreeMap<Term, Vec<Rat>> = BTreeMap::new();
        let mut products = Vec::new();
        let mut quotients = Vec::new();
        for &term in &terms {
            if let View::Le(poly, bound) | View::Lt(poly, bound) | View::Eq(poly, bound) = self.view(term)
                && let [single] = self.poly_terms(poly)
            {
                let known = numbers.entry(single.leaf).or_default();
                // The negation of a bound of an integer is the next one.
                let next = [bound.clone(), bound + &Rat::ONE];
                let next = if self.sort(single.leaf) == Sort::Int { &next[..] } else { &next[..1] };
                for number in next {
                    if known.len() < MOST_NUMBERS && !known.contains(number) {
                        known.push(number.clone());
                    }
                }
            }
            match self.as_app(term) {
                Some((_, Role::Product, &[a, b])) => products.push(Product { term, a, b }),
                Some((_, Role::Product, factors)) => quotients.push((Role::Product, term, factors.to_vec())),
                Some((_, role, operands)) if self.is_product(term) => {
                    quotients.push((role, term, operands.to_vec()));
                }
                _ => {}
            }
        }
        products.sort_unstable_by_key(|product| product.term);
        quotients.sort_unstable_by_key(|(_, term, _)| *term);
        let mut facts = Facts { store: self, numbers, bounds: MOST_BOUNDS, found: Vec::new() };
        for &product in &products {
            facts.signs(product);
            facts.fixed_factor(product);
            facts.bounds(product);
            facts.given(product);
        }
        let mut pairs = 0;
        for (at, &one) in products.iter().enumerate() {
            for &other in &products[at + 1..] {
                if pairs < MOST_PAIRS && facts.common_factor(one, other) {
                    pairs += 1;
                }
            }
        }
        for (role, term, operands) in quotients {
            facts.other(role, term, &operands);
        }
        facts.found
    }
}

impl Facts<'_> {
    fn number(&mut self, value: impl Into<Rat>, like: Term) -> Term {
        let sort = self.store.sort(like);
        self.store.numeral(&value.into(), sort)
    }

    fn implies(&mut self, premises: &[Term], conclusion: Term) {
        let premise = self.store.and(premises);
        let fact = self.store.implies(premise, conclusion);
        if fact != Term::TRUE {
            self.found.push(fact);
        }
    }

    /// The sign of a product, and that one of integers is no smaller than its factors.
    fn signs(&mut self, Product { term, a, b }: Product) {
        let zero = self.number(0, term);
        if a == b {
            let natural = self.store.ge(term, zero);
            self.found.push(natural);
        }
        let [a_zero, b_zero, is_zero] = [a, b, term].map(|x| self.store.eq(x, zero));
        let some_zero = self.store.or2(a_zero, b_zero);
        let zero_fact = self.store.iff(is_zero, some_zero);
        self.found.push(zero_fact);
        for (a_up, b_up) in [(true, true), (true, false), (false, true), (false, false)] {
            if a == b && a_up != b_up {
                continue;
            }
            // The absolute values of the factors, and that of the product.
            let [x, y] = [(a, a_up), (b, b_up)].map(|(x, up)| if up { x } else { self.store.neg(x) });
            let size = if a_up == b_up { term } else { self.store.neg(term) };
            let premises = [self.store.gt(x, zero), self.store.gt(y, zero)];
            let conclusion = match self.store.sort(term) {
                Sort::Int => {
                    // (x - 1) (y - 1) is not negative.
                    let one = self.number(1, term);
                    let more = self.store.add(&[size, one]);
                    let sum = self.store.add(&[x, y]);
                    self.store.ge(more, sum)
                }
                _ => self.store.gt(size, zero),
            };
            self.implies(&premises, conclusion);
        }
    }

    /// A product with a factor that is a number is linear.
    fn fixed_factor(&mut self, Product { term, a, b }: Product) {
        for (factor, other) in [(a, b), (b, a)] {
            for number in self.numbers.get(&factor).cloned().unwrap_or_default() {
                let multiple = self.store.scale(&number, other);
                let number = self.number(number, term);
                let (fixed, equal) = (self.store.eq(factor, number), self.store.eq(term, multiple));
                self.implies(&[fixed], equal);
            }
        }
    }

    /// So is a quotient or remainder by one.
    fn fixed_divisor(&mut self, role: Role, term: Term, dividend: Term, divisor: Term) {
        for number in self.numbers.get(&divisor).cloned().unwrap_or_default() {
            if number.is_zero() {
                continue;
            }
            let number = self.number(number, term);
            let by_number = match role {
                Role::IntQuotient => self.store.int_quotient(dividend, number),
                Role::Remainder => self.store.remainder(dividend, number),
                _ => self.store.real_quotient(dividend, number),
            };
            let (fixed, equal) = (self.store.eq(divisor, number), self.store.eq(term, by_number));
            self.implies(&[fixed], equal);
        }
    }

    /// What bounds of the factors imply: `(a - m) (b - n)` is positive if both are on the same side, and negative if not.
    fn bounds(&mut self, Product { term, a, b }: Product) {
        let [of_a, of_b] = [a, b].map(|x| self.numbers.get(&x).cloned().unwrap_or_default());
        for m in &of_a {
            for n in &of_b {
                if self.bounds == 0 {
                    return;
                }
                self.bounds -= 1;
                // (a - m) (b - n) = term - n a - m b + m n
                let parts = [(Rat::ONE, term), (-n, a), (-m, b)];
                let product = self.store.linear(&parts, &(m * n), self.store.sort(term));
                let [m, n, zero] = [m.clone(), n.clone(), Rat::ZERO].map(|x| self.number(x, term));
                let above = [self.store.ge(a, m), self.store.ge(b, n)];
                let below = [self.store.le(a, m), self.store.le(b, n)];
                let (natural, negative) = (self.store.ge(product, zero), self.store.le(product, zero));
                self.implies(&above, natural);
                self.implies(&below, natural);
                self.implies(&[above[0], below[1]], negative);
                self.implies(&[below[0], above[1]], negative);
            }
        }
    }

    /// What follows where formulas compare a product with a number.
    fn given(&mut self, Product { term, a, b }: Product) {
        for number in self.numbers.get(&term).cloned().unwrap_or_default() {
            let value = self.number(number.clone(), term);
            if a == b {
                self.square(term, a, &number, value);
            }
            let small = number.to_int().and_then(|number| number.to_i64());
            let Some(small) = small.filter(|n| *n != 0 && n.abs() <= MOST_DIVIDED) else { continue };
            if self.store.sort(term) != Sort::Int || a == b {
                continue;
            }
            let mut pairs = Vec::new();
            for divisor in (1..=small.abs()).filter(|divisor| small % divisor == 0) {
                for d in [divisor, -divisor] {
                    let (first, second) = (self.number(d, term), self.number(small / d, term));
                    let both = [self.store.eq(a, first), self.store.eq(b, second)];
                    pairs.push(self.store.and(&both));
                }
            }
            let some = self.store.or(&pairs);
            let equal = self.store.eq(term, value);
            self.implies(&[equal], some);
        }
    }

    /// A square at most a number has a root of bounded size, one at least a number has one that is not small.
    fn square(&mut self, term: Term, root: Term, number: &Rat, value: Term) {
        if number.is_negative() {
            return;
        }
        let floor = root_of(&number.floor());
        let floor_is_exact = Rat::from(&floor * &floor) == *number;
        let is_int = self.store.sort(term) == Sort::Int;
        let above = if floor_is_exact { floor.clone() } else { &floor + &Int::ONE };
        // Roots of reals lie between the two; integers are at most the first or at least the second.
        let most = if is_int { &floor } else { &above };
        let least = if is_int { &above } else { &floor };
        let [most, least] = [most, least].map(|x| self.number(x.clone(), term));
        let [less_most, less_least] = [most, least].map(|x| self.store.neg(x));
        let (is_most, is_least) = (self.store.le(term, value), self.store.ge(term, value));
        let inside = [self.store.le(root, most), self.store.ge(root, less_most)];
        let inside = self.store.and(&inside);
        self.implies(&[is_most], inside);
        let outside = [self.store.ge(root, least), self.store.le(root, less_least)];
        let outside = self.store.or(&outside);
        self.implies(&[is_least], outside);
    }

    /// Of two products with a common factor, and of two squares, which one is greater. Whether there is something to say.
    fn common_factor(&mut self, one: Product, other: Product) -> bool {
        let zero = self.number(0, one.term);
        if self.store.sort(one.term) != self.store.sort(other.term) {
            return false;
        }
        if one.a == one.b && other.a == other.b {
            for (small, large) in [(one, other), (other, one)] {
                let minus = self.store.neg(large.a);
                let inside = [self.store.le(small.a, large.a), self.store.ge(small.a, minus)];
                let conclusion = self.store.le(small.term, large.term);
                self.implies(&inside, conclusion);
                let inside = [self.store.le(small.a, minus), self.store.ge(small.a, large.a)];
                self.implies(&inside, conclusion);
            }
            return true;
        }
        let shared = [(one.a, one.b), (one.b, one.a)].into_iter().find_map(|(common, rest)| {
            let others = [(other.a, other.b), (other.b, other.a)];
            others.into_iter().find(|pair| pair.0 == common).map(|pair| (common, rest, pair.1))
        });
        let Some((common, x, y)) = shared else { return false };
        let (natural, not_positive) = (self.store.ge(common, zero), self.store.le(common, zero));
        for (x, y, of_x, of_y) in [(x, y, one.term, other.term), (y, x, other.term, one.term)] {
            let ordered = self.store.le(x, y);
            let (up, down) = (self.store.le(of_x, of_y), self.store.ge(of_x, of_y));
            self.implies(&[natural, ordered], up);
            self.implies(&[not_positive, ordered], down);
            if self.store.sort(common) == Sort::Int {
                // They differ by the common factor at least.
                let smaller = self.store.lt(x, y);
                let sum = self.store.add(&[of_x, common]);
                let (up, down) = (self.store.le(sum, of_y), self.store.ge(sum, of_y));
                self.implies(&[natural, smaller], up);
                self.implies(&[not_positive, smaller], down);
            }
        }
        true
    }

    /// Quotients, remainders, and products of more than two factors.
    fn other(&mut self, role: Role, term: Term, operands: &[Term]) {
        let zero = self.number(0, term);
        if let (true, &[dividend, divisor]) = (role != Role::Product, operands) {
            self.fixed_divisor(role, term, dividend, divisor);
        }
        match (role, operands) {
            (Role::Product, factors) => {
                let zeros: Vec<Term> = factors.iter().map(|&factor| self.store.eq(factor, zero)).collect();
                let (some, is_zero) = (self.store.or(&zeros), self.store.eq(term, zero));
                let fact = self.store.iff(is_zero, some);
                self.found.push(fact);
                let is_even = |x: &Term| factors.iter().filter(|y| *y == x).count() % 2 == 0;
                if factors.iter().all(is_even) {
                    let natural = self.store.ge(term, zero);
                    self.found.push(natural);
                }
            }
            (Role::Remainder, &[dividend, divisor]) => {
                let (positive, negative) = (self.store.gt(divisor, zero), self.store.lt(divisor, zero));
                let (low, high) = (self.store.ge(term, zero), self.store.lt(term, divisor));
                let minus = self.store.neg(divisor);
                let high_too = self.store.lt(term, minus);
                let (bounds, bounds_too) = (self.store.and2(low, high), self.store.and2(low, high_too));
                self.implies(&[positive], bounds);
                self.implies(&[negative], bounds_too);
                let small = [self.store.ge(dividend, zero), self.store.lt(dividend, divisor)];
                let same = self.store.eq(term, dividend);
                self.implies(&small, same);
            }
            (Role::IntQuotient, &[dividend, divisor]) => {
                let (positive, natural) = (self.store.gt(divisor, zero), self.store.ge(dividend, zero));
                let bounds = [self.store.ge(term, zero), self.store.le(term, dividend)];
                let bounds = self.store.and(&bounds);
                self.implies(&[positive, natural], bounds);
                let small = [natural, self.store.lt(dividend, divisor)];
                let none = self.store.eq(term, zero);
                self.implies(&small, none);
                let negative = self.store.lt(dividend, zero);
                let bounds = [self.store.lt(term, zero), self.store.ge(term, dividend)];
                let bounds = self.store.and(&bounds);
                self.implies(&[positive, negative], bounds);
            }
            (Role::RealQuotient, &[dividend, divisor]) => {
                for (up, over) in [(true, true), (true, false), (false, true), (false, false)] {
                    let side = |facts: &mut Self, x, up| match up {
                        true => facts.store.gt(x, zero),
                        false => facts.store.lt(x, zero),
                    };
                    let premises = [side(self, dividend, up), side(self, divisor, over)];
                    let conclusion = side(self, term, up == over);
                    self.implies(&premises, conclusion);
                }
                let premises = [self.store.eq(dividend, zero), !self.store.eq(divisor, zero)];
                let none = self.store.eq(term, zero);
                self.implies(&premises, none);
            }
            _ => {}
        }
    }
}

/// The greatest integer whose square is at most the number, which is not negative.
fn root_of(number: &Int) -> Int {
    let (mut low, mut high) = (Int::ZERO, Int::ONE);
    while &(&high * &high) <= number {
        high = &high + &high;
    }
    // low² <= number < high²
    while &high - &low > Int::ONE {
        let middle = Rat::new(&low + &high, 2).floor();
        if &(&middle * &middle) <= number {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbol::Symbol;
    use crate::value::Value;
    use shem_base::Rng;

    #[test]
    fn roots() {
        for number in 0..200_i64 {
            let root = root_of(&number.into()).to_i64().unwrap();
            assert!(root * root <= number && number < (root + 1) * (root + 1), "{number}: {root}");
        }
    }

    /// All facts are true for random values of the variables, those on and beside the numbers included.
    #[test]
    fn facts_hold_of_all_values() {
        let mut evaluated = 0_u64;
        for seed in 0..400 {
            let mut rng = Rng::new(seed);
            let mut store = Store::new();
            let sort = if rng.index(3) == 0 { Sort::Real } else { Sort::Int };
            let variables: Vec<Term> = ["x", "y", "z"].map(|name| store.variable(name, sort)).to_vec();
            let mut terms = variables.clone();
            for _ in 0..4 {
                let (a, b) = (variables[rng.index(3)], variables[rng.index(3)]);
                let third = terms[rng.index(terms.len())];
                terms.push(match (rng.index(5), sort) {
                    (0 | 1, _) => store.product(&[a, b]),
                    (2, _) => store.product(&[a, third]),
                    (3, Sort::Int) => store.int_quotient(a, b),
                    (_, Sort::Int) => store.remainder(third, b),
                    _ => store.real_quotient(third, b),
                });
            }
            let mut formulas = Vec::new();
            for &term in &terms {
                let number = store.numeral(&Rat::from(rng.range(-30..=60)), sort);
                formulas.push(match rng.index(3) {
                    0 => store.le(term, number),
                    1 => store.ge(term, number),
                    _ => store.eq(term, number),
                });
            }
            let facts = store.product_facts(&formulas);
            let symbols: Vec<Symbol> = variables.iter().map(|&v| store.as_var(v).unwrap()).collect();
            for _ in 0..60 {
                let mut value = || match sort {
                    Sort::Real => Rat::new(rng.range(-24..=24), rng.range(1..=3)),
                    _ => Rat::from(rng.range(-12..=12)),
                };
                let values = [value(), value(), value()];
                let assignment = |symbol: Symbol| {
                    let at = symbols.iter().position(|&other| other == symbol)?;
                    Some(Value::Num(values[at].clone()))
                };
                for &fact in &facts {
                    // A quotient by zero has no value.
                    if let Some(truth) = store.evaluate(fact, &assignment) {
                        assert_eq!(truth, Value::Bool(true), "{} at {values:?}", store.display(fact));
                        evaluated += 1;
                    }
                }
            }
        }
        assert!(evaluated > 400_000, "{evaluated}");
    }
}
