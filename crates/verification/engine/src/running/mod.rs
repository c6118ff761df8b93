//! Running a system as a program, and jumping over rounds of its loops.
//!
//! Where each clause determines the arguments of its head, a system is a program, and nobody needs a solver to run one.
//! A counterexample of a million steps, which engines that ask one query a step never reach, is found in milliseconds.
//! `case` compiles the label of an edge to programs of `code`; `run` takes steps by them, `trace` keeps what was done
//! and makes it a derivation, and `search` is a run as a whole. The engine `scout` does nothing else; others run what
//! they have found and cannot walk (`runner`), with the words that they know (`words`).
//!
//! A loop whose counterexample is a billion steps deep is mostly the same round again and again. When the last rounds
//! were the same word of cases and their states lie on a polynomial of low degree, `jump` computes how many of the next
//! rounds are the same, by running the word once for all of them over polynomials in the number of the round
//! (`rounds`): comparisons that change end the rounds, a remainder whose modulus does not divide the growth asks for
//! several rounds to be taken as one. The rounds then cost as much as one, in the run, in the derivation, where they
//! are a repetition, and for the judge. The method is that of loop acceleration (Bozga, Iosif and Konečný 2010, Frohn
//! 2020) applied to a run.
//!
//! A loop that is neither periodic nor polynomial is run on without keeping its states (`stream`); the derivation then
//! says how each follows from the one before.
//!
//! What is free in a step is guessed, and where there is a choice between cases, some runs choose at random. Numbers are
//! 64-bit integers until one overflows, and exact from then on.

mod case;
mod code;
mod jump;
mod rounds;
mod run;
mod runner;
mod search;
mod stream;
mod trace;
mod words;

pub(crate) use code::Number;
pub(crate) use run::{CompiledGraph, Registers, Stepped, number};
pub(crate) use runner::{MOST_WORK, Ran, Runner};
pub(crate) use search::{End, Limits, RunSearch};
pub(crate) use trace::Trace;
pub(crate) use words::{Part, Plan};
