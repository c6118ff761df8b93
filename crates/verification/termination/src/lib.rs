//! Termination of linear systems of Horn clauses.
//!
//! A run begins with a fact and goes on by clauses with one atom in the body; [`decide`] answers whether every run ends, with
//! an argument that was judged on the clauses as read (`shem_check`). Clauses become transitions (`problem`) and their cases,
//! conjunctions of linear constraints (`cube`).
//!
//! - *Yes*: levels of a lexicographic order by Farkas' lemma (`levels`), over nodes by guards where one function for all states does not
//!   suffice (`refine`), with invariants by abstract interpretation
//!   (`invariants`), and where these do not suffice with those that a question of safety gives (`conditional`); transition invariants
//!   where no order is found (`closures`).
//! - *No*: runs that come back to a state (`runs`), recurrent sets of cycles (`cycles`), and sets in which no state is the last
//!   one, again by questions of safety (`endless`).
//!
//! `ari` reads integer transition systems in the language of the termination competition, `script` those of clauses without losing
//! steps, `text` writes arguments.

mod ari;
mod closures;
mod conditional;
mod cube;
mod cycles;
mod endless;
mod farkas;
mod invariants;
mod levels;
mod linear;
mod moves;
mod problem;
mod refine;
mod runs;
mod safety;
mod script;
mod search;
mod text;

pub use ari::{is_ari, read_ari};
pub use safety::{NoSafety, Safe, Safety};
pub use script::Runs;
pub use search::{Answer, decide};
pub use text::{argument, word};
