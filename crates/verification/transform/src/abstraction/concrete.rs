//! From an outline to a derivation: values for all facts of it, found by a solver.
//!
//! Each step has variables for its fact. Its label is asserted about them and those of its premises. The arguments that
//! were abstracted have variables of their own at each use, and an assumption for each argument of a vertex says that
//! they are those of the fact that is used: if there are no values, the assumptions that were needed say which arguments
//! the abstraction must keep.

use std::collections::BTreeMap;

use shem_base::{Budget, UnknownReason};
use shem_chc::{Derivation, EdgeId, Graph, StepId, VertexId};
use shem_smt::{Answer, Solver};
use shem_term::{Sort, Store, Term, Value};

use super::encode::is_scalar;
use super::{Kept, Outline};
use crate::scan::{Scan, fresh, fresh_all};

/// What an outline stands for.
#[derive(Clone, Debug)]
pub enum Concrete {
    /// This derivation.
    Derivation(Derivation<EdgeId>),
    /// Nothing, because of these arguments.
    Nothing(Kept),
}

/// The greatest number of steps of an outline for which values are looked for.
const MAX_STEPS: usize = 4_000;

/// Looks for values of an outline.
pub fn concrete(
    store: &mut Store,
    graph: &Graph,
    outline: &Outline,
    budget: &mut Budget,
) -> Result<Concrete, UnknownReason> {
    if outline.len() > MAX_STEPS {
        return Err(UnknownReason::Incomplete("a derivation of the abstraction is too long to be followed"));
    }
    let mut scan = Scan::default();
    let mut solver = Solver::new(Default::default());
    let mut facts: Vec<Vec<Term>> = Vec::with_capacity(outline.len());
    let mut links: BTreeMap<(VertexId, usize), Term> = BTreeMap::new();
    for step in outline {
        budget.check_stop()?;
        let edge = graph.edge(step.edge);
        let mut sources = Vec::with_capacity(step.premises.len());
        for (&source, &premise) in edge.sources.iter().zip(&step.premises) {
            let mut used = facts[premise].clone();
            for (at, argument) in used.iter_mut().enumerate() {
                if is_scalar(store.sort(*argument)) {
                    continue;
                }
                let here = fresh(store, *argument);
                let link = *links.entry((source, at)).or_insert_with(|| store.variable("link", Sort::Bool));
                let same = store.eq(here, *argument);
                let linked = store.implies(link, same);
                solver.assert(store, linked);
                *argument = here;
            }
            sources.push(used);
        }
        let fact = fresh_all(store, graph.vertex(edge.target).state());
        let label = scan.instance(store, graph, edge, &sources, &fact);
        solver.assert(store, label);
        facts.push(fact);
    }
    let assumptions: Vec<Term> = links.values().copied().collect();
    match solver.check_assuming(store, &assumptions, budget) {
        Answer::Unknown(reason) => Err(reason),
        Answer::Unsat(refutation) => {
            let failed = refutation.failed_assumptions();
            let needed = links.iter().filter(|(_, link)| failed.contains(link));
            Ok(Concrete::Nothing(needed.map(|(&argument, _)| argument).collect()))
        }
        Answer::Sat(mut solution) => {
            let model = solution.model();
            let mut derivation = Derivation::new();
            for (step, fact) in outline.iter().zip(&facts) {
                let premises: Vec<StepId> = step.premises.iter().map(|&p| StepId::new(p)).collect();
                let values = fact.iter().map(|&v| {
                    let symbol = store.as_var(v).expect("a fact is of variables");
                    model.value_or_default(store, symbol)
                });
                let values: Vec<Value> = values.collect();
                derivation.push(step.edge, &premises, values);
            }
            Ok(Concrete::Derivation(derivation))
        }
    }
}
