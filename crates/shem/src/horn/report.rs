//! The page of `--report`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use shem_chc::System;
use shem_decide::{Answer, Variant, Verdict};
use shem_report::{Report, TerminationReport, page, termination_page};
use shem_term::Store;
use shem_termination::Answer as Termination;

use super::session::Session;

impl Session<'_> {
    /// Writes the page about an answer, if it is wanted; gives what is to be told of it. What a script asks after its
    /// first check gets a page of its own, with a number in its name.
    pub(super) fn write_report(
        &mut self,
        system: &Arc<System>,
        answer: &mut Answer,
        part: Option<&str>,
    ) -> String {
        let Some(path) = &self.options.report else { return String::new() };
        let Some(timeline) = self.record.timeline.take() else { return String::new() };
        self.record.reports += 1;
        let path = numbered(path, self.record.reports);
        self.prune(system, &mut answer.verdict);
        // Where the passes decide, nobody has seen their graph. Where they were stopped there is none.
        let own = match &timeline.preprocessed {
            Some(_) => None,
            None if matches!(answer.verdict, Verdict::Unknown(_)) => None,
            None => {
                let token = self.watchdog.begin(None);
                let variant = self.options.solve.prepared(&mut self.store, system, &token);
                self.watchdog.end();
                Some(variant)
            }
        };
        let seen = timeline.preprocessed.as_deref().map(|after| &after.graph);
        let preprocessed = seen.or(own.as_deref().map(Variant::graph));
        let report = Report {
            name: &self.script.name,
            part,
            system,
            lines: &self.script.clause_lines(system),
            answer,
            preprocessed,
            timeline: &timeline,
            seconds: self.watchdog.elapsed().as_secs_f64(),
        };
        let page = page(&self.store, &report);
        self.write_page(&path, &page)
    }

    /// Writes the page about an answer to the question whether runs end, if it is wanted; gives what is to be told of it.
    pub(super) fn write_termination_report(
        &mut self,
        store: &Store,
        system: &System,
        answer: &Termination,
        part: Option<&str>,
    ) -> String {
        let Some(path) = &self.options.report else { return String::new() };
        self.record.reports += 1;
        let path = numbered(path, self.record.reports);
        let name = &self.script.name;
        let seconds = self.watchdog.elapsed().as_secs_f64();
        let page = termination_page(store, &TerminationReport { name, part, system, answer, seconds });
        self.write_page(&path, &page)
    }

    fn write_page(&mut self, path: &Path, page: &str) -> String {
        match fs::write(path, page) {
            Ok(()) => String::new(),
            Err(error) => {
                self.record.incomplete = true;
                format!("shem: {}: {error}\n", path.display())
            }
        }
    }
}

/// The path with a number before its extension, from the second page on.
fn numbered(path: &Path, number: u64) -> PathBuf {
    if number <= 1 {
        return path.to_owned();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().map_or(String::new(), |word| format!(".{}", word.to_string_lossy()));
    path.with_file_name(format!("{stem}-{number}{extension}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn further_pages_have_numbers() {
        let name = |number| numbered(Path::new("a/out.html"), number).to_string_lossy().into_owned();
        assert_eq!([name(1), name(2)], ["a/out.html", "a/out-2.html"]);
        assert_eq!(numbered(Path::new("out"), 3), Path::new("out-3"));
    }
}
