//! Systems that a program builds by calls instead of writing text.
//!
//! A rule is a formula over declared predicates; it is taken apart by the code that serves the reader, so whatever
//! has a conjunctive normal form of Horn clauses is accepted here, too. Variables that are free in a rule are
//! quantified universally over that rule alone: the same variable in two rules is two variables.

use shem_base::counted;
use std::sync::Arc;

use shem_term::smtlib::{ErrorKind, Span};
use shem_term::{Sort, Store, Substitution, Symbol, Term, View};
use thiserror::Error;

use super::clauses::Extractor;
use super::contents::Role;
use crate::system::{Predicate, PredicateId, System};

/// What is built by calls stands nowhere in a text.
const NO_PLACE: Span = Span::new(0, 0);

/// A mistake of a caller. The system is as it was before the call.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BuildError {
    /// A predicate has this name already.
    #[error("the predicate {0} is declared already")]
    Redeclared(String),
    /// What is applied was not declared in this system; the name, or the id if that is all there is.
    #[error("the predicate {0} is not declared")]
    UnknownPredicate(String),
    /// A predicate is applied to too many or too few arguments.
    #[error("{predicate} takes {}, not {found}", counted(*.expected, "argument"))]
    ArgumentCount {
        /// The predicate.
        predicate: String,
        /// How many arguments it has.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// An operator that takes any number of arguments from one on is applied to none.
    #[error("{0} takes at least one argument")]
    NoArguments(String),
    /// An argument has the wrong sort.
    #[error("argument {position} of {predicate} must be of sort {expected}, not {found}")]
    ArgumentSort {
        /// The predicate.
        predicate: String,
        /// The number of the argument, from one.
        position: usize,
        /// The sort that it was declared with.
        expected: String,
        /// The sort of the term.
        found: String,
    },
    /// A term of another problem.
    #[error("this term belongs to another problem")]
    Foreign,
    /// A datatype has no constructor or field of this name.
    #[error("{sort} has no constructor or field {name}")]
    UnknownField {
        /// The name.
        name: String,
        /// The sort.
        sort: String,
    },
    /// Datatypes that there cannot be; the words say why.
    #[error("{0}")]
    Datatype(String),
    /// An operation on bit-vectors that there is not, or not of these arguments; the words say why.
    #[error("{0}")]
    BitVectors(String),
    /// A term of another sort stands where a formula is expected.
    #[error("a formula is expected, not a term of sort {0}")]
    NotAFormula(String),
    /// The formula has no conjunctive normal form of Horn clauses; the words say why.
    #[error("{0}")]
    NotHorn(String),
    /// The clauses of the formula are too many to be written out.
    #[error("{0}")]
    TooLarge(String),
}

/// A system in the making. It belongs to the store that is passed to its first call.
///
/// ```
/// use shem_chc::{BuildError, SystemBuilder};
/// use shem_term::{Sort, Store, Term};
///
/// let mut store = Store::new();
/// let mut builder = SystemBuilder::new();
/// let inv = builder.declare(&mut store, "Inv", &[Sort::Int])?;
/// let x = store.variable("x", Sort::Int);
/// let (zero, one) = (store.int(0), store.int(1));
/// let next = store.add(&[x, one]);
/// let (here, there) = (builder.apply(&mut store, inv, &[x])?, builder.apply(&mut store, inv, &[next])?);
///
/// let start = store.eq(x, zero);
/// builder.clause(&mut store, &[start], here)?;
/// builder.clause(&mut store, &[here], there)?;
/// let negative = store.lt(x, zero);
/// builder.clause(&mut store, &[here, negative], Term::FALSE)?;
/// assert_eq!(builder.system().clauses.len(), 3);
/// # Ok::<(), BuildError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct SystemBuilder {
    extractor: Extractor,
    system: Arc<System>,
}

impl SystemBuilder {
    /// A system without predicates and clauses.
    pub fn new() -> SystemBuilder {
        SystemBuilder::default()
    }

    /// A builder that goes on with a system over the terms of this store.
    pub fn extend(store: &Store, system: Arc<System>) -> SystemBuilder {
        let mut extractor = Extractor::default();
        for (i, predicate) in system.predicates.iter().enumerate() {
            extractor.contents.declare(predicate.symbol, Role::Predicate(PredicateId::new(i)));
        }
        // Whatever variables the clauses have, they are theirs.
        for index in 0..store.len() {
            if store.as_var(store.term_at(index)).is_some() {
                extractor.claimed.insert(index);
            }
        }
        SystemBuilder { extractor, system }
    }

