//! The subterms of formulas, with the sides of the cuts that know their symbols.
//!
//! Both directions are one pass, since a term has a larger index than its children: occurrences go down to the
//! symbols, and the sides on which a term may be used up from them.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use shem_term::{Role, Store, Symbol, Term, View};

use super::cutset::{CutSet, Sides};

/// The subterms of the variables' terms with their sides.
#[derive(Debug)]
pub(super) struct Dag<const W: usize> {
    /// The index of a term, without its negation, among the nodes. A table that is dense in terms would be as large as the
    /// store, of which a query often has a tiny part.
    indices: FxHashMap<Term, u32>,
    /// Terms without their negation.
    nodes: Vec<(Term, Sides<W>)>,
    /// Declared functions, also those of vertices.
    functions: BTreeMap<Symbol, Sides<W>>,
}

impl<const W: usize> Default for Dag<W> {
    fn default() -> Self {
        Dag { indices: FxHashMap::default(), nodes: Vec::new(), functions: BTreeMap::new() }
    }
}

/// Whether a term is taken as a symbol: a variable, or a formula that the solver does not look into.
fn is_symbol(store: &Store, term: Term) -> bool {
    matches!(store.view(term), View::Var(_) | View::Forall(..))
}

/// The declared function that a term applies.
fn function(store: &Store, term: Term) -> Option<Symbol> {
    match store.as_app(term) {
        Some((symbol, Role::Function, _)) => Some(symbol),
        _ => None,
    }
}

impl<const W: usize> Dag<W> {
    pub(super) fn clear(&mut self) {
        self.indices.clear();
        self.nodes.clear();
        self.functions.clear();
    }

    /// Adds an occurrence of a term on these sides.
    pub(super) fn add(&mut self, store: &Store, root: Term, sides: Sides<W>) {
        let mut next = self.nodes.len();
        self.insert(root, sides);
        while let Some(&(term, _)) = self.nodes.get(next) {
            next += 1;
            if !is_symbol(store, term) {
                store.for_each_child(term, |child| self.insert(child, Sides::NONE));
            }
        }
    }

    /// Adds an occurrence of a declared function on these sides.
    pub(super) fn add_function(&mut self, symbol: Symbol, sides: Sides<W>) {
        let entry = self.functions.entry(symbol).or_insert(Sides::NONE);
        *entry = entry.join(sides);
    }

    fn insert(&mut self, term: Term, sides: Sides<W>) {
        let term = term.positive();
        if let Some(&index) = self.indices.get(&term) {
            let node = &mut self.nodes[index as usize];
            node.1 = node.1.join(sides);
        } else {
            self.indices.insert(term, self.nodes.len() as u32);
            self.nodes.push((term, sides));
        }
    }

    /// Takes occurrences down to the symbols and usability up from them. Of variables that do not occur, those of
    /// basic sorts and bit-vectors may be used anywhere and are left in `free`; the others, and functions, count to the last group.
    pub(super) fn propagate_sides(&mut self, store: &Store, free: &mut Vec<Term>) {
        self.nodes.sort_unstable_by_key(|node| node.0);
        for (index, (term, _)) in self.nodes.iter().enumerate() {
            self.indices.insert(*term, index as u32);
        }
        for index in (0..self.nodes.len()).rev() {
            let (term, sides) = self.nodes[index];
            if !is_symbol(store, term) {
                store.for_each_child(term, |child| self.insert(child, sides));
                if let Some(symbol) = function(store, term) {
                    self.add_function(symbol, sides);
                }
            }
        }
        let last = Sides::of_a(CutSet::EMPTY);
        self.functions.values_mut().filter(|sides| sides.is_none()).for_each(|sides| *sides = last);
        for index in 0..self.nodes.len() {
            let (term, sides) = self.nodes[index];
            self.nodes[index].1 = if !is_symbol(store, term) {
                let mut met = function(store, term).map_or(Sides::BOTH, |symbol| self.function_sides(symbol));
                store.for_each_child(term, |child| met = met.meet(self.sides(child)));
                met
            } else if !sides.is_none() || store.as_var(term).is_none() {
                sides
            } else if store.sort(term).is_basic() || store.sort(term).bit_width().is_some() {
                free.push(term);
                Sides::BOTH
            } else {
                last
            };
        }
    }

    /// The sides that know a declared function.
    pub(super) fn function_sides(&self, symbol: Symbol) -> Sides<W> {
        self.functions.get(&symbol).copied().unwrap_or(Sides::of_a(CutSet::EMPTY))
    }

    /// All declared functions with the sides that know them.
    pub(super) fn functions(&self) -> impl Iterator<Item = (Symbol, Sides<W>)> {
        self.functions.iter().map(|(&symbol, &sides)| (symbol, sides))
    }

    pub(super) fn sides(&self, term: Term) -> Sides<W> {
        let index = self.indices.get(&term.positive()).expect("all subterms were added");
        self.nodes[*index as usize].1
    }
}
