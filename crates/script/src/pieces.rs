//! A script in pieces that end where a command does, as they arrive.
//!
//! Whoever talks to a solver waits for its answers, so a command is handed on as soon as it is complete. Where one ends
//! is found by counting parentheses outside of comments, strings and quoted symbols; whether it makes sense is for the
//! reader to say.

use std::io::{self, Read};

use shem_term::smtlib::{Location, ReadError};

use crate::diagnostic::{Source, not_utf8};

/// Why there is no next piece.
pub enum Unreadable<'a> {
    /// The input cannot be read; the words say why.
    Input(String),
    /// The text is none from some place on: what stands before it, and the mistake.
    Text(Source<'a>, ReadError),
}

/// The text of a script, in pieces that end where a command does.
pub struct Pieces<'a> {
    name: &'a str,
    /// Where more comes from; nothing if the text is there as a whole.
    input: Option<Box<dyn Read + 'a>>,
    buffer: Vec<u8>,
    /// How much of the buffer has been looked at.
    seen: usize,
    /// Where the last complete command ends.
    complete: usize,
    /// How many parentheses are open there.
    depth: usize,
    inside: Inside,
    /// The length of the piece that was given out last, and where it begins.
    given: usize,
    origin: Location,
    ended: bool,
}

/// What the bytes that are looked at are part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inside {
    Nothing,
    Comment,
    /// A string or a quoted symbol, up to this byte.
    Quotes(u8),
}

impl<'a> Pieces<'a> {
    /// A script of which this much was read; the rest comes from the input.
    pub fn new(name: &'a str, buffer: Vec<u8>, input: Box<dyn Read + 'a>) -> Pieces<'a> {
        let origin = Location { line: 1, column: 1 };
        let inside = Inside::Nothing;
        let input = Some(input);
        Pieces { name, input, buffer, seen: 0, complete: 0, depth: 0, inside, given: 0, origin, ended: false }
    }

    /// A script that is there as a whole: one piece, wherever its commands end.
    pub fn whole(name: &'a str, text: Vec<u8>) -> Pieces<'a> {
        Pieces { seen: text.len(), input: None, ..Pieces::new(name, text, Box::new(io::empty())) }
    }

    /// The next piece, `None` at the end; what went wrong, in words, if it cannot be read.
    pub fn next_piece(&mut self) -> Result<Option<Source<'_>>, Unreadable<'_>> {
        self.origin = self.current().locate(self.given as u32);
        self.buffer.drain(..self.given);
        self.seen -= self.given;
        (self.given, self.complete) = (0, 0);
        // What was read before may have complete commands.
        self.look();
        self.given = self.complete;
        while self.given == 0 {
            if self.ended {
                return Ok(None);
            }
            self.ended = match self.fill() {
                Ok(more) => !more,
                Err(error) => return Err(Unreadable::Input(format!("{}: {error}", self.name))),
            };
            self.given = if self.ended { self.buffer.len() } else { self.complete };
        }
        if let Err(error) = std::str::from_utf8(&self.buffer[..self.given]) {
            let valid = error.valid_up_to();
            let mistake = not_utf8(&self.buffer[..self.given], valid);
            self.given = valid;
            return Err(Unreadable::Text(self.current(), mistake));
        }
        Ok(Some(self.current()))
    }

    /// The piece that was given out last, if the script had not ended before it.
    pub fn given(&self) -> Option<Source<'_>> {
        (self.given > 0).then(|| self.current())
    }

    /// The last piece together with all that follows it, as one piece.
    pub fn rest(&mut self) -> Result<Source<'_>, Unreadable<'_>> {
        while !self.ended {
            self.ended = match self.fill() {
                Ok(more) => !more,
                Err(error) => return Err(Unreadable::Input(format!("{}: {error}", self.name))),
            };
        }
        self.given = self.buffer.len();
        if let Err(error) = std::str::from_utf8(&self.buffer) {
            let valid = error.valid_up_to();
            let mistake = not_utf8(&self.buffer, valid);
            self.given = valid;
            return Err(Unreadable::Text(self.current(), mistake));
        }
        Ok(self.current())
    }

    /// The piece that was given out last.
    pub fn current(&self) -> Source<'_> {
        let text = std::str::from_utf8(&self.buffer[..self.given]).unwrap_or_default();
        Source { name: self.name, text, origin: self.origin }
    }

    /// Waits for more bytes. `false` at the end of the input.
    fn fill(&mut self) -> io::Result<bool> {
        let Some(input) = &mut self.input else { return Ok(false) };
        let before = self.buffer.len();
        self.buffer.resize(before + (1 << 16), 0);
        let result = loop {
            match input.read(&mut self.buffer[before..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result,
            }
        };
        let count = *result.as_ref().unwrap_or(&0);
        self.buffer.truncate(before + count);
        self.look();
        result.map(|count| count > 0)
    }

    /// Looks at what has not been looked at.
    fn look(&mut self) {
        if self.seen < self.buffer.len() {
            self.scan();
            self.seen = self.buffer.len();
        }
    }

    fn scan(&mut self) {
        for (offset, &byte) in self.buffer[self.seen..].iter().enumerate() {
            match (self.inside, byte) {
                (Inside::Comment, b'\n') => self.inside = Inside::Nothing,
                (Inside::Quotes(quote), _) if quote == byte => self.inside = Inside::Nothing,
                (Inside::Comment | Inside::Quotes(_), _) => {}
                (Inside::Nothing, b';') => self.inside = Inside::Comment,
                (Inside::Nothing, b'"' | b'|') => self.inside = Inside::Quotes(byte),
                (Inside::Nothing, b'(') => self.depth += 1,
                (Inside::Nothing, b')') => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        self.complete = self.seen + offset + 1;
                    }
                }
                (Inside::Nothing, _) => {}
            }
        }
    }
}
