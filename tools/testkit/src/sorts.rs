//! Sorts of terms, as far as shrinking needs them.
//!
//! The shrinker may replace a term only by one of the same sort. This inference is lenient: it trusts
//! that the script is well sorted and reads the sort off the operator.

use crate::script::declared_constant;
use crate::sexpr::Sexpr;

/// A sort of the scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// Truth values.
    Bool,
    /// Integers.
    Int,
    /// Reals.
    Real,
}

impl Sort {
    /// Reads a sort's name.
    pub fn read(name: &str) -> Option<Self> {
        match name {
            "Bool" => Some(Self::Bool),
            "Int" => Some(Self::Int),
            "Real" => Some(Self::Real),
            _ => None,
        }
    }

    /// Simple terms of this sort.
    pub fn constants(self) -> &'static [&'static str] {
        match self {
            Self::Bool => &["true", "false"],
            Self::Int => &["0", "1"],
            Self::Real => &["0.0", "1.0"],
        }
    }
}

/// The sorts of symbols in force; a later entry hides an earlier one.
#[derive(Clone, Debug, Default)]
pub struct Signature {
    symbols: Vec<(String, Sort)>,
}

impl Signature {
    /// The symbols that a script declares or defines, regardless of scopes.
    pub fn of_script(commands: &[Sexpr]) -> Self {
        let mut signature = Self::default();
        for command in commands {
            if let Some(constant) = declared_constant(command) {
                signature.bind(&constant.name, Sort::read(&constant.sort));
            } else if let (Some("define-fun"), Some([_, name, _, sort, _])) = (command.head(), command.list())
            {
                signature.bind(name.text().unwrap_or_default(), sort.text().and_then(Sort::read));
            }
        }
        signature
    }

    /// Adds a symbol; one of unknown sort is left out.
    pub fn bind(&mut self, name: &str, sort: Option<Sort>) {
        if let Some(sort) = sort {
            self.symbols.push((name.to_owned(), sort));
        }
    }

    /// Adds the parameters of a definition.
    pub fn bind_parameters(&mut self, parameters: &Sexpr) {
        for parameter in parameters.list().unwrap_or_default() {
            if let Some([name, sort]) = parameter.list() {
                self.bind(name.text().unwrap_or_default(), sort.text().and_then(Sort::read));
            }
        }
    }

    /// The signature inside a `let` with these bindings.
    pub fn inside_let(&self, bindings: &Sexpr) -> Self {
        let mut inner = self.clone();
        for binding in bindings.list().unwrap_or_default() {
            if let Some([name, value]) = binding.list() {
                inner.bind(name.text().unwrap_or_default(), self.sort_of(value));
            }
        }
        inner
    }

    /// The sort of a term.
    pub fn sort_of(&self, term: &Sexpr) -> Option<Sort> {
        match term {
            Sexpr::Atom(text) => self.sort_of_atom(text),
            Sexpr::List(items) => {
                let arguments = items.get(1..)?;
                match term.head() {
                    None => Some(Sort::Bool),
                    Some("let") => self.inside_let(items.get(1)?).sort_of(items.get(2)?),
                    Some("ite") => self.sort_of(items.get(2)?).or_else(|| self.sort_of(items.get(3)?)),
                    Some("!") => self.sort_of(items.get(1)?),
                    Some("+" | "-" | "*" | "abs") => {
                        let real = arguments.iter().any(|item| self.sort_of(item) == Some(Sort::Real));
                        Some(if real { Sort::Real } else { Sort::Int })
                    }
                    Some("div" | "mod" | "to_int") => Some(Sort::Int),
                    Some("/" | "to_real") => Some(Sort::Real),
                    Some(
                        "and" | "or" | "not" | "=>" | "xor" | "=" | "distinct" | "<" | "<=" | ">" | ">="
                        | "is_int",
                    ) => Some(Sort::Bool),
                    Some(name) => self.lookup(name),
                }
            }
        }
    }

    fn sort_of_atom(&self, text: &str) -> Option<Sort> {
        match text {
            "true" | "false" => Some(Sort::Bool),
            _ if text.starts_with(|c: char| c.is_ascii_digit()) => {
                Some(if text.contains('.') { Sort::Real } else { Sort::Int })
            }
            _ => self.lookup(text),
        }
    }

    fn lookup(&self, name: &str) -> Option<Sort> {
        self.symbols.iter().rev().find(|(symbol, _)| symbol == name).map(|&(_, sort)| sort)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sexpr::read_all;

    #[test]
    fn sorts_follow_operators_and_binders() {
        let script = "(declare-const x Int)(declare-fun r () Real)(define-fun f ((a Int)) Bool (> a 0))";
        let signature = Signature::of_script(&read_all(script).unwrap());
        for (term, sort) in [
            ("(+ x 1)", Sort::Int),
            ("(+ r 1)", Sort::Real),
            ("(f x)", Sort::Bool),
            ("(let ((x r)) (* 2 x))", Sort::Real),
            ("(let ((x r) (y x)) y)", Sort::Int),
            ("(ite (f x) (to_real x) 0.5)", Sort::Real),
            ("((_ divisible 3) x)", Sort::Bool),
            ("(- (mod x 3))", Sort::Int),
        ] {
            assert_eq!(signature.sort_of(&read_all(term).unwrap()[0]), Some(sort), "{term}");
        }
    }
}
