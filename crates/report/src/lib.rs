//! Answers as pages to look at.
//!
//! [`page`] makes one page of HTML of an answer: the verdict and what was checked, the clauses as a graph as read and after
//! the passes, the clauses and the invariant of each predicate in mathematical notation, the counterexample as a path, as
//! curves and as a table, the time line of the engines, and statistics. The page needs nothing else: styles, script and
//! pictures are inside, and its policy forbids to load anything or to run a script that is not its own. Whatever comes
//! from the input is escaped, and cut where it is long, so that a page has less than five megabytes.

mod counterexample;
mod layout;
mod markup;
mod notation;
mod page;
mod picture;
mod predicates;
mod termination;
mod timeline;

pub use page::{Report, page};
pub use termination::{TerminationReport, termination_page};
pub use timeline::Timeline;
