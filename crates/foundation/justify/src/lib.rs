//! The judge of refutations: a proof, from the formulas that were asserted to the contradiction.
//!
//! The checker of proofs believes the input clauses. They come from a translation of formulas to clauses, which
//! is a large piece of code, so here each of them has to be justified, by code that shares nothing with the
//! translation.
//!
//! The idea: every variable of the clauses *means* something over the symbols of the input. A propositional
//! variable means a formula or a linear inequality, an arithmetic one means a term ([`Translation`]). So an
//! assignment of the input's symbols gives a value to every variable of the proof, and if all input clauses hold
//! under these values, the contradiction at the end of the proof shows that no assignment satisfies the asserted
//! formulas. Hence the meanings need not be believed: whatever a translation says, a proof is accepted only if
//! each input clause follows from one assertion, or from nothing at all, under the meanings that it gave.
//! Definitions cannot be circular, because a meaning is a term and not an equation.
//!
//! Equations are of *nodes*, which mean terms, too, told one level at a time: a node is a symbol applied to nodes with
//! smaller numbers, a linear form over arithmetic variables, a term. The sorts of parts are checked, so that whatever
//! is told, every assignment gives a value to every node.
//!
//! What "follows" means is kept small. A clause of an assertion has to be one of those that opening the top
//! connectives of the formula gives. Any other clause has to state, for one gate, one conditional or one rounded
//! quotient among its literals, one direction of what that is. Literals are compared by what they say: formulas
//! by identity, inequalities as primitive linear forms over variables, applications, conditionals and integer parts,
//! equations and applications by their symbols and the values of their arguments. What has to do with the bits of
//! bit-vectors is compared with circuits that the judge makes itself (see `bits`, and `operations` for products and
//! quotients of which a translation says less than a circuit).

mod bits;
mod clause;
mod error;
mod intern;
mod judge;
mod linear;
mod literal;
mod meaning;
mod node;
mod operations;
mod translation;
mod value;

pub use error::RefutationError;
pub use judge::{Premises, check_refutation};
pub use translation::{Assertion, Gate, Meaning, NodeMeaning, NumberMeaning, Translation};
