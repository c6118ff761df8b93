//! Transition power abstraction: `tpa` and `split-tpa`.
//!
//! The sequence of a transition relation has elements that cover paths of exponentially growing length, each a
//! formula over two copies of the state. They are refined by interpolation while bounded reachability is
//! decided with them, so that counterexamples of millions of steps are found by queries about a few steps;
//! and an element that is closed under composition proves safety. `split-tpa` keeps paths of exactly a power's
//! length apart from shorter ones, which gives more such elements.
//!
//! - `description`: what others need to know of the engines
//! - `settings`: the choices that the papers leave open
//! - `copies`, `sequence`: relations, and how elements are composed
//! - `stuttering`: transitions that change nothing
//! - `power`: the solver of a level; `reach`: the recursion over levels; `trace`: how sets were reached
//! - `transition_invariant`, `fixpoint`: transition invariants, and the search for one
//! - `path`, `invariant`: the witnesses
//! - `share`: elements of other instances
//! - `engine`: the main loop on transition systems; `dag`, `widen`, `dag_witness`: graphs of several loops
//! - `component`, `calls`, `summaries`, `summary_witness`: nonlinear graphs, as loops that call others

mod calls;
mod component;
mod copies;
mod dag;
mod dag_witness;
mod description;
mod engine;
mod fixpoint;
mod invariant;
mod path;
mod power;
mod reach;
mod runs;
mod sequence;
mod settings;
mod share;
mod stuttering;
mod summaries;
mod summary_witness;
mod trace;
mod transition_invariant;
mod widen;

pub use dag::DagTpa;
pub use description::{DESCRIPTION, SPLIT_DESCRIPTION};
pub use engine::Tpa;
pub use settings::{Direction, StepOrder, TpaSettings};
