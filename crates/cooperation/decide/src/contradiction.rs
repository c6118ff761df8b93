//! Two verdicts that contradict each other: the worst that can be noticed, kept for whoever looks into it.

use std::fmt;
use std::io::{self, Write};
use std::path::PathBuf;

use shem_chc::{Model, System};
use shem_term::Store;

use crate::report::{Evidence, ReportWriter, Subject, Word, read_model};

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

/// A verdict with what is to show it.
pub(crate) struct Claim<'a> {
    pub(crate) entry: String,
    pub(crate) word: Word,
    pub(crate) evidence: &'a Evidence,
}

/// Writes both sides to files in the folder for temporary files.
pub(crate) fn contradiction(
    store: &mut Store,
    system: &System,
    subject: Subject,
    sides: [Claim<'_>; 2],
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
    let [first, second] = sides.map(|side| (side.entry, side.word));
    Contradiction { first, second, files }
}

/// Writes one side as a report.
fn dump(
    path: &PathBuf,
    store: &mut Store,
    system: &System,
    subject: Subject,
    side: &Claim<'_>,
) -> io::Result<()> {
    let mut file = io::BufWriter::new(std::fs::File::create_new(path)?);
    let mut report = ReportWriter::begin(&mut file, subject)?;
    report.engine(&side.entry)?;
    match side.evidence {
        Evidence::Model(bodies) => {
            let model: Result<Model, String> = read_model(store, system, bodies);
            match model {
                Ok(model) => report.model(store, system, &model)?,
                Err(reason) => report.missing(&reason)?,
            }
        }
        Evidence::Derivation(derivation) => report.derivation(derivation)?,
        Evidence::Certificate => report.certificate()?,
        Evidence::Missing(reason) => report.missing(reason)?,
    }
    report.verdict(side.word)?;
    file.flush()
}
