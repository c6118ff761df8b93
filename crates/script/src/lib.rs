//! Conversations in SMT-LIB: a script is answered command by command, as it comes.
//!
//! [`conversation`] is what all scripts have; what their commands are about is known to a back end. [`smt`] is the one for
//! formulas, the interpreter of scripts; the command line has another one for Horn clauses. Of both: [`pieces`] (text as
//! it comes), `channel` (where answers go), [`options`], `script_options` (what scripts set themselves), `script_info`,
//! [`statistics`], and [`diagnostic`] (mistakes with the lines that they are in).

mod channel;
pub mod conversation;
pub mod diagnostic;
pub mod options;
pub mod pieces;
mod script_info;
mod script_options;
pub mod smt;
pub mod statistics;
