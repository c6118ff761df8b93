//! Random systems over records, enumerations, sums, lists and arrays whose derivable facts are finitely many: every
//! argument of a head is one of a few values.
//!
//! A field is taken only where its constructor is known, by a case or by a conjunct: otherwise the value would be
//! anything, and the answer would not be determined.

use shem_base::{Rat, Rng};
use shem_chc::{Atom, Clause, Predicate, PredicateId, System};
use shem_term::smtlib::Span;
use shem_term::{
    ConstructorDeclaration, DatatypeDeclaration, FieldSort, Role, Sort, Store, Symbol, Term, Value,
};

fn datatype(store: &mut Store, name: &str, constructors: &[(&str, &[(&str, FieldSort)])]) -> Sort {
    let constructor = |(name, fields): &(&str, &[(&str, FieldSort)])| ConstructorDeclaration {
        name: (*name).to_owned(),
        fields: fields.iter().map(|(name, sort)| ((*name).to_owned(), *sort)).collect(),
        qualified: false,
    };
    let constructors = constructors.iter().map(constructor).collect();
    let declaration = DatatypeDeclaration { name: name.to_owned(), constructors };
    store.declare_datatypes(&[declaration]).expect("a datatype")[0]
}

/// Sorts of all kinds; the basic ones come first.
pub fn sorts(store: &mut Store) -> Vec<Sort> {
    let int = FieldSort::Sort(Sort::Int);
    let numbers = store.array_sort(Sort::Int, Sort::Int);
    let side = datatype(store, "Side", &[("left", &[]), ("right", &[])]);
    let color = datatype(store, "Color", &[("red", &[]), ("green", &[]), ("blue", &[])]);
    let pair = datatype(store, "Pair", &[("pair", &[("fst", int), ("snd", Sort::Bool.into())])]);
    let state = datatype(
        store,
        "State",
        &[("state", &[("who", pair.into()), ("memory", numbers.into()), ("lamp", color.into())])],
    );
    let shape = datatype(
        store,
        "Shape",
        &[("circle", &[("radius", int)]), ("box", &[("width", int), ("corner", pair.into())]), ("dot", &[])],
    );
    let unit = datatype(store, "Unit", &[("unit", &[])]);
    let list =
        datatype(store, "List", &[("nil", &[]), ("cons", &[("head", int), ("tail", FieldSort::Member(0))])]);
    let pairs = store.array_sort(Sort::Int, pair);
    let sides = store.array_sort(side, Sort::Int);
    vec![Sort::Bool, Sort::Int, side, color, pair, state, shape, unit, list, numbers, pairs, sides]
}

/// A random system.
pub fn system(store: &mut Store, rng: &mut Rng) -> System {
    let sorts = sorts(store);
    let mut system = System::default();
    let count = 1 + rng.index(4);
    for i in 0..count {
        let arity = *rng.pick(&[0, 1, 1, 2, 2, 3]);
        let sorts: Vec<Sort> =
            (0..arity).map(|_| if rng.chance(30) { Sort::Int } else { *rng.pick(&sorts) }).collect();
        let name = format!("p{i}");
        let symbol = store.declare(&name, &sorts, Sort::Bool);
        system.predicates.push(Predicate { symbol, name: name.into(), sorts: sorts.into() });
    }
    for _ in 0..2 + rng.index(3 + 2 * count) {
        let builder = Builder { store, rng, sorts: &sorts, variables: Vec::new(), parts: Vec::new() };
        let clause = builder.clause(&system.predicates);
        system.clauses.push(clause);
    }
    system
}

struct Builder<'a> {
    store: &'a mut Store,
    rng: &'a mut Rng,
    sorts: &'a [Sort],
    variables: Vec<Term>,
    parts: Vec<Term>,
}

