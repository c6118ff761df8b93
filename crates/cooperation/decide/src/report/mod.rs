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
//! model 2                  so many definitions follow, each on a line, as in the format of the exchange
//! (p (>= x0 0))
//! (q false)
//! derivation 3             or: so many steps follow, in the same way: (CLAUSE (STEP...) (VALUE...))
//! missing words            or: there is no witness, and why
//! verdict sat              the end of a good report
//! unknown words            or: the engine gave up
//! failure words            or: something is wrong with the worker, or it is out of its share of memory
//! ```

mod read;
mod subject;
#[cfg(test)]
mod tests;
mod write;

pub use read::{LONGEST_LINE, Report, Reports, Signal};
pub use subject::Subject;
pub use write::ReportWriter;

/// The first line.
const HEADER: &str = "shem-report 1";
