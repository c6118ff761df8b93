//! Random sessions over functions and datatypes mixed with integers and truth values.

use shem_base::{Rat, Rng};
use shem_smt::Status;
use shem_term::{ConstructorDeclaration, DatatypeDeclaration, FieldSort, Sort, Store, Symbol, Term};
use shem_test_support::rounds;

use super::session::Session;

/// What a random session is about.
#[derive(Clone, Copy, Default)]
pub struct Taste {
    pub functions: bool,
    pub datatypes: bool,
    pub arrays: bool,
    pub numbers: bool,
}

/// Symbols to build terms from.
pub struct Vocabulary {
    sorts: Vec<Sort>,
    pub variables: Vec<Term>,
    functions: Vec<Symbol>,
    taste: Taste,
}

fn datatype(name: &str, constructors: Vec<ConstructorDeclaration>) -> DatatypeDeclaration {
    DatatypeDeclaration { name: name.to_owned(), constructors }
}

fn is_recursive(store: &Store, sort: Sort) -> bool {
    store.is_recursive(sort)
}

impl Vocabulary {
    pub fn new(store: &mut Store, rng: &mut Rng, taste: Taste) -> Vocabulary {
        let u = store.declare_sort("U");
        let mut sorts = vec![Sort::Bool, u];
        if taste.numbers {
            sorts.push(Sort::Int);
            if rng.below(3) == 0 {
                sorts.push(Sort::Real);
            }
        }
        if taste.datatypes {
            let basic = if taste.numbers { Sort::Int } else { u };
            let colour = ["red", "green", "blue"].map(|name| ConstructorDeclaration::new(name, &[])).to_vec();
            let pair = vec![ConstructorDeclaration::new(
                "pair",
                &[("first", basic.into()), ("second", Sort::Bool.into())],
            )];
            let list = vec![
                ConstructorDeclaration::new("nil", &[]),
                ConstructorDeclaration::new(
                    "cons",
                    &[("head", basic.into()), ("tail", FieldSort::Member(2))],
                ),
            ];
            let tree = vec![
                ConstructorDeclaration::new("leaf", &[("label", FieldSort::Member(0))]),
                ConstructorDeclaration::new("node", &[("children", FieldSort::Member(4))]),
            ];
            let forest = vec![
                ConstructorDeclaration::new("empty", &[]),
                ConstructorDeclaration::new(
                    "grow",
                    &[("tree", FieldSort::Member(3)), ("rest", FieldSort::Member(4))],
                ),
            ];
            let group = [
                datatype("Colour", colour),
                datatype("Pair", pair),
                datatype("List", list),
                datatype("Tree", tree),
                datatype("Forest", forest),
            ];
            let all = store.declare_datatypes(&group).expect("the datatypes are well-founded");
            let first = rng.below(5) as usize;
            sorts.push(all[first]);
            sorts.push(all[rng.below(5) as usize]);
            if first >= 3 {
                sorts.extend([all[3], all[4]]);
            }
        }
        if taste.arrays {
            let index = sorts[rng.below(sorts.len() as u64) as usize];
            let element = sorts[rng.below(sorts.len() as u64) as usize];
            let array = store.array_sort(index, element);
            sorts.push(array);
            if rng.below(3) == 0 {
                let nested = store.array_sort(if taste.numbers { Sort::Int } else { u }, array);
                sorts.push(nested);
            }
        }
        sorts.sort_unstable();
        sorts.dedup();
        let mut variables = Vec::new();
        for &sort in &sorts {
            for i in 0..2 + rng.below(2) {
                variables.push(store.variable(&format!("x{}_{i}", variables.len()), sort));
            }
        }
        let mut functions = Vec::new();
        if taste.functions {
            for i in 0..2 + rng.below(3) {
                let arity = 1 + rng.below(2);
                let args: Vec<Sort> =
                    (0..arity).map(|_| sorts[rng.below(sorts.len() as u64) as usize]).collect();
                let result = sorts[rng.below(sorts.len() as u64) as usize];
                functions.push(store.declare(&format!("f{i}"), &args, result));
            }
        }
        for &sort in &sorts {
            if let Some(id) = sort.as_datatype() {
                for constructor in store.datatype(id).constructors() {
                    functions.push(constructor.symbol);
                    functions.push(constructor.tester);
                    functions.extend_from_slice(&constructor.selectors);
                }
            }
            if let Some([select, write, constant]) = store.array_symbols(sort) {
                functions.extend([select, write, write]);
                // A declared sort may be finite: then constant arrays that differ may be connected by writes.
                let (index, _) = store.array_parts(sort).expect("an array sort");
                let is_finite = store.cardinality(index).is_some();
                if rng.below(2) == 0 && (is_finite || index.is_arithmetic() || is_recursive(store, index)) {
                    functions.push(constant);
                }
            }
        }
        Vocabulary { sorts, variables, functions, taste }
    }

    fn any_sort(&self, rng: &mut Rng) -> Sort {
        self.sorts[rng.below(self.sorts.len() as u64) as usize]
    }

