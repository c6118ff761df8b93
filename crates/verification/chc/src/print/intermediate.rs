//! Derivations in the format `intermediate`: each step with its clause and the instance of it.
//!
//! A step takes four lines: the clause with the values of its variables, its instance, the implication that is
//! left of the instance when the constraint is taken out, and the fact, with the lines of its premises. Lines
//! are numbered from 0. Numbers are well-sorted SMT-LIB, reals with a point. An assertion that is one clause is written
//! as it stands in the input, if that is given.
//!
//! The steps of a repetition take four lines each, too: the clause, the fact as a function of the number k of the round
//! (from 0; `(choose k 2)` is a binomial coefficient), the number of rounds with the first and the last fact of the
//! word, and the fact of the last round. In the first round the premise of the first step is the fact that is named,
//! in later rounds it is that of the word's last step.
//!
//! A run takes four lines: the clauses of its cases, what each case makes of a fact, the number of steps, and the last
//! fact. In each step the first case is taken whose condition holds.

use std::fmt;
use std::io::{self, Write};

use shem_base::{Rat, UnknownReason};
use shem_term::{Sort, Store, Value, quote_symbol};

use super::clause::ClauseText;
use crate::derivation::{Derivation, Node, Repetition, Step, StepId};
use crate::progression::Course;
use crate::run::Run;
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

/// Finds the values of the variables of a step's clause, in their order; `None` if the step is wrong.
pub type InstanceFinder<'f> = dyn FnMut(&mut Store, StepId) -> Result<Option<Vec<Value>>, UnknownReason> + 'f;

