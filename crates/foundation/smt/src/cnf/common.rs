//! Equations that all disjuncts of a disjunction imply.
//!
//! From `x = y and y = z, or x = u and u = z` it follows that `x = z`, but no atom says so. Without it a chain of n such
//! diamonds has 2^n refutations, one for each path, since a conflict can only be explained by the equations of the path
//! that was taken. So each common equation is made an atom that the search decides first, to be false: a conflict in each
//! disjunct then teaches it for good. (Yices adds such equations to the formula; see Dutertre and de Moura 2006. As
//! atoms they need no justification: their proofs are what the search has learnt.)
//!
//! Only equations between terms that are neither Boolean nor arithmetic are looked at. The classes of a disjunct are
//! those of its own equations, without congruence. The cost is linear in the number of equations but for hashing.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use shem_term::{Store, Term, View};

type Map<K, V> = HashMap<K, V, FxBuildHasher>;

/// Disjunctions with more equations in a disjunct are left alone.
const LIMIT: usize = 64;

/// The equations of a formula that is an equation or a conjunction; none if there are too many.
fn equations(store: &Store, formula: Term) -> Vec<(Term, Term)> {
    let equation = |formula: Term| match store.view(formula) {
        View::Equal(a, b) if !formula.is_negated() => Some((a, b)),
        _ => None,
    };
    match store.view(formula) {
        View::And(args) if !formula.is_negated() => {
            let found: Vec<_> = args.iter().filter_map(|&arg| equation(arg)).take(LIMIT + 1).collect();
            if found.len() > LIMIT { Vec::new() } else { found }
        }
        _ => equation(formula).into_iter().collect(),
    }
}

/// For each term of the equations the least term of its class.
fn classes(equations: &[(Term, Term)]) -> Map<Term, Term> {
    fn find(parents: &Map<Term, Term>, mut term: Term) -> Term {
        while let Some(&parent) = parents.get(&term).filter(|&&parent| parent != term) {
            term = parent;
        }
        term
    }
    let mut parents: Map<Term, Term> = Map::default();
    for &(a, b) in equations {
        for term in [a, b] {
            parents.entry(term).or_insert(term);
        }
        let (a, b) = (find(&parents, a), find(&parents, b));
        parents.insert(a.max(b), a.min(b));
    }
    let terms: Vec<Term> = parents.keys().copied().collect();
    terms.into_iter().map(|term| (term, find(&parents, term))).collect()
}

/// Pairs of terms that are equal in each disjunct, without those that follow from the others by transitivity; sorted.
pub(super) fn common_equations(store: &Store, disjuncts: impl Iterator<Item = Term>) -> Vec<(Term, Term)> {
    // By term: the least terms of its classes in the disjuncts so far. Terms that are in no class of some disjunct
    // are dropped.
    let mut members: Option<Map<Term, Vec<Term>>> = None;
    for disjunct in disjuncts {
        let equations = equations(store, disjunct);
        if equations.is_empty() {
            return Vec::new();
        }
        let classes = classes(&equations);
        match &mut members {
            None => members = Some(classes.into_iter().map(|(term, class)| (term, vec![class])).collect()),
            Some(members) => members.retain(|term, found| {
                found.extend(classes.get(term));
                classes.contains_key(term)
            }),
        }
    }
    let mut keyed: Vec<(Vec<Term>, Term)> =
        members.unwrap_or_default().into_iter().map(|(term, key)| (key, term)).collect();
    keyed.sort_unstable();
    keyed.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| (pair[0].1, pair[1].1)).collect()
}

#[cfg(test)]
mod tests {
    use shem_term::Sort;

    use super::*;

    #[test]
    fn what_all_disjuncts_say_is_found_once() {
        let mut store = Store::new();
        let sort = store.declare_sort("U");
        let [x, y, z, u, v] = ["x", "y", "z", "u", "v"].map(|name| store.variable(name, sort));
        let flag = store.variable("b", Sort::Bool);
        let mut both = |equations: &[(Term, Term)]| {
            let mut parts: Vec<Term> = equations.iter().map(|&(a, b)| store.eq(a, b)).collect();
            parts.push(flag);
            store.and(&parts)
        };
        let (left, right) = (both(&[(x, y), (y, z), (u, v)]), both(&[(x, u), (z, u)]));
        let third = both(&[(z, x)]);
        let common = |disjuncts: &[Term]| common_equations(&store, disjuncts.iter().copied());
        assert_eq!(common(&[left, right]), [(x, z)]);
        assert_eq!(common(&[left, right, third]), [(x, z)]);
        assert_eq!(common(&[third]), [(x, z)]);
        assert_eq!(common(&[left, right, flag]), []);
        assert_eq!(common(&[]), []);
        // Three equal terms give two equations.
        assert_eq!(common(&[left, left]), [(x, y), (y, z), (u, v)]);
    }
}
