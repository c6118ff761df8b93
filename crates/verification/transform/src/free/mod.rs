//! Removal of arguments that can have any value.
//!
//! An argument of a vertex is *free* if a fact with some value for it can be derived with any other value as well: the
//! edges to the vertex say nothing of it, or take it over from free arguments of their sources (see `analysis`). Several
//! free arguments may be equal in all facts; otherwise their values are chosen independently. Free arguments go: in
//! an edge from the vertex an auxiliary variable takes their place. This is the reverse of slicing, which removes
//! arguments that nobody looks at: here nobody says what they are. Leuschel and Sørensen (1996) erase such
//! arguments of logic programs if they are variables that occur once; the equations are ours. They are what the
//! functions of a program look like that hand on a state which they do not touch, wherever the caller has it from.
//!
//! *Back.* The formula of a vertex is extended by the equations of its free arguments, which hold of all facts. Given
//! these, old and new labels say the same of sources and target, up to names. A derivation is rebuilt from its end:
//! a step is derived again with the values that the steps which use it need, so it may occur more than once.

mod analysis;

use std::collections::{BTreeMap, BTreeSet};

use shem_base::{Budget, UnknownReason};
use shem_chc::{Derivation, Edge, EdgeId, Graph, Interpretation, StepId, VertexId};
use shem_proof::NoProof;
use shem_smt::{Answer, Group, Solver, Variable};
use shem_term::{Store, Substitution, Term, Value};

use crate::collapse::equated;
use crate::pass::{After, Back, BackError, Pass, PassDescription, Returned, Work};
use crate::rewired::Rewired;
use crate::scan::{fresh, source_variables};
use crate::steps::plain;
use analysis::Analysis;

/// A derivation may become so many times longer, and have so many more steps.
const GROWTH: usize = 20;
const STEPS: usize = 10_000;

/// Removes arguments that can have any value.
#[derive(Clone, Copy, Debug, Default)]
pub struct Free;

struct Freed {
    rewired: Rewired,
    /// For the old vertices, which free arguments are equal in all facts.
    equal: BTreeMap<VertexId, Vec<(usize, usize)>>,
}

impl Pass for Free {
    fn description(&self) -> PassDescription {
        PassDescription::new("free", "removes arguments that can have any value")
    }

    fn apply(&self, Work { store, graph, statistics, budget }: Work<'_>) -> Option<Box<dyn Back>> {
        // States that are handed on untouched come with arrays and datatypes.
        if store.sort_count() == 0 {
            return None;
        }
        let analysis = Analysis::of(store, graph, budget)?;
        let mut equal = BTreeMap::new();
        for vertex in graph.vertices() {
            let free = &analysis.free[vertex.index()];
            let firsts = analysis.equal(vertex).unwrap_or(&[]).iter().copied().enumerate();
            let pairs: Vec<(usize, usize)> = firsts.filter(|&(at, first)| free[at] && first != at).collect();
            equal.insert(vertex, pairs);
        }
        let keeps: Vec<Vec<bool>> =
            analysis.free.iter().map(|free| free.iter().map(|free| !free).collect()).collect();
        let label = |store: &mut Store, graph: &Graph, id: EdgeId, edge: &Edge| {
            narrow_label(store, graph, &analysis, id, edge)
        };
        let rewired = Rewired::narrow(store, graph, &keeps, |_, _| None, statistics, budget, label)?;
        equal.retain(|vertex, pairs| !graph.is_live(*vertex) && !pairs.is_empty());
        Some(Box::new(Freed { rewired, equal }))
    }
}

/// The label of an edge without free arguments.
fn narrow_label(store: &mut Store, graph: &Graph, analysis: &Analysis, id: EdgeId, edge: &Edge) -> Term {
    // No fact can use the edge.
    let Some(components) = analysis.components(id, edge) else { return Term::FALSE };
    let target = graph.vertex(edge.target).target();
    let mut gone: BTreeSet<Term> = BTreeSet::new();
    let mut at_target: BTreeSet<usize> = BTreeSet::new();
    for (at, &variable) in target.iter().enumerate() {
        if analysis.free[edge.target.index()][at] {
            gone.insert(variable);
            at_target.insert(components.of_target(at));
        }
    }
    let mut substitution = Substitution::new();
    let mut auxiliaries: BTreeMap<usize, Term> = BTreeMap::new();
    for (position, variables) in source_variables(graph, &edge.sources).into_iter().enumerate() {
        for (at, variable) in variables.into_iter().enumerate() {
            if !analysis.free[edge.sources[position].index()][at] {
                continue;
            }
            let component = components.of_source(position, at);
            if at_target.contains(&component) {
                gone.insert(variable);
            } else {
                let auxiliary = *auxiliaries.entry(component).or_insert_with(|| fresh(store, variable));
                substitution.bind(store, &[variable], &[auxiliary]);
            }
        }
    }
    let mut kept = store.conjuncts(edge.label);
    kept.retain(|&conjunct| match equated(store, conjunct) {
        Some((a, b)) => !gone.contains(&a) && !gone.contains(&b),
        None => true,
    });
    let label = store.and(&kept);
    store.substitute(label, &substitution)
}

impl Freed {
    /// Literals that say which variables of the vertex are equal.
    fn equations(&self, store: &mut Store, vertex: VertexId, variables: &[Term]) -> Vec<Term> {
        let pairs = self.equal.get(&vertex).map_or(&[][..], |pairs| &pairs[..]);
        pairs.iter().map(|&(at, first)| store.eq(variables[at], variables[first])).collect()
    }
}

