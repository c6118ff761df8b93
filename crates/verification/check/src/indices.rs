//! Instances at the indices of arrays.
//!
//! What a universal formula says of all indices of an array matters at the indices that occur elsewhere: the array
//! property fragment (Bradley, Manna and Sipma 2006) is decided by instances at these terms alone. So before values are
//! looked for, the index terms of what was asserted are tried for variables that are indices themselves. Where an index
//! is a variable and something else, say `a[i - p + q]`, the variable may be what makes it such a term, too. Only instances
//! that are false in the model at hand are of use. The choice matters for termination only, not for soundness.

use std::collections::BTreeSet;

use shem_smt::Model;
use shem_term::{Evaluator, Role, Sort, Store, Symbol, Term, Value};

/// How many combinations of terms are tried for one formula and one model.
const MAX_TRIED: usize = 4_000;
/// At how many distances from an index a variable is looked at.
const MAX_DISTANCES: usize = 4;
/// How many instances of one formula one model gives.
const MAX_INSTANCES: usize = 6;

/// Index terms of formulas without bound variables.
#[derive(Clone, Debug, Default)]
pub(crate) struct IndexTerms {
    terms: BTreeSet<Term>,
}

impl IndexTerms {
    /// Adds those of a formula in which nothing is bound.
    pub(crate) fn collect(&mut self, store: &Store, formula: Term) {
        for term in store.subterms(&[formula]) {
            if let Some((_, Role::Select | Role::Store, args)) = store.as_app(term) {
                self.terms.insert(args[1]);
            }
        }
    }

    /// Instances of the body of a universal formula that are false in the model.
    pub(crate) fn instances(&self, store: &mut Store, vars: &[Term], body: Term, model: &Model) -> Vec<Term> {
        let mut indices: BTreeSet<Term> = BTreeSet::new();
        for term in store.subterms(&[body]) {
            if let Some((_, Role::Select, args)) = store.as_app(term) {
                indices.insert(args[1]);
            }
        }
        if self.terms.is_empty() || !vars.iter().all(|var| indices.contains(var)) {
            return Vec::new();
        }
        let distances: Vec<Vec<Term>> = vars.iter().map(|&var| distances(store, &indices, vars, var)).collect();
        // Of terms with the same value one is as good as the other.
        let mut candidates: Vec<Vec<(Term, Value)>> = Vec::with_capacity(vars.len());
        for (&var, distances) in vars.iter().zip(&distances) {
            let mut terms: Vec<Term> =
                self.terms.iter().copied().filter(|&term| store.sort(term) == store.sort(var)).collect();
            let indices = terms.len();
            for &distance in distances {
                for at in 0..indices {
                    terms.push(store.sub(terms[at], distance));
                }
            }
            let mut list: Vec<(Term, Value)> = Vec::new();
            for term in terms {
                let plain = |symbol: Symbol| Some(model.value_or_default(store, symbol));
                if let Some(value) = store.evaluate(term, &plain)
                    && !list.iter().any(|(_, known)| *known == value)
                {
                    list.push((term, value));
                }
            }
            if list.is_empty() {
                return Vec::new();
            }
            candidates.push(list);
        }
        let bound: Vec<Symbol> = vars.iter().map(|&v| store.as_var(v).expect("a bound variable")).collect();
        let plain = |symbol: Symbol| Some(model.value_or_default(store, symbol));
        let mut evaluator = Evaluator::new(store, body);
        let mut found: Vec<Vec<Term>> = Vec::new();
        let mut at = vec![0; vars.len()];
        for _ in 0..MAX_TRIED {
            let value = |symbol: Symbol| match bound.iter().position(|&b| b == symbol) {
                Some(place) => Some(candidates[place][at[place]].1.clone()),
                None => plain(symbol),
            };
            if evaluator.evaluate(store, &value) == Some(Value::Bool(false)) {
                found.push(at.iter().zip(&candidates).map(|(&i, list)| list[i].0).collect());
                if found.len() == MAX_INSTANCES {
                    break;
                }
            }
            let Some(digit) = (0..at.len()).find(|&d| at[d] + 1 < candidates[d].len()) else { break };
            at[digit] += 1;
            at[..digit].fill(0);
        }
        found.iter().map(|terms| store.rename(body, vars, terms)).collect()
    }
}

/// How far integer indices are from the variable, other than not at all, if nothing bound says so.
fn distances(store: &mut Store, indices: &BTreeSet<Term>, vars: &[Term], var: Term) -> Vec<Term> {
    let mut found = Vec::new();
    if store.sort(var) != Sort::Int {
        return found;
    }
    for &index in indices {
        if found.len() == MAX_DISTANCES || index == var || store.sort(index) != Sort::Int {
            continue;
        }
        let distance = store.sub(index, var);
        let free = store.free_variables(&[distance]);
        if vars.iter().all(|bound| !free.contains(bound)) && !found.contains(&distance) {
            found.push(distance);
        }
    }
    found
}
