//! The symbol table of a script: what names mean, and for how long.
//!
//! Meanings stand in an array indexed by name. A declaration lasts until its assertion level is popped and
//! may not replace another meaning; a local binding (`let`, a quantifier, a parameter) hides what was there
//! and restores it at its end. Sorts have names of their own.

use rustc_hash::FxHashMap;

use super::generics::GenericId;
use super::names::{Name, Names};
use super::schemes::{SortBody, SortConstructor};
use crate::reserved::RESERVED;
use crate::{Sort, Symbol, Term};

/// A symbol of the core and arithmetic theories that takes arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Not,
    And,
    Or,
    Xor,
    Implies,
    Equal,
    Distinct,
    Ite,
    Add,
    Subtract,
    Multiply,
    Divide,
    Quotient,
    Remainder,
    Absolute,
    LessEqual,
    Less,
    GreaterEqual,
    Greater,
    ToReal,
    ToInt,
    IsInt,
    Select,
    Store,
    /// The remainder with the sign of the divisor, as z3 has it.
    SignedRemainder,
}

const OPERATORS: [(&str, Operator); 25] = [
    ("not", Operator::Not),
    ("and", Operator::And),
    ("or", Operator::Or),
    ("xor", Operator::Xor),
    ("=>", Operator::Implies),
    ("=", Operator::Equal),
    ("distinct", Operator::Distinct),
    ("ite", Operator::Ite),
    ("+", Operator::Add),
    ("-", Operator::Subtract),
    ("*", Operator::Multiply),
    ("/", Operator::Divide),
    ("div", Operator::Quotient),
    ("mod", Operator::Remainder),
    ("abs", Operator::Absolute),
    ("<=", Operator::LessEqual),
    ("<", Operator::Less),
    (">=", Operator::GreaterEqual),
    (">", Operator::Greater),
    ("to_real", Operator::ToReal),
    ("to_int", Operator::ToInt),
    ("is_int", Operator::IsInt),
    ("select", Operator::Select),
    ("store", Operator::Store),
    ("rem", Operator::SignedRemainder),
];

impl Operator {
    /// The symbol as it is written.
    pub(super) fn symbol(self) -> &'static str {
        OPERATORS[self as usize].0
    }

    /// The operator with this symbol that a script may declare otherwise, those of arithmetic if its logic has none: it
    /// is looked for here when it has no other meaning.
    pub(super) fn declarable(symbol: &str) -> Option<Operator> {
        let (_, operator) = OPERATORS.into_iter().find(|&(name, _)| name == symbol)?;
        let is_free = matches!(operator, Operator::Select | Operator::Store | Operator::SignedRemainder);
        (is_free || operator.is_arithmetic()).then_some(operator)
    }

    /// Whether it is a symbol of the theories of numbers.
    fn is_arithmetic(self) -> bool {
        matches!(
            self,
            Operator::Add
                | Operator::Subtract
                | Operator::Multiply
                | Operator::Divide
                | Operator::Quotient
                | Operator::Remainder
                | Operator::Absolute
                | Operator::LessEqual
                | Operator::Less
                | Operator::GreaterEqual
                | Operator::Greater
                | Operator::ToReal
                | Operator::ToInt
                | Operator::IsInt
        )
    }
}

/// A reserved word, unless it is quoted.
pub(super) mod word {
    use super::Name;

    pub(in super::super) const LET: Name = Name::from_index(0);
    pub(in super::super) const FORALL: Name = Name::from_index(1);
    pub(in super::super) const EXISTS: Name = Name::from_index(2);
    pub(in super::super) const ANNOTATION: Name = Name::from_index(3);
    pub(in super::super) const INDEXED: Name = Name::from_index(4);
    pub(in super::super) const AS: Name = Name::from_index(5);
    pub(in super::super) const MATCH: Name = Name::from_index(6);
}

/// Whether the name, if not quoted, is a reserved word.
#[inline]
pub(super) fn is_reserved(name: Name) -> bool {
    name.index() < RESERVED.len()
}

/// What a name means in a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Nothing,
    Operator(Operator),
    /// A constant, a local variable or a definition without parameters.
    Term(Term),
    /// A symbol with arguments: a declared function or predicate, a constructor or a selector.
    Function(Symbol),
    /// A constructor or selector of a parametric datatype.
    Generic(GenericId),
    /// A definition with parameters: an index into the macros.
    Macro(u32),
    /// A recursive definition, which may not be used.
    Recursive,
}

/// A definition with parameters. The parameters are variables of the store that occur nowhere else.
#[derive(Clone, Debug)]
pub(super) struct Macro {
    pub(super) name: Name,
    pub(super) params: Box<[Term]>,
    pub(super) result: Sort,
    pub(super) body: Term,
}

/// What a sort name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SortMeaning {
    /// A sort, with parameters if the name has some.
    Definition(SortBody),
    /// What makes sorts of the arguments.
    Constructor(SortConstructor),
}

