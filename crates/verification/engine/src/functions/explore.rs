//! Conjectures about functions, from their values.
//!
//! All terms of a size are made of functions, constructors and variables, and evaluated for the same values of the
//! variables. Terms with equal values are conjectured to be equal, and only the first of them is used in larger terms, as in
//! QuickSpec (Claessen, Smallbone and Hughes 2010). Numbers, sizes of lists and numerals are conjectured to be the linear
//! sums that their values are. What lists have in common as words, that one is others one after the other, forwards or
//! backwards, is found here as an equation with the function that appends, if the system has it.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use shem_base::{Budget, Rat, Rng};
use shem_term::{Role, Sort, Store, Symbol, Term, Value};

use super::evaluate::{Machine, random_value};
use super::prove::Statement;
use super::reading::Function;

/// The values that each variable has.
const SAMPLES: usize = 24;

/// The variables of a recursive sort, and of another one.
const VARIABLES: usize = 3;
const OTHER_VARIABLES: usize = 2;

/// The different terms of one sort and size that are used in larger terms.
const MOST_TERMS: usize = 120;

/// The terms of one size that are evaluated.
const MOST_EVALUATIONS: usize = 12_000;

/// The size up to which terms with constructors are made, and numbers are summands.
const LARGEST_CONSTRUCTION: usize = 3;
const LARGEST_SUMMAND: usize = 3;

/// A term with its values.
struct Known {
    term: Term,
    size: usize,
    values: Vec<Value>,
}

/// The number of an operation, arguments and their values.
type Application = (usize, Vec<Term>, Vec<Vec<Value>>);

/// What can be applied to terms.
enum Operation {
    Function(usize),
    Constructor(Symbol),
}

/// Makes terms of growing size.
pub(super) struct Explorer {
    operations: Vec<(Operation, Vec<Sort>, Sort)>,
    known: FxHashMap<Sort, Vec<Known>>,
    places: FxHashMap<(Sort, Vec<Value>), Term>,
    size: usize,
    /// The variables of each sort.
    variables: FxHashMap<Sort, Vec<Term>>,
    /// What proved equations make smaller.
    reducible: Vec<Term>,
    /// The conjectures that there were.
    seen: BTreeSet<Term>,
}

impl Explorer {
    /// With the variables and constants.
    pub(super) fn new(store: &mut Store, functions: &[Function], seed: u64) -> Explorer {
        let mut sorts: BTreeSet<Sort> = BTreeSet::new();
        let mut operations = Vec::new();
        for (at, function) in functions.iter().enumerate() {
            let signature = store.signature(function.symbol);
            sorts.extend(signature.args.iter().copied());
            sorts.insert(signature.result);
            operations.push((Operation::Function(at), signature.args.to_vec(), signature.result));
        }
        let mut explorer = Explorer {
            operations,
            known: FxHashMap::default(),
            places: FxHashMap::default(),
            size: 1,
            variables: FxHashMap::default(),
            reducible: Vec::new(),
            seen: BTreeSet::new(),
        };
        let mut rng = Rng::new(seed ^ 0xda7a);
        for &sort in &sorts {
            let count = if store.is_recursive(sort) { VARIABLES } else { OTHER_VARIABLES };
            for _ in 0..count {
                let term = store.variable("v", sort);
                let values = (0..SAMPLES).map(|at| random_value(store, &mut rng, sort, 1 + at % 5)).collect();
                explorer.add(Known { term, size: 1, values }, sort);
                explorer.variables.entry(sort).or_default().push(term);
            }
            if sort == Sort::Bool {
                explorer.constant(Term::TRUE, Value::Bool(true), sort);
                explorer.constant(Term::FALSE, Value::Bool(false), sort);
            }
            if sort == Sort::Int {
                let zero = store.int(0);
                explorer.constant(zero, Value::Num(Rat::ZERO), sort);
            }
            let Some(datatype) = store.datatype_of(sort) else { continue };
            for constructor in datatype.constructors().to_vec() {
                let args = store.signature(constructor.symbol).args.to_vec();
                if args.is_empty() {
                    let term = store.construct(constructor.symbol, &[]);
                    explorer.constant(term, Value::data(constructor.symbol, Vec::new()), sort);
                } else if args.iter().all(|arg| sorts.contains(arg)) {
                    explorer.operations.push((Operation::Constructor(constructor.symbol), args, sort));
                }
            }
        }
        if sorts.contains(&Sort::Bool) {
            explorer.compare(store, &sorts);
        }
        explorer
    }

