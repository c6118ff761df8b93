//! What happens while a system is decided, for the user.

use std::io::Write;

use shem_base::Meter;
use shem_decide::{Observer, QueryFolder, Running};
use shem_engine::{Events, Progress};
use shem_smt::Recorder;

use crate::watchdog::Watchdog;

/// Listens to a decision: progress goes to the watchdog, queries to files, warnings to standard error.
pub(super) struct Listener<'a> {
    pub(super) watchdog: &'a Watchdog,
    pub(super) queries: Option<&'a mut QueryFolder>,
    pub(super) err: &'a mut dyn Write,
}

impl Observer for Listener<'_> {
    fn engine(&mut self, name: &'static str) {
        self.watchdog.set_engine(name);
    }

    fn team(&mut self, team: &[Running]) {
        for Running { engine, progress, .. } in team.iter().filter(|member| member.has_turn) {
            log::trace!("{engine}: depth {}, lemmas {}", progress.depth, progress.lemmas);
        }
        self.watchdog.set_team(team);
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
