//! Systems as scripts.

use std::io::{self, Write};

use shem_term::{Store, quote_symbol};

use super::clause::{ClauseText, reserved_names};
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

/// Writes a system in the fixed-point form of z3: relations, rules, and a query for a relation that stands for
/// falsehood.
pub fn write_fixed_point(out: &mut impl Write, store: &mut Store, system: &System) -> io::Result<()> {
    write_sorts(out, store, system)?;
    for predicate in &system.predicates {
        write!(out, "(declare-rel {} (", quote_symbol(&predicate.name))?;
        for (i, &sort) in predicate.sorts.iter().enumerate() {
            write!(out, "{}{}", if i == 0 { "" } else { " " }, store.display_sort(sort))?;
        }
        writeln!(out, "))")?;
    }
    // A name that neither predicates nor variables nor datatypes have.
    let mut taken = reserved_names(store, system);
    taken.extend(system.predicates.iter().map(|predicate| predicate.name.to_string()));
    for &variable in system.clauses.iter().flat_map(|clause| &clause.variables) {
        taken.insert(store.name(store.as_var(variable).expect("a variable")).to_owned());
    }
    let mut goal = "violated".to_owned();
    while taken.contains(&goal) {
        goal.push('!');
    }
    writeln!(out, "(declare-rel {goal} ())")?;
    for clause in &system.clauses {
        let text = ClauseText::with_goal(store, system, clause, &goal);
        write!(out, "(rule ")?;
        text.write_closed(out, store, &clause.variables)?;
        writeln!(out, ")")?;
    }
    writeln!(out, "(query {goal})")
}