    /// Declares a predicate with arguments of these sorts.
    ///
    /// # Errors
    /// If a predicate has this name already.
    pub fn declare(
        &mut self,
        store: &mut Store,
        name: &str,
        sorts: &[Sort],
    ) -> Result<PredicateId, BuildError> {
        if self.system.predicate_named(name).is_some() {
            return Err(BuildError::Redeclared(name.to_owned()));
        }
        let symbol = store.declare(name, sorts, Sort::Bool);
        let predicates = &mut Arc::make_mut(&mut self.system).predicates;
        let id = PredicateId::new(predicates.len());
        predicates.push(Predicate { symbol, name: name.into(), sorts: sorts.into() });
        self.extractor.contents.declare(symbol, Role::Predicate(id));
        Ok(id)
    }

    /// A predicate applied to terms: an atom.
    ///
    /// # Errors
    /// If the predicate is not one of the system, or the arguments do not fit it.
    pub fn apply(
        &self,
        store: &mut Store,
        predicate: PredicateId,
        args: &[Term],
    ) -> Result<Term, BuildError> {
        match self.system.predicates.get(predicate.index()) {
            Some(declared) => {
                check_arguments(store, declared, args)?;
                Ok(store.apply(declared.symbol, args))
            }
            None => Err(BuildError::UnknownPredicate(format!("{predicate:?}"))),
        }
    }

    /// Adds the clause that the formulas of the body together imply the head. The body consists of atoms and
    /// constraints in any order; a query has the head [`Term::FALSE`].
    ///
    /// # Errors
    /// See [`SystemBuilder::assert`].
    pub fn clause(&mut self, store: &mut Store, body: &[Term], head: Term) -> Result<(), BuildError> {
        check_formulas(store, body)?;
        check_formulas(store, &[head])?;
        let body = store.and(body);
        let clause = store.implies(body, head);
        self.assert(store, clause)
    }

    /// Adds a formula, its free variables being quantified universally.
    ///
    /// # Errors
    /// If it is no formula over the predicates of the system, or has no conjunctive normal form of Horn clauses.
    pub fn assert(&mut self, store: &mut Store, formula: Term) -> Result<(), BuildError> {
        check_formulas(store, &[formula])?;
        self.check_atoms(store, formula)?;
        let free = store.free_variables(&[formula]);
        let mut renaming = Substitution::new();
        let mut bound = Vec::with_capacity(free.len());
        for variable in free {
            let symbol = store.as_var(variable).expect("a variable");
            if self.predicate(symbol).is_some() {
                continue;
            }
            let (name, sort) = (store.name(symbol).to_owned(), store.sort(variable));
            let fresh = store.variable(&name, sort);
            renaming.insert(symbol, fresh);
            bound.push(fresh);
        }
        let formula = store.substitute(formula, &renaming);
        let closed = store.forall(&bound, formula);
        let clauses = &mut Arc::make_mut(&mut self.system).clauses;
        let before = clauses.len();
        self.extractor.extract(store, closed, NO_PLACE, clauses).map_err(|error| {
            clauses.truncate(before);
            match error.kind {
                ErrorKind::NotHorn => BuildError::NotHorn(error.message),
                _ => BuildError::TooLarge(error.message),
            }
        })
    }

    /// The predicate of a declared symbol.
    fn predicate(&self, symbol: Symbol) -> Option<PredicateId> {
        match self.extractor.contents.role(symbol) {
            Role::Predicate(id) => Some(id),
            _ => None,
        }
    }

    /// Whether all that is applied in a formula are predicates of the system with arguments that fit.
    fn check_atoms(&self, store: &Store, formula: Term) -> Result<(), BuildError> {
        for term in store.subterms(&[formula]) {
            if let View::App(symbol, args) = store.view(term)
                && store.role(symbol) == shem_term::Role::Function
            {
                let Some(id) = self.predicate(symbol) else {
                    return Err(BuildError::UnknownPredicate(store.name(symbol).to_owned()));
                };
                check_arguments(store, self.system.predicate(id), args)?;
            }
        }
        Ok(())
    }

    /// The system so far. What it is asked about later does not change this copy.
    pub fn system(&self) -> &Arc<System> {
        &self.system
    }
}

fn check_formulas(store: &Store, formulas: &[Term]) -> Result<(), BuildError> {
    match formulas.iter().map(|&formula| store.sort(formula)).find(|&sort| sort != Sort::Bool) {
        Some(sort) => Err(BuildError::NotAFormula(store.display_sort(sort).to_string())),
        None => Ok(()),
    }
}

