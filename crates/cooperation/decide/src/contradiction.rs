//! Two verdicts that contradict each other. Both are written to files, to find out which engine is wrong.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use shem_base::Statistics;
use shem_exchange::SentWitness;

use crate::answer::Status;
use crate::report::{Line, ReportWriter, Subject};

/// Two engines contradict each other: neither is believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// The first entry and its verdict.
    pub first: (String, Status),
    /// The second entry and its verdict.
    pub second: (String, Status),
    /// Where their witnesses were written; the error, if that failed.
    pub files: Vec<Result<PathBuf, String>>,
}

impl std::error::Error for Contradiction {}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ((first, one), (second, other)) = (&self.first, &self.second);
        let files = self.files.iter().map(|file| match file {
            Ok(path) => path.display().to_string(),
            Err(error) => format!("no file ({error})"),
        });
        let files = files.collect::<Vec<_>>().join(" and ");
        write!(f, "{first} says {one} and {second} says {other}; what they have to show is in {files}")
    }
}

/// Who says what, and the witness, or why there is none.
pub(crate) struct Side {
    pub(crate) by: String,
    pub(crate) status: Status,
    pub(crate) witness: Result<SentWitness, String>,
}

impl Contradiction {
    /// Writes both sides to files in the folder for temporary files.
    pub(crate) fn between(sides: [Side; 2], subject: Subject) -> Contradiction {
        let [first, second] = sides.each_ref().map(|side| (side.by.clone(), side.status));
        let write = |(i, side): (usize, Side)| {
            let name = format!("shem-contradiction-{}-{}-{}.txt", std::process::id(), i + 1, side.status);
            let path = std::env::temp_dir().join(name);
            let written = side.write(&path, subject);
            written.map(|()| path.clone()).map_err(|error| format!("{}: {error}", path.display()))
        };
        Contradiction { first, second, files: sides.into_iter().enumerate().map(write).collect() }
    }
}

impl Side {
    /// Writes it as a report.
    fn write(self, path: &Path, subject: Subject) -> io::Result<()> {
        let mut report = ReportWriter::begin(std::fs::File::create_new(path)?, subject)?;
        report.write(&Line::verdict(self.status, &self.by, &Statistics::new(), self.witness))
    }
}
