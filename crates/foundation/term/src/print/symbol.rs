//! Printing of symbols and numbers.

use std::borrow::Cow;
use std::fmt;

use shem_base::Rat;

use crate::reserved::{COMMANDS, RESERVED};

/// The symbol as SMT-LIB writes it: between bars unless it is a simple symbol.
pub fn quote_symbol(name: &str) -> Cow<'_, str> {
    let simple = |b: u8| b.is_ascii_alphanumeric() || b"~!@$%^&*_-+=<>.?/".contains(&b);
    let is_simple = !name.is_empty()
        && !name.as_bytes()[0].is_ascii_digit()
        && name.bytes().all(simple)
        && !RESERVED.contains(&name)
        && !COMMANDS.contains(&name);
    if is_simple { name.into() } else { format!("|{name}|").into() }
}

/// Writes a number as SMT-LIB does, of sort `Real` if `real` holds: `5`, `(- 5)`, `5.0`, `(/ 1.0 3.0)`.
pub fn write_rational(out: &mut impl fmt::Write, value: &Rat, real: bool) -> fmt::Result {
    let point = if real { ".0" } else { "" };
    let size = value.abs();
    if value.is_negative() {
        out.write_str("(- ")?;
    }
    if size.is_integer() {
        write!(out, "{}{point}", size.numer())?;
    } else {
        write!(out, "(/ {}.0 {}.0)", size.numer(), size.denom())?;
    }
    if value.is_negative() {
        out.write_str(")")?;
    }
    Ok(())
}
