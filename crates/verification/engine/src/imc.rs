//! Interpolation-based model checking.
//!
//! McMillan (2003): if no bad state is reached in exactly k steps from a set R, an interpolant of "one step from
//! R" and "k − 1 steps to a bad state" contains all successors of R and no state from which a bad one is k − 1
//! steps away. Starting with the initial states, R grows by its interpolants until nothing new comes; then R is
//! closed under steps. If a bad state can be reached from R after it has grown, k was too small.
//!
//! The suffix is unrolled in one solver that serves all k: bad states are looked for at its end. R is closed and
//! no bad state is k − 1 steps away from it, and none is fewer than k steps away from the initial states. A path
//! of interpolants turns this into an invariant: let D(k−1) = R, and let D(j) follow from a step out of D(j+1) as
//! well as from the initial states; then D(0) excludes the bad states, and the conjunction of all D(j) is
//! inductive.

use shem_base::{Budget, UnknownReason};
use shem_chc::{Path, Steps, TransitionSystem};
use shem_check::certificate::{Argument, Images};
use shem_proof::{NoProof, ProofLog};
use shem_smt::interpolate::{ItpError, ItpOptions, Partition};
use shem_smt::{Answer, Solver, Status, Template};
use shem_term::{Store, Term};

use crate::adaptor::Adaptor;
use crate::context::{Context, Progress};
use crate::interpolation::{proof_system, theory_rule};
use crate::reason::WitnessError;
use crate::registry::{Answers, EngineDescription, Fragment, LemmaKind, Make};
use crate::scope::Scope;
use crate::strengthen::{PendingInvariants, weaken};
use crate::theories::Theories;
use crate::unroll::{Compiled, Unrolling};
use crate::verdict::{Outcome, Proven, TransitionVerdict, WitnessSource};
use crate::{TransitionEngine, settings};

settings! {
    /// Settings of interpolation-based model checking.
    pub struct ImcSettings {
        /// The interpolation algorithms.
        interpolation: ItpOptions = ItpOptions::default();
    }
    rows [
        theory_rule!(interpolation.theory),
        proof_system!(interpolation.system),
    ]
}

/// The description of the engine for the registry.
pub(crate) const DESCRIPTION: EngineDescription = EngineDescription {
    name: "imc",
    summary: "interpolation-based model checking: over-approximates images by interpolants until they are closed",
    fragment: Fragment::TransitionSystems,
    theories: Theories::All,
    answers: Answers::Both,
    sends: &[],
    takes: &[LemmaKind::Invariant],
    variations: crate::instances::IMC,
    constructor: &Make { engine: |settings| Box::new(Adaptor::new(Imc::new(settings))) },
};

/// Interpolation-based model checking.
#[derive(Clone, Debug, Default)]
pub struct Imc {
    settings: ImcSettings,
}

/// Counters.
#[derive(Default)]
struct Counters {
    depth: u64,
    queries: u64,
    interpolants: u64,
}

/// What a run ended with.
enum End {
    Verdict(TransitionVerdict),
    /// A restart with the invariants received from others is worth its cost.
    Restart,
}

/// What a round with a fixed k ended with.
enum Round {
    Reached(Path),
    /// The images of the initial states; the last one is in the union of the others.
    Closed(Vec<Term>),
    Deeper,
}

impl Imc {
    /// The engine with these settings.
    pub fn new(settings: ImcSettings) -> Imc {
        Imc { settings }
    }

