//! Functions from datatypes to finitely many numbers, defined by recursion.
//!
//! A *fold* maps the values of each of some datatypes to numbers below a bound; a table for each constructor says what it
//! makes of the numbers of its fields. Evaluation of terms in a finite structure is of this kind, and so is the run of a
//! bottom-up tree automaton (Comon and others, Tree Automata Techniques and Applications). Like sizes, folds are functions
//! like any other to a solver; what follows from the definition for a term is [`Store::fold_facts`].

use super::handle::{DatatypeId, Sort};
use super::size::RecursiveDefinition;
use crate::store::Store;
use crate::symbol::{Role, Symbol};
use crate::term::Term;
use crate::value::Value;

/// What a fold makes of the values of a constructor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstructorTable {
    /// The fields that matter, in order; all are of datatypes of the same fold.
    pub fields: Vec<usize>,
    /// The numbers, for all combinations of the numbers of these fields; that of the last field changes first.
    pub values: Vec<usize>,
}

/// What a fold makes of the values of a datatype.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatatypeTable {
    /// The datatype.
    pub datatype: DatatypeId,
    /// The numbers are less than this.
    pub bound: usize,
    /// By constructor.
    pub constructors: Vec<ConstructorTable>,
}

/// The part of a fold for one datatype.
#[derive(Clone, Debug)]
pub struct Fold {
    /// The function.
    pub definition: RecursiveDefinition,
    /// The number of the fold.
    group: usize,
    table: DatatypeTable,
}

impl Store {
    /// Defines a fold: a function for each of the datatypes, in this order.
    ///
    /// # Panics
    /// If a table is not complete, or if a field that matters is of a datatype that has no table.
    pub fn define_fold(&mut self, tables: Vec<DatatypeTable>) -> Vec<Symbol> {
        let group = self.sort_table.folds.iter().map(|fold| fold.group + 1).max().unwrap_or(0);
        let declare = |store: &mut Store, table: &DatatypeTable| {
            let name = format!("class of {}", store.display_sort(table.datatype.into()));
            store.declare(&name, &[table.datatype.into()], Sort::Int)
        };
        let symbols: Vec<Symbol> = tables.iter().map(|table| declare(self, table)).collect();
        let first = self.sort_table.folds.len();
        for (table, &symbol) in tables.into_iter().zip(&symbols) {
            let parameter = self.variable("x", table.datatype.into());
            let definition = RecursiveDefinition { symbol, parameter, body: parameter };
            self.sort_table.folds.push(Fold { definition, group, table });
        }
        for at in first..self.sort_table.folds.len() {
            let Fold { definition, table, .. } = self.sort_table.folds[at].clone();
            let mut body = None;
            for (constructor, own) in table.constructors.iter().enumerate() {
                let made = self.datatype(table.datatype).constructors()[constructor].clone();
                let parts: Vec<Term> = own
                    .fields
                    .iter()
                    .map(|&field| self.select_field(made.selectors[field], definition.parameter))
                    .collect();
                let value = self.fold_of_parts(group, own, &parts);
                let test = self.test(made.tester, definition.parameter);
                body = Some(body.map_or(value, |rest| self.ite(test, value, rest)));
            }
            self.sort_table.folds[at].definition.body = body.expect("a datatype has constructors");
        }
        symbols
    }

    /// The folds that were defined, those that were defined together next to each other, with the number of the fold.
    pub fn folds(&self) -> impl Iterator<Item = (usize, &RecursiveDefinition)> {
        self.sort_table.folds.iter().map(|fold| (fold.group, &fold.definition))
    }

    /// The number of the fold that a symbol belongs to.
    pub fn fold_of_symbol(&self, symbol: Symbol) -> Option<usize> {
        self.find_fold(symbol).map(|fold| fold.group)
    }

    fn find_fold(&self, symbol: Symbol) -> Option<&Fold> {
        self.sort_table.folds.iter().find(|fold| fold.definition.symbol == symbol)
    }

    fn member_of_fold(&self, group: usize, sort: Sort) -> Option<&Fold> {
        let fits = |fold: &&Fold| fold.group == group && Sort::from(fold.table.datatype) == sort;
        self.sort_table.folds.iter().find(fits)
    }

    /// What a fold makes of a construction with these parts in the places of the fields that matter.
    fn fold_of_parts(&mut self, group: usize, table: &ConstructorTable, parts: &[Term]) -> Term {
        let mut numbers = Vec::with_capacity(parts.len());
        for &part in parts {
            let member = self.member_of_fold(group, self.sort(part)).expect("a field of the fold");
            let (symbol, bound) = (member.definition.symbol, member.table.bound);
            numbers.push((self.apply(symbol, &[part]), bound));
        }
        assert_eq!(table.values.len(), numbers.iter().map(|(_, bound)| bound).product::<usize>());
        let mut values: Vec<Term> = table.values.iter().map(|&value| self.int(value as i64)).collect();
        // The number of the last field is looked at first, so that what is left is a table of the others.
        for &(number, bound) in numbers.iter().rev() {
            let mut rest = Vec::with_capacity(values.len() / bound);
            for choices in values.chunks(bound) {
                let mut choice = choices[bound - 1];
                for (value, &term) in choices[..bound - 1].iter().enumerate().rev() {
                    let value = self.int(value as i64);
                    let here = self.eq(number, value);
                    choice = self.ite(here, term, choice);
                }
                rest.push(choice);
            }
            values = rest;
        }
        values[0]
    }

