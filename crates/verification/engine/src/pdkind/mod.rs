//! PD-KIND: property-directed k-induction.
//!
//! Jovanović and Dutertre (2016), in the shape that Blicha's thesis (2023, chapter 6) gives it: an engine that
//! checks induction (`induct`) and one that answers questions of bounded reachability (`frames`), with a
//! narrow interface between them ([`Reachability`]), so that several of each can work together.
//!
//! Ours differs from the papers in the questions asked: "within n steps", not "in exactly n", since the
//! reachability frames are sets of bounded invariants and answer this one at no extra cost; and the invariant
//! is made inductive in one step by interpolation (see [`KInductive`](shem_check::certificate::KInductive)).

mod bounded;
mod description;
mod engine;
mod frames;
mod induct;
mod reachability;
mod settings;
mod share;
mod trace;

pub use bounded::Unroller;
pub use description::DESCRIPTION;
pub use engine::PdKind;
pub use frames::Frames;
pub use reachability::{Reach, Reachability};
pub use settings::{Depth, Order, Settings};
pub use trace::Trace;
