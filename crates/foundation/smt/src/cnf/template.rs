//! Formulas compiled once, to be instantiated many times.
//!
//! A template is the result of a compilation with local numbers for variables, polynomials and atoms. An
//! instance gives every formal variable a variable of the solver and everything else a fresh one; it costs
//! a walk over flat arrays. Unrolling a transition relation this way builds no terms.

use std::sync::Arc;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use shem_base::{Int, Lit, Rat, Var};
use shem_proof::Origin;
use shem_term::{Sort, Store, Symbol, Term};

use super::{Compiler, Memo, Target};

/// What a propositional variable of a template is.
#[derive(Clone, Debug)]
pub(crate) enum LocalVar {
    /// The Boolean formal variable with this position.
    Formal(usize),
    /// A fresh variable in every instance.
    Fresh,
    /// `row <= bound`, or `row < bound`.
    Atom { row: u32, bound: Rat, strict: bool },
    /// The literal that is always true.
    Truth,
}

/// What an arithmetic variable of a template is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LocalNumber {
    /// The arithmetic formal variable with this position.
    Formal(usize),
    /// A fresh variable in every instance.
    Fresh { integral: bool },
}

/// A formula compiled over formal variables.
#[derive(Debug)]
pub struct Template {
    formula: Term,
    formals: Arc<[Term]>,
    sorts: Vec<Sort>,
    vars: Vec<LocalVar>,
    numbers: Vec<LocalNumber>,
    row_terms: Vec<(u32, Int)>,
    row_ends: Vec<u32>,
    lits: Vec<Lit>,
    /// The end of each clause in `lits`, and whether it is a definition.
    clauses: Vec<(u32, bool)>,
    opaque: usize,
}

impl Template {
    /// Compiles the formula. The formals are variables of the store; every other variable in the formula
    /// stands for a fresh one in each instance.
    pub fn new(store: &mut Store, formula: Term, formals: &[Term]) -> Template {
        let mut builder = Builder {
            template: Template {
                formula,
                formals: formals.into(),
                sorts: formals.iter().map(|&t| store.sort(t)).collect(),
                vars: Vec::new(),
                numbers: Vec::new(),
                row_terms: Vec::new(),
                row_ends: Vec::new(),
                lits: Vec::new(),
                clauses: Vec::new(),
                opaque: 0,
            },
            positions: HashMap::default(),
            booleans: HashMap::default(),
            symbols: HashMap::default(),
            rows: HashMap::default(),
            atoms: HashMap::default(),
            truth: None,
        };
        for (position, &formal) in formals.iter().enumerate() {
            let symbol = store.as_var(formal).expect("a formal is a variable");
            builder.positions.insert(symbol, position);
        }
        let (mut compiler, mut memo) = (Compiler::default(), Memo::default());
        compiler.assert(store, &mut memo, &mut builder, formula, None, Origin::Assertion(0));
        builder.template
    }

    /// The formula.
    pub fn formula(&self) -> Term {
        self.formula
    }

    /// The formal variables.
    pub fn formals(&self) -> &[Term] {
        &self.formals
    }

    /// The formal variables, shared.
    pub(crate) fn shared_formals(&self) -> Arc<[Term]> {
        self.formals.clone()
    }

    /// The sorts of the formal variables.
    pub fn sorts(&self) -> &[Sort] {
        &self.sorts
    }

    pub(crate) fn vars(&self) -> &[LocalVar] {
        &self.vars
    }

    pub(crate) fn numbers(&self) -> &[LocalNumber] {
        &self.numbers
    }

    pub(crate) fn row_count(&self) -> usize {
        self.row_ends.len()
    }

    pub(crate) fn row(&self, row: usize) -> &[(u32, Int)] {
        let start = if row == 0 { 0 } else { self.row_ends[row - 1] as usize };
        &self.row_terms[start..self.row_ends[row] as usize]
    }

