//! Elimination of the quantifiers in labels.
//!
//! A label as normalised may have quantifiers that were no variables of the clause. No other pass and no engine
//! knows what to do with them, so this pass comes first and replaces such a label by an equivalent one without
//! quantifiers. Witnesses do not notice; the judges look at the clauses as read and believe nothing of this. A
//! label whose elimination fails stays as it is, and the problem is undecided.

use shem_base::{Budget, Effort, UnknownReason};
use shem_chc::{EdgeId, Graph};
use shem_smt::project::eliminate_quantifiers;
use shem_term::{Store, Term, View};

use crate::pass::{Back, Pass, PassDescription, Work};
use crate::scan::Scan;

/// Eliminates quantifiers.
#[derive(Clone, Debug)]
pub struct EliminateQuantifiers {
    /// The effort for one label.
    pub effort: Effort,
}

impl Default for EliminateQuantifiers {
    fn default() -> EliminateQuantifiers {
        EliminateQuantifiers { effort: Effort { conflicts: 100_000, pivots: 1_000_000, splits: 10_000 } }
    }
}

/// Why a graph with quantifiers in its labels is not decided.
pub const QUANTIFIED: UnknownReason =
    UnknownReason::Incomplete("a quantifier in a constraint could not be eliminated");

/// Whether a label of the graph has quantifiers.
pub fn has_quantifiers(store: &Store, graph: &Graph) -> bool {
    let labels: Vec<Term> = graph.edges().map(|(_, edge)| edge.label).collect();
    let mut found = false;
    Scan::default().each(store, &labels, |term| found |= matches!(store.view(term), View::Forall(..)));
    found
}

impl Pass for EliminateQuantifiers {
    fn description(&self) -> PassDescription {
        PassDescription::new(
            "eliminate-quantifiers",
            "replaces labels with quantifiers by equivalent ones without",
        )
        .accepting_quantifiers()
        .before_abstraction()
    }

    fn apply(&self, Work { store, graph, statistics, budget }: Work<'_>) -> Option<Box<dyn Back>> {
        if !has_quantifiers(store, graph) {
            return None;
        }
        let edges: Vec<EdgeId> = graph.edges().map(|(id, _)| id).collect();
        for id in edges {
            if !store.has_quantifier(graph.edge(id).label) {
                continue;
            }
            // The effort is that of the label, whatever the passes after this one may spend.
            let mut own = Budget { meter: budget.meter.clone(), ..Budget::until(budget.stop.clone()) };
            let result =
                own.within(self.effort, |part| eliminate_quantifiers(store, graph.edge(id).label, part));
            match result {
                Ok(label) => {
                    graph.set_label(id, label);
                    statistics.add("labels", 1);
                }
                Err(_) => statistics.add("failed", 1),
            }
        }
        None
    }
}
