//! Files for the queries of engines' solvers.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use shem_smt::Recorder;

/// A folder with one file for each solver, numbered in the order in which they were made.
#[derive(Debug)]
pub struct QueryFolder {
    path: PathBuf,
    next: usize,
    record: Arc<Record>,
}

/// What has become of a folder and its parts.
#[derive(Debug, Default)]
struct Record {
    files: AtomicUsize,
    /// The first failure.
    error: Mutex<Option<String>>,
}

impl QueryFolder {
    /// The folder at this path, made if it is not there.
    pub fn new(path: &Path) -> io::Result<QueryFolder> {
        std::fs::create_dir_all(path)?;
        Ok(QueryFolder { path: path.to_owned(), next: 0, record: Arc::default() })
    }

    /// A folder in this one, for an engine that works beside others.
    pub fn part(&self, name: &str) -> Option<QueryFolder> {
        let path = self.path.join(name);
        match std::fs::create_dir_all(&path) {
            Ok(()) => Some(QueryFolder { path, next: 0, record: Arc::clone(&self.record) }),
            Err(error) => {
                self.record.fail(&error);
                None
            }
        }
    }

    /// A recorder for one more solver.
    pub fn recorder(&mut self) -> Option<Recorder> {
        let path = self.path.join(format!("queries-{:04}.smt2", self.next));
        self.next += 1;
        self.record.files.fetch_add(1, Ordering::Relaxed);
        match File::create(path) {
            Ok(file) => Some(Recorder::new(Box::new(BufWriter::new(file)))),
            Err(error) => {
                self.record.fail(&error);
                None
            }
        }
    }

    /// Whether no solver was recorded.
    pub fn is_empty(&self) -> bool {
        self.record.files.load(Ordering::Relaxed) == 0
    }

    /// The first failure to make a file.
    pub fn failure(&self) -> Option<String> {
        self.record.error.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Record {
    fn fail(&self, error: &io::Error) {
        let mut first = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert(error.to_string());
    }
}
