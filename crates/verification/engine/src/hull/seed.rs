//! Runs from initial states: what the hulls begin with.
//!
//! Initial states are models of the facts, some of them far from zero, so that what depends on an argument shows; a run
//! follows edges that are functions. A run that takes an edge to false is a derivation.

use shem_base::{Budget, Effort, Rat, Rng, UnknownReason};
use shem_chc::{Derivation, EdgeId, Graph, Positions, VertexId};
use shem_proof::NoProof;
use shem_smt::{Answer, Model, Solver};
use shem_term::{Sort, Store, Term, Value};

use super::program::{Program, State};
use crate::context::Context;

/// The initial states that are asked for of each fact: any, and ones that are far from zero.
const STARTS: usize = 3;
const FAR_STARTS: usize = 8;
/// How far from zero the first argument is then; the next ones are further.
const FAR: i64 = 97;
/// The values of all states of a run together, at most; of runs after the first few of them less.
const RUN_VALUES: usize = 12_000;
const LATER_RUN_VALUES: usize = 3_000;
/// A run ends where a number has more bits.
const MAX_BITS: u64 = 256;
/// The effort of finding an initial state.
const EFFORT: Effort = Effort { conflicts: 5_000, pivots: 200_000, splits: 2_000 };

/// What runs have found.
pub(super) struct Seeds {
    /// The states of each run, with their vertices.
    pub(super) runs: Vec<Vec<(VertexId, State)>>,
    /// A derivation of falsehood, if a run is one.
    pub(super) derivation: Option<Derivation<EdgeId>>,
}

impl Seeds {
    /// Runs from some initial states.
    pub(super) fn find(
        store: &mut Store,
        graph: &Graph,
        programs: &mut [Program],
        context: &mut Context<'_>,
    ) -> Result<Seeds, UnknownReason> {
        let mut rng = Rng::new(context.seed);
        let positions: Vec<Option<Positions>> = (0..graph.vertex_bound())
            .map(VertexId::new)
            .map(|v| graph.is_live(v).then(|| Positions::new(store, graph.vertex(v).state())))
            .collect();
        let mut seeds = Seeds { runs: Vec::new(), derivation: None };
        for at in 0..programs.len() {
            let is_fact = programs[at].source.is_none() && programs[at].joined.is_empty();
            if !is_fact || programs[at].target == VertexId::FALSE {
                continue;
            }
            let (fact, vertex) = (programs[at].id, programs[at].target);
            for state in starts(store, graph, &programs[at], context)? {
                context.budget.check_stop()?;
                let limit = if seeds.runs.len() < STARTS { RUN_VALUES } else { LATER_RUN_VALUES };
                let run = follow(store, programs, &positions, &mut rng, (vertex, state), limit);
                if let Some(last) = run.falsehood {
                    seeds.derivation = Some(derivation(fact, &run.states, &run.edges, last));
                    return Ok(seeds);
                }
                seeds.runs.push(run.states);
            }
        }
        Ok(seeds)
    }
}

/// Some initial states of a fact.
fn starts(
    store: &mut Store,
    graph: &Graph,
    fact: &Program,
    context: &mut Context<'_>,
) -> Result<Vec<State>, UnknownReason> {
    let variables = graph.vertex(fact.target).target();
    let mut solver = Solver::with_proof(Default::default(), NoProof);
    context.set_up(&mut solver);
    let budget = &mut context.budget;
    solver.assert(store, fact.label);
    let mut found = Vec::new();
    while found.len() < STARTS {
        let Some(state) = model(store, &mut solver, variables, budget)? else { return Ok(found) };
        let here = store.value_cube(variables, &state);
        solver.assert(store, !here);
        found.push(state);
    }
    for (at, &variable) in variables.iter().enumerate() {
        let sort = store.sort(variable);
        if !matches!(sort, Sort::Int | Sort::Real) {
            continue;
        }
        for sign in [1, -1] {
            if found.len() >= STARTS + FAR_STARTS {
                return Ok(found);
            }
            let far = FAR * (at as i64 + 1) + 10 * found.len() as i64;
            let distance = store.scale(&Rat::from(sign), variable);
            let far = store.numeral(&Rat::from(far), sort);
            let condition = store.ge(distance, far);
            solver.push();
            solver.assert(store, condition);
            let state = model(store, &mut solver, variables, budget);
            solver.pop();
            found.extend(state?);
        }
    }
    Ok(found)
}

/// The values of these variables in a model.
fn model(
    store: &mut Store,
    solver: &mut Solver<NoProof>,
    variables: &[Term],
    budget: &mut Budget,
) -> Result<Option<State>, UnknownReason> {
    let model = budget.within(EFFORT, |part| match solver.check(store, part) {
        Answer::Sat(mut solution) => Ok(Some(solution.model())),
        Answer::Unsat(_) => Ok(None),
        Answer::Unknown(reason) => Err(reason),
    })?;
    let value = |model: &Model, v: Term| model.value_or_default(store, store.as_var(v).expect("a variable"));
    Ok(model.map(|model| variables.iter().map(|&v| value(&model, v)).collect()))
}

struct Run {
    states: Vec<(VertexId, State)>,
    edges: Vec<EdgeId>,
    /// The edge to false that the last state allows.
    falsehood: Option<EdgeId>,
}

/// Follows edges that are functions from a state.
fn follow(
    store: &Store,
    programs: &mut [Program],
    positions: &[Option<Positions>],
    rng: &mut Rng,
    start: (VertexId, State),
    limit: usize,
) -> Run {
    let mut run = Run { states: vec![start], edges: Vec::new(), falsehood: None };
    let mut values = 0;
    while values < limit {
        let (vertex, state) = run.states.last().expect("the first state");
        values += state.len().max(1);
        let vertex = *vertex;
        let positions = positions[vertex.index()].as_ref().expect("a live vertex");
        let mut found: Option<(EdgeId, VertexId, State)> = None;
        let mut count = 0;
        for program in programs.iter_mut().filter(|program| program.source == Some(vertex)) {
            let Some(next) = program.function.as_mut().and_then(|f| f.step(store, positions, state)) else {
                continue;
            };
            if program.target == VertexId::FALSE {
                run.falsehood = Some(program.id);
                return run;
            }
            count += 1;
            if rng.below(count) == 0 {
                found = Some((program.id, program.target, next));
            }
        }
        let Some((edge, target, next)) = found else { break };
        if next.iter().filter_map(Value::as_num).any(|number| number.bits() > MAX_BITS) {
            break;
        }
        run.edges.push(edge);
        run.states.push((target, next));
    }
    run
}

/// The derivation that a run is.
fn derivation(
    fact: EdgeId,
    states: &[(VertexId, State)],
    edges: &[EdgeId],
    last: EdgeId,
) -> Derivation<EdgeId> {
    let mut derivation = Derivation::new();
    let mut premise = None;
    for (edge, (_, state)) in [fact].iter().chain(edges).zip(states) {
        let values: Vec<Value> = state.clone();
        premise = Some(derivation.push(*edge, premise.as_slice(), values));
    }
    derivation.push(last, premise.as_slice(), []);
    derivation
}
