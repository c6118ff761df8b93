//! Simplification of labels, with elimination of auxiliary variables.
//!
//! Every label is reduced by exact rules of linear cost (see `reduce`). Where few auxiliaries are left in a
//! small label, they are eliminated by projection, if that is cheap and the result is no larger than the
//! label and brings in no divisibilities or integer parts, which cost an engine more than a variable does.
//! The new label is equivalent to the old one, so no witness notices.

use shem_chc::EdgeId;
use shem_smt::project::eliminate;
use shem_term::{Store, Term, View};

use crate::pass::{Back, Pass, PassDescription, Work};
use crate::reduce::Reducer;
use crate::scan::{QUERY_EFFORT, Scan};

/// Simplifies labels.
#[derive(Clone, Debug)]
pub struct Simplify {
    /// How large a label may be, in subterms, to have auxiliaries eliminated by projection.
    pub projected_size: usize,
    /// How many auxiliaries may be eliminated by projection.
    pub projected_variables: usize,
    /// How many subterms of labels are given to projection, at most.
    pub effort: usize,
}

impl Default for Simplify {
    fn default() -> Simplify {
        Simplify { projected_size: 60, projected_variables: 3, effort: 20_000 }
    }
}

impl Pass for Simplify {
    fn description(&self) -> PassDescription {
        PassDescription::new("simplify", "simplifies labels and eliminates auxiliary variables")
            .before_abstraction()
    }

    fn apply(&self, Work { store, graph, statistics, budget }: Work<'_>) -> Option<Box<dyn Back>> {
        let mut reducer = Reducer::until(&budget.stop);
        let mut effort = 0;
        let edges: Vec<EdgeId> = graph.edges().map(|(id, _)| id).collect();
        for id in edges {
            if budget.check_stop().is_err() {
                break;
            }
            let mut edge = graph.edge(id).clone();
            let old = edge.label;
            edge.label = reducer.label(store, graph, &edge);
            let variables = reducer.scan.auxiliaries(store, graph, &edge);
            let size = reducer.scan.size(store, edge.label);
            // A projection looks up what it needs in tables as long as the store.
            let cost = size + store.len() / 100;
            if !variables.is_empty()
                && variables.len() <= self.projected_variables
                && size <= self.projected_size
                && effort + cost <= self.effort
            {
                effort += cost;
                statistics.add("projections", 1);
                if let Ok(label) = eliminate(store, &variables, edge.label, &mut budget.at_most(QUERY_EFFORT))
                    && reducer.scan.size(store, label) <= size
                    && integral_parts(&mut reducer.scan, store, label)
                        <= integral_parts(&mut reducer.scan, store, edge.label)
                {
                    edge.label = label;
                    statistics.add("projected", 1);
                }
            }
            if edge.label != old {
                graph.set_label(id, edge.label);
                statistics.add("labels", 1);
            }
        }
        None
    }
}

/// The number of divisibilities, quotients, remainders and integer parts in a formula.
fn integral_parts(scan: &mut Scan, store: &Store, formula: Term) -> usize {
    let mut count = 0;
    scan.each(store, &[formula], |term| {
        let view = store.view(term);
        if matches!(view, View::Divisible(..) | View::Div(..) | View::Mod(..) | View::ToInt(_)) {
            count += 1;
        }
    });
    count
}
