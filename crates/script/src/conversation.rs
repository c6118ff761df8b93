//! The conversation of a script with a solver: what is the same whatever the script is about.
//!
//! A script is a conversation: what it asks is answered before more is read, so that a client which waits for an
//! answer gets it, and a mistake loses no answer that was found before it. A file is read at once, standard input as it
//! comes. With `:print-success`, each command that has no answer of its own is answered with `success`.
//!
//! What the commands are about is known to a [`BackEnd`]: the assertions of [`smt`](crate::smt), or Horn clauses. Options,
//! information, output channels and mistakes are dealt with here.

use std::io::{self, Write};
use std::time::Duration;

use shem_term::smtlib::{
    Attribute, ErrorKind, Lexer, Location, ReadError, Span, escape_string, missing_parenthesis,
    unclosed_command,
};

use crate::channel::{self, Channel};
use crate::diagnostic::{Diagnostic, FAILURE, Source, report, unwritable};
use crate::options::RunOptions;
use crate::pieces::{Pieces, Unreadable};
use crate::script_info::{ExpectedStatus, program_info};
use crate::script_options::ScriptOptions;

/// What ends a conversation early.
pub enum Halt {
    /// A mistake in the text of the current piece, which has not been told yet.
    Mistake(ReadError),
    /// A mistake without a place in the text, which has not been told yet.
    Failure(String),
    /// The reason has been told; this is the exit code.
    Code(u8),
    /// The output cannot be written.
    Unwritable(io::Error),
    /// `(exit)`, or all that was asked for is answered.
    Exit,
}

impl From<ReadError> for Halt {
    fn from(error: ReadError) -> Halt {
        Halt::Mistake(error)
    }
}

impl From<io::Error> for Halt {
    fn from(error: io::Error) -> Halt {
        Halt::Unwritable(error)
    }
}

/// What a command came to.
pub enum Reply {
    /// It has no answer of its own, so that `success` is one.
    Success,
    /// It was answered, or is not due an answer.
    Answered,
    /// It is one that all scripts have.
    Common(Common),
    /// `(exit)`
    Exit,
}

/// The commands that all scripts have.
pub enum Common {
    /// The text to repeat.
    Echo(String),
    /// The keyword, and the place of the command.
    GetInfo(String, Span),
    /// The keyword.
    GetOption(String),
    /// The keyword, the value as written, and the places of the value and of the command.
    SetOption(String, String, [Span; 2]),
    /// The answer that the next check is to have.
    Status(String),
    /// Options and channels are those of the beginning.
    Reset,
}

/// What the commands of a script are about.
pub trait BackEnd<'w> {
    /// The conversation.
    fn talk(&mut self) -> &mut Conversation<'w>;

    /// The next piece of the script.
    fn next_piece<'p>(&mut self, pieces: &'p mut Pieces<'_>) -> Result<Option<Source<'p>>, Halt> {
        pieces.next_piece().map_err(|unreadable| self.talk().unreadable(unreadable))
    }

    /// Reads the next command of a piece and runs it, or more of them as long as nothing is to be answered; nothing at
    /// the end of the piece. After a mistake the lexer stands behind the command that has it.
    fn run_command(&mut self, lexer: &mut Lexer<'_>, source: Source<'_>) -> Result<Option<Reply>, Halt>;

    /// The answer to `get-info` for what the back end knows.
    fn info(&mut self, keyword: &str) -> Result<Option<String>, String>;

    /// Whether the option may be set now; if not, the words say why.
    fn check_option(&self, _keyword: &str) -> Result<(), String> {
        Ok(())
    }

    /// Heeds an option that was set.
    fn option_set(&mut self) {}
}

/// The state of a conversation.
pub struct Conversation<'w> {
    /// Where answers go.
    pub out: Channel<'w>,
    /// Where messages for people go.
    pub err: Channel<'w>,
    /// The options that the script has set.
    pub script: ScriptOptions,
    /// The answer that the script expects.
    pub status: ExpectedStatus,
    /// Whether the script has asked for anything.
    pub asked: bool,
    /// How many mistakes it has.
    pub mistakes: usize,
    /// How it is answered.
    pub form: AnswerForm,
    /// The last mistake, if it belongs to the object of JSON at the end.
    pub error: Option<Mistake>,
    run: RunOptions,
}

