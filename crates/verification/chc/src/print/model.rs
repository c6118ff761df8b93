//! Models as lists of definitions, over several lines where they are long.

use std::io::{self, Write};

use shem_term::{Display, Store, Symbol, quote_symbol};

use super::clause::applied_names;
use super::layout::lay_out;
use crate::model::Model;
use crate::system::System;

/// Writes a model as a list with a `define-fun` for every predicate, in the order of declaration, in standard
/// SMT-LIB. The parameters are named `x0`, `x1` and so on, or `x!0` if a constructor or selector has such a name.
pub fn write_model(out: &mut impl Write, store: &Store, system: &System, model: &Model) -> io::Result<()> {
    write_definitions(out, store, system, model, |body| body.to_string())
}

/// Writes a model for readers that know less than the standard: no testers, and a connective or a relation at the top
/// of each definition, from which such readers see that it is a formula.
pub fn write_plain_model(
    out: &mut impl Write,
    store: &Store,
    system: &System,
    model: &Model,
) -> io::Result<()> {
    write_definitions(out, store, system, model, |body| {
        let text = body.without_testers().to_string();
        let known = |word: &&str| text.strip_prefix(*word).is_some_and(|rest| rest.starts_with(' '));
        let is_formula = !text.starts_with('(') || FORMULAS.iter().any(known);
        if is_formula { text } else { format!("(and true {text})") }
    })
}

/// How the text of a formula begins for readers that do not look deeper.
const FORMULAS: [&str; 10] = ["(and", "(or", "(not", "(=", "(<", "(>", "(<=", "(>=", "(forall", "(exists"];

fn write_definitions(
    out: &mut impl Write,
    store: &Store,
    system: &System,
    model: &Model,
    show: impl Fn(Display<'_>) -> String,
) -> io::Result<()> {
    writeln!(out, "(")?;
    for (predicate, definition) in system.predicates.iter().zip(&model.definitions) {
        write!(out, "  (define-fun {} (", quote_symbol(&predicate.name))?;
        let mut names: Vec<(Symbol, String)> = Vec::with_capacity(definition.parameters.len());
        let mut prefix = String::from("x");
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        while applied_names(store, &[definition.body], &[])
            .any(|name| name.strip_prefix(&prefix).is_some_and(is_number))
        {
            prefix.push('!');
        }
        for (i, (&parameter, &sort)) in definition.parameters.iter().zip(&predicate.sorts).enumerate() {
            let space = if i == 0 { "" } else { " " };
            let name = format!("{prefix}{i}");
            write!(out, "{space}({name} {})", store.display_sort(sort))?;
            names.push((store.as_var(parameter).expect("a parameter is a variable"), name));
        }
        names.sort_unstable();
        let text = |symbol| {
            let at = names.binary_search_by_key(&symbol, |&(symbol, _)| symbol).ok()?;
            Some(names[at].1.as_str())
        };
        let body = store.display(definition.body).with_symbols(&text).without_divisible().with_differences();
        let body = lay_out(&show(body), 4);
        writeln!(out, ") Bool\n    {body})")?;
    }
    writeln!(out, ")")
}