/// Writes a derivation from the clauses of a system in the format `intermediate`. The input is the text that the system
/// was read from, if it was. Values of variables may be neither in the fact nor in the premises, so they are asked for.
pub fn write_intermediate(
    out: &mut impl Write,
    store: &mut Store,
    system: &System,
    input: Option<&str>,
    derivation: &Derivation<ClauseId>,
    instance: &mut InstanceFinder<'_>,
) -> Result<(), WitnessError> {
    let mut texts: Vec<Option<ClauseText>> = vec![None; system.clauses.len()];
    let mut values = Vec::new();
    for node in derivation.nodes() {
        let (id, step) = match node {
            Node::Step(id, step) => (id, step),
            Node::Repetition(repetition) => {
                write_repetition(out, store, system, input, derivation, &repetition, &mut texts)?;
                continue;
            }
            Node::Run(id, step, run) => {
                write_run(out, store, system, (id, step, run), &mut texts)?;
                continue;
            }
        };
        let found = instance(store, id).map_err(|reason| WitnessError::Unknown(id, reason))?;
        let found = found.ok_or(WitnessError::NoInstance(id))?;
        let clause = system.clause(step.rule);
        let text = texts[step.rule.index()].get_or_insert_with(|| text_of(store, system, input, step.rule));
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
        if let Some(name) = system.clause_name(step.rule) {
            write!(out, " :named {}", quote_symbol(name))?;
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

/// The text of a clause, that of the input if it is the only clause of its assertion.
fn text_of(store: &mut Store, system: &System, input: Option<&str>, rule: ClauseId) -> ClauseText {
    let clause = system.clause(rule);
    let shares = |at: usize| system.clauses.get(at).is_some_and(|other| other.span == clause.span);
    let alone = !shares(rule.index().wrapping_sub(1)) && !shares(rule.index() + 1);
    let own = input.filter(|_| alone).and_then(|input| ClauseText::of_input(store, clause, input));
    own.unwrap_or_else(|| ClauseText::new(store, system, clause))
}

/// Writes a repetition: for each step of its word the clause, the fact in round k, the rounds with the word's first and
/// last fact, and the fact in the last round.
fn write_repetition(
    out: &mut impl Write,
    store: &mut Store,
    system: &System,
    input: Option<&str>,
    derivation: &Derivation<ClauseId>,
    repetition: &Repetition<'_, ClauseId>,
    texts: &mut [Option<ClauseText>],
) -> Result<(), WitnessError> {
    let first = repetition.first().index();
    let last = first + repetition.length() - 1;
    for position in 0..repetition.length() {
        let id = StepId::new(first + position);
        let rule = repetition.rule(position);
        let clause = system.clause(rule);
        let text = texts[rule.index()].get_or_insert_with(|| text_of(store, system, input, rule));
        let line = 4 * id.index();
        write!(out, "{line}\t ")?;
        text.write_closed(out, store, &clause.variables)?;
        write!(out, " \n{}\t ", line + 1)?;
        let Some(head) = &clause.head else { return Err(WitnessError::NoInstance(id)) };
        let predicate = system.predicate(head.predicate);
        let name = quote_symbol(&predicate.name);
        let courses = repetition.courses(position);
        if courses.is_empty() {
            write!(out, "{name}")?;
        } else {
            write!(out, "({name}")?;
            for (course, &sort) in courses.iter().zip(&predicate.sorts) {
                write!(out, " ")?;
                write_course(out, store, course, sort)?;
            }
            write!(out, ")")?;
        }
        let rounds = repetition.rounds();
        write!(out, " \n{}\t :rounds {rounds} :facts {} {} ", line + 2, 4 * first + 3, 4 * last + 3)?;
        write!(out, "\n{}\t ", line + 3)?;
        let step = derivation.step(id);
        write_fact(out, store, system, step)?;
        write!(out, "  :premises ")?;
        for premise in step.premises {
            write!(out, "{} ", 4 * premise.index() + 3)?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Writes a run: the clauses, its cases, the number of steps, and the last fact.
fn write_run(
    out: &mut impl Write,
    store: &mut Store,
    system: &System,
    (id, step, run): (StepId, Step<'_, ClauseId>, &Run<ClauseId>),
    texts: &mut [Option<ClauseText>],
) -> Result<(), WitnessError> {
    let line = 4 * id.index();
    write!(out, "{line}\t ")?;
    for case in &run.cases {
        let clause = system.clause(case.rule);
        let text = texts[case.rule.index()].get_or_insert_with(|| ClauseText::new(store, system, clause));
        text.write_closed(out, store, &clause.variables)?;
        write!(out, " ")?;
    }
    write!(out, "\n{}\t ", line + 1)?;
    for case in &run.cases {
        let Some(head) = &system.clause(case.rule).head else { return Err(WitnessError::NoInstance(id)) };
        let name = quote_symbol(&system.predicate(head.predicate).name);
        write!(out, "(=> (and ({name}")?;
        run.arguments.iter().try_for_each(|&term| write!(out, " {}", store.display(term)))?;
        write!(out, ") {}) ({name}", store.display(case.guard))?;
        case.next.iter().try_for_each(|&term| write!(out, " {}", store.display(term)))?;
        write!(out, ")) ")?;
    }
    write!(out, "\n{}\t :steps {} ", line + 2, run.steps)?;
    write!(out, "\n{}\t ", line + 3)?;
    write_fact(out, store, system, step)?;
    writeln!(out, "  :premises {} ", 4 * step.premises[0].index() + 3)?;
    Ok(())
}

/// Writes what an argument is in round k: a sum of multiples of binomial coefficients.
fn write_course(out: &mut impl Write, store: &Store, course: &Course, sort: Sort) -> io::Result<()> {
    let progression = match course {
        Course::Truth(truth) => return write!(out, "{truth}"),
        Course::Number(progression) => progression,
    };
    let show = |number: &Rat| store.display_value(&Value::Num(number.clone()), sort).to_string();
    let coefficients = progression.coefficients();
    if let [constant] = coefficients {
        return write!(out, "{}", show(constant));
    }
    write!(out, "(+ {}", show(&coefficients[0]))?;
    for (degree, coefficient) in coefficients.iter().enumerate().skip(1) {
        match degree {
            1 => write!(out, " (* {} k)", show(coefficient))?,
            _ => write!(out, " (* {} (choose k {degree}))", show(coefficient))?,
        }
    }
    write!(out, ")")
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
