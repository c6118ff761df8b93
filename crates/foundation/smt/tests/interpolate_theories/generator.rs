//! Random problems in groups that share symbols with their neighbours.

use shem_base::{Rat, Rng};
use shem_term::{ConstructorDeclaration, Sort, Store, Symbol, Term};

/// What problems are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// Functions over a declared sort.
    Functions,
    /// Functions over integers.
    Numbers,
    /// Lists.
    Lists,
    /// Arrays from a declared sort to itself.
    Arrays,
}

/// Makes the formulas of a problem.
pub struct Generator<'a> {
    pub store: &'a mut Store,
    pub rng: &'a mut Rng,
    flavour: Flavour,
    /// The sort of lists or arrays.
    compound: Sort,
    unary: Symbol,
    /// By group: a function of its own.
    own: Vec<Symbol>,
    binary: Symbol,
    predicate: Symbol,
    constants: Vec<Term>,
    compounds: Vec<Term>,
}

impl<'a> Generator<'a> {
    pub fn new(store: &'a mut Store, rng: &'a mut Rng, flavour: Flavour, groups: usize) -> Generator<'a> {
        let sort = if flavour == Flavour::Numbers { Sort::Int } else { store.declare_sort("U") };
        let compound = match flavour {
            Flavour::Lists => {
                let list = store.announce_datatype("List", &[]);
                let constructor = |name: &str, fields| ConstructorDeclaration {
                    name: name.into(),
                    fields,
                    qualified: false,
                };
                let fields = vec![("head".into(), sort), ("tail".into(), list)];
                let constructors = vec![constructor("nil", vec![]), constructor("cons", fields)];
                store.define_datatypes(&[list], &[constructors]).expect("lists are well-founded");
                list
            }
            Flavour::Arrays => store.array_sort(sort, sort),
            Flavour::Functions | Flavour::Numbers => sort,
        };
        let unary = store.declare("f", &[sort], sort);
        let own = (0..groups).map(|i| store.declare(&format!("h{i}"), &[sort], sort)).collect();
        let binary = store.declare("g", &[sort, sort], sort);
        let predicate = store.declare("p", &[sort], Sort::Bool);
        let constants = (0..2 * groups + 1).map(|i| store.variable(&format!("c{i}"), sort)).collect();
        let compounds = (0..groups + 2).map(|i| store.variable(&format!("d{i}"), compound)).collect();
        Generator { store, rng, flavour, compound, unary, own, binary, predicate, constants, compounds }
    }

    fn has_compounds(&self) -> bool {
        matches!(self.flavour, Flavour::Lists | Flavour::Arrays)
    }

    /// A term of the basic sort for a group.
    fn term(&mut self, group: usize, depth: usize) -> Term {
        let constant = self.constants[2 * group + self.rng.index(3)];
        if depth == 0 || self.rng.chance(40) {
            return constant;
        }
        match self.rng.index(if self.has_compounds() { 4 } else { 3 }) {
            0 => {
                let arg = self.term(group, depth - 1);
                let function = if self.rng.chance(30) { self.own[group] } else { self.unary };
                self.store.apply(function, &[arg])
            }
            1 => {
                let args = [self.term(group, depth - 1), self.term(group, depth - 1)];
                self.store.apply(self.binary, &args)
            }
            2 if self.flavour == Flavour::Numbers => {
                let arg = self.term(group, depth - 1);
                let offset = Rat::from(self.rng.range(-2..=2));
                self.store.linear(&[(Rat::ONE, arg)], &offset, Sort::Int)
            }
            2 => constant,
            _ => {
                let compound = self.compound(group, depth - 1);
                match self.compound.as_datatype() {
                    Some(id) => {
                        let head = self.store.datatype(id).constructors()[1].selectors[0];
                        self.store.apply(head, &[compound])
                    }
                    None => {
                        let index = self.term(group, depth - 1);
                        self.store.select(compound, index)
                    }
                }
            }
        }
    }

    /// A list or an array for a group.
    fn compound(&mut self, group: usize, depth: usize) -> Term {
        let constant = self.compounds[group + self.rng.index(2)];
        if depth == 0 || self.rng.chance(40) {
            return constant;
        }
        match self.compound.as_datatype() {
            Some(id) => {
                let [nil, cons] = [0, 1].map(|index| self.store.datatype(id).constructors()[index].clone());
                match self.rng.index(4) {
                    0 => self.store.apply(nil.symbol, &[]),
                    1 => {
                        let list = self.compound(group, depth - 1);
                        self.store.apply(cons.selectors[1], &[list])
                    }
                    _ => {
                        let args = [self.term(group, depth - 1), self.compound(group, depth - 1)];
                        self.store.apply(cons.symbol, &args)
                    }
                }
            }
            None => {
                let array = self.compound(group, depth - 1);
                let [index, value] = [0; 2].map(|_| self.term(group, depth - 1));
                self.store.store_at(array, index, value)
            }
        }
    }

    fn atom(&mut self, group: usize) -> Term {
        match self.rng.index(8) {
            0 => {
                let arg = self.term(group, 1);
                self.store.apply(self.predicate, &[arg])
            }
            1 if self.flavour == Flavour::Numbers => {
                let [a, b] = [0; 2].map(|_| self.term(group, 2));
                self.store.le(a, b)
            }
            1 if self.flavour == Flavour::Lists => {
                let list = self.compound(group, 1);
                let Some(id) = self.compound.as_datatype() else { return Term::TRUE };
                let tester = self.store.datatype(id).constructors()[self.rng.index(2)].tester;
                self.store.apply(tester, &[list])
            }
            1..=4 if self.has_compounds() => {
                let [a, b] = [0; 2].map(|_| self.compound(group, 2));
                self.store.eq(a, b)
            }
            _ => {
                let [a, b] = [0; 2].map(|_| self.term(group, 2));
                self.store.eq(a, b)
            }
        }
    }

    fn literal(&mut self, group: usize) -> Term {
        let atom = self.atom(group);
        atom.xor(self.rng.chance(25))
    }

    /// The formulas of a group: literals and a few clauses.
    pub fn group(&mut self, group: usize) -> Vec<Term> {
        let count = 4 + self.rng.index(4);
        let formulas = (0..count).map(|_| {
            let literal = self.literal(group);
            if self.rng.chance(30) {
                let other = self.literal(group);
                self.store.or2(literal, other)
            } else {
                literal
            }
        });
        formulas.collect()
    }
}
