//! Collapsing: removal of arguments that carry no information.
//!
//! Arguments are *linked* if some label equates their variables, perhaps through auxiliary variables. A class of linked
//! arguments whose variables occur in nothing but such equations, in every label, is of no account: whatever can be
//! derived can be derived with one value for the whole class. The state of a program that is handed on from call to
//! call and never looked at is a case of this; slicing keeps it, since the equation of the arguments of two calls
//! in one clause could fail.
//!
//! *Back.* An interpretation is taken over as it is: the old labels imply the new ones. In a derivation the class gets
//! the default value of its sort, which satisfies the equations. The cost is linear in the sizes of the labels.

use std::collections::{BTreeMap, BTreeSet};

use shem_chc::{Edge, EdgeId, Graph};
use shem_term::{Store, Term, View};

use crate::pass::{Back, Pass, PassDescription, Work};
use crate::rewired::Rewired;
use crate::scan::{Scan, source_variables};

/// Removes arguments that carry no information.
#[derive(Clone, Copy, Debug, Default)]
pub struct Collapse;

/// Classes of arguments and auxiliary variables.
struct Classes {
    /// Where the arguments of each vertex begin.
    starts: Vec<usize>,
    parents: Vec<usize>,
    /// Whether a variable of the class occurs in something else than an equation; right for roots.
    matters: Vec<bool>,
}

impl Pass for Collapse {
    fn description(&self) -> PassDescription {
        PassDescription::new("collapse", "removes arguments that are only compared with one another")
    }

    fn apply(&self, Work { store, graph, statistics, budget }: Work<'_>) -> Option<Box<dyn Back>> {
        // Boilerplate of this kind comes with arrays and datatypes.
        if store.sort_count() == 0 {
            return None;
        }
        let mut classes = Classes::new(graph);
        let mut scan = Scan::default();
        for (_, edge) in graph.edges() {
            budget.check_stop().ok()?;
            let mut nodes: BTreeMap<Term, usize> = BTreeMap::new();
            let variables = source_variables(graph, &edge.sources);
            let target = graph.vertex(edge.target).target().to_vec();
            for (vertex, variables) in edge.sources.iter().zip(variables).chain([(&edge.target, target)]) {
                let start = classes.starts[vertex.index()];
                nodes.extend(variables.into_iter().enumerate().map(|(at, v)| (v, start + at)));
            }
            for conjunct in store.conjuncts(edge.label) {
                let linked = equated(store, conjunct);
                for variable in scan.variables(store, &[conjunct]) {
                    let node = *nodes.entry(variable).or_insert_with(|| classes.add());
                    if linked.is_none() {
                        let root = classes.root(node);
                        classes.matters[root] = true;
                    }
                }
                if let Some((a, b)) = linked {
                    classes.link(nodes[&a], nodes[&b]);
                }
            }
        }
        let mut keeps = vec![Vec::new(); graph.vertex_bound()];
        for vertex in graph.vertices() {
            let arity = graph.vertex(vertex).sorts().len();
            let start = classes.starts[vertex.index()];
            keeps[vertex.index()] = (start..start + arity).map(|node| classes.matter(node)).collect();
        }
        let default = |store: &mut Store, sort| {
            let value = store.default_value(sort);
            Some(store.value_term(&value, sort))
        };
        let label = |store: &mut Store, graph: &Graph, _: EdgeId, edge: &Edge| {
            let mut gone: BTreeSet<Term> = BTreeSet::new();
            let variables = source_variables(graph, &edge.sources);
            let target = graph.vertex(edge.target).target().to_vec();
            for (vertex, variables) in edge.sources.iter().zip(variables).chain([(&edge.target, target)]) {
                let keeps = &keeps[vertex.index()];
                gone.extend(variables.into_iter().zip(keeps).filter(|(_, keeps)| !**keeps).map(|(v, _)| v));
            }
            // Equations with auxiliary variables of the class may stay: they have a solution.
            let mut kept = store.conjuncts(edge.label);
            kept.retain(|&conjunct| match equated(store, conjunct) {
                Some((a, b)) => !gone.contains(&a) && !gone.contains(&b),
                None => true,
            });
            store.and(&kept)
        };
        let rewired = Rewired::narrow(store, graph, &keeps, default, statistics, budget, label)?;
        Some(Box::new(rewired))
    }
}

/// The two variables of which a conjunct says that they are equal, and nothing else.
pub(crate) fn equated(store: &Store, conjunct: Term) -> Option<(Term, Term)> {
    if conjunct.is_negated() {
        return None;
    }
    let (a, b) = match store.view(conjunct) {
        View::Equal(a, b) | View::Iff(a, b) => (a, b),
        View::Eq(poly, value) if value.is_zero() => match store.poly_terms(poly) {
            [a, b] if (&a.coeff + &b.coeff).is_zero() && store.sort(a.leaf) == store.sort(b.leaf) => {
                (a.leaf, b.leaf)
            }
            _ => return None,
        },
        _ => return None,
    };
    (store.as_var(a).is_some() && store.as_var(b).is_some()).then_some((a, b))
}

impl Classes {
    fn new(graph: &Graph) -> Classes {
        let mut starts = vec![0; graph.vertex_bound()];
        let mut count = 0;
        for vertex in graph.vertices() {
            starts[vertex.index()] = count;
            count += graph.vertex(vertex).sorts().len();
        }
        Classes { starts, parents: (0..count).collect(), matters: vec![false; count] }
    }

    /// A class for an auxiliary variable.
    fn add(&mut self) -> usize {
        self.parents.push(self.parents.len());
        self.matters.push(false);
        self.parents.len() - 1
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
        self.parents[a.max(b)] = a.min(b);
        self.matters[a.min(b)] |= self.matters[a.max(b)];
    }

    fn matter(&mut self, node: usize) -> bool {
        let root = self.root(node);
        self.matters[root]
    }
}
