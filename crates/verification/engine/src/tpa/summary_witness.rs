//! Models and derivations from a search by summaries.
//!
//! A lemma of a loop that is not nested is no invariant, but there is one behind it: the state invariant of the transition
//! invariant that was found, closed under steps whose calls satisfy the lemmas of the callees. The conjunction of these
//! invariants is the model of a loop; all other lemmas are invariants together.
//!
//! All states of a fact are derived by the chains of steps of its trace, whose calls are of facts that were there before
//! it. So the states along the path to a given state are found from its end, one chain after the other, and each state
//! of a callee is one of an earlier fact, for which the same is done. The same state of the same fact is derived once.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use shem_base::Budget;
use shem_chc::{Derivation, EdgeId, Graph, Interpretation, StepId};
use shem_proof::NoProof;
use shem_smt::{Answer, Model, Solver};
use shem_term::{Store, Term, Value};

use super::calls::{Near, StepChain, holds};
use super::component::{Component, Components, Step};
use super::copies::{Copies, FIRST, LAST};
use super::invariant::{ClosedPowers, state_invariant};
use super::summaries::{Fact, LoopKey, Origin};
use super::trace::{Trace, TraceId, Traces};
use crate::reason::WitnessError;

/// The number of a fact, and one of its states.
type Instance = (usize, Vec<Value>);

/// A step of a derivation, in the order in which they are made.
#[derive(Clone)]
struct PlannedStep {
    edge: EdgeId,
    /// The position of the source that is the step before.
    from: Option<usize>,
    /// The other sources: their positions, and what they are instances of.
    calls: Vec<(usize, Instance)>,
    /// The state of the component after the step.
    state: Vec<Value>,
}

/// What a model is built from.
pub(super) struct SummaryModel {
    pub components: Components,
    /// By component: what holds of all facts.
    pub lemmas: Vec<Term>,
    /// For each lemma of a loop that is not nested: the component, and why the lemma holds.
    pub closed: Vec<(usize, ClosedPowers)>,
}

impl SummaryModel {
    /// The model.
    pub(super) fn build(
        self,
        graph: &Graph,
        store: &mut Store,
        budget: &mut Budget,
    ) -> Result<Interpretation, WitnessError> {
        let mut invariants = vec![Vec::new(); self.components.len()];
        for (component, closed) in &self.closed {
            invariants[*component].push(state_invariant(closed, store, budget)?);
        }
        let mut interpretation = Interpretation::new();
        for vertex in graph.vertices() {
            let number = self.components.number_of(vertex);
            let invariant = match &invariants[number][..] {
                [] => self.lemmas[number],
                own => store.and(own),
            };
            let component = self.components.get(number);
            let actuals = component.state_of(store, vertex, graph.vertex(vertex).state());
            let formula = store.rename(invariant, &component.state, &actuals);
            interpretation.insert(vertex, formula);
        }
        Ok(interpretation)
    }
}

/// What the derivation of falsehood is built from.
pub(super) struct SummaryDerivation {
    components: Components,
    facts: Vec<Fact>,
    paths: BTreeMap<LoopKey, (Traces, Copies)>,
}

/// Solvers for chains without calls: where they begin and their steps.
type ChainSolvers = BTreeMap<(LoopKey, Near, Box<[usize]>), Solver<NoProof>>;

impl SummaryDerivation {
    /// The last fact is falsehood.
    pub(super) fn new(
        components: Components,
        facts: Vec<Fact>,
        paths: BTreeMap<LoopKey, (Traces, Copies)>,
    ) -> SummaryDerivation {
        SummaryDerivation { components, facts, paths }
    }

