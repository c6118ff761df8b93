//! IC3 over bits: property-directed reachability for systems with finitely many states.
//!
//! Bradley (2011); Eén, Mishchenko and Brayton (2011). There is a sequence of *frames*, sets of states that contain what
//! is reached in at most so many steps, given by the cubes that they exclude. A bad state of the last frame is an
//! *obligation*; either a state of the frame before leads to it, which is the next obligation, or it is excluded by
//! induction relative to that frame, and *generalised* with few literals into a lemma. Lemmas are pushed to later frames
//! as long as they are inductive; if two frames agree, they are an invariant. What is asked are small questions about
//! one step, which are propositional: the system is made a circuit once, and no term is built afterwards.
//!
//! The circuit and its solvers are those of `bits`; `initial`, `frames`, `obligations`, `search` and `generalise` are the
//! algorithm.
//!
//! Differently from programs for circuits, the initial states are any formula, and the transition any relation. A solver
//! for each frame has its lemmas as plain clauses; the clause of a query goes with a scope and needs no activation
//! literal.

mod description;
mod engine;
mod frames;
mod generalise;
mod initial;
mod obligations;
mod search;
mod settings;

pub(crate) use description::DESCRIPTION;
pub use engine::Ic3;
pub use settings::Ic3Settings;
