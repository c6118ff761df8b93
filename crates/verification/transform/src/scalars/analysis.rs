//! Which arrays are looked at in few places only.
//!
//! Arrays belong to one class if a label equates them, perhaps after writes or by cases. A class is *narrow* if it
//! is read and written at numerals and at one argument only, which every vertex with an array of the class has, and which is
//! the same for all of them in every edge: the contract whose balance is looked at, say. An equation of arrays
//! where it may be false, or an array inside of another, makes the class unfit. So do constant arrays with
//! different elements.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;
use shem_base::Budget;
use shem_chc::{Edge, EdgeId, Graph, VertexId};
use shem_term::{Role, Sort, Store, Term, View};

use crate::collapse::equated;
use crate::scan::source_variables;

/// A class with more places stays.
const PLACES: usize = 8;

/// What is known of a class of arrays.
#[derive(Clone, Debug, Default)]
struct Uses {
    unfit: bool,
    numerals: BTreeSet<Term>,
    /// The elements of constant arrays.
    constants: BTreeSet<Term>,
    /// The variables at which arrays are read or written.
    variables: Vec<usize>,
}

/// The places at which the arrays of a narrow class are looked at.
#[derive(Clone, Debug)]
pub(super) struct Places {
    pub(super) numerals: Vec<Term>,
    /// The class of the argument at which they are looked at, too.
    pub(super) argument: Option<usize>,
    /// The element of constant arrays.
    pub(super) constant: Option<Term>,
}

impl Places {
    /// The number of places.
    pub(super) fn count(&self) -> usize {
        self.numerals.len() + usize::from(self.argument.is_some())
    }
}

/// Classes of arguments and of terms of labels that are arrays, or at which arrays are read.
pub(super) struct Analysis {
    /// Where the arguments of each vertex begin.
    starts: Vec<usize>,
    parents: Vec<usize>,
    uses: Vec<Uses>,
    /// For each edge the nodes of its variables and of its terms that are arrays.
    nodes: BTreeMap<EdgeId, BTreeMap<Term, usize>>,
    /// The narrow classes.
    places: BTreeMap<usize, Places>,
}

impl Analysis {
    /// Analyses a graph; `None` if no class is narrow, or if a stop was requested.
    pub(super) fn of(store: &Store, graph: &Graph, budget: &Budget) -> Option<Analysis> {
        let mut starts = vec![0; graph.vertex_bound()];
        let mut count = 0;
        for vertex in graph.vertices() {
            starts[vertex.index()] = count;
            count += graph.vertex(vertex).sorts().len();
        }
        let mut analysis = Analysis {
            starts,
            parents: (0..count).collect(),
            uses: vec![Uses::default(); count],
            nodes: BTreeMap::new(),
            places: BTreeMap::new(),
        };
        for (id, edge) in graph.edges() {
            budget.check_stop().ok()?;
            let nodes = analysis.look_at(store, graph, edge);
            analysis.nodes.insert(id, nodes);
        }
        analysis.find_places(store, graph);
        for (id, edge) in graph.edges() {
            analysis.check_argument(store, id, edge);
        }
        (!analysis.places.is_empty()).then_some(analysis)
    }

    /// The places of the class of an argument, if that is narrow.
    pub(super) fn places(&mut self, vertex: VertexId, argument: usize) -> Option<&Places> {
        let root = self.root(self.starts[vertex.index()] + argument);
        self.places.get(&root)
    }

    /// The places of the class of a term of an edge, if that is narrow.
    pub(super) fn places_of(&mut self, id: EdgeId, term: Term) -> Option<(usize, &Places)> {
        let node = *self.nodes.get(&id)?.get(&term)?;
        let root = self.root(node);
        self.places.get(&root).map(|places| (root, places))
    }

    /// The first argument of a vertex that is in a class.
    pub(super) fn argument(&mut self, graph: &Graph, vertex: VertexId, class: usize) -> Option<usize> {
        let start = self.starts[vertex.index()];
        (0..graph.vertex(vertex).sorts().len()).find(|at| self.root(start + at) == class)
    }

    /// Whether a variable of an edge is in a class.
    pub(super) fn is_in(&mut self, id: EdgeId, variable: Term, class: usize) -> bool {
        let node = self.nodes.get(&id).and_then(|nodes| nodes.get(&variable)).copied();
        node.is_some_and(|node| self.root(node) == class)
    }

