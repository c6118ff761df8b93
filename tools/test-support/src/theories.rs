//! Random terms and values beyond arithmetic: functions, arrays and datatypes over a fixed vocabulary.
//!
//! An [`Expression`] is a term as somebody writes it down. It has an evaluation of its own, by the definition of each
//! operator, so that it can judge what the builders of the store make of it. A [`RandomModel`] gives every variable
//! and every function a value that depends on nothing but a seed.

use std::hash::{DefaultHasher, Hash, Hasher};

use shem_base::{Rat, Rng};
use shem_term::smtlib::{Lexer, Reader};
use shem_term::{Assignment, Datatype, Role, Sort, Store, Symbol, Term, Value};

/// Sorts, functions and variables: enumerations, records, recursive and mutually recursive datatypes, instances of a
/// parametric one, arrays nested, of records, and with finite index sorts.
pub const DECLARATIONS: &str = "(declare-sort U 0)
(declare-datatypes ((Color 0)) (((red) (green) (blue))))
(declare-datatype Pair ((pair (fst Int) (snd Bool))))
(declare-datatypes ((List 1)) ((par (T) ((nil) (cons (head T) (tail (List T)))))))
(declare-datatypes ((Tree 0) (Forest 0))
  (((leaf (mark Color)) (node (below Forest))) ((none) (more (first Tree) (rest Forest)))))
(declare-fun f (Int U) U)
(declare-fun g (Color) Int)
(declare-fun h ((Array Int Int) Bool) Bool)
(declare-fun k (Tree) Real)
(declare-const i Int) (declare-const j Int) (declare-const r Real) (declare-const p Bool) (declare-const q Bool)
(declare-const u U) (declare-const v U)
(declare-const c Color) (declare-const d Pair) (declare-const t Tree) (declare-const s Forest)
(declare-const l (List Int)) (declare-const m (List (List Int)))
(declare-const a (Array Int Int)) (declare-const b (Array Int Int))
(declare-const aa (Array Int (Array Bool Color))) (declare-const ab (Array Bool Color))
(declare-const ac (Array Color Bool)) (declare-const ad (Array U Pair)) (declare-const ae (Array (Array Color Bool) Int))
";

/// What random terms are made of.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    /// The sorts.
    pub sorts: Vec<Sort>,
    /// The variables.
    pub variables: Vec<Symbol>,
    /// Declared functions, constructors, selectors, testers and operations on arrays.
    pub functions: Vec<Symbol>,
}

impl Vocabulary {
    /// The vocabulary of [`DECLARATIONS`], and the reader that knows it.
    pub fn new(store: &mut Store) -> (Vocabulary, Reader) {
        let mut reader = Reader::new();
        let mut lexer = Lexer::new(DECLARATIONS).expect("a short text");
        while reader.next_command(&mut lexer, store).expect("a declaration").is_some() {}
        let mut sorts = vec![Sort::Bool, Sort::Int, Sort::Real];
        let (mut variables, mut functions) = (Vec::new(), Vec::new());
        for declaration in reader.declarations() {
            let signature = store.signature(declaration.symbol);
            let list = if signature.args.is_empty() { &mut variables } else { &mut functions };
            list.push(declaration.symbol);
            if !sorts.contains(&signature.result) {
                sorts.push(signature.result);
            }
        }
        for &sort in &sorts {
            for constructor in store.datatype_of(sort).into_iter().flat_map(Datatype::constructors) {
                functions.extend([constructor.symbol, constructor.tester]);
                functions.extend(&constructor.selectors);
            }
            functions.extend(store.array_symbols(sort).into_iter().flatten());
        }
        (Vocabulary { sorts, variables, functions }, reader)
    }

