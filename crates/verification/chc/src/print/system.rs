//! Systems as scripts.

use std::io::{self, Write};

use shem_term::{Store, quote_symbol};

use super::clause::ClauseText;
use super::sorts::write_sorts;
use crate::system::System;

/// Writes a system as a script that asks whether it is safe. Clauses come in the canonical form of their
/// terms, not as they were written.
pub fn write_system(out: &mut impl Write, store: &mut Store, system: &System) -> io::Result<()> {
    writeln!(out, "(set-logic HORN)")?;
    write_sorts(out, store, system)?;
    for predicate in &system.predicates {
        write!(out, "(declare-fun {} (", quote_symbol(&predicate.name))?;
        for (i, &sort) in predicate.sorts.iter().enumerate() {
            write!(out, "{}{}", if i == 0 { "" } else { " " }, store.display_sort(sort))?;
        }
        writeln!(out, ") Bool)")?;
    }
    for clause in &system.clauses {
        let text = ClauseText::new(store, system, clause);
        write!(out, "(assert ")?;
        text.write_closed(out, store, &clause.variables)?;
        writeln!(out, ")")?;
    }
    writeln!(out, "(check-sat)")
}
