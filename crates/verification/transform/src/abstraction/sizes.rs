//! Values of recursive datatypes become their sizes, and which constructor they are made by.
//!
//! An argument of a recursive datatype becomes a number, its size (see `shem_term`, `sort/size.rs`), and, where that does not
//! tell it, the number of the constructor at the top. Eldarica abstracts recursive datatypes in the same way
//! (Hojjat and Rümmer, SYNASC 2017); ours counts only what makes the value
//! longer, so that the size of a list is its length and that of a numeral of Peano the number itself. For the latter
//! nothing is lost.
//!
//! *Labels.* A term of such a datatype has a size and a constructor: those of a construction are known, those of a
//! variable are new variables. An equation becomes that of the sizes and of the constructors, and where these tell the
//! value, as with numerals and empty lists, so does an inequality; a field is a part, so the
//! sizes of the parts make the size of the whole if the constructor is the one of the field. Whatever else is not arithmetic
//! may have any value. An equation of a variable with a construction is used before, so that what two constructions of
//! one value have in common is not lost. The result follows from the label, the new variables being quantified
//! existentially.
//!
//! *Back.* A formula is put about the sizes of the arguments, by a function with a recursive definition, and the tests of
//! their constructors. The judge instantiates the definition at the terms of a clause. A derivation is an outline, as of every
//! abstraction. The cost is linear in the labels.

use std::collections::{BTreeMap, BTreeSet};

use shem_chc::{Derivation, Edge, EdgeId, Graph, Interpretation, VertexId};
use shem_term::{DatatypeId, Role, Sort, Store, Substitution, Term, View};

use super::{Abstract, Outline, OutlineStep};
use crate::scan::{Scan, fresh, fresh_of, source_variables};

/// What becomes of an argument.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// It stays, at this position.
    Same(usize),
    /// Its size is at this position; the number of its constructor, if it is needed, comes next.
    Size(usize, bool),
    /// It has no place.
    Dropped,
}

/// A vertex of the abstraction.
#[derive(Clone, Debug)]
struct Image {
    vertex: VertexId,
    places: Vec<Place>,
}

struct Back {
    images: BTreeMap<VertexId, Image>,
    /// For each edge of the abstraction the edge that it stands for.
    edges: BTreeMap<EdgeId, EdgeId>,
}

/// What has to be known of a recursive datatype.
#[derive(Clone, Debug)]
struct CountedFields {
    /// For each constructor the fields that count.
    counted: Vec<Vec<usize>>,
    /// Whether the size does not tell which constructor is at the top.
    tagged: bool,
}

#[derive(Default)]
struct Kinds {
    known: BTreeMap<DatatypeId, CountedFields>,
}

impl Kinds {
    /// What has to be known of a sort, if it is a recursive datatype.
    fn of(&mut self, store: &Store, sort: Sort) -> Option<&CountedFields> {
        let id = sort.as_datatype()?;
        if !store.datatype(id).is_recursive() {
            return None;
        }
        Some(self.known.entry(id).or_insert_with(|| {
            let count = store.datatype(id).constructors().len();
            let counted: Vec<Vec<usize>> = (0..count).map(|at| store.counted_fields(id, at)).collect();
            let longer = counted.iter().filter(|fields| !fields.is_empty()).count();
            CountedFields { tagged: longer > 1 || count - longer > 1, counted }
        }))
    }
}

/// The abstraction of a graph by sizes.
pub(super) fn apply(store: &mut Store, graph: &Graph) -> (Graph, Box<dyn Abstract>) {
    let (mut scan, mut kinds) = (Scan::default(), Kinds::default());
    let mut result = Graph::new();
    let mut images = BTreeMap::new();
    for vertex in graph.vertices() {
        let mut sorts: Vec<Sort> = Vec::new();
        let mut places = Vec::new();
        for &sort in graph.vertex(vertex).sorts() {
            let place = match kinds.of(store, sort) {
                Some(kind) => Place::Size(sorts.len(), kind.tagged),
                None if sort.is_basic() => Place::Same(sorts.len()),
                None => Place::Dropped,
            };
            match place {
                Place::Same(_) => sorts.push(sort),
                Place::Size(_, tagged) => {
                    sorts.extend(std::iter::repeat_n(Sort::Int, 1 + usize::from(tagged)))
                }
                Place::Dropped => {}
            }
            places.push(place);
        }
        let new = result.add_vertex(store, graph.vertex(vertex).name(), &sorts);
        images.insert(vertex, Image { vertex: new, places });
    }
    images.insert(VertexId::FALSE, Image { vertex: VertexId::FALSE, places: Vec::new() });
    let mut edges = BTreeMap::new();
    for (id, edge) in graph.edges() {
        let abstracted = abstract_edge(store, &mut scan, &mut kinds, graph, &mut result, &images, edge);
        edges.insert(result.add_edge(store, abstracted), id);
    }
    (result, Box::new(Back { images, edges }))
}

