//! Slicing: removal of arguments that cannot matter.
//!
//! All arguments are supposed to be useless until shown otherwise. An argument of the target of an edge is
//! *loose* in the label if it can take some value whatever the other variables are: it is in no conjunct, or in
//! one alone, which defines it, or in conjuncts that all bound it from the same side or say what it is not.
//! Conjuncts with a useless and loose argument are dropped. The arguments of the sources that occur in the other
//! conjuncts are useful, unless the conjunct is a condition on this argument that holds of all facts (`established`);
//! if the argument stays useless, the condition is dropped, too. This is repeated until nothing becomes useful any more;
//! then every vertex with useless arguments is replaced by one without them, and the edges keep the conjuncts that are
//! not dropped. A useless argument of the target that occurs there, since it is not loose, becomes an auxiliary
//! variable: that it has some value may matter, but nobody looks at the value.
//!
//! *Back.* An interpretation is taken over as it is: the old labels imply the new ones. A derivation is followed
//! forward, and the values that are missing in a fact are found by solving the old label with the values of the
//! premises and those that the fact has. They exist: the new label gives values to all variables of conjuncts
//! that were kept, and the premises satisfy the conditions that hold of all facts. Put the useless and loose arguments
//! of the target into any order and choose values for them from the last to the first, each such that it satisfies
//! those of its conjuncts that have no earlier argument. This is possible since it is loose, and its other conjuncts
//! are left to the earlier arguments.

use std::collections::{BTreeMap, BTreeSet};

use shem_base::Budget;
use shem_chc::{Edge, EdgeId, Graph, VertexId};
use shem_term::{Store, Term, View};

use crate::established::{Condition, Conditions, established};
use crate::pass::{Back, Pass, PassDescription, Work};
use crate::reduce::Reducer;
use crate::rewired::Rewired;
use crate::scan::{fresh_all, source_variables};

/// Removes arguments that cannot matter.
#[derive(Clone, Copy, Debug, Default)]
pub struct Slice;

/// What is known of the edges while arguments become useful.
struct Analysis {
    useful: Vec<Vec<bool>>,
    edges: BTreeMap<EdgeId, LabelParts>,
}

/// The conjuncts of an edge's label and what occurs in them.
struct LabelParts {
    conjuncts: Vec<Term>,
    /// The arguments of sources for which each conjunct matters.
    arguments: Vec<Vec<(VertexId, usize)>>,
    /// For each conjunct the argument of a source on which it is an established condition.
    conditions: Vec<Option<(VertexId, usize)>>,
    /// For each argument of the target, the conjuncts in which it occurs, and whether it is loose in them.
    occurrences: Vec<(Vec<usize>, bool)>,
}

/// How a conjunct constrains an argument.
#[derive(Clone, Copy, PartialEq)]
enum Restriction {
    Defines,
    Below,
    Above,
    Excludes,
    /// None of these, or not known.
    Other,
}

impl Pass for Slice {
    fn description(&self) -> PassDescription {
        PassDescription::new("slice", "removes arguments that cannot matter").before_abstraction()
    }

    fn apply(&self, Work { store, graph, statistics, budget }: Work<'_>) -> Option<Box<dyn Back>> {
        let mut analysis = Analysis::new(store, graph, budget)?;
        analysis.run(graph, budget)?;
        let Analysis { useful, edges } = analysis;
        let label = |store: &mut Store, graph: &Graph, id: EdgeId, edge: &Edge| {
            let parts = &edges[&id];
            let mut dropped = parts.dropped(edge.target, &useful).into_iter();
            let mut kept = parts.conjuncts.clone();
            kept.retain(|_| dropped.next() == Some(false));
            let label = store.and(&kept);
            let target = graph.vertex(edge.target).target().iter().zip(&useful[edge.target.index()]);
            let useless: Vec<Term> = target.filter(|(_, useful)| !**useful).map(|(&v, _)| v).collect();
            let auxiliaries = fresh_all(store, &useless);
            store.rename(label, &useless, &auxiliaries)
        };
        let rewired = Rewired::narrow(store, graph, &useful, |_, _| None, statistics, budget, label)?;
        Some(Box::new(rewired))
    }
}

impl LabelParts {
    fn of(
        store: &Store,
        graph: &Graph,
        reducer: &mut Reducer,
        edge: &Edge,
        label: Conditions,
        established: &BTreeSet<Condition>,
    ) -> LabelParts {
        let Conditions { conjuncts: members, of_sources, .. } = label;
        let is_established = |condition: Option<Condition>| {
            condition.filter(|c| established.contains(c)).map(|(vertex, at, _)| (vertex, at))
        };
        let conditions: Vec<Option<(VertexId, usize)>> = of_sources.into_iter().map(is_established).collect();
        let target = graph.vertex(edge.target).target();
        let mut owners: BTreeMap<Term, (VertexId, usize)> = BTreeMap::new();
        for (&source, variables) in edge.sources.iter().zip(source_variables(graph, &edge.sources)) {
            owners.extend(variables.into_iter().enumerate().map(|(at, v)| (v, (source, at))));
        }
        let positions: BTreeMap<Term, usize> = target.iter().enumerate().map(|(at, &v)| (v, at)).collect();
        let mut arguments = Vec::with_capacity(members.len());
        let mut grips: Vec<Vec<(usize, Restriction)>> = vec![Vec::new(); target.len()];
        for (number, &member) in members.iter().enumerate() {
            let mut found = Vec::new();
            if conditions[number].is_some() {
                arguments.push(found);
                continue;
            }
            for variable in reducer.scan.variables(store, &[member]) {
                found.extend(owners.get(&variable));
                if let Some(&at) = positions.get(&variable) {
                    grips[at].push((number, restriction(reducer, store, member, variable)));
                }
            }
            arguments.push(found);
        }
        let occurrences = grips
            .into_iter()
            .map(|grips| {
                let has = |restriction| grips.iter().any(|g| g.1 == restriction);
                let loose = match grips[..] {
                    [(_, Restriction::Defines)] => true,
                    _ => {
                        !(has(Restriction::Defines)
                            || has(Restriction::Other)
                            || has(Restriction::Below) && has(Restriction::Above))
                    }
                };
                (grips.iter().map(|g| g.0).collect(), loose)
            })
            .collect();
        LabelParts { conjuncts: members, arguments, conditions, occurrences }
    }

