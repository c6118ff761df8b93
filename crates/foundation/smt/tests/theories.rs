//! Functions, datatypes and arrays beside arithmetic. Every refutation is checked, every model evaluated.

mod functions;
mod random;
mod session;
mod structures;
mod templates;
