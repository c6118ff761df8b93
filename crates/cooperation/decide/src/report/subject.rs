//! What a report is about.

use std::fmt;
use std::hash::Hasher;

use rustc_hash::FxHasher;

/// A check of a text. A worker that was given another text, whatever the reason, is not to be believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subject {
    bytes: u64,
    hash: u64,
    /// The number of the check, from 1.
    check: u64,
}

impl Subject {
    /// The check of this number, from 1, in this text.
    pub fn new(text: &[u8], check: u64) -> Subject {
        // The hash tells mistakes apart, not malice: the worker is our own program, with the same hash function.
        let mut hasher = FxHasher::default();
        hasher.write(text);
        Subject { bytes: text.len() as u64, hash: hasher.finish(), check }
    }
}

/// The two lines of a report that say what it is about.
impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "input {} {:016x}\ncheck {}", self.bytes, self.hash, self.check)
    }
}