fn abstract_edge(
    store: &mut Store,
    scan: &mut Scan,
    kinds: &mut Kinds,
    graph: &Graph,
    result: &mut Graph,
    images: &BTreeMap<VertexId, Image>,
    edge: &Edge,
) -> Edge {
    let sources = edge.sources.iter().map(|source| images[source].vertex).collect();
    let mut abstracted = Edge { sources, target: images[&edge.target].vertex, label: Term::TRUE };
    for position in 0..abstracted.sources.len() {
        result.ensure_copy(store, abstracted.sources[position], abstracted.copy(position));
    }
    let mut encoder = Encoder { kinds, shadows: BTreeMap::new(), pairs: Vec::new(), sides: Vec::new() };
    let mut substitution = Substitution::new();
    let mut old = source_variables(graph, &edge.sources);
    old.push(graph.vertex(edge.target).target().to_vec());
    let mut new = source_variables(result, &abstracted.sources);
    new.push(result.vertex(abstracted.target).target().to_vec());
    for ((vertex, old), new) in edge.sources.iter().chain([&edge.target]).zip(&old).zip(&new) {
        for (&variable, place) in old.iter().zip(&images[vertex].places) {
            match *place {
                Place::Same(at) => substitution.bind(store, &[variable], &[new[at]]),
                Place::Size(at, tagged) => {
                    let shadow = Shadow { size: new[at], tag: tagged.then(|| new[at + 1]) };
                    encoder.add(store, variable, shadow);
                }
                Place::Dropped => {}
            }
        }
    }
    let label = encoder.encode(store, scan, edge.label);
    abstracted.label = store.substitute(label, &substitution);
    abstracted
}

/// The size of a term, and the number of its constructor where the size does not tell it.
#[derive(Clone, Copy, Debug)]
struct Shadow {
    size: Term,
    tag: Option<Term>,
}

/// A label about sizes in the making.
struct Encoder<'a> {
    kinds: &'a mut Kinds,
    shadows: BTreeMap<Term, Shadow>,
    /// What takes the place of atoms and of terms of arithmetic with other terms inside.
    pairs: Vec<(Term, Term)>,
    /// What holds besides.
    sides: Vec<Term>,
}

