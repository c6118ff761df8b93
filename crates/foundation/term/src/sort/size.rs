//! The size of values of recursive datatypes.
//!
//! The *size* of a value is the number of constructors in it that have a field of the same group of mutually recursive
//! datatypes: the length of a list, the number of inner nodes of a tree, the number that a numeral of Peano stands for.
//! Elements do not count, even if they are of a recursive datatype themselves. Every recursive datatype has a
//! symbol for it, once it is asked for, with a recursive definition. A solver knows the symbol as a
//! function like any other; what follows from the definition for a term is [`Store::size_facts`].

use super::datatype::Constructor;
use super::handle::{DatatypeId, Sort};
use crate::store::Store;
use crate::symbol::Symbol;
use crate::term::Term;
use crate::value::Value;

/// The recursive definition of a function of the values of a datatype.
#[derive(Clone, Debug)]
pub struct RecursiveDefinition {
    /// The symbol.
    pub symbol: Symbol,
    /// The parameter of the definition.
    pub parameter: Term,
    /// The body of the definition. In that of a size, those of parts are taken as zero if they were negative: no value is
    /// so, and a reader that unfolds definitions needs no induction to see that none is.
    pub body: Term,
}

impl Store {
    /// The fields of a constructor that count: those of datatypes that contain values of this datatype again.
    pub fn counted_fields(&self, id: DatatypeId, constructor: usize) -> Vec<usize> {
        let symbol = self.datatype(id).constructors()[constructor].symbol;
        let fields = self.signature(symbol).args.iter().enumerate();
        let counts = |sort: Sort| sort.is_datatype() && self.parts_of_sorts(&[sort]).contains(&id.into());
        fields.filter(|&(_, &sort)| counts(sort)).map(|(at, _)| at).collect()
    }

    /// Whether the values of a datatype are numerals of Peano: one constructor without fields, and one whose only field is
    /// of the datatype itself. Values of the same size are equal then.
    pub fn is_numeral(&self, id: DatatypeId) -> bool {
        let fields = |constructor: &Constructor| &*self.signature(constructor.symbol).args;
        match self.datatype(id).constructors() {
            [a, b] => {
                let (a, b) = (fields(a), fields(b));
                (a.is_empty() && *b == [id.into()]) || (b.is_empty() && *a == [id.into()])
            }
            _ => false,
        }
    }

    /// The size of the values of a recursive datatype.
    pub fn size_of_datatype(&mut self, id: DatatypeId) -> &RecursiveDefinition {
        if !self.sort_table.sizes.contains_key(&id) {
            self.define_sizes(id);
        }
        &self.sort_table.sizes[&id]
    }

    /// The datatype whose size a symbol is.
    pub fn sized_by(&self, symbol: Symbol) -> Option<DatatypeId> {
        self.sort_table.sized.get(&symbol).copied()
    }

    /// The definitions of sizes that were asked for, by datatype.
    pub fn sizes(&self) -> impl Iterator<Item = (DatatypeId, &RecursiveDefinition)> {
        self.sort_table.sizes.iter().map(|(&id, size)| (id, size))
    }

    /// The size of a term of a recursive datatype.
    ///
    /// # Panics
    /// If the term is not of a datatype.
    pub fn size(&mut self, term: Term) -> Term {
        let id = self.sort(term).as_datatype().expect("only datatypes have sizes");
        let symbol = self.size_of_datatype(id).symbol;
        self.apply(symbol, &[term])
    }

    /// What holds of the size of a term of a recursive datatype by definition: it is not negative, and it is made of
    /// the sizes of the fields, by the constructor of the term or in each case.
    pub fn size_facts(&mut self, term: Term) -> Term {
        let id = self.sort(term).as_datatype().expect("only datatypes have sizes");
        let size = self.size(term);
        let zero = self.int(0);
        let mut parts = vec![self.ge(size, zero)];
        for (at, constructor) in self.datatype(id).constructors().to_vec().into_iter().enumerate() {
            let test = self.test(constructor.tester, term);
            if test == Term::FALSE {
                continue;
            }
            let counted = self.counted_fields(id, at);
            let mut summands = vec![self.int(i64::from(!counted.is_empty()))];
            for field in counted {
                let part = self.select_field(constructor.selectors[field], term);
                let part = self.size(part);
                parts.push(self.ge(part, zero));
                summands.push(part);
            }
            let sum = self.add(&summands);
            let same = self.eq(size, sum);
            parts.push(self.implies(test, same));
        }
        self.and(&parts)
    }

