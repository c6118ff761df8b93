//! A system whose numbers are hidden in arrays and datatypes.
//!
//! Each predicate's arguments are encoded in one of several ways: all of them as a record, its integers as the first
//! elements of an array, or as values of a sum or of Peano numbers. Bodies take encoded values apart, by selectors
//! and testers or by equations, and heads make them; an array keeps elements that nobody looks at. The encoded
//! system has a derivation of falsehood if and only if the given one has, so what decides the given system decides
//! it, too. Its facts have integers from 0 to 2, see [`mod@crate::system`].

use shem_base::Rng;
use shem_chc::{Atom, Clause, Predicate, System};
use shem_term::{ConstructorDeclaration, DatatypeDeclaration, FieldSort, Sort, Store, Symbol, Term};

/// How the arguments of a predicate are encoded.
#[derive(Clone, Debug)]
enum Encoding {
    Plain,
    /// All arguments are fields of one.
    Record(Sort),
    /// The integers are the first elements of an array, which comes first; the others stay.
    Array(Sort),
    /// Zero is a constructor, others are the field of another one.
    Sum(Sort),
    /// By the number of successors.
    Peano(Sort),
}

/// The system with its arguments encoded at random.
pub fn encoded(store: &mut Store, rng: &mut Rng, system: &System) -> System {
    let sum = declare(store, "Amount", &[("nothing", vec![]), ("some", vec![Sort::Int.into()])]);
    let peano = declare(store, "Peano", &[("zero", vec![]), ("next", vec![FieldSort::Member(0)])]);
    let array = store.array_sort(Sort::Int, Sort::Int);
    let mut encodings = Vec::new();
    let mut result = System::default();
    for (at, predicate) in system.predicates.iter().enumerate() {
        let encoding = match rng.below(6) {
            0 => Encoding::Plain,
            1 if !predicate.sorts.is_empty() => {
                let fields = predicate.sorts.iter().map(|&sort| sort.into()).collect();
                Encoding::Record(declare(store, &format!("Record{at}"), &[("record", fields)]))
            }
            2 | 3 => Encoding::Array(array),
            4 => Encoding::Sum(sum),
            _ => Encoding::Peano(peano),
        };
        let sorts: Vec<Sort> = match encoding {
            Encoding::Plain => predicate.sorts.to_vec(),
            Encoding::Record(sort) => vec![sort],
            Encoding::Array(sort) => {
                let others = predicate.sorts.iter().copied().filter(|&sort| sort != Sort::Int);
                [sort].into_iter().chain(others).collect()
            }
            Encoding::Sum(by) | Encoding::Peano(by) => {
                predicate.sorts.iter().map(|&sort| if sort == Sort::Int { by } else { sort }).collect()
            }
        };
        let symbol = store.declare(&predicate.name, &sorts, Sort::Bool);
        result.predicates.push(Predicate { symbol, name: predicate.name.clone(), sorts: sorts.into() });
        encodings.push(encoding);
    }
    for clause in &system.clauses {
        let mut encoder = Encoder {
            store,
            rng,
            encodings: &encodings,
            variables: clause.variables.to_vec(),
            parts: vec![clause.constraint],
        };
        let body: Vec<Atom> = clause.body.iter().map(|atom| encoder.body_atom(atom)).collect();
        let head = clause.head.as_ref().map(|atom| encoder.head_atom(atom));
        let Encoder { variables, parts, .. } = encoder;
        let constraint = store.and(&parts);
        let (variables, body, premises) = (variables.into(), body.into(), Box::default());
        result.clauses.push(Clause { variables, constraint, body, premises, head, span: clause.span });
    }
    result
}

/// Declares a datatype.
fn declare(store: &mut Store, name: &str, constructors: &[(&str, Vec<FieldSort>)]) -> Sort {
    let constructors = constructors
        .iter()
        .map(|(constructor, fields)| ConstructorDeclaration {
            name: format!("{name}.{constructor}"),
            fields: fields
                .iter()
                .enumerate()
                .map(|(at, &sort)| (format!("{name}.{constructor}.{at}"), sort))
                .collect(),
            qualified: false,
        })
        .collect();
    let declaration = DatatypeDeclaration { name: name.to_owned(), constructors };
    store.declare_datatypes(&[declaration]).expect("a well-founded datatype")[0]
}

struct Encoder<'a> {
    store: &'a mut Store,
    rng: &'a mut Rng,
    encodings: &'a [Encoding],
    variables: Vec<Term>,
    parts: Vec<Term>,
}

