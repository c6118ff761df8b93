//! Where the indices of an array are counted from.
//!
//! Programs keep an array at an address: its elements are `a[p + k]`, with a pointer `p` that no loop changes. Cells of
//! several arrays say more if they have the same `k` than if they have the same index: that `b` is a copy of `a` is
//! `forall k. a[p + k] = b[q + k]`. So an array may have a *base*, another argument of its predicate, and an index of it
//! is the base plus what its group shares.
//!
//! Arguments that edges hand on form classes, and so do arrays that labels connect. The base of a class of arrays is a
//! class of integers that each of their indices has once, and that every edge on a cycle hands on as it is. Any choice
//! is sound: a base only says how an index is written.

use std::collections::{BTreeMap, BTreeSet};

use shem_base::Rat;
use shem_chc::{Edge, EdgeId, Graph, VertexId};
use shem_term::{Role, Sort, Store, Term, View};

use super::encode::Partition;
use crate::scan::{Scan, source_variables};

/// An argument: the vertex and the position.
type Argument = (VertexId, usize);

/// The bases of arrays among the arguments.
#[derive(Default)]
pub(super) struct Bases {
    of: BTreeMap<Argument, usize>,
}

/// A partition of arguments.
#[derive(Default)]
struct Arguments {
    links: BTreeMap<Argument, Argument>,
}

impl Arguments {
    fn class(&self, mut argument: Argument) -> Argument {
        while let Some(&next) = self.links.get(&argument) {
            argument = next;
        }
        argument
    }

    fn join(&mut self, a: Argument, b: Argument) {
        let (a, b) = (self.class(a), self.class(b));
        if a != b {
            self.links.insert(a.max(b), a.min(b));
        }
    }
}

impl Bases {
    /// The bases of the arrays of a graph whose edges have these labels.
    pub(super) fn find(
        store: &Store,
        scan: &mut Scan,
        graph: &Graph,
        labels: &BTreeMap<EdgeId, Term>,
    ) -> Bases {
        let has_arrays = |v: VertexId| graph.vertex(v).sorts().iter().any(|sort| sort.is_array());
        if !graph.vertices().any(has_arrays) {
            return Bases::default();
        }
        let cyclic = cyclic_pairs(graph);
        let mut arguments = Arguments::default();
        let mut changed: Vec<Argument> = Vec::new();
        // The indices of arrays, as the arguments that they have once.
        let mut indices: Vec<(Argument, Vec<Argument>)> = Vec::new();
        for (id, edge) in graph.edges() {
            let label = labels[&id];
            let occurrences = occurrences(graph, edge);
            let copied = copied(store, label);
            for (at, &variable) in graph.vertex(edge.target).target().iter().enumerate() {
                let origin = copied.get(&variable).and_then(|from| occurrences.get(from));
                match origin {
                    Some(&from) => arguments.join((edge.target, at), from),
                    None if edge.sources.iter().any(|&source| cyclic.contains(&(source, edge.target))) => {
                        changed.push((edge.target, at));
                    }
                    None => {}
                }
            }
            let mut arrays = Partition::default();
            let mut accesses: Vec<(Term, Term)> = Vec::new();
            scan.each(store, &[label], |term| match (store.view(term), store.as_app(term)) {
                (View::Equal(a, b), _) if store.sort(a).is_array() => arrays.join(a, b),
                (View::Ite(_, a, b), _) if store.sort(a).is_array() => {
                    arrays.join(term, a);
                    arrays.join(term, b);
                }
                (_, Some((_, Role::Store, args))) => {
                    arrays.join(term, args[0]);
                    accesses.push((term, args[1]));
                }
                (_, Some((_, Role::Select, args))) => {
                    arrays.insert(args[0]);
                    accesses.push((args[0], args[1]));
                }
                _ => {}
            });
            let mut known: BTreeMap<Term, Argument> = BTreeMap::new();
            for (&variable, &argument) in &occurrences {
                if let Some(part) = arrays.part(variable) {
                    match known.get(&part) {
                        Some(&other) => arguments.join(other, argument),
                        None => _ = known.insert(part, argument),
                    }
                }
            }
            for (array, index) in accesses {
                let part = arrays.part(array).expect("it was inserted");
                if let Some(&argument) = known.get(&part)
                    && store.sort(index) == Sort::Int
                {
                    let once = once(store, index);
                    let of_arguments = once.iter().filter_map(|variable| occurrences.get(variable));
                    indices.push((argument, of_arguments.copied().collect()));
                }
            }
        }
        let changed: BTreeSet<Argument> = changed.into_iter().map(|a| arguments.class(a)).collect();
        let mut possible: BTreeMap<Argument, BTreeSet<Argument>> = BTreeMap::new();
        for (array, once) in indices {
            let once: BTreeSet<Argument> =
                once.into_iter().map(|a| arguments.class(a)).filter(|class| !changed.contains(class)).collect();
            possible
                .entry(arguments.class(array))
                .and_modify(|known| known.retain(|class| once.contains(class)))
                .or_insert(once);
        }
        let mut bases = Bases::default();
        for vertex in graph.vertices() {
            let sorts = graph.vertex(vertex).sorts();
            let mut positions: BTreeMap<Argument, usize> = BTreeMap::new();
            for (at, _) in sorts.iter().enumerate().filter(|(_, sort)| **sort == Sort::Int) {
                positions.entry(arguments.class((vertex, at))).or_insert(at);
            }
            for (at, _) in sorts.iter().enumerate().filter(|(_, sort)| sort.is_array()) {
                let classes = possible.get(&arguments.class((vertex, at)));
                let found = classes.into_iter().flatten().find_map(|class| positions.get(class));
                bases.of.extend(found.map(|&base| ((vertex, at), base)));
            }
        }
        bases
    }

