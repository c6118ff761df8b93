//! Reduction of labels: equivalent labels with fewer auxiliary variables.
//!
//! Exact rules, each linear in the size of the label, are applied until none changes anything:
//! *definitions* (an auxiliary that a conjunct equates with a term is replaced by it), *monotone* auxiliaries
//! (one that makes atoms true by being small wherever it occurs, or by being large), and reduction inside
//! disjunctions (a quantifier distributes over them). A step that makes the label much larger is not taken. Auxiliary
//! arrays that are left become auxiliaries for their elements, where that is possible (see `arrays`).

mod arrays;
mod bounded;
mod define;
mod monotone;

use shem_base::StopToken;
use shem_chc::{Edge, Graph};
use shem_smt::project::simplify_cube;
use shem_term::{Store, Term};

use crate::scan::{Scan, canonical};

/// How often the rules are applied to one formula. Each application of definitions halves a chain of them.
const ROUNDS: usize = 40;

/// How deep disjunctions inside disjunctions are opened.
pub(crate) const DEPTH: usize = 3;

/// Reduces labels; it holds the buffers.
#[derive(Default)]
pub(crate) struct Reducer {
    pub(crate) scan: Scan,
    /// Ends a reduction between two applications of the rules.
    stop: StopToken,
    polarity: monotone::Polarity,
}

impl Reducer {
    /// A reducer that ends early if a stop is requested.
    pub(crate) fn until(stop: &StopToken) -> Reducer {
        Reducer { stop: stop.clone(), ..Reducer::default() }
    }

    /// A label for the edge that is equivalent to its own: it has the same solutions in the canonical
    /// variables.
    pub(crate) fn label(&mut self, store: &mut Store, graph: &Graph, edge: &Edge) -> Term {
        let auxiliaries = self.scan.auxiliaries(store, graph, edge);
        let mut label = self.reduce(store, edge.label, &auxiliaries, DEPTH);
        if !store.has_arrays() {
            return label;
        }
        let limit = 2 * self.scan.size(store, label) + 100;
        let canonical = canonical(graph, edge);
        for _ in 0..ROUNDS {
            let mut auxiliaries = self.scan.variables(store, &[label]);
            auxiliaries.retain(|v| canonical.binary_search(v).is_err());
            let Some(next) = self.eliminate_arrays(store, label, &auxiliaries) else { break };
            let mut auxiliaries = self.scan.variables(store, &[next]);
            auxiliaries.retain(|v| canonical.binary_search(v).is_err());
            let next = self.reduce(store, next, &auxiliaries, DEPTH);
            if self.scan.size(store, next) > limit {
                break;
            }
            label = next;
        }
        label
    }

    /// A formula that is equivalent if the auxiliaries, which are sorted, are quantified existentially in both.
    pub(crate) fn reduce(
        &mut self,
        store: &mut Store,
        mut formula: Term,
        auxiliaries: &[Term],
        depth: usize,
    ) -> Term {
        let limit = 2 * self.scan.size(store, formula) + 100;
        for _ in 0..ROUNDS {
            if formula.is_truth_constant() || self.stop.is_stopped() {
                break;
            }
            let mut members = store.conjuncts(formula);
            simplify_cube(store, &mut members);
            let mut next = store.and(&members);
            if !auxiliaries.is_empty() {
                next = self.substitute_definitions(store, next, auxiliaries);
                next = self.drop_monotone(store, next, auxiliaries);
                // Labels of arithmetic alone are left to projection, which knows more.
                if store.sort_count() > 0 {
                    next = self.eliminate_bounded(store, next, auxiliaries);
                }
                if depth > 0 {
                    next = self.open_disjunctions(store, next, auxiliaries, depth - 1);
                }
            }
            if next == formula || self.scan.size(store, next) > limit {
                break;
            }
            formula = next;
        }
        formula
    }

    /// Reduces the disjuncts of each conjunct by the auxiliaries that no other conjunct has.
    fn open_disjunctions(
        &mut self,
        store: &mut Store,
        formula: Term,
        auxiliaries: &[Term],
        depth: usize,
    ) -> Term {
        let mut members = store.conjuncts(formula);
        if !members.iter().any(|&member| store.disjuncts(member).len() > 1) {
            return formula;
        }
        // The auxiliaries of each conjunct, and which conjunct alone has an auxiliary.
        let mut owned: Vec<(Term, usize)> = Vec::new();
        for (at, &member) in members.iter().enumerate() {
            for variable in self.scan.variables(store, &[member]) {
                if auxiliaries.binary_search(&variable).is_ok() {
                    owned.push((variable, at));
                }
            }
        }
        owned.sort_unstable();
        let mut own: Vec<Vec<Term>> = vec![Vec::new(); members.len()];
        for group in owned.chunk_by(|a, b| a.0 == b.0) {
            if let [(variable, at)] = *group {
                own[at].push(variable);
            }
        }
        for (member, own) in members.iter_mut().zip(&own) {
            let branches = store.disjuncts(*member);
            if branches.len() > 1 && !own.is_empty() {
                let reduced: Vec<Term> =
                    branches.iter().map(|&branch| self.reduce(store, branch, own, depth)).collect();
                *member = store.or(&reduced);
            }
        }
        store.and(&members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shem_term::Sort;

    fn check(build: impl FnOnce(&mut Store, Term, Term, Term) -> Term, expected: &str) {
        let mut store = Store::new();
        let [x, y, a] = ["x", "y", "a"].map(|name| store.variable(name, Sort::Int));
        let formula = build(&mut store, x, y, a);
        let reduced = Reducer::default().reduce(&mut store, formula, &[a], DEPTH);
        assert_eq!(store.display(reduced).to_string(), expected);
    }

    #[test]
    fn a_definition_is_put_in() {
        check(
            |store, x, y, a| {
                let one = store.int(1);
                let sum = store.add(&[x, one]);
                let (define, use_it) = (store.eq(a, sum), store.le(a, y));
                store.and2(define, use_it)
            },
            "(<= (+ x (- y)) (- 1))",
        );
    }

    #[test]
    fn an_integer_with_a_coefficient_is_not_defined() {
        check(
            |store, x, _, a| {
                let double = store.add(&[a, a]);
                store.eq(x, double)
            },
            "(= (+ x (* (- 2) a)) 0)",
        );
    }

    #[test]
    fn bounds_on_one_side_go() {
        check(
            |store, x, y, a| {
                let (low, other) = (store.le(x, a), store.lt(y, a));
                let same = store.eq(a, y);
                let rest = store.le(x, y);
                store.and(&[low, other, !same, rest])
            },
            "(<= (+ x (- y)) 0)",
        );
    }

    #[test]
    fn bounds_on_both_sides_stay() {
        check(
            |store, x, y, a| {
                let (low, high) = (store.le(x, a), store.le(a, y));
                store.and2(low, high)
            },
            "(and (<= (+ x (- a)) 0) (>= (+ y (- a)) 0))",
        );
    }

    #[test]
    fn disjunctions_are_opened() {
        check(
            |store, x, y, a| {
                let (first, second) = (store.eq(a, x), store.eq(a, y));
                let zero = store.int(0);
                let positive = store.gt(a, zero);
                let first = store.and2(first, positive);
                let second = store.and2(second, positive);
                store.or2(first, second)
            },
            "(or (>= x 1) (>= y 1))",
        );
    }
}
