//! Properties in linear temporal logic.
//!
//! A formula is a term in which functions stand for temporal operators, by the names that VMT has for them (`operator`); `infix`
//! reads the usual notation. Every infinite run satisfies a formula if and only if no run is accepted by a Büchi automaton of
//! its negation (`automaton`; M. Vardi and P. Wolper, An Automata-Theoretic Approach to Automatic Program Verification, LICS
//! 1986). The product of system and automaton is a transition system with a live property, that runs are at accepting
//! locations finitely often (`product`), and is decided like any other. A run that comes back to a state is replayed: the formula
//! itself has to be false on it, whatever the automaton says (`replay`).

mod automaton;
mod infix;
mod operator;
mod product;
mod replay;

pub use product::{NoProduct, Product};

pub(crate) use infix::read_infix;
pub(crate) use operator::{Operator, has_temporal, stands_outside};
