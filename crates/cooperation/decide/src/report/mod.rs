//! What a worker tells: a report, in lines of text.
//!
//! A worker is another process and may be broken, so its report is read under limits and believed in nothing
//! that can be judged: the witness is checked by whoever receives it, on the system that it has read itself.
//! The form is plain lines, so that a person can read it and a later version can tell that it does not
//! understand it:
//!
//! ```text
//! shem-report 1
//! input 1234 8c1f…         bytes of the text that was read, and their fingerprint
//! check 1                  which check-sat of the text this is about
//! progress 7 12            where the engine is: depth, lemmas; any number of times
//! (shem-exchange 1 …)      something learnt that others may use, in the format of the exchange; any number of times
//! taken 3                  how much of what others have learnt was of use so far; any number of times
//! claim sat                the engine has decided; what shows it is being prepared
//! certificate              the engine's certificate was checked and accepted
//! engine spacer            who decided
//! statistic spacer.lemmas 12
//! model 2                  a line with the body of each definition, over x0, x1, …
//! (>= x0 0)
//! true
//! derivation 3             or: a line for each step, CLAUSE PREMISE… : VALUE…
//! missing words            or: there is no witness, and why
//! verdict sat              the end of a good report
//! unknown words            or: the engine gave up
//! failure words            or: something is wrong with the worker, or it is out of its share of memory
//! ```

mod read;
#[cfg(test)]
mod tests;
mod witness;
mod write;

pub use read::{LONGEST_LINE, Report, Reports, Signal};
pub use witness::{Evidence, read_model};
pub use write::ReportWriter;

use std::fmt;
use std::hash::Hasher;

/// The first line.
const HEADER: &str = "shem-report 1";

/// Whether the clauses have a model; there is no third word here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// They have.
    Sat,
    /// They have none.
    Unsat,
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Word::Sat => "sat",
            Word::Unsat => "unsat",
        })
    }
}

/// What a report is about: a check of a text. A worker that was given another text, whatever the reason, is not
/// to be believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subject {
    bytes: u64,
    fingerprint: u64,
    /// The number of the check, from 1.
    check: u64,
}

impl Subject {
    /// The check of this number, from 1, in this text.
    pub fn new(text: &[u8], check: u64) -> Subject {
        // The fingerprint tells mistakes apart, not malice: the worker is our own program.
        let mut hasher = Fnv(0xcbf2_9ce4_8422_2325);
        hasher.write(text);
        Subject { bytes: text.len() as u64, fingerprint: hasher.finish(), check }
    }
}

/// The hash of Fowler, Noll and Vo: the same in every process and version.
struct Fnv(u64);

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.0 = (self.0 ^ u64::from_le_bytes(word)).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
