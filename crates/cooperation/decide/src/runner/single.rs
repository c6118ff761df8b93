//! One engine, in the thread of the caller and on its store.

use std::sync::Arc;
use std::time::Instant;

use shem_base::{Budget, Meter, Statistics, StopToken, work_done};
use shem_engine::{Context, EngineChoice};
use shem_term::Store;
use shem_transform::Preprocessed;

use super::{Event, Runner};
use crate::observer::Observer;

/// Runs one engine.
pub struct Single {
    /// The engine, until it has run.
    pub engine: Option<EngineChoice>,
    /// The graph, with the way back.
    pub preprocessed: Arc<Preprocessed>,
    /// The seed of everything random.
    pub seed: u64,
    /// Whether a witness is wanted.
    pub witness: bool,
    /// Whether queries are timed. Counts of queries by their times differ from run to run.
    pub timed: bool,
    /// Ends the engine.
    pub stop: StopToken,
}

impl Runner for Single {
    fn next(&mut self, store: &mut Store, observer: &mut dyn Observer) -> Event {
        let Some(choice) = self.engine.take() else { return Event::Over };
        let mut engine = choice.make();
        let (since, before) = (Instant::now(), work_done());
        let timed = self.timed;
        let meter = Meter::new(move || match timed {
            true => u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX),
            false => 0,
        });
        observer.metered(&meter);
        let budget = Budget { meter: meter.clone(), ..Budget::until(self.stop.clone()) };
        let (seed, witness) = (self.seed, self.witness);
        let mut context = Context { budget, seed, witness, events: observer, statistics: Statistics::new() };
        let outcome = engine.solve(store, &self.preprocessed.graph, &mut context);
        let mut statistics = Statistics::new();
        statistics.merge_prefixed(engine.name(), &context.statistics);
        let work = meter.read().statistics(since.elapsed().as_secs_f64());
        statistics.merge_prefixed(&format!("{}.smt", engine.name()), &work);
        statistics.add("work", work_done().wrapping_sub(before));
        statistics.set("time.engine", since.elapsed().as_secs_f64());
        let author = (0, engine.name().to_owned(), engine.name());
        Event::of(author, None, Arc::clone(&self.preprocessed), outcome, statistics)
    }

    fn size(&self) -> usize {
        1
    }
}
