//! What occurs in terms: predicates, quantifiers, constants.
//!
//! Children have smaller indices than their parents and terms are never changed, so one pass over the terms
//! that are new keeps a dense array of flags up to date; no term is visited twice.

use shem_base::StampSet;
use shem_term::{Role as SymbolRole, Store, Symbol, Term, View};

use crate::system::PredicateId;

/// What a symbol is. Symbols that are not declared are bound variables and parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Role {
    /// A bound variable.
    #[default]
    Bound,
    /// A predicate.
    Predicate(PredicateId),
    /// A constant or function whose result is not Boolean.
    Constant,
    /// A function that is replaced before a clause is finished.
    Replaced,
    /// A variable that all rules of the fixed-point form may use.
    Variable,
}

const PREDICATE: u8 = 1;
const QUANTIFIER: u8 = 2;
const CONSTANT: u8 = 4;
const VARIABLE: u8 = 8;

/// The roles of symbols, and what occurs in each term.
#[derive(Clone, Debug, Default)]
pub(super) struct Contents {
    roles: Vec<Role>,
    /// By the index of the term; some may be missing at the end.
    flags: Vec<u8>,
    /// Scratch: what a search has seen.
    seen: StampSet,
}

impl Contents {
    /// Says what a symbol is. No term may have it yet.
    pub(super) fn declare(&mut self, symbol: Symbol, role: Role) {
        if self.roles.len() <= symbol.index() {
            self.roles.resize(symbol.index() + 1, Role::Bound);
        }
        self.roles[symbol.index()] = role;
    }

    /// What a symbol is.
    pub(super) fn role(&self, symbol: Symbol) -> Role {
        self.roles.get(symbol.index()).copied().unwrap_or_default()
    }

    /// Adds all terms that have been made since the last time.
    pub(super) fn extend(&mut self, store: &Store) {
        for index in self.flags.len()..store.len() {
            let term = store.term_at(index);
            let mut flags = match store.view(term) {
                View::Var(symbol) => match self.role(symbol) {
                    Role::Bound | Role::Replaced => 0,
                    Role::Predicate(_) => PREDICATE,
                    Role::Constant => CONSTANT,
                    Role::Variable => VARIABLE,
                },
                View::App(symbol, _) if store.role(symbol) == SymbolRole::Function => {
                    match self.role(symbol) {
                        Role::Constant => CONSTANT,
                        Role::Replaced => 0,
                        _ => PREDICATE,
                    }
                }
                View::Forall(..) => QUANTIFIER,
                _ => 0,
            };
            store.for_each_child(term, |child| flags |= self.flags[child.index()]);
            self.flags.push(flags);
        }
    }

    fn has(&self, term: Term, flag: u8) -> bool {
        self.flags[term.index()] & flag != 0
    }

    /// Whether a predicate occurs in the term.
    pub(super) fn has_predicate(&self, term: Term) -> bool {
        self.has(term, PREDICATE)
    }

    /// Whether a quantifier occurs in the term.
    pub(super) fn has_quantifier(&self, term: Term) -> bool {
        self.has(term, QUANTIFIER)
    }

    /// The variables of rules that occur in the term, sorted.
    pub(super) fn rule_variables(&mut self, store: &Store, term: Term) -> Vec<Term> {
        self.leaves(store, term, VARIABLE)
    }

    /// A constant or function that occurs in the term.
    pub(super) fn constant(&mut self, store: &Store, term: Term) -> Option<Symbol> {
        if !self.has(term, CONSTANT) {
            return None;
        }
        let is_constant = |symbol: &Symbol| self.role(*symbol) == Role::Constant;
        let found = store.subterms(&[term]).into_iter().find_map(|term| match store.view(term) {
            View::Var(symbol) | View::App(symbol, _) => Some(symbol).filter(is_constant),
            _ => None,
        });
        debug_assert!(found.is_some(), "the flag says that there is one");
        found
    }

    /// The variables with this flag in the term, sorted. Only what has the flag is visited.
    fn leaves(&mut self, store: &Store, term: Term, flag: u8) -> Vec<Term> {
        self.seen.clear();
        let mut found = Vec::new();
        let mut stack = vec![term.positive()];
        while let Some(term) = stack.pop() {
            if !self.has(term, flag) || !self.seen.insert(term.index()) {
                continue;
            }
            if store.as_var(term).is_some() {
                found.push(term);
            }
            store.for_each_child(term, |child| stack.push(child.positive()));
        }
        found.sort_unstable();
        found
    }
}
