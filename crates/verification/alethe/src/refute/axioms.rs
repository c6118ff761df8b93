//! What quotients, remainders and absolute values mean, as assertions.
//!
//! Alethe has no rules for them. Instances of their definitions, one for each term in the problem, may be asserted along
//! with it: whoever checks the problem has to recognise them, which is a matter of their form alone.

use std::collections::BTreeSet;

use super::problem::Problem;
use crate::error::{Result, unsupported};
use crate::written::TermId;

/// The greatest length of a term that is written out.
const LONGEST: usize = 100_000;

impl Problem {
    /// Definitions of the quotients and remainders by numbers, and of the absolute values, that occur: commands that assert
    /// them.
    pub fn axioms(&self) -> Result<Vec<String>> {
        let terms = &self.script.terms;
        let (mut seen, mut done) = (BTreeSet::new(), BTreeSet::new());
        let mut axioms = Vec::new();
        let mut stack: Vec<TermId> = self.premises.clone();
        while let Some(id) = stack.pop() {
            if !seen.insert(id) {
                continue;
            }
            match terms.parts(id) {
                ("div" | "mod", &[a, b]) if terms.signed_literal(a).is_none() => {
                    if let Some(divisor) = terms.signed_literal(b).filter(|divisor| !divisor.is_zero())
                        && done.insert((a, b))
                    {
                        let (t, k, size) = (self.written(a)?, self.written(b)?, divisor.abs().numer());
                        axioms.push(format!("(assert (= {t} (+ (* {k} (div {t} {k})) (mod {t} {k}))))"));
                        axioms.push(format!("(assert (<= 0 (mod {t} {k})))"));
                        axioms.push(format!("(assert (< (mod {t} {k}) {size}))"));
                    }
                }
                ("abs", &[a]) => {
                    let t = self.written(a)?;
                    axioms.push(format!("(assert (= (abs {t}) (ite (< {t} 0) (- {t}) {t})))"));
                }
                _ => {}
            }
            stack.extend_from_slice(terms.parts(id).1);
        }
        Ok(axioms)
    }

    /// A term without names for its parts.
    fn written(&self, term: TermId) -> Result<String> {
        let mut text = String::new();
        self.script.terms.write(&mut text, term, &|out, _| out.len() > LONGEST);
        if text.len() > LONGEST {
            return unsupported("a quotient of such a long term");
        }
        Ok(text)
    }
}
