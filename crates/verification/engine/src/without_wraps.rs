//! Any engine on the graph without its wraps: ideal integers in the place of machine integers.
//!
//! The engine decides the graph in which numbers never wrap around ([`Wraps`]). A derivation of it counts if the judge of
//! derivations accepts it on the graph itself, or if its edges have other values there. An invariant counts if it is
//! closed under the edges of the graph itself and excludes falsehood. If it is not, the solver gives steps that leave it,
//! in each of which some wrap has another value than was assumed: these wraps are kept, as in refinement by
//! counterexamples (Clarke, Grumberg, Jha, Lu and Veith 2000), and the engine begins again. The part of the invariant
//! that is closed (Flanagan and Leino 2001) is put into the labels, and told to others.
//!
//! In the worst case every wrap is kept, and the graph is decided as it is. The engine itself takes part in no exchange,
//! since what it finds is about another graph.

use shem_base::{Effort, UnknownReason};
use shem_chc::{ClauseId, Derivation, EdgeId, Graph, Interpretation, VertexId, clauses_of};
use shem_check::{Certificate, Validity, check_derivation};
use shem_proof::NoProof;
use shem_smt::{Answer, Solver};
use shem_term::{Store, Term};
use shem_transform::abstraction::{Concrete, OutlineStep, Wraps, concrete};

use crate::abstracted::Inner;
use crate::closed::closed_part;
use crate::context::Context;
use crate::reason::{Incomplete, Reason, WitnessError};
use crate::verdict::{Outcome, Proven, Verdict, WitnessSource};
use crate::{Engine, Scope};

/// The effort of finding the closed part of an invariant.
const CLOSING_EFFORT: Effort = Effort { conflicts: 20_000, pivots: 200_000, splits: 2_000 };

/// The effort of looking for other values of a derivation.
const FOLLOWING_EFFORT: Effort = Effort { conflicts: 20_000, pivots: 500_000, splits: 5_000 };

/// An engine on graphs without wraps.
pub(crate) struct WithoutWraps {
    pub(crate) inner: Inner,
}

impl Engine for WithoutWraps {
    fn scope(&self) -> Scope {
        self.inner.engine.scope()
    }

    fn search(&mut self, store: &mut Store, graph: &Graph, context: &mut Context<'_>) -> Verdict {
        let mut wraps = Wraps::of(store, graph);
        context.statistics.set("wraps.found", wraps.count() as u64);
        if wraps.count() == 0 {
            return Outcome::unknown(Incomplete::Method("there is nothing that wraps around"));
        }
        let mut known = Interpretation::new();
        for rounds in 1u64.. {
            context.statistics.set("wraps.rounds", rounds);
            context.statistics.set("wraps.replaced", wraps.count() as u64);
            match self.attempt(store, graph, context, &mut wraps, &mut known) {
                Ok(Some(verdict)) => return verdict,
                Ok(None) => {}
                Err(reason) => return Outcome::Unknown(reason),
            }
        }
        unreachable!("each round keeps a wrap")
    }
}

impl WithoutWraps {
    /// The verdict, if what the engine finds holds of the graph itself; otherwise some wrap is kept.
    fn attempt(
        &mut self,
        store: &mut Store,
        graph: &Graph,
        context: &mut Context<'_>,
        wraps: &mut Wraps,
        known: &mut Interpretation,
    ) -> Result<Option<Verdict>, Reason> {
        let replaced = wraps.replaced(store, graph, known);
        let (verdict, prepared) = self.inner.decide(store, replaced, context);
        match verdict {
            Outcome::Unknown(reason) => Err(reason),
            Outcome::Safe(Proven { witness, .. }) => {
                let found = witness
                    .get(store, &mut context.budget)
                    .and_then(|found| Ok(prepared.interpretation(store, found, &mut context.budget)?));
                let found = complete(store, graph, &found.map_err(unfollowed)?, known);
                if !keep_wrong(store, graph, &found, wraps, context)? {
                    let certificate = Some(Certificate::Model(found.clone()));
                    let witness = WitnessSource::Ready(found);
                    return Ok(Some(Outcome::Safe(Proven { witness, certificate })));
                }
                let mut budget = context.budget.at_most(CLOSING_EFFORT);
                match closed_part(store, graph, &found, &mut budget) {
                    Ok(closed) => *known = closed,
                    Err(UnknownReason::Stopped) => return Err(UnknownReason::Stopped.into()),
                    // What was known before still is.
                    Err(_) => return Ok(None),
                }
                if let Some(port) = context.events.port() {
                    port.publish_invariant(store, graph, known.clone(), &mut context.budget);
                }
                Ok(None)
            }
            Outcome::Unsafe(witness) => {
                let found = witness
                    .get(store, &mut context.budget)
                    .and_then(|found| Ok(prepared.derivation(store, found, &mut context.budget)?));
                let found = found.map_err(unfollowed)?;
                if let Some(derivation) = realised(store, graph, &found, context)? {
                    return Ok(Some(Outcome::unsafe_by(derivation)));
                }
                let mut has_changed = false;
                for (_, step) in found.steps() {
                    has_changed |= wraps.keep_all(step.rule);
                }
                let what = "a derivation without wraps could not be followed";
                if has_changed { Ok(None) } else { Err(Incomplete::Method(what).into()) }
            }
        }
    }
}

