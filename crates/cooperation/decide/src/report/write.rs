//! The worker's side: a report as it is written.

use std::io::{self, Write};

use shem_base::{Statistic, Statistics};
use shem_chc::{ClauseId, Derivation, Model, System};
use shem_term::Store;

use super::witness::{write_derivation, write_model};
use super::{HEADER, Subject, Word};

/// Writes a report. Everything is flushed at once where somebody may be waiting for it.
pub struct ReportWriter<W: Write> {
    out: W,
}

impl<W: Write> ReportWriter<W> {
    /// Begins a report about this.
    pub fn begin(mut out: W, subject: Subject) -> io::Result<ReportWriter<W>> {
        let Subject { bytes, fingerprint, check } = subject;
        writeln!(out, "{HEADER}\ninput {bytes} {fingerprint:016x}\ncheck {check}")?;
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
    pub fn model(&mut self, store: &Store, system: &System, model: &Model) -> io::Result<()> {
        writeln!(self.out, "model {}", model.definitions.len())?;
        write_model(&mut self.out, store, system, model)
    }

    /// The derivation.
    pub fn derivation(&mut self, derivation: &Derivation<ClauseId>) -> io::Result<()> {
        writeln!(self.out, "derivation {}", derivation.len())?;
        write_derivation(&mut self.out, derivation)
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
