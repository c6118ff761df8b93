//! Labels without arrays.
//!
//! What a label says of arrays is said of their elements at finitely many *indices*: those of the reads in the label,
//! those of the cells of the target, and a new one for each inequality of arrays, where they differ. Arrays that the label
//! connects, by writes, conditionals or equalities, form a class and share their indices; at each of these every array
//! of the class has an *element*, a term of arithmetic or a finite record or sum of such: that of `store(a, i, v)` at `k` is `ite(k = i, v, …)` of that of
//! `a`, that of a variable is a new variable. Elements of one variable at indices that are equal are equal.
//!
//! The result follows from the label if the new variables are quantified existentially. It is weaker: equal arrays
//! are equal at the indices only. Whatever is neither arithmetic, a record, a sum nor an array of such becomes a variable
//! that may have any value. What is connected with an argument that is kept stays as it is.

use std::collections::{BTreeMap, BTreeSet};

use shem_term::{Role, Sort, Store, Term, View};

use crate::scan::{Scan, fresh};

/// The greatest number of indices of a class; the elements at others may be anything.
const MAX_INDICES: usize = 10;

/// A label without arrays, and the elements of arrays in it.
pub(super) struct Encoding {
    /// The label; its new variables are auxiliary.
    pub(super) label: Term,
    /// The index terms of each array variable, without arrays; those that were asked for come first.
    indices: BTreeMap<Term, Vec<Term>>,
    elements: BTreeMap<(Term, Term), Term>,
}

impl Encoding {
    /// The indices at which the elements of an array variable are known.
    pub(super) fn indices(&self, array: Term) -> &[Term] {
        self.indices.get(&array).map_or(&[], |list| list)
    }

    /// The element of an array variable at an index; a new variable if nothing is known of it.
    pub(super) fn element(&mut self, store: &mut Store, array: Term, index: Term) -> Term {
        *self.elements.entry((array, index)).or_insert_with(|| {
            let (_, element) = store.array_parts(store.sort(array)).expect("an array");
            new_variable(store, element)
        })
    }
}

/// Whether the sort is of arrays whose indices are truth values or numbers, and whose elements are plain.
pub(super) fn is_flat_array(store: &Store, sort: Sort) -> bool {
    store.array_parts(sort).is_some_and(|(index, element)| is_scalar(index) && is_plain(store, element))
}

/// Whether values of the sort are truth values, numbers or bit-vectors.
pub(super) fn is_scalar(sort: Sort) -> bool {
    sort.is_basic() || sort.bit_width().is_some()
}

/// Whether values of the sort are truth values, numbers, bit-vectors, or finite records and sums of such: what becomes
/// arithmetic when it is flattened.
pub(super) fn is_plain(store: &Store, sort: Sort) -> bool {
    let is_part = |&part: &Sort| is_scalar(part) || part.is_datatype() && !store.is_recursive(part);
    is_scalar(sort) || sort.is_datatype() && store.parts_of_sorts(&[sort]).iter().all(is_part)
}

pub(super) fn new_variable(store: &mut Store, sort: Sort) -> Term {
    let name = format!("cell.{}", store.symbol_count());
    store.variable(&name, sort)
}

/// What is asked of an encoding.
#[derive(Default)]
pub(super) struct Wanted {
    /// Array variables with indices, which are variables, at which their elements are to be known.
    pub(super) elements: Vec<(Term, Term)>,
    /// Array variables that are to have the same indices, each counted from its base if it has one.
    pub(super) together: Vec<Vec<(Term, Option<Term>)>>,
    /// Arrays that are not encoded, nor is what is connected with them.
    pub(super) kept: BTreeSet<Term>,
}

/// The label without arrays.
pub(super) fn encode(store: &mut Store, scan: &mut Scan, label: Term, wanted: &Wanted) -> Encoding {
    let mut subterms = Vec::new();
    let mut roots = vec![label];
    roots.extend(wanted.elements.iter().map(|&(array, _)| array));
    roots.extend(wanted.together.iter().flatten().map(|&(array, _)| array));
    scan.each(store, &roots, |term| subterms.push(term));
    subterms.sort_unstable();
    let mut encoder = Encoder {
        classes: Classes::default(),
        memo: BTreeMap::new(),
        pairs: Vec::new(),
        equalities: Vec::new(),
    };
    encoder.classes.collect(store, &subterms, wanted);
    let signs = signs(store, label);
    encoder.classes.add_indices(store, &subterms, &wanted.elements, &signs);
    encoder.classes.add_at_same_places(store, &wanted.together);
    encoder.replace_opaque(store, &subterms);
    encoder.replace_equalities(store, &subterms, &signs);
    let elements = encoder.elements(store, &subterms);
    let mut sides = encoder.equal_elements(store, &elements);
    encoder.same_index(store, &elements, &mut sides);
    let mut label = encoder.encode(store, label);
    sides.push(label);
    label = store.and(&sides);
    encoder.finish(store, label, elements)
}

