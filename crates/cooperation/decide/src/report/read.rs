//! The receiver's side: a report as it is read, under limits.
//!
//! [`Reports`] takes lines as they come from the pipe and says what is new. It keeps nothing of a line that it
//! does not need, a line may not be longer nor the whole report larger than the limits say, and numbers that
//! announce sizes reserve nothing: memory is used only for bytes that have come.

use std::io::{self, BufRead};

use shem_base::{Statistic, Statistics};
use shem_chc::Derivation;
use shem_exchange::{WireError, WitnessLimits, read_definition, read_step};

use super::{HEADER, Subject};
use crate::answer::Word;
use crate::evidence::{Remote, RemoteWitness};

/// The most bytes of a report: beyond that no witness is worth having.
const MOST_BYTES: u64 = 1 << 30;
/// The most figures.
const MOST_FIGURES: usize = 10_000;
/// The longest line outside of a witness.
pub const LONGEST_LINE: usize = 100_000;

/// How messages of the exchange begin.
const NOTE: &str = "(shem-exchange";

/// A finished report.
#[derive(Clone, Debug, PartialEq)]
pub enum Report {
    /// The engine has decided.
    Verdict {
        /// What it says.
        word: Word,
        /// What is to show it.
        evidence: Remote,
        /// The name of the engine, or of the passes.
        engine: String,
        /// The worker's figures.
        statistics: Statistics,
    },
    /// The engine gave up, for this reason.
    Unknown(String),
    /// The worker is broken or out of its share of memory; or its report is not to be understood.
    Failure(String),
}

/// Something new in a report.
#[derive(Clone, Debug, PartialEq)]
pub enum Signal {
    /// The engine is at this depth with so many lemmas.
    Progress(u64, u64),
    /// Something learnt that others may use: a message of the exchange, unread.
    Note(String),
    /// So much of what others have learnt was of use.
    Taken(u64),
    /// The engine has decided, and its evidence is to come.
    Claim(Word),
    /// The worker has checked a certificate for its claim and accepted it; a witness may follow.
    Certified,
    /// The report is finished; nothing follows.
    End(Report),
}

/// Reads the report of one worker.
pub struct Reports<R> {
    input: R,
    subject: Subject,
    /// How many bytes may still come.
    left: u64,
    /// Lines read of the opening: the header, the input and the check.
    opening: usize,
    claim: Option<Word>,
    certified: bool,
    witness: Option<RemoteWitness>,
    engine: String,
    statistics: Statistics,
    figures: usize,
}

impl<R: BufRead> Reports<R> {
    /// Reads from the input; the report must be about the subject.
    pub fn new(input: R, subject: Subject) -> Reports<R> {
        Reports {
            input,
            subject,
            left: MOST_BYTES,
            opening: 0,
            claim: None,
            certified: false,
            witness: None,
            engine: String::new(),
            statistics: Statistics::new(),
            figures: 0,
        }
    }

    /// Waits for what comes next. `None` if the worker ended without finishing its report.
    pub fn next_signal(&mut self) -> Option<Signal> {
        loop {
            match self.advance() {
                Ok(Some(signal)) => return Some(signal),
                Ok(None) => {}
                Err(Stop::End) => return None,
                Err(Stop::Wrong(what)) => return Some(Signal::End(Report::Failure(what))),
            }
        }
    }

    /// Reads one line, or a witness.
    fn advance(&mut self) -> Result<Option<Signal>, Stop> {
        let line = self.line(LONGEST_LINE)?;
        if self.opening < 3 {
            self.open(&line)?;
            return Ok(None);
        }
        let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
        match word {
            NOTE => {
                // What is passed on is not kept; how fast it comes is limited by whoever reads.
                self.left = self.left.saturating_add(line.len() as u64 + 1);
                return Ok(Some(Signal::Note(line)));
            }
            "taken" => return Ok(Some(Signal::Taken(number(rest, &line)?))),
            "progress" => {
                let (depth, lemmas) = rest.split_once(' ').ok_or_else(|| wrong(&line))?;
                return Ok(Some(Signal::Progress(number(depth, &line)?, number(lemmas, &line)?)));
            }
            "claim" => {
                let claim = verdict(rest, &line)?;
                if self.claim.replace(claim).is_some() {
                    return Err(Stop::Wrong("a second claim".to_owned()));
                }
                return Ok(Some(Signal::Claim(claim)));
            }
            "engine" => self.engine = rest.to_owned(),
            "statistic" => self.figure(rest, &line)?,
            "model" => {
                let mut definitions = Vec::new();
                for _ in 0..number(rest, &line)? {
                    let text = self.definition()?;
                    let unreadable =
                        |error: WireError| Stop::Wrong(format!("its model cannot be read: {error}"));
                    definitions.push(read_definition(&text, WitnessLimits::WORKER).map_err(unreadable)?);
                }
                self.offer(RemoteWitness::Model(definitions))?;
            }
            "derivation" => {
                let mut derivation = Derivation::new();
                for _ in 0..number(rest, &line)? {
                    let step = self.line(usize::MAX)?;
                    read_step(&step, &mut derivation, WitnessLimits::WORKER).map_err(|error| {
                        Stop::Wrong(format!("a step that cannot be read: {error}: {}", shorten(&step)))
                    })?;
                }
                self.offer(RemoteWitness::Derivation(derivation))?;
            }
            "certificate" if self.claim.is_none() => {
                return Err(Stop::Wrong("a certificate before its claim".to_owned()));
            }
            "certificate" if self.certified => return Err(Stop::Wrong("two certificates".to_owned())),
            "certificate" => {
                self.certified = true;
                return Ok(Some(Signal::Certified));
            }
            "missing" => self.offer(RemoteWitness::Missing(rest.to_owned()))?,
            "verdict" => return self.close(verdict(rest, &line)?).map(Some),
            "unknown" => return Ok(Some(Signal::End(Report::Unknown(rest.to_owned())))),
            "failure" => return Ok(Some(Signal::End(Report::Failure(rest.to_owned())))),
            _ => return Err(wrong(&line)),
        }
        Ok(None)
    }

