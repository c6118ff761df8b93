//! What a worker is told to do, as the words of its command line: how they are written, and how they are read.
//!
//! Words that are not known here belong to the [`Entry`]: an engine with its settings, as a user would type them.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use shem_chc::Fingerprint;
use shem_engine::Registry;
use shem_exchange::Share;

use crate::entry::Entry;
use crate::options::{Checking, SolveOptions};
use crate::reason::{Cause, MEGABYTE};

/// The first word of a worker's command line begins so; the number of the process that has started it follows.
const WORKER: &str = "--worker=";

/// What a worker is told to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The process that has started the worker.
    pub parent: u32,
    /// The engine, with its settings, and a seed if they name one.
    pub entry: Entry,
    /// The length of the graph on standard input, in bytes; lemmas of other workers follow it.
    pub graph_bytes: u64,
    /// What is shared with other workers, and the graph that lemmas are about, if there is an exchange.
    pub exchange: Option<(Share, Fingerprint)>,
    /// The megabytes of memory that the worker may use, and those of all together, for messages.
    pub memory: Option<(usize, usize)>,
    /// Where queries are written.
    pub queries: Option<PathBuf>,
    /// Whether the witness is part of the answer.
    pub witness: bool,
    /// How much is checked.
    pub checking: Checking,
    /// How long building a witness may take, once the verdict is known.
    pub witness_budget: Duration,
    /// The time for the verdict alone.
    pub verdict_time: Option<Duration>,
    /// When the worker is going to be stopped.
    pub time_limit: Option<Duration>,
}

impl Assignment {
    /// An entry for a process that this one starts.
    pub fn new(entry: Entry, options: &SolveOptions) -> Assignment {
        Assignment {
            parent: std::process::id(),
            entry,
            graph_bytes: 0,
            exchange: None,
            memory: None,
            queries: None,
            witness: options.witness,
            checking: options.checking,
            witness_budget: options.witness_budget,
            verdict_time: options.verdict_time,
            time_limit: options.time_limit,
        }
    }

    /// The words that say so; [`parse`](Assignment::parse) reads them.
    pub fn words(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> = Vec::new();
        let mut write = |name: &str, value: String| words.push(format!("{name}{value}").into());
        write(WORKER, self.parent.to_string());
        write("--graph-bytes=", self.graph_bytes.to_string());
        write("--compute-witness=", (if self.witness { "yes" } else { "no" }).to_owned());
        write("--witness-budget=", seconds(self.witness_budget));
        match self.checking {
            Checking::Trust => write("--trust", String::new()),
            Checking::Share => {}
            Checking::Require => write("--validate", String::new()),
        }
        if let Some((share, about)) = self.exchange {
            write("--share=", share.to_string());
            write("--about=", about.to_string());
        }
        if let Some((own, all)) = self.memory {
            write("--memory=", own.to_string());
            write("--memory-of-all=", all.to_string());
        }
        self.verdict_time.into_iter().for_each(|time| write("--verdict-timeout=", seconds(time)));
        self.time_limit.into_iter().for_each(|time| write("--time-left=", seconds(time)));
        if let Some(folder) = &self.queries {
            words.extend(["--dump-queries".into(), folder.into()]);
        }
        words.extend(self.entry.words().map(OsString::from));
        words
    }

    /// Whether a command line is that of a worker.
    pub fn is_one(words: &[OsString]) -> bool {
        words.first().is_some_and(|word| word.to_string_lossy().starts_with(WORKER))
    }