    fn run(
        &self,
        store: &mut Store,
        system: &TransitionSystem,
        context: &mut Context<'_>,
        counters: &mut Counters,
        pending: &mut PendingInvariants,
    ) -> Result<End, UnknownReason> {
        let compiled = Compiled::new(store, system);
        let mut unrolling = Unrolling::new(Solver::new(Default::default()), &compiled);
        context.set_up(&mut unrolling.solver);
        unrolling.reach(store, 0);
        // No steps at all.
        unrolling.solver.push();
        unrolling.assert_at(store, compiled.initial(), 0);
        unrolling.assert_at(store, compiled.bad(), 0);
        match unrolling.solver.check(store, &mut context.budget) {
            Answer::Sat(mut solution) => {
                return Ok(End::Verdict(Outcome::unsafe_by(unrolling.states.path(&mut solution, 0))));
            }
            Answer::Unknown(reason) => return Err(reason),
            Answer::Unsat(_) => unrolling.solver.pop(),
        }
        let first = unrolling.assert_step(store, compiled.transition(), 0);
        for k in 1.. {
            if pending.should_restart(store, context, counters.queries) {
                return Ok(End::Restart);
            }
            counters.depth = k as u64;
            context.events.progress(Progress { depth: k as u64, lemmas: counters.interpolants });
            unrolling.solver.push();
            unrolling.assert_at(store, compiled.bad(), k);
            let round = self.round(
                store,
                system,
                &compiled,
                &mut unrolling,
                (first, k),
                &mut context.budget,
                counters,
            )?;
            match round {
                Round::Reached(path) => return Ok(End::Verdict(Outcome::unsafe_by(path))),
                Round::Closed(chain) => {
                    let closed = store.or(&chain[..chain.len() - 1]);
                    return Ok(End::Verdict(safe(system.clone(), closed, chain, k)));
                }
                Round::Deeper => {}
            }
            unrolling.solver.pop();
            unrolling.assert_step(store, compiled.transition(), k);
        }
        unreachable!("the loop has no end of its own")
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of one query, borrowed separately")]
    fn round(
        &self,
        store: &mut Store,
        system: &TransitionSystem,
        compiled: &Compiled,
        unrolling: &mut Unrolling<ProofLog>,
        (first, k): (u32, usize),
        budget: &mut Budget,
        counters: &mut Counters,
    ) -> Result<Round, UnknownReason> {
        // The negations of the images so far: an interpolant that is satisfiable with them is new.
        let mut outside = Solver::with_proof(Default::default(), NoProof);
        outside.push();
        let mut reached: Vec<Term> = Vec::new();
        loop {
            unrolling.solver.push();
            let source = match reached.last() {
                None => unrolling.assert_at(store, compiled.initial(), 0),
                Some(&newest) => {
                    let newest = Template::new(store, newest, &system.state);
                    unrolling.assert_at(store, &newest, 0)
                }
            };
            counters.queries += 1;
            let mut refutation = match unrolling.solver.check(store, budget) {
                Answer::Unknown(reason) => return Err(reason),
                Answer::Sat(mut solution) if reached.is_empty() => {
                    return Ok(Round::Reached(unrolling.states.path(&mut solution, k)));
                }
                Answer::Sat(_) => {
                    unrolling.solver.pop();
                    return Ok(Round::Deeper);
                }
                Answer::Unsat(refutation) => refutation,
            };
            counters.interpolants += 1;
            let interpolant = refutation
                .interpolant(store, &[first, source], &self.settings.interpolation, budget)
                .map_err(unknown)?;
            let interpolant = unrolling.about(store, interpolant, 1, &system.state);
            unrolling.solver.pop();
            // The initial states need not be part of the union: an interpolant that adds nothing to the
            // others and to them closes it.
            outside.push();
            outside.assert(store, interpolant);
            let new = if reached.is_empty() { Status::Sat } else { outside.check(store, budget).status() };
            outside.pop();
            match new {
                Status::Unknown(reason) => return Err(reason),
                Status::Unsat => {
                    reached.push(interpolant);
                    return Ok(Round::Closed(reached));
                }
                Status::Sat => {
                    reached.push(interpolant);
                    outside.assert(store, !interpolant);
                }
            }
        }
    }
}

fn unknown(error: ItpError) -> UnknownReason {
    match error {
        ItpError::Unknown(reason) => reason,
        _ => UnknownReason::Incomplete("an interpolant could not be computed"),
    }
}

/// Safe: the successors of initial states are in `closed`, which is closed under steps, and neither from there
/// in k − 1 steps nor from an initial state in k steps or fewer a bad state is reached. `chain` are the images of
/// which `closed` is the union.
fn safe(system: TransitionSystem, closed: Term, chain: Vec<Term>, k: usize) -> TransitionVerdict {
    let certificate = Some(Argument::Images(Images { chain, k }).into());
    let witness = WitnessSource::Deferred(Box::new(move |store: &mut Store, budget: &mut Budget| {
        invariant(store, &system, closed, k, budget)
    }));
    Outcome::Safe(Proven { witness, certificate })
}

/// The invariant, as described at the top of this file.
fn invariant(
    store: &mut Store,
    system: &TransitionSystem,
    closed: Term,
    k: usize,
    budget: &mut Budget,
) -> Result<Term, WitnessError> {
    let mut steps = Steps::new(store, system);
    let mut solver = Solver::new(Default::default());
    let mut partition = Partition::new(k + 1);
    // Groups: the closed set or the initial states at 0, the steps, the bad states at k - 1.
    let start = store.or2(closed, system.initial);
    partition.assign(solver.assert(store, start), 0);
    let auxiliaries: Vec<Term> = {
        let mut free = store.free_variables(&[system.initial]);
        free.retain(|v| !system.state.contains(v));
        free
    };
    for step in 0..k - 1 {
        let transition = steps.transition(store, step);
        let fresh = fresh_like(store, &auxiliaries);
        let initial = store.rename(system.initial, &auxiliaries, &fresh);
        let initial = steps.at(store, initial, step + 1);
        let either = store.or2(transition, initial);
        partition.assign(solver.assert(store, either), step + 1);
    }
    let bad = steps.at(store, system.bad, k - 1);
    partition.assign(solver.assert(store, bad), k);
    let mut refutation = match solver.check(store, budget) {
        Answer::Unsat(refutation) => refutation,
        Answer::Unknown(reason) => return Err(reason.into()),
        Answer::Sat(_) => return Err(WitnessError::broken("a bad state is near the closed set")),
    };
    let path = refutation.path_interpolants(store, &partition, &ItpOptions::default(), budget)?;
    let mut conjuncts = Vec::with_capacity(path.len());
    for (step, interpolant) in path.into_iter().enumerate() {
        let state = steps.state(store, step).to_vec();
        conjuncts.push(store.rename(interpolant, &state, &system.state));
    }
    conjuncts.push(closed_or_initial(store, system, closed, budget)?);
    Ok(store.and(&conjuncts))
}

/// The union of the closed set and the initial states, without auxiliary variables.
fn closed_or_initial(
    store: &mut Store,
    system: &TransitionSystem,
    closed: Term,
    budget: &mut Budget,
) -> Result<Term, WitnessError> {
    let mut auxiliaries = store.free_variables(&[system.initial]);
    auxiliaries.retain(|v| !system.state.contains(v));
    let initial = shem_smt::project::eliminate(store, &auxiliaries, system.initial, budget)?;
    Ok(store.or2(closed, initial))
}

/// New variables of the sorts of these.
fn fresh_like(store: &mut Store, variables: &[Term]) -> Vec<Term> {
    let mut fresh = Vec::with_capacity(variables.len());
    for &variable in variables {
        let name = store.name(store.as_var(variable).expect("a variable")).to_string();
        let sort = store.sort(variable);
        fresh.push(store.variable(&name, sort));
    }
    fresh
}

impl TransitionEngine for Imc {
    fn scope(&self) -> Scope {
        DESCRIPTION.scope()
    }

    fn solve(
        &mut self,
        store: &mut Store,
        system: &TransitionSystem,
        context: &mut Context<'_>,
    ) -> TransitionVerdict {
        let mut counters = Counters::default();
        let mut invariant = Term::TRUE;
        let mut pending = PendingInvariants::default();
        let verdict = loop {
            let new_invariant = pending.start_run(store, counters.queries);
            invariant = store.and2(invariant, new_invariant);
            let known = system.strengthened(store, invariant);
            match self.run(store, &known, context, &mut counters, &mut pending) {
                Ok(End::Verdict(verdict)) => break Ok(weaken(invariant, verdict)),
                Ok(End::Restart) => context.statistics.add("shared.invariants", 1),
                Err(reason) => break Err(reason),
            }
        };
        context.statistics.set("depth", counters.depth);
        context.statistics.add("queries", counters.queries);
        context.statistics.add("interpolants", counters.interpolants);
        verdict.unwrap_or_else(Outcome::unknown)
    }
}