    /// Which conjuncts are dropped, given which arguments are useful, by vertex.
    fn dropped(&self, target: VertexId, useful: &[Vec<bool>]) -> Vec<bool> {
        let is_dropped = |condition: &Option<(VertexId, usize)>| {
            condition.is_some_and(|(vertex, at): (VertexId, usize)| !useful[vertex.index()][at])
        };
        let mut dropped: Vec<bool> = self.conditions.iter().map(is_dropped).collect();
        for ((conjuncts, loose), useful) in self.occurrences.iter().zip(&useful[target.index()]) {
            if *loose && !useful {
                conjuncts.iter().for_each(|&at| dropped[at] = true);
            }
        }
        dropped
    }
}

impl Analysis {
    /// Nothing is useful yet; `None` if a stop was requested.
    fn new(store: &mut Store, graph: &Graph, budget: &Budget) -> Option<Analysis> {
        let (mut labels, established) = established(store, graph, budget)?;
        let mut reducer = Reducer::default();
        let mut useful = vec![Vec::new(); graph.vertex_bound()];
        for vertex in graph.vertices() {
            useful[vertex.index()] = vec![false; graph.vertex(vertex).sorts().len()];
        }
        let mut edges = BTreeMap::new();
        for (id, edge) in graph.edges() {
            budget.check_stop().ok()?;
            let label = labels.remove(&id).expect("all labels have been read");
            edges.insert(id, LabelParts::of(store, graph, &mut reducer, edge, label, &established));
        }
        Some(Analysis { useful, edges })
    }

    /// Marks what is useful; `None` if a stop was requested.
    fn run(&mut self, graph: &Graph, budget: &Budget) -> Option<()> {
        let mut queue: BTreeSet<EdgeId> = self.edges.keys().copied().collect();
        while let Some(id) = queue.pop_first() {
            budget.check_stop().ok()?;
            let parts = &self.edges[&id];
            let dropped = parts.dropped(graph.edge(id).target, &self.useful);
            for (arguments, dropped) in parts.arguments.iter().zip(dropped) {
                for &(vertex, at) in arguments.iter().filter(|_| !dropped) {
                    if !std::mem::replace(&mut self.useful[vertex.index()][at], true) {
                        queue.extend(graph.incoming(vertex));
                    }
                }
            }
        }
        Some(())
    }
}

/// How a conjunct constrains a variable that occurs in it.
fn restriction(reducer: &mut Reducer, store: &Store, conjunct: Term, variable: Term) -> Restriction {
    let negated = conjunct.is_negated();
    match store.view(conjunct) {
        View::Var(_) => Restriction::Defines,
        View::Iff(a, b) => {
            let other = if a == variable { b } else { a };
            let alone = a == variable || b == variable;
            if alone && !reducer.scan.variables(store, &[other]).contains(&variable) {
                Restriction::Defines
            } else {
                Restriction::Other
            }
        }
        View::Equal(a, b) => {
            let other = if a == variable { b } else { a };
            let alone = a == variable || b == variable;
            match alone && !reducer.scan.variables(store, &[other]).contains(&variable) {
                true if !negated => Restriction::Defines,
                // Of infinitely many values finitely many are excluded.
                true if store.cardinality(store.sort(variable)).is_none() => Restriction::Excludes,
                _ => Restriction::Other,
            }
        }
        View::Eq(poly, _) | View::Le(poly, _) | View::Lt(poly, _) => {
            let terms = store.poly_terms(poly);
            let compound: Vec<Term> =
                terms.iter().map(|t| t.leaf).filter(|&leaf| store.as_var(leaf).is_none()).collect();
            let inside = reducer.scan.variables(store, &compound).contains(&variable);
            let Some(term) = terms.iter().find(|t| t.leaf == variable) else { return Restriction::Other };
            match store.view(conjunct) {
                _ if inside => Restriction::Other,
                View::Eq(..) if negated => Restriction::Excludes,
                View::Eq(..) => match reducer.solvable(store, poly, |v| v == variable) {
                    Some(_) => Restriction::Defines,
                    None => Restriction::Other,
                },
                _ if term.coeff.is_positive() != negated => Restriction::Below,
                _ => Restriction::Above,
            }
        }
        _ => Restriction::Other,
    }
}