/// Which atoms a formula has positively and negatively; those that are conjuncts of it are neither.
struct Signs {
    conjuncts: BTreeSet<Term>,
    negative: BTreeSet<Term>,
}

fn signs(store: &Store, label: Term) -> Signs {
    let conjuncts: BTreeSet<Term> = store.conjuncts(label).into_iter().collect();
    let mut seen: BTreeSet<(Term, bool)> = BTreeSet::new();
    let mut negative = BTreeSet::new();
    let mut stack = vec![(label, true)];
    while let Some((term, positive)) = stack.pop() {
        let positive = positive != term.is_negated();
        let term = term.positive();
        if !seen.insert((term, positive)) {
            continue;
        }
        match store.view(term) {
            View::And(args) => stack.extend(args.iter().map(|&arg| (arg, positive))),
            View::Equal(..) if !positive => {
                negative.insert(term);
            }
            View::Equal(..) => {}
            // Below anything else an atom may count either way.
            _ => store.for_each_child(term, |child| stack.extend([(child, true), (child, false)])),
        }
    }
    Signs { conjuncts, negative }
}

/// A partition of terms.
#[derive(Default)]
pub(super) struct Partition {
    /// The terms, with a link towards the representative of their part.
    links: BTreeMap<Term, Term>,
}

impl Partition {
    pub(super) fn insert(&mut self, term: Term) {
        self.links.entry(term).or_insert(term);
    }

    /// The representative of the part of a term that is in one.
    pub(super) fn part(&self, term: Term) -> Option<Term> {
        let mut term = *self.links.get(&term)?;
        while self.links[&term] != term {
            term = self.links[&term];
        }
        Some(term)
    }

    pub(super) fn join(&mut self, a: Term, b: Term) {
        self.insert(a);
        self.insert(b);
        if let (Some(a), Some(b)) = (self.part(a), self.part(b)) {
            self.links.insert(a.max(b), a.min(b));
        }
    }
}

/// Arrays that a label connects.
#[derive(Default)]
struct Classes {
    /// Arrays that share their indices.
    arrays: Partition,
    /// All terms that are not of basic sorts, with those that occur in the same term or atom.
    connected: Partition,
    /// Representatives of what is connected with a term that is kept.
    whole: BTreeSet<Term>,
    /// The indices of each class, by representative.
    indices: BTreeMap<Term, Vec<Term>>,
    /// For an inequality of arrays, where they differ.
    differences: BTreeMap<Term, Term>,
}

impl Classes {
    /// The class of an array that is to be encoded.
    fn of(&self, array: Term) -> Option<Term> {
        self.arrays.part(array).filter(|_| !self.is_whole(array))
    }

    /// Whether the term, which is not of a basic sort, stays as it is.
    fn is_whole(&self, term: Term) -> bool {
        self.connected.part(term).is_some_and(|part| self.whole.contains(&part))
    }

    fn collect(&mut self, store: &Store, subterms: &[Term], wanted: &Wanted) {
        let mut inside: Vec<Term> = Vec::new();
        for &term in subterms {
            inside.clear();
            inside.push(term);
            store.for_each_child(term, |child| inside.push(child));
            inside.retain(|&part| !is_plain(store, store.sort(part)));
            for &part in &inside {
                self.connected.join(inside[0], part);
            }
            match (store.view(term), store.as_app(term)) {
                (View::Equal(a, b), _) if is_flat_array(store, store.sort(a)) => self.arrays.join(a, b),
                _ if !is_flat_array(store, store.sort(term)) => {}
                (View::Ite(_, a, b), _) => {
                    self.arrays.join(term, a);
                    self.arrays.join(term, b);
                }
                (_, Some((_, Role::Store, args))) => self.arrays.join(term, args[0]),
                _ => self.arrays.insert(term),
            }
        }
        for arrays in &wanted.together {
            for (at, &(array, base)) in arrays.iter().enumerate() {
                if let Some(&(other, _)) = arrays[..at].iter().find(|(_, other)| *other == base) {
                    self.arrays.join(other, array);
                }
            }
        }
        self.whole = wanted.kept.iter().filter_map(|&term| self.connected.part(term)).collect();
    }

