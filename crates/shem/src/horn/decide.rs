//! The way of a system: graph, passes, engine, verdict, witness, the way back, validation.
//!
//! The system as read is kept and the witness judged on it, so whatever goes wrong in between cannot give a
//! wrong witness. What goes wrong is a [`Fault`], and the answer is withheld.

use std::sync::Arc;
use std::time::Instant;

use shem_base::{Budget, Meter, Statistics, StopToken, UnknownReason};
use shem_chc::{ClauseId, Derivation, EdgeId, Graph, Interpretation, Model, Shape, System, normalise};
use shem_check::{Validity, check_derivation, check_model};
use shem_decide::clock::with_deadline;
use shem_engine::{
    Certificate, CertificateError, Context, Events, Evidence, NoEvents, Outcome, Proven, Reason,
    Verdict as GraphVerdict, WitnessError,
};
use shem_term::Store;
use shem_transform::{BackError, Decision, NestedLoop, Pipeline, Preprocessed};

use super::answer::{Answer, Checked, Verdict, Witness};
use super::dump::Folder;
use super::instances::{self, Decided, Shared};
use super::options::SolveOptions;
use super::reason::{Fault, NoWitness, Undecided};

/// The effort of preprocessing; it must not keep the engine from starting.
const PASS_CONFLICTS: u64 = 100_000;
const PASS_PIVOTS: u64 = 1_000_000;
const PASS_SPLITS: u64 = 10_000;