    /// What the words of a worker's command line say; the error says which of them cannot be read.
    pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Assignment, String> {
        let mut words = words.into_iter();
        let (mut parent, mut engine, mut settings) = (None, None, Vec::new());
        let (mut share, mut about, mut memory, mut memory_of_all) = (None, None, None, None);
        let mut read = Assignment::new(Entry::new("", []), &SolveOptions::default());
        while let Some(word) = words.next() {
            let text = text_of(&word)?;
            let (name, value) = match text.split_once('=') {
                Some((name, value)) => (name, value),
                None => (text, ""),
            };
            match name {
                "--worker" => parent = Some(number(text, value)?),
                "--graph-bytes" => read.graph_bytes = number(text, value)?,
                "--compute-witness" => read.witness = value == "yes",
                "--witness-budget" => read.witness_budget = time(text, value)?,
                "--trust" => read.checking = Checking::Trust,
                "--validate" => read.checking = Checking::Require,
                "--share" => share = Some(value.parse::<Share>()?),
                "--about" => about = Some(value.parse::<Fingerprint>().map_err(|()| unreadable(text))?),
                "--memory" => memory = Some(number(text, value)?),
                "--memory-of-all" => memory_of_all = Some(number(text, value)?),
                "--verdict-timeout" => read.verdict_time = Some(time(text, value)?),
                "--time-left" => read.time_limit = Some(time(text, value)?),
                "--dump-queries" => read.queries = words.next().map(PathBuf::from),
                "-e" => engine = words.next().map(|word| text_of(&word).map(str::to_owned)).transpose()?,
                _ => settings.push(text.to_owned()),
            }
        }
        read.parent = parent.ok_or("a worker needs the number of the process that has started it")?;
        read.entry = Entry::new(engine.ok_or("a worker needs an engine")?, settings);
        read.exchange = share.zip(about);
        read.memory = memory.map(|own| (own, memory_of_all.unwrap_or(own)));
        Ok(read)
    }

    /// How the worker decides, with one of these engines; the error says what is wrong with the entry.
    pub(crate) fn solve_options(&self, registry: &Registry) -> Result<SolveOptions, String> {
        let options = SolveOptions {
            witness: self.witness,
            checking: self.checking,
            witness_budget: self.witness_budget,
            verdict_time: self.verdict_time,
            time_limit: self.time_limit,
            ..SolveOptions::default()
        };
        self.entry.options(registry, &options)
    }

    /// The limit of memory in bytes, and what is told when it is reached: people know the limit that they have set.
    pub(crate) fn memory_limit(&self) -> Option<(usize, Cause)> {
        let bytes = |megabytes: usize| megabytes.saturating_mul(MEGABYTE);
        self.memory.map(|(own, all)| (bytes(own), Cause::MemoryShare(bytes(all))))
    }
}

/// A time as it is written.
fn seconds(time: Duration) -> String {
    time.as_secs_f64().to_string()
}

fn text_of(word: &OsStr) -> Result<&str, String> {
    word.to_str().ok_or_else(|| unreadable(&word.to_string_lossy()))
}

fn unreadable(word: &str) -> String {
    format!("{word} cannot be read")
}

fn number<N: FromStr>(word: &str, value: &str) -> Result<N, String> {
    value.parse().map_err(|_| unreadable(word))
}

fn time(word: &str, value: &str) -> Result<Duration, String> {
    Duration::try_from_secs_f64(number(word, value)?).map_err(|_| unreadable(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let about = "h00000000000000000000000000000abc".parse().expect("a fingerprint");
        let settings = ["--spacer.clauses=no", "--force-ts", "--seed=3", "--disable-pass=slice"];
        let entry = Entry::new("spacer", settings.map(str::to_owned));
        let plain = Assignment::new(entry, &SolveOptions::default());
        let all = Assignment {
            parent: 77,
            graph_bytes: 50,
            exchange: Some((Share { reach: true, ..Share::INVARIANTS }, about)),
            memory: Some((400, 2000)),
            queries: Some("a folder/with = and -e".into()),
            witness: !plain.witness,
            checking: Checking::Require,
            witness_budget: Duration::from_micros(1_234_567),
            verdict_time: Some(Duration::from_millis(1)),
            time_limit: Some(Duration::from_secs(86_400)),
            ..plain.clone()
        };
        let trusting = Assignment { checking: Checking::Trust, ..plain.clone() };
        for assignment in [plain, all, trusting] {
            let words = assignment.words();
            assert!(Assignment::is_one(&words));
            assert_eq!(Assignment::parse(words), Ok(assignment));
        }
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        for (line, words) in [
            ("-e bmc", "a worker needs the number of the process that has started it"),
            ("--worker=7", "a worker needs an engine"),
            ("--worker=x -e bmc", "--worker=x cannot be read"),
            ("--worker=7 -e bmc --about=h1", "--about=h1 cannot be read"),
            ("--worker=7 -e bmc --time-left=-1", "--time-left=-1 cannot be read"),
        ] {
            let read = Assignment::parse(line.split(' ').map(OsString::from));
            assert_eq!(read, Err(words.to_owned()), "{line}");
        }
    }
}
