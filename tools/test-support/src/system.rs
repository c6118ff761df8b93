//! Random systems whose derivable facts are finitely many: every argument of a head is bound to a small range.

use shem_base::{Rat, Rng};
use shem_chc::{Atom, Clause, Predicate, PredicateId, System};
use shem_term::smtlib::Span;
use shem_term::{Sort, Store, Term};

/// A random system.
pub fn system(store: &mut Store, rng: &mut Rng) -> System {
    let mut system = System::default();
    let count = 1 + rng.index(5);
    for i in 0..count {
        let arity = *rng.pick(&[0, 1, 1, 1, 2, 2, 3]);
        let sorts: Vec<Sort> = (0..arity)
            .map(|_| *rng.pick(&[Sort::Int, Sort::Int, Sort::Int, Sort::Bool, Sort::Real]))
            .collect();
        // Two predicates may have one name in the store, and one may be called false.
        let name = if rng.chance(5) { "false".to_owned() } else { format!("p{i}") };
        let symbol = store.declare(&name, &sorts, Sort::Bool);
        system.predicates.push(Predicate { symbol, name: name.into(), sorts: sorts.into() });
    }
    let clauses = rng.index(4) + rng.index(4 + 2 * count);
    for at in 0..clauses {
        if at > 0 && rng.chance(5) {
            let double = system.clauses[rng.index(at)].clone();
            system.clauses.push(double);
            continue;
        }
        let clause = Builder { store, rng, variables: Vec::new() }.clause(&system.predicates);
        system.clauses.push(clause);
    }
    rename_apart(store, &mut system);
    system
}

/// Gives each clause variables of its own.
fn rename_apart(store: &mut Store, system: &mut System) {
    for clause in &mut system.clauses {
        let mut substitution = shem_term::Substitution::new();
        let mut variables = Vec::new();
        for &variable in &clause.variables {
            let fresh = store.variable("v", store.sort(variable));
            substitution.insert(store.as_var(variable).unwrap(), fresh);
            variables.push(fresh);
        }
        clause.variables = variables.into();
        clause.constraint = store.substitute(clause.constraint, &substitution);
        for atom in clause.body.iter_mut().chain(&mut clause.head) {
            for arg in &mut atom.args {
                *arg = store.substitute(*arg, &substitution);
            }
        }
    }
}

struct Builder<'a> {
    store: &'a mut Store,
    rng: &'a mut Rng,
    variables: Vec<Term>,
}

