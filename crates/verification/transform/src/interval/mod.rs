//! Propagation of constants and intervals over the vertices.
//!
//! An abstract interpretation (Cousot and Cousot 1977): every argument of every vertex gets an interval that
//! has its value in all derivable facts, or an [arc](Arc) if it is a bit-vector. An edge whose sources have facts is
//! entered with their intervals, its label is assumed, and what comes out for the target is joined to what the target
//! has: no solver is asked. The worklist is that of [`crate::domain`]. An end that keeps moving is widened to infinity,
//! that of an arc to where numbers with or without signs end. Descending steps then take back some of what was widened;
//! the result of each is used only if a pass over all edges confirms that the intervals still hold.
//!
//! What is known of the sources of an edge is put into its label: constants replace variables, and atoms that are
//! decided are replaced by their values. Edges whose labels contradict the intervals go.
//!
//! *Back.* On facts within the intervals old and new labels are equivalent, and all derivable facts are, so
//! derivations stay, up to the names of the edges. An interpretation of the new graph fits the old one if it is
//! restricted to the intervals: these hold of the old edges by themselves.

mod bits;
mod environment;
mod values;

use std::collections::BTreeMap;

use shem_base::{Budget, UnknownReason};
use shem_chc::{Edge, EdgeId, Graph, VertexId};
use shem_term::{Sort, Store, Substitution, Term, View};

#[cfg(doc)]
use crate::domain::Arc;
use crate::domain::{Grown, fixpoint, ranks};
use crate::pass::{Back, Pass, PassDescription, Work};
use crate::replay::Replay;
use crate::rewrite::Rewrite;
use crate::scan::{Scan, source_variables};
use crate::strengthened::Strengthened;
pub(crate) use environment::Environment;
pub(crate) use values::Values;

/// Propagates constants and intervals.
#[derive(Clone, Debug)]
pub struct Propagate {
    /// How often the intervals of a vertex may grow before they are widened.
    pub widening_delay: usize,
    /// How many subterms of labels are visited, at most; if they are not enough, nothing is done.
    pub effort: usize,
    /// How many descending steps are taken, at most.
    pub descents: usize,
    /// Whether nothing is done without a product or quotient of terms in a label: one that a constant makes linear need not
    /// be abstracted.
    pub for_products: bool,
}

impl Default for Propagate {
    fn default() -> Propagate {
        Propagate { widening_delay: 4, effort: 1_000_000, descents: 1, for_products: false }
    }
}

fn has_products(store: &Store, graph: &Graph, scan: &mut Scan) -> bool {
    let mut found = false;
    for (_, edge) in graph.edges() {
        scan.each(store, &[edge.label], |term| found |= store.is_product(term));
    }
    found
}

/// Where the arguments of each vertex have their values; `None` if it has no facts.
pub(crate) type Intervals = Vec<Option<Vec<Values>>>;

impl Pass for Propagate {
    fn description(&self) -> PassDescription {
        let (name, summary) = match self.for_products {
            true => ("propagate-products", "propagates constants and intervals where there are products"),
            false => ("propagate", "propagates constants and intervals"),
        };
        PassDescription::new(name, summary).before_abstraction()
    }

    fn apply(&self, Work { store, graph, statistics, budget }: Work<'_>) -> Option<Box<dyn Back>> {
        let mut scan = Scan::default();
        if self.for_products && !has_products(store, graph, &mut scan) {
            return None;
        }
        let intervals = self.analyse(store, graph, budget)?;
        let mut rewrite = Rewrite::default();
        let mut replay = Replay::default();
        let mut removed = false;
        let edges: Vec<EdgeId> = graph.edges().map(|(id, _)| id).collect();
        for id in edges {
            if budget.check_stop().is_err() {
                break;
            }
            let edge = graph.edge(id);
            let Some(known) = enter(graph, &intervals, edge) else {
                graph.remove_edge(id);
                statistics.add("edges", 1);
                removed = true;
                continue;
            };
            if known.clone().assume(store, edge.label).is_err() {
                graph.remove_edge(id);
                statistics.add("edges", 1);
                removed = true;
                continue;
            }
            let edge = edge.clone();
            let label = specialise(store, &mut scan, &mut rewrite, graph, &edge, &known);
            if label != edge.label {
                graph.remove_edge(id);
                let new = graph.add_edge(store, Edge { label, ..edge.clone() });
                replay.rename(new, &edge, id);
                statistics.add("labels", 1);
            }
        }
        if !removed && replay.is_empty() {
            return None;
        }
        let mut invariants = Vec::new();
        let vertices: Vec<VertexId> = graph.vertices().collect();
        for vertex in vertices {
            let formula = describe(store, graph, &intervals, vertex);
            if formula != Term::TRUE {
                statistics.add("vertices", 1);
                invariants.push((vertex, formula));
            }
        }
        Some(Box::new(Strengthened { replay, invariants }))
    }
}

/// What is known of the variables of the sources of an edge; `None` if one of them has no facts.
pub(crate) fn enter(graph: &Graph, intervals: &Intervals, edge: &Edge) -> Option<Environment> {
    let mut environment = Environment::default();
    for (source, variables) in edge.sources.iter().zip(source_variables(graph, &edge.sources)) {
        let known = intervals[source.index()].as_ref()?;
        for (variable, interval) in variables.into_iter().zip(known) {
            environment.insert(variable, interval.clone());
        }
    }
    Some(environment)
}

/// What an edge gives its target; `None` if nothing. `visits` counts the terms that are evaluated.
fn transfer(
    store: &Store,
    graph: &Graph,
    intervals: &Intervals,
    edge: &Edge,
    visits: &mut usize,
) -> Option<Vec<Values>> {
    let mut environment = enter(graph, intervals, edge)?;
    let end = environment.assume(store, edge.label);
    *visits += environment.visits.get();
    end.ok()?;
    Some(graph.vertex(edge.target).target().iter().map(|&v| environment.get(store, v)).collect())
}