impl Encoder<'_> {
    fn new_variable(&mut self, sort: Sort) -> Term {
        let variable = self.store.variable("e", sort);
        self.variables.push(variable);
        variable
    }

    fn require_equal(&mut self, a: Term, b: Term) {
        let equality = self.store.eq(a, b);
        self.parts.push(equality);
    }

    /// Requires that the integers are those that Peano numbers are made for.
    fn require_range(&mut self, atom: &Atom) {
        let [zero, two] = [0, 2].map(|number| self.store.int(number));
        for &arg in &atom.args {
            if self.store.sort(arg) == Sort::Int {
                let bounds = [self.store.ge(arg, zero), self.store.le(arg, two)];
                self.parts.extend(bounds);
            }
        }
    }

    /// The constructors of a datatype with their testers and selectors.
    fn constructors(&self, sort: Sort) -> Vec<(Symbol, Symbol, Vec<Symbol>)> {
        let id = sort.as_datatype().expect("a datatype");
        let all = self.store.datatype(id).constructors().iter();
        all.map(|c| (c.symbol, c.tester, c.selectors.to_vec())).collect()
    }

    /// An atom of a body: its arguments are new variables, which are taken apart.
    fn body_atom(&mut self, atom: &Atom) -> Atom {
        let predicate = atom.predicate;
        // An equation with what a head would make says the same.
        if !matches!(self.encodings[predicate.index()], Encoding::Array(_)) && self.rng.chance(40) {
            if matches!(self.encodings[predicate.index()], Encoding::Peano(_)) {
                self.require_range(atom);
            }
            let Atom { args, .. } = self.head_atom(atom);
            let args = args.iter().map(|&arg| {
                let variable = self.new_variable(self.store.sort(arg));
                self.require_equal(variable, arg);
                variable
            });
            return Atom { predicate, args: args.collect() };
        }
        let args: Vec<Term> = match self.encodings[predicate.index()].clone() {
            Encoding::Plain => atom.args.to_vec(),
            Encoding::Record(sort) => {
                let record = self.new_variable(sort);
                let selectors = self.constructors(sort)[0].2.clone();
                for (selector, &arg) in selectors.into_iter().zip(&atom.args) {
                    let field = self.store.select_field(selector, record);
                    self.require_equal(field, arg);
                }
                vec![record]
            }
            Encoding::Array(sort) => {
                let array = self.new_variable(sort);
                let mut args = vec![array];
                let mut index = 0;
                for &arg in &atom.args {
                    if self.store.sort(arg) != Sort::Int {
                        args.push(arg);
                        continue;
                    }
                    let place = self.store.int(index);
                    index += 1;
                    let element = self.store.select(array, place);
                    self.require_equal(element, arg);
                }
                args
            }
            Encoding::Sum(sort) => {
                let constructors = self.constructors(sort);
                let [(_, is_nothing, _), (.., amount)] = &constructors[..] else { panic!("two") };
                self.integers(atom, sort, |encoder, value| {
                    let zero = encoder.store.int(0);
                    let nothing = encoder.store.test(*is_nothing, value);
                    let amount = encoder.store.select_field(amount[0], value);
                    encoder.store.ite(nothing, zero, amount)
                })
            }
            Encoding::Peano(sort) => {
                let constructors = self.constructors(sort);
                let [(_, is_zero, _), (.., before)] = &constructors[..] else { panic!("two") };
                self.integers(atom, sort, |encoder, value| {
                    let [none, one, two] = [0, 1, 2].map(|number| encoder.store.int(number));
                    let is_none = encoder.store.test(*is_zero, value);
                    let inner = encoder.store.select_field(before[0], value);
                    let is_one = encoder.store.test(*is_zero, inner);
                    let more = encoder.store.ite(is_one, one, two);
                    encoder.store.ite(is_none, none, more)
                })
            }
        };
        Atom { predicate, args: args.into() }
    }

    /// New variables for the integers, which decode to what they were.
    fn integers(&mut self, atom: &Atom, sort: Sort, decode: impl Fn(&mut Self, Term) -> Term) -> Vec<Term> {
        let mut args = Vec::new();
        for &arg in &atom.args {
            if self.store.sort(arg) != Sort::Int {
                args.push(arg);
                continue;
            }
            let value = self.new_variable(sort);
            let decoded = decode(self, value);
            self.require_equal(decoded, arg);
            args.push(value);
        }
        args
    }

    /// An atom with encoded arguments.
    fn head_atom(&mut self, atom: &Atom) -> Atom {
        let predicate = atom.predicate;
        let args: Vec<Term> = match self.encodings[predicate.index()].clone() {
            Encoding::Plain => atom.args.to_vec(),
            Encoding::Record(sort) => {
                let constructor = self.constructors(sort)[0].0;
                vec![self.store.construct(constructor, &atom.args)]
            }
            Encoding::Array(sort) => {
                let zero = self.store.int(0);
                let mut array = if self.rng.bool() {
                    self.new_variable(sort)
                } else {
                    self.store.constant_array(sort, zero)
                };
                let mut args = vec![array];
                let mut index = 0;
                for &arg in &atom.args {
                    if self.store.sort(arg) != Sort::Int {
                        args.push(arg);
                        continue;
                    }
                    let place = self.store.int(index);
                    index += 1;
                    array = self.store.store_at(array, place, arg);
                }
                args[0] = array;
                args
            }
            Encoding::Sum(sort) => {
                let constructors = self.constructors(sort);
                let [(nothing, ..), (some, ..)] = constructors[..] else { panic!("two constructors") };
                self.made_of_integers(atom, |encoder, arg| {
                    let zero = encoder.store.int(0);
                    let is_zero = encoder.store.eq(arg, zero);
                    let nothing = encoder.store.construct(nothing, &[]);
                    let some = encoder.store.construct(some, &[arg]);
                    encoder.store.ite(is_zero, nothing, some)
                })
            }
            Encoding::Peano(sort) => {
                let constructors = self.constructors(sort);
                let [(zero, ..), (next, ..)] = constructors[..] else { panic!("two constructors") };
                self.made_of_integers(atom, |encoder, arg| {
                    let store = &mut *encoder.store;
                    let [none, one] = [0, 1].map(|number| store.int(number));
                    let (is_none, is_one) = (store.le(arg, none), store.eq(arg, one));
                    let first = store.construct(zero, &[]);
                    let second = store.construct(next, &[first]);
                    let third = store.construct(next, &[second]);
                    let more = store.ite(is_one, second, third);
                    store.ite(is_none, first, more)
                })
            }
        };
        Atom { predicate, args: args.into() }
    }

    fn made_of_integers(&mut self, atom: &Atom, encode: impl Fn(&mut Self, Term) -> Term) -> Vec<Term> {
        let mut args = Vec::new();
        for &arg in &atom.args {
            args.push(if self.store.sort(arg) == Sort::Int { encode(self, arg) } else { arg });
        }
        args
    }
}