    /// Equations and orders of variables, to which truth values are compared.
    fn compare(&mut self, store: &mut Store, sorts: &BTreeSet<Sort>) {
        for &sort in sorts {
            let known = &self.known[&sort];
            let is_variable = |known: &&Known| store.as_var(known.term).is_some();
            let chosen: Vec<(Term, Vec<Value>)> =
                known.iter().filter(is_variable).take(2).map(|k| (k.term, k.values.clone())).collect();
            let [(a, left), (b, right)] = &chosen[..] else { continue };
            let equal = left.iter().zip(right).map(|(a, b)| Value::Bool(a == b)).collect();
            let term = store.eq(*a, *b);
            self.places.insert((Sort::Bool, equal), term);
            let is_numeral = sort.as_datatype().is_some_and(|id| store.is_numeral(id));
            if sort == Sort::Int || is_numeral {
                let numbers = number_values(store, left).zip(number_values(store, right));
                let Some((left, right)) = numbers else { continue };
                let (a, b) = (as_number(store, *a), as_number(store, *b));
                let less = left.iter().zip(&right).map(|(a, b)| Value::Bool(a <= b)).collect();
                let greater = left.iter().zip(&right).map(|(a, b)| Value::Bool(b <= a)).collect();
                let (first, second) = (store.le(a, b), store.le(b, a));
                self.places.insert((Sort::Bool, less), first);
                self.places.insert((Sort::Bool, greater), second);
            }
        }
    }

    /// Terms of this form need not be looked at any more.
    pub(super) fn learn(&mut self, store: &Store, statement: &Statement) {
        let Some((large, small)) = statement.sides else { return };
        let is_variant =
            matches(store, large, small, &mut Vec::new()) && matches(store, small, large, &mut Vec::new());
        if store.as_app(large).is_some() && !is_variant {
            self.reducible.push(large);
        }
    }

    fn constant(&mut self, term: Term, value: Value, sort: Sort) {
        self.add(Known { term, size: 1, values: vec![value; SAMPLES] }, sort);
    }

    fn add(&mut self, known: Known, sort: Sort) {
        self.places.insert((sort, known.values.clone()), known.term);
        self.known.entry(sort).or_default().push(known);
    }

