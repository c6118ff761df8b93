//! Interpolants of random problems over functions, datatypes and arrays, judged by the solver.
//!
//! `SHEM_ROUNDS` sets the number of problems of each kind and `SHEM_SEED` where they start; with `--nocapture` the share
//! that got interpolants is shown.

#![allow(clippy::print_stdout, reason = "shares are shown on request")]

mod cases;
mod generator;
mod random;
