//! How messages cross the boundary of a process.
//!
//! A [`Link`] moves bytes and knows nothing of what they say: a broker, a pipe, a socket. It may lose messages, and it
//! may break. The relay behind it (see [`Relay`](crate::Relay)) makes notes of what comes, and messages of what goes.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use thiserror::Error;

/// Two classes of messages, so that many of the one do not keep out the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// Lemmas and invariants.
    Lemmas,
    /// Verdicts with their witnesses.
    Verdicts,
}

/// Why a link does not work any more, without credentials.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct LinkError(pub String);

impl From<io::Error> for LinkError {
    fn from(error: io::Error) -> LinkError {
        LinkError(error.to_string())
    }
}

/// A message, and where it came from.
pub type Message = (Channel, Vec<u8>);

/// Moves messages between processes. After an error the link may be tried again: it connects anew.
pub trait Link: Send {
    /// Sends a message to all others.
    fn send(&mut self, channel: Channel, message: &[u8]) -> Result<(), LinkError>;

    /// Takes at most `most` messages of each channel that have come; waits for the first one at most for this time.
    fn receive(&mut self, most: usize, wait: Duration) -> Result<Vec<Message>, LinkError>;

    /// A number for this process that others of the run do not have, counted from zero.
    fn number(&mut self) -> Result<u64, LinkError> {
        Err(LinkError("the link does not count processes".to_owned()))
    }
}

/// A link over a pair of streams, such as the pipes of a child process: one message a line. Lines longer than
/// [`MAX_LINE_BYTES`] are neither sent nor received.
pub struct StreamLink<W> {
    output: W,
    lines: Receiver<Vec<u8>>,
}

/// The longest message between workers.
pub const MAX_LINE_BYTES: usize = 100_000;

/// How many lines wait to be read.
const WAITING_LINES: usize = 256;

impl<W: Write> StreamLink<W> {
    /// A link that writes here and reads there. A thread of its own reads, and ends when the input does.
    pub fn new(output: W, input: impl Read + Send + 'static) -> StreamLink<W> {
        let (sender, lines) = sync_channel(WAITING_LINES);
        thread::spawn(move || read_lines(BufReader::new(input), &sender));
        StreamLink { output, lines }
    }
}

/// Reads lines up to the limit; a longer one is dropped.
fn read_lines(mut input: impl BufRead, sender: &SyncSender<Vec<u8>>) {
    let mut line = Vec::new();
    loop {
        line.clear();
        match (&mut input).take(MAX_LINE_BYTES as u64 + 1).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        if line.pop() != Some(b'\n') {
            // Too long, or the end without a newline.
            if input.skip_until(b'\n').is_err() {
                return;
            }
            continue;
        }
        if sender.send(line.clone()).is_err() {
            return;
        }
    }
}

impl<W: Write + Send> Link for StreamLink<W> {
    fn send(&mut self, _: Channel, message: &[u8]) -> Result<(), LinkError> {
        if message.len() > MAX_LINE_BYTES {
            return Ok(());
        }
        self.output.write_all(&[message, b"\n"].concat())?;
        Ok(self.output.flush()?)
    }

    fn receive(&mut self, most: usize, wait: Duration) -> Result<Vec<Message>, LinkError> {
        let mut messages = Vec::new();
        match self.lines.recv_timeout(wait) {
            Ok(line) => messages.push((Channel::Lemmas, line)),
            Err(RecvTimeoutError::Timeout) => return Ok(messages),
            Err(RecvTimeoutError::Disconnected) => return Err(LinkError("the stream has ended".to_owned())),
        }
        let more = self.lines.try_iter().take(most.saturating_sub(1));
        messages.extend(more.map(|line| (Channel::Lemmas, line)));
        Ok(messages)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_cross_a_pipe() {
        let (reader, mut writer) = io::pipe().expect("a pipe");
        let mut link = StreamLink::new(Vec::new(), reader);
        let long = vec![b'x'; MAX_LINE_BYTES + 100];
        let feeder = thread::spawn(move || {
            writer.write_all(b"one\n").unwrap();
            writer.write_all(&long).unwrap();
            writer.write_all(b"\ntwo\nunfinished").unwrap();
        });
        let mut received = Vec::new();
        loop {
            match link.receive(10, Duration::from_secs(10)) {
                Ok(messages) => received.extend(messages),
                Err(error) => break assert_eq!(error.to_string(), "the stream has ended"),
            }
        }
        feeder.join().unwrap();
        assert_eq!(received, [&b"one"[..], b"two"].map(|line| (Channel::Lemmas, line.to_vec())));
        link.send(Channel::Lemmas, b"message").unwrap();
        assert_eq!(link.output, b"message\n");
        link.send(Channel::Lemmas, &[b'x'; MAX_LINE_BYTES + 1]).unwrap();
        assert_eq!(link.output, b"message\n");
    }
}