    /// The header, then what the report is about.
    fn open(&mut self, line: &str) -> Result<(), Stop> {
        let opening = format!("{HEADER}\n{}", self.subject);
        let expected = opening.lines().nth(self.opening).unwrap_or_default();
        if line != expected {
            return Err(Stop::Wrong(format!("its report says “{}”, not “{expected}”", shorten(line))));
        }
        self.opening += 1;
        Ok(())
    }

    fn offer(&mut self, witness: RemoteWitness) -> Result<(), Stop> {
        match self.witness.replace(witness) {
            None => Ok(()),
            Some(_) => Err(Stop::Wrong("two pieces of evidence".to_owned())),
        }
    }

    /// A definition: a line, unless the name of the predicate has line breaks.
    fn definition(&mut self) -> Result<String, Stop> {
        let bars = |line: &str| line.bytes().filter(|&byte| byte == b'|').count();
        let mut text = self.line(usize::MAX)?;
        let mut inside = bars(&text) % 2 == 1;
        while inside {
            let line = self.line(usize::MAX)?;
            inside ^= bars(&line) % 2 == 1;
            text.push('\n');
            text += &line;
        }
        Ok(text)
    }

    fn figure(&mut self, rest: &str, line: &str) -> Result<(), Stop> {
        self.figures += 1;
        if self.figures > MOST_FIGURES {
            return Err(Stop::Wrong("too many figures".to_owned()));
        }
        let (name, figure) = rest.split_once(' ').ok_or_else(|| wrong(line))?;
        let figure = match figure.parse::<u64>() {
            Ok(count) => Statistic::Count(count),
            Err(_) => Statistic::Measure(figure.parse().map_err(|_| wrong(line))?),
        };
        self.statistics.set(name, figure);
        Ok(())
    }

    fn close(&mut self, word: Word) -> Result<Signal, Stop> {
        if self.claim.is_some_and(|claim| claim != word) {
            return Err(Stop::Wrong("its verdict is not what it claimed".to_owned()));
        }
        let witness = match (word, self.witness.take()) {
            (Word::Sat, Some(RemoteWitness::Derivation(_)))
            | (Word::Unsat, Some(RemoteWitness::Model(_))) => {
                return Err(Stop::Wrong("its evidence does not fit its verdict".to_owned()));
            }
            (_, witness) => witness.unwrap_or_else(|| RemoteWitness::Missing("nothing was sent".to_owned())),
        };
        let evidence = Remote { certified: self.certified, witness };
        let engine = std::mem::take(&mut self.engine);
        let statistics = std::mem::take(&mut self.statistics);
        Ok(Signal::End(Report::Verdict { word, evidence, engine, statistics }))
    }

    /// The next line without its end. A line that is cut off by the end of the input is none.
    fn line(&mut self, longest: usize) -> Result<String, Stop> {
        let mut bytes = Vec::new();
        loop {
            let chunk = match self.input.fill_buf() {
                Ok(chunk) => chunk,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => return Err(Stop::End),
            };
            if chunk.is_empty() {
                return Err(Stop::End);
            }
            let end = chunk.iter().position(|&byte| byte == b'\n');
            let taken = end.unwrap_or(chunk.len());
            bytes.extend_from_slice(&chunk[..taken]);
            let used = end.map_or(taken, |end| end + 1);
            self.input.consume(used);
            self.left = self
                .left
                .checked_sub(used as u64)
                .ok_or_else(|| Stop::Wrong("its report is too large".to_owned()))?;
            if bytes.len() > longest {
                return Err(Stop::Wrong("a line of its report is too long".to_owned()));
            }
            if end.is_some() {
                return String::from_utf8(bytes).map_err(|_| Stop::Wrong("its report is no text".to_owned()));
            }
        }
    }
}

/// Why reading ends early.
enum Stop {
    /// The input is at its end.
    End,
    /// The report is not to be understood.
    Wrong(String),
}

fn wrong(line: &str) -> Stop {
    Stop::Wrong(format!("its report says “{}”", shorten(line)))
}

/// The beginning of a line, for messages.
fn shorten(line: &str) -> String {
    let mut characters = line.chars();
    let mut start: String = characters.by_ref().take(60).collect();
    if characters.next().is_some() {
        start.push('…');
    }
    start
}

fn number(text: &str, line: &str) -> Result<u64, Stop> {
    text.parse().map_err(|_| wrong(line))
}

fn verdict(text: &str, line: &str) -> Result<Word, Stop> {
    match text {
        "sat" => Ok(Word::Sat),
        "unsat" => Ok(Word::Unsat),
        _ => Err(wrong(line)),
    }
}