/// A sort name: the number of its parameters and what it stands for.
#[derive(Clone, Copy, Debug)]
pub(super) struct SortAlias {
    pub(super) arity: usize,
    pub(super) meaning: SortMeaning,
}

/// A declared symbol with its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// The name.
    pub name: Name,
    /// The symbol of the store.
    pub symbol: Symbol,
}

/// How much of each list belongs to the levels below.
#[derive(Clone, Copy, Debug, Default)]
struct Level {
    meanings: usize,
    sorts: usize,
    declarations: usize,
    labels: usize,
}

/// The names of a script and their meanings.
#[derive(Clone, Debug)]
pub(super) struct SymbolTable {
    names: Names,
    meanings: Vec<Meaning>,
    /// Names given a meaning by a declaration that ends with its level, oldest first.
    declared: Vec<Name>,
    /// Names hidden by local bindings, with the meaning that is restored.
    hidden: Vec<(Name, Meaning)>,
    macros: Vec<Macro>,
    sorts: FxHashMap<Name, SortAlias>,
    declared_sorts: Vec<Name>,
    /// Symbols declared and still in force, oldest first.
    declarations: Vec<Declaration>,
    /// Terms named by annotations whose names are still in force, oldest first.
    labels: Vec<(Name, Term)>,
    levels: Vec<Level>,
    /// Whether declarations outlive the level on which they are made.
    pub(super) global_declarations: bool,
}

impl SymbolTable {
    pub(super) fn new() -> SymbolTable {
        let mut symbol_table = SymbolTable {
            names: Names::default(),
            meanings: Vec::new(),
            declared: Vec::new(),
            hidden: Vec::new(),
            macros: Vec::new(),
            sorts: FxHashMap::default(),
            declared_sorts: Vec::new(),
            declarations: Vec::new(),
            labels: Vec::new(),
            levels: Vec::new(),
            global_declarations: false,
        };
        for word in RESERVED {
            symbol_table.intern(word);
        }
        debug_assert_eq!(symbol_table.intern("as"), word::AS);
        for (position, (symbol, operator)) in OPERATORS.into_iter().enumerate() {
            debug_assert_eq!(operator as usize, position);
            if Operator::declarable(symbol).is_none() || operator.is_arithmetic() {
                symbol_table.give(symbol, Meaning::Operator(operator));
            }
        }
        symbol_table.give("true", Meaning::Term(Term::TRUE));
        symbol_table.give("false", Meaning::Term(Term::FALSE));
        for (name, sort) in [("Bool", Sort::Bool), ("Int", Sort::Int), ("Real", Sort::Real)] {
            let name = symbol_table.intern(name);
            symbol_table
                .sorts
                .insert(name, SortAlias { arity: 0, meaning: SortMeaning::Definition(SortBody::Sort(sort)) });
        }
        symbol_table
    }

    /// Lets a script declare the symbols and sorts of arithmetic, which its logic does not have. As long as it does not,
    /// they mean what they always do.
    pub(super) fn free_arithmetic(&mut self) {
        for (symbol, operator) in OPERATORS {
            let name = self.intern(symbol);
            if self.meanings[name.index()] == Meaning::Operator(operator) && operator.is_arithmetic() {
                self.meanings[name.index()] = Meaning::Nothing;
            }
        }
        for (symbol, sort) in [("Int", Sort::Int), ("Real", Sort::Real)] {
            let name = self.intern(symbol);
            let own = SortMeaning::Definition(SortBody::Sort(sort));
            if self.sorts.get(&name).is_some_and(|alias| alias.meaning == own) {
                self.sorts.remove(&name);
            }
        }
    }

    fn give(&mut self, symbol: &str, meaning: Meaning) {
        let name = self.intern(symbol);
        self.meanings[name.index()] = meaning;
    }

    #[inline]
    pub(super) fn intern(&mut self, text: &str) -> Name {
        let name = self.names.intern(text);
        if self.meanings.len() < self.names.len() {
            self.meanings.push(Meaning::Nothing);
        }
        name
    }

    pub(super) fn text(&self, name: Name) -> &str {
        self.names.text(name)
    }

    #[inline]
    pub(super) fn meaning(&self, name: Name) -> Meaning {
        self.meanings[name.index()]
    }

    /// The names that have a meaning, in the order in which they were first met.
    pub(super) fn known_names(&self) -> impl Iterator<Item = &str> {
        let known = self.meanings.iter().enumerate().filter(|(_, meaning)| **meaning != Meaning::Nothing);
        known.map(|(index, _)| self.text(Name::from_index(index as u32)))
    }

    pub(super) fn macro_at(&self, index: u32) -> &Macro {
        &self.macros[index as usize]
    }

    pub(super) fn sort(&self, name: Name) -> Option<SortAlias> {
        self.sorts.get(&name).copied()
    }

    /// The symbols declared and still in force, in the order of their declarations.
    pub(super) fn declarations(&self) -> &[Declaration] {
        &self.declarations
    }

    /// Gives a name without meaning one that lasts as long as the level.
    pub(super) fn define(&mut self, name: Name, meaning: Meaning) {
        debug_assert_eq!(self.meaning(name), Meaning::Nothing);
        self.meanings[name.index()] = meaning;
        self.declared.push(name);
    }

