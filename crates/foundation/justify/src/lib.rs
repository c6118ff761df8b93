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
//! What "follows" means is kept small. A clause of an assertion has to be one of those that opening the top
//! connectives of the formula gives. Any other clause has to state, for one gate, one conditional or one rounded
//! quotient among its literals, one direction of what that is. Literals are compared by what they say: formulas
//! by identity, inequalities as primitive linear forms over variables, conditionals and integer parts.

mod clause;
mod error;
mod judge;
mod linear;
mod literal;
mod translation;

pub use error::RefutationError;
pub use judge::{Premises, check_refutation};
pub use translation::{Assertion, Meaning, NumberMeaning, Translation};
