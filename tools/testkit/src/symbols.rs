//! The declared constants that a term mentions.
//!
//! What a solver claims about shared symbols is judged on the text: names that a `let`, a quantifier or
//! a definition binds are no constants, and a defined function mentions what its body mentions.

use crate::script::declared_constant;
use crate::sexpr::Sexpr;
use std::collections::{BTreeMap, BTreeSet};

/// The symbols in force: constants mention themselves, defined functions what their bodies do.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    meanings: BTreeMap<String, BTreeSet<String>>,
}

impl Symbols {
    /// The symbols that declarations and definitions introduce.
    pub fn new(preamble: &[Sexpr]) -> Self {
        let mut symbols = Self::default();
        for command in preamble {
            if let Some(constant) = declared_constant(command) {
                symbols.meanings.insert(constant.name.clone(), BTreeSet::from([constant.name]));
                continue;
            }
            let (parameters, name, body) = match (command.head(), command.list()) {
                (Some("define-fun"), Some([_, name, parameters, _, body])) => (Some(parameters), name, body),
                (Some("define-const"), Some([_, name, _, body])) => (None, name, body),
                _ => continue,
            };
            let mut bound = parameters.map(binders).unwrap_or_default();
            let mut found = BTreeSet::new();
            symbols.collect(body, &mut bound, &mut found);
            symbols.meanings.insert(name.to_string(), found);
        }
        symbols
    }

    /// The constants that a term mentions.
    pub fn of(&self, term: &Sexpr) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        self.collect(term, &mut Vec::new(), &mut found);
        found
    }

    fn collect(&self, term: &Sexpr, bound: &mut Vec<String>, found: &mut BTreeSet<String>) {
        let items = match term {
            Sexpr::Atom(name) => {
                if !bound.contains(name)
                    && let Some(meaning) = self.meanings.get(name)
                {
                    found.extend(meaning.iter().cloned());
                }
                return;
            }
            Sexpr::List(items) => items,
        };
        let mark = bound.len();
        match (term.head(), &items[..]) {
            (Some("let"), [_, bindings, body]) => {
                for binding in bindings.list().unwrap_or_default() {
                    if let Some([_, value]) = binding.list() {
                        self.collect(value, bound, found);
                    }
                }
                bound.extend(binders(bindings));
                self.collect(body, bound, found);
            }
            (Some("forall" | "exists"), [_, variables, body]) => {
                bound.extend(binders(variables));
                self.collect(body, bound, found);
            }
            (Some("!"), [_, body, ..]) => self.collect(body, bound, found),
            _ => {
                for item in items {
                    self.collect(item, bound, found);
                }
            }
        }
        bound.truncate(mark);
    }
}

/// The names at the heads of a list of pairs.
fn binders(pairs: &Sexpr) -> Vec<String> {
    let pairs = pairs.list().unwrap_or_default();
    pairs.iter().filter_map(|pair| pair.head().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sexpr::read_all;

    #[test]
    fn bound_names_are_no_constants() {
        let preamble = read_all(
            "(declare-const x Int) (declare-fun y () Int) (declare-const z Int)
             (define-fun f ((x Int)) Int (+ x y))",
        )
        .unwrap();
        let symbols = Symbols::new(&preamble);
        for (term, expected) in [
            ("(< x 3)", "x"),
            ("(< (f 1) 3)", "y"),
            ("(let ((x z)) (< x (f x)))", "y z"),
            ("(let ((x (+ x 1))) (< x 2))", "x"),
            ("(and (let ((y 1)) (< y 2)) (= y z))", "y z"),
            ("(forall ((x Int)) (< x z))", "z"),
            ("(! (< x 1) :named z)", "x"),
        ] {
            let term = read_all(term).unwrap().remove(0);
            assert_eq!(symbols.of(&term).into_iter().collect::<Vec<_>>().join(" "), expected, "{term}");
        }
    }
}
