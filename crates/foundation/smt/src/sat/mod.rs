//! The SAT core: conflict-driven clause learning modulo a theory, with scopes, assumptions and derivations.
//!
//! The core is made for very many small, closely related queries. Nothing is rebuilt between two of them:
//! watches, activities, phases, learnt clauses and, where the assumptions agree, even the trail stay. See
//! `scope` for what closing a scope removes, `decide` for why a model may leave variables open, `propagate`
//! for propagation by clauses and theory, `analyze` for learning and its derivations and `propositional` for searches
//! that are long and have little to do with the theory.

mod analyze;
mod arena;
mod clauses;
mod core;
mod decide;
mod eliminate;
mod extend;
mod failure;
mod heap;
#[cfg(test)]
mod invariants;
mod later;
mod lookahead;
mod propagate;
mod propositional;
mod queue;
mod reduce;
mod scope;
mod search;
mod share;
mod statistics;
#[cfg(test)]
mod tests;
mod trail;
mod watch;

pub use self::core::Sat;
pub use search::SolveResult;
pub use share::ClausePort;
pub use statistics::SatStatistics;
