//! Formulas compiled once, to be instantiated many times.
//!
//! A template is the result of a compilation with local numbers for variables, polynomials and atoms. An
//! instance gives every formal variable a variable of the solver and everything else a fresh one; it costs
//! a walk over flat arrays. Unrolling a transition relation this way builds no terms.
//!
//! Without nodes of the congruence closure the arrays can be walked one after the other: numbers, rows, variables.
//! Nodes depend on numbers and variables and the other way round, so a template with nodes lists the order in which
//! its parts were made.

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
    /// The literal of a Boolean application.
    Application(u32),
    /// The equation of two nodes.
    Equation(u32, u32),
}

/// What an arithmetic variable of a template is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LocalNumber {
    /// The arithmetic formal variable with this position.
    Formal(usize),
    /// A fresh variable in every instance.
    Fresh { integral: bool },
    /// The number of an application.
    Application(u32),
}

/// What a node of a template is.
#[derive(Clone, Debug)]
pub(crate) enum LocalNode {
    /// The formal variable with this position, neither Boolean nor arithmetic.
    Formal(usize),
    /// A fresh node in every instance.
    Fresh(Sort),
    /// A bit-vector of this sort that is one node or the other, as the literal says.
    Choice { sort: Sort, condition: Lit, branches: [u32; 2] },
    /// A sum of numbers and a constant, of integer sort or not.
    Sum { terms: Box<[(u32, Rat)]>, constant: Rat, integral: bool },
    /// A truth value.
    Truth(bool),
    /// A Boolean node that is true if and only if the literal is.
    Literal(Lit),
    /// A function applied to nodes.
    Application { symbol: Symbol, args: Box<[u32]> },
}

/// A part of a template: the next variable, number, row or node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Var,
    Number,
    Row,
    Node,
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
    nodes: Vec<LocalNode>,
    /// The order in which the parts were made; empty if there are no nodes.
    order: Vec<Part>,
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
                nodes: Vec::new(),
                order: Vec::new(),
            },
            positions: HashMap::default(),
            booleans: HashMap::default(),
            symbols: HashMap::default(),
            rows: HashMap::default(),
            atoms: HashMap::default(),
            truth: None,
            node_symbols: HashMap::default(),
            sums: HashMap::default(),
            applications: HashMap::default(),
            equations: HashMap::default(),
            application_parts: HashMap::default(),
        };
        for (position, &formal) in formals.iter().enumerate() {
            let symbol = store.as_var(formal).expect("a formal is a variable");
            builder.positions.insert(symbol, position);
        }
        let (mut compiler, mut memo) = (Compiler::default(), Memo::default());
        compiler.assert(store, &mut memo, &mut builder, formula, None, Origin::Assertion(0));
        let mut template = builder.template;
        if template.nodes.is_empty() {
            template.order.clear();
            template.order.shrink_to_fit();
        }
        template
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

    /// The nodes.
    pub(crate) fn nodes(&self) -> &[LocalNode] {
        &self.nodes
    }

    /// The order in which variables, numbers, rows and nodes were made, if there are nodes.
    pub(crate) fn order(&self) -> &[Part] {
        &self.order
    }

    pub(crate) fn opaque_count(&self) -> usize {
        self.opaque
    }
}

type Map<K, V> = HashMap<K, V, FxBuildHasher>;

/// The terms and the constant of a sum, and whether it is of integer sort.
type SumKey = (Vec<(u32, Rat)>, Rat, bool);

struct Builder {
    template: Template,
    positions: Map<Symbol, usize>,
    booleans: Map<Symbol, Lit>,
    symbols: Map<Symbol, u32>,
    rows: Map<Vec<(u32, Int)>, u32>,
    atoms: Map<(u32, Rat, bool), Lit>,
    truth: Option<Lit>,
    node_symbols: Map<Symbol, u32>,
    sums: Map<SumKey, u32>,
    applications: Map<(Symbol, Vec<u32>), u32>,
    equations: Map<(u32, u32), Lit>,
    /// The numbers and literals of applications, by node.
    application_parts: Map<u32, ApplicationPart>,
}

