//! Cells: an array is what is known of its elements at one or two arbitrary indices.
//!
//! For a predicate `P(a, x)` the abstraction has `P'(i, v, x)`: of all `i`, with `v = a[i]`, this is said (Monniaux and
//! Gonnord, SAS 2016). A clause with `P(a, x)` in its body may use `P'` at any index, so there it stands several
//! times: for the cell of the head, and for the reads of `a` in the clause. With no cell at all, an array is dropped.
//! A model comes back as `∀i. P'(i, a[i], x)`; it fits a clause of the system because `P'` fits the abstract clause
//! with its choice of indices (see `encode` for what becomes of the constraint).
//!
//! Where a predicate has several arrays, each has an index of its own, so that an array may be compared with a part of
//! another. Not all combinations of indices of a clause are used: the number of copies grows with each, and so does
//! the work of the engine.

use std::collections::{BTreeMap, BTreeSet};

use shem_chc::{Derivation, Edge, EdgeId, Graph, Interpretation, VertexId};
use shem_term::{Sort, Store, Substitution, Term};

use super::encode::{Encoding, encode, is_flat_array, new_variable};
use super::{Abstract, Form, Kept, Outline, OutlineStep};
use crate::scan::{Scan, source_variables};

/// What becomes of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// It is the argument at this position.
    Same(usize),
    /// Its cells begin at this position: an index and an element each.
    Cells(usize),
    /// It is gone.
    Dropped,
}

/// A vertex of the abstraction.
#[derive(Clone, Debug)]
struct Image {
    vertex: VertexId,
    places: Vec<Place>,
}

/// The abstraction of a graph by cells.
pub(super) struct Cells<'a> {
    pub(super) form: Form,
    /// Arguments that are not abstracted.
    pub(super) kept: &'a Kept,
}

struct Back {
    form: Form,
    images: BTreeMap<VertexId, Image>,
    /// For each edge of the abstraction the edge that it stands for, and for each source of that the position of the
    /// first copy.
    edges: BTreeMap<EdgeId, (EdgeId, Vec<usize>)>,
}

