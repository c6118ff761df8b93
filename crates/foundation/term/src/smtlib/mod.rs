//! SMT-LIB scripts: lexing, terms and commands. Printing is with the terms, see
//! [`Store::display`](crate::Store::display).

mod apply;
mod binders;
mod bitvectors;
mod datatypes;
mod error;
mod expect;
mod frames;
mod generics;
mod groups;
mod lexer;
mod matching;
mod names;
mod qualified;
mod reader;
mod recursive;
mod schemes;
mod script;
mod sorts;
mod symbol_table;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod theory_tests;
mod unclosed;
mod undetermined;

pub use bitvectors::apply_bit_operation;
pub use error::{ErrorKind, Location, ReadError, Span};
pub use expect::{expect_close, skip_expression};
pub use groups::InterpolationGroup;
pub use lexer::{Lexer, Token, TokenKind, escape_string, unescape_string};
pub use names::Name;
pub use reader::Reader;
pub use script::{Attribute, Command, NamedTerm};
pub use symbol_table::Declaration;
pub use unclosed::{missing_parenthesis, unclosed_command};
