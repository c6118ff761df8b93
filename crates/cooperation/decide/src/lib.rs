//! Deciding a system of clauses, in every way there is.
//!
//! [`decide`] is the one way of a system to its answer: [`Prepared`] runs the passes, a [`Runner`] runs engines and
//! gives claims with their evidence, the [`Judge`] judges them on the system as read, and the [`Answer`] says what was
//! found and checked. Runners are one engine in this thread, several in threads, workers in processes, and any of the
//! latter joined with other processes through a broker. A worker tells what it finds in a [`report`]; which engines suit
//! a problem, [`entries_for`] says. The only thread that looks at the time is the [`clock`].

pub mod allocator;
mod answer;
mod assignment;
mod certificate;
pub mod clock;
mod contradiction;
mod decide;
mod demand;
mod entry;
mod evidence;
mod judge;
mod launch;
mod lifeline;
mod observer;
mod options;
mod parts;
mod prepare;
mod queries;
mod reason;
pub mod report;
mod resources;
mod runner;
mod shorter;
mod smaller;
mod start;
mod strategy;
mod termination;
mod translation;
mod universal;
mod watch;
mod work;
mod worker_main;

pub use answer::{Answer, Checked, Status, Verdict, Witness};
pub use assignment::Assignment;
pub use contradiction::Contradiction;
pub use decide::{Request, decide, decide_by};
pub use demand::{Situation, Step};
pub use entry::Entry;
pub use evidence::{Claim, Evidence, Findings, Local, Proof, Remote};
pub use judge::{Accepted, Judge, Refusal};
pub use launch::{Launch, this_program};
pub use lifeline::tie_to;
pub use observer::{Exchanged, Milestone, Observer, Running, Told, Used};
pub use options::{Checking, Engines, SolveOptions};
pub use parts::{Division, Part};
pub use prepare::{PREPROCESSING, Prepared, SentGraph, Variant, read_graph};
pub use queries::QueryFolder;
pub use reason::{Cause, Fault, MEGABYTE, NoWitness, Rejection, Undecided};
pub use resources::{cores, memory, resident};
pub use runner::{
    Decided, Early, Ending, Event, Job, Joined, Member, Processes, Rounds, Runner, Schedule, Single, Team,
    Threads, virtual_figures,
};
pub use shorter::{Shortening, ShorterDerivation, shorter_derivation};
pub use smaller::{SmallerModel, smaller_model};
pub use strategy::{Profile, entries_for, entries_of, part_of};
pub use termination::terminates;
pub use watch::{Stopped, Watch};
pub use work::{Work, WorkError, work};
pub use worker_main::run_worker;
