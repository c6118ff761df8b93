//! S-expressions: the only form in which the test kit sees scripts and solver output.
//!
//! Reading is iterative and refuses nesting beyond [`MAX_DEPTH`], so the recursive walks elsewhere in
//! the kit have a bounded depth. Quoted symbols and strings keep their quotes: an atom's text is what
//! stood in the file.

use std::fmt;

/// Deeper nesting than this is refused by the reader.
pub const MAX_DEPTH: usize = 2_000;

/// An S-expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Sexpr {
    /// A symbol, keyword, number or string, with its quotes.
    Atom(String),
    /// A parenthesised list.
    List(Vec<Sexpr>),
}

/// Why a text is not a sequence of S-expressions, and at which byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// Byte offset of the trouble.
    pub offset: usize,
    /// What is wrong there.
    pub message: &'static str,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: {}", self.offset, self.message)
    }
}

impl std::error::Error for ReadError {}

impl Sexpr {
    /// An atom.
    pub fn atom(text: impl Into<String>) -> Self {
        Self::Atom(text.into())
    }

    /// The list `(head items…)`.
    pub fn app(head: &str, items: impl IntoIterator<Item = Sexpr>) -> Self {
        let mut list = vec![Self::atom(head)];
        list.extend(items);
        Self::List(list)
    }

    /// The items of a list.
    pub fn list(&self) -> Option<&[Sexpr]> {
        match self {
            Self::List(items) => Some(items),
            Self::Atom(_) => None,
        }
    }

    /// The text of an atom.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Atom(text) => Some(text),
            Self::List(_) => None,
        }
    }

    /// The first item of a list when it is an atom: a command's name, a term's operator.
    pub fn head(&self) -> Option<&str> {
        self.list()?.first()?.text()
    }

    /// The number of atoms and lists.
    pub fn size(&self) -> usize {
        match self {
            Self::Atom(_) => 1,
            Self::List(items) => 1 + items.iter().map(Self::size).sum::<usize>(),
        }
    }
}

impl fmt::Display for Sexpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Atom(text) => f.write_str(text),
            Self::List(items) => {
                f.write_str("(")?;
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        f.write_str(" ")?;
                    }
                    item.fmt(f)?;
                }
                f.write_str(")")
            }
        }
    }
}

/// Reads all S-expressions of a text; comments are skipped.
pub fn read_all(text: &str) -> Result<Vec<Sexpr>, ReadError> {
    let bytes = text.as_bytes();
    let mut open: Vec<Vec<Sexpr>> = Vec::new();
    let mut done: Vec<Sexpr> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let finished = match bytes[at] {
            b'(' => {
                if open.len() == MAX_DEPTH {
                    return Err(ReadError { offset: at, message: "nested too deeply" });
                }
                open.push(Vec::new());
                at += 1;
                continue;
            }
            b')' => {
                at += 1;
                let items =
                    open.pop().ok_or(ReadError { offset: start, message: "unmatched parenthesis" })?;
                Sexpr::List(items)
            }
            b';' => {
                while at < bytes.len() && bytes[at] != b'\n' {
                    at += 1;
                }
                continue;
            }
            byte if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'"' => {
                at = string_end(bytes, at)?;
                Sexpr::atom(&text[start..at])
            }
            b'|' => {
                let rest = bytes[at + 1..].iter().position(|&byte| byte == b'|');
                at += 2 + rest.ok_or(ReadError { offset: start, message: "open quoted symbol" })?;
                Sexpr::atom(&text[start..at])
            }
            _ => {
                while at < bytes.len() && !ends_atom(bytes[at]) {
                    at += 1;
                }
                Sexpr::atom(&text[start..at])
            }
        };
        open.last_mut().unwrap_or(&mut done).push(finished);
    }
    if open.is_empty() { Ok(done) } else { Err(ReadError { offset: at, message: "open parenthesis" }) }
}

fn ends_atom(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'(' | b')' | b';' | b'"' | b'|')
}

/// The position after the string literal that starts at `start`; a doubled quote stays inside.
fn string_end(bytes: &[u8], start: usize) -> Result<usize, ReadError> {
    let mut at = start + 1;
    while at < bytes.len() {
        if bytes[at] == b'"' {
            if bytes.get(at + 1) != Some(&b'"') {
                return Ok(at + 1);
            }
            at += 1;
        }
        at += 1;
    }
    Err(ReadError { offset: start, message: "open string" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(text: &str) -> String {
        let items = read_all(text).expect("readable");
        items.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn reads_and_prints() {
        assert_eq!(
            round_trip("(a (b  c) |x y| \"s \"\" t\") d ; note\n()"),
            "(a (b c) |x y| \"s \"\" t\") d ()"
        );
        assert_eq!(round_trip("sat\n((x (- 3)))"), "sat ((x (- 3)))");
    }

    #[test]
    fn refuses_what_is_broken() {
        for broken in ["(a", "a)", "\"open", "|open", &"(".repeat(MAX_DEPTH + 1)] {
            assert!(read_all(broken).is_err(), "{broken:.20}");
        }
    }
}
