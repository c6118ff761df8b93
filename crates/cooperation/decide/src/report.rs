//! What a worker tells: a report, one JSON value a line.
//!
//! A worker is another process and may be broken, so its report is read under limits and believed in nothing that can
//! be judged: the witness is checked by the process that receives it, on the system that it has read itself. The lines
//! are those of [`Line`], the first one says what the report is about and the last one is a verdict, *unknown* or a
//! failure. In between there are messages of the exchange, which are passed on unread. A person can read all of it:
//!
//! ```text
//! {"report":{"version":4,"subject":{"bytes":1234,"hash":77,"check":1}}}
//! {"progress":{"depth":7,"lemmas":12}}
//! {"shem-exchange":2,…}
//! {"taken":[[4711,3]]}
//! {"claim":"sat"}
//! {"certificate":"loop\n…"}
//! {"verdict":{"status":"sat","engine":"spacer","statistics":{"spacer.lemmas":12},"witness":{"Ok":{"model":…}}}}
//! ```

use std::collections::BTreeMap;
use std::hash::Hasher;
use std::io::{self, BufRead, Read, Write};
use std::sync::Arc;

use rustc_hash::FxHasher;
use serde::{Deserialize, Serialize};
use serde_json::Number;
use shem_base::{Statistic, Statistics};
use shem_engine::Progress;
use shem_exchange::{MAX_LINE_BYTES, PREFIX, SentWitness, WireError, WitnessLimits, WitnessText, malformed};
use thiserror::Error;

use crate::answer::Status;
use crate::evidence::Findings;

#[cfg(test)]
mod tests;

/// The version of the form.
const VERSION: u64 = 4;
/// The most bytes of a report without messages that are passed on: a larger witness could not be checked.
const MAX_BYTES: u64 = 1 << 30;
/// How the lines with witness and certificate begin.
const LONG: [&[u8]; 2] = [b"{\"verdict\":", b"{\"certificate\":"];

/// A check of a text. A worker that was given another text, whatever the reason, is not to be believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subject {
    bytes: u64,
    hash: u64,
    /// The number of the check, from 1.
    check: u64,
}

impl Subject {
    /// The check of this number, from 1, in this text.
    pub fn new(text: &[u8], check: u64) -> Subject {
        // The hash is for mistakes, not for attacks: the worker is our own program, with the same hash function.
        let mut hasher = FxHasher::default();
        hasher.write(text);
        Subject { bytes: text.len() as u64, hash: hasher.finish(), check }
    }
}

/// A line of a report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Line {
    /// The first line.
    Report {
        /// The version of the form.
        version: u64,
        /// What the report is about.
        subject: Subject,
    },
    /// Where the engine is; any number of times.
    Progress {
        /// The depth.
        depth: u64,
        /// The number of lemmas.
        lemmas: u64,
    },
    /// How much of what others have learnt was of use so far, by the process that has sent it, if that is known; any
    /// number of times.
    Taken(Vec<(Option<u64>, u64)>),
    /// The engine has decided; its evidence is being prepared.
    Claim(Status),
    /// The certificate of the engine, after a claim that the clauses have a model.
    Certificate(Box<str>),
    /// The end: the engine has decided.
    Verdict {
        /// What it says.
        status: Status,
        /// The name of the engine, or of the passes.
        engine: String,
        /// The worker's figures.
        statistics: BTreeMap<String, Number>,
        /// The witness, or why there is none.
        witness: Result<WitnessText, String>,
    },
    /// The end: the engine gave up, for this reason.
    Unknown(String),
    /// The end: something is wrong with the worker, or it is out of its share of memory.
    Failure(String),
}

impl Line {
    /// The line as it is written, with its end.
    pub fn text(&self) -> String {
        // Strings, numbers and lists of them are always written.
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }

    /// The verdict of an engine.
    pub fn verdict(
        status: Status,
        engine: &str,
        statistics: &Statistics,
        witness: Result<SentWitness, String>,
    ) -> Line {
        let number = |figure| match figure {
            Statistic::Count(count) => Some(Number::from(count)),
            Statistic::Measure(measure) => Number::from_f64(measure),
        };
        let figures = statistics.iter().filter_map(|(name, figure)| Some((name.to_owned(), number(figure)?)));
        let witness = witness.as_ref().map(WitnessText::from).map_err(String::clone);
        Line::Verdict { status, engine: engine.to_owned(), statistics: figures.collect(), witness }
    }
}

/// Writes a report.
pub struct ReportWriter<W: Write> {
    out: W,
}

impl<W: Write> ReportWriter<W> {
    /// Begins a report about this.
    pub fn begin(out: W, subject: Subject) -> io::Result<ReportWriter<W>> {
        let mut writer = ReportWriter { out };
        writer.write(&Line::Report { version: VERSION, subject })?;
        Ok(writer)
    }

    /// Writes a line and flushes it, since the reader may be waiting for it.
    pub fn write(&mut self, line: &Line) -> io::Result<()> {
        self.out.write_all(line.text().as_bytes())?;
        self.out.flush()
    }
}

/// Something new in a report. The last three end it.
#[derive(Clone, Debug, PartialEq)]
pub enum Signal {
    /// How far the engine is.
    Progress(Progress),
    /// Something learnt that others may use: a message of the exchange, unread.
    Note(String),
    /// How much of what others have learnt was of use so far, by the process that has sent it, if that is known.
    Taken(Vec<(Option<u64>, u64)>),
    /// The engine has decided, and its evidence is to come.
    Claim(Status),
    /// The certificate of the engine; a witness may follow.
    Certificate(Arc<str>),
    /// The engine has decided, with this evidence and these figures.
    Verdict(Status, Findings, Statistics),
    /// The engine gave up, for this reason.
    Unknown(String),
    /// The worker is broken or out of its share of memory; or its report is not to be understood.
    Failure(String),
}

