//! Orders among arguments: which are compared with each other, directly or through others.
//!
//! What is known of an element of an array depends on where its index stands among the counters of the program and the
//! ends of its loops (Gopan, Reps and Sagiv 2005; Halbwachs and Péron 2008). A loop compares its counter with its end, and
//! writes where the counter is; that an index is below the end decides as much after the loop, and is said by no atom. So
//! two arguments of a vertex are compared if a label compares them, or both with a third, or, for more phases, if their
//! values come from such a comparison elsewhere; and an argument is compared with the numbers that those beside it begin or
//! end with.
//!
//! Phases multiply, so only what is about a *free* argument makes some: one that a clause has at several values, as it has
//! the cells of an array. What the others are to each other bounds say in each phase. Arguments that are asked for
//! equality alone, as elements are, make none either, since hulls have equations.

use std::collections::{BTreeMap, BTreeSet};

use shem_base::Rat;
use shem_chc::{Edge, EdgeId, Graph, VertexId};
use shem_term::{Sort, Store, Term, View};

use super::program::push_new;

/// An argument: the vertex and the position.
type Argument = (VertexId, usize);

/// The greatest number of numbers that an argument is compared with.
const MAX_NUMBERS: usize = 3;

/// The greatest number of differences of a vertex that have bounds because their sides are related.
const MAX_BOUNDS: usize = 40;

/// Two arguments of a vertex, by their positions.
type Pairs = BTreeSet<(usize, usize)>;

/// The comparisons for each vertex, as equations over its state variables, the most promising first.
#[derive(Debug, Default)]
pub(super) struct Orders {
    /// Those that labels show.
    shown: BTreeMap<VertexId, Vec<Term>>,
    /// Those of related arguments.
    related: BTreeMap<VertexId, Vec<Term>>,
    /// Those of related arguments none of which is free: they make bounds and no phases.
    bounds: BTreeMap<VertexId, Vec<Term>>,
}

/// A partition of what has an order.
struct Partition<T> {
    links: BTreeMap<T, T>,
}

impl<T: Copy + Ord> Partition<T> {
    fn class(&self, mut item: T) -> T {
        while let Some(&next) = self.links.get(&item) {
            item = next;
        }
        item
    }

    fn join(&mut self, a: T, b: T) {
        let (a, b) = (self.class(a), self.class(b));
        if a != b {
            self.links.insert(a.max(b), a.min(b));
        }
    }
}

/// What labels compare.
struct Comparisons {
    pairs: BTreeMap<VertexId, Pairs>,
    numbers: BTreeMap<Argument, Vec<Rat>>,
    /// Arguments that are compared other than for equality.
    ordered: BTreeSet<Argument>,
    /// Arguments that edges hand on to each other.
    handed: Partition<Argument>,
    /// Arguments that some edge has at several values.
    free: BTreeSet<Argument>,
    /// Arguments whose values are compared somewhere, or handed on to such.
    related: Partition<Argument>,
}

impl Orders {
    /// The comparisons of a graph.
    pub(super) fn find(store: &mut Store, graph: &Graph, edges: &[(EdgeId, Edge)]) -> Orders {
        let mut found = Comparisons {
            pairs: BTreeMap::new(),
            numbers: BTreeMap::new(),
            ordered: BTreeSet::new(),
            handed: Partition { links: BTreeMap::new() },
            free: BTreeSet::new(),
            related: Partition { links: BTreeMap::new() },
        };
        for (_, edge) in edges {
            found.collect(store, graph, edge);
        }
        found.free = found.free.iter().map(|&argument| found.handed.class(argument)).collect();
        let mut orders = Orders::default();
        for vertex in graph.vertices() {
            orders.shown.insert(vertex, found.shown(store, graph, vertex));
            let (related, bounds) = found.related(store, graph, vertex);
            orders.related.insert(vertex, related);
            orders.bounds.insert(vertex, bounds);
        }
        orders
    }

    /// Those of a vertex: what labels show, and with `all` those of related arguments.
    pub(super) fn of(&self, vertex: VertexId, all: bool) -> impl Iterator<Item = Term> {
        let related = self.related.get(&vertex).filter(|_| all);
        self.shown.get(&vertex).into_iter().chain(related).flatten().copied()
    }