    /// The position of the base of an array.
    pub(super) fn of(&self, vertex: VertexId, array: usize) -> Option<usize> {
        self.of.get(&(vertex, array)).copied()
    }
}

/// The variables of sources and target of an edge, each with its argument.
fn occurrences(graph: &Graph, edge: &Edge) -> BTreeMap<Term, Argument> {
    let mut found = BTreeMap::new();
    for (&source, variables) in edge.sources.iter().zip(source_variables(graph, &edge.sources)) {
        found.extend(variables.into_iter().enumerate().map(|(at, variable)| (variable, (source, at))));
    }
    let target = graph.vertex(edge.target).target();
    found.extend(target.iter().enumerate().map(|(at, &variable)| (variable, (edge.target, at))));
    found
}

/// The label, with what all disjuncts of a conjunct have in common before them: where edges were merged, equations of
/// arrays and what is handed on stand in each of the disjuncts. The formulas are equivalent.
pub(super) fn factored(store: &mut Store, label: Term) -> Term {
    let mut parts = Vec::new();
    for part in store.conjuncts(label) {
        let disjuncts: Vec<Term> = match store.view(part.positive()) {
            View::And(negations) if part.is_negated() => negations.iter().map(|&negation| !negation).collect(),
            _ => Vec::new(),
        };
        let Some((&first, others)) = disjuncts.split_first() else {
            parts.push(part);
            continue;
        };
        let mut common: BTreeSet<Term> = store.conjuncts(first).into_iter().collect();
        for &other in others {
            let known: BTreeSet<Term> = store.conjuncts(other).into_iter().collect();
            common.retain(|conjunct| known.contains(conjunct));
        }
        if common.is_empty() {
            parts.push(part);
            continue;
        }
        let mut rests = Vec::with_capacity(disjuncts.len());
        for disjunct in disjuncts {
            let mut rest = store.conjuncts(disjunct);
            rest.retain(|conjunct| !common.contains(conjunct));
            rests.push(store.and(&rest));
        }
        parts.extend(common);
        parts.push(store.or(&rests));
    }
    store.and(&parts)
}

/// For variables of a label others that they equal, by a conjunct of it.
pub(super) fn copied(store: &Store, label: Term) -> BTreeMap<Term, Term> {
    let mut found = BTreeMap::new();
    for part in store.conjuncts(label) {
        if part.is_negated() {
            continue;
        }
        let pair = match store.view(part) {
            View::Eq(poly, value) if value.is_zero() => match store.poly_terms(poly) {
                [a, b] if (&a.coeff + &b.coeff).is_zero() && a.coeff.abs().is_one() => Some((a.leaf, b.leaf)),
                _ => None,
            },
            View::Equal(a, b) => Some((a, b)),
            _ => None,
        };
        if let Some((a, b)) = pair
            && store.as_var(a).is_some()
            && store.as_var(b).is_some()
        {
            found.entry(a).or_insert(b);
            found.entry(b).or_insert(a);
        }
    }
    found
}

/// The variables that an integer term has once, as summands.
fn once(store: &Store, term: Term) -> Vec<Term> {
    if store.as_var(term).is_some() {
        return vec![term];
    }
    let View::Linear(scale, poly, _) = store.view(term) else { return Vec::new() };
    let summands = store.poly_terms(poly).iter();
    let single = summands.filter(|summand| scale.mul_int(&summand.coeff) == Rat::ONE);
    single.map(|summand| summand.leaf).filter(|&leaf| store.as_var(leaf).is_some()).collect()
}

/// The pairs of vertices of which the first is derived with the help of the second.
fn cyclic_pairs(graph: &Graph) -> BTreeSet<(VertexId, VertexId)> {
    let mut found = BTreeSet::new();
    for start in graph.vertices() {
        let mut seen = BTreeSet::from([start]);
        let mut open = vec![start];
        while let Some(vertex) = open.pop() {
            for id in graph.outgoing(vertex) {
                let next = graph.edge(id).target;
                if seen.insert(next) {
                    open.push(next);
                }
            }
        }
        found.extend(seen.into_iter().map(|reached| (reached, start)));
    }
    found
}
