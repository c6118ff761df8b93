//! Projection: elimination of variables.
//!
//! [`Projector`] works for one model at a time: an implicant of a formula, and from it a cube without the
//! unwanted variables (model-based projection). [`eliminate`] puts such cubes together to the exact result,
//! and [`eliminate_quantifiers`] applies it to the blocks of a formula from the inside out. For the engines
//! there are also [`Projector::project_onto`] and [`drop_literals`].
//!
//! `valuation` and `implicant` turn a formula into literals, `load` turns these into the integer rows of
//! `rows`, `real` and `integer` eliminate one variable from the rows, `projector` calls them in order.
//! Before that, `rewrite` removes variables from arrays, datatypes and functions by the rules in `branches`,
//! `definitions`, `bits`, `datatypes`, `arrays` (with `difference`) and `functions`; `application` values such terms.
//! `define`, `eliminate` and `merge` are the three stages of an elimination; the last joins cubes by means of
//! `join`, `interval_set` and `residues` before it asks a solver.

mod application;
mod arrays;
mod bits;
mod branches;
mod cube;
mod datatypes;
mod define;
mod definitions;
mod difference;
mod eliminate;
mod fresh;
mod functions;
mod generalise;
mod implicant;
mod integer;
mod interval_set;
mod join;
mod load;
mod merge;
mod projector;
mod quantifiers;
mod real;
mod residues;
mod rewrite;
mod rows;
mod unsupported;
mod valuation;

pub use cube::simplify_cube;
pub use eliminate::{eliminate, eliminate_disjunct};
pub use generalise::drop_literals;
pub use projector::{Projection, Projector, implicant, project};
pub use quantifiers::{assertable, eliminate_quantifiers};
pub use unsupported::Unsupported;