    /// The size of a value of a recursive datatype.
    pub(crate) fn size_of_value(&self, value: &Value) -> Option<u64> {
        let mut size = 0;
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            let data = value.as_data()?;
            let id = self.signature(data.constructor()).result.as_datatype()?;
            let constructors = self.datatype(id).constructors();
            let at = constructors.iter().position(|c| c.symbol == data.constructor())?;
            let counted = self.counted_fields(id, at);
            size += u64::from(!counted.is_empty());
            open.extend(counted.iter().map(|&field| &data.fields()[field]));
        }
        Some(size)
    }

    /// Defines the sizes of a datatype and of those that are recursive together with it.
    fn define_sizes(&mut self, id: DatatypeId) {
        let whole = Sort::from(id);
        let mut group = Vec::new();
        for sort in self.parts_of_sorts(&[whole]) {
            if let Some(member) = sort.as_datatype()
                && self.parts_of_sorts(&[sort]).contains(&whole)
            {
                let name = format!("size of {}", self.display_sort(sort));
                let symbol = self.declare(&name, &[sort], Sort::Int);
                group.push((member, symbol));
            }
        }
        self.sort_table.sized.extend(group.iter().map(|&(member, symbol)| (symbol, member)));
        let zero = self.int(0);
        for &(member, symbol) in &group {
            let parameter = self.variable("x", member.into());
            let mut body = zero;
            for (at, constructor) in self.datatype(member).constructors().to_vec().into_iter().enumerate() {
                let counted = self.counted_fields(member, at);
                if counted.is_empty() {
                    continue;
                }
                let mut summands = vec![self.int(1)];
                for field in counted {
                    let part = self.select_field(constructor.selectors[field], parameter);
                    let of = self.sort(part).as_datatype().expect("a counted field");
                    let own = group.iter().find(|(known, _)| *known == of).expect("a member of the group").1;
                    let part = self.apply(own, &[part]);
                    let positive = self.ge(part, zero);
                    summands.push(self.ite(positive, part, zero));
                }
                let sum = self.add(&summands);
                let test = self.test(constructor.tester, parameter);
                body = self.ite(test, sum, body);
            }
            self.sort_table.sizes.insert(member, RecursiveDefinition { symbol, parameter, body });
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::smtlib::{Lexer, Reader};
    use crate::{Store, Symbol, Term, Value};

    const SORTS: &str = "(declare-datatypes ((Nat 0)) (((zero) (succ (pred Nat)))))
        (declare-datatypes ((List 0)) (((nil) (cons (head Nat) (tail List)))))
        (declare-datatypes ((Tree 0) (Forest 0)) (((leaf) (tree (mark Int) (below Forest)))
            ((none) (more (first Tree) (others Forest)))))
        (declare-datatypes ((Pair 0)) (((pair (left List) (right Int)))))";

    fn read(store: &mut Store, texts: &[&str]) -> Vec<Term> {
        let (mut reader, mut lexer) = (Reader::new(), Lexer::new(SORTS).expect("a text"));
        while reader.next_command(&mut lexer, store).expect("a command").is_some() {}
        let mut term = |text: &&str| {
            let mut lexer = Lexer::new(text).expect("a text");
            reader.read_term(&mut lexer, store).unwrap_or_else(|error| panic!("{text}: {}", error.message))
        };
        texts.iter().map(&mut term).collect()
    }

    #[test]
    fn sizes_count_constructors_with_parts_of_the_group() {
        let mut store = Store::new();
        let cases = [
            ("zero", 0),
            ("(succ (succ zero))", 2),
            ("nil", 0),
            ("(cons (succ zero) (cons (succ (succ zero)) nil))", 2),
            ("(more (tree 5 (more leaf none)) none)", 3),
        ];
        let terms = read(&mut store, &cases.map(|case| case.0));
        let none = |_: Symbol| None;
        for ((text, expected), term) in cases.iter().zip(terms) {
            let size = store.size(term);
            assert_eq!(store.evaluate(size, &none), Some(Value::Num((*expected).into())), "{text}");
            let facts = store.size_facts(term);
            assert_eq!(store.evaluate(facts, &none), Some(Value::Bool(true)), "{text}");
            let id = store.sort(term).as_datatype().expect("a datatype");
            let definition = store.size_of_datatype(id).clone();
            let body = store.rename(definition.body, &[definition.parameter], &[term]);
            assert_eq!(store.evaluate(body, &none), Some(Value::Num((*expected).into())), "{text}");
        }
    }

    /// What is said of a variable holds of all values.
    #[test]
    fn facts_hold_of_all_values() {
        let mut store = Store::new();
        let values = read(&mut store, &["nil", "(cons zero nil)", "(cons zero (cons (succ zero) nil))"]);
        let sort = store.sort(values[0]);
        let variable = store.variable("l", sort);
        let facts = store.size_facts(variable);
        let none = |_: Symbol| None;
        for value in values {
            let value = store.evaluate(value, &none).expect("a value");
            // A selector at another constructor may have any value: one without parts will do.
            struct One(Symbol, Value, Value);
            impl crate::Assignment for One {
                fn value(&self, symbol: Symbol) -> Option<Value> {
                    (symbol == self.0).then(|| self.1.clone())
                }
                fn apply(&self, _: Symbol, _: &[Value]) -> Option<Value> {
                    Some(self.2.clone())
                }
            }
            let symbol = store.as_var(variable).expect("a variable");
            let assignment = One(symbol, value.clone(), value);
            assert_eq!(store.evaluate(facts, &assignment), Some(Value::Bool(true)));
        }
    }
}
