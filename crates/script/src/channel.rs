//! The output channels of SMT-LIB: where answers and messages go.
//!
//! `(set-option :regular-output-channel …)` and `:diagnostic-output-channel` name standard output, standard error, or a
//! file, to which is appended. A channel begins as the writer that the caller has given, and writes to another one from
//! the option on.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};

use shem_term::smtlib::{escape_string, unescape_string};

/// The keywords of the two options.
const REGULAR: &str = ":regular-output-channel";
const DIAGNOSTIC: &str = ":diagnostic-output-channel";

/// A writer that a script may turn elsewhere.
pub struct Channel<'w> {
    own: &'w mut dyn Write,
    /// The name of the writer that the caller has given.
    own_name: &'static str,
    turned: Option<Box<dyn Write>>,
    name: String,
}

impl<'w> Channel<'w> {
    /// Answers: standard output at first.
    pub fn regular(own: &'w mut dyn Write) -> Channel<'w> {
        Channel { own, own_name: "stdout", turned: None, name: "stdout".to_owned() }
    }

    /// Messages: standard error at first.
    pub fn diagnostic(own: &'w mut dyn Write) -> Channel<'w> {
        Channel { own, own_name: "stderr", turned: None, name: "stderr".to_owned() }
    }

    /// Where it goes, as the option names it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Goes to the writer of this name from now on.
    pub fn turn(&mut self, name: &str) -> io::Result<()> {
        self.flush()?;
        self.turned = match name {
            name if name == self.own_name => None,
            "stdout" => Some(Box::new(io::stdout())),
            "stderr" => Some(Box::new(io::stderr())),
            path => Some(Box::new(BufWriter::new(open(path)?))),
        };
        name.clone_into(&mut self.name);
        Ok(())
    }

    fn writer(&mut self) -> &mut dyn Write {
        match &mut self.turned {
            Some(writer) => writer,
            None => self.own,
        }
    }
}

/// Whether the keyword is one of the two options.
pub fn is_channel(keyword: &str) -> bool {
    matches!(keyword, REGULAR | DIAGNOSTIC)
}

/// Sets the option of this keyword, which is one of the two: the value is a string as written.
pub fn turn<'w>(
    out: &mut Channel<'w>,
    err: &mut Channel<'w>,
    keyword: &str,
    value: &str,
) -> Result<(), String> {
    if !value.starts_with('"') {
        return Err(format!("the option {keyword} needs a string"));
    }
    let name = unescape_string(value);
    let channel = if keyword == REGULAR { out } else { err };
    channel.turn(&name).map_err(|error| format!("{name} cannot be written: {error}"))
}

/// The value of the option of this keyword, if it is one of the two.
pub fn name_of(out: &Channel<'_>, err: &Channel<'_>, keyword: &str) -> Option<String> {
    match keyword {
        REGULAR => Some(escape_string(out.name())),
        DIAGNOSTIC => Some(escape_string(err.name())),
        _ => None,
    }
}

fn open(path: &str) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).open(path)
}

impl Write for Channel<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer().flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_channel_is_turned_and_turned_back() {
        let path = std::env::temp_dir().join(format!("shem-channel-{}", std::process::id()));
        let name = path.to_str().expect("a name").to_owned();
        let mut own = Vec::new();
        let mut channel = Channel::regular(&mut own);
        let mut say = |name: &str, words: &str| {
            channel.turn(name).expect("a channel");
            assert_eq!(channel.name(), name);
            writeln!(channel, "{words}").expect("written");
        };
        say("stdout", "one");
        say(&name, "two");
        say("stdout", "three");
        say(&name, "four");
        assert!(channel.turn("/no/such/folder/file").is_err());
        drop(channel);
        assert_eq!(own, b"one\nthree\n");
        assert_eq!(std::fs::read(&path).expect("a file"), b"two\nfour\n");
        std::fs::remove_file(&path).expect("it is there");
    }
}
