//! The store: every term exists once.
//!
//! Nodes are appended and never removed, so a child has a smaller index than its parents and traversals can
//! use dense arrays. Lookup is one hash of the node's contents; nothing is allocated for a node that exists.

use std::hash::{Hash, Hasher};

use hashbrown::HashTable;
use rustc_hash::FxHasher;
use shem_base::{Int, Rat, add_work};

use crate::poly::{Poly, PolyTable, PolyTerm};
use crate::sort::{Sort, SortTable};
use crate::symbol::{Role, Signature, Symbol};
use crate::term::{Term, View};

/// The units of work that looking up a term counts for.
const WORK_OF_TERM: usize = 4;

/// A run of terms in the argument arena.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Args {
    start: u32,
    len: u32,
}

/// An entry of a hash table: an index and, so that growth of the table and most comparisons need not read the
/// contents, their hash.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub(crate) id: u32,
    hash: u32,
}

impl Slot {
    /// The slot for contents with this hash.
    #[inline]
    pub(crate) fn new(id: u32, hash: u64) -> Slot {
        Slot { id, hash: fold(hash) }
    }

    /// The hash of the slot in its table.
    #[inline]
    pub(crate) fn table_hash(self) -> u64 {
        spread(self.hash)
    }

    /// Whether the contents may have this hash.
    #[inline]
    pub(crate) fn fits(self, hash: u64) -> bool {
        self.hash == fold(hash)
    }
}

/// The hash in the table of contents with this hash.
#[inline]
pub(crate) fn table_hash(hash: u64) -> u64 {
    spread(fold(hash))
}

#[inline]
fn fold(hash: u64) -> u32 {
    (hash ^ (hash >> 32)) as u32
}

#[inline]
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// An interned number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct NumId(u32);

/// A node; argument lists live in the arena of the store.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Node {
    True,
    Var(Symbol),
    App(Symbol, Args),
    And(Args),
    Iff(Term, Term),
    Equal(Term, Term),
    Ite(Term, Term, Term),
    Forall(Args, Term),
    Le(Poly, NumId),
    Lt(Poly, NumId),
    Eq(Poly, NumId),
    Divisible(NumId, Poly, NumId),
    Num(NumId),
    Linear(NumId, Poly, NumId),
    Div(Term, NumId),
    Mod(Term, NumId),
    ToInt(Term),
}

