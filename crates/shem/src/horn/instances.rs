//! Several instances of an engine that work together in one process.
//!
//! The passes run once. Every instance gets a copy of the store and sees the same graph, so that lemmas which count
//! steps are about the same steps; it has settings of its own and a seat at the hub. A verdict is validated while the
//! others go on, and only then wins: a witness that is rejected, a panic or a shortage of time costs an instance, not
//! the answer. The winner's store takes the place of the first one, of which it is a continuation, so its witness
//! needs no translation.

use std::ops::ControlFlow;
use std::sync::Arc;

use shem_base::{Budget, Statistics, StopToken};
use shem_chc::System;
use shem_engine::{Context, Events, Outcome, Port, Progress, Proven, Verdict as GraphVerdict};
use shem_exchange::{CAPACITY, Finish, Hub, HubPort, Runner, race};
use shem_term::Store;
use shem_transform::Preprocessed;

use super::answer::{Checked, Verdict, Witness};
use super::decide::Later;
use super::options::SolveOptions;

/// What all instances work on.
pub(super) struct Shared<'a> {
    pub(super) system: &'a System,
    pub(super) preprocessed: Arc<Preprocessed>,
}

/// What an instance comes back with.
struct Run {
    store: Store,
    outcome: GraphVerdict,
    statistics: Statistics,
}

/// An instance tells nobody where it is, and others what it has learnt.
struct Member {
    port: Option<HubPort>,
}

impl Events for Member {
    fn progress(&mut self, _: Progress) {}

    fn port(&mut self) -> Option<&mut dyn Port> {
        self.port.as_mut().map(|port| port as &mut dyn Port)
    }
}

/// Decides what the passes have left by several instances of the engine.
pub(super) fn decide(
    store: &mut Store,
    problem: &Shared<'_>,
    options: &SolveOptions,
    stop: &StopToken,
    statistics: &mut Statistics,
    warnings: &mut Vec<String>,
) -> (Verdict, Checked) {
    let hub = Hub::new(options.instances, CAPACITY);
    let runners: Vec<Runner<Run>> =
        (0..options.instances).map(|number| runner(store, problem, options, &hub, number)).collect();
    let mut reasons = Vec::new();
    let won = race(runners, stop, |number, finish| {
        let run = match finish {
            Finish::Result(run) => run,
            Finish::Panic(words) => {
                warnings.push(format!("instance {number} of {} panicked: {words}", options.engine));
                return ControlFlow::Continue(());
            }
        };
        let Run { store: mut own, outcome, statistics: figures } = run;
        if let Outcome::Unknown(reason) = outcome {
            reasons.push(reason);
            return ControlFlow::Continue(());
        }
        match judge(&mut own, problem, options, stop, outcome) {
            Ok((verdict, checked)) => ControlFlow::Break((number, own, verdict, checked, figures)),
            Err(words) => {
                warnings.push(format!("instance {number} of {}: {words}", options.engine));
                ControlFlow::Continue(())
            }
        }
    });
    match won {
        Some((number, own, verdict, checked, figures)) => {
            *store = own;
            statistics.set("instances.winner", number as u64);
            statistics.merge_prefixed(options.engine.name(), &figures);
            (verdict, checked)
        }
        None => {
            let reason = if stop.is_stopped() { None } else { reasons.pop() };
            (Verdict::Unknown(reason.unwrap_or_else(|| "stopped".to_owned())), Checked::Nothing)
        }
    }
}

/// An instance, ready to run.
fn runner(
    store: &Store,
    problem: &Shared<'_>,
    options: &SolveOptions,
    hub: &Hub,
    number: usize,
) -> Runner<Run> {
    let mut store = store.clone();
    let preprocessed = Arc::clone(&problem.preprocessed);
    let mut engine_options = options.engine_options;
    engine_options.instance += number;
    let name = options.engine;
    let (seed, witness) = (options.seed.wrapping_add(number as u64), options.witness);
    let seat = (!options.share.is_none()).then(|| hub.seat(number));
    let port = seat.map(|seat| HubPort::new(seat, number as u64, options.share));
    Box::new(move |token: &StopToken| {
        let mut member = Member { port };
        let mut engine = name.make(&engine_options);
        let mut context = Context {
            budget: Budget::until(token.clone()),
            seed,
            witness,
            events: &mut member,
            statistics: Statistics::new(),
        };
        let outcome = engine.solve(&mut store, &preprocessed.graph, &mut context);
        let mut statistics = context.statistics;
        if let Some(port) = &member.port {
            let counters = port.counters();
            statistics.add("port.sent", counters.sent);
            statistics.add("port.received", counters.received);
            statistics.add("port.foreign", counters.foreign);
            statistics.add("port.unreadable", counters.unreadable);
        }
        Run { store, outcome, statistics }
    })
}

/// Validates a verdict: by the certificate of the engine if that is all there has to be, and otherwise by the witness.
fn judge(
    store: &mut Store,
    problem: &Shared<'_>,
    options: &SolveOptions,
    stop: &StopToken,
    outcome: GraphVerdict,
) -> Result<(Verdict, Checked), String> {
    let certified = matches!(&outcome, Outcome::Safe(Proven { certificate: Some(_), .. }));
    let options = SolveOptions { validate: true, witness: options.witness || !certified, ..options.clone() };
    let mut checked = Checked::Nothing;
    let preprocessed = &*problem.preprocessed;
    let mut later =
        Later { store, system: problem.system, preprocessed, options: &options, stop, checked: &mut checked };
    let verdict = later.verdict(outcome).map_err(|fault| fault.to_string())?;
    match (checked, &verdict) {
        (Checked::Nothing, Verdict::Sat(Witness::Missing(reason)) | Verdict::Unsat(Witness::Missing(reason))) => {
            Err(format!("the verdict could not be checked: {reason}"))
        }
        (Checked::Nothing, _) => Err("the verdict could not be checked".to_owned()),
        _ => Ok((verdict, checked)),
    }
}
