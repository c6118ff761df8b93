//! Removal of edges that others imply.
//!
//! An edge that has its target among its sources, with the same arguments, is a tautology. An edge is
//! *subsumed* by another one to the same vertex if each vertex is at least as often among its sources, and each
//! conjunct of the other's label is a conjunct of its own: then the other fires whenever it does. Since labels
//! are over canonical variables, this is a comparison of lists, after the auxiliaries were renamed by the order
//! in which they come; edges that are equivalent but not equal stay. Duplicates are found in time linear in their
//! number, other cases among the first few edges of a vertex.
//!
//! An interpretation that satisfies the other edges satisfies those removed, and derivations do not use them: no
//! way back is needed.

use std::collections::{BTreeMap, BTreeSet};

use shem_chc::{Edge, EdgeId, Graph, VertexId};
use shem_term::{Store, Term};

use crate::pass::{Back, Pass, PassDescription, Work};
use crate::scan::{Scan, SharedAuxiliaries, source_variables};

/// Removes tautologies, duplicates and subsumed edges.
#[derive(Clone, Debug)]
pub struct Subsume {
    /// How many edges to one vertex are compared with one another.
    pub compared: usize,
}

impl Default for Subsume {
    fn default() -> Subsume {
        Subsume { compared: 48 }
    }
}

/// An edge in a form that can be compared.
struct Clause {
    id: EdgeId,
    sources: Vec<VertexId>,
    conjuncts: Vec<Term>,
}

impl Pass for Subsume {
    fn description(&self) -> PassDescription {
        PassDescription::new("subsume", "removes tautologies and edges that another edge subsumes")
            .before_abstraction()
    }

    fn apply(&self, Work { store, graph, statistics, budget }: Work<'_>) -> Option<Box<dyn Back>> {
        let mut scan = Scan::default();
        let mut auxiliaries = SharedAuxiliaries::default();
        let mut by_target: BTreeMap<VertexId, Vec<Clause>> = BTreeMap::new();
        let mut removed = Vec::new();
        for (id, edge) in graph.edges() {
            budget.check_stop().ok()?;
            if is_tautology(store, graph, edge) {
                statistics.add("tautologies", 1);
                removed.push(id);
                continue;
            }
            let mut sources = edge.sources.clone();
            sources.sort_unstable();
            let label = auxiliaries.rename(store, &mut scan, graph, edge);
            let mut conjuncts = store.conjuncts(label);
            conjuncts.sort_unstable();
            conjuncts.dedup();
            by_target.entry(edge.target).or_default().push(Clause { id, sources, conjuncts });
        }
        for mut clauses in by_target.into_values() {
            if budget.check_stop().is_err() {
                break;
            }
            let mut seen: BTreeMap<(&[VertexId], &[Term]), EdgeId> = BTreeMap::new();
            let mut doubles = Vec::new();
            for clause in &clauses {
                if seen.insert((&clause.sources, &clause.conjuncts), clause.id).is_some() {
                    // Either of the two may be removed.
                    doubles.push(clause.id);
                }
            }
            statistics.add("duplicates", doubles.len() as u64);
            removed.extend_from_slice(&doubles);
            clauses.retain(|clause| doubles.binary_search(&clause.id).is_err());
            clauses.truncate(self.compared);
            let mut gone = vec![false; clauses.len()];
            for (i, general) in clauses.iter().enumerate() {
                for (j, special) in clauses.iter().enumerate() {
                    if i != j
                        && !gone[i]
                        && !gone[j]
                        && is_sublist(&general.sources, &special.sources)
                        && is_sublist(&general.conjuncts, &special.conjuncts)
                    {
                        gone[j] = true;
                        removed.push(special.id);
                        statistics.add("subsumed", 1);
                    }
                }
            }
        }
        for id in removed {
            graph.remove_edge(id);
        }
        None
    }
}

/// Whether some source is the target, with the same arguments.
fn is_tautology(store: &mut Store, graph: &Graph, edge: &Edge) -> bool {
    if !edge.is_loop() {
        return false;
    }
    let members: BTreeSet<Term> = store.conjuncts(edge.label).into_iter().collect();
    let target = graph.vertex(edge.target).target();
    let arguments = source_variables(graph, &edge.sources);
    edge.sources.iter().zip(&arguments).any(|(&source, variables)| {
        source == edge.target
            && variables.iter().zip(target).all(|(&a, &b)| {
                let same = store.eq(a, b);
                members.contains(&same)
            })
    })
}

/// Whether a sorted list has all entries of another one, each at least as often.
fn is_sublist<T: Ord>(part: &[T], whole: &[T]) -> bool {
    let mut rest = whole.iter();
    part.iter().all(|wanted| rest.any(|found| found == wanted))
}
