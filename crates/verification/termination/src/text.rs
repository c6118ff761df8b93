//! Arguments as text.

use std::fmt::Write;

use shem_chc::{ClauseId, Definition, Derivation, PredicateId, System};
use shem_check::{Closure, RankingArgument, Recurrence};
use shem_term::{Store, Term, quote_symbol};

use crate::search::Answer;

/// The word for an answer, as the termination competition has it.
pub fn word(answer: &Answer) -> &'static str {
    match answer {
        Answer::Terminates(_) => "YES",
        Answer::Runs(_) => "NO",
        Answer::Unknown(_) => "MAYBE",
    }
}

/// An argument in the syntax of SMT-LIB's definitions; nothing if there is none. Clauses are counted from 1. Invariants that
/// are true and functions that are zero are left out.
pub fn argument(store: &Store, system: &System, answer: &Answer) -> String {
    let mut text = String::new();
    match answer {
        Answer::Terminates(ranking) => write_ranking(&mut text, store, system, ranking),
        Answer::Runs(recurrence) => write_recurrence(&mut text, store, system, recurrence),
        Answer::Unknown(_) => {}
    }
    text
}

fn write_ranking(out: &mut String, store: &Store, system: &System, ranking: &RankingArgument) {
    out.push_str("(ranking\n  (invariants");
    let invariants = ranking.invariants.definitions.iter();
    for (index, Definition { parameters, body }) in invariants.enumerate() {
        if *body == Term::TRUE {
            continue;
        }
        define(out, store, system, PredicateId::new(index), parameters, *body);
    }
    out.push(')');
    for level in &ranking.levels {
        let phases = level.functions.first().map_or(1, |function| function.phases.len());
        for phase in 0..phases {
            out.push_str(if phase == 0 { "\n  (level" } else { "\n   and then" });
            for (index, function) in level.functions.iter().enumerate() {
                let predicate = PredicateId::new(index);
                let value = function.phases[phase];
                if store.as_num(value).is_none_or(|number| !number.is_zero()) {
                    define(out, store, system, predicate, &function.parameters, value);
                }
            }
        }
        out.push(')');
    }
    for Closure { predicate, relations, functions } in &ranking.closures {
        let name = quote_symbol(&system.predicate(*predicate).name).into_owned();
        let _ = write!(out, "\n  (closure {name}\n   (from {name} to");
        for (index, Definition { parameters, body }) in relations.iter().enumerate() {
            if *body != Term::FALSE {
                define(out, store, system, PredicateId::new(index), parameters, *body);
            }
        }
        out.push_str(")\n   (one of");
        for function in functions {
            define(out, store, system, *predicate, &function.parameters, function.phases[0]);
        }
        out.push_str("))");
    }
    out.push_str(")\n");
}

fn write_recurrence(out: &mut String, store: &Store, system: &System, recurrence: &Recurrence) {
    out.push_str("(recurrence\n  (stem");
    write_stem(out, store, system, &recurrence.stem);
    out.push_str(")\n  (set");
    for (index, definition) in recurrence.set.definitions.iter().enumerate() {
        if definition.body != Term::FALSE {
            define(out, store, system, PredicateId::new(index), &definition.parameters, definition.body);
        }
    }
    out.push_str(")\n  (steps");
    for (definition, choices) in recurrence.set.definitions.iter().zip(&recurrence.choices) {
        if definition.body == Term::FALSE {
            continue;
        }
        for choice in choices {
            let clause = system.clause(choice.clause);
            let _ = write!(out, "\n    (clause {}", choice.clause.index() + 1);
            for (&variable, &value) in clause.variables.iter().zip(&choice.values) {
                let _ = write!(out, " (= {} {})", store.display(variable), store.display(value));
            }
            out.push(')');
        }
    }
    out.push_str("))\n");
}

/// The facts of a stem. Of rounds of a repetition only the last one is written.
fn write_stem(out: &mut String, store: &Store, system: &System, stem: &Derivation<ClauseId>) {
    for (_, step) in stem.steps() {
        let Some(head) = &system.clause(step.rule).head else { continue };
        let predicate = system.predicate(head.predicate);
        let _ = write!(out, "\n    ({}", quote_symbol(&predicate.name));
        for (value, &sort) in step.values.iter().zip(&predicate.sorts) {
            let _ = write!(out, " {}", store.display_value(value, sort));
        }
        let _ = write!(out, ") ; by clause {}", step.rule.index() + 1);
    }
    out.push_str("\n  ");
}

fn define(
    out: &mut String,
    store: &Store,
    system: &System,
    predicate: PredicateId,
    parameters: &[Term],
    body: Term,
) {
    let _ = write!(out, "\n    (define-fun {} (", quote_symbol(&system.predicate(predicate).name));
    for (at, &parameter) in parameters.iter().enumerate() {
        let space = if at == 0 { "" } else { " " };
        let sort = store.display_sort(store.sort(parameter));
        let _ = write!(out, "{space}({} {sort})", store.display(parameter));
    }
    let _ = write!(out, ") {} {})", store.display_sort(store.sort(body)), store.display(body));
}
