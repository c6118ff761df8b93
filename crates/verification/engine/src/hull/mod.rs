//! Hulls of what was seen: the strongest invariant of a rich abstract domain, by questions to the solver.
//!
//! Reps, Sagiv and Yorsh (2004, "Symbolic implementation of the best transformer") compute the best abstraction of a
//! step by asking the solver for a state that is not covered, and joining it ([`shem_transform::domain`]). The sets of
//! states here are for loops with phases.
//! A *phase* is the vector of truth values of the atoms at which the program decides, the query's included. In each
//! phase the hull is an affine lattice (Karr 1976, Granger 1991; by the solver: King and Søndergaard 2010), that is,
//! linear equalities with congruences, and bounds on linear forms: coordinates, their sums and differences, the forms
//! of guards and queries, and equalities that held in part of a phase. Bounds are not widened to infinity but to the
//! next number of the program, or to an extreme of the runs that were seen. So the domain has no long chains and the
//! hull is the least one that is inductive, whatever the order of questions.
//!
//! Quotients and remainders that the program computes are coordinates like variables. Where a variable grows faster
//! than linearly at first, or guards settle after a few steps, some states at the beginning of a run are kept one by
//! one (*peeling*). If the hull does not exclude falsehood, the next stage has more forms, more phases or more single
//! states.
//!
//! An inductive hull that excludes falsehood is a model. One that does not is told to other engines as an invariant. A
//! run that reaches falsehood is a derivation. Cost: a question for each part of a hull and edge, plus one for each
//! growth.

mod description;
mod element;
mod engine;
mod features;
mod hulls;
mod mine;
mod orders;
mod program;
mod search;
mod seed;

pub use engine::{Hull, Settings as HullSettings};

pub(crate) use description::DESCRIPTION;
