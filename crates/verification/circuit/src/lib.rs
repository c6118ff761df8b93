//! Hardware circuits in BTOR2 and AIGER.
//!
//! [`Circuit::read_btor2`] and [`Circuit::read_aiger`] read a circuit. It becomes a transition system with properties
//! ([`Circuit::transitions`]), which is decided like one in VMT. A run that violates a property is simulated on the
//! circuit ([`Run::check`]) before it is told in the format of the file ([`Run::btor2`], [`Run::aiger`]).

mod aiger;
mod btor2;
mod circuit;
mod derived;
mod from_terms;
mod gates;
mod simulate;
mod transition;
mod witness;
mod words;
mod write;

pub use aiger::{aiger_text, is_aiger};
pub use btor2::is_btor2;
pub use circuit::{
    ArraySort, Circuit, Input, MOST_DIMENSIONS, Node, NodeId, NodeSort, Op, Property, Question, State,
};
pub use from_terms::NoCircuit;
pub use simulate::{Frame, Run, RunFault, Value};
pub use transition::Transitions;
pub use witness::NoWitness;
