//! The way of a system: graph, passes, engine, verdict, witness, the way back, validation.
//!
//! The system as read is kept and the witness judged on it, so whatever goes wrong in between cannot give a
//! wrong witness. What goes wrong is a [`Fault`], and the answer is withheld.

use std::sync::Arc;
use std::time::Instant;

use shem_base::{Budget, Meter, Statistics, StopToken};
use shem_chc::{ClauseId, Derivation, EdgeId, Graph, Interpretation, Model, Shape, System, normalise};
use shem_check::{Validity, check_derivation, check_model};
use shem_decide::clock::with_deadline;
use shem_engine::{Certificate, Context, Events, NoEvents, Outcome, Proven, Verdict as GraphVerdict};
use shem_term::Store;
use shem_transform::{BackError, Decision, NestedLoop, Pipeline, Preprocessed};

use super::answer::{Answer, Checked, Fault, Verdict, Witness};
use super::dump::Folder;
use super::instances::{self, Decided, Shared};
use super::options::SolveOptions;

/// The effort of preprocessing; it must not keep the engine from starting.
const PASS_CONFLICTS: u64 = 100_000;
const PASS_PIVOTS: u64 = 1_000_000;
const PASS_SPLITS: u64 = 10_000;

/// Who is named where the passes have left nothing for an engine.
pub(super) const PREPROCESSING: &str = "preprocessing";

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
    let preparation = options.engine.preparation();
    if preparation.for_transition_systems {
        let pipeline = Pipeline::for_transition_systems();
        preprocessed = preprocessed.then(&pipeline, store, &mut own, &mut budget);
    }
    if preparation.without_nested_loops {
        let pipeline = Pipeline::new(vec![Box::new(NestedLoop)]);
        preprocessed = preprocessed.then(&pipeline, store, &mut own, &mut budget);
    }
    statistics.merge_prefixed("preprocess", &own);
    statistics.set("preprocess.vertices", preprocessed.graph.vertices().count() as u64);
    statistics.set("preprocess.edges", preprocessed.graph.edge_count() as u64);
    Stopwatch { statistics, since }.lap("preprocess");
    preprocessed
}

/// Listens to a decision in the making.
pub(super) trait Listener: Events {
    /// The passes are done, and an engine is to begin.
    fn prepared(&mut self, _store: &Store, _system: &Arc<System>, _preprocessed: &Arc<Preprocessed>) {}

    /// Where one of several instances of the engine writes its queries; nowhere, unless the listener wants them.
    fn part(&mut self, _name: &str) -> Option<Folder> {
        None
    }

    /// The engine has decided, and the witness is to be built: whether the clauses have a model.
    fn claimed(&mut self, _safe: bool) {}

    /// The certificate of the engine was accepted, and the witness is still to be built.
    fn certified(&mut self) {}
}

impl Listener for NoEvents {}

/// For whom a verdict is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// For the user: a witness that was built is judged here.
    Answer,
    /// For somebody who judges witnesses and has to be shown something: a witness is left to that judge. If
    /// nobody wants the witness itself, a certificate that is accepted here will do.
    Report,
}

/// A system on its way to an engine.
pub(super) struct Prepared {
    pub(super) preprocessed: Arc<Preprocessed>,
    pub(super) shape_read: Shape,
    pub(super) shape: Shape,
    pub(super) statistics: Statistics,
}

/// Runs the passes on a system.
pub(super) fn prepare(
    store: &mut Store,
    system: &System,
    options: &SolveOptions,
    stop: &StopToken,
) -> Prepared {
    let mut statistics = Statistics::new();
    let graph = read_graph(store, system, &mut statistics);
    let shape_read = Shape::of(&graph);
    let preprocessed = preprocess(store, graph, options, stop, &mut statistics);
    let shape = Shape::of(&preprocessed.graph);
    Prepared { preprocessed: Arc::new(preprocessed), shape_read, shape, statistics }
}

impl Prepared {
    /// The answer, if the passes have left nothing for an engine.
    pub(super) fn decision(&self, store: &mut Store, budget: &Budget) -> Option<GraphVerdict> {
        match self.preprocessed.decision(store, budget)? {
            Decision::Safe(interpretation) => Some(Outcome::safe(interpretation)),
            Decision::Unsafe(derivation) => Some(Outcome::unsafe_by(derivation)),
        }
    }
}

/// Decides a system.
pub(super) fn decide(
    store: &mut Store,
    system: &Arc<System>,
    options: &SolveOptions,
    purpose: Purpose,
    stop: &StopToken,
    listener: &mut dyn Listener,
) -> Result<Answer, Fault> {
    if options.instances > 1 || options.join.is_some() {
        return match options.verdict_time {
            None => race(store, system, options, stop, listener),
            // What wins has been validated, so this time is for both.
            Some(time) => with_deadline(stop, time, |token| race(store, system, options, token, listener)),
        };
    }
    let (prepared, engine, outcome) = match options.verdict_time {
        None => verdict(store, system, options, purpose, stop, listener),
        Some(time) => with_deadline(stop, time, |token| {
            let (prepared, engine, mut outcome) = verdict(store, system, options, purpose, token, listener);
            if let Outcome::Unknown(reason) = &mut outcome
                && token.is_stopped()
                && !stop.is_stopped()
            {
                *reason = format!("no verdict within {} s", time.as_secs_f64());
            }
            (prepared, engine, outcome)
        }),
    };
    match &outcome {
        Outcome::Safe(_) => listener.claimed(true),
        Outcome::Unsafe(_) => listener.claimed(false),
        Outcome::Unknown(_) => {}
    }
    conclude(store, system, options, purpose, stop, prepared, (engine, outcome), listener)
}