    /// A random term of a sort.
    fn term(&self, store: &mut Store, rng: &mut Rng, sort: Sort, depth: u32) -> Term {
        let mut leaves: Vec<Term> =
            self.variables.iter().copied().filter(|&variable| store.sort(variable) == sort).collect();
        if leaves.is_empty() || sort.is_arithmetic() && rng.below(4) == 0 {
            match sort {
                Sort::Bool => leaves = vec![Term::TRUE],
                Sort::Int => leaves = vec![store.int(rng.below(5) as i64 - 2)],
                Sort::Real => leaves = vec![store.real(rng.below(5) as i64 - 2)],
                _ => leaves = vec![store.variable("extra", sort)],
            }
        }
        if depth == 0 {
            return leaves[rng.below(leaves.len() as u64) as usize];
        }
        match rng.below(10) {
            0..=5 => {
                let fitting: Vec<Symbol> = self
                    .functions
                    .iter()
                    .copied()
                    .filter(|&function| store.signature(function).result == sort)
                    .collect();
                if fitting.is_empty() {
                    return self.term(store, rng, sort, depth - 1);
                }
                let function = fitting[rng.below(fitting.len() as u64) as usize];
                let sorts = store.signature(function).args.to_vec();
                let args: Vec<Term> =
                    sorts.iter().map(|&sort| self.term(store, rng, sort, depth - 1)).collect();
                store.apply(function, &args)
            }
            6 if sort == Sort::Bool => self.formula(store, rng, depth),
            6 if sort.is_arithmetic() => {
                let terms: Vec<(Rat, Term)> = (0..2)
                    .map(|_| (Rat::from(rng.below(5) as i64 - 2), self.term(store, rng, sort, depth - 1)))
                    .collect();
                store.linear(&terms, &Rat::from(rng.below(3) as i64 - 1), sort)
            }
            7 => {
                let condition = self.formula(store, rng, depth - 1);
                let then = self.term(store, rng, sort, depth - 1);
                let otherwise = self.term(store, rng, sort, depth - 1);
                store.ite(condition, then, otherwise)
            }
            _ => leaves[rng.below(leaves.len() as u64) as usize],
        }
    }

    /// A random formula.
    pub fn formula(&self, store: &mut Store, rng: &mut Rng, depth: u32) -> Term {
        let below = depth.saturating_sub(1);
        let formula = match rng.below(8) {
            0..=3 => {
                let sort = self.any_sort(rng);
                let (a, b) = (self.term(store, rng, sort, below), self.term(store, rng, sort, below));
                store.eq(a, b)
            }
            4 if self.taste.numbers => {
                let a = self.term(store, rng, Sort::Int, below);
                let b = self.term(store, rng, Sort::Int, below);
                store.le(a, b)
            }
            5 if depth > 0 => {
                let (a, b) = (self.formula(store, rng, below), self.formula(store, rng, below));
                store.or2(a, b)
            }
            6 if depth > 0 => {
                let (a, b) = (self.formula(store, rng, below), self.formula(store, rng, below));
                store.and2(a, b)
            }
            _ => self.term(store, rng, Sort::Bool, below),
        };
        formula.xor(rng.below(3) == 0)
    }
}

/// Runs a random session; counts the answers and adds why there was none.
fn run(taste: Taste, seed: u64, unknown: &mut Vec<String>) -> [usize; 2] {
    let mut rng = Rng::new(seed);
    let mut store = Store::new();
    let vocabulary = Vocabulary::new(&mut store, &mut rng, taste);
    let mut session = Session::new(store);
    let mut counts = [0; 2];
    for _ in 0..20 {
        match rng.below(8) {
            0 if session.depth() < 3 => session.push(),
            1 if session.depth() > 0 => session.pop(),
            2..=4 => {
                let (a, b) = (
                    vocabulary.formula(&mut session.store, &mut rng, 3),
                    vocabulary.formula(&mut session.store, &mut rng, 2),
                );
                let clause = session.store.or2(a, b);
                session.assert(if rng.below(2) == 0 { a } else { clause });
            }
            5 => {
                let formulas: Vec<Term> =
                    (0..2).map(|_| vocabulary.formula(&mut session.store, &mut rng, 2)).collect();
                session.add_group(&formulas);
            }
            _ => {
                let assumptions: Vec<Term> =
                    (0..rng.below(3)).map(|_| vocabulary.formula(&mut session.store, &mut rng, 2)).collect();
                match session.check_some_groups(&mut rng, &assumptions) {
                    Status::Sat => counts[0] += 1,
                    Status::Unsat => counts[1] += 1,
                    Status::Unknown(reason) => unknown.push(format!("{seed}: {reason}")),
                }
            }
        }
    }
    counts
}

fn run_many(taste: Taste, first: u64) {
    let mut totals = [0; 2];
    let mut unknown = Vec::new();
    for seed in first..first + rounds(300) {
        for (total, count) in totals.iter_mut().zip(run(taste, seed, &mut unknown)) {
            *total += count;
        }
    }
    assert!(totals[0] > 50 && totals[1] > 50, "{totals:?}");
    assert!(unknown.is_empty(), "{unknown:#?}");
}

#[test]
fn functions() {
    run_many(Taste { functions: true, ..Taste::default() }, 0);
}

#[test]
fn functions_and_numbers() {
    run_many(Taste { functions: true, numbers: true, ..Taste::default() }, 1_000_000);
}

#[test]
fn datatypes() {
    run_many(Taste { datatypes: true, ..Taste::default() }, 2_000_000);
}

#[test]
fn functions_datatypes_and_numbers() {
    run_many(Taste { functions: true, datatypes: true, numbers: true, ..Taste::default() }, 3_000_000);
}

#[test]
fn arrays() {
    run_many(Taste { arrays: true, ..Taste::default() }, 4_000_000);
}

#[test]
fn arrays_and_numbers() {
    run_many(Taste { arrays: true, numbers: true, ..Taste::default() }, 5_000_000);
}

#[test]
fn everything() {
    run_many(Taste { functions: true, datatypes: true, arrays: true, numbers: true }, 6_000_000);
}
