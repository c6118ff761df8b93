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
    /// Bit-vectors of this width, without functions.
    Bits(u32),
    /// Functions over bit-vectors.
    BitFunctions,
    /// Arrays from bit-vectors to themselves.
    BitArrays,
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
        let sort = match flavour {
            Flavour::Numbers => Sort::Int,
            Flavour::Bits(width) => Sort::bit_vec(width).expect("a width"),
            Flavour::BitFunctions | Flavour::BitArrays => Sort::bit_vec(3).expect("a width"),
            _ => store.declare_sort("U"),
        };
        let compound = match flavour {
            Flavour::Lists => {
                let list = store.announce_datatype("List", &[]);
                let fields = [("head", sort), ("tail", list)];
                let constructors = vec![
                    ConstructorDeclaration::new("nil", &[]),
                    ConstructorDeclaration::new("cons", &fields),
                ];
                store.define_datatypes(&[list], &[constructors]).expect("lists are well-founded");
                list
            }
            Flavour::Arrays | Flavour::BitArrays => store.array_sort(sort, sort),
            _ => sort,
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
        matches!(self.flavour, Flavour::Lists | Flavour::Arrays | Flavour::BitArrays)
    }

    fn has_bits(&self) -> bool {
        matches!(self.flavour, Flavour::Bits(_) | Flavour::BitFunctions | Flavour::BitArrays)
    }

    /// An operation on bit-vectors.
    fn bit_operation(&mut self, group: usize, depth: usize) -> Term {
        let [a, b] = [0; 2].map(|_| self.term(group, depth));
        let width = self.store.width(a);
        let store = &mut *self.store;
        match self.rng.index(16) {
            0 => store.bv_add(&[a, b]),
            1 => store.bv_sub(a, b),
            2 => store.bv_mul(&[a, b]),
            3 => store.bv_udiv(a, b),
            4 => store.bv_urem(a, b),
            5 => store.bv_and(&[a, b]),
            6 => store.bv_or(&[a, b]),
            7 => store.bv_xor(&[a, b]),
            8 => store.bv_not(a),
            9 => store.bv_shl(a, b),
            10 => store.bv_lshr(a, b),
            11 => store.bv_ashr(a, b),
            12 => {
                let middle = self.rng.index(width as usize) as u32;
                let low = store.bv_extract(middle, 0, a);
                store.bv_sign_extend(width - 1 - middle, low)
            }
            13 => {
                let condition = store.bv_ule(a, b);
                let other = self.constants[2 * group + self.rng.index(3)];
                store.ite(condition, a, other)
            }
            14 => store.bv_rotate_left(1, a),
            _ => {
                let value = shem_base::Int::from(self.rng.range(0..=255));
                store.bit_vector(&shem_base::BitVec::from_int(width, &value))
            }
        }
    }

    /// A term of the basic sort for a group.
    fn term(&mut self, group: usize, depth: usize) -> Term {
        let constant = self.constants[2 * group + self.rng.index(3)];
        if depth == 0 || self.rng.chance(40) {
            return constant;
        }
        if matches!(self.flavour, Flavour::Bits(_)) || self.has_bits() && self.rng.chance(50) {
            return self.bit_operation(group, depth - 1);
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
            2..=5 if self.has_bits() => {
                let [a, b] = [0; 2].map(|_| self.term(group, 2));
                if self.rng.chance(50) { self.store.bv_ule(a, b) } else { self.store.bv_slt(a, b) }
            }
            0 if !matches!(self.flavour, Flavour::Bits(_)) => {
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
