//! Random formulas and assignments.

use shem_base::{Int, Rat, Rng};
use shem_smt::Model;
use shem_term::{Sort, Store, Term, Value};

/// What formulas are made of.
#[derive(Clone, Copy, Debug)]
pub struct Taste {
    /// How many integer variables.
    pub ints: usize,
    /// How many real variables.
    pub reals: usize,
    /// How many Boolean variables.
    pub bools: usize,
    /// The greatest coefficient.
    pub coefficient: i64,
    /// The greatest constant.
    pub constant: i64,
    /// Whether divisibility, `div`, `mod` and `to_int` occur.
    pub division: bool,
    /// Whether arithmetic conditionals occur.
    pub conditionals: bool,
    /// How deep connectives are nested.
    pub depth: usize,
}

/// A generator with its variables.
#[derive(Debug)]
pub struct Generator {
    /// The store of the formulas.
    pub store: Store,
    /// The source of randomness.
    pub rng: Rng,
    /// The variables that are numbers.
    pub numbers: Vec<Term>,
    /// The Boolean variables.
    pub bools: Vec<Term>,
    taste: Taste,
}

impl Generator {
    /// A generator of formulas to this taste.
    pub fn new(seed: u64, taste: Taste) -> Generator {
        let mut store = Store::new();
        let ints = (0..taste.ints).map(|i| (format!("x{i}"), Sort::Int));
        let reals = (0..taste.reals).map(|i| (format!("u{i}"), Sort::Real));
        let numbers = ints.chain(reals).map(|(name, sort)| store.variable(&name, sort)).collect();
        let bools = (0..taste.bools).map(|i| store.variable(&format!("p{i}"), Sort::Bool)).collect();
        Generator { store, rng: Rng::new(seed), numbers, bools, taste }
    }

    /// All variables.
    pub fn variables(&self) -> Vec<Term> {
        self.numbers.iter().chain(&self.bools).copied().collect()
    }

    /// About half of the variables.
    pub fn some_variables(&mut self) -> Vec<Term> {
        let all = self.variables();
        all.into_iter().filter(|_| self.rng.bool()).collect()
    }

    /// A random value for every variable.
    pub fn assignment(&mut self) -> Model {
        let mut model = Model::default();
        for var in self.variables() {
            let value = self.value(self.store.sort(var));
            model.insert(self.store.as_var(var).unwrap(), value);
        }
        model
    }

    fn value(&mut self, sort: Sort) -> Value {
        let range = self.taste.constant + 2;
        match sort {
            Sort::Bool => Value::Bool(self.rng.bool()),
            Sort::Int => Value::Num(Rat::from(self.rng.range(-range..=range))),
            Sort::Real => Value::Num(Rat::new(self.rng.range(-2 * range..=2 * range), self.rng.range(1..=3))),
            _ => panic!("the variables are truth values and numbers"),
        }
    }

    /// The assignment with a few values moved.
    pub fn neighbour(&mut self, model: &Model) -> Model {
        let mut other = model.clone();
        for var in self.variables() {
            let symbol = self.store.as_var(var).unwrap();
            if self.rng.chance(40) {
                let value = match other.get(symbol).unwrap() {
                    Value::Num(n) if self.rng.chance(70) => {
                        Value::Num(n + &Rat::from(self.rng.range(-2..=2)))
                    }
                    _ => self.value(self.store.sort(var)),
                };
                other.insert(symbol, value);
            }
        }
        other
    }

    /// A random formula.
    pub fn formula(&mut self) -> Term {
        self.formula_of(self.taste.depth)
    }

    fn formula_of(&mut self, depth: usize) -> Term {
        if depth == 0 {
            return self.atom();
        }
        let count = self.rng.range(2..=4) as usize;
        let members: Vec<Term> = (0..count).map(|_| self.formula_of(depth - 1)).collect();
        match self.rng.below(8) {
            0..3 => self.store.and(&members),
            3..6 => self.store.or(&members),
            6 => self.store.iff(members[0], members[1]),
            _ => self.store.ite(members[0], members[1], *members.last().unwrap()),
        }
    }

    fn atom(&mut self) -> Term {
        if self.numbers.is_empty() || (!self.bools.is_empty() && self.rng.chance(20)) {
            let at = self.rng.index(self.bools.len());
            return self.bools[at].xor(self.rng.bool());
        }
        let sort = self.store.sort(self.numbers[self.rng.index(self.numbers.len())]);
        let (a, b) = (self.sum(sort, 1), self.sum(sort, 0));
        let atom = match self.rng.below(10) {
            0..3 => self.store.eq(a, b),
            3 if sort == Sort::Int && self.taste.division => {
                let modulus = Int::from(self.rng.range(2..=6));
                self.store.divisible(&modulus, a)
            }
            3..5 => self.store.lt(a, b),
            _ => self.store.le(a, b),
        };
        atom.xor(self.rng.bool())
    }

    fn coefficient(&mut self) -> Rat {
        Rat::from(self.rng.range(-self.taste.coefficient..=self.taste.coefficient))
    }

    fn sum(&mut self, sort: Sort, depth: usize) -> Term {
        let mut terms = Vec::new();
        for _ in 0..self.rng.range(1..=3) {
            let mut leaf = self.numbers[self.rng.index(self.numbers.len())];
            if depth > 0 {
                leaf = self.leaf(leaf);
            }
            if sort == Sort::Int && self.store.sort(leaf) == Sort::Real {
                if !self.taste.division {
                    continue;
                }
                leaf = self.store.to_int(leaf);
            }
            terms.push((self.coefficient(), leaf));
        }
        let constant = Rat::from(self.rng.range(-self.taste.constant..=self.taste.constant));
        self.store.linear(&terms, &constant, sort)
    }

    fn leaf(&mut self, var: Term) -> Term {
        let sort = self.store.sort(var);
        match self.rng.below(8) {
            0 if self.taste.conditionals => {
                let (condition, other) = (self.atom_of_depth_zero(), self.sum(sort, 0));
                self.store.ite(condition, var, other)
            }
            1 if self.taste.division && sort == Sort::Int => {
                let sum = self.sum(sort, 0);
                let modulus = Int::from(self.rng.range(2..=5));
                self.store.int_div(sum, &modulus)
            }
            2 if self.taste.division && sort == Sort::Int => {
                let sum = self.sum(sort, 0);
                let modulus = Int::from(self.rng.range(2..=5));
                self.store.int_mod(sum, &modulus)
            }
            3 if self.taste.division && sort == Sort::Real => {
                let sum = self.sum(sort, 0);
                let floor = self.store.to_int(sum);
                self.store.to_real(floor)
            }
            _ => var,
        }
    }

    fn atom_of_depth_zero(&mut self) -> Term {
        let sort = self.store.sort(self.numbers[self.rng.index(self.numbers.len())]);
        let (a, b) = (self.sum(sort, 0), self.sum(sort, 0));
        if self.rng.chance(30) { self.store.eq(a, b) } else { self.store.le(a, b) }
    }
}
