//! Cells: an array is what is known of its elements at one or two arbitrary indices.
//!
//! For a predicate `P(a, x)` the abstraction has `P'(i, v, x)`: of all `i`, with `v = a[i]`, this is said (Monniaux and
//! Gonnord, SAS 2016). A clause with `P(a, x)` in its body may use `P'` at any index, so there it stands several
//! times: for the cell of the head, and for the reads of `a` in the clause. With no cell at all, an array is dropped.
//! A model comes back as `∀i. P'(i, a[i], x)`; it fits a clause of the system because `P'` fits the abstract clause
//! with its choice of indices (see `encode` for what becomes of the constraint).
//!
//! Where a predicate has several arrays, each has an index of its own, so that an array may be compared with a part of
//! another at some distance; or all share their indices (*shared* cells), which takes fewer copies and suits arrays
//! that are compared as a whole. Shared indices are counted from the base of each array, if it has one (see `bases`):
//! `P'(k, v, x)` then says of all `k` that `v = a[p + k]`, and comes back as `∀i. P'(i - p, a[i], x)`. Not all combinations of indices of a clause are used: the number of copies grows with
//! each, and so does the work of the engine.

use std::collections::{BTreeMap, BTreeSet};

use shem_chc::{Derivation, Edge, EdgeId, Graph, Interpretation, VertexId};
use shem_term::{Sort, Store, Substitution, Term};

use super::bases::{Bases, copied, factored};
use super::encode::{Encoding, Wanted, encode, is_flat_array, is_plain, new_variable};
use super::{Abstract, ArrayForm, Kept, Outline, OutlineStep};
use crate::scan::{Scan, source_variables};

/// What becomes of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// It is the argument at this position.
    Same(usize),
    /// It is an array with cells: which of the groups it belongs to, and at which place there.
    Cells(usize, usize),
    /// It is gone.
    Dropped,
}

/// Arrays of a vertex whose cells have the same indices.
#[derive(Clone, Debug)]
struct Group {
    /// The sort of the indices.
    index: Sort,
    /// The position of the first cell: its index, then the elements of the arrays.
    start: usize,
    /// The positions of the arrays among the arguments before.
    arrays: Vec<usize>,
    /// The positions of their bases there.
    bases: Vec<Option<usize>>,
}

impl Group {
    /// The position of the index of a cell.
    fn index_at(&self, cell: usize) -> usize {
        self.start + cell * (1 + self.arrays.len())
    }

    /// The position of the element of an array in a cell.
    fn element_at(&self, cell: usize, array: usize) -> usize {
        self.index_at(cell) + 1 + array
    }

    /// The place of an index of an array in its group: the index, less the base. The arguments before have these terms.
    fn relative(&self, store: &mut Store, array: usize, index: Term, arguments: &[Term]) -> Term {
        self.bases[array].map_or(index, |base| store.sub(index, arguments[base]))
    }

    /// The index of an array at a place in its group.
    fn absolute(&self, store: &mut Store, array: usize, place: Term, arguments: &[Term]) -> Term {
        self.bases[array].map_or(place, |base| store.add(&[place, arguments[base]]))
    }
}

/// A vertex of the abstraction.
#[derive(Clone, Debug)]
struct Image {
    vertex: VertexId,
    places: Vec<Place>,
    groups: Vec<Group>,
}

/// The abstraction of a graph by cells.
pub(super) struct Cells<'a> {
    pub(super) form: ArrayForm,
    /// Arguments that are not abstracted.
    pub(super) kept: &'a Kept,
}

struct Back {
    form: ArrayForm,
    images: BTreeMap<VertexId, Image>,
    /// For each edge of the abstraction the edge that it stands for, and for each source of that the position of the
    /// first copy.
    edges: BTreeMap<EdgeId, (EdgeId, Vec<usize>)>,
    is_limited: bool,
}

