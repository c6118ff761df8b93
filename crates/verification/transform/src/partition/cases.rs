//! Cases of a constraint: two formulas whose disjunction is the constraint.
//!
//! What a constraint is divided by is, in this order: a disjunction among its conjuncts, half of whose members go to each
//! side; an inequation of numbers, which holds because one is less or because it is greater; an atom inside of it; and
//! a predicate on the states, an atom about them in the constraint of an edge that goes on from there: for a fact this
//! tells apart which edges can be the first. A case without a solution is no case, so a solver is asked.

use std::collections::BTreeMap;

use shem_base::{Budget, Rat};
use shem_chc::{EdgeId, Graph, VertexId};
use shem_smt::Status;
use shem_term::{Sort, Store, Term, View};

use crate::direct::Direct;
use crate::scan::Scan;

/// How many ways to halve a constraint are tried.
const MOST_TRIED: usize = 24;

/// How much is asked of each: what takes longer counts as a case.
const ASKED: Direct = Direct { conflicts: 500 };

/// Halves constraints.
pub(super) struct Cases {
    /// Atoms about the state of a vertex in the constraints of the edges that come from it, those that occur in most of them
    /// first.
    predicates: BTreeMap<VertexId, Vec<Term>>,
}

impl Cases {
    /// Those of the edges of a graph.
    pub(super) fn new(store: &Store, graph: &Graph) -> Cases {
        let mut predicates = BTreeMap::new();
        for vertex in graph.vertices() {
            let mut counts: BTreeMap<Term, usize> = BTreeMap::new();
            for id in graph.outgoing(vertex) {
                for atom in atoms(store, graph.edge(id).label) {
                    let state = graph.vertex(vertex).state();
                    if store.free_variables(&[atom]).iter().all(|variable| state.contains(variable)) {
                        *counts.entry(atom).or_default() += 1;
                    }
                }
            }
            let mut own: Vec<(Term, usize)> = counts.into_iter().collect();
            own.sort_by_key(|&(atom, count)| (usize::MAX - count, atom));
            predicates.insert(vertex, own.into_iter().map(|(atom, _)| atom).collect());
        }
        Cases { predicates }
    }

    /// Two formulas that both have solutions, as far as is known, and whose disjunction is this label of an edge.
    pub(super) fn halve(
        &self,
        store: &mut Store,
        graph: &Graph,
        (id, label): (EdgeId, Term),
        budget: &Budget,
    ) -> Option<[Term; 2]> {
        for [one, other] in self.ways(store, graph, (id, label)).into_iter().take(MOST_TRIED) {
            budget.check_stop().ok()?;
            let halves = [store.and2(label, one), store.and2(label, other)];
            let is_case = |&half: &Term| half != label && ASKED.ask(store, half, budget) != Status::Unsat;
            if halves.iter().all(is_case) {
                return Some(halves);
            }
        }
        None
    }

    /// Pairs of formulas of which one holds wherever the label does.
    fn ways(&self, store: &mut Store, graph: &Graph, (id, label): (EdgeId, Term)) -> Vec<[Term; 2]> {
        let mut ways = Vec::new();
        let conjuncts = store.conjuncts(label);
        for &conjunct in &conjuncts {
            let members = store.disjuncts(conjunct);
            if members.len() > 1 {
                let (one, other) = members.split_at(members.len() / 2);
                ways.push([store.or(one), store.or(other)]);
            }
        }
        for &conjunct in &conjuncts {
            ways.extend(orders(store, conjunct));
        }
        let nested = atoms(store, label);
        let nested =
            nested.into_iter().filter(|atom| !conjuncts.contains(atom) && !conjuncts.contains(&!*atom));
        ways.extend(nested.map(|atom| [atom, !atom]));
        let edge = graph.edge(id);
        for position in 0..edge.sources.len() {
            let (vertex, variables) = (edge.sources[position], graph.source_variables(edge, position));
            self.predicates_on(store, graph, (vertex, variables), &mut ways);
        }
        if edge.sources.is_empty() {
            self.predicates_on(store, graph, (edge.target, graph.vertex(edge.target).target()), &mut ways);
        }
        ways
    }

    /// Adds the predicates on the state of a vertex, about these variables.
    fn predicates_on(
        &self,
        store: &mut Store,
        graph: &Graph,
        (vertex, variables): (VertexId, &[Term]),
        ways: &mut Vec<[Term; 2]>,
    ) {
        for &atom in self.predicates.get(&vertex).into_iter().flatten() {
            let atom = store.rename(atom, graph.vertex(vertex).state(), variables);
            ways.push([atom, !atom]);
        }
    }
}

/// The two orders of numbers that differ.
fn orders(store: &mut Store, conjunct: Term) -> Option<[Term; 2]> {
    if !conjunct.is_negated() {
        return None;
    }
    let View::Eq(poly, value) = store.view(conjunct) else { return None };
    let (value, terms) = (value.clone(), store.poly_terms(poly).to_vec());
    let terms: Vec<_> = terms.into_iter().map(|term| (Rat::from(term.coeff), term.leaf)).collect();
    let (less, at_most) = (store.linear_le(&terms, &value, true), store.linear_le(&terms, &value, false));
    Some([less, !at_most])
}

/// The atoms of a formula about variables: no conditionals are inside of them, and they are not bound.
fn atoms(store: &Store, formula: Term) -> Vec<Term> {
    let mut found = Vec::new();
    let mut is_quantified = false;
    Scan::default().each(store, &[formula], |term| match store.view(term) {
        View::Var(_) if store.sort(term) == Sort::Bool => found.push(term),
        View::Le(..) | View::Lt(..) | View::Eq(..) | View::Divisible(..) => found.push(term),
        View::Forall(..) => is_quantified = true,
        _ => {}
    });
    if is_quantified {
        return Vec::new();
    }
    found
}
