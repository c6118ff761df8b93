//! What quotients, remainders and absolute values mean, as assertions.
//!
//! Alethe has no rules for them. Instances of their definitions, one for each term in the problem, may be asserted along
//! with it: whoever checks the problem has to recognise them, which is a matter of their form alone.

use shem_base::Rat;
use shem_term::quote_symbol;

use crate::error::RefuteError;
use crate::problem::Problem;
use crate::terms::{Id, Shape};

/// The greatest length of a term that is written out.
const LONGEST: usize = 100_000;

impl Problem {
    /// Definitions of the quotients and remainders by numbers, and of the absolute values, that occur: commands that assert
    /// them.
    pub fn axioms(&self) -> Result<Vec<String>, RefuteError> {
        let mut seen = std::collections::BTreeSet::new();
        let mut done = std::collections::BTreeSet::new();
        let mut axioms = Vec::new();
        let mut stack: Vec<Id> = self.premises.clone();
        while let Some(id) = stack.pop() {
            if !seen.insert(id) {
                continue;
            }
            match self.terms.parts(id) {
                ("div" | "mod", &[a, b])
                    if self.signed_literal(a).is_none()
                        && self.signed_literal(b).is_some_and(|k| !k.is_zero())
                        && done.insert((a, b)) =>
                {
                    let (t, k) = (self.written(a)?, self.written(b)?);
                    let size = self.signed_literal(b).unwrap_or(Rat::ZERO).abs().numer();
                    axioms.push(format!("(assert (= {t} (+ (* {k} (div {t} {k})) (mod {t} {k}))))"));
                    axioms.push(format!("(assert (<= 0 (mod {t} {k})))"));
                    axioms.push(format!("(assert (< (mod {t} {k}) {size}))"));
                }
                ("abs", &[a]) => {
                    let t = self.written(a)?;
                    axioms.push(format!("(assert (= (abs {t}) (ite (< {t} 0) (- {t}) {t})))"));
                }
                _ => {}
            }
            stack.extend_from_slice(self.terms.parts(id).1);
        }
        Ok(axioms)
    }

    /// A term without names for its parts.
    fn written(&self, root: Id) -> Result<String, RefuteError> {
        enum Piece {
            Term(Id),
            Text(&'static str),
        }
        let mut text = String::new();
        let mut stack = vec![Piece::Term(root)];
        while let Some(piece) = stack.pop() {
            if text.len() > LONGEST {
                return Err(RefuteError::Unsupported("a quotient of such a long term".to_owned()));
            }
            match piece {
                Piece::Text(piece) => text += piece,
                Piece::Term(id) => match self.terms.shape(id) {
                    Shape::Number(value, _) if value.is_integer() => text += &value.numer().to_string(),
                    Shape::Number(value, _) => text += &format!("(/ {} {})", value.numer(), value.denom()),
                    Shape::Parameter(_) => unreachable!("no parameters are left"),
                    Shape::Apply(head, args) => {
                        let name = quote_symbol(self.terms.head_name(*head));
                        if args.is_empty() {
                            text += &name;
                            continue;
                        }
                        text.push('(');
                        text += &name;
                        stack.push(Piece::Text(")"));
                        for &arg in args.iter().rev() {
                            stack.extend([Piece::Term(arg), Piece::Text(" ")]);
                        }
                    }
                },
            }
        }
        Ok(text)
    }
}
