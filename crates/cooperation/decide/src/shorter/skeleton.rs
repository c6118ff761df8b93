//! Derivations without their values: which rule follows from which steps. Whether there are values for them is one query.
//!
//! A step whose predicate is that of a step below it may be left out, with all that lies between: the lower step takes
//! its place. Pieces of half of the derivation are tried first, then of a quarter, and so on, as in delta debugging
//! (Zeller and Hildebrandt, 2002). The cost is one query for each piece, over the whole derivation.
//!
//! Values are made smaller by bounds: for each argument of each predicate, the least power of two that none of its values
//! has to exceed, found by halving, under the bounds of the arguments before it.

use std::collections::BTreeMap;

use shem_base::{Budget, Rat};
use shem_chc::{Derivation, EdgeId, Graph, StepId, VertexId};
use shem_proof::NoProof;
use shem_smt::{Answer, Solver, Template, Variable};
use shem_term::{Sort, Store, Term, Value};

/// A derivation without values: for each step its edge and the numbers of its premises.
type Skeleton = Vec<(EdgeId, Vec<usize>)>;

/// Finds values for skeletons over a graph.
pub(super) struct Skeletons<'g> {
    graph: &'g Graph,
    /// The labels over the arguments of the sources and those of the target.
    labels: BTreeMap<EdgeId, Template>,
}

/// A skeleton in a solver, with the arguments of each step.
struct Asserted {
    solver: Solver<NoProof>,
    arguments: Vec<Vec<Variable>>,
}