/// A mistake of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// What is wrong.
    pub message: String,
    /// The name of the text and the place in it, if it has one.
    pub place: Option<(String, Location)>,
}

/// How a conversation answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnswerForm {
    /// Whether there is one object of JSON at the end.
    pub json: bool,
    /// Whether the script cannot turn the output channels elsewhere.
    pub fixed_channels: bool,
    /// Whether an option that is not supported is passed over in silence unless each command is answered: other
    /// solvers' options stand in many scripts, and the first line of output is to be the verdict.
    pub passes_over_options: bool,
    /// Whether nothing but verdicts is answered now.
    pub silent: bool,
}

impl<'w> Conversation<'w> {
    /// A conversation at its beginning.
    pub fn new(
        run: &RunOptions,
        form: AnswerForm,
        out: &'w mut dyn Write,
        err: &'w mut dyn Write,
    ) -> Conversation<'w> {
        Conversation {
            out: Channel::regular(out),
            err: Channel::diagnostic(err),
            script: ScriptOptions::default(),
            status: ExpectedStatus::default(),
            asked: false,
            mistakes: 0,
            form,
            error: None,
            run: run.clone(),
        }
    }

    /// How long the next check may take: what the script says, but not longer than the caller does.
    pub fn query_time(&self) -> Option<Duration> {
        self.script.query_timeout().into_iter().chain(self.run.check_time).min()
    }

    /// Tells of a mistake in a text.
    pub fn mistake(&mut self, source: Source<'_>, error: &ReadError) -> Halt {
        self.mistakes += 1;
        self.asked = true;
        let mut error = error.clone();
        if let Some(line) = unclosed_command(source.text, error.span.start as usize) {
            let line = source.origin.line + line;
            error.message += &missing_parenthesis(line);
        }
        let error = &error;
        let diagnostic = Diagnostic { source, error, terminal: self.run.terminal };
        let told = if self.form.json {
            let place = Some((source.name.to_owned(), source.locate(error.span.start)));
            self.error = Some(Mistake { message: error.message.clone(), place });
            writeln!(self.err, "{diagnostic}")
        } else {
            report(&diagnostic, &mut self.out, &mut self.err)
        };
        told.map_or_else(Halt::Unwritable, |()| Halt::Code(FAILURE))
    }

    /// Tells why there is no more text.
    pub fn unreadable(&mut self, unreadable: Unreadable<'_>) -> Halt {
        match unreadable {
            Unreadable::Input(message) => Halt::Failure(message),
            Unreadable::Text(source, error) => self.mistake(source, &error),
        }
    }

    /// Tells of a mistake that has no place in the text, to programs by one message and to people by another.
    pub fn refuse(&mut self, message: &str, to_people: &str) {
        if self.form.json {
            self.error = Some(Mistake { message: message.to_owned(), place: None });
        } else {
            if !self.run.terminal.shows_all() {
                let _ = writeln!(self.out, "(error {})", escape_string(message));
            }
            let _ = self.out.flush();
        }
        let _ = writeln!(self.err, "shem: {to_people}");
    }

    /// Tells what ended the conversation, and that it has asked for nothing if so; gives the exit code.
    pub fn close(&mut self, result: Result<(), Halt>, source: Source<'_>) -> u8 {
        let told = match result {
            Ok(()) | Err(Halt::Exit) => Halt::Exit,
            Err(Halt::Mistake(error)) => self.mistake(source, &error),
            Err(Halt::Failure(message)) => {
                self.refuse(&message, &message);
                Halt::Code(FAILURE)
            }
            Err(halt) => halt,
        };
        let contradicted = self.run.check_status && self.status.contradictions > 0;
        match told {
            Halt::Code(code) => code,
            Halt::Unwritable(error) => unwritable(&error, &mut self.err),
            _ if contradicted || self.mistakes > 0 => FAILURE,
            _ => 0,
        }
    }

    /// Writes out what is left; gives the exit code.
    pub fn flush(&mut self, code: u8) -> u8 {
        match self.out.flush() {
            Err(error) if code == 0 => unwritable(&error, &mut self.err),
            _ => code,
        }
    }

    /// Says that a script which has come to its end has asked for nothing.
    pub fn note_if_nothing_asked(&mut self, name: &str) {
        if !self.asked {
            let _ = writeln!(self.err, "shem: note: {name} asks for nothing: there is no check-sat");
        }
    }
}