impl Cells<'_> {
    /// The abstraction of the graph, with the way back.
    pub(super) fn apply(&self, store: &mut Store, graph: &Graph) -> (Graph, Box<dyn Abstract>) {
        let mut scan = Scan::default();
        let mut result = Graph::new();
        let mut images = BTreeMap::new();
        for vertex in graph.vertices() {
            images.insert(vertex, self.image(store, graph, &mut result, vertex));
        }
        images.insert(VertexId::FALSE, Image { vertex: VertexId::FALSE, places: Vec::new() });
        let mut edges = BTreeMap::new();
        for (id, edge) in graph.edges() {
            let (abstracted, positions) = self.edge(store, &mut scan, graph, &mut result, &images, edge);
            let new = result.add_edge(store, abstracted);
            edges.insert(new, (id, positions));
        }
        (result, Box::new(Back { form: self.form, images, edges }))
    }

    fn image(&self, store: &mut Store, graph: &Graph, result: &mut Graph, vertex: VertexId) -> Image {
        let mut sorts: Vec<Sort> = Vec::new();
        let mut places = Vec::new();
        let old = graph.vertex(vertex);
        for (at, &sort) in old.sorts().iter().enumerate() {
            if sort.is_basic() || self.kept.contains(&(vertex, at)) {
                places.push(Place::Same(sorts.len()));
                sorts.push(sort);
            } else if self.form.cells > 0 && is_flat_array(store, sort) {
                places.push(Place::Cells(sorts.len()));
                let (index, element) = store.array_parts(sort).expect("an array");
                for _ in 0..self.form.cells {
                    sorts.extend([index, element]);
                }
            } else {
                places.push(Place::Dropped);
            }
        }
        Image { vertex: result.add_vertex(store, old.name(), &sorts), places }
    }

    fn edge(
        &self,
        store: &mut Store,
        scan: &mut Scan,
        graph: &Graph,
        result: &mut Graph,
        images: &BTreeMap<VertexId, Image>,
        edge: &Edge,
    ) -> (Edge, Vec<usize>) {
        let sources = source_variables(graph, &edge.sources);
        let target = graph.vertex(edge.target).target().to_vec();
        let image = &images[&edge.target];
        let new_target = result.vertex(image.vertex).target().to_vec();
        // The cells of the target.
        let mut wanted: Vec<(Term, Term)> = Vec::new();
        let mut substitution = Substitution::new();
        for (&variable, place) in target.iter().zip(&image.places) {
            match *place {
                Place::Same(at) => substitution.bind(store, &[variable], &[new_target[at]]),
                Place::Cells(at) => {
                    wanted.extend((0..self.form.cells).map(|cell| (variable, new_target[at + 2 * cell])));
                }
                Place::Dropped => {}
            }
        }
        let mut kept: BTreeSet<Term> = BTreeSet::new();
        for (&vertex, variables) in edge.sources.iter().zip(&sources).chain([(&edge.target, &target)]) {
            let places = images[&vertex].places.iter().enumerate().zip(variables);
            kept.extend(places.filter_map(|((_, place), &v)| {
                (matches!(place, Place::Same(_)) && !store.sort(v).is_basic()).then_some(v)
            }));
        }
        let mut encoding = encode(store, scan, edge.label, &wanted, &kept);
        let mut parts = vec![];
        for (&variable, place) in target.iter().zip(&image.places) {
            if let Place::Cells(at) = *place {
                for cell in 0..self.form.cells {
                    let element = encoding.element(store, variable, new_target[at + 2 * cell]);
                    parts.push(store.eq(new_target[at + 2 * cell + 1], element));
                }
            }
        }
        // The copies of the sources.
        let mut positions = Vec::new();
        let mut new_sources: Vec<VertexId> = Vec::new();
        let mut copies: Vec<(usize, Vec<Vec<Term>>)> = Vec::new();
        let heads: BTreeSet<Term> = wanted.iter().map(|&(_, index)| index).collect();
        for (position, &source) in edge.sources.iter().enumerate() {
            positions.push(new_sources.len());
            let image = &images[&source];
            for choice in self.choices(store, &encoding, image, &sources[position], &heads) {
                new_sources.push(image.vertex);
                copies.push((position, choice));
            }
        }
        let mut abstracted = Edge { sources: new_sources, target: image.vertex, label: Term::TRUE };
        for position in 0..abstracted.sources.len() {
            result.ensure_copy(store, abstracted.sources[position], abstracted.copy(position));
        }
        let variables = source_variables(result, &abstracted.sources);
        for (new, (position, choice)) in variables.iter().zip(&copies) {
            let first = &variables[positions[*position]];
            let mut choice = choice.iter();
            for (&old, place) in sources[*position].iter().zip(&images[&edge.sources[*position]].places) {
                match *place {
                    Place::Same(at) if new == first => substitution.bind(store, &[old], &[new[at]]),
                    Place::Same(at) => parts.push(store.eq(first[at], new[at])),
                    Place::Cells(at) => {
                        let indices = choice.next().expect("indices for every array");
                        for (cell, &index) in indices.iter().enumerate() {
                            let element = encoding.element(store, old, index);
                            parts.push(store.eq(new[at + 2 * cell], index));
                            parts.push(store.eq(new[at + 2 * cell + 1], element));
                        }
                    }
                    Place::Dropped => {}
                }
            }
        }
        parts.push(encoding.label);
        let label = store.and(&parts);
        abstracted.label = store.substitute(label, &substitution);
        (abstracted, positions)
    }

    /// The indices for the cells of each array of a source, for each copy of it.
    fn choices(
        &self,
        store: &mut Store,
        encoding: &Encoding,
        image: &Image,
        variables: &[Term],
        heads: &BTreeSet<Term>,
    ) -> Vec<Vec<Vec<Term>>> {
        let arrays: Vec<Term> = variables
            .iter()
            .zip(&image.places)
            .filter(|(_, place)| matches!(place, Place::Cells(_)))
            .map(|(&variable, _)| variable)
            .collect();
        // The tuples of indices that each array may have, the most promising first.
        let mut tuples: Vec<Vec<Vec<Term>>> = Vec::new();
        for &array in &arrays {
            let (sort, _) = store.array_parts(store.sort(array)).expect("an array");
            let mut indices = encoding.indices(array).to_vec();
            if indices.is_empty() {
                // Nothing is asked of this array here: an index of the head is as good as any, and better than none.
                indices.extend(heads.iter().copied().filter(|&index| store.sort(index) == sort));
            }
            if indices.is_empty() {
                indices.push(new_variable(store, sort));
            }
            tuples.push(combinations(&indices, self.form.cells));
        }
        let first: Vec<Vec<Term>> = tuples.iter().map(|list| list[0].clone()).collect();
        let mut choices = vec![first.clone()];
        // Then one array after the other gets its other indices.
        let longest = tuples.iter().map(Vec::len).max().unwrap_or(0);
        for at in 1..longest {
            for (array, list) in tuples.iter().enumerate() {
                if let Some(tuple) = list.get(at)
                    && choices.len() < self.form.copies
                {
                    let mut choice = first.clone();
                    choice[array].clone_from(tuple);
                    choices.push(choice);
                }
            }
        }
        choices
    }
}