impl<'g> Skeletons<'g> {
    pub(super) fn new(graph: &'g Graph) -> Skeletons<'g> {
        Skeletons { graph, labels: BTreeMap::new() }
    }

    /// The derivation without detours, if it has some and values are found for the rest.
    pub(super) fn without_detours(
        &mut self,
        store: &mut Store,
        derivation: &Derivation<EdgeId>,
        budget: &mut Budget,
    ) -> Option<Derivation<EdgeId>> {
        let mut skeleton = skeleton(derivation);
        let mut best = None;
        let mut piece = skeleton.len() / 2;
        while piece > 0 {
            let mut at = skeleton.len();
            while at > 1 {
                let stride = (piece / 2).max(1);
                at = at.min(skeleton.len()).saturating_sub(stride);
                let Some(below) = self.repeated_below(&skeleton, at, piece) else { continue };
                let shorter = contract(&skeleton, at, below);
                if shorter.len() >= skeleton.len() {
                    continue;
                }
                if budget.check_stop().is_err() {
                    return best;
                }
                if let Some(found) = self.solve(store, &shorter, budget) {
                    (skeleton, best) = (shorter, Some(found));
                }
            }
            piece /= 2;
        }
        best
    }

    /// The last step from which the given one follows, of the same predicate and at least so many steps before.
    fn repeated_below(&self, skeleton: &Skeleton, at: usize, piece: usize) -> Option<usize> {
        let target = |step: usize| self.graph.edge(skeleton[step].0).target;
        let mut below = vec![false; at + 1];
        below[at] = true;
        for step in (0..=at).rev() {
            if !below[step] {
                continue;
            }
            if at - step >= piece && target(step) == target(at) {
                return Some(step);
            }
            skeleton[step].1.iter().for_each(|&premise| below[premise] = true);
        }
        None
    }

    /// The same steps with smaller values, if there are any.
    pub(super) fn smaller_values(
        &mut self,
        store: &mut Store,
        derivation: &Derivation<EdgeId>,
        budget: &mut Budget,
    ) -> Option<Derivation<EdgeId>> {
        let skeleton = skeleton(derivation);
        // By predicate and argument: the greatest number.
        let mut columns: BTreeMap<(VertexId, usize), Rat> = BTreeMap::new();
        for (_, step) in derivation.steps() {
            let target = self.graph.edge(step.rule).target;
            for (at, value) in step.values.iter().enumerate() {
                if let Value::Num(number) = value {
                    let greatest = columns.entry((target, at)).or_insert(Rat::ZERO);
                    *greatest = greatest.clone().max(number.abs());
                }
            }
        }
        columns.retain(|_, greatest| !greatest.is_zero());
        let mut asserted = self.assert(store, &skeleton, budget)?;
        let graph = self.graph;
        let column = |asserted: &Asserted, (vertex, at): (VertexId, usize)| -> (Sort, Vec<Variable>) {
            let has_it = |&step: &usize| graph.edge(skeleton[step].0).target == vertex;
            let variables = (0..skeleton.len()).filter(has_it).map(|step| asserted.arguments[step][at]);
            (graph.vertex(vertex).sorts()[at], variables.collect())
        };
        // No number gets greater for another one that gets smaller.
        for (&place, greatest) in &columns {
            let (sort, column) = column(&asserted, place);
            asserted.bound(store, sort, greatest, &column);
        }
        let mut best = None;
        for (place, greatest) in columns {
            let (sort, column) = column(&asserted, place);
            // The bounds are zero and the powers of two below the greatest number.
            let mut bounds = vec![Rat::ZERO];
            let mut power = Rat::ONE;
            while power < greatest {
                bounds.push(power.clone());
                power = &power + &power;
            }
            let (mut low, mut high) = (0, bounds.len());
            while low < high {
                let middle = (low + high) / 2;
                asserted.solver.push();
                asserted.bound(store, sort, &bounds[middle], &column);
                match self.values(store, &mut asserted, &skeleton, budget) {
                    Ok(Some(found)) => (high, best) = (middle, Some(found)),
                    Ok(None) => low = middle + 1,
                    Err(()) => return best,
                }
                asserted.solver.pop();
            }
            if let Some(bound) = bounds.get(low) {
                asserted.bound(store, sort, bound, &column);
            }
        }
        best
    }

    fn solve(
        &mut self,
        store: &mut Store,
        skeleton: &Skeleton,
        budget: &mut Budget,
    ) -> Option<Derivation<EdgeId>> {
        let mut asserted = self.assert(store, skeleton, budget)?;
        self.values(store, &mut asserted, skeleton, budget).ok().flatten()
    }

    /// The skeleton in a solver; `None` if the budget ends.
    fn assert(&mut self, store: &mut Store, skeleton: &Skeleton, budget: &Budget) -> Option<Asserted> {
        let mut solver = Solver::with_proof(Default::default(), NoProof);
        let mut arguments: Vec<Vec<Variable>> = Vec::with_capacity(skeleton.len());
        for (id, premises) in skeleton {
            budget.check_stop().ok()?;
            let graph = self.graph;
            let edge = graph.edge(*id);
            let label = self.labels.entry(*id).or_insert_with(|| {
                let sources = (0..edge.sources.len()).map(|at| graph.source_variables(edge, at));
                let formals = sources.chain([graph.vertex(edge.target).target()]).flatten();
                let formals: Vec<Term> = formals.copied().collect();
                Template::new(store, edge.label, &formals)
            });
            let own: Vec<Variable> =
                graph.vertex(edge.target).sorts().iter().map(|&sort| solver.fresh_of(store, sort)).collect();
            let actuals: Vec<Variable> =
                premises.iter().flat_map(|&premise| &arguments[premise]).chain(&own).copied().collect();
            solver.instantiate(store, label, &actuals);
            arguments.push(own);
        }
        Some(Asserted { solver, arguments })
    }

    /// The derivation with values of the solver, none if there are none; an error if that is not known.
    fn values(
        &self,
        store: &mut Store,
        asserted: &mut Asserted,
        skeleton: &Skeleton,
        budget: &mut Budget,
    ) -> Result<Option<Derivation<EdgeId>>, ()> {
        match asserted.solver.check(store, budget) {
            Answer::Sat(mut solution) => {
                let mut derivation = Derivation::new();
                for ((edge, premises), own) in skeleton.iter().zip(&asserted.arguments) {
                    let premises: Vec<StepId> = premises.iter().map(|&at| StepId::new(at)).collect();
                    let values: Vec<Value> = own.iter().map(|&variable| solution.value(variable)).collect();
                    derivation.push(*edge, &premises, values);
                }
                Ok(Some(derivation))
            }
            Answer::Unsat(_) => Ok(None),
            Answer::Unknown(_) => Err(()),
        }
    }
}

impl Asserted {
    /// Asserts that these numbers are at most so far from zero.
    fn bound(&mut self, store: &mut Store, sort: Sort, bound: &Rat, numbers: &[Variable]) {
        let number = store.variable("number", sort);
        let (least, greatest) = (store.numeral(&-bound, sort), store.numeral(bound, sort));
        let (from, to) = (store.le(least, number), store.le(number, greatest));
        let formula = store.and(&[from, to]);
        let template = Template::new(store, formula, &[number]);
        for &number in numbers {
            self.solver.instantiate(store, &template, &[number]);
        }
    }
}

/// A derivation without its values.
fn skeleton(derivation: &Derivation<EdgeId>) -> Skeleton {
    let premises = |ids: &[StepId]| ids.iter().map(|id| id.index()).collect();
    derivation.steps().map(|(_, step)| (step.rule, premises(step.premises))).collect()
}

/// The skeleton in which a lower step takes the place of a step, without what nobody uses then.
fn contract(skeleton: &Skeleton, at: usize, below: usize) -> Skeleton {
    let instead = |premise: usize| if premise == at { below } else { premise };
    let mut needed = vec![false; skeleton.len()];
    needed[instead(skeleton.len() - 1)] = true;
    for step in (0..skeleton.len()).rev() {
        if needed[step] {
            skeleton[step].1.iter().for_each(|&premise| needed[instead(premise)] = true);
        }
    }
    let mut numbers = vec![0; skeleton.len()];
    let mut result = Skeleton::new();
    for (step, (edge, premises)) in skeleton.iter().enumerate().filter(|&(step, _)| needed[step]) {
        numbers[step] = result.len();
        result.push((*edge, premises.iter().map(|&premise| numbers[instead(premise)]).collect()));
    }
    result
}
