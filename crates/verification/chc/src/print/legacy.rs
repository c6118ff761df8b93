//! Derivations in the format `legacy`: one fact a line, with the lines of its premises.
//!
//! Line 0 is truth, the premise of what has no other. Numbers are written without regard to sorts, `(- 5)` and
//! `(/ (- 1) 2)`; an empty line ends the derivation. Programs that read this format read it byte by byte. Values of
//! other sorts, which such programs do not know, are SMT-LIB in all their parts. The format has no repetitions: each of
//! their steps is written, so whoever calls this looks at the number of steps first.

use std::io::{self, Write};

use shem_base::Rat;
use shem_term::{Sort, Store, Value, quote_symbol};

use crate::derivation::Derivation;
use crate::system::{ClauseId, System};

/// Writes a derivation from the clauses of a system in the format `legacy`.
pub fn write_legacy(
    out: &mut impl Write,
    store: &Store,
    system: &System,
    derivation: &Derivation<ClauseId>,
) -> io::Result<()> {
    // Quoting looks through a list of words; do it once a predicate.
    let names: Vec<_> = system.predicates.iter().map(|p| quote_symbol(&p.name)).collect();
    writeln!(out, "0:\ttrue")?;
    derivation.visit_steps(store, |step| {
        write!(out, "{}:\t", step.number + 1)?;
        match &system.clause(step.rule).head {
            None => write!(out, "false")?,
            Some(head) if step.values.is_empty() => write!(out, "{}", names[head.predicate.index()])?,
            Some(head) => {
                write!(out, "({}", names[head.predicate.index()])?;
                let sorts = &system.predicate(head.predicate).sorts;
                for (value, &sort) in step.values.iter().zip(sorts) {
                    write!(out, " ")?;
                    write_value(out, store, value, sort)?;
                }
                write!(out, ")")?;
            }
        }
        write!(out, " -> ")?;
        if step.premises.is_empty() {
            write!(out, " 0")?;
        }
        for premise in step.premises {
            write!(out, " {}", premise + 1)?;
        }
        if let Some(name) = system.clause_name(step.rule) {
            write!(out, "\t; {}", quote_symbol(name))?;
        }
        writeln!(out)
    })?;
    writeln!(out)
}

fn write_value(out: &mut impl Write, store: &Store, value: &Value, sort: Sort) -> io::Result<()> {
    match value {
        Value::Bool(truth) => write!(out, "{truth}"),
        Value::Num(number) if number.is_integer() => write_integer(out, number),
        Value::Num(number) => {
            write!(out, "(/ ")?;
            write_integer(out, &number.numer().into())?;
            write!(out, " {})", number.denom())
        }
        _ => write!(out, "{}", store.display_value(value, sort)),
    }
}

fn write_integer(out: &mut impl Write, number: &Rat) -> io::Result<()> {
    if number.is_negative() { write!(out, "(- {})", number.abs()) } else { write!(out, "{number}") }
}
