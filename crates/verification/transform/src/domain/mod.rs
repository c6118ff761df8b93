//! Abstract interpretation: sets of states that contain all facts of the vertices of a graph.
//!
//! Three layers, each of which can be used without those below it in this list:
//!
//! - *Sets of points* that are computed with exactly: affine subspaces (`subspace`), affine lattices (`lattice`),
//!   intervals (`interval`), arcs of bit-vectors (`arc`) and linear forms with numbers at which their bounds stop (`form`). They know neither terms
//!   nor graphs; `formula` writes what they say as formulas over terms for the coordinates.
//! - *Domains* ([`Domain`]): what is said of the states of a vertex, by an element that states are joined to. Elements
//!   of all vertices are [`Elements`].
//! - *The search* ([`AbstractInterpretation`]) for the least sets that are closed under all edges, by questions to the
//!   solver. It works on an [`Abstraction`]: the elements of a domain, or whatever else has sets of states in parts. Its
//!   worklist is [`fixpoint`], which does not ask how an edge is taken.

mod arc;
mod element;
mod fixpoint;
mod form;
mod formula;
mod interval;
mod lattice;
mod search;
mod subspace;

pub use arc::Arc;
pub use element::{Domain, Elements};
pub use fixpoint::{Grown, fixpoint, ranks};
pub use form::{Form, Thresholds, normal_form, value_of};
pub use formula::{bounds_of, congruence, equality, terms_of};
pub use interval::Interval;
pub use lattice::{Lattice, LinearConstraint};
pub use search::{AbstractInterpretation, Abstraction, Known};
pub use subspace::{Determined, Subspace};
