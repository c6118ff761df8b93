//! The way of a system: graph, passes, engine, verdict, witness, the way back, validation.
//!
//! The system as read is kept and the witness judged on it, so whatever goes wrong in between cannot give a
//! wrong witness. What goes wrong is a [`Fault`], and the answer is withheld.

use std::sync::Arc;
use std::time::Instant;

use shem_base::{Budget, Meter, Statistics, StopToken};
use shem_chc::{ClauseId, Derivation, EdgeId, Graph, Interpretation, Model, Shape, System, normalise};
use shem_check::{Validity, check_derivation, check_model};
use shem_engine::{Context, Events, Outcome, Proven, Verdict as GraphVerdict};
use shem_term::Store;
use shem_transform::{BackError, Decision, NestedLoop, Pipeline, Preprocessed};

use super::answer::{Answer, Checked, Fault, Verdict, Witness};
use super::deadline::with_deadline;
use super::instances::{self, Decided, Shared};
use super::options::SolveOptions;

/// The effort of preprocessing; it must not keep the engine from starting.
const PASS_CONFLICTS: u64 = 100_000;
const PASS_PIVOTS: u64 = 1_000_000;
const PASS_SPLITS: u64 = 10_000;

/// Who is named where the passes have left nothing for an engine.
const PREPROCESSING: &str = "preprocessing";

/// How the words for [`BackError::Broken`] begin.
const BROKEN: &str = "the witness does not fit";

/// Measures parts of a run.
struct Stopwatch<'a> {
    statistics: &'a mut Statistics,
    since: Instant,
}

impl Stopwatch<'_> {
    /// Ends the part of this name.
    fn lap(&mut self, name: &str) {
        let now = Instant::now();
        self.statistics.set(&format!("time.{name}"), (now - self.since).as_secs_f64());
        self.since = now;
    }
}

/// The graph of a system, with its figures.
pub(super) fn read_graph(store: &mut Store, system: &System, statistics: &mut Statistics) -> Graph {
    let mut watch = Stopwatch { statistics, since: Instant::now() };
    let graph = normalise(store, system);
    watch.lap("normalise");
    statistics.set("read.predicates", system.predicates.len() as u64);
    statistics.set("read.clauses", system.clauses.len() as u64);
    graph
}

/// Runs the passes.
pub(super) fn preprocess(
    store: &mut Store,
    graph: Graph,
    options: &SolveOptions,
    stop: &StopToken,
    statistics: &mut Statistics,
) -> Preprocessed {
    let since = Instant::now();
    let mut budget = Budget {
        conflicts: PASS_CONFLICTS,
        pivots: PASS_PIVOTS,
        splits: PASS_SPLITS,
        ..Budget::until(stop.clone())
    };
    let mut own = Statistics::new();
    let mut preprocessed = Pipeline::standard().run(store, graph, &mut own, &mut budget);
    if options.engine.wants_transition_systems() {
        let pipeline = Pipeline::for_transition_systems();
        preprocessed = preprocessed.then(&pipeline, store, &mut own, &mut budget);
    }
    if options.engine_options.simplify_nested {
        let pipeline = Pipeline::new(vec![Box::new(NestedLoop)]);
        preprocessed = preprocessed.then(&pipeline, store, &mut own, &mut budget);
    }
    statistics.merge_prefixed("preprocess", &own);
    statistics.set("preprocess.vertices", preprocessed.graph.vertices().count() as u64);
    statistics.set("preprocess.edges", preprocessed.graph.edge_count() as u64);
    Stopwatch { statistics, since }.lap("preprocess");
    preprocessed
}

/// Decides a system.
pub(super) fn decide(
    store: &mut Store,
    system: &Arc<System>,
    options: &SolveOptions,
    stop: &StopToken,
    events: &mut dyn Events,
) -> Result<Answer, Fault> {
    let mut statistics = Statistics::new();
    let graph = read_graph(store, system, &mut statistics);
    let shape_read = Shape::of(&graph);
    let preprocessed = preprocess(store, graph, options, stop, &mut statistics);
    let shape = Shape::of(&preprocessed.graph);
    let mut warnings = Vec::new();
    let budget = Budget::until(stop.clone());
    let (engine, outcome) = match preprocessed.decision(store, &budget) {
        Some(Decision::Safe(interpretation)) => (PREPROCESSING, Outcome::safe(interpretation)),
        Some(Decision::Unsafe(derivation)) => (PREPROCESSING, Outcome::unsafe_by(derivation)),
        None if options.instances > 1 || options.join.is_some() => {
            let problem = Shared { system, preprocessed: Arc::new(preprocessed) };
            let since = Instant::now();
            let Decided { verdict, checked, engine } =
                instances::decide(store, &problem, options, stop, &mut statistics, &mut warnings);
            Stopwatch { statistics: &mut statistics, since }.lap("engine");
            statistics.set("terms", store.len() as u64);
            return Ok(Answer { verdict, engine, checked, shape_read, shape, statistics, warnings });
        }
        None => {
            let mut engine = options.engine.make(&options.engine_options);
            let (seed, witness) = (options.seed, options.witness);
            let since = Instant::now();
            let meter = Meter::new(move || u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX));
            events.metered(&meter);
            let budget = Budget { meter: meter.clone(), ..budget };
            let mut context = Context { budget, seed, witness, events, statistics: Statistics::new() };
            let outcome = engine.solve(store, &preprocessed.graph, &mut context);
            statistics.merge_prefixed(engine.name(), &context.statistics);
            let work = meter.read().statistics(since.elapsed().as_secs_f64());
            statistics.merge_prefixed(&format!("{}.smt", engine.name()), &work);
            Stopwatch { statistics: &mut statistics, since }.lap("engine");
            (engine.name(), outcome)
        }
    };
    let since = Instant::now();
    let mut checked = Checked::Nothing;
    let verdict = Later { store, system, preprocessed: &preprocessed, options, stop, checked: &mut checked }
        .verdict(outcome)?;
    Stopwatch { statistics: &mut statistics, since }.lap("witness");
    statistics.set("terms", store.len() as u64);
    Ok(Answer { verdict, engine, checked, shape_read, shape, statistics, warnings })
}

