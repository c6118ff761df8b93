//! The file to which all queries go, from one solver to the next.
//!
//! A `reset` gives a script a new solver; its queries continue the dump after a `(reset)` of their own.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use shem_smt::{Recorder, Solver};

/// An output shared by the recorders of several solvers, one after the other.
#[derive(Clone)]
pub(super) struct Dump {
    out: Arc<Mutex<Box<dyn Write + Send>>>,
    used: bool,
}

impl Dump {
    pub(super) fn new(out: Box<dyn Write + Send>) -> Dump {
        Dump { out: Arc::new(Mutex::new(out)), used: false }
    }

    /// Lets the solver record its queries here.
    pub(super) fn attach(&mut self, solver: &mut Solver) {
        if std::mem::replace(&mut self.used, true) {
            // A failure to write shows again, and is kept, in the recorder.
            let _ = writeln!(self, "(reset)");
        }
        solver.observe(Recorder::new(Box::new(self.clone())));
    }
}

impl Write for Dump {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.lock().unwrap_or_else(PoisonError::into_inner).flush()
    }
}