    /// What holds of the number of a term by the definition of a fold: for a construction what the table says; for other
    /// terms the range, and the number if the term is made by a constructor without fields that matter. `None` if the fold
    /// is not defined for terms of this sort.
    pub fn fold_facts(&mut self, group: usize, term: Term) -> Option<Term> {
        let member = self.member_of_fold(group, self.sort(term))?;
        let (symbol, bound) = (member.definition.symbol, member.table.bound);
        let made = match self.as_app(term) {
            Some((_, Role::Constructor { index, .. }, args)) => {
                let table = member.table.constructors[index as usize].clone();
                let parts: Vec<Term> = table.fields.iter().map(|&field| args[field]).collect();
                Some((table, parts))
            }
            _ => None,
        };
        let constructors = self.datatype(member.table.datatype).constructors().iter();
        let constants: Vec<(Symbol, usize)> = constructors
            .zip(&member.table.constructors)
            .filter(|(_, table)| table.fields.is_empty())
            .map(|(constructor, table)| (constructor.tester, table.values[0]))
            .collect();
        let number = self.apply(symbol, &[term]);
        if let Some((table, parts)) = made {
            let value = self.fold_of_parts(group, &table, &parts);
            return Some(self.eq(number, value));
        }
        let (least, greatest) = (self.int(0), self.int(bound as i64 - 1));
        let mut parts = vec![self.ge(number, least), self.le(number, greatest)];
        for (tester, value) in constants {
            let (test, value) = (self.test(tester, term), self.int(value as i64));
            let same = self.eq(number, value);
            parts.push(self.implies(test, same));
        }
        Some(self.and(&parts))
    }

    /// What a fold makes of a value; `None` if it is not defined for it.
    pub(crate) fn fold_of_value(&self, symbol: Symbol, value: &Value) -> Option<usize> {
        enum Open<'v> {
            Value(&'v Fold, &'v Value),
            Made(&'v ConstructorTable, Vec<usize>),
        }
        let group = self.fold_of_symbol(symbol)?;
        let mut open = vec![Open::Value(self.find_fold(symbol)?, value)];
        let mut numbers: Vec<usize> = Vec::new();
        while let Some(next) = open.pop() {
            match next {
                Open::Value(fold, value) => {
                    let data = value.as_data()?;
                    let Role::Constructor { index, .. } = self.role(data.constructor()) else { return None };
                    let table = &fold.table.constructors[index as usize];
                    let sorts = &self.signature(data.constructor()).args;
                    let mut parts = Vec::with_capacity(table.fields.len());
                    for &field in &table.fields {
                        parts.push((self.member_of_fold(group, sorts[field])?, &data.fields()[field]));
                    }
                    let bounds = parts.iter().map(|(part, _)| part.table.bound).collect();
                    open.push(Open::Made(table, bounds));
                    open.extend(parts.into_iter().rev().map(|(part, value)| Open::Value(part, value)));
                }
                Open::Made(table, bounds) => {
                    let own = numbers.split_off(numbers.len() - bounds.len());
                    let at = own.iter().zip(&bounds).fold(0, |at, (number, bound)| at * bound + number);
                    numbers.push(table.values[at]);
                }
            }
        }
        numbers.pop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::smtlib::{Lexer, Reader};

    /// The length of a list modulo three, times two if its first element is odd.
    #[test]
    fn folds_follow_their_tables() {
        let sorts = "(declare-datatypes ((Nat 0)) (((zero) (succ (pred Nat)))))
            (declare-datatypes ((List 0)) (((nil) (cons (mark Int) (head Nat) (tail List)))))";
        let mut store = Store::new();
        let (mut reader, mut lexer) = (Reader::new(), Lexer::new(sorts).expect("a text"));
        while reader.next_command(&mut lexer, &mut store).expect("a command").is_some() {}
        let mut read = |store: &mut Store, text: &str| {
            let mut lexer = Lexer::new(text).expect("a text");
            reader.read_term(&mut lexer, store).unwrap_or_else(|error| panic!("{text}: {}", error.message))
        };
        let (zero, nil) = (read(&mut store, "zero"), read(&mut store, "nil"));
        let id = |store: &Store, term| store.sort(term).as_datatype().expect("a datatype");
        let (nat, list) = (id(&store, zero), id(&store, nil));
        let table = |fields: &[usize], values: &[usize]| ConstructorTable {
            fields: fields.to_vec(),
            values: values.to_vec(),
        };
        let parity = vec![table(&[], &[0]), table(&[0], &[1, 0])];
        // By parity of the head and number of the tail.
        let length = vec![table(&[], &[0]), table(&[1, 2], &[1, 2, 0, 2, 1, 0])];
        let symbols = store.define_fold(vec![
            DatatypeTable { datatype: nat, bound: 2, constructors: parity },
            DatatypeTable { datatype: list, bound: 3, constructors: length },
        ]);
        let none = |_: Symbol| None;
        for (text, expected) in [
            ("nil", 0),
            ("(cons 5 zero nil)", 1),
            ("(cons 5 (succ zero) nil)", 2),
            ("(cons 7 (succ zero) (cons 5 (succ (succ zero)) nil))", 1),
            ("(cons 7 zero (cons 5 (succ zero) nil))", 0),
        ] {
            let term = read(&mut store, text);
            let number = store.apply(symbols[1], &[term]);
            let expected = Some(Value::Num(expected.into()));
            assert_eq!(store.evaluate(number, &none), expected, "{text}");
            let facts = store.fold_facts(0, term).expect("a list");
            assert_eq!(store.evaluate(facts, &none), Some(Value::Bool(true)), "{text}");
            let definition = store.folds().nth(1).expect("two of them").1.clone();
            let body = store.rename(definition.body, &[definition.parameter], &[term]);
            assert_eq!(store.evaluate(body, &none), expected, "{text}");
        }
    }
}