/// The contents of a node that is looked up. Variables are found by their symbols.
#[derive(Clone, Copy)]
pub(crate) enum NodeKey<'a> {
    App(Symbol, &'a [Term]),
    And(&'a [Term]),
    Iff(Term, Term),
    Equal(Term, Term),
    Ite(Term, Term, Term),
    Forall(&'a [Term], Term),
    Le(Poly, NumId),
    Lt(Poly, NumId),
    Eq(Poly, NumId),
    Divisible(NumId, Poly, NumId),
    Num(NumId),
    Linear(NumId, Poly, NumId),
    Div(Term, NumId),
    Mod(Term, NumId),
    ToInt(Term),
}

/// A hash-consed store of terms, with the symbols, polynomials and numbers that occur in them.
#[derive(Clone, Debug)]
pub struct Store {
    nodes: Vec<Node>,
    sorts: Vec<Sort>,
    args: Vec<Term>,
    index: HashTable<Slot>,
    symbols: Vec<Signature>,
    pub(crate) sort_table: SortTable,
    /// The terms of symbols without arguments, as far as they have been asked for.
    variables: Vec<Option<Term>>,
    pub(crate) polys: PolyTable,
    nums: Vec<Rat>,
    /// `ints[i]` is the numerator of `nums[i]` if that is an integer, else 0.
    ints: Vec<Int>,
    num_index: HashTable<u32>,
    pub(crate) buffers: crate::build::BuilderBuffers,
    pub(crate) rewriting: crate::subst::Memo,
}

impl Default for Store {
    fn default() -> Self {
        Store::new()
    }
}

fn hash_of(value: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

fn hash_key(key: NodeKey<'_>, sort: Sort) -> u64 {
    match key {
        NodeKey::App(s, args) => hash_of((2u32, s, args)),
        NodeKey::And(args) => hash_of((3u32, args)),
        NodeKey::Iff(a, b) => hash_of((4u32, a, b)),
        NodeKey::Ite(c, a, b) => hash_of((5u32, c, a, b)),
        NodeKey::Forall(vars, body) => hash_of((6u32, vars, body)),
        NodeKey::Le(p, c) => hash_of((7u32, p, c)),
        NodeKey::Lt(p, c) => hash_of((8u32, p, c)),
        NodeKey::Eq(p, c) => hash_of((9u32, p, c)),
        NodeKey::Divisible(k, p, c) => hash_of((10u32, k, p, c)),
        NodeKey::Num(c) => hash_of((11u32, c, sort)),
        NodeKey::Linear(s, p, c) => hash_of((12u32, s, p, c, sort)),
        NodeKey::Div(t, k) => hash_of((13u32, t, k)),
        NodeKey::Mod(t, k) => hash_of((14u32, t, k)),
        NodeKey::ToInt(t) => hash_of((15u32, t)),
        NodeKey::Equal(a, b) => hash_of((16u32, a, b)),
    }
}

impl Store {
    /// An empty store.
    pub fn new() -> Store {
        Store {
            nodes: vec![Node::True],
            sorts: vec![Sort::Bool],
            args: Vec::new(),
            index: HashTable::new(),
            symbols: Vec::new(),
            sort_table: SortTable::default(),
            variables: Vec::new(),
            polys: PolyTable::default(),
            nums: Vec::new(),
            ints: Vec::new(),
            num_index: HashTable::new(),
            buffers: Default::default(),
            rewriting: Default::default(),
        }
    }

    /// The number of terms, negations not counted. Every [`Term::index`] is smaller.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether the store holds nothing but the truth constants.
    pub fn is_empty(&self) -> bool {
        self.nodes.len() == 1
    }

    /// The number of symbols. Every [`Symbol::index`] is smaller.
    pub fn symbol_count(&self) -> usize {
        self.symbols.len()
    }

    /// Declares a symbol. Each call makes a new one, even if the name is in use.
    pub fn declare(&mut self, name: &str, args: &[Sort], result: Sort) -> Symbol {
        self.declare_with_role(name, args, result, Role::Function)
    }

    pub(crate) fn declare_with_role(
        &mut self,
        name: &str,
        args: &[Sort],
        result: Sort,
        role: Role,
    ) -> Symbol {
        let symbol = Symbol(self.symbols.len() as u32);
        self.symbols.push(Signature { name: name.into(), args: args.into(), result, role });
        self.variables.push(None);
        symbol
    }

    /// The signature of a symbol.
    pub fn signature(&self, symbol: Symbol) -> &Signature {
        &self.symbols[symbol.index()]
    }

    /// What an application of a symbol means.
    pub fn role(&self, symbol: Symbol) -> Role {
        self.symbols[symbol.index()].role
    }

    /// The name of a symbol.
    pub fn name(&self, symbol: Symbol) -> &str {
        &self.symbols[symbol.index()].name
    }

    /// The term of a symbol without arguments.
    pub fn var(&mut self, symbol: Symbol) -> Term {
        if let Some(term) = self.variables[symbol.index()] {
            return term;
        }
        debug_assert!(self.symbols[symbol.index()].args.is_empty() && self.role(symbol) == Role::Function);
        let term = self.push_node(Node::Var(symbol), self.symbols[symbol.index()].result);
        self.variables[symbol.index()] = Some(term);
        term
    }

    /// Declares a constant symbol and gives its term.
    pub fn variable(&mut self, name: &str, sort: Sort) -> Term {
        let symbol = self.declare(name, &[], sort);
        self.var(symbol)
    }

    /// The term, not negated, of this [index](Term::index).
    ///
    /// # Panics
    /// If there is none.
    pub fn term_at(&self, index: usize) -> Term {
        assert!(index < self.nodes.len(), "an index of the store");
        Term::from_node(index)
    }

    /// The sort of a term.
    #[inline]
    pub fn sort(&self, term: Term) -> Sort {
        self.sorts[term.index()]
    }

    /// What the term, without its negation, is made of.
    pub fn view(&self, term: Term) -> View<'_> {
        match self.nodes[term.index()] {
            Node::True => View::True,
            Node::Var(s) => View::Var(s),
            Node::App(s, args) => View::App(s, self.arg_slice(args)),
            Node::And(args) => View::And(self.arg_slice(args)),
            Node::Iff(a, b) => View::Iff(a, b),
            Node::Equal(a, b) => View::Equal(a, b),
            Node::Ite(c, a, b) => View::Ite(c, a, b),
            Node::Forall(vars, body) => View::Forall(self.arg_slice(vars), body),
            Node::Le(p, c) => View::Le(p, self.num(c)),
            Node::Lt(p, c) => View::Lt(p, self.num(c)),
            Node::Eq(p, c) => View::Eq(p, self.num(c)),
            Node::Divisible(k, p, c) => View::Divisible(self.num_int(k), p, self.num_int(c)),
            Node::Num(c) => View::Num(self.num(c)),
            Node::Linear(s, p, c) => View::Linear(self.num(s), p, self.num(c)),
            Node::Div(t, k) => View::Div(t, self.num_int(k)),
            Node::Mod(t, k) => View::Mod(t, self.num_int(k)),
            Node::ToInt(t) => View::ToInt(t),
        }
    }

    /// The summands of a polynomial, sorted by leaf.
    #[inline]
    pub fn poly_terms(&self, poly: Poly) -> &[PolyTerm] {
        self.polys.terms(poly)
    }

    /// Whether all leaves of the polynomial are integer terms.
    #[inline]
    pub fn poly_is_integral(&self, poly: Poly) -> bool {
        self.polys.is_integral(poly)
    }

    /// The value of a numeral, if the term is one.
    pub fn as_num(&self, term: Term) -> Option<&Rat> {
        match self.nodes[term.index()] {
            Node::Num(c) => Some(self.num(c)),
            _ => None,
        }
    }

    /// The symbol, if the term is a variable (negated or not).
    pub fn as_var(&self, term: Term) -> Option<Symbol> {
        match self.nodes[term.index()] {
            Node::Var(s) => Some(s),
            _ => None,
        }
    }

    #[inline]
    pub(crate) fn node(&self, term: Term) -> Node {
        self.nodes[term.index()]
    }

    #[inline]
    pub(crate) fn arg_slice(&self, args: Args) -> &[Term] {
        &self.args[args.start as usize..(args.start + args.len) as usize]
    }

    #[inline]
    pub(crate) fn num(&self, id: NumId) -> &Rat {
        &self.nums[id.0 as usize]
    }

    #[inline]
    pub(crate) fn num_int(&self, id: NumId) -> &Int {
        &self.ints[id.0 as usize]
    }

    pub(crate) fn intern_num(&mut self, value: &Rat) -> NumId {
        let hash = hash_of(value);
        let nums = &self.nums;
        if let Some(&id) = self.num_index.find(hash, |&id| nums[id as usize] == *value) {
            return NumId(id);
        }
        let id = self.nums.len() as u32;
        self.nums.push(value.clone());
        self.ints.push(value.to_int().unwrap_or(Int::ZERO));
        let nums = &self.nums;
        self.num_index.insert_unique(hash, id, |&id| hash_of(&nums[id as usize]));
        NumId(id)
    }

    /// The term of this key, made if it does not exist.
    pub(crate) fn intern(&mut self, key: NodeKey<'_>, sort: Sort) -> Term {
        add_work(WORK_OF_TERM);
        let hash = hash_key(key, sort);
        let found = |slot: &Slot| slot.fits(hash) && self.matches(slot.id as usize, key, sort);
        if let Some(slot) = self.index.find(table_hash(hash), found) {
            return Term::from_node(slot.id as usize);
        }
        let node = match key {
            NodeKey::App(s, args) => Node::App(s, self.push_args(args)),
            NodeKey::And(args) => Node::And(self.push_args(args)),
            NodeKey::Iff(a, b) => Node::Iff(a, b),
            NodeKey::Equal(a, b) => Node::Equal(a, b),
            NodeKey::Ite(c, a, b) => Node::Ite(c, a, b),
            NodeKey::Forall(vars, body) => Node::Forall(self.push_args(vars), body),
            NodeKey::Le(p, c) => Node::Le(p, c),
            NodeKey::Lt(p, c) => Node::Lt(p, c),
            NodeKey::Eq(p, c) => Node::Eq(p, c),
            NodeKey::Divisible(k, p, c) => Node::Divisible(k, p, c),
            NodeKey::Num(c) => Node::Num(c),
            NodeKey::Linear(s, p, c) => Node::Linear(s, p, c),
            NodeKey::Div(t, k) => Node::Div(t, k),
            NodeKey::Mod(t, k) => Node::Mod(t, k),
            NodeKey::ToInt(t) => Node::ToInt(t),
        };
        let term = self.push_node(node, sort);
        let slot = Slot::new(term.index() as u32, hash);
        self.index.insert_unique(slot.table_hash(), slot, |slot| slot.table_hash());
        term
    }

    fn push_node(&mut self, node: Node, sort: Sort) -> Term {
        let id = self.nodes.len();
        assert!(id < (u32::MAX >> 1) as usize, "the term store is full");
        self.nodes.push(node);
        self.sorts.push(sort);
        Term::from_node(id)
    }

    fn push_args(&mut self, args: &[Term]) -> Args {
        let start = self.args.len() as u32;
        self.args.extend_from_slice(args);
        Args { start, len: args.len() as u32 }
    }

    fn matches(&self, id: usize, key: NodeKey<'_>, sort: Sort) -> bool {
        match (self.nodes[id], key) {
            (Node::App(s, a), NodeKey::App(t, b)) => s == t && self.arg_slice(a) == b,
            (Node::And(a), NodeKey::And(b)) => self.arg_slice(a) == b,
            (Node::Iff(a, b), NodeKey::Iff(c, d)) | (Node::Equal(a, b), NodeKey::Equal(c, d)) => {
                (a, b) == (c, d)
            }
            (Node::Ite(a, b, c), NodeKey::Ite(d, e, f)) => (a, b, c) == (d, e, f),
            (Node::Forall(a, b), NodeKey::Forall(c, d)) => b == d && self.arg_slice(a) == c,
            (Node::Le(a, b), NodeKey::Le(c, d))
            | (Node::Lt(a, b), NodeKey::Lt(c, d))
            | (Node::Eq(a, b), NodeKey::Eq(c, d)) => (a, b) == (c, d),
            (Node::Divisible(a, b, c), NodeKey::Divisible(d, e, f)) => (a, b, c) == (d, e, f),
            (Node::Num(a), NodeKey::Num(b)) => a == b && self.sorts[id] == sort,
            (Node::Linear(a, b, c), NodeKey::Linear(d, e, f)) => {
                (a, b, c) == (d, e, f) && self.sorts[id] == sort
            }
            (Node::Div(a, b), NodeKey::Div(c, d)) | (Node::Mod(a, b), NodeKey::Mod(c, d)) => (a, b) == (c, d),
            (Node::ToInt(a), NodeKey::ToInt(b)) => a == b,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_four_words() {
        assert_eq!(size_of::<Node>(), 16);
    }
}