    /// Comparisons of a vertex whose two sides are worth bounds of their difference.
    pub(super) fn bounds(&self, vertex: VertexId) -> impl Iterator<Item = Term> {
        self.bounds.get(&vertex).into_iter().flatten().copied()
    }
}

impl Comparisons {
    fn collect(&mut self, store: &Store, graph: &Graph, edge: &Edge) {
        let same = equalities(store, edge.label, true);
        let class_of = |variable: &Term| same.class(*variable);
        let mut places: Vec<(VertexId, Vec<Term>)> = Vec::new();
        for (at, &source) in edge.sources.iter().enumerate() {
            places.push((source, graph.source_variables(edge, at).iter().map(class_of).collect()));
        }
        places.push((edge.target, graph.vertex(edge.target).target().iter().map(class_of).collect()));
        self.take_note_of_copies(&places);
        let mut first: BTreeMap<Term, Argument> = BTreeMap::new();
        for (vertex, classes) in &places {
            for (at, &class) in classes.iter().enumerate() {
                match first.get(&class) {
                    Some(&other) => self.related.join(other, (*vertex, at)),
                    None => _ = first.insert(class, (*vertex, at)),
                }
            }
        }
        for atom in store.subterms(&[edge.label]) {
            let (poly, value, is_order) = match store.view(atom) {
                View::Le(poly, value) | View::Lt(poly, value) => (poly, value, true),
                View::Eq(poly, value) => (poly, value, false),
                _ => continue,
            };
            let Some((a, b)) = difference(store, poly) else { continue };
            let (a, b) = (same.class(a), b.map(|b| same.class(b)));
            if let Some(b) = b
                && let (Some(&one), Some(&other)) = (first.get(&a), first.get(&b))
            {
                self.related.join(one, other);
            }
            for (vertex, classes) in &places {
                let place = |class| classes.iter().position(|&other| other == class).map(|at| (*vertex, at));
                if is_order {
                    self.ordered.extend([Some(a), b].into_iter().flatten().filter_map(place));
                }
                let Some((_, at)) = place(a) else { continue };
                match b {
                    None => {
                        let value = if store.poly_terms(poly)[0].coeff.is_negative() { -value } else { value.clone() };
                        push_new(self.numbers.entry((*vertex, at)).or_default(), value);
                    }
                    Some(b) => {
                        if let Some((_, other)) = place(b).filter(|&(_, other)| other != at) {
                            self.pairs.entry(*vertex).or_default().insert((at.min(other), at.max(other)));
                        }
                    }
                }
            }
        }
    }

    /// Takes note of what the sources, which come before the target, have in common.
    fn take_note_of_copies(&mut self, places: &[(VertexId, Vec<Term>)]) {
        let Some(((target, results), sources)) = places.split_last() else { return };
        for (number, (source, classes)) in sources.iter().enumerate() {
            for (at, class) in classes.iter().enumerate() {
                if let Some(place) = results.iter().position(|result| result == class) {
                    self.handed.join((*source, at), (*target, place));
                }
            }
            for (_, others) in sources[..number].iter().filter(|(other, _)| other == source) {
                let differ = (0..classes.len()).filter(|&at| classes[at] != others[at]);
                self.free.extend(differ.map(|at| (*source, at)));
            }
        }
    }

    fn is_free(&self, vertex: VertexId, at: usize) -> bool {
        self.free.contains(&self.handed.class((vertex, at)))
    }