/// A fact that is needed: a step of the derivation, and the values of all arguments of its old vertex.
type Need = (StepId, Vec<Value>);

/// The steps of a derivation with values for free arguments.
struct Rebuild<'a> {
    freed: &'a Freed,
    kept: BTreeMap<VertexId, Vec<usize>>,
    solver: Solver<NoProof>,
    prepared: BTreeMap<EdgeId, (Group, Vec<Vec<Variable>>)>,
}

impl Rebuild<'_> {
    /// What the premises of a step have to be, if the step has these values.
    fn needs(
        &mut self,
        store: &mut Store,
        graph: &Graph,
        derivation: &Derivation<EdgeId>,
        (id, values): &Need,
        budget: &mut Budget,
    ) -> Returned<Vec<Need>> {
        let step = derivation.step(*id);
        let known = |premise: &StepId| derivation.step(*premise).values.to_vec();
        let replaced = self.freed.rewired.origin(step.rule);
        let Some((_, edge)) =
            replaced.filter(|(_, edge)| edge.sources.iter().any(|s| self.kept.contains_key(s)))
        else {
            return Ok(step.premises.iter().map(|premise| (*premise, known(premise))).collect());
        };
        let sources = source_variables(graph, &edge.sources);
        let (group, variables) = self.prepared.entry(step.rule).or_insert_with(|| {
            let group = self.solver.new_group();
            self.solver.assert_in_group(store, group, edge.label);
            for (&source, variables) in edge.sources.iter().zip(&sources) {
                for equation in self.freed.equations(store, source, variables) {
                    self.solver.assert_in_group(store, group, equation);
                }
            }
            let mut known = |v: &Term| self.solver.variable(store, *v);
            (group, sources.iter().map(|list| list.iter().map(&mut known).collect()).collect())
        });
        self.solver.push();
        let mut equations = store.value_literals(graph.vertex(edge.target).target(), values);
        for ((source, variables), premise) in edge.sources.iter().zip(&sources).zip(step.premises) {
            let fact = derivation.step(*premise).values;
            match self.kept.get(source) {
                Some(kept) => {
                    let kept: Vec<Term> = kept.iter().map(|&at| variables[at]).collect();
                    equations.extend(store.value_literals(&kept, fact));
                }
                None => equations.extend(store.value_literals(variables, fact)),
            }
        }
        for equation in equations {
            self.solver.assert(store, equation);
        }
        let found: Vec<Vec<Value>> = match self.solver.check_with(store, &[*group], &[], budget) {
            Answer::Sat(mut solution) => {
                variables.iter().map(|list| list.iter().map(|&v| solution.value(v)).collect()).collect()
            }
            Answer::Unknown(reason) => return Err(reason.into()),
            Answer::Unsat(_) => {
                return Err(BackError::Broken(format!("{:?} does not allow the step", step.rule)));
            }
        };
        self.solver.pop();
        Ok(step.premises.iter().copied().zip(found).collect())
    }
}

impl Back for Freed {
    fn interpretation(&self, mut at: After<'_>, interpretation: Interpretation) -> Returned<Interpretation> {
        let mut interpretation = self.rewired.interpretation(at.reborrow(), interpretation)?;
        let After { store, graph, .. } = at;
        for &vertex in self.equal.keys() {
            let mut parts = self.equations(store, vertex, graph.vertex(vertex).state());
            parts.extend(interpretation.get(vertex));
            let formula = store.and(&parts);
            interpretation.insert(vertex, formula);
        }
        Ok(interpretation)
    }

    fn forward(&self, store: &mut Store, graph: &Graph, interpretation: Interpretation) -> Interpretation {
        self.rewired.forward(store, graph, interpretation)
    }

    fn derivation(&self, at: After<'_>, derivation: Derivation<EdgeId>) -> Returned<Derivation<EdgeId>> {
        let After { store, graph, budget } = at;
        let derivation = plain(store, derivation)?;
        let Some(last) = derivation.len().checked_sub(1).map(StepId::new) else { return Ok(derivation) };
        let limit = GROWTH * derivation.len() + STEPS;
        let solver = Solver::with_proof(Default::default(), NoProof);
        let kept = self.rewired.kept();
        let mut rebuild = Rebuild { freed: self, kept, solver, prepared: BTreeMap::new() };
        let mut result = Derivation::new();
        let mut done: BTreeMap<Need, StepId> = BTreeMap::new();
        // A step is on the stack twice: until its premises are known, and until they are derived.
        let mut stack: Vec<(Need, Option<Vec<Need>>)> =
            vec![((last, derivation.step(last).values.to_vec()), None)];
        while let Some((need, premises)) = stack.pop() {
            budget.check_stop()?;
            if done.contains_key(&need) {
                continue;
            }
            match premises {
                None => {
                    let premises = rebuild.needs(store, graph, &derivation, &need, budget)?;
                    stack.push((need, Some(premises.clone())));
                    stack.extend(premises.into_iter().map(|premise| (premise, None)));
                }
                Some(premises) => {
                    if result.len() > limit {
                        return Err(UnknownReason::Incomplete("a derivation gets too long").into());
                    }
                    let rule = derivation.step(need.0).rule;
                    let rule = self.rewired.origin(rule).map_or(rule, |(old, _)| old);
                    let premises: Vec<StepId> = premises.iter().map(|premise| done[premise]).collect();
                    let id = result.push(rule, &premises, need.1.iter().cloned());
                    done.insert(need, id);
                }
            }
        }
        Ok(result)
    }
}
