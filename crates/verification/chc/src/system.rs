//! Clauses as they are read.

use std::collections::{BTreeMap, BTreeSet};

use shem_base::dense_id;
use shem_term::smtlib::Span;
use shem_term::{BitOp, Role, Sort, Store, Symbol, Term, View};

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

/// A universal premise of a clause: for all values of its variables, the guard implies the atom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Premise {
    /// The bound variables. They are variables of no clause.
    pub variables: Box<[Term]>,
    /// A formula without predicates and quantifiers.
    pub guard: Term,
    /// The atom.
    pub atom: Atom,
}

/// A clause: for all values of the variables, if the constraint, the atoms of the body and the universal premises hold,
/// then the head holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// The variables of the clause, each once; they are variables of no other clause. All free variables of the
    /// other fields are among them.
    pub variables: Box<[Term]>,
    /// A formula without predicates. It may have quantifiers; their variables are no variables of the clause.
    pub constraint: Term,
    /// The atoms of the body; a predicate may occur several times.
    pub body: Box<[Atom]>,
    /// The universal premises. Graphs have none: without them the clause says more, and derivations by it show nothing.
    pub premises: Box<[Premise]>,
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
    /// The number of the first clause that says more than the input.
    pub first_stronger: Option<usize>,
    /// The names that `:named` gives to assertions, by the numbers of their clauses.
    pub names: BTreeMap<usize, Box<str>>,
}

impl Clause {
    /// The atoms of the clause: those of its body, of its universal premises, and its head.
    pub fn atoms(&self) -> impl Iterator<Item = &Atom> {
        let premises = self.premises.iter().map(|premise| &premise.atom);
        self.body.iter().chain(premises).chain(&self.head)
    }
}

impl System {
    /// Whether some clause, as graphs have it, says more than the input does, since something in it can only be
    /// approximated. A model is one of the input then, but a derivation shows nothing.
    pub fn is_over_approximated(&self) -> bool {
        self.first_stronger.is_some() || self.has_premises()
    }

    /// Whether some clause has universal premises, of which no graph can tell all.
    pub fn has_premises(&self) -> bool {
        self.clauses.iter().any(|clause| !clause.premises.is_empty())
    }

    /// Removes all clauses but the first ones.
    pub(crate) fn truncate_clauses(&mut self, kept: usize) {
        self.clauses.truncate(kept);
        self.first_stronger = self.first_stronger.filter(|&first| first < kept);
        self.names.split_off(&kept);
    }

    /// The name that `:named` gives to the assertion of a clause.
    pub fn clause_name(&self, id: ClauseId) -> Option<&str> {
        self.names.get(&id.index()).map(|name| &**name)
    }

    /// For each predicate, the names that the input has for its arguments: those of the first atom that has a different
    /// variable for each. Atoms of bodies come first, since the head of a clause often has the names of the next state.
    pub fn argument_names<'s>(&self, store: &'s Store) -> Vec<Option<Vec<&'s str>>> {
        let mut names: Vec<Option<Vec<&str>>> = vec![None; self.predicates.len()];
        for atom in self.clauses.iter().flat_map(Clause::atoms) {
            let known = &mut names[atom.predicate.index()];
            if known.is_none() {
                *known = variable_names(store, &atom.args);
            }
        }
        names
    }

    /// The predicate with this id.
    pub fn predicate(&self, id: PredicateId) -> &Predicate {
        &self.predicates[id.index()]
    }

    /// The predicate with this name.
    pub fn predicate_named(&self, name: &str) -> Option<PredicateId> {
        self.predicates.iter().position(|predicate| &*predicate.name == name).map(PredicateId::new)
    }

    /// Whether clauses depend on what SMT-LIB leaves open (selectors of other constructors, quotients by zero, the
    /// size of declared sorts) or on what solvers may approximate (products). A solution of such a clause is none
    /// before evaluation has confirmed it, so a derivation counts only after it was checked.
    pub fn needs_evaluation(&self, store: &Store) -> bool {
        let mut roots: Vec<Term> = Vec::new();
        for clause in &self.clauses {
            roots.push(clause.constraint);
            roots.extend(clause.atoms().flat_map(|atom| atom.args.iter()));
            roots.extend(clause.premises.iter().map(|premise| premise.guard));
            roots.extend(&clause.variables);
        }
        let is_number = |term| store.as_bit_vector(term).is_some();
        store.subterms(&roots).into_iter().any(|term| match store.view(term) {
            View::Var(_) => store.has_elements(store.sort(term)),
            View::App(symbol, args) => match store.role(symbol) {
                Role::Selector { datatype, .. } => store.datatype(datatype).constructors().len() > 1,
                Role::Product | Role::RealQuotient | Role::IntQuotient | Role::Remainder => true,
                // As integers these are products and quotients, too.
                Role::Bits(BitOp::Multiply) => args.len() > 2 || !is_number(args[0]),
                Role::Bits(BitOp::Quotient | BitOp::Remainder) => !is_number(args[1]),
                _ => false,
            },
            _ => false,
        })
    }

    /// The clause with this id.
    pub fn clause(&self, id: ClauseId) -> &Clause {
        &self.clauses[id.index()]
    }
}

/// The names of these terms, if they are different variables.
fn variable_names<'s>(store: &'s Store, terms: &[Term]) -> Option<Vec<&'s str>> {
    let mut seen = BTreeSet::new();
    let name = |&term: &Term| {
        let symbol = store.as_var(term).filter(|_| !term.is_negated())?;
        Some(store.name(symbol)).filter(|name| seen.insert(*name))
    };
    terms.iter().map(name).collect()
}
