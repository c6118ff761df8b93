//! Datatypes: values built by constructors.
//!
//! `rules` adds what constructors, selectors and testers imply to the congruence closure, `knowledge` what is known of
//! a class whose constructor is not, `cycles` finds values that would be part of themselves, `requests` says what is
//! still open. (Barrett, Shikanian and Tinelli, An abstract decision procedure for a theory of inductive data
//! types, 2007; Reynolds and Blanchette, A decision procedure for (co)datatypes in SMT solvers, 2017.)

mod cycles;
mod knowledge;
mod requests;
mod rules;
mod table;

pub use requests::Request;
pub(super) use rules::Datatypes;
pub use table::{Constructor, Datatype};
