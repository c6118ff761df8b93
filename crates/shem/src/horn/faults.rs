//! What ends a session before its script does: limits, and mistakes of ours.

use std::io::Write;

use shem_decide::Fault;
use shem_script::conversation::Halt;

use super::session::Session;

/// The exit code after a mistake of ours.
const INTERNAL: u8 = 2;

impl Session<'_> {
    /// Reading was stopped by a limit or a signal before anything was answered: the answer is unknown.
    pub(super) fn stopped(&mut self) -> Halt {
        let Some(cause) = self.watchdog.end() else { return Halt::Code(0) };
        if self.options.json {
            self.record.answers.push(serde_json::json!({ "answer": "unknown", "reason": cause.to_string() }));
        } else {
            let _ = writeln!(self.talk.out, "unknown");
        }
        let _ = self.talk.out.flush();
        let _ = writeln!(self.talk.err, "shem: unknown: {cause}");
        Halt::Code(0)
    }

    /// A mistake of ours.
    pub(super) fn withhold(&mut self, fault: &Fault) -> Halt {
        self.talk.refuse(&fault.to_string(), &format!("{fault}; the answer is withheld"));
        Halt::Code(INTERNAL)
    }
}
