//! A conversation with the SMT solver: commands of SMT-LIB in, replies out.
//!
//! The interpreter of scripts runs in a thread. After each command it is asked to echo a word, so that what stands before
//! the word is the reply.

use std::io::{self, Read, Write};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use libshem::script::{Interrupt, Options, RunOptions, run_interruptible};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::wait::wait;

/// Stands after each reply.
const END: &str = "\"end of the reply\"\n";

/// The stack of the interpreter, as large as that of the program.
const STACK: usize = 256 * 1_048_576;

/// A conversation.
#[pyclass(frozen)]
pub(crate) struct Session {
    commands: Mutex<Sender<Vec<u8>>>,
    replies: Mutex<Receiver<String>>,
    /// Held from a command to its reply, so that threads do not take each other's replies.
    turn: Mutex<()>,
    interrupt: Interrupt,
}

/// What the interpreter reads.
struct Commands {
    receiver: Receiver<Vec<u8>>,
    rest: io::Cursor<Vec<u8>>,
}

impl Read for Commands {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.rest.read(buffer)?;
            if read > 0 {
                return Ok(read);
            }
            match self.receiver.recv() {
                Ok(commands) => self.rest = io::Cursor::new(commands),
                // The session is gone.
                Err(_) => return Ok(0),
            }
        }
    }
}

/// What the interpreter writes to: whole replies are passed on.
struct Replies {
    sender: Sender<String>,
    text: Vec<u8>,
}

impl Write for Replies {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.extend_from_slice(bytes);
        if self.text.ends_with(END.as_bytes()) {
            let length = self.text.len() - END.len();
            let reply = String::from_utf8_lossy(&self.text[..length]).into_owned();
            self.text.clear();
            self.sender.send(reply).map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[pymethods]
impl Session {
    #[new]
    fn new() -> PyResult<Session> {
        let (command_sender, commands) = channel();
        let (sender, replies) = channel();
        let interrupt = Interrupt::default();
        let own = interrupt.clone();
        let body = move || {
            let mut input = Commands { receiver: commands, rest: io::Cursor::default() };
            let mut out = Replies { sender, text: Vec::new() };
            let run = RunOptions { continued_execution: true, ..RunOptions::default() };
            let options = Options { run, ..Options::default() };
            run_interruptible("session", &mut input, &options, own, &mut out, &mut io::sink());
        };
        thread::Builder::new().name("shem smt".to_owned()).stack_size(STACK).spawn(body)?;
        let (commands, replies) = (Mutex::new(command_sender), Mutex::new(replies));
        Ok(Session { commands, replies, turn: Mutex::new(()), interrupt })
    }

    /// The reply to commands. While one thread waits for its reply, no other one may ask; the class `Solver` sees to it.
    fn run(&self, py: Python<'_>, commands: &str) -> PyResult<String> {
        let Ok(_turn) = self.turn.try_lock() else {
            return Err(PyRuntimeError::new_err("another thread waits for a reply of this session"));
        };
        let text = format!("{commands}\n(echo {})\n", END.trim_end()).into_bytes();
        let sent = self.commands.lock().map(|commands| commands.send(text));
        if !matches!(sent, Ok(Ok(()))) {
            return Err(PyRuntimeError::new_err("the solver's thread has ended"));
        }
        match wait(py, &self.replies, || self.interrupt.stop(), None) {
            Ok(reply) => Ok(reply),
            Err(raised) => {
                // The query ends with unknown; its reply must not be taken for that of the next command.
                py.detach(|| self.replies.lock().map(|replies| replies.recv()).is_ok());
                Err(raised)
            }
        }
    }
}
