//! Two verdicts that contradict each other: the worst that can be noticed, kept for whoever looks into it.

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use shem_chc::System;
use shem_term::Store;

use crate::answer::{Verdict, Witness, Word};
use crate::evidence::{Remote, RemoteWitness};
use crate::report::{ReportWriter, Subject};

/// Two engines contradict each other: neither is believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// The first entry and its verdict.
    pub first: (String, Word),
    /// The second entry and its verdict.
    pub second: (String, Word),
    /// Where their witnesses were written; the error, if that failed.
    pub files: Vec<Result<PathBuf, String>>,
}

impl std::error::Error for Contradiction {}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ((first, one), (second, other)) = (&self.first, &self.second);
        write!(f, "{first} says {one} and {second} says {other}; what they have to show is in")?;
        for (i, file) in self.files.iter().enumerate() {
            let between = if i == 0 { " " } else { " and " };
            match file {
                Ok(path) => write!(f, "{between}{}", path.display())?,
                Err(error) => write!(f, "{between}no file ({error})")?,
            }
        }
        Ok(())
    }
}

/// A verdict with what is to show it: its witness, or what another process has sent.
#[derive(Clone, Copy)]
pub(crate) struct Side<'a> {
    pub(crate) by: &'a str,
    pub(crate) word: Word,
    pub(crate) verdict: &'a Verdict,
    pub(crate) sent: Option<&'a Remote>,
}

/// Writes both sides to files in the folder for temporary files.
pub(crate) fn contradiction(
    store: &mut Store,
    system: &System,
    subject: Subject,
    sides: [Side<'_>; 2],
) -> Contradiction {
    let files = sides
        .iter()
        .enumerate()
        .map(|(i, side)| {
            let name = format!("shem-contradiction-{}-{}-{}.txt", std::process::id(), i + 1, side.word);
            let path = std::env::temp_dir().join(name);
            let written = dump(&path, store, system, subject, side);
            written.map(|()| path.clone()).map_err(|error| format!("{}: {error}", path.display()))
        })
        .collect();
    let [first, second] = sides.map(|side| (side.by.to_owned(), side.word));
    Contradiction { first, second, files }
}

/// Writes one side as a report.
fn dump(
    path: &Path,
    store: &mut Store,
    system: &System,
    subject: Subject,
    side: &Side<'_>,
) -> io::Result<()> {
    let mut file = io::BufWriter::new(std::fs::File::create_new(path)?);
    let mut report = ReportWriter::begin(&mut file, subject)?;
    report.engine(side.by)?;
    match (side.verdict, side.sent) {
        (Verdict::Sat(Witness::Found(model)), _) => report.model(store, system, model)?,
        (Verdict::Unsat(Witness::Found(derivation)), _) => report.derivation(derivation)?,
        (_, Some(Remote { witness: RemoteWitness::Model(definitions), .. })) => {
            report.definitions(definitions)?;
        }
        (_, Some(Remote { witness: RemoteWitness::Derivation(derivation), .. })) => {
            report.derivation(derivation)?;
        }
        (_, Some(Remote { certified: true, .. })) => report.certificate()?,
        (verdict, _) => match verdict.missing() {
            Some(reason) => report.missing(&reason.to_string())?,
            None => report.certificate()?,
        },
    }
    report.verdict(side.word)?;
    file.flush()
}
