//! Files for the queries of engines' solvers.

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use shem_smt::Recorder;

/// A folder with one file for each solver, numbered in the order in which they were made.
#[derive(Debug)]
pub struct QueryFolder {
    path: PathBuf,
    next: usize,
    record: Arc<Mutex<Record>>,
}

/// What has become of a folder and its parts.
#[derive(Debug, Default)]
struct Record {
    files: usize,
    /// The first failure.
    error: Option<String>,
}

impl QueryFolder {
    /// The folder at this path, made if it is not there.
    pub fn new(path: &Path) -> io::Result<QueryFolder> {
        fs::create_dir_all(path)?;
        Ok(QueryFolder { path: path.to_owned(), next: 0, record: Arc::default() })
    }

    /// A folder in this one, for an engine that works beside others.
    pub fn part(&self, name: &str) -> Option<QueryFolder> {
        let path = self.path.join(name);
        self.keep_error(fs::create_dir_all(&path))?;
        Some(QueryFolder { path, next: 0, record: Arc::clone(&self.record) })
    }

    /// A recorder for one more solver.
    pub fn recorder(&mut self) -> Option<Recorder> {
        let path = self.path.join(format!("queries-{:04}.smt2", self.next));
        self.next += 1;
        self.record().files += 1;
        let file = self.keep_error(File::create(path))?;
        Some(Recorder::new(Box::new(BufWriter::new(file))))
    }

    /// Whether no solver was recorded.
    pub fn is_empty(&self) -> bool {
        self.record().files == 0
    }

    /// The first failure to make a file.
    pub fn failure(&self) -> Option<String> {
        self.record().error.clone()
    }

    fn record(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep_error<T>(&self, result: io::Result<T>) -> Option<T> {
        if let Err(error) = &result {
            self.record().error.get_or_insert(error.to_string());
        }
        result.ok()
    }
}