impl Builder<'_> {
    fn clause(mut self, predicates: &[Predicate]) -> Clause {
        let length = *self.rng.pick(&[0, 0, 0, 1, 1, 1, 1, 2]);
        let mut body: Vec<Atom> = Vec::new();
        for _ in 0..length {
            let predicate = PredicateId::new(self.rng.index(predicates.len()));
            let sorts = predicates[predicate.index()].sorts.clone();
            let args = sorts.iter().map(|&sort| self.argument(sort)).collect();
            body.push(Atom { predicate, args });
        }
        let head = if self.rng.chance(30) {
            None
        } else {
            let predicate = PredicateId::new(self.rng.index(predicates.len()));
            let sorts = predicates[predicate.index()].sorts.clone();
            let mut args = Vec::new();
            for &sort in &sorts {
                let arg = self.argument(sort);
                // One of few values: the facts are finitely many.
                let mut ways = Vec::new();
                for _ in 0..1 + self.rng.index(3) {
                    let value = self.constant(sort);
                    ways.push(self.store.eq(arg, value));
                }
                let range = self.store.or(&ways);
                self.parts.push(range);
                args.push(arg);
            }
            Some(Atom { predicate, args: args.into() })
        };
        for _ in 0..self.rng.index(4) {
            let part = self.formula(1);
            self.parts.push(part);
        }
        let constraint = self.store.and(&self.parts);
        Clause {
            variables: self.variables.into(),
            constraint,
            body: body.into(),
            premises: Box::default(),
            head,
            span: Span { start: 0, end: 0 },
        }
    }

    fn variable(&mut self, sort: Sort) -> Term {
        let fitting: Vec<Term> =
            self.variables.iter().copied().filter(|&v| self.store.sort(v) == sort).collect();
        if fitting.is_empty() || self.rng.chance(30) {
            let variable = self.store.variable("w", sort);
            self.variables.push(variable);
            variable
        } else {
            *self.rng.pick(&fitting)
        }
    }

    fn argument(&mut self, sort: Sort) -> Term {
        match self.rng.below(10) {
            0 => self.constant(sort),
            1..4 => self.term(sort, 2),
            _ => self.variable(sort),
        }
    }

    fn constant(&mut self, sort: Sort) -> Term {
        let value = self.value(sort, 2);
        self.store.value_term(&value, sort)
    }

    fn value(&mut self, sort: Sort, depth: usize) -> Value {
        match sort {
            Sort::Bool => Value::Bool(self.rng.bool()),
            Sort::Int | Sort::Real => Value::Num(Rat::from(self.rng.range(0..=1))),
            Sort::Array(_) => {
                let (index, element) = self.store.array_parts(sort).expect("an array sort");
                let default = self.value(element, 0);
                let count = self.rng.index(2);
                let entries = (0..count).map(|_| (self.value(index, 0), self.value(element, 0))).collect();
                self.store.array_value(sort, default, entries)
            }
            Sort::Datatype(id) => {
                let datatype = self.store.datatype(id);
                let symbol = match depth {
                    0 => datatype.base_constructor().symbol,
                    _ => self.rng.pick(datatype.constructors()).symbol,
                };
                let fields = self.store.signature(symbol).args.clone();
                let next = depth.saturating_sub(1);
                Value::data(symbol, fields.iter().map(|&field| self.value(field, next)).collect())
            }
            _ => self.store.default_value(sort),
        }
    }

    /// A term of any form.
    fn term(&mut self, sort: Sort, depth: usize) -> Term {
        if depth == 0 || self.rng.chance(30) {
            return if self.rng.chance(20) { self.constant(sort) } else { self.variable(sort) };
        }
        match self.rng.below(8) {
            0 => {
                let condition = self.formula(0);
                let (then, otherwise) = (self.term(sort, depth - 1), self.term(sort, depth - 1));
                return self.store.ite(condition, then, otherwise);
            }
            1..3 => {
                if let Some(read) = self.read(sort, depth) {
                    return read;
                }
            }
            3..5 => {
                if let Some(field) = self.field(sort, depth) {
                    return field;
                }
            }
            _ => {}
        }
        match sort {
            Sort::Int => {
                let (left, constant) = (self.term(sort, depth - 1), self.constant(sort));
                self.store.add(&[left, constant])
            }
            Sort::Array(_) => {
                let (index, element) = self.store.array_parts(sort).expect("an array sort");
                if self.rng.chance(20) {
                    let element = self.term(element, depth - 1);
                    return self.store.constant_array(sort, element);
                }
                let array = self.term(sort, depth - 1);
                let at = if self.rng.bool() { self.constant(index) } else { self.term(index, depth - 1) };
                let element = self.term(element, depth - 1);
                self.store.store_at(array, at, element)
            }
            Sort::Datatype(id) => {
                let symbol = self.rng.pick(self.store.datatype(id).constructors()).symbol;
                let fields = self.store.signature(symbol).args.clone();
                let args: Vec<Term> = fields.iter().map(|&field| self.term(field, depth - 1)).collect();
                self.store.construct(symbol, &args)
            }
            _ => self.variable(sort),
        }
    }

    /// An element of an array.
    fn read(&mut self, sort: Sort, depth: usize) -> Option<Term> {
        let fits = |array: &Sort| self.store.array_parts(*array).is_some_and(|parts| parts.1 == sort);
        let arrays: Vec<Sort> = self.sorts.iter().copied().filter(fits).collect();
        if arrays.is_empty() {
            return None;
        }
        let sort = *self.rng.pick(&arrays);
        let (index, _) = self.store.array_parts(sort)?;
        let array = self.term(sort, depth - 1);
        let at = if self.rng.bool() { self.constant(index) } else { self.term(index, depth - 1) };
        Some(self.store.select(array, at))
    }

    /// A field of a term that is known to have it.
    fn field(&mut self, sort: Sort, depth: usize) -> Option<Term> {
        let mut fields: Vec<(Sort, Symbol, Symbol)> = Vec::new();
        for &whole in self.sorts {
            let Some(id) = whole.as_datatype() else { continue };
            for constructor in self.store.datatype(id).constructors() {
                for &selector in &constructor.selectors {
                    if self.store.signature(selector).result == sort {
                        fields.push((whole, selector, constructor.tester));
                    }
                }
            }
        }
        if fields.is_empty() {
            return None;
        }
        let (whole, selector, tester) = *self.rng.pick(&fields);
        debug_assert!(matches!(self.store.role(selector), Role::Selector { .. }));
        let whole = self.term(whole, depth - 1);
        let field = self.store.select_field(selector, whole);
        let test = self.store.test(tester, whole);
        if self.rng.bool() {
            self.parts.push(test);
            return Some(field);
        }
        let other = self.constant(sort);
        Some(self.store.ite(test, field, other))
    }

    fn formula(&mut self, depth: usize) -> Term {
        if depth > 0 && self.rng.chance(30) {
            let members: Vec<Term> = (0..2).map(|_| self.formula(depth - 1)).collect();
            return if self.rng.chance(70) { self.store.or(&members) } else { self.store.and(&members) };
        }
        let sort = if self.rng.chance(40) { Sort::Int } else { *self.rng.pick(self.sorts) };
        let (left, right) = (self.variable(sort), self.term(sort, 1));
        let negated = self.rng.chance(30);
        if sort == Sort::Int && self.rng.chance(60) {
            return self.store.le(left, right).xor(negated);
        }
        self.store.eq(left, right).xor(negated)
    }
}
