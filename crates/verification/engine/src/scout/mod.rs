//! Running the system as a program, and jumping over rounds of its loops.
//!
//! Where each clause determines the arguments of its head, a system is a program, and nobody needs a solver to run one.
//! A counterexample of a million steps, which engines that ask one query a step never reach, is found in milliseconds.
//! `case` compiles the label of an edge to programs of `code`; `run` takes steps by them, `start` chooses where to
//! begin, `trace` keeps what was done and makes it a derivation, and `engine` is the search.
//!
//! A loop whose counterexample is a billion steps deep is mostly the same round again and again. When the last rounds
//! were the same word of cases and their states lie on a polynomial of low degree, `jump` computes how many of the next
//! rounds are the same, by running the word once for all of them over polynomials in the number of the round
//! (`rounds`): comparisons that change end the rounds, a remainder whose modulus does not divide the growth asks for
//! several rounds to be taken as one. The rounds then cost as much as one, in the run, in the derivation, where they are
//! a repetition, and for the judge. The method is that of loop acceleration (Bozga, Iosif and Konečný 2010, Frohn 2020)
//! applied to a run: nothing is said about other states than those that are reached, and so nothing is
//! proved: where no run reaches falsehood, the answer is unknown.
//!
//! What is free in a step is guessed, and where there is a choice between cases, some runs choose at random. Numbers are
//! 64-bit integers until one overflows, and exact from then on.

mod case;
mod code;
mod engine;
mod jump;
mod rounds;
mod run;
mod runner;
mod start;
mod trace;
mod words;

pub(crate) use engine::DESCRIPTION;
pub use engine::{Scout, ScoutSettings};
#[allow(unused_imports, reason = "the interface for what is learnt from runs")]
pub(crate) use run::{CompiledGraph, State};
pub(crate) use runner::Runner;
pub(crate) use words::{Part, Plan};