fn join(a: &[Values], b: &[Values]) -> Vec<Values> {
    a.iter().zip(b).map(|(a, b)| a.join(b)).collect()
}

fn is_within(a: &Option<Vec<Values>>, b: &Option<Vec<Values>>) -> bool {
    match (a, b) {
        (None, _) => true,
        (_, None) => false,
        (Some(a), Some(b)) => a.iter().zip(b).all(|(a, b)| a.is_within(b)),
    }
}

/// The formula that says that the state of a vertex is within the intervals.
pub(crate) fn describe(store: &mut Store, graph: &Graph, intervals: &Intervals, vertex: VertexId) -> Term {
    let Some(values) = &intervals[vertex.index()] else { return Term::FALSE };
    let state = graph.vertex(vertex).state();
    let parts: Vec<Term> = state.iter().zip(values).map(|(&v, values)| values.describe(store, v)).collect();
    store.and(&parts)
}

impl Propagate {
    /// Intervals that hold of all derivable facts; `None` if the effort does not suffice.
    pub(crate) fn analyse(&self, store: &Store, graph: &Graph, budget: &Budget) -> Option<Intervals> {
        let mut scan = Scan::default();
        let mut sizes: BTreeMap<EdgeId, usize> = BTreeMap::new();
        for (id, edge) in graph.edges() {
            budget.check_stop().ok()?;
            sizes.insert(id, scan.size(store, edge.label));
        }
        // Every edge is visited twice at least: give up now if the effort does not suffice for that.
        let once = sizes.values().sum::<usize>();
        if 2 * once > self.effort {
            return None;
        }
        let mut effort = 0;
        let mut intervals: Intervals = vec![None; graph.vertex_bound()];
        let mut growth = vec![0usize; graph.vertex_bound()];
        let visit = |id: EdgeId, _| -> Result<Vec<Grown<()>>, UnknownReason> {
            budget.check_stop()?;
            if effort > self.effort {
                return Err(UnknownReason::Incomplete("intervals cost too much"));
            }
            let edge = graph.edge(id);
            let mut visits = 0;
            let new = transfer(store, graph, &intervals, edge, &mut visits);
            effort += sizes[&id].max(visits);
            let Some(mut new) = new else { return Ok(Vec::new()) };
            let at = edge.target.index();
            if let Some(old) = &intervals[at] {
                new = join(old, &new);
                if new == *old {
                    return Ok(Vec::new());
                }
                growth[at] += 1;
                if growth[at] > self.widening_delay {
                    let sorts = graph.vertex(edge.target).sorts();
                    for ((new, old), &sort) in new.iter_mut().zip(old).zip(sorts) {
                        if sort != Sort::Bool {
                            *new = new.widen(old);
                        }
                    }
                }
            }
            intervals[at] = Some(new);
            Ok(vec![(edge.target, None)])
        };
        fixpoint(graph, &ranks(graph), [], false, visit).ok()?;
        for _ in 0..self.descents {
            if effort + 2 * once > self.effort {
                break;
            }
            let Ok(lower) = descend(store, graph, &intervals, budget, &mut effort) else { break };
            let mut holds = |edge: &Edge| {
                is_within(&transfer(store, graph, &lower, edge, &mut effort), &lower[edge.target.index()])
            };
            let is_new = lower != intervals;
            if !is_new || !graph.edges().all(|(_, edge)| budget.check_stop().is_ok() && holds(edge)) {
                break;
            }
            intervals = lower;
        }
        Some(intervals)
    }
}

/// The label of an edge, simplified by what is known of its sources.
fn specialise(
    store: &mut Store,
    scan: &mut Scan,
    rewrite: &mut Rewrite,
    graph: &Graph,
    edge: &Edge,
    known: &Environment,
) -> Term {
    let mut atoms = Vec::new();
    scan.each(store, &[edge.label], |term| {
        let is_relation = match store.view(term) {
            View::Le(..) | View::Lt(..) | View::Eq(..) | View::Var(_) => true,
            View::Equal(a, _) => store.sort(a).bit_width().is_some(),
            View::App(..) => store.as_bit_op(term).is_some(),
            _ => false,
        };
        if is_relation && store.sort(term) == Sort::Bool {
            atoms.push(term);
        }
    });
    rewrite.clear();
    for atom in atoms {
        if let Some(truth) = known.truth(store, atom, 1) {
            rewrite.set(atom, Term::from_bool(truth));
        }
    }
    let label = rewrite.apply(store, edge.label);
    let mut substitution = Substitution::new();
    for variable in source_variables(graph, &edge.sources).into_iter().flatten() {
        if let Some(constant) = known.get(store, variable).constant(store, store.sort(variable)) {
            substitution.bind(store, &[variable], &[constant]);
        }
    }
    store.substitute(label, &substitution)
}

/// One step down: what the edges give if the intervals hold.
fn descend(
    store: &Store,
    graph: &Graph,
    intervals: &Intervals,
    budget: &Budget,
    visits: &mut usize,
) -> Result<Intervals, UnknownReason> {
    let mut lower: Intervals = vec![None; graph.vertex_bound()];
    for (_, edge) in graph.edges() {
        budget.check_stop()?;
        if let Some(found) = transfer(store, graph, intervals, edge, visits) {
            let entry = &mut lower[edge.target.index()];
            *entry = Some(match entry {
                None => found,
                Some(old) => join(old, &found),
            });
        }
    }
    Ok(lower)
}
