//! Systems that a program builds by calls instead of writing text.
//!
//! A rule is a formula over declared predicates; it is taken apart by the code that serves the reader, so whatever
//! has a conjunctive normal form of Horn clauses is accepted here, too. Variables that are free in a rule are
//! quantified universally over that rule alone: the same variable in two rules is two variables.

use shem_term::smtlib::{ErrorKind, ReadError, Span};
use shem_term::{Sort, Store, Substitution, Symbol, Term};

use super::clauses::Extractor;
use super::contents::Role;
use crate::system::{Predicate, PredicateId, System};

/// What is built by calls stands nowhere in a text.
const NO_PLACE: Span = Span::new(0, 0);

/// A system in the making. It belongs to the store that is passed to its first call.
///
/// ```
/// use shem_chc::SystemBuilder;
/// use shem_term::{Sort, Store, Term};
///
/// let mut store = Store::new();
/// let mut builder = SystemBuilder::new();
/// let inv = builder.declare(&mut store, "Inv", &[Sort::Int]).unwrap();
/// let x = store.variable("x", Sort::Int);
/// let (zero, one) = (store.int(0), store.int(1));
/// let (here, next) = (store.apply(inv, &[x]), store.add(&[x, one]));
/// let there = store.apply(inv, &[next]);
///
/// let start = store.eq(x, zero);
/// builder.rule(&mut store, &[start], here).unwrap();
/// builder.rule(&mut store, &[here], there).unwrap();
/// let negative = store.lt(x, zero);
/// builder.rule(&mut store, &[here, negative], Term::FALSE).unwrap();
/// assert_eq!(builder.system().clauses.len(), 3);
/// ```
#[derive(Clone, Debug, Default)]
pub struct SystemBuilder {
    extractor: Extractor,
    system: System,
}

impl SystemBuilder {
    /// A system without predicates and clauses.
    pub fn new() -> SystemBuilder {
        SystemBuilder::default()
    }

    /// Declares a predicate with arguments of these sorts; [`Store::apply`] applies its symbol.
    ///
    /// # Errors
    /// If a predicate has this name already.
    pub fn declare(&mut self, store: &mut Store, name: &str, sorts: &[Sort]) -> Result<Symbol, ReadError> {
        if self.system.predicates.iter().any(|predicate| &*predicate.name == name) {
            let message = format!("the predicate {name} is declared already");
            return Err(ReadError::new(ErrorKind::Redeclared, NO_PLACE, message));
        }
        let symbol = store.declare(name, sorts, Sort::Bool);
        let id = PredicateId::new(self.system.predicates.len());
        self.system.predicates.push(Predicate { symbol, name: name.into(), sorts: sorts.into() });
        self.extractor.contents.declare(symbol, Role::Predicate(id));
        Ok(symbol)
    }

    /// The predicate of a declared symbol.
    pub fn predicate(&self, symbol: Symbol) -> Option<PredicateId> {
        match self.extractor.contents.role(symbol) {
            Role::Predicate(id) => Some(id),
            _ => None,
        }
    }

    /// Adds the rule that the formulas of the body together imply the head. A query has the head
    /// [`Term::FALSE`].
    ///
    /// # Errors
    /// If the rule has no conjunctive normal form of Horn clauses; the system is unchanged then.
    pub fn rule(&mut self, store: &mut Store, body: &[Term], head: Term) -> Result<(), ReadError> {
        let body = store.and(body);
        let rule = store.implies(body, head);
        self.assert(store, rule)
    }

    /// Adds a formula, its free variables being quantified universally.
    ///
    /// # Errors
    /// If it has no conjunctive normal form of Horn clauses; the system is unchanged then.
    pub fn assert(&mut self, store: &mut Store, formula: Term) -> Result<(), ReadError> {
        if store.sort(formula) != Sort::Bool {
            let message = "a formula is expected, not a term of another sort";
            return Err(ReadError::new(ErrorKind::IllSorted, NO_PLACE, message));
        }
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
        let before = self.system.clauses.len();
        let clauses = &mut self.system.clauses;
        let extracted = self.extractor.extract(store, closed, NO_PLACE, clauses);
        if extracted.is_err() {
            clauses.truncate(before);
        }
        extracted
    }

    /// The system so far.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// The finished system.
    pub fn finish(self) -> System {
        self.system
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Script, write_system};
    use shem_base::StopToken;

    /// A variable that two rules share is a different one in each, and nullary predicates stay free.
    #[test]
    fn rules_are_closed() {
        let mut store = Store::new();
        let mut builder = SystemBuilder::new();
        let p = builder.declare(&mut store, "p", &[Sort::Int]).unwrap();
        let done = builder.declare(&mut store, "done", &[]).unwrap();
        let x = store.variable("x", Sort::Int);
        let (at, end) = (store.apply(p, &[x]), store.var(done));
        let zero = store.int(0);
        let start = store.eq(x, zero);
        builder.rule(&mut store, &[start], at).unwrap();
        builder.rule(&mut store, &[at], end).unwrap();
        builder.rule(&mut store, &[end], Term::FALSE).unwrap();
        let system = builder.finish();
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

    #[test]
    fn mistakes_change_nothing() {
        let mut store = Store::new();
        let mut builder = SystemBuilder::new();
        let p = builder.declare(&mut store, "p", &[]).unwrap();
        let q = builder.declare(&mut store, "q", &[]).unwrap();
        assert_eq!(builder.declare(&mut store, "p", &[]).unwrap_err().kind, ErrorKind::Redeclared);
        let (p, q) = (store.var(p), store.var(q));
        let either = store.or2(p, q);
        let error = builder.rule(&mut store, &[], either).unwrap_err();
        assert_eq!(error.kind, ErrorKind::NotHorn);
        let zero = store.int(0);
        assert_eq!(builder.assert(&mut store, zero).unwrap_err().kind, ErrorKind::IllSorted);
        assert!(builder.system().clauses.is_empty());
    }
}