/// Why a report is not to be understood.
#[derive(Debug, Error)]
enum ReportError {
    #[error("its report cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    #[error("its report is too large")]
    TooLarge,
    #[error("its report is malformed: {0}")]
    Malformed(WireError),
    #[error("its report is of version {0}, not {VERSION}")]
    Version(u64),
    #[error("its report is about another text or check")]
    OtherSubject,
    #[error("a line of its report is in the wrong place")]
    Misplaced,
    #[error("its verdict is not what it claimed")]
    OtherVerdict,
    #[error("its witness does not fit its verdict")]
    OtherWitness,
    #[error("its witness cannot be read: {0}")]
    Witness(WireError),
}

/// Reads the report of one worker. Memory is used only for bytes that have come.
pub struct ReportReader<R> {
    input: R,
    subject: Subject,
    /// How many bytes may still come.
    left: u64,
    begun: bool,
    claim: Option<Status>,
    certificate: Option<Arc<str>>,
}

impl<R: BufRead> ReportReader<R> {
    /// Reads from the input; the report must be about the subject.
    pub fn new(input: R, subject: Subject) -> ReportReader<R> {
        ReportReader { input, subject, left: MAX_BYTES, begun: false, claim: None, certificate: None }
    }

    /// Waits for what comes next. `None` if the worker ended without finishing its report.
    pub fn next_signal(&mut self) -> Option<Signal> {
        loop {
            match self.line().and_then(|line| line.map(|line| self.signal(&line)).transpose()) {
                Ok(None) => return None,
                Ok(Some(None)) => {}
                Ok(Some(signal)) => return signal,
                Err(error) => return Some(Signal::Failure(error.to_string())),
            }
        }
    }

    /// The next line without its end. A line that is cut off by the end of the input is none.
    fn line(&mut self) -> Result<Option<Vec<u8>>, ReportError> {
        let mut line = Vec::new();
        let mut limit = self.left.min(MAX_LINE_BYTES as u64 + 1);
        (&mut self.input).take(limit).read_until(b'\n', &mut line)?;
        // Only a witness or a certificate may be longer.
        if LONG.iter().any(|long| line.starts_with(long)) && !line.ends_with(b"\n") {
            limit = self.left;
            (&mut self.input).take(limit - line.len() as u64).read_until(b'\n', &mut line)?;
        }
        let count = line.len() as u64;
        if line.pop() == Some(b'\n') {
            // What is passed on is not kept; how fast it comes is limited by the caller.
            self.left -= if line.starts_with(PREFIX.as_bytes()) { 0 } else { count };
            return Ok(Some(line));
        }
        if count == limit { Err(ReportError::TooLarge) } else { Ok(None) }
    }

    /// What is new in a line; in the first one, nothing.
    fn signal(&mut self, line: &[u8]) -> Result<Option<Signal>, ReportError> {
        if self.begun && line.starts_with(PREFIX.as_bytes()) {
            return Ok(Some(Signal::Note(String::from_utf8_lossy(line).into_owned())));
        }
        let line = serde_json::from_slice(line).map_err(|error| ReportError::Malformed(malformed(&error)))?;
        Ok(Some(match line {
            Line::Report { version, subject } if !self.begun => {
                if version != VERSION {
                    return Err(ReportError::Version(version));
                }
                if subject != self.subject {
                    return Err(ReportError::OtherSubject);
                }
                self.begun = true;
                return Ok(None);
            }
            Line::Report { .. } => return Err(ReportError::Misplaced),
            // A worker that fails while it reads the problem has not begun.
            Line::Failure(reason) => Signal::Failure(reason),
            _ if !self.begun => return Err(ReportError::Misplaced),
            Line::Progress { depth, lemmas } => Signal::Progress(Progress { depth, lemmas }),
            Line::Taken(count) => Signal::Taken(count),
            Line::Claim(status) if self.claim.is_none() => {
                self.claim = Some(status);
                Signal::Claim(status)
            }
            Line::Certificate(text) if self.claim == Some(Status::Sat) && self.certificate.is_none() => {
                let text: Arc<str> = text.into();
                self.certificate = Some(Arc::clone(&text));
                Signal::Certificate(text)
            }
            Line::Claim(_) | Line::Certificate(_) => return Err(ReportError::Misplaced),
            Line::Verdict { status, statistics, witness, .. } => {
                let findings = self.findings(status, witness)?;
                Signal::Verdict(status, findings, figures(&statistics))
            }
            Line::Unknown(reason) => Signal::Unknown(reason),
        }))
    }

    fn findings(
        &self,
        status: Status,
        witness: Result<WitnessText, String>,
    ) -> Result<Findings, ReportError> {
        if self.claim.is_some_and(|claim| claim != status) {
            return Err(ReportError::OtherVerdict);
        }
        let witness = match (status, witness) {
            (_, Err(reason)) => Err(reason),
            (Status::Sat, Ok(text @ WitnessText::Model(_)))
            | (Status::Unsat, Ok(text @ (WitnessText::Derivation(_) | WitnessText::Repeating(_)))) => {
                Ok(text.read(WitnessLimits::WORKER).map_err(ReportError::Witness)?)
            }
            (_, Ok(_)) => return Err(ReportError::OtherWitness),
        };
        Ok(Findings { witness, certificate: self.certificate.clone() })
    }
}

/// The figures of a worker.
fn figures(numbers: &BTreeMap<String, Number>) -> Statistics {
    let mut statistics = Statistics::new();
    for (name, number) in numbers {
        let measure = || Statistic::Measure(number.as_f64().unwrap_or_default());
        statistics.set(name, number.as_u64().map_or_else(measure, Statistic::Count));
    }
    statistics
}
