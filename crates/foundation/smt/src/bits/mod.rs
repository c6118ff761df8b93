//! Bit-vectors as circuits over propositional variables.
//!
//! Every node of a sort of bit-vectors is a *word*: a list of literals, the lowest bit first. The bits of a variable, of a
//! function's result or of an array's element are new variables; those of an operation are the outputs of its circuit,
//! whose gates are shared by all words (structural hashing, with constants folded). An equation or comparison of words is
//! tied to the bits, so the closure, which sees operations as functions that it knows nothing of, and the bits agree on
//! every atom. What the closure merges without an atom, and values that coincide, are exchanged in the final check (see
//! `product/combine`).
//!
//! Words are made when a scope is opened or a check begins, for all nodes that have come since then. Circuits are ripple-carry
//! adders, products as sums over the digits of a factor, in non-adjacent form if it is a number, restoring
//! dividers and shifters by stages. The clauses of a circuit are definitions. The number of gates is limited; if it is
//! reached, the answer is unknown. Wide products and quotients may be left without circuits until their values matter (see
//! `abstraction`).

mod abstraction;
mod circuits;
mod formulas;
mod gates;
mod options;
mod words;

pub use formulas::BitCircuit;
pub use gates::Gate;
pub use options::BitOptions;
pub(crate) use words::{Shapes, WordShape, Words};