    /// The derivation of falsehood.
    pub(super) fn build(
        mut self,
        graph: &Graph,
        store: &mut Store,
        budget: &mut Budget,
    ) -> Result<Derivation<EdgeId>, WitnessError> {
        let mut derivation = Derivation::new();
        let mut solvers = ChainSolvers::new();
        let mut done: HashMap<Instance, StepId, FxBuildHasher> = HashMap::default();
        let last = self.facts.len().checked_sub(1).ok_or(WitnessError::broken("no fact of falsehood"))?;
        // An instance is met twice: to find its steps, and when all that they call is derived.
        let mut stack: Vec<(Instance, Option<Vec<PlannedStep>>)> = vec![((last, Vec::new()), None)];
        while let Some((instance, plan)) = stack.pop() {
            if done.contains_key(&instance) {
                continue;
            }
            let Some(plan) = plan else {
                let plan = self.plan(store, &instance, &mut solvers, budget)?;
                let calls: Vec<Instance> =
                    plan.iter().flat_map(|step| &step.calls).map(|(_, callee)| callee.clone()).collect();
                stack.push((instance, Some(plan)));
                stack.extend(calls.into_iter().map(|callee| (callee, None)));
                continue;
            };
            let component = self.components.get(self.facts[instance.0].component);
            let mut before = None;
            for step in plan {
                let edge = graph.edge(step.edge);
                let mut premises = Vec::with_capacity(edge.sources.len());
                for position in 0..edge.sources.len() {
                    let call = step.calls.iter().find(|(at, _)| *at == position);
                    let premise = match call {
                        Some((_, callee)) => done.get(callee).copied(),
                        None => before.filter(|_| step.from == Some(position)),
                    };
                    premises.push(premise.ok_or(WitnessError::broken("a step without a premise"))?);
                }
                let values = component.arguments(edge.target, &step.state);
                before = Some(derivation.push(step.edge, &premises, values));
            }
            done.insert(instance, before.ok_or(WitnessError::broken("a fact without steps"))?);
        }
        Ok(derivation.compressed())
    }

    /// The steps that derive a state of a fact.
    fn plan(
        &mut self,
        store: &mut Store,
        (number, end): &Instance,
        solvers: &mut ChainSolvers,
        budget: &mut Budget,
    ) -> Result<Vec<PlannedStep>, WitnessError> {
        let Fact { component, origin, .. } = self.facts[*number].clone();
        let mut plan = Vec::new();
        let mut end = end.clone();
        let (key, traces) = match origin {
            Origin::Entry(chain) => {
                self.follow_back(store, (component, 0), &chain, end, &mut plan, solvers, budget)?;
                return Ok(plan);
            }
            Origin::Path(key, trace) => (key, self.chains(key, trace)?),
        };
        for chain in traces.iter().rev() {
            end = self.follow_back(store, key, chain, end, &mut plan, solvers, budget)?;
        }
        plan.reverse();
        Ok(plan)
    }

    /// The chains that a trace consists of, in order.
    fn chains(&self, key: LoopKey, trace: TraceId) -> Result<Vec<StepChain>, WitnessError> {
        let lost = || WitnessError::broken("a trace of another search");
        let (traces, _) = self.paths.get(&key).ok_or_else(lost)?;
        let mut chains = Vec::new();
        let mut stack = vec![trace];
        while let Some(trace) = stack.pop() {
            match traces.get(trace) {
                Trace::Parts(parts) => stack.extend(parts.iter().rev()),
                Trace::Steps(chain) => chains.push(chain.clone()),
                Trace::Leaf(_) | Trace::Run(_) => return Err(lost()),
            }
        }
        Ok(chains)
    }

