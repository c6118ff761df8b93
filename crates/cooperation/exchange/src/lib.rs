//! Exchange: how solvers that work on one problem send each other what they learnt.
//!
//! A [`Note`] is a message: a lemma that counts steps of one transition system, an inductive invariant over the
//! predicates as read, or a verdict with its witness. Its formulas are text under limits ([`Formula`]); [`encode`]
//! and [`decode`] are the wire format. Threads of a process meet at a [`Hub`]; an engine sees a [`HubPort`].
//! Beyond the process there is a [`Link`], which moves bytes, and a [`Relay`] between it and the hub.
//!
//! The rules are those of the project: what crosses a process boundary is a candidate, parsed under limits and used
//! only after its condition was checked; a forged lemma can cost time, never soundness.

mod address;
mod allowance;
#[cfg(feature = "redis")]
mod broker;
mod hub;
mod invariant;
mod link;
mod note;
mod port;
mod queue;
mod rate;
mod relay;
mod share;
mod value;
mod wire;
mod witness;

pub use address::{Address, PASSWORD, USER};
#[cfg(feature = "redis")]
pub use broker::{RedisLink, RedisQueue};
pub use hub::{Endpoint, Hub, QUEUE_CAPACITY, SharedNote};
pub use invariant::Translator;
pub use link::{Channel, Link, LinkError, MAX_LINE_BYTES, Message, StreamLink};
pub use note::{
    Bounded, BoundedKind, Content, Definitions, Note, SentCourses, SentNode, SentStep, SentWitness,
};
pub use port::{Counters, HubPort, fingerprint_of_facts};
pub use queue::{PartQueue, QueueCounters, QueueEvent, QueueKeeper, Taken};
pub use rate::RateLimiter;
pub use relay::{LocalExchange, Relay, RelayCounters};
pub use share::Share;
pub use shem_term::pack::{Formula, FormulaError, FormulaLimits, Naming};
pub use wire::{
    MAX_BYTES, PREFIX, VERSION, WireError, WitnessLimits, WitnessText, decode, encode, malformed,
};
pub use witness::{
    read_derivation, read_inductive, read_model, read_repeating, write_derivation, write_inductive,
    write_model, write_repeating,
};
