//! All tests that use the crate from outside, as one program: linking each file on its own would take longer than
//! running it.

mod alethe;
mod bench;
mod circuits;
mod cluster;
mod command_lines;
mod deep;
mod front_door;
mod front_ends;
mod fuzz;
mod heaps;
mod horn;
mod join;
mod json;
mod liar;
mod ltl;
mod papers;
mod proofs;
mod pure;
mod readme;
mod recipes;
mod regressions;
mod report;
mod scripts;
mod settings;
mod termination;
mod tidy;
mod tutorial;
mod vmt;