/// Decides a system by several instances that work together, unless the passes have decided it.
fn race(
    store: &mut Store,
    system: &Arc<System>,
    options: &SolveOptions,
    stop: &StopToken,
    listener: &mut dyn Listener,
) -> Result<Answer, Fault> {
    let prepared = prepare(store, system, options, stop);
    if let Some(outcome) = prepared.decision(store, &Budget::until(stop.clone())) {
        let decided = (PREPROCESSING, outcome);
        return conclude(store, system, options, Purpose::Answer, stop, prepared, decided, listener);
    }
    let Prepared { preprocessed, shape_read, shape, mut statistics } = prepared;
    let problem = Shared { system, preprocessed };
    let mut warnings = Vec::new();
    let since = Instant::now();
    let Decided { verdict, checked, engine } =
        instances::decide(store, &problem, options, stop, listener, &mut statistics, &mut warnings);
    Stopwatch { statistics: &mut statistics, since }.lap("engine");
    statistics.set("terms", store.len() as u64);
    Ok(Answer { verdict, engine, checked, shape_read, shape, statistics, warnings })
}

/// Runs passes and engine.
fn verdict(
    store: &mut Store,
    system: &Arc<System>,
    options: &SolveOptions,
    purpose: Purpose,
    token: &StopToken,
    listener: &mut dyn Listener,
) -> (Prepared, &'static str, GraphVerdict) {
    let mut prepared = prepare(store, system, options, token);
    let budget = Budget::until(token.clone());
    let (engine, outcome) = match prepared.decision(store, &budget) {
        Some(outcome) => (PREPROCESSING, outcome),
        None => {
            listener.prepared(store, system, &prepared.preprocessed);
            let mut engine = options.engine.make();
            let (seed, witness) = (options.seed, options.witness || purpose == Purpose::Report);
            let since = Instant::now();
            let meter = Meter::new(move || u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX));
            let events: &mut dyn Events = listener;
            events.metered(&meter);
            let budget = Budget { meter: meter.clone(), ..budget };
            let mut context = Context { budget, seed, witness, events, statistics: Statistics::new() };
            let outcome = engine.solve(store, &prepared.preprocessed.graph, &mut context);
            let statistics = &mut prepared.statistics;
            statistics.merge_prefixed(engine.name(), &context.statistics);
            let work = meter.read().statistics(since.elapsed().as_secs_f64());
            statistics.merge_prefixed(&format!("{}.smt", engine.name()), &work);
            Stopwatch { statistics, since }.lap("engine");
            (engine.name(), outcome)
        }
    };
    (prepared, engine, outcome)
}

/// Makes the answer of a verdict: with a witness, if it is wanted, and whatever check was asked for.
#[allow(clippy::too_many_arguments, reason = "each is a part of the problem or of what is known about it")]
pub(super) fn conclude(
    store: &mut Store,
    system: &System,
    options: &SolveOptions,
    purpose: Purpose,
    stop: &StopToken,
    prepared: Prepared,
    (engine, outcome): (&'static str, GraphVerdict),
    listener: &mut dyn Listener,
) -> Result<Answer, Fault> {
    let Prepared { preprocessed, shape_read, shape, mut statistics } = prepared;
    let since = Instant::now();
    let mut checked = Checked::Nothing;
    let verdict = Later {
        store,
        system,
        preprocessed: &preprocessed,
        options,
        purpose,
        stop,
        listener,
        checked: &mut checked,
    }
    .verdict(outcome)?;
    Stopwatch { statistics: &mut statistics, since }.lap("witness");
    statistics.set("terms", store.len() as u64);
    Ok(Answer { verdict, engine, checked, shape_read, shape, statistics, warnings: Vec::new() })
}

/// What is needed once the verdict is known.
pub(super) struct Later<'a> {
    pub(super) store: &'a mut Store,
    pub(super) system: &'a System,
    pub(super) preprocessed: &'a Preprocessed,
    pub(super) options: &'a SolveOptions,
    pub(super) purpose: Purpose,
    pub(super) stop: &'a StopToken,
    pub(super) listener: &'a mut dyn Listener,
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
        let reporting = self.purpose == Purpose::Report;
        let Proven { witness, mut certificate } = proven;
        let witness = with_deadline(self.stop, options.witness_budget, |token| {
            let mut budget = Budget::until(token.clone());
            if reporting && self.accept(certificate.take(), token, &mut budget)? {
                self.listener.certified();
                if !options.witness {
                    return Ok(Witness::Unwanted);
                }
            }
            let witness = if options.witness || reporting {
                match self.build(witness, &mut budget)? {
                    Ok(found) => return Ok(Witness::Found(found)),
                    Err(reason) => Witness::Missing(reason),
                }
            } else {
                Witness::Unwanted
            };
            Ok(witness)
        })?;
        // What the witness left of its budget may be nothing: the certificate has its own.
        if options.validate
            && matches!(witness, Witness::Missing(_) | Witness::Unwanted)
            && certificate.is_some()
        {
            with_deadline(self.stop, options.witness_budget, |token| {
                self.accept(certificate.take(), token, &mut Budget::until(token.clone()))
            })?;
        }
        Ok(witness)
    }

    /// Checks a certificate, if there is one; says whether it was accepted.
    fn accept(
        &mut self,
        certificate: Option<Box<dyn Certificate>>,
        token: &StopToken,
        budget: &mut Budget,
    ) -> Result<bool, Fault> {
        let Some(certificate) = certificate else { return Ok(false) };
        match certificate.check(self.store, budget) {
            Ok(()) => *self.checked = Checked::Certificate,
            Err(_) if token.is_stopped() => return Ok(false),
            Err(what) => return Err(Fault(format!("the engine's certificate is wrong: {what}"))),
        }
        Ok(true)
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
        if self.purpose == Purpose::Report {
            return Ok(Ok(target));
        }
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
