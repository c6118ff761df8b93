//! What happens while a system is decided, for the user.

use std::io::Write;
use std::sync::Arc;

use shem_base::Meter;
use shem_decide::{Exchanged, Milestone, Observer, QueryFolder, Running};
use shem_engine::{Events, Progress};
use shem_report::Timeline;
use shem_smt::Recorder;
use shem_transform::Preprocessed;

use crate::watchdog::Watchdog;

/// Listens to a decision: progress goes to the watchdog, queries to files, warnings to standard error.
pub(super) struct Listener<'a> {
    pub(super) watchdog: &'a Watchdog,
    pub(super) queries: Option<&'a mut QueryFolder>,
    pub(super) err: &'a mut dyn Write,
    /// What happens when, if there is to be a report.
    pub(super) timeline: Option<&'a mut Timeline>,
}

impl Observer for Listener<'_> {
    fn engine(&mut self, name: &'static str) {
        self.watchdog.set_engine(name);
    }

    fn prepared(&mut self, preprocessed: &Arc<Preprocessed>) {
        if let Some(timeline) = &mut self.timeline {
            timeline.prepared(preprocessed);
        }
    }

    fn entered(&mut self, member: usize, name: &str) {
        if let Some(timeline) = &mut self.timeline {
            timeline.entered(member, name);
        }
    }

    fn milestone(&mut self, name: &str, what: Milestone<'_>) {
        if let Some(timeline) = &mut self.timeline {
            timeline.milestone(name, what);
        }
    }

    fn exchanged(&mut self, exchanged: &Exchanged) {
        if let Some(timeline) = &mut self.timeline {
            timeline.exchanged(exchanged);
        }
    }

    fn team(&mut self, team: &[Running]) {
        for Running { engine, progress, .. } in team.iter().filter(|member| member.has_turn) {
            log::trace!("{engine}: depth {}, lemmas {}", progress.depth, progress.lemmas);
        }
        self.watchdog.set_team(team);
        if let Some(timeline) = &mut self.timeline {
            timeline.team(team);
        }
    }

    fn queries_of(&mut self, part: &str) -> Option<QueryFolder> {
        self.queries.as_ref()?.part(part)
    }

    fn warning(&mut self, words: &str) {
        self.watchdog.clear_progress();
        let _ = writeln!(self.err, "shem: warning: {words}");
    }
}

impl Events for Listener<'_> {
    fn progress(&mut self, progress: Progress) {
        log::trace!("depth {}, lemmas {}", progress.depth, progress.lemmas);
        self.watchdog.set_progress(progress);
    }

    fn metered(&mut self, meter: &Meter) {
        self.watchdog.set_meter(meter);
    }

    fn recorder(&mut self) -> Option<Recorder> {
        self.queries.as_mut()?.recorder()
    }
}
