//! What happens while a system is decided, for the user.

use std::io::Write;

use shem_base::Meter;
use shem_decide::{Observer, QueryFolder};
use shem_engine::{Events, Progress};
use shem_smt::Recorder;

use crate::guard::Guard;

/// Listens to a decision: progress goes to the guard, queries to files, warnings to standard error.
pub(super) struct Listener<'a> {
    pub(super) guard: &'a Guard,
    pub(super) queries: Option<&'a mut QueryFolder>,
    pub(super) err: &'a mut dyn Write,
}

impl Observer for Listener<'_> {
    fn engine(&mut self, name: &'static str) {
        self.guard.set_engine(name);
    }

    fn queries_of(&mut self, part: &str) -> Option<QueryFolder> {
        self.queries.as_ref()?.part(part)
    }

    fn warning(&mut self, words: &str) {
        self.guard.clear_progress();
        let _ = writeln!(self.err, "shem: warning: {words}");
    }
}

impl Events for Listener<'_> {
    fn progress(&mut self, progress: Progress) {
        log::trace!("depth {}, lemmas {}", progress.depth, progress.lemmas);
        self.guard.set_progress(progress);
    }

    fn metered(&mut self, meter: &Meter) {
        self.guard.set_meter(meter);
    }

    fn recorder(&mut self) -> Option<Recorder> {
        self.queries.as_mut()?.recorder()
    }
}