/// The tuples of this length of different members, in the order of the members; one that is shorter is filled up.
fn combinations(members: &[Term], length: usize) -> Vec<Vec<Term>> {
    if members.len() < length {
        let filled = (0..length).map(|at| members[at.min(members.len() - 1)]);
        return vec![filled.collect()];
    }
    let mut found = Vec::new();
    let mut at: Vec<usize> = (0..length).collect();
    loop {
        found.push(at.iter().map(|&i| members[i]).collect());
        let Some(place) = (0..length).rev().find(|&p| at[p] + (length - p) < members.len()) else { break };
        at[place] += 1;
        for next in place + 1..length {
            at[next] = at[next - 1] + 1;
        }
    }
    found
}

impl Abstract for Back {
    fn interpretation(
        &self,
        store: &mut Store,
        before: &Graph,
        after: &Graph,
        interpretation: &Interpretation,
    ) -> Interpretation {
        let mut result = Interpretation::new();
        for (&vertex, image) in &self.images {
            if vertex == VertexId::FALSE {
                continue;
            }
            let Some(formula) = interpretation.get(image.vertex) else { continue };
            let state = before.vertex(vertex).state();
            let new_state = after.vertex(image.vertex).state();
            let mut substitution = Substitution::new();
            let mut bound: Vec<Term> = Vec::new();
            for (&old, place) in state.iter().zip(&image.places) {
                match *place {
                    Place::Same(at) => substitution.bind(store, &[new_state[at]], &[old]),
                    Place::Cells(at) => {
                        for cell in 0..self.form.cells {
                            let (sort, _) = store.array_parts(store.sort(old)).expect("an array");
                            let index = store.variable(&format!("i{}", bound.len()), sort);
                            let element = store.select(old, index);
                            let from = [new_state[at + 2 * cell], new_state[at + 2 * cell + 1]];
                            substitution.bind(store, &from, &[index, element]);
                            bound.push(index);
                        }
                    }
                    Place::Dropped => {}
                }
            }
            let formula = store.substitute(formula, &substitution);
            // Each conjunct is quantified by itself, over the indices that it has.
            let mut parts = store.conjuncts(formula);
            for part in &mut parts {
                let free = store.free_variables(&[*part]);
                let own: Vec<Term> = bound.iter().copied().filter(|v| free.contains(v)).collect();
                if !own.is_empty() {
                    *part = store.forall(&own, *part);
                }
            }
            let formula = store.and(&parts);
            result.insert(vertex, formula);
        }
        result
    }

    fn outline(&self, derivation: &Derivation<EdgeId>) -> Outline {
        // Only one copy of each source is followed, from the last step down.
        let mut needed = vec![false; derivation.len()];
        if let Some(last) = needed.last_mut() {
            *last = true;
        }
        let mut steps: Vec<(usize, OutlineStep)> = Vec::new();
        for at in (0..derivation.len()).rev() {
            if !needed[at] {
                continue;
            }
            let step = derivation.step(shem_chc::StepId::new(at));
            let Some((edge, positions)) = self.edges.get(&step.rule) else { continue };
            let premises: Vec<usize> = positions.iter().map(|&p| step.premises[p].index()).collect();
            for &premise in &premises {
                needed[premise] = true;
            }
            steps.push((at, OutlineStep { edge: *edge, premises }));
        }
        steps.reverse();
        let numbers: BTreeMap<usize, usize> = steps.iter().enumerate().map(|(new, &(old, _))| (old, new)).collect();
        let renumber = |(_, mut step): (usize, OutlineStep)| {
            step.premises.iter_mut().for_each(|p| *p = numbers[p]);
            step
        };
        steps.into_iter().map(renumber).collect()
    }
}