    /// A random expression of the sort, at most so deep.
    pub fn expression(&self, store: &Store, rng: &mut Rng, sort: Sort, depth: usize) -> Expression {
        if depth == 0 {
            return self.leaf(store, rng, sort);
        }
        let mut inside = |sort: Sort| self.expression(store, rng, sort, depth - 1);
        if sort == Sort::Bool {
            let of = inside(Sort::Bool);
            match rng.below(8) {
                0 => return Expression::Not(Box::new(of)),
                1 | 2 => {
                    let other = self.expression(store, rng, Sort::Bool, depth - 1);
                    return Expression::And(vec![of, other]);
                }
                3..=5 => {
                    let sort = *rng.pick(&self.sorts);
                    let [left, right] = [(); 2].map(|()| self.expression(store, rng, sort, depth - 1));
                    return Expression::Equal(Box::new([left, right]));
                }
                6 => {
                    let sort = if rng.bool() { Sort::Int } else { Sort::Real };
                    let [left, right] = [(); 2].map(|()| self.expression(store, rng, sort, depth - 1));
                    return Expression::AtMost(Box::new([left, right]));
                }
                _ => {}
            }
        }
        if sort.is_arithmetic() && rng.chance(50) {
            let [left, right] = [(); 2].map(|()| self.expression(store, rng, sort, depth - 1));
            let operator = match (rng.below(4), sort) {
                (0 | 1, _) => Operator::Add,
                (2, _) => Operator::Multiply,
                (_, Sort::Real) => Operator::Divide,
                _ if rng.bool() => Operator::Quotient,
                _ => Operator::Remainder,
            };
            return Expression::Arithmetic(operator, Box::new([left, right]));
        }
        if rng.chance(15) {
            let condition = self.expression(store, rng, Sort::Bool, depth - 1);
            let [then, otherwise] = [(); 2].map(|()| self.expression(store, rng, sort, depth - 1));
            return Expression::Ite(Box::new([condition, then, otherwise]));
        }
        let fitting: Vec<Symbol> =
            self.functions.iter().copied().filter(|&f| store.signature(f).result == sort).collect();
        if fitting.is_empty() || rng.chance(10) {
            return self.leaf(store, rng, sort);
        }
        let function = *rng.pick(&fitting);
        let sorts = store.signature(function).args.clone();
        let args = sorts.iter().map(|&sort| self.expression(store, rng, sort, depth - 1)).collect();
        Expression::Apply(function, args)
    }

    fn leaf(&self, store: &Store, rng: &mut Rng, sort: Sort) -> Expression {
        let fitting: Vec<Symbol> =
            self.variables.iter().copied().filter(|&v| store.signature(v).result == sort).collect();
        let value = random_value(store, rng, sort, 1);
        // Elements of declared sorts have no name that can be written down.
        let shown = store.display_value(&value, sort).to_string();
        if fitting.is_empty() || rng.chance(25) && !shown.contains("(as @") {
            return Expression::Constant(value, sort);
        }
        Expression::Variable(*rng.pick(&fitting))
    }
}

/// An operator of arithmetic with two arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// The sum.
    Add,
    /// The product.
    Multiply,
    /// The quotient of reals.
    Divide,
    /// The quotient of integers.
    Quotient,
    /// The remainder of integers.
    Remainder,
}

/// A term as it is written.
#[derive(Clone, Debug)]
pub enum Expression {
    /// A variable.
    Variable(Symbol),
    /// A value without elements of declared sorts.
    Constant(Value, Sort),
    /// The application of a symbol.
    Apply(Symbol, Vec<Expression>),
    /// An operator of arithmetic.
    Arithmetic(Operator, Box<[Expression; 2]>),
    /// A conditional.
    Ite(Box<[Expression; 3]>),
    /// An equality of terms of any sort.
    Equal(Box<[Expression; 2]>),
    /// Not greater.
    AtMost(Box<[Expression; 2]>),
    /// A negation.
    Not(Box<Expression>),
    /// A conjunction.
    And(Vec<Expression>),
}

impl Expression {
    /// The term that the builders make of it.
    pub fn term(&self, store: &mut Store) -> Term {
        match self {
            Expression::Variable(symbol) => store.var(*symbol),
            Expression::Constant(value, sort) => store.value_term(value, *sort),
            Expression::Apply(symbol, args) => {
                let args: Vec<Term> = args.iter().map(|arg| arg.term(store)).collect();
                store.apply(*symbol, &args)
            }
            Expression::Arithmetic(operator, args) => {
                let [left, right] = [args[0].term(store), args[1].term(store)];
                match operator {
                    Operator::Add => store.add(&[left, right]),
                    Operator::Multiply => store.product(&[left, right]),
                    Operator::Divide => store.real_quotient(left, right),
                    Operator::Quotient => store.int_quotient(left, right),
                    Operator::Remainder => store.remainder(left, right),
                }
            }
            Expression::Ite(args) => {
                let [condition, then, otherwise] = [0, 1, 2].map(|at| args[at].term(store));
                store.ite(condition, then, otherwise)
            }
            Expression::Equal(args) => {
                let [left, right] = [args[0].term(store), args[1].term(store)];
                store.eq(left, right)
            }
            Expression::AtMost(args) => {
                let [left, right] = [args[0].term(store), args[1].term(store)];
                store.le(left, right)
            }
            Expression::Not(inner) => !inner.term(store),
            Expression::And(args) => {
                let args: Vec<Term> = args.iter().map(|arg| arg.term(store)).collect();
                store.and(&args)
            }
        }
    }