    /// The conjectures about terms of the next size.
    pub(super) fn next(
        &mut self,
        store: &mut Store,
        functions: &[Function],
        budget: &Budget,
    ) -> Vec<Statement> {
        self.size += 1;
        let mut conjectures = Vec::new();
        let mut made: Vec<(Sort, Known)> = Vec::new();
        {
            let mut candidates: Vec<Application> = Vec::new();
            for (number, (operation, args, _)) in self.operations.iter().enumerate() {
                if matches!(operation, Operation::Constructor(_)) && self.size > LARGEST_CONSTRUCTION {
                    continue;
                }
                self.combine(number, args, self.size - 1, &mut candidates);
            }
            candidates.truncate(MOST_EVALUATIONS);
            let mut evaluated = Vec::new();
            {
                let machine = Machine::new(store, functions);
                for (number, terms, columns) in candidates {
                    if budget.check_stop().is_err() {
                        return Vec::new();
                    }
                    let operation = &self.operations[number].0;
                    let values: Option<Vec<Value>> = (0..SAMPLES)
                        .map(|sample| {
                            let args: Vec<Value> = columns.iter().map(|c| c[sample].clone()).collect();
                            match operation {
                                Operation::Function(at) => machine.value(*at, &args),
                                Operation::Constructor(symbol) => Some(Value::data(*symbol, args)),
                            }
                        })
                        .collect();
                    if let Some(values) = values {
                        evaluated.push((number, terms, values));
                    }
                }
            }
            let mut counts: FxHashMap<Sort, usize> = FxHashMap::default();
            for (number, terms, values) in evaluated {
                let (operation, _, sort) = &self.operations[number];
                let sort = *sort;
                let symbol = match operation {
                    Operation::Function(at) => functions[*at].symbol,
                    Operation::Constructor(symbol) => *symbol,
                };
                let term = store.apply(symbol, &terms);
                if let Some(other) = self.equal(sort, &values) {
                    let is_known =
                        self.reducible.iter().any(|&large| matches(store, large, term, &mut Vec::new()));
                    if !is_known
                        && let Some(statement) = self.equation(store, term, other)
                        && self.seen.insert(statement.formula)
                    {
                        conjectures.push(statement);
                    }
                    continue;
                }
                conjectures.extend(self.linear(store, term, &values));
                if sort.is_datatype() || sort == Sort::Int {
                    self.places.insert((sort, values.clone()), term);
                }
                if sort == Sort::Bool {
                    self.places.insert((sort, values.clone()), term);
                }
                let count = counts.entry(sort).or_default();
                *count += 1;
                if *count <= MOST_TERMS {
                    made.push((sort, Known { term, size: self.size, values }));
                }
            }
        }
        for (sort, known) in made {
            self.known.entry(sort).or_default().push(known);
        }
        // General conjectures first.
        conjectures.sort_by_key(|statement| {
            store.dag_size(statement.formula) as isize - 3 * statement.variables.len() as isize
        });
        conjectures
    }

    /// All lists of known terms of these sorts whose sizes have this sum.
    fn combine(&self, number: usize, sorts: &[Sort], total: usize, found: &mut Vec<Application>) {
        let mut open: Vec<(Vec<&Known>, usize)> = vec![(Vec::new(), total)];
        while let Some((chosen, left)) = open.pop() {
            if found.len() >= MOST_EVALUATIONS {
                return;
            }
            if chosen.len() == sorts.len() {
                if left == 0 {
                    let terms = chosen.iter().map(|known| known.term).collect();
                    let columns = chosen.iter().map(|known| known.values.clone()).collect();
                    found.push((number, terms, columns));
                }
                continue;
            }
            let rest = sorts.len() - chosen.len() - 1;
            for known in self.known.get(&sorts[chosen.len()]).into_iter().flatten().rev() {
                let fits = if rest == 0 { known.size == left } else { known.size + rest <= left };
                if fits {
                    let mut chosen = chosen.clone();
                    chosen.push(known);
                    open.push((chosen, left - known.size));
                }
            }
        }
    }

    /// A term with these values, or the negation of one without.
    fn equal(&self, sort: Sort, values: &[Value]) -> Option<Term> {
        let key = (sort, values.to_vec());
        if let Some(&term) = self.places.get(&key) {
            return Some(term);
        }
        if sort != Sort::Bool {
            return None;
        }
        let negated: Option<Vec<Value>> =
            values.iter().map(|value| Some(Value::Bool(!value.as_bool()?))).collect();
        self.places.get(&(sort, negated?)).map(|&term| !term)
    }