/// What an application is to the rest of the template.
#[derive(Clone, Copy, Debug)]
enum ApplicationPart {
    Number(u32),
    Literal(Lit),
}

impl Builder {
    fn add_node(&mut self, node: LocalNode) -> u32 {
        self.template.order.push(Part::Node);
        self.template.nodes.push(node);
        self.template.nodes.len() as u32 - 1
    }

    fn add_var(&mut self, var: LocalVar) -> Lit {
        let lit = Var::new(self.template.vars.len() as u32).positive();
        self.template.order.push(Part::Var);
        self.template.vars.push(var);
        lit
    }

    fn add_number(&mut self, number: LocalNumber) -> u32 {
        self.template.order.push(Part::Number);
        self.template.numbers.push(number);
        self.template.numbers.len() as u32 - 1
    }
}

impl Target for Builder {
    type Number = u32;
    type Row = u32;
    type Node = u32;

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
        self.template.order.push(Part::Row);
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

    fn symbol_node(&mut self, store: &Store, symbol: Symbol, _: Term) -> u32 {
        if let Some(&node) = self.node_symbols.get(&symbol) {
            return node;
        }
        let node = match self.positions.get(&symbol) {
            Some(&position) => LocalNode::Formal(position),
            None => LocalNode::Fresh(store.signature(symbol).result),
        };
        let node = self.add_node(node);
        self.node_symbols.insert(symbol, node);
        node
    }

    fn fresh_node(&mut self, store: &Store, conditional: Term) -> u32 {
        self.add_node(LocalNode::Fresh(store.sort(conditional)))
    }

    fn choice_node(&mut self, store: &Store, condition: Lit, branches: [u32; 2], conditional: Term) -> u32 {
        self.add_node(LocalNode::Choice { sort: store.sort(conditional), condition, branches })
    }

    fn sum_node(&mut self, store: &Store, sum: &mut Vec<(u32, Rat)>, constant: &Rat, term: Term) -> u32 {
        crate::linear::add_up(sum);
        let key = (std::mem::take(sum), constant.clone(), store.sort(term) == Sort::Int);
        if let Some(&node) = self.sums.get(&key) {
            return node;
        }
        let (terms, constant, integral) = key.clone();
        let node = self.add_node(LocalNode::Sum { terms: terms.into(), constant, integral });
        self.sums.insert(key, node);
        node
    }

    fn truth_node(&mut self, value: bool) -> u32 {
        self.add_node(LocalNode::Truth(value))
    }

    fn literal_node(&mut self, lit: Lit, _: Term) -> u32 {
        self.add_node(LocalNode::Literal(lit))
    }

    fn application(&mut self, _: &Store, symbol: Symbol, args: &[u32], _: Term) -> u32 {
        let key = (symbol, args.to_vec());
        if let Some(&node) = self.applications.get(&key) {
            return node;
        }
        let node = self.add_node(LocalNode::Application { symbol, args: args.into() });
        self.applications.insert(key, node);
        node
    }

    fn node_number(&mut self, application: u32) -> u32 {
        if let Some(&ApplicationPart::Number(number)) = self.application_parts.get(&application) {
            return number;
        }
        let number = self.add_number(LocalNumber::Application(application));
        self.application_parts.insert(application, ApplicationPart::Number(number));
        number
    }

    fn node_literal(&mut self, application: u32) -> Lit {
        if let Some(&ApplicationPart::Literal(lit)) = self.application_parts.get(&application) {
            return lit;
        }
        let lit = self.add_var(LocalVar::Application(application));
        self.application_parts.insert(application, ApplicationPart::Literal(lit));
        lit
    }

    fn equation(&mut self, a: u32, b: u32) -> Lit {
        let key = (a.min(b), a.max(b));
        if let Some(&lit) = self.equations.get(&key) {
            return lit;
        }
        let lit = self.add_var(LocalVar::Equation(key.0, key.1));
        self.equations.insert(key, lit);
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