    /// The value in a model, by the definition of each operator. A division by zero has the model's value of the
    /// function that [`RandomModel::divide_by_zero`] says.
    pub fn value(&self, model: &RandomModel<'_>) -> Value {
        let store = model.store;
        match self {
            Expression::Variable(symbol) => model.variable(*symbol),
            Expression::Constant(value, _) => value.clone(),
            Expression::Apply(symbol, args) => {
                let values: Vec<Value> = args.iter().map(|arg| arg.value(model)).collect();
                apply_to_values(model, *symbol, &values)
            }
            Expression::Arithmetic(operator, args) => {
                let [left, right] = [args[0].value(model), args[1].value(model)];
                let (a, b) = (left.as_num().expect("a number"), right.as_num().expect("a number"));
                Value::Num(match operator {
                    Operator::Add => a + b,
                    Operator::Multiply => a * b,
                    _ if b.is_zero() => {
                        return model.divide_by_zero(*operator, &left);
                    }
                    Operator::Divide => a / b,
                    Operator::Quotient => euclidean_quotient(a, b),
                    Operator::Remainder => a - &(&euclidean_quotient(a, b) * b),
                })
            }
            Expression::Ite(args) => {
                let condition = args[0].value(model) == Value::Bool(true);
                args[if condition { 1 } else { 2 }].value(model)
            }
            Expression::Equal(args) => {
                let [left, right] = [args[0].value(model), args[1].value(model)];
                Value::Bool(are_equal(store, &left, &right))
            }
            Expression::AtMost(args) => {
                let [left, right] = [args[0].value(model), args[1].value(model)];
                Value::Bool(left.as_num().expect("a number") <= right.as_num().expect("a number"))
            }
            Expression::Not(inner) => Value::Bool(inner.value(model) == Value::Bool(false)),
            Expression::And(args) => {
                Value::Bool(args.iter().all(|arg| arg.value(model) == Value::Bool(true)))
            }
        }
    }
}

/// Counts up or down to the multiple of the divisor that leaves a remainder from 0 on.
fn euclidean_quotient(a: &Rat, b: &Rat) -> Rat {
    let floor = Rat::from((a / &b.abs()).floor());
    if b.is_negative() { -floor } else { floor }
}

fn apply_to_values(model: &RandomModel<'_>, symbol: Symbol, args: &[Value]) -> Value {
    let store = model.store;
    let data = |at: usize| args[at].as_data().expect("a value of a datatype");
    let constructor = |datatype, index: u32| store.datatype(datatype).constructors()[index as usize].symbol;
    match store.role(symbol) {
        Role::Constructor { .. } => Value::data(symbol, args.to_vec()),
        Role::Selector { datatype, constructor: index, field } => {
            if data(0).constructor() == constructor(datatype, index) {
                data(0).fields()[field as usize].clone()
            } else {
                model.function(symbol, args)
            }
        }
        Role::Tester { datatype, constructor: index } => {
            Value::Bool(data(0).constructor() == constructor(datatype, index))
        }
        Role::Select => {
            let array = args[0].as_array().expect("an array");
            let entry = array.entries().iter().find(|entry| are_equal(store, &entry.0, &args[1]));
            entry.map_or_else(|| array.default().clone(), |entry| entry.1.clone())
        }
        Role::Store => {
            let array = args[0].as_array().expect("an array");
            let mut entries = array.entries().to_vec();
            entries.push((args[1].clone(), args[2].clone()));
            store.array_value(array.sort(), array.default().clone(), entries)
        }
        Role::ConstantArray => store.array_value(store.signature(symbol).result, args[0].clone(), Vec::new()),
        _ => model.function(symbol, args),
    }
}

