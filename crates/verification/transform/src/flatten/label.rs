//! Labels over leaves instead of records and sums.
//!
//! Every term of such a sort has an image: a list of leaves, or a term that stays whole, such as an element of an array,
//! or both; each is made from the other when it is needed. Constructors put lists together, selectors take them
//! apart, a conditional is one conditional for each leaf, and an equality is one for each leaf, unless both sides stay
//! whole. What needs a term, such as a write to an array, gets it from the constructors.
//!
//! A selector applied to a value of another constructor has a value that nothing determines, but always the same for
//! the same argument. So that it stays the same, it is kept as a term, in a case that is left out where a conjunct
//! says which constructor it is.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use shem_term::{Role, Store, Term, View};

use super::layout::{Layout, Layouts};
use crate::scan::fresh_of;

/// What stands for a term of a record or sum; at least one of the two is known.
#[derive(Clone, Debug)]
struct Image {
    leaves: Option<Arc<[Term]>>,
    /// The term, if it is not put together from leaves.
    whole: Option<Term>,
}

/// Rewrites labels.
#[derive(Default)]
pub(super) struct Flattener {
    layouts: Layouts,
    /// The leaves of variables that were bound, and of others.
    variables: FxHashMap<Term, Arc<[Term]>>,
    auxiliaries: FxHashMap<Term, Arc<[Term]>>,
    /// Variables that have leaves of which it is not known that they are those of a value.
    open: Vec<Term>,
    /// What became of the subterms of the label at hand: terms that stay, and images of records and sums.
    terms: FxHashMap<Term, Term>,
    images: FxHashMap<Term, Image>,
    /// Terms with the number of the constructor that a conjunct of the label at hand says they have.
    known: FxHashSet<(Term, u32)>,
}

impl Flattener {
    /// A flattener that knows these layouts.
    pub(super) fn new(layouts: Layouts) -> Flattener {
        Flattener { layouts, ..Flattener::default() }
    }

    /// Sets the leaves of a variable; one that is no record or sum has one, by which it is renamed.
    pub(super) fn bind(&mut self, variable: Term, leaves: &[Term]) {
        self.variables.insert(variable, leaves.into());
    }

    /// The formula about leaves. The variables that have not been bound get fresh ones; if they are sums, it is added
    /// that they have values, and likewise for the variables of the list, unless a conjunct defines them.
    pub(super) fn formula(&mut self, store: &mut Store, formula: Term, open: &[Term]) -> Term {
        self.terms.clear();
        self.images.clear();
        self.known.clear();
        self.open.clear();
        let conjuncts = store.conjuncts(formula);
        self.learn(store, &conjuncts);
        let mut parts = Vec::with_capacity(conjuncts.len());
        for &conjunct in &conjuncts {
            self.visit(store, conjunct);
            parts.push(self.term(store, conjunct));
        }
        self.open.extend_from_slice(open);
        let undefined = self.undefined(store, &conjuncts);
        for variable in undefined {
            let sort = store.sort(variable);
            if let Some(layout) = self.layouts.of(store, sort) {
                let known = self.variables.get(&variable).or_else(|| self.auxiliaries.get(&variable));
                let leaves = known.expect("a variable of the label").clone();
                layout.is_value(store, &leaves, &mut parts);
            }
        }
        store.and(&parts)
    }