    fn shown(&self, store: &mut Store, graph: &Graph, vertex: VertexId) -> Vec<Term> {
        let state = graph.vertex(vertex).state().to_vec();
        let direct = self.pairs.get(&vertex).cloned().unwrap_or_default();
        let mut list: Vec<(usize, usize)> = direct.iter().copied().collect();
        // Through a third argument.
        for &(a, b) in &direct {
            for &(c, d) in &direct {
                for (one, other) in [(a, b), (b, a)] {
                    if one == c || one == d {
                        let third = if one == c { d } else { c };
                        push_pair(&mut list, other, third);
                    }
                }
            }
        }
        let is_ordered = |at: usize| self.ordered.contains(&(vertex, at));
        list.retain(|&(a, b)| is_ordered(a) || is_ordered(b));
        list.retain(|&(a, b)| self.is_free(vertex, a) || self.is_free(vertex, b));
        let mut atoms = Vec::new();
        for &(a, b) in &list {
            push_new(&mut atoms, store.eq(state[a], state[b]));
        }
        let mut numbers: BTreeMap<usize, Vec<Rat>> = BTreeMap::new();
        for (at, other) in list.iter().flat_map(|&(a, b)| [(a, a), (a, b), (b, b), (b, a)]) {
            if self.is_free(vertex, at) {
                let known = numbers.entry(at).or_default();
                let own = self.numbers.get(&(vertex, other)).into_iter().flatten();
                own.for_each(|number| push_new(known, number.clone()));
            }
        }
        for (at, list) in numbers {
            for number in list.into_iter().take(MAX_NUMBERS) {
                let sort = store.sort(state[at]);
                let number = store.numeral(&number, sort);
                push_new(&mut atoms, store.eq(state[at], number));
            }
        }
        atoms
    }

    /// Comparisons of related arguments, with a free one and without.
    fn related(&self, store: &mut Store, graph: &Graph, vertex: VertexId) -> (Vec<Term>, Vec<Term>) {
        let state = graph.vertex(vertex).state().to_vec();
        let (mut atoms, mut bounds) = (Vec::new(), Vec::new());
        for b in 1..state.len() {
            for a in 0..b {
                let is_number = |at: usize| store.sort(state[at]) == Sort::Int;
                let related = self.related.class((vertex, a)) == self.related.class((vertex, b));
                if is_number(a) && is_number(b) && related {
                    let is_free = self.is_free(vertex, a) || self.is_free(vertex, b);
                    let list = if is_free { &mut atoms } else { &mut bounds };
                    if is_free || list.len() < MAX_BOUNDS {
                        push_new(list, store.eq(state[a], state[b]));
                    }
                }
            }
        }
        (atoms, bounds)
    }
}

/// The variables that are equal wherever a formula holds, as far as equations of two variables say so: those that are
/// conjuncts, and those that follow from each disjunct of a conjunct, as of an edge that was merged from several.
fn equalities(store: &Store, formula: Term, with_disjuncts: bool) -> Partition<Term> {
    let mut same: Partition<Term> = Partition { links: BTreeMap::new() };
    let parts = store.conjuncts(formula);
    for &part in &parts {
        if let View::Eq(poly, value) = store.view(part)
            && !part.is_negated()
            && value.is_zero()
            && let Some((a, Some(b))) = difference(store, poly)
        {
            same.join(a, b);
        }
    }
    for part in parts.into_iter().filter(|part| with_disjuncts && part.is_negated()) {
        let View::And(negations) = store.view(part.positive()) else { continue };
        let disjuncts: Vec<Partition<Term>> =
            negations.iter().map(|&negation| equalities(store, !negation, false)).collect();
        let variables: BTreeSet<Term> = disjuncts.iter().flat_map(|one| one.links.iter()).flat_map(|(&a, &b)| [a, b]).collect();
        let mut known: BTreeMap<Vec<Term>, Term> = BTreeMap::new();
        for variable in variables {
            let classes: Vec<Term> = disjuncts.iter().map(|one| one.class(variable)).collect();
            match known.get(&classes) {
                Some(&other) => same.join(other, variable),
                None => _ = known.insert(classes, variable),
            }
        }
    }
    same
}

fn push_pair(list: &mut Vec<(usize, usize)>, a: usize, b: usize) {
    if a != b {
        push_new(list, (a.min(b), a.max(b)));
    }
}

/// The variables of a difference of two, or of a polynomial that is one variable, or its negation.
fn difference(store: &Store, poly: shem_term::Poly) -> Option<(Term, Option<Term>)> {
    let is_variable = |term: Term| store.as_var(term).is_some();
    match store.poly_terms(poly) {
        [a] if a.coeff.abs().is_one() && is_variable(a.leaf) => Some((a.leaf, None)),
        [a, b]
            if a.coeff.abs().is_one()
                && (&a.coeff + &b.coeff).is_zero()
                && is_variable(a.leaf)
                && is_variable(b.leaf) =>
        {
            Some((a.leaf, Some(b.leaf)))
        }
        _ => None,
    }
}