/// Equality by what values stand for: arrays with few indices are compared index by index.
fn are_equal(store: &Store, left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Data(a), Value::Data(b)) => {
            let fields = || a.fields().iter().zip(b.fields());
            a.constructor() == b.constructor() && fields().all(|(x, y)| are_equal(store, x, y))
        }
        (Value::Array(a), Value::Array(b)) => {
            let (index, _) = store.array_parts(a.sort()).expect("an array sort");
            let mut indices: Vec<Value> =
                a.entries().iter().chain(b.entries()).map(|entry| entry.0.clone()).collect();
            indices.sort();
            indices.dedup();
            let all = store.cardinality(index);
            if let Some(count) = all {
                let mut rng = Rng::new(1);
                while (indices.len() as u64) < count {
                    let other = random_value(store, &mut rng, index, 2);
                    if !indices.iter().any(|known| are_equal(store, known, &other)) {
                        indices.push(other);
                    }
                }
            }
            let same_elements = indices.iter().all(|index| are_equal(store, a.get(index), b.get(index)));
            same_elements && (all.is_some() || are_equal(store, a.default(), b.default()))
        }
        (a, b) => a == b,
    }
}

/// A value of the sort whose constructors are nested at most so deep beyond what is needed.
pub fn random_value(store: &Store, rng: &mut Rng, sort: Sort, depth: usize) -> Value {
    match sort {
        Sort::Bool => Value::Bool(rng.bool()),
        Sort::Int => Value::Num(Rat::from(rng.range(-2..=2))),
        Sort::Real => Value::Num(Rat::new(rng.range(-3..=3), 2)),
        Sort::Datatype(id) => {
            let datatype = store.datatype(id);
            let constructor = if depth == 0 && datatype.is_recursive() {
                datatype.base_constructor()
            } else {
                rng.pick(datatype.constructors())
            };
            let sorts = store.signature(constructor.symbol).args.clone();
            let below = depth.saturating_sub(1);
            let fields = sorts.iter().map(|&sort| random_value(store, rng, sort, below)).collect();
            Value::data(constructor.symbol, fields)
        }
        Sort::Array(_) => {
            let (index, element) = store.array_parts(sort).expect("an array sort");
            let below = depth.saturating_sub(1);
            let default = random_value(store, rng, element, below);
            let count = rng.below(3);
            let mut value = |sort| random_value(store, rng, sort, below);
            let entries = (0..count).map(|_| (value(index), value(element))).collect();
            store.array_value(sort, default, entries)
        }
        _ => Value::Element(sort, rng.below(3) as u32),
    }
}

/// A model in which all values follow from a seed.
#[derive(Clone, Copy, Debug)]
pub struct RandomModel<'a> {
    store: &'a Store,
    seed: u64,
}

impl<'a> RandomModel<'a> {
    /// The model of a seed.
    pub fn new(store: &'a Store, seed: u64) -> RandomModel<'a> {
        RandomModel { store, seed }
    }

    /// The value of a variable.
    pub fn variable(&self, symbol: Symbol) -> Value {
        self.function(symbol, &[])
    }

    /// The value of a function at these arguments.
    pub fn function(&self, symbol: Symbol, args: &[Value]) -> Value {
        let signature = self.store.signature(symbol);
        // The variable that stands for an element has its name.
        if let Some((_, number)) = signature.name.rsplit_once('!')
            && signature.name.starts_with('@')
        {
            return Value::Element(signature.result, number.parse().expect("a number"));
        }
        self.chosen(&signature.name, args, signature.result)
    }

    /// The value of a division by zero, which depends on the dividend.
    pub fn divide_by_zero(&self, operator: Operator, dividend: &Value) -> Value {
        let (name, sort) = match operator {
            Operator::Divide => ("/", Sort::Real),
            Operator::Quotient => ("div", Sort::Int),
            _ => ("mod", Sort::Int),
        };
        self.chosen(name, &[dividend.clone(), Value::Num(Rat::ZERO)], sort)
    }

    fn chosen(&self, name: &str, args: &[Value], sort: Sort) -> Value {
        let mut hasher = DefaultHasher::new();
        (self.seed, name, args).hash(&mut hasher);
        random_value(self.store, &mut Rng::new(hasher.finish()), sort, 2)
    }
}

impl Assignment for RandomModel<'_> {
    fn value(&self, symbol: Symbol) -> Option<Value> {
        Some(self.variable(symbol))
    }

    fn apply(&self, symbol: Symbol, args: &[Value]) -> Option<Value> {
        Some(self.function(symbol, args))
    }
}