    fn root(&mut self, mut node: usize) -> usize {
        while self.parents[node] != node {
            self.parents[node] = self.parents[self.parents[node]];
            node = self.parents[node];
        }
        node
    }

    fn link(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return;
        }
        let (small, large) = (a.min(b), a.max(b));
        self.parents[large] = small;
        let Uses { unfit, mut numerals, mut constants, mut variables } =
            std::mem::take(&mut self.uses[large]);
        let uses = &mut self.uses[small];
        uses.unfit |= unfit;
        uses.numerals.append(&mut numerals);
        uses.constants.append(&mut constants);
        uses.variables.append(&mut variables);
    }

    fn uses(&mut self, node: usize) -> &mut Uses {
        let root = self.root(node);
        &mut self.uses[root]
    }

    /// Collects what an edge says of arrays.
    fn look_at(&mut self, store: &Store, graph: &Graph, edge: &Edge) -> BTreeMap<Term, usize> {
        let mut nodes: BTreeMap<Term, usize> = BTreeMap::new();
        let target = graph.vertex(edge.target).target().to_vec();
        let variables = source_variables(graph, &edge.sources).into_iter().chain([target]);
        for (vertex, variables) in edge.sources.iter().chain([&edge.target]).zip(variables) {
            let start = self.starts[vertex.index()];
            nodes.extend(variables.into_iter().enumerate().map(|(at, v)| (v, start + at)));
        }
        let terms = store.subterms(&[edge.label]);
        for &term in &terms {
            let is_array = store.sort(term).is_array();
            if !nodes.contains_key(&term) && (is_array || store.as_var(term).is_some()) {
                nodes.insert(term, self.parents.len());
                self.parents.push(self.parents.len());
                self.uses.push(Uses::default());
            }
        }
        for conjunct in store.conjuncts(edge.label) {
            if let Some((a, b)) = equated(store, conjunct) {
                self.link(nodes[&a], nodes[&b]);
            }
        }
        for &term in &terms {
            self.look_at_term(store, &nodes, term);
        }
        // An equation that may be false says more than one of the places does.
        for equation in maybe_false(store, edge.label) {
            if let View::Equal(a, _) = store.view(equation)
                && let Some(&node) = nodes.get(&a)
            {
                self.uses(node).unfit = true;
            }
        }
        nodes
    }

    fn look_at_term(&mut self, store: &Store, nodes: &BTreeMap<Term, usize>, term: Term) {
        let own = nodes.get(&term).copied();
        let is_array = |term: Term| store.sort(term).is_array();
        // Children that are arrays and not used as such.
        let mut unfit: Vec<Term> = Vec::new();
        match store.view(term) {
            View::Var(_) => {}
            View::Ite(_, then, otherwise) if is_array(term) => {
                self.link(nodes[&term], nodes[&then]);
                self.link(nodes[&term], nodes[&otherwise]);
            }
            View::Equal(a, b) if is_array(a) => self.link(nodes[&a], nodes[&b]),
            View::App(symbol, args) => match (store.role(symbol), args) {
                (Role::Select, &[array, index]) => {
                    self.look_at_index(store, nodes, array, index);
                    unfit.push(index);
                    if is_array(term) {
                        unfit.push(term);
                    }
                }
                (Role::Store, &[array, index, element]) => {
                    self.link(nodes[&term], nodes[&array]);
                    self.look_at_index(store, nodes, array, index);
                    unfit.extend([index, element]);
                }
                (Role::ConstantArray, &[element]) => {
                    self.uses(nodes[&term]).constants.insert(element);
                    unfit.push(element);
                }
                (_, args) => unfit.extend(args.iter().copied().chain(own.map(|_| term))),
            },
            _ => store.for_each_child(term, |child| unfit.push(child)),
        }
        for term in unfit {
            if is_array(term) {
                self.uses(nodes[&term]).unfit = true;
            }
        }
    }

    fn look_at_index(&mut self, store: &Store, nodes: &BTreeMap<Term, usize>, array: Term, index: Term) {
        let variable = store.as_var(index).map(|_| nodes[&index.positive()]);
        let uses = self.uses(nodes[&array]);
        match variable {
            _ if store.as_num(index).is_some() => {
                uses.numerals.insert(index);
            }
            Some(node) if !store.sort(index).is_array() && store.sort(index) != Sort::Bool => {
                uses.variables.push(node)
            }
            _ => uses.unfit = true,
        }
    }

    /// Finds the classes that are narrow, as far as one can tell without the edges.
    fn find_places(&mut self, store: &Store, graph: &Graph) {
        let mut vertices: BTreeMap<usize, BTreeSet<VertexId>> = BTreeMap::new();
        for vertex in graph.vertices() {
            for (at, sort) in graph.vertex(vertex).sorts().iter().enumerate() {
                if sort.is_array() {
                    let root = self.root(self.starts[vertex.index()] + at);
                    vertices.entry(root).or_default().insert(vertex);
                }
            }
        }
        for (root, vertices) in vertices {
            let Uses { unfit, numerals, constants, variables } = self.uses[root].clone();
            let arguments: BTreeSet<usize> = variables.into_iter().map(|node| self.root(node)).collect();
            let is_constant =
                |&element: &Term| store.as_num(element).is_some() || element.is_truth_constant();
            if unfit || constants.len() > 1 || !constants.iter().all(is_constant) || arguments.len() > 1 {
                continue;
            }
            let argument = arguments.first().copied();
            let places = Places {
                numerals: numerals.into_iter().collect(),
                argument,
                constant: constants.first().copied(),
            };
            let all_have_it = argument
                .is_none_or(|class| vertices.iter().all(|&v| self.argument(graph, v, class).is_some()));
            if all_have_it && places.count() <= PLACES {
                self.places.insert(root, places);
            }
        }
    }

    /// Takes out the classes whose argument is not the same everywhere in an edge.
    fn check_argument(&mut self, store: &Store, id: EdgeId, edge: &Edge) {
        let nodes = self.nodes[&id].clone();
        let is_array = |term: &Term| store.sort(*term).is_array();
        let arrays: BTreeSet<usize> =
            nodes.iter().filter(|n| is_array(n.0)).map(|n| self.root(*n.1)).collect();
        let narrow: Vec<(usize, usize)> =
            arrays.into_iter().filter_map(|root| Some((root, self.places.get(&root)?.argument?))).collect();
        if narrow.is_empty() {
            return;
        }
        // Which variables are equal in this edge.
        let mut equal: BTreeMap<Term, Term> = BTreeMap::new();
        fn first(equal: &BTreeMap<Term, Term>, mut variable: Term) -> Term {
            while let Some(&next) = equal.get(&variable) {
                variable = next;
            }
            variable
        }
        for conjunct in store.conjuncts(edge.label) {
            if let Some((a, b)) = equated(store, conjunct) {
                let (a, b) = (first(&equal, a), first(&equal, b));
                if a != b {
                    equal.insert(a.max(b), a.min(b));
                }
            }
        }
        for (root, argument) in narrow {
            let variables = nodes.iter().filter(|n| store.as_var(*n.0).is_some());
            let variables: Vec<Term> =
                variables.filter(|n| self.root(*n.1) == argument).map(|n| *n.0).collect();
            let same = variables.windows(2).all(|pair| first(&equal, pair[0]) == first(&equal, pair[1]));
            if !same || variables.is_empty() {
                self.places.remove(&root);
            }
        }
    }
}

/// The equations of a formula that occur negated, or where both truth values matter.
fn maybe_false(store: &Store, formula: Term) -> Vec<Term> {
    let mut found = Vec::new();
    let mut seen: FxHashSet<(Term, bool)> = FxHashSet::default();
    let mut stack = vec![(formula, true)];
    while let Some((term, positive)) = stack.pop() {
        let positive = positive != term.is_negated();
        let term = term.positive();
        if !seen.insert((term, positive)) {
            continue;
        }
        match store.view(term) {
            View::And(args) => stack.extend(args.iter().map(|&arg| (arg, positive))),
            View::Ite(condition, then, otherwise) if store.sort(term) == Sort::Bool => {
                stack.extend([
                    (condition, true),
                    (condition, false),
                    (then, positive),
                    (otherwise, positive),
                ]);
            }
            view => {
                if matches!(view, View::Equal(..)) && !positive {
                    found.push(term);
                }
                // Whatever is inside of an equivalence or of a term may have either value.
                store.for_each_child(term, |child| stack.extend([(child, true), (child, false)]));
            }
        }
    }
    found
}