    fn add_indices(&mut self, store: &mut Store, subterms: &[Term], wanted: &[(Term, Term)], signs: &Signs) {
        for &(array, index) in wanted {
            self.add_index(array, index);
        }
        for &term in subterms {
            if let Some((_, Role::Select, &[array, index])) = store.as_app(term) {
                self.add_index(array, index);
            }
        }
        for &atom in &signs.negative {
            let View::Equal(a, _) = store.view(atom) else { unreachable!("only equalities are collected") };
            if self.of(a).is_some() {
                let (sort, _) = store.array_parts(store.sort(a)).expect("an array");
                let index = new_variable(store, sort);
                self.add_index(a, index);
                self.differences.insert(atom, index);
            }
        }
    }

    /// Where one of several arrays has an index, the others have the one that is as far from their base.
    fn add_at_same_places(&mut self, store: &mut Store, together: &[Vec<(Term, Option<Term>)>]) {
        for arrays in together {
            let known: Vec<Vec<Term>> = arrays.iter().map(|&(array, _)| self.indices(array).to_vec()).collect();
            for (indices, &(_, from)) in known.iter().zip(arrays) {
                for &(other, to) in arrays.iter().filter(|&&(_, to)| to != from) {
                    for &index in indices {
                        let place = from.map_or(index, |base| store.sub(index, base));
                        let index = to.map_or(place, |base| store.add(&[place, base]));
                        self.add_index(other, index);
                    }
                }
            }
        }
    }

    fn add_index(&mut self, array: Term, index: Term) {
        let Some(class) = self.of(array) else { return };
        let list = self.indices.entry(class).or_default();
        if list.len() < MAX_INDICES && !list.contains(&index) {
            list.push(index);
        }
    }

    fn indices(&self, array: Term) -> &[Term] {
        self.of(array).and_then(|class| self.indices.get(&class)).map_or(&[], |list| list)
    }
}

struct Encoder {
    classes: Classes,
    memo: BTreeMap<Term, Term>,
    /// What takes the place of reads, equalities and whatever cannot be encoded.
    pairs: Vec<(Term, Term)>,
    /// Equalities of arrays, with the literals that take their places.
    equalities: Vec<(Term, Term)>,
}

/// The elements of array terms at the indices of their class.
type Elements = BTreeMap<(Term, Term), Term>;

impl Encoder {
    /// The term without arrays; the elements at the reads in it are known.
    fn encode(&mut self, store: &mut Store, term: Term) -> Term {
        if store.as_num(term).is_some() || store.as_var(term).is_some() {
            return term;
        }
        if let Some(&known) = self.memo.get(&term) {
            return known;
        }
        let encoded = store.replace(term, &self.pairs);
        self.memo.insert(term, encoded);
        encoded
    }

    /// Gives a variable to every term of a plain sort that has something else in it than reads to be encoded.
    fn replace_opaque(&mut self, store: &mut Store, subterms: &[Term]) {
        for &term in subterms {
            if !is_plain(store, store.sort(term)) {
                continue;
            }
            let opaque = match (store.view(term), store.as_app(term)) {
                (View::Equal(a, _), _) => self.is_opaque(store, a),
                (_, Some((_, Role::Select, args))) => {
                    let known = self.classes.indices(args[0]).contains(&args[1]);
                    !known && !self.classes.is_whole(args[0])
                }
                (_, Some((_, role, args))) => {
                    let kinds = [
                        Role::Function,
                        Role::Product,
                        Role::RealQuotient,
                        Role::IntQuotient,
                        Role::Remainder,
                    ];
                    let applied = kinds.contains(&role) && !args.is_empty();
                    applied || args.iter().any(|&arg| self.is_opaque(store, arg))
                }
                _ => false,
            };
            if opaque {
                let variable = fresh(store, term);
                self.pairs.push((term, variable));
            }
        }
    }

    /// Whether a term of this kind has no place in the encoded label.
    fn is_opaque(&self, store: &Store, term: Term) -> bool {
        !is_plain(store, store.sort(term)) && self.classes.of(term).is_none() && !self.classes.is_whole(term)
    }

