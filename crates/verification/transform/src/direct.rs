//! Edges from true to false.
//!
//! If the label of such an edge has a solution, the edge is a derivation of falsehood by itself: everything
//! else is removed, and the derivation has one step. If it has none, the edge is removed. If the effort does not
//! suffice, the edge stays.

use shem_base::{Budget, Effort};
use shem_chc::{EdgeId, Interpretation, VertexId};
use shem_proof::NoProof;
use shem_smt::{Solver, Status};
use shem_term::{Store, Term};

use crate::pass::{After, Back, BackError, Pass, PassDescription, Returned, Work};

/// Decides edges from true to false.
#[derive(Clone, Debug)]
pub struct Direct {
    /// The conflicts that one query may cost.
    pub conflicts: u64,
}

impl Default for Direct {
    fn default() -> Direct {
        Direct { conflicts: 10_000 }
    }
}

struct Decided;

impl Direct {
    /// Whether a label has a solution.
    pub(crate) fn ask(&self, store: &mut Store, label: Term, budget: &Budget) -> Status {
        let conflicts = self.conflicts;
        let effort = Effort { conflicts, pivots: 50 * conflicts, splits: conflicts };
        let mut solver = Solver::with_proof(Default::default(), NoProof);
        solver.assert(store, label);
        solver.check(store, &mut budget.at_most(effort)).status()
    }
}

impl Pass for Direct {
    fn description(&self) -> PassDescription {
        PassDescription::new("direct", "decides edges from true to false")
    }

    fn apply(&self, Work { store, graph, statistics, budget }: Work<'_>) -> Option<Box<dyn Back>> {
        let direct: Vec<EdgeId> =
            graph.incoming(VertexId::FALSE).filter(|&id| graph.edge(id).sources.is_empty()).collect();
        for id in direct {
            if budget.check_stop().is_err() {
                break;
            }
            statistics.add("checks", 1);
            match self.ask(store, graph.edge(id).label, budget) {
                Status::Sat => {
                    statistics.add("unsafe", 1);
                    if graph.edge_count() == 1 && graph.vertices().next().is_none() {
                        return None;
                    }
                    let others: Vec<EdgeId> = graph.edges().map(|e| e.0).filter(|&e| e != id).collect();
                    for edge in others {
                        graph.remove_edge(edge);
                    }
                    let vertices: Vec<VertexId> = graph.vertices().collect();
                    for vertex in vertices {
                        graph.remove_vertex(vertex);
                    }
                    return Some(Box::new(Decided));
                }
                Status::Unsat => {
                    graph.remove_edge(id);
                    statistics.add("removed", 1);
                }
                Status::Unknown(_) => {}
            }
        }
        None
    }
}

impl Back for Decided {
    fn interpretation(&self, _: After<'_>, _: Interpretation) -> Returned<Interpretation> {
        Err(BackError::Broken("falsehood follows from truth by one edge".into()))
    }
}
