//! The number of constructors in a value, Eldarica's `(_size t)`.
//!
//! It has the meaning that clauses give it: for each datatype a predicate `|_size of D|` holds of each value and its
//! number, by a clause for each constructor, and `(_size t)` in a clause is a variable that this predicate of the body
//! relates to `t`. The number is a total function, so that this says the same wherever the term stands.
//!
//! Parts count if their datatype and this one contain each other. Whether values of other datatypes do depends, in
//! Eldarica, on whether they were declared by the same command, so that a datatype with such parts is refused.

use shem_term::smtlib::{ErrorKind, ReadError, Span};
use shem_term::{Sort, Store, Symbol, Term, View};

use super::clauses::Extractor;
use super::contents::Role;
use crate::system::{Atom, Clause, Predicate, PredicateId, System};

/// A datatype whose constructors are counted.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConstructorCount {
    sort: Sort,
    /// What the reader has made of `_size`.
    pub(super) function: Symbol,
    /// The predicate about values and their numbers.
    predicate: Symbol,
    id: PredicateId,
}

impl Extractor {
    /// Whether the term has numbers of constructors in it.
    pub(super) fn has_constructor_counts(&self, store: &Store, term: Term) -> bool {
        !self.constructor_counts.is_empty() && !self.counts_in(store, term).is_empty()
    }

    /// The numbers of constructors in a term, parts before wholes.
    fn counts_in(&self, store: &Store, term: Term) -> Vec<(Term, Term, ConstructorCount)> {
        let count = |term: Term| {
            let (symbol, _, args) = store.as_app(term)?;
            let known = self.constructor_counts.iter().find(|known| known.function == symbol)?;
            Some((term, args[0], *known))
        };
        let mut found: Vec<_> = store.subterms(&[term]).into_iter().filter_map(count).collect();
        found.sort_unstable_by_key(|&(term, ..)| term);
        found
    }

    /// The constraint with variables for numbers of constructors, which atoms of the body explain.
    pub(super) fn without_constructor_counts(
        &mut self,
        store: &mut Store,
        constraint: Term,
        body: &mut Vec<Atom>,
        span: Span,
    ) -> Result<Term, ReadError> {
        if !self.has_constructor_counts(store, constraint) {
            return Ok(constraint);
        }
        for term in store.subterms(&[constraint]) {
            if let View::Forall(_, inside) = store.view(term)
                && self.has_constructor_counts(store, inside)
            {
                return Err(refused("_size under a quantifier is not supported", span));
            }
        }
        let mut pairs: Vec<(Term, Term)> = Vec::new();
        for (term, value, known) in self.counts_in(store, constraint) {
            let number = store.variable("size", Sort::Int);
            self.claimed.insert(number.index());
            self.opened.push(number);
            let value = store.replace(value, &pairs);
            body.push(Atom { predicate: known.id, args: [value, number].into() });
            pairs.push((term, number));
        }
        Ok(store.replace(constraint, &pairs))
    }

    /// Adds what the numbers of constructors of these datatypes are to the system.
    pub(super) fn define_constructor_counts(
        &mut self,
        store: &mut Store,
        wanted: &[(Sort, Symbol)],
        system: &mut System,
        span: Span,
    ) -> Result<(), ReadError> {
        let mut new: Vec<ConstructorCount> = Vec::new();
        let mut sorts: Vec<(Sort, Option<Symbol>)> =
            wanted.iter().map(|&(sort, symbol)| (sort, Some(symbol))).collect();
        while let Some((sort, function)) = sorts.pop() {
            let mut known = self.constructor_counts.iter_mut().chain(&mut new);
            if let Some(known) = known.find(|known| known.sort == sort) {
                known.function = function.unwrap_or(known.function);
                continue;
            }
            for part in counted_parts(store, sort, span)? {
                sorts.push((part, None));
            }
            let name = format!("_size of {}", store.display_sort(sort)).replace('|', "");
            if system.predicate_named(&name).is_some() {
                return Err(refused("this use of _size needs a predicate whose name is taken", span));
            }
            let predicate = store.declare(&name, &[sort, Sort::Int], Sort::Bool);
            let function = function.unwrap_or_else(|| store.declare("_size", &[sort], Sort::Int));
            let id = PredicateId::new(system.predicates.len() + new.len());
            new.push(ConstructorCount { sort, function, predicate, id });
        }
        for count in &new {
            self.contents.declare(count.predicate, Role::Predicate(count.id));
            let (name, sorts) = (store.name(count.predicate).into(), [count.sort, Sort::Int].into());
            system.predicates.push(Predicate { symbol: count.predicate, name, sorts });
        }
        self.constructor_counts.extend_from_slice(&new);
        for count in new {
            self.add_definition(store, count, &mut system.clauses, span)?;
        }
        Ok(())
    }

    /// A clause for each constructor.
    fn add_definition(
        &mut self,
        store: &mut Store,
        count: ConstructorCount,
        clauses: &mut Vec<Clause>,
        span: Span,
    ) -> Result<(), ReadError> {
        let datatype = store.datatype_of(count.sort).expect("only values of datatypes have constructors");
        let constructors: Vec<Symbol> = datatype.constructors().iter().map(|c| c.symbol).collect();
        for constructor in constructors {
            let sorts = store.signature(constructor).args.clone();
            let fields: Vec<Term> = sorts.iter().map(|&sort| store.variable("part", sort)).collect();
            let (mut variables, mut literals, mut summands) =
                (fields.clone(), Vec::new(), vec![store.int(1)]);
            for (&field, &sort) in fields.iter().zip(&sorts) {
                let Some(part) = self.constructor_counts.iter().find(|known| known.sort == sort) else {
                    continue;
                };
                let number = store.variable("size", Sort::Int);
                literals.push(!store.apply(part.predicate, &[field, number]));
                variables.push(number);
                summands.push(number);
            }
            let (whole, number) = (store.construct(constructor, &fields), store.add(&summands));
            literals.push(store.apply(count.predicate, &[whole, number]));
            let clause = store.or(&literals);
            let clause = store.forall(&variables, clause);
            self.extract(store, clause, span, clauses)?;
        }
        Ok(())
    }
}

/// The sorts of the parts that count.
fn counted_parts(store: &Store, sort: Sort, span: Span) -> Result<Vec<Sort>, ReadError> {
    let datatype = store.datatype_of(sort).expect("only values of datatypes have constructors");
    let mut counted = Vec::new();
    for constructor in datatype.constructors() {
        for &part in &store.signature(constructor.symbol).args {
            let parts = store.parts_of_sorts(&[part]);
            if part.is_datatype() && parts.contains(&sort) {
                counted.push(part);
            } else if parts.iter().any(|part| part.is_datatype()) {
                let (whole, part) = (store.display_sort(sort), store.display_sort(part));
                let message = format!("_size of {whole} is not supported: it has parts of sort {part}");
                return Err(refused(message, span));
            }
        }
    }
    Ok(counted)
}

fn refused(message: impl Into<String>, span: Span) -> ReadError {
    ReadError::new(ErrorKind::Unsupported, span, message)
}