impl Encoder<'_> {
    /// Gives a variable its shadow, with what holds of all shadows of its sort.
    fn add(&mut self, store: &mut Store, variable: Term, shadow: Shadow) {
        let zero = store.int(0);
        self.sides.push(store.ge(shadow.size, zero));
        if let Some(tag) = shadow.tag {
            let kind = self.kinds.of(store, store.sort(variable)).expect("a recursive datatype").clone();
            let is_longer = store.gt(shadow.size, zero);
            let ways: Vec<Term> = (0..kind.counted.len())
                .map(|at| {
                    let number = store.int(at as i64);
                    let here = store.eq(tag, number);
                    store.and2(here, is_longer.xor(kind.counted[at].is_empty()))
                })
                .collect();
            self.sides.push(store.or(&ways));
        }
        self.shadows.insert(variable, shadow);
    }

    /// Gives a term new variables as its shadow.
    fn add_new(&mut self, store: &mut Store, term: Term) -> Shadow {
        let tagged = self.kinds.of(store, store.sort(term)).expect("a recursive datatype").tagged;
        let size = fresh_of(store, Sort::Int);
        let shadow = Shadow { size, tag: tagged.then(|| fresh_of(store, Sort::Int)) };
        self.add(store, term, shadow);
        shadow
    }

    fn encode(&mut self, store: &mut Store, scan: &mut Scan, label: Term) -> Term {
        let (label, definitions) = self.use_constructions(store, scan, label);
        let conjuncts: BTreeSet<Term> = store.conjuncts(label).into_iter().collect();
        let mut roots = vec![label];
        roots.extend(definitions.iter().map(|&(_, whole)| whole));
        let mut subterms = Vec::new();
        scan.each(store, &roots, |term| subterms.push(term));
        // Parts come before what they are parts of.
        subterms.sort_unstable();
        for term in subterms {
            if self.kinds.of(store, store.sort(term)).is_some() {
                self.shadow(store, term);
            } else if store.sort(term).is_basic()
                && let Some(other) = self.other(store, term, conjuncts.contains(&term))
            {
                self.pairs.push((term, other));
            }
        }
        for (variable, whole) in definitions {
            if let Some(&shadow) = self.shadows.get(&variable) {
                let same = self.same(store, shadow, self.shadows[&whole]);
                self.sides.push(same);
            }
        }
        let label = store.replace(label, &self.pairs);
        self.sides.push(label);
        store.and(&self.sides)
    }

    /// Puts constructions in the places of variables that are equal to them; gives the equations that are used up.
    fn use_constructions(
        &mut self,
        store: &mut Store,
        scan: &mut Scan,
        mut label: Term,
    ) -> (Term, Vec<(Term, Term)>) {
        let mut definitions: Vec<(Term, Term)> = Vec::new();
        loop {
            let found = store.conjuncts(label).into_iter().find_map(|conjunct| {
                let View::Equal(a, b) = store.view(conjunct) else { return None };
                if conjunct.is_negated() || self.kinds.of(store, store.sort(a)).is_none() {
                    return None;
                }
                [(a, b), (b, a)].into_iter().find(|&(variable, whole)| {
                    store.as_var(variable).is_some()
                        && matches!(store.as_app(whole), Some((_, Role::Constructor { .. }, _)))
                        && !scan.variables(store, &[whole]).contains(&variable)
                })
            });
            let Some((variable, whole)) = found else { return (label, definitions) };
            let mut substitution = Substitution::new();
            substitution.bind(store, &[variable], &[whole]);
            label = store.substitute(label, &substitution);
            for (_, known) in &mut definitions {
                *known = store.substitute(*known, &substitution);
            }
            definitions.push((variable, whole));
        }
    }

    /// The shadow of a term of a recursive datatype; those of its parts are known.
    fn shadow(&mut self, store: &mut Store, term: Term) -> Shadow {
        if let Some(&known) = self.shadows.get(&term) {
            return known;
        }
        let kind = self.kinds.of(store, store.sort(term)).expect("a recursive datatype").clone();
        let shadow = match (store.view(term), store.as_app(term)) {
            (View::Ite(condition, a, b), _) => {
                let condition = store.replace(condition, &self.pairs);
                let (a, b) = (self.shadows[&a], self.shadows[&b]);
                let size = store.ite(condition, a.size, b.size);
                let tag = a.tag.zip(b.tag).map(|(a, b)| store.ite(condition, a, b));
                Shadow { size, tag }
            }
            (_, Some((_, Role::Constructor { index, .. }, args))) => {
                let counted = &kind.counted[index as usize];
                let mut summands: Vec<Term> =
                    counted.iter().map(|&field| self.shadows[&args[field]].size).collect();
                summands.push(store.int(i64::from(!counted.is_empty())));
                let tag = kind.tagged.then(|| store.int(i64::from(index)));
                Shadow { size: store.add(&summands), tag }
            }
            _ => {
                let shadow = self.add_new(store, term);
                self.relate_field(store, term);
                return shadow;
            }
        };
        self.shadows.insert(term, shadow);
        shadow
    }

    /// If the term is a field of another one: the sizes of all fields that count make that of the whole, if it has them.
    fn relate_field(&mut self, store: &mut Store, term: Term) {
        let Some((_, Role::Selector { constructor, .. }, &[whole])) = store.as_app(term) else { return };
        let Some(&shadow) = self.shadows.get(&whole) else { return };
        let Some(id) = store.sort(whole).as_datatype() else { return };
        let Some(kind) = self.kinds.of(store, store.sort(whole)) else { return };
        let counted = kind.counted[constructor as usize].clone();
        let selectors = store.datatype(id).constructors()[constructor as usize].selectors.clone();
        let fields: Vec<Term> =
            counted.iter().map(|&field| store.select_field(selectors[field], whole)).collect();
        if !fields.contains(&term) {
            return;
        }
        // The others get their shadows here, so that this is said once.
        for &field in &fields {
            if !self.shadows.contains_key(&field) {
                self.add_new(store, field);
            }
        }
        let mut summands = vec![store.int(1)];
        summands.extend(fields.iter().map(|field| self.shadows[field].size));
        let sum = store.add(&summands);
        let same = store.eq(shadow.size, sum);
        let test = self.test(store, whole, shadow, constructor as usize);
        self.sides.push(store.implies(test, same));
    }

    /// Whether a term with this shadow is made by a constructor.
    fn test(&mut self, store: &mut Store, term: Term, shadow: Shadow, constructor: usize) -> Term {
        let kind = self.kinds.of(store, store.sort(term)).expect("a recursive datatype");
        let is_longer = !kind.counted[constructor].is_empty();
        match shadow.tag {
            Some(tag) => {
                let number = store.int(constructor as i64);
                store.eq(tag, number)
            }
            None => {
                let zero = store.int(0);
                store.gt(shadow.size, zero).xor(!is_longer)
            }
        }
    }

    /// Whether the shadow tells the value of a term: that of a numeral does, and that of a constructor without fields.
    fn is_told(&mut self, store: &mut Store, term: Term, shadow: Shadow) -> Term {
        let id = store.sort(term).as_datatype().expect("a recursive datatype");
        if store.is_numeral(id) {
            return Term::TRUE;
        }
        let has_fields = |at: usize| !store.datatype(id).constructors()[at].selectors.is_empty();
        let without: Vec<usize> =
            (0..store.datatype(id).constructors().len()).filter(|&at| !has_fields(at)).collect();
        let tests: Vec<Term> = without.into_iter().map(|at| self.test(store, term, shadow, at)).collect();
        store.or(&tests)
    }

    fn same(&self, store: &mut Store, a: Shadow, b: Shadow) -> Term {
        let sizes = store.eq(a.size, b.size);
        let tags = a.tag.zip(b.tag).map_or(Term::TRUE, |(a, b)| store.eq(a, b));
        store.and2(sizes, tags)
    }

    /// What takes the place of a term of a basic sort, unless its parts say it.
    fn other(&mut self, store: &mut Store, term: Term, is_conjunct: bool) -> Option<Term> {
        match (store.view(term), store.as_app(term)) {
            (View::Equal(a, b), _) => {
                let shadows = self.shadows.get(&a).copied().zip(self.shadows.get(&b).copied());
                let Some((left, right)) = shadows else { return Some(fresh(store, term)) };
                let same = self.same(store, left, right);
                let told = self.is_told(store, a, left);
                if is_conjunct || told == Term::TRUE {
                    return Some(same);
                }
                let holds = fresh(store, term);
                self.sides.push(store.implies(holds, same));
                let equal = store.and2(same, told);
                self.sides.push(store.implies(equal, holds));
                Some(holds)
            }
            (_, Some((_, Role::Tester { constructor, .. }, &[whole]))) => {
                match self.shadows.get(&whole).copied() {
                    Some(shadow) => Some(self.test(store, whole, shadow, constructor as usize)),
                    None => Some(fresh(store, term)),
                }
            }
            // Products, functions, fields and elements.
            (_, Some((_, _, args))) if !args.is_empty() => Some(fresh(store, term)),
            _ => None,
        }
    }
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
            let state = before.vertex(vertex).state().to_vec();
            let new_state = after.vertex(image.vertex).state().to_vec();
            let mut substitution = Substitution::new();
            for (&old, place) in state.iter().zip(&image.places) {
                match *place {
                    Place::Same(at) => substitution.bind(store, &[new_state[at]], &[old]),
                    Place::Size(at, tagged) => {
                        let size = store.size(old);
                        substitution.bind(store, &[new_state[at]], &[size]);
                        if tagged {
                            let number = constructor_number(store, old);
                            substitution.bind(store, &[new_state[at + 1]], &[number]);
                        }
                    }
                    Place::Dropped => {}
                }
            }
            let formula = store.substitute(formula, &substitution);
            result.insert(vertex, formula);
        }
        result
    }

    fn is_limited(&self) -> bool {
        false
    }

    fn outline(&self, derivation: &Derivation<EdgeId>) -> Outline {
        let step = |step: shem_chc::Step<'_, EdgeId>| OutlineStep {
            edge: self.edges[&step.rule],
            premises: step.premises.iter().map(|premise| premise.index()).collect(),
        };
        derivation.steps().map(|(_, found)| step(found)).collect()
    }
}

/// The number of the constructor that a term is made by.
fn constructor_number(store: &mut Store, term: Term) -> Term {
    let datatype = store.datatype_of(store.sort(term)).expect("only datatypes have constructors");
    let testers: Vec<_> = datatype.constructors().iter().map(|c| c.tester).collect();
    let mut number = store.int(testers.len() as i64 - 1);
    for (at, tester) in testers.into_iter().enumerate().rev().skip(1) {
        let (test, own) = (store.test(tester, term), store.int(at as i64));
        number = store.ite(test, own, number);
    }
    number
}