    /// The elements of all arrays at all indices of their class.
    fn elements(&mut self, store: &mut Store, subterms: &[Term]) -> Elements {
        let mut reads: BTreeMap<(Term, Term), Term> = BTreeMap::new();
        let mut open: Vec<(Term, Term)> = Vec::new();
        for &term in subterms {
            if let Some((_, Role::Select, &[array, index])) = store.as_app(term)
                && self.classes.of(array).is_some()
            {
                reads.insert((array, index), term);
            }
            open.extend(self.classes.indices(term).iter().map(|&index| (term, index)));
        }
        // An element needs those at the reads inside of the array and of the index, which have smaller terms.
        open.sort_unstable_by_key(|&(array, index)| (array.max(index), array, index));
        let mut elements: Elements = BTreeMap::new();
        for (array, index) in open {
            let element = self.element(store, &elements, array, index);
            elements.insert((array, index), element);
            if let Some(&read) = reads.get(&(array, index)) {
                self.pairs.push((read, element));
            }
        }
        elements
    }

    fn element(&mut self, store: &mut Store, elements: &Elements, array: Term, index: Term) -> Term {
        match (store.view(array), store.as_app(array)) {
            (View::Ite(condition, a, b), _) => {
                let condition = self.encode(store, condition);
                store.ite(condition, elements[&(a, index)], elements[&(b, index)])
            }
            (_, Some((_, Role::Store, &[inner, place, value]))) => {
                let (place, value) = (self.encode(store, place), self.encode(store, value));
                let index_here = self.encode(store, index);
                let here = store.eq(place, index_here);
                store.ite(here, value, elements[&(inner, index)])
            }
            (_, Some((_, Role::ConstantArray, &[value]))) => self.encode(store, value),
            _ => {
                let (_, element) = store.array_parts(store.sort(array)).expect("an array");
                new_variable(store, element)
            }
        }
    }

    /// Gives a literal to every equality of arrays that is to be encoded.
    fn replace_equalities(&mut self, store: &mut Store, subterms: &[Term], signs: &Signs) {
        for &atom in subterms {
            if let View::Equal(a, _) = store.view(atom)
                && self.classes.of(a).is_some()
            {
                let holds = if signs.conjuncts.contains(&atom) { Term::TRUE } else { fresh(store, atom) };
                self.equalities.push((atom, holds));
            }
        }
        self.pairs.extend(&self.equalities);
    }

    /// What equalities of arrays say of their elements.
    fn equal_elements(&self, store: &mut Store, elements: &Elements) -> Vec<Term> {
        let mut sides = Vec::new();
        for &(atom, holds) in &self.equalities {
            let View::Equal(a, b) = store.view(atom) else { unreachable!("only equalities are collected") };
            for &index in self.classes.indices(a) {
                let equal = store.eq(elements[&(a, index)], elements[&(b, index)]);
                sides.push(store.implies(holds, equal));
                if self.classes.differences.get(&atom) == Some(&index) {
                    sides.push(store.or2(holds, !equal));
                }
            }
        }
        sides
    }

    /// Elements of a variable at equal indices are equal.
    fn same_index(&mut self, store: &mut Store, elements: &Elements, sides: &mut Vec<Term>) {
        let variables: Vec<Term> = self.classes.arrays.links.keys().copied().collect();
        for array in variables {
            let is_base = match store.as_app(array) {
                Some((_, role, _)) => !matches!(role, Role::Store | Role::ConstantArray),
                None => store.as_var(array).is_some(),
            };
            if !is_base {
                continue;
            }
            let indices = self.classes.indices(array).to_vec();
            for (at, &first) in indices.iter().enumerate() {
                for &second in &indices[at + 1..] {
                    let (a, b) = (self.encode(store, first), self.encode(store, second));
                    let same = store.eq(a, b);
                    let equal = store.eq(elements[&(array, first)], elements[&(array, second)]);
                    sides.push(store.implies(same, equal));
                }
            }
        }
    }

    fn finish(mut self, store: &mut Store, label: Term, elements: Elements) -> Encoding {
        let mut indices: BTreeMap<Term, Vec<Term>> = BTreeMap::new();
        let mut encoded: BTreeMap<(Term, Term), Term> = BTreeMap::new();
        for (&(array, index), &element) in &elements {
            if store.as_var(array).is_some() {
                let index = self.encode(store, index);
                encoded.entry((array, index)).or_insert(element);
            }
        }
        let arrays: Vec<Term> = self.classes.arrays.links.keys().copied().collect();
        for array in arrays {
            if store.as_var(array).is_some() {
                let mut list: Vec<Term> = Vec::new();
                for index in self.classes.indices(array).to_vec() {
                    let index = self.encode(store, index);
                    if !list.contains(&index) {
                        list.push(index);
                    }
                }
                indices.insert(array, list);
            }
        }
        Encoding { label, indices, elements: encoded }
    }
}