impl Cells<'_> {
    /// The abstraction of the graph, with the way back.
    pub(super) fn apply(&self, store: &mut Store, graph: &Graph) -> (Graph, Box<dyn Abstract>) {
        let mut scan = Scan::default();
        let mut result = Graph::new();
        let mut images = BTreeMap::new();
        let labels: BTreeMap<EdgeId, Term> =
            graph.edges().map(|(id, edge)| (id, factored(store, edge.label))).collect();
        let bases = match self.form {
            ArrayForm { shared: true, cells: 1.., .. } => Bases::find(store, &mut scan, graph, &labels),
            _ => Bases::default(),
        };
        for vertex in graph.vertices() {
            images.insert(vertex, self.image(store, graph, &mut result, &bases, vertex));
        }
        let falsehood = Image { vertex: VertexId::FALSE, places: Vec::new(), groups: Vec::new() };
        images.insert(VertexId::FALSE, falsehood);
        let mut edges = BTreeMap::new();
        let mut is_limited = false;
        for (id, edge) in graph.edges() {
            let edge = Edge { label: labels[&id], ..edge.clone() };
            let (abstracted, positions) =
                self.edge(store, &mut scan, graph, &mut result, &images, &edge, &mut is_limited);
            let new = result.add_edge(store, abstracted);
            edges.insert(new, (id, positions));
        }
        (result, Box::new(Back { form: self.form, images, edges, is_limited }))
    }

    fn image(
        &self,
        store: &mut Store,
        graph: &Graph,
        result: &mut Graph,
        bases: &Bases,
        vertex: VertexId,
    ) -> Image {
        let mut sorts: Vec<Sort> = Vec::new();
        let mut places = Vec::new();
        let mut groups: Vec<Group> = Vec::new();
        let old = graph.vertex(vertex);
        for (at, &sort) in old.sorts().iter().enumerate() {
            if is_plain(store, sort) || self.kept.contains(&(vertex, at)) {
                places.push(Place::Same(sorts.len()));
                sorts.push(sort);
            } else if self.form.cells > 0 && is_flat_array(store, sort) {
                let (index, _) = store.array_parts(sort).expect("an array");
                let shared = groups.iter().position(|group| self.form.shared && group.index == index);
                let group = shared.unwrap_or_else(|| {
                    groups.push(Group { index, start: 0, arrays: Vec::new(), bases: Vec::new() });
                    groups.len() - 1
                });
                places.push(Place::Cells(group, groups[group].arrays.len()));
                groups[group].arrays.push(at);
                groups[group].bases.push(bases.of(vertex, at).filter(|_| index == Sort::Int));
            } else {
                places.push(Place::Dropped);
            }
        }
        for group in &mut groups {
            group.start = sorts.len();
            for _ in 0..self.form.cells {
                sorts.push(group.index);
                for &array in &group.arrays {
                    sorts.push(store.array_parts(old.sorts()[array]).expect("an array").1);
                }
            }
        }
        Image { vertex: result.add_vertex(store, old.name(), &sorts), places, groups }
    }

    #[expect(clippy::too_many_arguments, reason = "two graphs and the map between them")]
    fn edge(
        &self,
        store: &mut Store,
        scan: &mut Scan,
        graph: &Graph,
        result: &mut Graph,
        images: &BTreeMap<VertexId, Image>,
        edge: &Edge,
        is_limited: &mut bool,
    ) -> (Edge, Vec<usize>) {
        let sources = source_variables(graph, &edge.sources);
        let target = graph.vertex(edge.target).target().to_vec();
        let image = &images[&edge.target];
        let new_target = result.vertex(image.vertex).target().to_vec();
        let mut wanted = Wanted::default();
        let mut substitution = Substitution::new();
        // A base that an edge hands on is the same term on both sides.
        let copied = copied(store, edge.label);
        let known: BTreeSet<Term> = sources.iter().flatten().copied().collect();
        let origin = |variable: &Term| copied.get(variable).copied().filter(|from| known.contains(from));
        let old_target: Vec<Term> = target.iter().map(|variable| origin(variable).unwrap_or(*variable)).collect();
        let mut heads: Vec<Term> = Vec::new();
        // The cells of the target: the position of the array, its index, and the position of the element.
        let mut cells: Vec<(Term, Term, usize)> = Vec::new();
        for (&variable, place) in target.iter().zip(&image.places) {
            match *place {
                Place::Same(at) => substitution.bind(store, &[variable], &[new_target[at]]),
                Place::Cells(group, array) => {
                    let group = &image.groups[group];
                    for cell in 0..self.form.cells {
                        let head = new_target[group.index_at(cell)];
                        let index = group.absolute(store, array, head, &old_target);
                        wanted.elements.push((variable, index));
                        cells.push((variable, index, group.element_at(cell, array)));
                        if !heads.contains(&head) {
                            heads.push(head);
                        }
                    }
                }
                Place::Dropped => {}
            }
        }
        for (vertex, variables) in edge.sources.iter().zip(&sources).chain([(&edge.target, &target)]) {
            let Image { places, groups, .. } = &images[vertex];
            for (place, &variable) in places.iter().zip(variables) {
                if matches!(place, Place::Same(_)) && !is_plain(store, store.sort(variable)) {
                    wanted.kept.insert(variable);
                }
            }
            for group in groups {
                let terms = if *vertex == edge.target && variables == &target { &old_target } else { variables };
                let base = |base: &Option<usize>| base.map(|base| terms[base]);
                let arrays = group.arrays.iter().map(|&at| variables[at]);
                wanted.together.push(arrays.zip(group.bases.iter().map(base)).collect());
            }
        }
        let mut encoding = encode(store, scan, edge.label, &wanted);
        let mut parts = vec![];
        for (variable, index, at) in cells {
            let element = encoding.element(store, variable, index);
            parts.push(store.eq(new_target[at], element));
        }
        // The copies of the sources.
        let mut positions = Vec::new();
        let mut new_sources: Vec<VertexId> = Vec::new();
        let mut copies: Vec<(usize, Vec<Vec<Term>>)> = Vec::new();
        for (position, &source) in edge.sources.iter().enumerate() {
            positions.push(new_sources.len());
            let image = &images[&source];
            let (choices, limited) = self.choices(store, &encoding, image, &sources[position], &heads);
            *is_limited |= limited;
            for choice in choices {
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
            let image = &images[&edge.sources[*position]];
            for (&old, place) in sources[*position].iter().zip(&image.places) {
                match *place {
                    Place::Same(at) if new == first => substitution.bind(store, &[old], &[new[at]]),
                    Place::Same(at) => parts.push(store.eq(first[at], new[at])),
                    Place::Cells(group, array) => {
                        for (cell, &chosen) in choice[group].iter().enumerate() {
                            let group = &image.groups[group];
                            let index = group.absolute(store, array, chosen, &sources[*position]);
                            let element = encoding.element(store, old, index);
                            parts.push(store.eq(new[group.index_at(cell)], chosen));
                            parts.push(store.eq(new[group.element_at(cell, array)], element));
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

    /// The places for the cells of each group of a source, for each copy of it; and whether some were left out.
    fn choices(
        &self,
        store: &mut Store,
        encoding: &Encoding,
        image: &Image,
        variables: &[Term],
        heads: &[Term],
    ) -> (Vec<Vec<Vec<Term>>>, bool) {
        // The tuples of indices that each group may have, the most promising first.
        let mut tuples: Vec<Vec<Vec<Term>>> = Vec::new();
        for group in &image.groups {
            let mut indices: Vec<Term> = Vec::new();
            for (at, &array) in group.arrays.iter().enumerate() {
                for &index in encoding.indices(variables[array]) {
                    let index = group.relative(store, at, index, variables);
                    if !indices.contains(&index) {
                        indices.push(index);
                    }
                }
            }
            // The cells of the head come first.
            indices.sort_by_key(|index| !heads.contains(index));
            if indices.is_empty() {
                // Nothing is asked of these arrays here: an index of the head is as good as any, and better than none.
                indices.extend(heads.iter().copied().filter(|&index| store.sort(index) == group.index));
            }
            if indices.is_empty() {
                indices.push(new_variable(store, group.index));
            }
            tuples.push(combinations(&indices, self.form.cells));
        }
        let first: Vec<Vec<Term>> = tuples.iter().map(|list| list[0].clone()).collect();
        let mut choices = vec![first.clone()];
        let mut limited = false;
        let mut add = |choice: Vec<Vec<Term>>| {
            if !choices.contains(&choice) {
                limited |= choices.len() >= self.form.copies;
                if choices.len() < self.form.copies {
                    choices.push(choice);
                }
            }
        };
        // Then all groups get their next tuple, and after that one group alone.
        let longest = tuples.iter().map(Vec::len).max().unwrap_or(0);
        for at in 1..longest {
            add(tuples.iter().map(|list| list.get(at).unwrap_or(&list[0]).clone()).collect());
        }
        for at in 1..longest {
            for (group, list) in tuples.iter().enumerate() {
                if let Some(tuple) = list.get(at) {
                    let mut choice = first.clone();
                    choice[group].clone_from(tuple);
                    add(choice);
                }
            }
        }
        (choices, limited)
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
            for (&old, place) in state.iter().zip(&image.places) {
                if let Place::Same(at) = *place {
                    substitution.bind(store, &[new_state[at]], &[old]);
                }
            }
            let mut bound: Vec<Term> = Vec::new();
            for group in &image.groups {
                for cell in 0..self.form.cells {
                    // What is bound is the index of the first array.
                    let index = store.variable(&format!("i{}", bound.len()), group.index);
                    let place = group.relative(store, 0, index, state);
                    substitution.bind(store, &[new_state[group.index_at(cell)]], &[place]);
                    for (at, &array) in group.arrays.iter().enumerate() {
                        let index = group.absolute(store, at, place, state);
                        let element = store.select(state[array], index);
                        substitution.bind(store, &[new_state[group.element_at(cell, at)]], &[element]);
                    }
                    bound.push(index);
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

    fn is_limited(&self) -> bool {
        self.is_limited
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
        let numbers: BTreeMap<usize, usize> =
            steps.iter().enumerate().map(|(new, &(old, _))| (old, new)).collect();
        let renumber = |(_, mut step): (usize, OutlineStep)| {
            step.premises.iter_mut().for_each(|p| *p = numbers[p]);
            step
        };
        steps.into_iter().map(renumber).collect()
    }
}
