//! The witness of the last check: made smaller, printed, and certified.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Instant;

use shem_base::StopToken;
use shem_chc::{System, write_model};
use shem_decide::{Verdict, Witness, smaller_model};

use super::options::Options;
use super::session::Session;
use super::{certificate, print};

impl Session<'_> {
    /// How witnesses are written.
    pub(super) fn form<'t>(&self, text: &'t [u8]) -> print::Form<'t> {
        let Options { dialect, proof_format, expand_derivation: expand, .. } = *self.options;
        print::Form { dialect, proof_format, expand, text: utf8(text) }
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
        let text = Arc::clone(&self.text);
        let form = self.form(&text);
        let last = self.last.insert(last);
        let since = Instant::now();
        let result = print::witness(&mut self.out, &mut self.store, &last.system, &last.verdict, form);
        self.statistics.set("time.print", since.elapsed().as_secs_f64());
        if let Err(error) = &result {
            writeln!(self.err, "no witness: {error}")?;
        }
        result
    }

    /// Puts a smaller model in the place of one that is to be printed, if it is found quickly.
    pub(super) fn prune(&mut self, system: &System, verdict: &mut Verdict) {
        let Verdict::Sat(Witness::Found(model)) = verdict else { return };
        if self.options.no_pruning {
            return;
        }
        let since = Instant::now();
        let elapsed = (!self.options.solve.deterministic).then(|| self.watchdog.elapsed());
        let smaller = smaller_model(&mut self.store, system, model, elapsed, &StopToken::new());
        if let Some(smaller) = smaller.model {
            *model = smaller;
        }
        self.statistics.set("time.prune", since.elapsed().as_secs_f64());
        self.statistics.set("model.characters.found", smaller.found as u64);
        self.statistics.set("model.characters.printed", smaller.left as u64);
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
        let (script, model) = (String::from_utf8_lossy(&self.text), String::from_utf8_lossy(&text));
        let time = self.options.solve.witness_budget;
        let since = Instant::now();
        let written = certificate::write(folder, &script, &model, time);
        self.statistics.set("time.certificate", since.elapsed().as_secs_f64());
        match written {
            Err(error) => {
                self.incomplete = true;
                writeln!(self.err, "shem: {}: {error}", folder.display())
            }
            Ok(missing) => {
                self.incomplete |= !missing.is_empty();
                missing.iter().try_for_each(|reason| writeln!(self.err, "no certificate: {reason}"))
            }
        }
    }
}

/// A text that has been read, which therefore is UTF-8.
fn utf8(text: &[u8]) -> &str {
    std::str::from_utf8(text).unwrap_or_default()
}