fn check_arguments(store: &Store, predicate: &Predicate, args: &[Term]) -> Result<(), BuildError> {
    let name = || predicate.name.clone().into_string();
    let (expected, found) = (predicate.sorts.len(), args.len());
    if expected != found {
        return Err(BuildError::ArgumentCount { predicate: name(), expected, found });
    }
    for (i, (&arg, &expected)) in args.iter().zip(&predicate.sorts).enumerate() {
        let found = store.sort(arg);
        if found != expected {
            let [expected, found] = [expected, found].map(|sort| store.display_sort(sort).to_string());
            return Err(BuildError::ArgumentSort { predicate: name(), position: i + 1, expected, found });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Script, write_system};
    use shem_base::StopToken;

    /// A variable that two clauses share is a different one in each, and nullary predicates stay free.
    #[test]
    fn clauses_are_closed() {
        let mut store = Store::new();
        let mut builder = SystemBuilder::new();
        let p = builder.declare(&mut store, "p", &[Sort::Int]).unwrap();
        let done = builder.declare(&mut store, "done", &[]).unwrap();
        let x = store.variable("x", Sort::Int);
        let at = builder.apply(&mut store, p, &[x]).unwrap();
        let end = builder.apply(&mut store, done, &[]).unwrap();
        let zero = store.int(0);
        let start = store.eq(x, zero);
        builder.clause(&mut store, &[start], at).unwrap();
        builder.clause(&mut store, &[at], end).unwrap();
        builder.clause(&mut store, &[end], Term::FALSE).unwrap();
        let system = Arc::clone(builder.system());
        let [first, second, third] = &system.clauses[..] else { panic!("three clauses") };
        assert_ne!(first.variables, second.variables);
        assert_eq!((second.body.len(), third.variables.len()), (1, 0));
        // What is printed is read back as the same system.
        let mut text = Vec::new();
        write_system(&mut text, &mut store, &system).unwrap();
        let text = String::from_utf8(text).unwrap();
        let script = Script::read(&mut Store::new(), &text, &StopToken::new()).unwrap();
        assert_eq!(script.system.clauses.len(), 3);
        assert_eq!(script.system.predicates.len(), 2);
    }

    /// What was read can be gone on with, and no variable gets into two clauses, whatever the caller takes from them.
    #[test]
    fn systems_are_extended() {
        let mut store = Store::new();
        let text = "(declare-fun p (Int) Bool) (assert (forall ((x Int)) (=> (> x 0) (p x))))";
        let read = Script::read(&mut store, text, &StopToken::new()).unwrap().system;
        let mut builder = SystemBuilder::extend(&store, Arc::clone(&read));
        let p = read.predicate_named("p").unwrap();
        let x = read.clauses[0].variables[0];
        let atom = builder.apply(&mut store, p, &[x]).unwrap();
        let closed = store.forall(&[x], !atom);
        builder.assert(&mut store, closed).unwrap();
        builder.assert(&mut store, !atom).unwrap();
        let clauses = &builder.system().clauses;
        assert_eq!((clauses.len(), read.clauses.len()), (3, 1));
        let variables: Vec<Term> = clauses.iter().map(|clause| clause.variables[0]).collect();
        assert!(variables[0] == x && variables[1] != x && variables[2] != x && variables[1] != variables[2]);
        assert!(matches!(builder.declare(&mut store, "p", &[]), Err(BuildError::Redeclared(_))));
    }

    #[test]
    fn mistakes_change_nothing() {
        let mut store = Store::new();
        let mut builder = SystemBuilder::new();
        let p = builder.declare(&mut store, "p", &[]).unwrap();
        let q = builder.declare(&mut store, "q", &[Sort::Int]).unwrap();
        let redeclared = builder.declare(&mut store, "p", &[Sort::Int]);
        assert_eq!(redeclared, Err(BuildError::Redeclared("p".to_owned())));
        let (one, truth) = (store.int(1), Term::TRUE);
        let mut apply = |predicate, args: &[Term]| builder.apply(&mut store, predicate, args);
        let (expected, found) = (1, 2);
        let count = BuildError::ArgumentCount { predicate: "q".to_owned(), expected, found };
        assert_eq!(apply(q, &[one, one]), Err(count));
        let error = apply(q, &[truth]).unwrap_err();
        assert_eq!(error.to_string(), "argument 1 of q must be of sort Int, not Bool");
        let other = PredicateId::new(2);
        assert_eq!(apply(other, &[]), Err(BuildError::UnknownPredicate(format!("{other:?}"))));
        let (p, q) = (apply(p, &[]).unwrap(), apply(q, &[one]).unwrap());
        let either = store.or2(p, q);
        let error = builder.clause(&mut store, &[], either);
        assert!(matches!(error, Err(BuildError::NotHorn(_))), "{error:?}");
        let number = Err(BuildError::NotAFormula("Int".to_owned()));
        assert_eq!(builder.assert(&mut store, one), number);
        assert_eq!(builder.clause(&mut store, &[one], p), number);
        assert_eq!(builder.clause(&mut store, &[p], one), number);
        // A symbol of the store that is no predicate of the system.
        let foreign = store.declare("r", &[Sort::Int], Sort::Bool);
        let foreign = store.apply(foreign, &[one]);
        let unknown = Err(BuildError::UnknownPredicate("r".to_owned()));
        assert_eq!(builder.clause(&mut store, &[foreign], p), unknown);
        assert!(builder.system().clauses.is_empty());
    }
}
