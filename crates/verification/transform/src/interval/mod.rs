//! Propagation of constants and intervals over the vertices.
//!
//! An abstract interpretation (Cousot and Cousot 1977): every argument of every vertex gets an interval that
//! has its value in all derivable facts. An edge whose sources have facts is entered with their intervals, its
//! label is assumed, and what comes out for the target is joined to what the target has: no solver is asked. The worklist
//! is that of [`crate::domain`]. An end that keeps moving is widened to infinity. One descending step then takes back some of what was widened; its result is used
//! only if a last pass over all edges confirms that the intervals still hold.
//!
//! What is known of the sources of an edge is put into its label: constants replace variables, and atoms that are
//! decided are replaced by their values. Edges whose labels contradict the intervals go.
//!
//! *Back.* On facts within the intervals old and new labels are equivalent, and all derivable facts are, so
//! derivations stay, up to the names of the edges. An interpretation of the new graph fits the old one if it is
//! restricted to the intervals: these hold of the old edges by themselves.

mod environment;

use std::collections::BTreeMap;

use shem_base::{Budget, Rat, UnknownReason};
use shem_chc::{Edge, EdgeId, Graph, VertexId};
use shem_term::{Sort, Store, Substitution, Term, View};

use crate::domain::{Grown, Interval, fixpoint, ranks};
use crate::pass::{Back, Pass, PassDescription, Work};
use crate::replay::Replay;
use crate::rewrite::Rewrite;
use crate::scan::{Scan, source_variables};
use crate::strengthened::Strengthened;
use environment::Environment;

/// Propagates constants and intervals.
#[derive(Clone, Debug)]
pub struct Propagate {
    /// How often the intervals of a vertex may grow before they are widened.
    pub widening_delay: usize,
    /// How many subterms of labels are visited, at most; if they are not enough, nothing is done.
    pub effort: usize,
    /// Whether nothing is done without a product or quotient of terms in a label: one that a constant makes linear need not
    /// be abstracted.
    pub for_products: bool,
}

impl Default for Propagate {
    fn default() -> Propagate {
        Propagate { widening_delay: 4, effort: 1_000_000, for_products: false }
    }
}

fn has_products(store: &Store, graph: &Graph, scan: &mut Scan) -> bool {
    let mut found = false;
    for (_, edge) in graph.edges() {
        scan.each(store, &[edge.label], |term| found |= store.is_product(term));
    }
    found
}

/// The intervals of the arguments of each vertex; `None` if it has no facts.
type Intervals = Vec<Option<Vec<Interval>>>;

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
            let state = graph.vertex(vertex).state();
            let formula = match &intervals[vertex.index()] {
                None => Term::FALSE,
                Some(intervals) => describe(store, state, intervals),
            };
            if formula != Term::TRUE {
                statistics.add("vertices", 1);
                invariants.push((vertex, formula));
            }
        }
        Some(Box::new(Strengthened { replay, invariants }))
    }
}

/// What is known of the variables of the sources of an edge; `None` if one of them has no facts.
fn enter(graph: &Graph, intervals: &Intervals, edge: &Edge) -> Option<Environment> {
    let mut environment = Environment::default();
    for (source, variables) in edge.sources.iter().zip(source_variables(graph, &edge.sources)) {
        let known = intervals[source.index()].as_ref()?;
        for (variable, interval) in variables.into_iter().zip(known) {
            environment.insert(variable, interval.clone());
        }
    }
    Some(environment)
}

/// What an edge gives its target; `None` if nothing.
fn transfer(store: &Store, graph: &Graph, intervals: &Intervals, edge: &Edge) -> Option<Vec<Interval>> {
    let mut environment = enter(graph, intervals, edge)?;
    environment.assume(store, edge.label).ok()?;
    Some(graph.vertex(edge.target).target().iter().map(|&v| environment.get(store, v)).collect())
}

fn join(a: &[Interval], b: &[Interval]) -> Vec<Interval> {
    a.iter().zip(b).map(|(a, b)| a.join(b)).collect()
}

fn is_within(a: &Option<Vec<Interval>>, b: &Option<Vec<Interval>>) -> bool {
    match (a, b) {
        (None, _) => true,
        (_, None) => false,
        (Some(a), Some(b)) => a.iter().zip(b).all(|(a, b)| a.is_within(b)),
    }
}

/// The formula that says that variables are within intervals.
fn describe(store: &mut Store, variables: &[Term], intervals: &[Interval]) -> Term {
    let mut parts = Vec::new();
    for (&variable, interval) in variables.iter().zip(intervals) {
        let sort = store.sort(variable);
        if sort == Sort::Bool {
            parts.extend(interval.value().map(|value| variable.xor(value.is_zero())));
        } else if let Some(value) = interval.value() {
            let value = store.numeral(value, sort);
            parts.push(store.eq(variable, value));
        } else {
            if let Some(low) = &interval.low {
                let low = store.numeral(low, sort);
                parts.push(store.ge(variable, low));
            }
            if let Some(high) = &interval.high {
                let high = store.numeral(high, sort);
                parts.push(store.le(variable, high));
            }
        }
    }
    store.and(&parts)
}

impl Propagate {
    /// Intervals that hold of all derivable facts; `None` if the effort does not suffice.
    fn analyse(&self, store: &Store, graph: &Graph, budget: &Budget) -> Option<Intervals> {
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
            effort += sizes[&id];
            if effort > self.effort {
                return Err(UnknownReason::Incomplete("intervals cost too much"));
            }
            let edge = graph.edge(id);
            let Some(mut new) = transfer(store, graph, &intervals, edge) else { return Ok(Vec::new()) };
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
        if effort + 2 * once <= self.effort
            && let Ok(lower) = descend(store, graph, &intervals, budget)
        {
            let holds =
                |edge: &Edge| is_within(&transfer(store, graph, &lower, edge), &lower[edge.target.index()]);
            if graph.edges().all(|(_, edge)| budget.check_stop().is_ok() && holds(edge)) {
                return Some(lower);
            }
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
        if matches!(store.view(term), View::Le(..) | View::Lt(..) | View::Eq(..) | View::Var(_))
            && store.sort(term) == Sort::Bool
        {
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
        let interval = known.get(store, variable);
        if let Some(value) = interval.value() {
            let constant = constant(store, value, store.sort(variable));
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
) -> Result<Intervals, UnknownReason> {
    let mut lower: Intervals = vec![None; graph.vertex_bound()];
    for (_, edge) in graph.edges() {
        budget.check_stop()?;
        if let Some(found) = transfer(store, graph, intervals, edge) {
            let entry = &mut lower[edge.target.index()];
            *entry = Some(match entry {
                None => found,
                Some(old) => join(old, &found),
            });
        }
    }
    Ok(lower)
}

fn constant(store: &mut Store, value: &Rat, sort: Sort) -> Term {
    if sort == Sort::Bool { Term::from_bool(value.is_one()) } else { store.numeral(value, sort) }
}
