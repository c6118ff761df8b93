//! The witness of the last check: made smaller, printed, and certified.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use shem_base::{Statistics, StopToken};
use shem_chc::{ClauseId, Derivation, System, write_model};
use shem_decide::clock::stop_after;
use shem_decide::{Shortening, ShorterDerivation, Verdict, Witness, shorter_derivation, smaller_model};
use shem_script::conversation::Halt;
use shem_term::smtlib::escape_string;

use super::options::Options;
use super::session::{Session, is_unwanted};
use super::{certificate, print};
use crate::dialect::Dialect;

impl Session<'_> {
    /// How witnesses are written.
    pub(super) fn form<'t>(&self, text: &'t [u8], lines: &'t [Option<usize>]) -> print::Form<'t> {
        let Options { dialect, proof_format, expand_derivation: expand, .. } = *self.options;
        print::Form { dialect, proof_format, expand, text: utf8(text), lines }
    }

    /// Prints the witness of the last check if its verdict is wanted and it was not printed yet.
    pub(super) fn print_witness(&mut self, wanted: fn(&Verdict) -> bool) -> io::Result<()> {
        let Some(mut last) = self.last.take() else { return Ok(()) };
        if !wanted(&last.verdict) || last.printed {
            self.last = Some(last);
            return Ok(());
        }
        last.printed = true;
        self.prune(&Arc::clone(&last.system), &mut last.verdict);
        let text = Arc::clone(&self.script.text);
        let form = self.form(&text, &[]);
        let last = self.last.insert(last);
        let since = Instant::now();
        let result = print::witness(&mut self.talk.out, &mut self.store, &last.system, &last.verdict, form);
        self.record.statistics.set("time.print", since.elapsed().as_secs_f64());
        match result {
            // The format cannot say it, which is not a matter of the output.
            Err(error) if error.kind() == io::ErrorKind::Other => {
                self.record.incomplete = true;
                writeln!(self.talk.err, "no witness: {error}")
            }
            result => result,
        }
    }

    /// Puts a smaller model or a shorter derivation in the place of one that is to be printed, if it is found quickly; gives
    /// the figures of it.
    pub(super) fn prune(&mut self, system: &System, verdict: &mut Verdict) -> Statistics {
        let mut figures = Statistics::new();
        if self.options.no_pruning || std::mem::replace(&mut self.record.pruned, true) {
            return figures;
        }
        let since = Instant::now();
        let elapsed = (!self.options.solve.deterministic).then(|| self.watchdog.elapsed());
        match verdict {
            Verdict::Sat(Witness::Found(model)) => {
                let smaller = smaller_model(&mut self.store, system, model, elapsed, &StopToken::new());
                if let Some(smaller) = smaller.model {
                    *model = smaller;
                }
                figures.set("model.characters.found", smaller.found as u64);
                figures.set("model.characters.printed", smaller.left as u64);
            }
            Verdict::Unsat(Witness::Found(derivation)) => {
                let shorter = self.shorten(system, derivation, elapsed);
                figures = shorter.figures();
                if let Some(shorter) = shorter.derivation {
                    *derivation = shorter;
                }
            }
            _ => return figures,
        }
        figures.set("time.prune", since.elapsed().as_secs_f64());
        self.record.statistics.merge_prefixed("", &figures);
        figures
    }

    fn shorten(
        &mut self,
        system: &System,
        derivation: &Derivation<ClauseId>,
        elapsed: Option<Duration>,
    ) -> ShorterDerivation {
        if !self.options.shortest {
            let share = Shortening::Share(elapsed);
            return shorter_derivation(&mut self.store, system, derivation, share, &StopToken::new());
        }
        let token = self.watchdog.begin_reading(false);
        let (token, _scheduled) = stop_after(&token, self.options.solve.witness_budget);
        let shorter = shorter_derivation(&mut self.store, system, derivation, Shortening::Shortest, &token);
        self.watchdog.end();
        let words = match shorter.is_shortest {
            true => "no derivation has fewer steps".to_owned(),
            false => format!("whether a derivation has fewer than {} steps was not found out", shorter.left),
        };
        // Standard error is for people; who cannot read it misses nothing else.
        let _ = writeln!(self.talk.err, "shem: {words}");
        shorter
    }

    /// Writes the certificate of the last check, if its model was found.
    pub(super) fn write_certificate(&mut self) -> io::Result<()> {
        let Some(folder) = &self.options.print_certificate else { return Ok(()) };
        let Some(mut last) = self.last.take() else { return Ok(()) };
        if !last.printed {
            self.prune(&Arc::clone(&last.system), &mut last.verdict);
        }
        let last = self.last.insert(last);
        let Verdict::Sat(Witness::Found(model)) = &last.verdict else { return Ok(()) };
        let mut text = Vec::new();
        write_model(&mut text, &self.store, &last.system, model)?;
        let (script, model) = (String::from_utf8_lossy(&self.script.text), String::from_utf8_lossy(&text));
        let time = self.options.solve.witness_budget;
        let since = Instant::now();
        let written = certificate::write(folder, &script, &model, time);
        self.record.statistics.set("time.certificate", since.elapsed().as_secs_f64());
        match written {
            Err(error) => {
                self.record.incomplete = true;
                writeln!(self.talk.err, "shem: {}: {error}", folder.display())
            }
            Ok(missing) => {
                self.record.incomplete |= !missing.is_empty();
                missing.iter().try_for_each(|reason| writeln!(self.talk.err, "no certificate: {reason}"))
            }
        }
    }

    /// Why there is no witness of this kind, if there is none. It is looked for once more if nobody could know that it
    /// would be asked for.
    pub(super) fn missing(
        &mut self,
        what: &str,
        wanted: fn(&Verdict) -> bool,
    ) -> Result<Option<String>, Halt> {
        self.complete_witness(wanted)?;
        Ok(match &self.last {
            Some(last) if !wanted(&last.verdict) => {
                Some(format!("there is no {what}: the answer is {}", last.verdict.word()))
            }
            Some(last) if is_unwanted(&last.verdict) => Some(format!("there is no {what}: none was found")),
            Some(last) => last.verdict.missing().map(|reason| format!("there is no {what}: {reason}")),
            None => Some(format!("there is no {what}: nothing was checked")),
        })
    }

    /// Answers what a script asks for after a check. What there is not is an error, but no mistake: the script may ask
    /// for both a model and a proof.
    pub(super) fn give(&mut self, what: &str, wanted: fn(&Verdict) -> bool) -> Result<(), Halt> {
        let missing = self.missing(what, wanted)?;
        match missing {
            Some(_) if self.options.dialect == Dialect::Z3 => {
                writeln!(self.talk.out, "(error {})", escape_string(&format!("{what} is not available")))?;
            }
            Some(message) => writeln!(self.talk.out, "(error {})", escape_string(&message))?,
            None => {
                // Asked twice, it is given twice; after --print-witness it stands there already.
                if let Some(last) = self.last.as_mut().filter(|_| !self.options.print_witness) {
                    last.printed = false;
                }
                self.print_witness(wanted)?;
            }
        }
        Ok(())
    }
}

/// A text that has been read, which therefore is UTF-8.
fn utf8(text: &[u8]) -> &str {
    std::str::from_utf8(text).unwrap_or_default()
}
