//! The worker's side: a report as it is written.

use std::io::{self, Write};

use shem_base::{Statistic, Statistics};
use shem_chc::{ClauseId, Derivation, Model, System};
use shem_exchange::{Formula, FormulaLimits, define, write_definition, write_step};
use shem_term::Store;

use super::{HEADER, Subject};
use crate::answer::Word;

/// Writes a report. Everything is flushed at once where somebody may be waiting for it.
pub struct ReportWriter<W: Write> {
    out: W,
}

impl<W: Write> ReportWriter<W> {
    /// Begins a report about this.
    pub fn begin(mut out: W, subject: Subject) -> io::Result<ReportWriter<W>> {
        writeln!(out, "{HEADER}\n{subject}")?;
        out.flush()?;
        Ok(ReportWriter { out })
    }

    /// The engine has got this far.
    pub fn progress(&mut self, depth: u64, lemmas: u64) -> io::Result<()> {
        writeln!(self.out, "progress {depth} {lemmas}")?;
        self.out.flush()
    }

    /// So much of what others have learnt was of use.
    pub fn taken(&mut self, count: u64) -> io::Result<()> {
        writeln!(self.out, "taken {count}")?;
        self.out.flush()
    }

    /// The engine has decided.
    pub fn claim(&mut self, word: Word) -> io::Result<()> {
        writeln!(self.out, "claim {word}")?;
        self.out.flush()
    }

    /// Who decided.
    pub fn engine(&mut self, name: &str) -> io::Result<()> {
        writeln!(self.out, "engine {}", one_line(name))
    }

    /// Figures.
    pub fn statistics(&mut self, statistics: &Statistics) -> io::Result<()> {
        for (name, figure) in statistics.iter() {
            match figure {
                Statistic::Count(count) => writeln!(self.out, "statistic {name} {count}")?,
                Statistic::Measure(measure) => writeln!(self.out, "statistic {name} {measure:?}")?,
            }
        }
        Ok(())
    }

    /// The model.
    pub fn model(&mut self, store: &mut Store, system: &System, model: &Model) -> io::Result<()> {
        match define(store, system, model, FormulaLimits::NONE) {
            Some(definitions) => self.definitions(&definitions),
            None => self.missing("the model has variables that are no arguments"),
        }
    }

    /// The definitions of a model; those that are missing are true.
    pub fn definitions(&mut self, definitions: &[(Box<str>, Formula)]) -> io::Result<()> {
        writeln!(self.out, "model {}", definitions.len())?;
        self.lines(definitions, |line, (name, formula)| write_definition(line, name, formula))
    }

    /// The derivation.
    pub fn derivation(&mut self, derivation: &Derivation<ClauseId>) -> io::Result<()> {
        writeln!(self.out, "derivation {}", derivation.len())?;
        self.lines(derivation.steps(), |line, (_, step)| write_step(line, &step))
    }

    /// A line for each of these.
    fn lines<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        write: impl Fn(&mut String, T) -> std::fmt::Result,
    ) -> io::Result<()> {
        let mut line = String::new();
        for item in items {
            line.clear();
            write(&mut line, item).expect("a string takes all");
            line.push('\n');
            self.out.write_all(line.as_bytes())?;
        }
        Ok(())
    }

    /// The certificate of the engine was checked and accepted.
    pub fn certificate(&mut self) -> io::Result<()> {
        writeln!(self.out, "certificate")?;
        self.out.flush()
    }

    /// There is no witness, and this is why.
    pub fn missing(&mut self, reason: &str) -> io::Result<()> {
        writeln!(self.out, "missing {}", one_line(reason))
    }

    /// Ends the report with a verdict.
    pub fn verdict(mut self, word: Word) -> io::Result<()> {
        writeln!(self.out, "verdict {word}")?;
        self.out.flush()
    }

    /// Ends the report: the engine gave up.
    pub fn unknown(mut self, reason: &str) -> io::Result<()> {
        writeln!(self.out, "unknown {}", one_line(reason))?;
        self.out.flush()
    }

    /// Ends the report: something is wrong with this worker.
    pub fn failure(mut self, reason: &str) -> io::Result<()> {
        writeln!(self.out, "failure {}", one_line(reason))?;
        self.out.flush()
    }
}

/// The words without line breaks.
fn one_line(words: &str) -> String {
    words.replace(['\n', '\r'], " ")
}
