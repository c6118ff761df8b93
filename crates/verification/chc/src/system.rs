//! Clauses as they are read.

use shem_base::dense_id;
use shem_term::smtlib::Span;
use shem_term::{Sort, Symbol, Term};

dense_id! {
    /// A predicate of a system, in the order of declaration.
    pub struct PredicateId("p");
}

dense_id! {
    /// A clause of a system, in the order of the input.
    pub struct ClauseId("c");
}

/// A predicate that the input declares, used or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predicate {
    /// The symbol in the store, with the name and the sorts of the input.
    pub symbol: Symbol,
    /// The name, without quotes.
    pub name: Box<str>,
    /// The sorts of the arguments.
    pub sorts: Box<[Sort]>,
}

/// A predicate applied to terms without predicates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Atom {
    /// The predicate.
    pub predicate: PredicateId,
    /// Its arguments, one for each sort, without quantifiers.
    pub args: Box<[Term]>,
}

/// A clause: for all values of the variables, if the constraint and the atoms of the body hold, then the head
/// holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// The variables of the clause, each once; they are variables of no other clause. All free variables of the
    /// other fields are among them.
    pub variables: Box<[Term]>,
    /// A formula without predicates. It may have quantifiers; their variables are no variables of the clause.
    pub constraint: Term,
    /// The atoms of the body; a predicate may occur several times.
    pub body: Box<[Atom]>,
    /// The head; `None` is falsehood.
    pub head: Option<Atom>,
    /// The assertion in the input from which the clause comes.
    pub span: Span,
}

/// A system of clauses as read, kept untouched for validation.
#[derive(Clone, Debug, Default)]
pub struct System {
    /// The predicates in the order of declaration.
    pub predicates: Vec<Predicate>,
    /// The clauses in the order of the input.
    pub clauses: Vec<Clause>,
}

impl System {
    /// The predicate with this id.
    pub fn predicate(&self, id: PredicateId) -> &Predicate {
        &self.predicates[id.index()]
    }

    /// The predicate with this name.
    pub fn predicate_named(&self, name: &str) -> Option<PredicateId> {
        self.predicates.iter().position(|predicate| &*predicate.name == name).map(PredicateId::new)
    }

    /// The clause with this id.
    pub fn clause(&self, id: ClauseId) -> &Clause {
        &self.clauses[id.index()]
    }
}
