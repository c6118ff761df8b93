//! The file to which all queries go, from one solver to the next.
//!
//! A `reset` gives a script a new solver; its queries continue the dump after a `(reset)` of their own. Sorts are
//! declared in the words of the script: the solver knows them only as they are used.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use shem_smt::{Recorder, Solver};

/// An output shared by the recorders of several solvers, one after the other.
pub(super) struct Dump {
    out: SharedOutput,
    used: bool,
    /// The declarations of sorts that are in force.
    sorts: Vec<String>,
    /// The logic of the script, if it has no numbers: sorts and symbols may have the names of arithmetic then.
    logic: Option<String>,
}

impl Dump {
    pub(super) fn new(out: Box<dyn Write + Send>) -> Dump {
        Dump { out: SharedOutput(Arc::new(Mutex::new(out))), used: false, sorts: Vec::new(), logic: None }
    }

    /// Lets the solver record its queries here.
    pub(super) fn attach(&mut self, solver: &mut Solver) {
        // A failure to write shows again, and is kept, in the recorder.
        if std::mem::replace(&mut self.used, true) {
            let _ = writeln!(self.out, "(reset)");
        }
        solver.observe(Recorder::new(Box::new(self.out.clone())));
        self.begin();
    }

    /// Writes the logic, if it has to be that of the script, and the sorts.
    fn begin(&mut self) {
        if let Some(logic) = &self.logic {
            let _ =
                writeln!(self.out, "(reset)\n(set-option :global-declarations true)\n(set-logic {logic})");
        }
        for declaration in &self.sorts {
            let _ = writeln!(self.out, "{declaration}");
        }
    }

    /// Takes note of a logic without numbers, before anything is asserted; `None` if there is no logic any more.
    pub(super) fn set_logic(&mut self, logic: Option<&str>) {
        self.logic = logic.map(str::to_owned);
        if self.used && self.logic.is_some() {
            self.begin();
        }
    }

    /// Takes over a command that declares or defines sorts. Declarations are global in the dump, so one that is made
    /// again after a `pop` is there already.
    pub(super) fn declare_sorts(&mut self, command: &str) {
        if self.sorts.iter().any(|known| known == command) {
            return;
        }
        let _ = writeln!(self.out, "{command}");
        self.sorts.push(command.to_owned());
    }

    /// No sort is declared any more.
    pub(super) fn forget_sorts(&mut self) {
        self.sorts.clear();
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[derive(Clone)]
struct SharedOutput(Arc<Mutex<Box<dyn Write + Send>>>);

impl Write for SharedOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).flush()
    }
}