    /// Adds the steps of a chain to the state at its end, the last one first; returns the state at its beginning.
    #[expect(clippy::too_many_arguments, reason = "the parts of one query, and where its result goes")]
    fn follow_back(
        &mut self,
        store: &mut Store,
        key: LoopKey,
        chain: &StepChain,
        end: Vec<Value>,
        plan: &mut Vec<PlannedStep>,
        solvers: &mut ChainSolvers,
        budget: &mut Budget,
    ) -> Result<Vec<Value>, WitnessError> {
        let SummaryDerivation { components, facts, paths } = self;
        let component = components.get(key.0);
        let mut own_copies;
        let copies = match paths.get_mut(&key) {
            Some((_, copies)) => copies,
            None => {
                own_copies = Copies::new(store, &component.state, &component.next, Term::TRUE, 2);
                &mut own_copies
            }
        };
        // A chain without steps begins and ends with the same state.
        let count = chain.steps.len();
        let copy = |at: usize| match at {
            0 => FIRST,
            _ if at == count => LAST,
            _ => at + 1,
        };
        let mut taken: Vec<(&Step, usize, usize)> = Vec::new();
        if let Near::Entry(at) = chain.near {
            taken.push((&component.entries[at], FIRST, FIRST));
        }
        for (at, &number) in chain.steps.iter().enumerate() {
            taken.push((&component.loops[number], copy(at), copy(at + 1)));
        }
        let mut formulas = Vec::new();
        if let Near::States(states) = chain.near {
            formulas.push(states);
        }
        for &(step, from, to) in &taken {
            formulas.push(instance(store, copies, step.formula, from, to));
            for call in &step.calls {
                let earlier = facts[..chain.facts].iter().filter(|fact| fact.component == call.component);
                let states: Vec<Term> = earlier.map(|fact| fact.states).collect();
                let states = store.or(&states);
                let states = call.instance(store, states);
                formulas.push(instance(store, copies, states, from, to));
            }
        }
        let end = store.value_cube(copies.variables(copy(count)), &end);
        let mut fresh = || {
            let mut solver = Solver::with_proof(Default::default(), NoProof);
            for &formula in &formulas {
                solver.assert(store, formula);
            }
            solver
        };
        let mut own_solver;
        let solver = if taken.iter().all(|(step, ..)| step.calls.is_empty()) {
            solvers.entry((key, chain.near, chain.steps.clone())).or_insert_with(fresh)
        } else {
            own_solver = fresh();
            &mut own_solver
        };
        solver.push();
        solver.assert(store, end);
        let found = match solver.check(store, budget) {
            Answer::Sat(mut solution) => Ok(solution.model()),
            Answer::Unsat(_) => Err(WitnessError::broken("a path that does not go on")),
            Answer::Unknown(reason) => Err(reason.into()),
        };
        solver.pop();
        let model = found?;
        let values = |store: &Store, terms: &[Term]| -> Result<Vec<Value>, WitnessError> {
            let value = |&term: &Term| store.evaluate(term, &model.completed(store));
            let values: Option<Vec<Value>> = terms.iter().map(value).collect();
            values.ok_or(WitnessError::broken("a state without values"))
        };
        for &(step, from, to) in taken.iter().rev() {
            let mut calls = Vec::with_capacity(step.calls.len());
            for call in &step.calls {
                let actuals: Vec<Term> =
                    call.actuals.iter().map(|&actual| instance(store, copies, actual, from, to)).collect();
                let state = values(store, &actuals)?;
                let callee = components.get(call.component);
                let number = fact_of(store, callee, &facts[..chain.facts], call.component, &state);
                let number = number.ok_or(WitnessError::broken("a call of a state that is no fact"))?;
                calls.push((call.position, (number, state)));
            }
            let state = values(store, copies.variables(to))?;
            plan.push(PlannedStep { edge: step.edge, from: step.from, calls, state });
        }
        values(store, copies.variables(FIRST))
    }
}

/// A formula about a step between two copies of the state; an entry is about one, and stays as it is.
fn instance(store: &mut Store, copies: &mut Copies, formula: Term, from: usize, to: usize) -> Term {
    if from == to { formula } else { copies.relation(store, formula, from, to) }
}

/// The first of these facts that has a state.
fn fact_of(
    store: &Store,
    component: &Component,
    facts: &[Fact],
    number: usize,
    state: &[Value],
) -> Option<usize> {
    let mut model = Model::default();
    for (&variable, value) in component.state.iter().zip(state) {
        model.insert(store.as_var(variable).expect("a variable"), value.clone());
    }
    facts.iter().position(|fact| fact.component == number && holds(store, &model, fact.states))
}
