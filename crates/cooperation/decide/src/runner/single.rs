//! One engine, in the thread of the caller and on its store.

use std::sync::Arc;
use std::task::Poll;
use std::time::Instant;

use shem_base::{Budget, Meter, Statistics, StopToken, work_done};
use shem_chc::{Graph, System};
use shem_engine::{Context, EngineChoice, Verdict};
use shem_term::Store;

use super::{Ending, Event, Runner};
use crate::answer::Status;
use crate::evidence::Claim;
use crate::judge::Accepted;
use crate::observer::Observer;
use crate::prepare::{Prepared, Variant};

/// Runs one engine.
pub struct Single {
    /// The engine, until it has run.
    pub engine: Option<EngineChoice>,
    /// The graph, with the way back.
    pub variant: Arc<Variant>,
    /// The seed of everything random.
    pub seed: u64,
    /// Whether a witness is wanted.
    pub witness: bool,
    /// Whether queries are timed. Counts of queries by their times differ from run to run.
    pub timed: bool,
    /// Ends the engine.
    pub stop: StopToken,
}

/// Runs an engine on a graph in this thread; gives what it has come to, and figures.
pub(crate) fn run_engine(
    store: &mut Store,
    graph: &Graph,
    choice: &EngineChoice,
    (seed, witness, timed): (u64, bool, bool),
    stop: &StopToken,
    observer: &mut dyn Observer,
) -> (Verdict, Statistics) {
    let mut engine = choice.make();
    let (since, before) = (Instant::now(), work_done());
    let meter = Meter::new(move || match timed {
        true => u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX),
        false => 0,
    });
    observer.metered(&meter);
    let budget = Budget { meter: meter.clone(), ..Budget::until(stop.clone()) };
    let mut context = Context { budget, seed, witness, events: observer, statistics: Statistics::new() };
    let outcome = engine.solve(store, graph, &mut context);
    let mut statistics = Statistics::new();
    statistics.merge_prefixed(engine.name(), &context.statistics);
    let work = meter.read().statistics(since.elapsed().as_secs_f64());
    statistics.merge_prefixed(&format!("{}.smt", engine.name()), &work);
    statistics.add("work", work_done().wrapping_sub(before));
    statistics.set("time.engine", since.elapsed().as_secs_f64());
    (outcome, statistics)
}

impl Runner for Single {
    fn next(&mut self, store: &mut Store, _: &mut Prepared, observer: &mut dyn Observer) -> Event {
        let Some(choice) = self.engine.take() else { return Event::Over };
        let how = (self.seed, self.witness, self.timed);
        let (outcome, statistics) =
            run_engine(store, self.variant.graph(), &choice, how, &self.stop, observer);
        let author = (0, choice.name().to_owned(), choice.name());
        Event::of(author, None, Arc::clone(&self.variant), outcome, statistics)
    }

    fn size(&self) -> usize {
        1
    }

    fn reject(&mut self, _: usize) {}

    fn opposition(&mut self, _: Status, _: bool) -> Poll<Option<Claim>> {
        Poll::Ready(None)
    }

    fn finish(&mut self, _: &mut Store, _: &System, _: Option<&Accepted>) -> Ending {
        Ending::default()
    }
}
