//! Removal of edges whose labels have no solution.
//!
//! Such an edge is in no derivation, and it holds under every interpretation: no way back is needed. Each label
//! costs one query of little effort; if it does not decide, the edge stays. Labels are checked in the order of
//! the edges until the effort of the pass is used up.

use shem_chc::EdgeId;
use shem_smt::Status;
use shem_term::Term;

use crate::pass::{Back, Pass, PassDescription, Work};
use crate::scan::{QuerySolver, Scan};

/// Removes edges whose labels have no solution.
#[derive(Clone, Debug)]
pub struct Infeasible {
    /// How many subterms of labels are given to solvers, at most. Edges with the label
    /// false are removed in any case.
    pub effort: usize,
}

impl Default for Infeasible {
    fn default() -> Infeasible {
        Infeasible { effort: 200_000 }
    }
}

impl Pass for Infeasible {
    fn description(&self) -> PassDescription {
        PassDescription::new("infeasible", "removes edges whose labels have no solution").before_abstraction()
    }

    fn apply(&self, Work { store, graph, statistics, budget }: Work<'_>) -> Option<Box<dyn Back>> {
        let mut scan = Scan::default();
        let mut asker = QuerySolver::default();
        let mut effort = 0;
        let edges: Vec<(EdgeId, Term)> = graph.edges().map(|(id, edge)| (id, edge.label)).collect();
        for (id, label) in edges {
            if label == Term::FALSE {
                graph.remove_edge(id);
                statistics.add("edges", 1);
                continue;
            }
            effort += scan.size(store, label);
            if label == Term::TRUE || effort > self.effort || budget.check_stop().is_err() {
                continue;
            }
            statistics.add("checks", 1);
            if asker.ask(store, label, budget) == Status::Unsat {
                graph.remove_edge(id);
                statistics.add("edges", 1);
            }
        }
        None
    }
}