fn unfollowed(error: WitnessError) -> Reason {
    match error {
        WitnessError::Unknown(reason) => reason.into(),
        _ => Incomplete::Method("what was found without wraps could not be followed").into(),
    }
}

/// A formula for each vertex: what was found, and what is known.
fn complete(
    store: &mut Store,
    graph: &Graph,
    found: &Interpretation,
    known: &Interpretation,
) -> Interpretation {
    let mut all = Interpretation::new();
    for vertex in graph.vertices() {
        let [found, known] = [found, known].map(|one| one.get(vertex).unwrap_or(Term::TRUE));
        all.insert(vertex, store.and2(found, known));
    }
    all
}

/// Looks for steps that leave the invariant, or lead to false, and keeps the wraps that have another value there than
/// was assumed; `false` if there is no such step.
fn keep_wrong(
    store: &mut Store,
    graph: &Graph,
    invariant: &Interpretation,
    wraps: &mut Wraps,
    context: &mut Context<'_>,
) -> Result<bool, Reason> {
    let mut has_changed = false;
    let edges: Vec<EdgeId> = graph.edges().map(|(id, _)| id).collect();
    for id in edges {
        let edge = graph.edge(id);
        let mut solver = Solver::with_proof(Default::default(), NoProof);
        context.set_up(&mut solver);
        solver.assert(store, edge.label);
        for (position, &source) in edge.sources.iter().enumerate() {
            let formula = invariant.apply(store, graph, source, graph.source_variables(edge, position));
            solver.assert(store, formula);
        }
        if edge.target != VertexId::FALSE {
            let formula = invariant.apply(store, graph, edge.target, graph.vertex(edge.target).target());
            solver.assert(store, !formula);
        }
        loop {
            let model = match solver.check(store, &mut context.budget) {
                Answer::Unsat(_) => break,
                Answer::Unknown(reason) => return Err(reason.into()),
                Answer::Sat(mut solution) => solution.model(),
            };
            let wrong = wraps.wrong(store, id, &model.completed(store));
            if wrong.is_empty() {
                let what = "an invariant without wraps fails where nothing wraps around";
                return Err(Incomplete::Method(what).into());
            }
            has_changed = true;
            // Other steps may be due to other wraps.
            for (wrap, ideal) in wrong {
                wraps.keep(id, wrap);
                let is_ideal = store.eq(wrap, ideal);
                solver.assert(store, is_ideal);
            }
        }
    }
    Ok(has_changed)
}

/// The derivation as one of the graph itself, perhaps with other values; `None` if it is none.
fn realised(
    store: &mut Store,
    graph: &Graph,
    derivation: &Derivation<EdgeId>,
    context: &mut Context<'_>,
) -> Result<Option<Derivation<EdgeId>>, Reason> {
    let system = clauses_of(store, graph);
    let edges: Vec<EdgeId> = graph.edges().map(|(id, _)| id).collect();
    let clause = |edge: EdgeId| ClauseId::new(edges.binary_search(&edge).expect("an edge of the graph"));
    let by_clauses = derivation.clone().map_rules(clause);
    if check_derivation(store, &system, &by_clauses, &mut context.budget) == Validity::Valid {
        return Ok(Some(derivation.clone()));
    }
    context.budget.check_stop()?;
    if derivation.has_repetitions() {
        return Ok(None);
    }
    let outline = derivation.steps().map(|(_, step)| OutlineStep {
        edge: step.rule,
        premises: step.premises.iter().map(|premise| premise.index()).collect(),
    });
    match concrete(store, graph, &outline.collect(), &mut context.budget.at_most(FOLLOWING_EFFORT)) {
        Ok(Concrete::Derivation(derivation)) => Ok(Some(derivation)),
        Ok(Concrete::Nothing(_)) => Ok(None),
        Err(UnknownReason::Stopped) => Err(UnknownReason::Stopped.into()),
        Err(_) => Ok(None),
    }
}
