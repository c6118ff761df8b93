//! Witnesses as lines of text.
//!
//! A model is the bodies of its definitions alone: names and sorts are known to whoever asked, and what is not
//! sent cannot be wrong. A derivation is a line for each step, `CLAUSE PREMISE… : VALUE…`, where clauses and
//! steps are numbered from 0 and numbers are written as fractions.

use std::io::{self, Write};

use shem_base::Rat;
use shem_chc::{ClauseId, Definition, Derivation, Model, StepId, System};
use shem_term::smtlib::{Lexer, Reader, TokenKind};
use shem_term::{Store, Symbol, Value};

/// What a worker offers to show that its verdict is right.
#[derive(Clone, Debug, PartialEq)]
pub enum Evidence {
    /// The bodies of a model's definitions, not yet read.
    Model(Vec<String>),
    /// A derivation, not yet judged.
    Derivation(Derivation<ClauseId>),
    /// The worker has checked a certificate of its engine and accepted it.
    Certificate,
    /// Nothing, and why.
    Missing(String),
}

pub(super) fn write_model(
    out: &mut impl Write,
    store: &Store,
    system: &System,
    model: &Model,
) -> io::Result<()> {
    for (_, Definition { parameters, body }) in system.predicates.iter().zip(&model.definitions) {
        let mut names: Vec<(Symbol, String)> = parameters
            .iter()
            .enumerate()
            .map(|(i, &p)| (store.as_var(p).expect("a parameter is a variable"), format!("x{i}")))
            .collect();
        names.sort_unstable();
        let text = |symbol| {
            let at = names.binary_search_by_key(&symbol, |&(symbol, _)| symbol).ok()?;
            Some(names[at].1.as_str())
        };
        writeln!(out, "{}", store.display(*body).with_symbols(&text))?;
    }
    Ok(())
}

pub(super) fn write_derivation(out: &mut impl Write, derivation: &Derivation<ClauseId>) -> io::Result<()> {
    for (_, step) in derivation.steps() {
        write!(out, "{}", step.rule.index())?;
        for premise in step.premises {
            write!(out, " {}", premise.index())?;
        }
        write!(out, " :")?;
        for value in step.values {
            write!(out, " {value}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Reads one step, and adds it.
pub(super) fn read_step(line: &str, derivation: &mut Derivation<ClauseId>) -> Result<(), String> {
    let wrong = || format!("a step that cannot be read: {}", super::read::shorten(line));
    let (left, right) = line.split_once(" :").ok_or_else(wrong)?;
    let mut numbers = left.split(' ').map(|word| word.parse::<u32>());
    let rule = numbers.next().and_then(Result::ok).ok_or_else(wrong)?;
    let mut premises = Vec::new();
    for number in numbers {
        let premise = number.map_err(|_| wrong())? as usize;
        if premise >= derivation.len() {
            return Err(format!("a step that uses a later one: {}", super::read::shorten(line)));
        }
        premises.push(StepId::new(premise));
    }
    let mut values = Vec::new();
    for word in right.split(' ').filter(|word| !word.is_empty()) {
        values.push(match word {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            number => Value::Num(number.parse::<Rat>().map_err(|_| wrong())?),
        });
    }
    derivation.push(ClauseId::new(rule as usize), &premises, values);
    Ok(())
}

/// Reads the bodies of a model for the predicates of a system. Whether it is a model is for the judge to say.
pub fn read_model(store: &mut Store, system: &System, bodies: &[String]) -> Result<Model, String> {
    let (expected, found) = (system.predicates.len(), bodies.len());
    if expected != found {
        return Err(format!("{found} definitions for {expected} predicates"));
    }
    let mut definitions = Vec::with_capacity(expected);
    for (predicate, body) in system.predicates.iter().zip(bodies) {
        let wrong = |what: &dyn std::fmt::Display| format!("the definition of {}: {what}", predicate.name);
        let mut reader = Reader::new();
        let names: String = (predicate.sorts.iter().enumerate())
            .map(|(i, sort)| format!("(declare-const x{i} {sort})"))
            .collect();
        let mut lexer = Lexer::new(&names).map_err(|error| wrong(&error))?;
        while reader.next_command(&mut lexer, store).map_err(|error| wrong(&error))?.is_some() {}
        let parameters = reader.declarations().iter().map(|d| store.var(d.symbol)).collect();
        let mut lexer = Lexer::new(body).map_err(|error| wrong(&error))?;
        let term = reader.read_term(&mut lexer, store).map_err(|error| wrong(&error))?;
        if lexer.next_token().kind != TokenKind::End {
            return Err(wrong(&"more than a term"));
        }
        definitions.push(Definition { parameters, body: term });
    }
    Ok(Model { definitions })
}