    /// That the number or size that a term is is a linear sum of smaller ones.
    fn linear(&self, store: &mut Store, term: Term, values: &[Value]) -> Option<Statement> {
        let sort = store.sort(term);
        let is_function = matches!(store.as_app(term), Some((_, Role::Function, _)));
        if !is_function || !(sort == Sort::Int || store.is_recursive(sort)) {
            return None;
        }
        // One of the terms that differ in the names of variables is enough.
        let mut variables = Vec::new();
        occurrences(store, term, &mut variables);
        if !self.is_canonical(store, &variables) {
            return None;
        }
        if sort != Sort::Int && self.size != 1 + variables.len() {
            return None;
        }
        let goal = number_values(store, values)?;
        if goal.windows(2).all(|pair| pair[0] == pair[1]) && sort != Sort::Int {
            return None;
        }
        let mut columns = vec![vec![Rat::ONE; SAMPLES]];
        let mut summands = Vec::new();
        let mut sorts: Vec<&Sort> = self.known.keys().collect();
        sorts.sort_unstable();
        for &own in sorts {
            let is_size = store.is_recursive(own);
            if own != Sort::Int && !is_size {
                continue;
            }
            for known in &self.known[&own] {
                let largest = if is_size { 1 } else { LARGEST_SUMMAND };
                let is_variable = store.as_var(known.term).is_some();
                let is_summand = is_variable || (!is_size && store.as_num(known.term).is_none());
                if known.size > largest || !is_summand || summands.len() >= 8 {
                    continue;
                }
                if store.free_variables(&[known.term]).iter().all(|v| variables.contains(v)) {
                    columns.push(number_values(store, &known.values)?);
                    summands.push(known.term);
                }
            }
        }
        let coefficients = solve(&columns, &goal)?;
        let mut parts = Vec::new();
        for (summand, coefficient) in summands.into_iter().zip(&coefficients[1..]) {
            if !coefficient.is_zero() {
                let number = as_number(store, summand);
                parts.push((coefficient.clone(), number));
            }
        }
        if !coefficients.iter().all(Rat::is_integer) {
            return None;
        }
        let (left, right) = (as_number(store, term), store.linear(&parts, &coefficients[0], Sort::Int));
        let formula = store.eq(left, right);
        statement(store, formula)
    }

    /// Whether variables are the first ones of their sorts, in order.
    fn is_canonical(&self, store: &Store, order: &[Term]) -> bool {
        let mut counts: FxHashMap<Sort, usize> = FxHashMap::default();
        order.iter().all(|&variable| {
            let sort = store.sort(variable);
            let count = counts.entry(sort).or_default();
            *count += 1;
            self.variables.get(&sort).is_some_and(|list| list.get(*count - 1) == Some(&variable))
        })
    }

    /// That two terms are equal, with variables in the order in which they occur.
    fn equation(&self, store: &mut Store, term: Term, other: Term) -> Option<Statement> {
        let mut order = Vec::new();
        for term in [other, term] {
            occurrences(store, term, &mut order);
        }
        let mut counts: FxHashMap<Sort, usize> = FxHashMap::default();
        let mut renamed = Vec::with_capacity(order.len());
        for &variable in &order {
            let sort = store.sort(variable);
            let count = counts.entry(sort).or_default();
            renamed.push(*self.variables.get(&sort)?.get(*count)?);
            *count += 1;
        }
        let (term, other) = (store.rename(term, &order, &renamed), store.rename(other, &order, &renamed));
        let formula = store.eq(term, other);
        Some(Statement { sides: Some((term, other)), ..statement(store, formula)? })
    }
}

/// Whether a term is an instance of a pattern.
fn matches(store: &Store, pattern: Term, term: Term, binding: &mut Vec<(Term, Term)>) -> bool {
    if store.as_var(pattern).is_some() {
        let (pattern, term) = if pattern.is_negated() { (!pattern, !term) } else { (pattern, term) };
        return match binding.iter().find(|pair| pair.0 == pattern) {
            Some(pair) => pair.1 == term,
            None => {
                binding.push((pattern, term));
                true
            }
        };
    }
    if pattern == term {
        return true;
    }
    match (store.as_app(pattern), store.as_app(term)) {
        (Some((f, _, patterns)), Some((g, _, terms))) => {
            f == g
                && pattern.is_negated() == term.is_negated()
                && patterns.len() == terms.len()
                && patterns.iter().zip(terms).all(|(&p, &t)| matches(store, p, t, binding))
        }
        _ => false,
    }
}