    /// The clauses, each with whether it is a definition.
    pub(crate) fn clauses(&self) -> impl Iterator<Item = (&[Lit], bool)> {
        let mut start = 0;
        self.clauses.iter().map(move |&(end, definition)| {
            let lits = &self.lits[start..end as usize];
            start = end as usize;
            (lits, definition)
        })
    }

    pub(crate) fn opaque_count(&self) -> usize {
        self.opaque
    }
}

type Map<K, V> = HashMap<K, V, FxBuildHasher>;

struct Builder {
    template: Template,
    positions: Map<Symbol, usize>,
    booleans: Map<Symbol, Lit>,
    symbols: Map<Symbol, u32>,
    rows: Map<Vec<(u32, Int)>, u32>,
    atoms: Map<(u32, Rat, bool), Lit>,
    truth: Option<Lit>,
}

impl Builder {
    fn add_var(&mut self, var: LocalVar) -> Lit {
        let lit = Var::new(self.template.vars.len() as u32).positive();
        self.template.vars.push(var);
        lit
    }

    fn add_number(&mut self, number: LocalNumber) -> u32 {
        self.template.numbers.push(number);
        self.template.numbers.len() as u32 - 1
    }
}

impl Target for Builder {
    type Number = u32;
    type Row = u32;

    fn boolean(&mut self, _: &Store, symbol: Symbol) -> Lit {
        if let Some(&lit) = self.booleans.get(&symbol) {
            return lit;
        }
        let var = self.positions.get(&symbol).map_or(LocalVar::Fresh, |&p| LocalVar::Formal(p));
        let lit = self.add_var(var);
        self.booleans.insert(symbol, lit);
        lit
    }

    fn number(&mut self, store: &Store, symbol: Symbol) -> u32 {
        if let Some(&number) = self.symbols.get(&symbol) {
            return number;
        }
        let number = match self.positions.get(&symbol) {
            Some(&position) => LocalNumber::Formal(position),
            None => LocalNumber::Fresh { integral: store.signature(symbol).result == Sort::Int },
        };
        let number = self.add_number(number);
        self.symbols.insert(symbol, number);
        number
    }

    fn gate(&mut self) -> Lit {
        self.add_var(LocalVar::Fresh)
    }

    fn auxiliary(&mut self, integral: bool) -> u32 {
        self.add_number(LocalNumber::Fresh { integral })
    }

    fn row(&mut self, sum: &mut Vec<(u32, Rat)>) -> Option<(u32, Rat)> {
        let factor = crate::linear::make_primitive(sum)?;
        let terms: Vec<(u32, Int)> = sum.iter().map(|(n, c)| (*n, c.numer())).collect();
        if let Some(&row) = self.rows.get(&terms) {
            return Some((row, factor));
        }
        let row = self.template.row_ends.len() as u32;
        self.template.row_terms.extend_from_slice(&terms);
        self.template.row_ends.push(self.template.row_terms.len() as u32);
        self.rows.insert(terms, row);
        Some((row, factor))
    }

    fn upper(&mut self, row: u32, bound: &Rat, strict: bool) -> Lit {
        let key = (row, bound.clone(), strict);
        if let Some(&lit) = self.atoms.get(&key) {
            return lit;
        }
        let lit = self.add_var(LocalVar::Atom { row, bound: bound.clone(), strict });
        self.atoms.insert(key, lit);
        lit
    }

    fn truth(&mut self) -> Lit {
        if let Some(lit) = self.truth {
            return lit;
        }
        let lit = self.add_var(LocalVar::Truth);
        self.truth = Some(lit);
        lit
    }

    fn clause(&mut self, lits: &[Lit], origin: Origin) {
        self.template.lits.extend_from_slice(lits);
        self.template.clauses.push((self.template.lits.len() as u32, origin == Origin::Definition));
    }

    fn opaque(&mut self) {
        self.template.opaque += 1;
    }
}
