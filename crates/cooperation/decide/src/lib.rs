//! Several engines on one problem.
//!
//! A portfolio runs each engine in a process of its own ([`Entry`]: a command line), gives turns to those that
//! have to share cores ([`Schedule`]), reads what they report ([`report`]) and judges it ([`run`]): the first
//! verdict that stands the test wins. [`entries_for`] says which engines suit a problem.

mod arbiter;
pub mod clock;
mod contradiction;
mod entry;
mod lifeline;
mod post;
pub mod report;
mod resources;
mod schedule;
mod strategy;
mod worker;

pub use arbiter::{Decision, Job, Observer, Outcome, run};
pub use contradiction::Contradiction;

pub use entry::Entry;
pub use lifeline::tie_to;
pub use resources::{cores, memory};
pub use schedule::Schedule;
pub use strategy::{Profile, entries_for};