/// What is needed once the verdict is known.
pub(super) struct Later<'a> {
    pub(super) store: &'a mut Store,
    pub(super) system: &'a System,
    pub(super) preprocessed: &'a Preprocessed,
    pub(super) options: &'a SolveOptions,
    pub(super) stop: &'a StopToken,
    pub(super) checked: &'a mut Checked,
}

/// A witness of a graph that becomes one of the system.
trait Translate: Sized {
    type Target;

    /// The way back through the passes.
    fn back(self, later: &mut Later<'_>, budget: &mut Budget) -> Result<Self::Target, BackError>;

    /// The judgement of the result.
    fn judge(target: &Self::Target, later: &mut Later<'_>, budget: &mut Budget) -> Validity;
}

impl Translate for Interpretation {
    type Target = Model;

    fn back(self, later: &mut Later<'_>, budget: &mut Budget) -> Result<Model, BackError> {
        let Later { store, system, preprocessed, .. } = later;
        let interpretation = preprocessed.interpretation(store, self, budget)?;
        Ok(Model::of(&preprocessed.graph, &interpretation, system.predicates.len()))
    }

    fn judge(model: &Model, later: &mut Later<'_>, budget: &mut Budget) -> Validity {
        check_model(later.store, later.system, model, budget)
    }
}

impl Translate for Derivation<EdgeId> {
    type Target = Derivation<ClauseId>;

    fn back(self, later: &mut Later<'_>, budget: &mut Budget) -> Result<Derivation<ClauseId>, BackError> {
        let derivation = later.preprocessed.derivation(later.store, self, budget)?;
        Ok(derivation.map_rules(EdgeId::clause))
    }

    fn judge(derivation: &Derivation<ClauseId>, later: &mut Later<'_>, budget: &mut Budget) -> Validity {
        check_derivation(later.store, later.system, derivation, budget)
    }
}

impl Later<'_> {
    /// The verdict on the system, with its witness if one is wanted.
    pub(super) fn verdict(&mut self, outcome: GraphVerdict) -> Result<Verdict, Fault> {
        Ok(match outcome {
            Outcome::Unknown(reason) => Verdict::Unknown(reason),
            Outcome::Safe(proven) => Verdict::Sat(self.witness(proven)?),
            Outcome::Unsafe(proven) => Verdict::Unsat(self.witness(proven)?),
        })
    }

    /// The witness of the system, within its budget; if there is none, the certificate is checked.
    fn witness<W: Translate + 'static>(&mut self, proven: Proven<W>) -> Result<Witness<W::Target>, Fault> {
        let options = self.options;
        with_deadline(self.stop, options.witness_budget, |token| {
            let mut budget = Budget::until(token.clone());
            let mut witness = Witness::Unwanted;
            if options.witness {
                witness = match self.build(proven.witness, &mut budget)? {
                    Ok(found) => Witness::Found(found),
                    Err(reason) => Witness::Missing(reason),
                };
            }
            if let (Witness::Missing(_) | Witness::Unwanted, Some(certificate)) =
                (&witness, proven.certificate)
                && options.validate
            {
                match certificate.check(self.store, &mut budget) {
                    Ok(()) => *self.checked = Checked::Certificate,
                    Err(_) if token.is_stopped() => {}
                    Err(what) => return Err(Fault(format!("the engine's certificate is wrong: {what}"))),
                }
            }
            Ok(witness)
        })
    }

    /// Builds, translates and judges. The inner error says why there is no witness.
    fn build<W: Translate + 'static>(
        &mut self,
        evidence: shem_engine::Evidence<W>,
        budget: &mut Budget,
    ) -> Result<Result<W::Target, String>, Fault> {
        let witness = match evidence.get(self.store, budget) {
            Ok(witness) => witness,
            // An engine tells of a broken way back in words; it is no less a mistake of ours.
            Err(reason) if reason.starts_with(BROKEN) => return Err(Fault(reason)),
            Err(reason) => return Ok(Err(reason)),
        };
        let target = match witness.back(self, budget) {
            Ok(target) => target,
            Err(BackError::Unknown(reason)) => return Ok(Err(format!("translating back: {reason}"))),
            Err(BackError::Broken(what)) => return Err(Fault(format!("the way back is broken: {what}"))),
        };
        match W::judge(&target, self, budget) {
            Validity::Valid => {
                *self.checked = Checked::Witness;
                Ok(Ok(target))
            }
            Validity::Invalid(defect) => Err(Fault(format!("the witness is wrong: {defect}"))),
            Validity::Unknown(reason) => Ok(Err(format!("validation: {reason}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_ways_back_are_recognised() {
        assert!(BackError::Broken("anything".to_owned()).to_string().starts_with(BROKEN));
    }
}
