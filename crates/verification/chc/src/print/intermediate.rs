//! Derivations in the format `intermediate`: each step with its clause and the instance of it.
//!
//! A step takes four lines: the clause with the values of its variables, its instance, the implication that is
//! left of the instance when the constraint is taken out, and the fact, with the lines of its premises. Lines
//! are numbered from 0. Numbers are well-sorted SMT-LIB, reals with a point.

use std::fmt;
use std::io::{self, Write};

use shem_base::{Budget, UnknownReason};
use shem_term::{Store, quote_symbol};

use super::clause::ClauseText;
use crate::derivation::{Derivation, Step, StepId};
use crate::instance::find_instance;
use crate::system::{ClauseId, System};

/// Why a derivation was not written to its end.
#[derive(Debug)]
pub enum WitnessError {
    /// The writer failed.
    Io(io::Error),
    /// The step is no instance of its clause: the derivation is wrong.
    NoInstance(StepId),
    /// The values of the variables of the step's clause were not found.
    Unknown(StepId, UnknownReason),
}

impl fmt::Display for WitnessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WitnessError::Io(error) => error.fmt(f),
            WitnessError::NoInstance(step) => {
                write!(f, "step {} of the derivation is no instance of its clause", step.index() + 1)
            }
            WitnessError::Unknown(step, reason) => {
                write!(f, "no values for the variables of step {}: {reason}", step.index() + 1)
            }
        }
    }
}

impl std::error::Error for WitnessError {}

impl From<io::Error> for WitnessError {
    fn from(error: io::Error) -> WitnessError {
        WitnessError::Io(error)
    }
}

/// Writes a derivation from the clauses of a system in the format `intermediate`. The budget pays for finding
/// values of the variables that are neither in the fact nor in the premises.
pub fn write_intermediate(
    out: &mut impl Write,
    store: &mut Store,
    system: &System,
    derivation: &Derivation<ClauseId>,
    budget: &mut Budget,
) -> Result<(), WitnessError> {
    let mut texts: Vec<Option<ClauseText>> = vec![None; system.clauses.len()];
    let mut values = Vec::new();
    for (id, step) in derivation.steps() {
        let found = find_instance(store, system, derivation, id, budget);
        let found = found.map_err(|reason| WitnessError::Unknown(id, reason))?;
        let found = found.ok_or(WitnessError::NoInstance(id))?;
        let clause = system.clause(step.rule);
        let text = texts[step.rule.index()].get_or_insert_with(|| ClauseText::new(store, system, clause));
        values.clear();
        for (value, &variable) in found.iter().zip(&clause.variables) {
            values.push(store.display_value(value, store.sort(variable)).to_string());
        }
        let line = 4 * id.index();
        write!(out, "{line}\t ")?;
        text.write_closed(out, store, &clause.variables)?;
        write!(out, " ")?;
        if !values.is_empty() {
            write!(out, " :args ({})", values.join(" "))?;
        }
        write!(out, "\n{}\t ", line + 1)?;
        text.write(out, &values)?;
        write!(out, " \n{}\t (=> ", line + 2)?;
        match step.premises {
            [] => write!(out, "true")?,
            [premise] => write_fact(out, store, system, derivation.step(*premise))?,
            premises => {
                write!(out, "(and")?;
                for &premise in premises {
                    write!(out, " ")?;
                    write_fact(out, store, system, derivation.step(premise))?;
                }
                write!(out, ")")?;
            }
        }
        write!(out, " ")?;
        write_fact(out, store, system, step)?;
        write!(out, ") \n{}\t ", line + 3)?;
        write_fact(out, store, system, step)?;
        write!(out, " ")?;
        if !step.premises.is_empty() {
            write!(out, " :premises ")?;
            for premise in step.premises {
                write!(out, "{} ", 4 * premise.index() + 3)?;
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Writes the fact that a step derives.
fn write_fact(
    out: &mut impl Write,
    store: &Store,
    system: &System,
    step: Step<'_, ClauseId>,
) -> io::Result<()> {
    let Some(head) = &system.clause(step.rule).head else { return write!(out, "false") };
    let predicate = system.predicate(head.predicate);
    let name = quote_symbol(&predicate.name);
    if step.values.is_empty() {
        return write!(out, "{name}");
    }
    write!(out, "({name}")?;
    for (value, &sort) in step.values.iter().zip(&predicate.sorts) {
        write!(out, " {}", store.display_value(value, sort))?;
    }
    write!(out, ")")
}
