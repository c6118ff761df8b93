//! Conditionals and Boolean arguments inside of literals.
//!
//! A conditional is replaced by the branch that the model takes, and its condition becomes a formula that must hold.
//! A formula that is an argument is replaced by its truth value in the model, and must hold or not hold accordingly.
//! Only what mentions a variable to eliminate is replaced.

use shem_base::StampSet;
use shem_term::{Sort, Term, View};

use super::rewrite::Rewriting;
use super::unsupported::Unsupported;

/// Replaces the outermost conditionals and Boolean arguments of all literals.
pub(super) fn take_branches(rewriting: &mut Rewriting<'_>) -> Result<bool, Unsupported> {
    let mut pairs = Vec::new();
    let mut obligations = Vec::new();
    let (mut seen, mut replaced) = (StampSet::new(), StampSet::new());
    let mut stack: Vec<Term> = rewriting.literals().to_vec();
    while let Some(term) = stack.pop() {
        if !rewriting.valuation.mentions(term) || !seen.insert(term.index()) {
            continue;
        }
        let store = &*rewriting.store;
        match store.view(term) {
            View::Ite(condition, then, otherwise) => {
                let holds = rewriting.truth(condition)?;
                pairs.push((term.positive(), if holds { then } else { otherwise }));
                obligations.push(condition.xor(!holds));
            }
            View::App(_, args) => {
                for &arg in args {
                    if store.sort(arg) != Sort::Bool {
                        stack.push(arg);
                    } else if rewriting.valuation.mentions(arg) && replaced.insert(arg.index()) {
                        let holds = rewriting.truth(arg.positive())?;
                        pairs.push((arg.positive(), Term::from_bool(holds)));
                        obligations.push(arg.positive().xor(!holds));
                    }
                }
            }
            _ => store.for_each_child(term, |child| stack.push(child)),
        }
    }
    if pairs.is_empty() {
        return Ok(false);
    }
    rewriting.choose();
    rewriting.replace(&pairs);
    obligations.into_iter().for_each(|formula| rewriting.require(formula));
    Ok(true)
}
