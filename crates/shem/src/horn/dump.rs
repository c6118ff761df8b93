//! Files for the queries of an engine's solvers.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use shem_smt::Recorder;

/// A folder with one file for each solver, numbered in the order in which they were made.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    next: usize,
    /// The first failure.
    error: Option<io::Error>,
}

impl Folder {
    /// The folder at this path, made if it is not there.
    pub(super) fn new(path: &Path) -> io::Result<Folder> {
        std::fs::create_dir_all(path)?;
        Ok(Folder { path: path.to_owned(), next: 0, error: None })
    }

    /// A recorder for one more solver.
    pub(super) fn recorder(&mut self) -> Option<Recorder> {
        let path = self.path.join(format!("queries-{:04}.smt2", self.next));
        self.next += 1;
        match File::create(path) {
            Ok(file) => Some(Recorder::new(Box::new(BufWriter::new(file)))),
            Err(error) => {
                self.error.get_or_insert(error);
                None
            }
        }
    }

    /// The first failure to make a file.
    pub(super) fn failure(&self) -> Option<&io::Error> {
        self.error.as_ref()
    }
}