/// Who is named where the passes have left nothing for an engine.
pub(super) const PREPROCESSING: &str = "preprocessing";

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
        Some(time) => {
            with_deadline(stop, time, |token| verdict(store, system, options, purpose, token, listener))
        }
    };
    let stopped = matches!(&outcome, Outcome::Unknown(Reason::Limit(UnknownReason::Stopped)));
    match &outcome {
        Outcome::Safe(_) => listener.claimed(true),
        Outcome::Unsafe(_) => listener.claimed(false),
        Outcome::Unknown(_) => {}
    }
    let found = (engine, outcome);
    let mut answer = conclude(store, system, options, purpose, stop, prepared, found, listener)?;
    // Unless the whole run was stopped, it was the time for the verdict.
    if let Some(time) = options.verdict_time
        && stopped
        && !stop.is_stopped()
    {
        answer.verdict = Verdict::Unknown(Undecided::VerdictTime(time));
    }
    Ok(answer)
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
            Outcome::Unknown(reason) => Verdict::Unknown(reason.into()),
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
            if reporting && self.accept(certificate.take(), &mut budget)? {
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
                self.accept(certificate.take(), &mut Budget::until(token.clone()))
            })?;
        }
        Ok(witness)
    }

    /// Checks a certificate, if there is one; says whether it was accepted.
    fn accept(
        &mut self,
        certificate: Option<Box<dyn Certificate>>,
        budget: &mut Budget,
    ) -> Result<bool, Fault> {
        let Some(certificate) = certificate else { return Ok(false) };
        match certificate.check(self.store, budget) {
            Ok(()) => *self.checked = Checked::Certificate,
            Err(CertificateError::Unknown(_)) => return Ok(false),
            Err(CertificateError::Wrong(what)) => return Err(Fault::Certificate(what)),
        }
        Ok(true)
    }

    /// Builds, translates and judges. The inner error says why there is no witness.
    fn build<W: Translate + 'static>(
        &mut self,
        evidence: Evidence<W>,
        budget: &mut Budget,
    ) -> Result<Result<W::Target, NoWitness>, Fault> {
        let witness = match evidence.get(self.store, budget) {
            Ok(witness) => witness,
            Err(WitnessError::Unknown(reason)) => return Ok(Err(NoWitness::Building(reason))),
            Err(WitnessError::Unavailable(reason)) => return Ok(Err(reason.into())),
            Err(WitnessError::Broken(what)) => return Err(Fault::Engine(what)),
        };
        let target = match witness.back(self, budget) {
            Ok(target) => target,
            Err(BackError::Unknown(reason)) => return Ok(Err(NoWitness::TranslatingBack(reason))),
            Err(BackError::Broken(what)) => return Err(Fault::Back(what)),
        };
        if self.purpose == Purpose::Report {
            return Ok(Ok(target));
        }
        match W::judge(&target, self, budget) {
            Validity::Valid => {
                *self.checked = Checked::Witness;
                Ok(Ok(target))
            }
            Validity::Invalid(defect) => Err(Fault::Witness(defect)),
            Validity::Unknown(reason) => Ok(Err(NoWitness::Validation(reason))),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use shem_chc::Script;
    use shem_engine::Unavailable;

    use super::*;

    /// What becomes of a verdict with this evidence and this certificate.
    fn witness(
        evidence: Evidence<Interpretation>,
        certificate: Option<Box<dyn Certificate>>,
        want_witness: bool,
    ) -> Result<(Witness<Model>, Checked), Fault> {
        let mut store = Store::new();
        let text = "(declare-fun p (Int) Bool)
            (assert (forall ((x Int)) (=> (= x 0) (p x))))
            (assert (forall ((x Int)) (=> (p x) (p (+ x 2)))))
            (assert (forall ((x Int)) (=> (p x) (not (= x 7)))))";
        let stop = StopToken::new();
        let system = Script::read(&mut store, text, &stop).expect("a script").system;
        let options = SolveOptions { witness: want_witness, validate: true, ..SolveOptions::default() };
        let graph = normalise(&mut store, &system);
        let preprocessed = preprocess(&mut store, graph, &options, &stop, &mut Statistics::new());
        let mut checked = Checked::Nothing;
        let found = Later {
            store: &mut store,
            system: &system,
            preprocessed: &preprocessed,
            options: &options,
            purpose: Purpose::Answer,
            stop: &stop,
            listener: &mut NoEvents,
            checked: &mut checked,
        }
        .witness(Proven { witness: evidence, certificate })?;
        Ok((found, checked))
    }

    fn failing(error: WitnessError) -> Evidence<Interpretation> {
        Evidence::Later(Box::new(|_, _| Err(error)))
    }

    #[track_caller]
    fn missing(evidence: Evidence<Interpretation>, expected: &NoWitness) {
        match witness(evidence, None, true) {
            Ok((Witness::Missing(reason), Checked::Nothing)) => assert_eq!(&reason, expected),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn limits_leave_the_witness_missing() {
        let limit = UnknownReason::Conflicts;
        missing(failing(limit.into()), &NoWitness::Building(limit));
        missing(failing(BackError::Unknown(limit).into()), &NoWitness::Building(limit));
        missing(Evidence::Missing(Unavailable::CertificateOnly), &Unavailable::CertificateOnly.into());
        // The words of a mistake make none.
        let words = UnknownReason::Incomplete("the witness does not fit");
        missing(failing(words.into()), &NoWitness::Building(words));
    }

    #[test]
    fn broken_evidence_is_a_fault() {
        let what = "there is no path";
        let found = witness(failing(WitnessError::broken(what)), None, true);
        assert_eq!(found.unwrap_err(), Fault::Engine(what.into()));
        let found = witness(failing(BackError::Broken("a step".to_owned()).into()), None, true);
        assert_eq!(found.unwrap_err(), Fault::Engine("the witness does not fit: a step".into()));
        let found = witness(Evidence::Ready(Interpretation::new()), None, true);
        assert!(matches!(found, Err(Fault::Witness(_))), "{found:?}");
    }

    /// A certificate of which the check ends like this.
    #[derive(Debug)]
    struct Ending(Result<(), CertificateError>);

    impl Certificate for Ending {
        fn check(&self, _: &mut Store, _: &mut Budget) -> Result<(), CertificateError> {
            self.0.clone()
        }
    }

    #[test]
    fn certificates_that_could_not_be_checked_are_not_wrong() {
        let check = |result| {
            let evidence = Evidence::Missing(Unavailable::CertificateOnly);
            witness(evidence, Some(Box::new(Ending(result))), false).map(|(_, checked)| checked)
        };
        assert_eq!(check(Ok(())), Ok(Checked::Certificate));
        for reason in [UnknownReason::Pivots, UnknownReason::Stopped, UnknownReason::Incomplete("words")] {
            assert_eq!(check(Err(reason.into())), Ok(Checked::Nothing));
        }
        let wrong = Cow::Borrowed("stopped");
        assert_eq!(check(Err(CertificateError::Wrong(wrong.clone()))), Err(Fault::Certificate(wrong)));
    }
}
