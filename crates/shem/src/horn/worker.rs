//! A worker of a portfolio: one engine on one check, whose report goes to the process that started it.
//!
//! It is the same run as any other with one engine, except for what is written: the verdict as soon as the engine
//! has it, then the witness as it is, since whoever started the worker judges it anyway.

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use shem_base::StopToken;
use shem_chc::System;
use shem_engine::{Events, Progress};
use shem_portfolio::report::{ReportWriter, Subject, Word};
use shem_smt::Recorder;
use shem_term::Store;

use super::answer::{Answer, Verdict, Witness};
use super::decide::{Listener, Purpose, decide};
use super::dump::Folder;
use super::options::SolveOptions;
use crate::guard::{Cause, Guard};

/// Between two messages on progress.
const REFRESH: Duration = Duration::from_millis(200);

/// What is written if the program has to be ended.
pub(super) fn last_report(cause: &Cause) -> String {
    format!("failure {cause}\n")
}

/// Tells of the search in the report.
struct Teller<'a, W: Write> {
    report: ReportWriter<W>,
    folder: Option<&'a mut Folder>,
    told: Instant,
}

impl<W: Write> Events for Teller<'_, W> {
    fn progress(&mut self, progress: Progress) {
        let now = Instant::now();
        if now - self.told >= REFRESH {
            self.told = now;
            // Nobody is left to be told if this fails, and then this process is about to end.
            let _ = self.report.progress(progress.depth, progress.lemmas);
        }
    }

    fn recorder(&mut self) -> Option<Recorder> {
        self.folder.as_mut()?.recorder()
    }
}

impl<W: Write> Listener for Teller<'_, W> {
    fn claimed(&mut self, safe: bool) {
        let _ = self.report.claim(if safe { Word::Sat } else { Word::Unsat });
    }

    fn certified(&mut self) {
        let _ = self.report.certificate();
    }
}

/// Decides the system and reports.
pub(super) fn report(
    store: &mut Store,
    system: &Arc<System>,
    solve: &SolveOptions,
    subject: Subject,
    (guard, token): (&Guard, &StopToken),
    folder: Option<&mut Folder>,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let report = ReportWriter::begin(out, subject)?;
    let mut teller = Teller { report, folder, told: Instant::now() };
    let result = decide(store, system, solve, Purpose::Report, token, &mut teller);
    let cause = guard.end();
    crate::memory::answered();
    let mut report = teller.report;
    let Answer { verdict, engine, statistics, .. } = match result {
        Ok(answer) => answer,
        Err(fault) => return report.failure(&fault.to_string()),
    };
    if let (Some(cause), Verdict::Unknown(_)) = (cause, &verdict) {
        return report.failure(&cause.to_string());
    }
    report.engine(engine)?;
    report.statistics(&statistics)?;
    let word = match &verdict {
        Verdict::Unknown(reason) => return report.unknown(reason),
        Verdict::Sat(witness) => {
            if let Witness::Found(model) = witness {
                report.model(store, system, model)?;
            }
            Word::Sat
        }
        Verdict::Unsat(witness) => {
            if let Witness::Found(derivation) = witness {
                report.derivation(derivation)?;
            }
            Word::Unsat
        }
    };
    if let Some(reason) = verdict.missing() {
        report.missing(reason)?;
    }
    report.verdict(word)
}