impl Builder<'_> {
    fn clause(mut self, predicates: &[Predicate]) -> Clause {
        let length = *self.rng.pick(&[0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 3]);
        let mut body: Vec<Atom> = Vec::new();
        for _ in 0..length {
            // The same predicate again, often.
            let predicate = match body.last() {
                Some(last) if self.rng.chance(40) => last.predicate,
                _ => PredicateId::new(self.rng.index(predicates.len())),
            };
            let sorts = &predicates[predicate.index()].sorts;
            let args = sorts.iter().map(|&sort| self.body_argument(sort)).collect();
            body.push(Atom { predicate, args });
        }
        for _ in 0..self.rng.index(3) {
            let sort = *self.rng.pick(&[Sort::Int, Sort::Int, Sort::Real, Sort::Bool]);
            self.new_variable(sort);
        }
        let mut parts = Vec::new();
        let head = if self.rng.chance(25) {
            None
        } else {
            let predicate = PredicateId::new(self.rng.index(predicates.len()));
            let sorts = predicates[predicate.index()].sorts.clone();
            let mut args = Vec::new();
            for &sort in &sorts {
                let arg = self.head_argument(sort);
                if sort != Sort::Bool {
                    parts.push(self.in_range(arg, sort));
                }
                args.push(arg);
            }
            Some(Atom { predicate, args: args.into() })
        };
        for _ in 0..self.rng.index(4) {
            parts.push(self.formula(2));
        }
        let constraint = self.store.and(&parts);
        Clause {
            variables: self.variables.into(),
            constraint,
            body: body.into(),
            premises: Box::default(),
            head,
            span: Span { start: 0, end: 0 },
        }
    }

    fn new_variable(&mut self, sort: Sort) -> Term {
        let variable = self.store.variable("w", sort);
        self.variables.push(variable);
        variable
    }

    fn some_variable(&mut self, sort: Sort) -> Term {
        let fitting: Vec<Term> =
            self.variables.iter().copied().filter(|&v| self.store.sort(v) == sort).collect();
        if fitting.is_empty() || self.rng.chance(8) {
            self.new_variable(sort)
        } else {
            *self.rng.pick(&fitting)
        }
    }

    fn body_argument(&mut self, sort: Sort) -> Term {
        match self.rng.below(10) {
            0 => self.constant(sort),
            1 => self.some_variable(sort),
            2 => self.expression(sort),
            _ => self.new_variable(sort),
        }
    }

    fn head_argument(&mut self, sort: Sort) -> Term {
        match self.rng.below(10) {
            0..2 => self.constant(sort),
            2..5 => self.some_variable(sort),
            5..7 => self.expression(sort),
            _ => self.new_variable(sort),
        }
    }

    /// The values that facts may have: 0 to 2 for integers, halves from 0 to 1 for reals.
    fn in_range(&mut self, term: Term, sort: Sort) -> Term {
        let values: Vec<Rat> = if sort == Sort::Int {
            (0..=2).map(Rat::from).collect()
        } else {
            (0..=2).map(|n: i64| Rat::new(n, 2)).collect()
        };
        if sort == Sort::Int && self.rng.chance(70) {
            let (zero, two) = (self.store.int(0), self.store.int(2));
            let low = self.store.le(zero, term);
            let high = self.store.le(term, two);
            return self.store.and2(low, high);
        }
        let mut ways = Vec::new();
        for value in values.iter().take(1 + self.rng.index(3)) {
            let value = self.store.numeral(value, sort);
            ways.push(self.store.eq(term, value));
        }
        self.store.or(&ways)
    }

    fn constant(&mut self, sort: Sort) -> Term {
        match sort {
            Sort::Bool => Term::from_bool(self.rng.bool()),
            Sort::Int => self.store.int(self.rng.range(0..=2)),
            Sort::Real => self.store.real(Rat::new(self.rng.range(0..=2), 2)),
            _ => panic!("the arguments are truth values and numbers"),
        }
    }

    fn expression(&mut self, sort: Sort) -> Term {
        let variable = self.some_variable(sort);
        match sort {
            Sort::Bool => match self.rng.below(3) {
                0 => !variable,
                1 => self.formula(1),
                _ => variable,
            },
            _ => match self.rng.below(7) {
                0..3 => {
                    let constant = self.constant(sort);
                    self.store.add(&[variable, constant])
                }
                3 => {
                    let other = self.some_variable(sort);
                    self.store.sub(variable, other)
                }
                4 => {
                    let factor = Rat::from(self.rng.range(-1..=2));
                    self.store.scale(&factor, variable)
                }
                5 => {
                    let condition = self.some_variable(Sort::Bool);
                    let other = self.constant(sort);
                    self.store.ite(condition, variable, other)
                }
                _ if sort == Sort::Int => {
                    let modulus = self.rng.range(2..=3).into();
                    if self.rng.bool() {
                        self.store.int_mod(variable, &modulus)
                    } else {
                        self.store.int_div(variable, &modulus)
                    }
                }
                _ => variable,
            },
        }
    }

    fn formula(&mut self, depth: usize) -> Term {
        let count = 1 + self.rng.index(2);
        if depth > 0 && self.rng.chance(25) {
            let members: Vec<Term> = (0..=count).map(|_| self.formula(depth - 1)).collect();
            return if self.rng.chance(70) { self.store.or(&members) } else { self.store.and(&members) };
        }
        let sort = *self.rng.pick(&[Sort::Int, Sort::Int, Sort::Int, Sort::Real, Sort::Bool]);
        if sort == Sort::Bool {
            let variable = self.some_variable(sort);
            return variable.xor(self.rng.bool());
        }
        let left = if self.rng.chance(60) { self.some_variable(sort) } else { self.expression(sort) };
        let right = if self.rng.chance(60) { self.constant(sort) } else { self.some_variable(sort) };
        match self.rng.below(5) {
            0 => self.store.lt(left, right),
            1 => self.store.ge(left, right),
            2 => !self.store.eq(left, right),
            3 => self.store.le(left, right),
            _ => self.store.eq(left, right),
        }
    }
}