/// Whether an equation is an instance of one of these.
pub(super) fn is_instance<'a>(
    store: &Store,
    statement: &Statement,
    mut others: impl Iterator<Item = &'a Statement>,
) -> bool {
    let Some((a, b)) = statement.sides else { return false };
    others.by_ref().filter_map(|other| other.sides).any(|(left, right)| {
        [(a, b), (b, a)].into_iter().any(|(a, b)| {
            let mut binding = Vec::new();
            matches(store, left, a, &mut binding) && matches(store, right, b, &mut binding)
        })
    })
}

/// The term as a number: itself or its size.
fn as_number(store: &mut Store, term: Term) -> Term {
    if store.sort(term) == Sort::Int { term } else { store.size(term) }
}

/// Numbers, or the sizes of values.
fn number_values(store: &Store, values: &[Value]) -> Option<Vec<Rat>> {
    let number = |value: &Value| match value.as_num() {
        Some(number) => Some(number.clone()),
        None => size(store, value).map(|size| Rat::from(shem_base::Int::from(size))),
    };
    values.iter().map(number).collect()
}

/// The size of a value of a recursive datatype.
fn size(store: &Store, value: &Value) -> Option<i64> {
    let mut size = 0;
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        let data = value.as_data()?;
        let id = store.signature(data.constructor()).result.as_datatype()?;
        let at = store.datatype(id).constructors().iter().position(|c| c.symbol == data.constructor())?;
        let counted = store.counted_fields(id, at);
        size += i64::from(!counted.is_empty());
        open.extend(counted.iter().map(|&field| &data.fields()[field]));
    }
    Some(size)
}

/// The only coefficients with which the columns have this sum.
fn solve(columns: &[Vec<Rat>], goal: &[Rat]) -> Option<Vec<Rat>> {
    let unknowns = columns.len();
    let mut rows: Vec<Vec<Rat>> = (0..goal.len())
        .map(|at| columns.iter().map(|c| c[at].clone()).chain([goal[at].clone()]).collect())
        .collect();
    let mut pivots: Vec<Option<usize>> = vec![None; unknowns];
    let mut next = 0;
    for unknown in 0..unknowns {
        let Some(found) = (next..rows.len()).find(|&row| !rows[row][unknown].is_zero()) else { continue };
        rows.swap(next, found);
        let pivot = rows[next].clone();
        for (at, row) in rows.iter_mut().enumerate() {
            if at != next && !row[unknown].is_zero() {
                let factor = &row[unknown] / &pivot[unknown];
                for (entry, other) in row.iter_mut().zip(&pivot) {
                    *entry = &*entry - &(&factor * other);
                }
            }
        }
        pivots[unknown] = Some(next);
        next += 1;
    }
    if rows[next..].iter().any(|row| !row[unknowns].is_zero()) {
        return None;
    }
    Some(
        pivots
            .iter()
            .enumerate()
            .map(|(unknown, row)| match row {
                Some(row) => &rows[*row][unknowns] / &rows[*row][unknown],
                None => Rat::ZERO,
            })
            .collect(),
    )
}

/// The variables of a term from left to right, each once. Terms are as small as they are made here.
fn occurrences(store: &Store, term: Term, found: &mut Vec<Term>) {
    if store.as_var(term).is_some() {
        if !found.contains(&term.positive()) {
            found.push(term.positive());
        }
    } else if let Some((_, _, args)) = store.as_app(term) {
        for &arg in args {
            occurrences(store, arg, found);
        }
    }
}

fn statement(store: &Store, formula: Term) -> Option<Statement> {
    if formula.is_truth_constant() {
        return None;
    }
    Some(Statement { variables: store.free_variables(&[formula]), formula, sides: None })
}
