//! One query on several cores: its search space is split into parts, which several solvers work on.
//!
//! A query that one solver has not decided after [`SPLIT_AFTER`] units of work is given to several ones, each in a thread,
//! with the same formulas. The first one goes on. The others work on the nodes of a *partition tree*: the root is the
//! whole query, and the children of a node have a literal more in their cubes, one of them its negation (Hyvärinen, Junttila and Niemelä, 2011; Marescotti,
//! Hyvärinen and Sharygina, 2016). A solver without work takes a leaf that nobody works on. If there is none, the solver of
//! the leaf that has taken longest chooses a variable by lookahead ([`shem_smt::Solver::split_variable`]) and leaves one
//! half of its part to the other one. Some stay at the root, with other seeds. They share short clauses.
//!
//! A model of any part is one of the query. A cube is refuted with the literals that the refutation needs, so that it may
//! refute other parts, too; the query has no model when the root is refuted, by a solver or since both of its children are.
//! What the refutations use of the assertions, by way of the clauses of others too, is a core.
//!
//! Solvers work in rounds of counted work, and clauses and parts change hands between two rounds only: how many cores
//! there really are changes how long a run takes, and nothing else. So the time on any number of cores can be counted,
//! too: a round takes as long as the solver that has done most in it.
//!
//! Derivations of several solvers are not joined: a script that asks for proofs or interpolants has one solver.

mod clauses;
mod coordinate;
#[cfg(test)]
mod tests;
mod tree;
mod turns;
mod worker;

pub(super) use coordinate::{Answer, Core, Cores, Cost, Query, solve};

/// The units of work after which a query is split: about a tenth of a second.
pub(super) const SPLIT_AFTER: u64 = 5_000_000;

/// The first units of these, in the thread of the script.
pub(super) const FIRST_EFFORT: u64 = 300_000;