    /// Finds out which constructors terms have.
    fn learn(&mut self, store: &Store, conjuncts: &[Term]) {
        for &conjunct in conjuncts.iter().filter(|c| !c.is_negated()) {
            match store.view(conjunct) {
                View::App(symbol, &[term]) => {
                    if let Role::Tester { constructor, .. } = store.role(symbol) {
                        self.known.insert((term, constructor));
                    }
                }
                View::Equal(a, b) => {
                    for (term, other) in [(a, b), (b, a)] {
                        if let Some((_, Role::Constructor { index, .. }, _)) = store.as_app(other) {
                            self.known.insert((term, index));
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// The open variables that no conjunct equates with a term without open variables: such a term has a value.
    fn undefined(&mut self, store: &mut Store, conjuncts: &[Term]) -> Vec<Term> {
        let mut open: Vec<Term> = Vec::new();
        for &variable in &self.open {
            let sort = store.sort(variable);
            if self.layouts.of(store, sort).is_some_and(|layout| layout.has_tags()) {
                open.push(variable);
            }
        }
        open.sort_unstable();
        open.dedup();
        while !open.is_empty() {
            let before = open.len();
            for &conjunct in conjuncts.iter().filter(|c| !c.is_negated()) {
                let View::Equal(a, b) = store.view(conjunct) else { continue };
                for (variable, term) in [(a, b), (b, a)] {
                    if let Ok(at) = open.binary_search(&variable)
                        && !store.free_variables(&[term]).iter().any(|v| open.binary_search(v).is_ok())
                    {
                        open.remove(at);
                    }
                }
            }
            if open.len() == before {
                break;
            }
        }
        open
    }

    /// Rewrites a term and all of its subterms.
    fn visit(&mut self, store: &mut Store, root: Term) {
        let mut stack = vec![root.positive()];
        while let Some(&term) = stack.last() {
            if self.is_done(term) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            store.for_each_child(term, |child| {
                if !self.is_done(child.positive()) {
                    stack.push(child.positive());
                }
            });
            if stack.len() > before {
                continue;
            }
            stack.pop();
            let sort = store.sort(term);
            match self.layouts.of(store, sort) {
                Some(layout) => {
                    let image = self.image_of(store, term, &layout);
                    self.images.insert(term, image);
                }
                None => {
                    let result = self.plain(store, term);
                    self.terms.insert(term, result);
                }
            }
        }
    }

    fn is_done(&self, term: Term) -> bool {
        self.terms.contains_key(&term) || self.images.contains_key(&term)
    }

    /// The term that stands for a visited one.
    fn term(&mut self, store: &mut Store, term: Term) -> Term {
        if let Some(result) = self.terms.get(&term.positive()) {
            return result.xor(term.is_negated());
        }
        let image = &self.images[&term];
        if let Some(whole) = image.whole {
            return whole;
        }
        let leaves = image.leaves.clone().expect("an image has leaves or is whole");
        let layout = self.layout(store, term);
        layout.whole(store, &leaves)
    }

    /// The leaves of a visited term; one that is no record or sum is its own leaf.
    fn leaves(&mut self, store: &mut Store, term: Term) -> Arc<[Term]> {
        let Some(image) = self.images.get(&term) else { return [self.term(store, term)].into() };
        if let Some(leaves) = &image.leaves {
            return leaves.clone();
        }
        let whole = image.whole.expect("an image has leaves or is whole");
        let layout = self.layout(store, term);
        let leaves: Arc<[Term]> = layout.project(store, whole).into();
        self.images.insert(term, Image { leaves: Some(leaves.clone()), whole: Some(whole) });
        leaves
    }

    fn layout(&mut self, store: &mut Store, term: Term) -> Arc<Layout> {
        let sort = store.sort(term);
        self.layouts.of(store, sort).expect("a record or a sum")
    }

    /// The image of a record or sum whose subterms were visited.
    fn image_of(&mut self, store: &mut Store, term: Term, layout: &Layout) -> Image {
        match store.view(term) {
            View::Var(_) => {
                let leaves = match self.variables.get(&term) {
                    Some(leaves) => leaves.clone(),
                    None => {
                        self.open.push(term);
                        let known = self.auxiliaries.entry(term);
                        let fresh = || layout.leaves().iter().map(|&sort| fresh_of(store, sort)).collect();
                        known.or_insert_with(fresh).clone()
                    }
                };
                Image { leaves: Some(leaves), whole: None }
            }
            View::Ite(condition, then, otherwise) => {
                let condition = self.term(store, condition);
                if let (Some(then), Some(otherwise)) =
                    (self.images[&then].whole, self.images[&otherwise].whole)
                {
                    return Image { leaves: None, whole: Some(store.ite(condition, then, otherwise)) };
                }
                let (then, otherwise) = (self.leaves(store, then), self.leaves(store, otherwise));
                let pairs = then.iter().zip(otherwise.iter());
                let leaves = pairs.map(|(&then, &otherwise)| store.ite(condition, then, otherwise)).collect();
                Image { leaves: Some(leaves), whole: None }
            }
            View::App(symbol, args) => match store.role(symbol) {
                Role::Constructor { index, .. } => {
                    let args = args.to_vec();
                    let fields: Vec<Vec<Term>> =
                        args.iter().map(|&arg| self.leaves(store, arg).to_vec()).collect();
                    let leaves = layout.construct(store, index, &fields);
                    Image { leaves: Some(leaves.into()), whole: None }
                }
                Role::Selector { .. } => self.field(store, term),
                _ => Image { leaves: None, whole: Some(self.rebuilt(store, term)) },
            },
            _ => Image { leaves: None, whole: Some(self.rebuilt(store, term)) },
        }
    }

    /// A visited term that is no record or sum.
    fn plain(&mut self, store: &mut Store, term: Term) -> Term {
        match store.view(term) {
            View::Equal(a, b) if self.images.contains_key(&a) => {
                if let (Some(a), Some(b)) = (self.images[&a].whole, self.images[&b].whole) {
                    return store.eq(a, b);
                }
                let (a, b) = (self.leaves(store, a), self.leaves(store, b));
                let pairs = a.iter().zip(b.iter());
                let equations: Vec<Term> = pairs.map(|(&a, &b)| store.eq(a, b)).collect();
                store.and(&equations)
            }
            View::App(symbol, &[arg]) if self.images.contains_key(&arg) => match store.role(symbol) {
                Role::Selector { .. } => {
                    let image = self.field(store, term);
                    match (image.whole, image.leaves) {
                        (Some(whole), _) => whole,
                        (None, leaves) => leaves.expect("an image has leaves or is whole")[0],
                    }
                }
                Role::Tester { constructor, .. } => {
                    if let Some(whole) = self.images[&arg].whole {
                        return store.apply(symbol, &[whole]);
                    }
                    let leaves = self.leaves(store, arg);
                    let layout = self.layout(store, arg);
                    layout.is_made_by(store, &leaves, constructor as usize)
                }
                _ => self.rebuilt(store, term),
            },
            View::Var(_) => self.variables.get(&term).map_or(term, |leaves| leaves[0]),
            _ => self.rebuilt(store, term),
        }
    }

    /// A selector applied to a visited term.
    fn field(&mut self, store: &mut Store, term: Term) -> Image {
        let View::App(selector, &[arg]) = store.view(term) else {
            unreachable!("a selector with its argument")
        };
        let Role::Selector { constructor, field, .. } = store.role(selector) else {
            unreachable!("a selector with its argument")
        };
        let Some(image) = self.images.get(&arg) else {
            return Image { leaves: None, whole: Some(self.rebuilt(store, term)) };
        };
        if let Some(whole) = image.whole {
            return Image { leaves: None, whole: Some(store.select_field(selector, whole)) };
        }
        let layout = self.layout(store, arg);
        let leaves = self.leaves(store, arg);
        let place = layout.field(constructor, field);
        let mut found = leaves[place.start..place.end].to_vec();
        let here = match self.known.contains(&(arg, constructor)) {
            true => Term::TRUE,
            false => layout.is_made_by(store, &leaves, constructor as usize),
        };
        if here != Term::TRUE {
            let whole = layout.whole(store, &leaves);
            let other = store.select_field(selector, whole);
            let others = match place.inner() {
                Some(inner) => inner.project(store, other),
                None => vec![other],
            };
            for (leaf, other) in found.iter_mut().zip(others) {
                *leaf = store.ite(here, *leaf, other);
            }
        }
        Image { leaves: Some(found.into()), whole: None }
    }

    /// A term with its visited subterms replaced.
    fn rebuilt(&mut self, store: &mut Store, term: Term) -> Term {
        let mut children = Vec::new();
        store.for_each_child(term, |child| children.push(child.positive()));
        // All of them are given, so that no subterm is gone through again.
        let pairs: Vec<(Term, Term)> =
            children.into_iter().map(|child| (child, self.term(store, child))).collect();
        if pairs.iter().all(|(old, new)| old == new) { term } else { store.replace(term, &pairs) }
    }
}