    /// Gives a name without meaning that of a declared symbol.
    pub(super) fn declare(&mut self, name: Name, symbol: Symbol, meaning: Meaning) {
        self.define(name, meaning);
        self.declarations.push(Declaration { name, symbol });
    }

    /// Gives a name without meaning that of a term that is annotated with it.
    pub(super) fn label(&mut self, name: Name, term: Term) {
        self.define(name, Meaning::Term(term));
        self.labels.push((name, term));
    }

    /// The terms that annotations have named, as long as the names are in force.
    pub(super) fn labels(&self) -> &[(Name, Term)] {
        &self.labels
    }

    /// Gives a name without meaning that of a definition with parameters.
    pub(super) fn define_macro(&mut self, name: Name, definition: Macro) {
        let index = self.macros.len() as u32;
        self.macros.push(definition);
        self.define(name, Meaning::Macro(index));
    }

    pub(super) fn define_sort(&mut self, name: Name, alias: SortAlias) {
        self.sorts.insert(name, alias);
        self.declared_sorts.push(name);
    }

    /// The number of sort names in force that were declared.
    pub(super) fn sort_mark(&self) -> usize {
        self.declared_sorts.len()
    }

    /// Takes back declarations of sorts until so many are left.
    pub(super) fn forget_sorts(&mut self, mark: usize) {
        for name in self.declared_sorts.drain(mark..) {
            self.sorts.remove(&name);
        }
    }

    /// Hides what the name means until [`SymbolTable::unbind`].
    #[inline]
    pub(super) fn bind(&mut self, name: Name, meaning: Meaning) {
        let before = std::mem::replace(&mut self.meanings[name.index()], meaning);
        self.hidden.push((name, before));
    }

    /// The number of local bindings in force.
    #[inline]
    pub(super) fn binding_count(&self) -> usize {
        self.hidden.len()
    }

    /// Takes back local bindings, the latest first, until `count` are left.
    #[inline]
    pub(super) fn unbind(&mut self, count: usize) {
        while self.hidden.len() > count {
            if let Some((name, before)) = self.hidden.pop() {
                self.meanings[name.index()] = before;
            }
        }
    }

    /// The number of assertion levels above the first.
    pub(super) fn level_count(&self) -> usize {
        self.levels.len()
    }

    pub(super) fn push(&mut self) {
        self.levels.push(Level {
            meanings: self.declared.len(),
            sorts: self.declared_sorts.len(),
            declarations: self.declarations.len(),
            labels: self.labels.len(),
        });
    }

    /// Closes the innermost level; its declarations are removed unless they are global. Macros stay in their list:
    /// without a name they cannot be used, and a definition is small beside the terms that the store keeps.
    pub(super) fn pop(&mut self) {
        if let Some(level) = self.levels.pop()
            && !self.global_declarations
        {
            self.truncate(level);
        }
    }

    /// Closes all levels and, unless declarations are global, removes those of the first level too.
    pub(super) fn reset_assertions(&mut self) {
        self.levels.clear();
        if !self.global_declarations {
            self.truncate(Level::default());
        }
    }

    fn truncate(&mut self, level: Level) {
        for name in self.declared.drain(level.meanings.min(self.declared.len())..) {
            self.meanings[name.index()] = Meaning::Nothing;
        }
        for name in self.declared_sorts.drain(level.sorts.min(self.declared_sorts.len())..) {
            self.sorts.remove(&name);
        }
        self.declarations.truncate(level.declarations);
        self.labels.truncate(level.labels);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_and_bindings_give_back_what_they_hid() {
        let mut symbol_table = SymbolTable::new();
        let x = symbol_table.intern("x");
        symbol_table.push();
        symbol_table.define(x, Meaning::Term(Term::TRUE));
        let before = symbol_table.binding_count();
        symbol_table.bind(x, Meaning::Term(Term::FALSE));
        assert_eq!(symbol_table.meaning(x), Meaning::Term(Term::FALSE));
        symbol_table.unbind(before);
        assert_eq!(symbol_table.meaning(x), Meaning::Term(Term::TRUE));
        symbol_table.pop();
        assert_eq!(symbol_table.meaning(x), Meaning::Nothing);
    }

    #[test]
    fn global_declarations_outlive_their_level() {
        let mut symbol_table = SymbolTable::new();
        symbol_table.global_declarations = true;
        let x = symbol_table.intern("x");
        symbol_table.push();
        symbol_table.define(x, Meaning::Term(Term::TRUE));
        symbol_table.pop();
        symbol_table.reset_assertions();
        assert_eq!(symbol_table.meaning(x), Meaning::Term(Term::TRUE));
    }

    #[test]
    fn a_meaning_is_two_words() {
        assert_eq!(size_of::<Meaning>(), 8);
    }

    #[test]
    fn operators_know_their_symbols() {
        for (symbol, operator) in OPERATORS {
            assert_eq!(operator.symbol(), symbol);
        }
    }
}