/// Answers a script to its end.
pub fn converse<'w>(back: &mut impl BackEnd<'w>, pieces: &mut Pieces<'_>) -> Result<(), Halt> {
    while let Some(source) = back.next_piece(pieces)? {
        let mut lexer = Lexer::new(source.text)?;
        loop {
            let reply = match back.run_command(&mut lexer, source) {
                Ok(None) => break,
                Ok(Some(Reply::Common(command))) => answer(back, command),
                Ok(Some(reply)) => Ok(reply),
                Err(halt) => Err(halt),
            };
            let talk = back.talk();
            let reply = match reply {
                Err(Halt::Mistake(error)) => match talk.mistake(source, &error) {
                    Halt::Code(_) if talk.run.goes_on() => Reply::Answered,
                    halt => return Err(halt),
                },
                reply => reply?,
            };
            let success = matches!(reply, Reply::Success | Reply::Exit);
            if success && talk.script.print_success && !talk.form.silent {
                writeln!(talk.out, "success")?;
            }
            talk.asked |= !matches!(reply, Reply::Success);
            if matches!(reply, Reply::Exit) {
                return Err(Halt::Exit);
            }
        }
        back.talk().out.flush()?;
    }
    Ok(())
}

/// Answers a command that all scripts have.
fn answer<'w>(back: &mut impl BackEnd<'w>, command: Common) -> Result<Reply, Halt> {
    let talk = back.talk();
    let text = match command {
        Common::SetOption(keyword, value, [span, command]) => {
            return set_option(back, &Attribute { keyword: &keyword, value: &value, span }, command);
        }
        Common::Status(status) => {
            talk.status.expect(Some(&status));
            return Ok(Reply::Success);
        }
        Common::Reset => {
            talk.script = ScriptOptions::default();
            talk.status.expect(None);
            talk.out.turn("stdout")?;
            talk.err.turn("stderr")?;
            return Ok(Reply::Success);
        }
        _ if talk.form.silent => return Ok(Reply::Answered),
        Common::Echo(content) => escape_string(&content),
        Common::GetOption(keyword) => {
            let channel = channel::name_of(&talk.out, &talk.err, &keyword);
            channel.or_else(|| talk.script.get(&keyword)).unwrap_or_else(|| "unsupported".to_owned())
        }
        Common::GetInfo(keyword, span) => {
            let goes_on = talk.run.goes_on();
            let own =
                back.info(&keyword).map_err(|message| ReadError::new(ErrorKind::Mode, span, message))?;
            own.unwrap_or_else(|| program_info(&keyword, goes_on).unwrap_or("unsupported").to_owned())
        }
    };
    let talk = back.talk();
    writeln!(talk.out, "{text}")?;
    // A program that sends commands may wait for this line.
    talk.out.flush()?;
    Ok(Reply::Answered)
}

fn set_option<'w>(
    back: &mut impl BackEnd<'w>,
    attribute: &Attribute<'_>,
    command: Span,
) -> Result<Reply, Halt> {
    let refuse = |message: String| ReadError::new(ErrorKind::Mode, attribute.span, message);
    let too_late = |message| ReadError::new(ErrorKind::Mode, command, message);
    back.check_option(attribute.keyword).map_err(too_late)?;
    let talk = back.talk();
    if channel::is_channel(attribute.keyword) {
        if !talk.form.fixed_channels {
            channel::turn(&mut talk.out, &mut talk.err, attribute.keyword, attribute.value)
                .map_err(refuse)?;
        }
        return Ok(Reply::Success);
    }
    if !talk.script.set(attribute)? {
        let passed_over = talk.form.passes_over_options && !talk.script.print_success;
        if !passed_over && !talk.form.json {
            writeln!(talk.out, "unsupported")?;
        }
        return Ok(Reply::Answered);
    }
    back.option_set();
    Ok(Reply::Success)
}
