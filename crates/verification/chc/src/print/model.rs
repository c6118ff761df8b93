//! Models as lists of definitions.

use std::io::{self, Write};

use shem_term::{Display, Store, Symbol, quote_symbol};

use super::clause::applied_names;
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

/// The definition of a predicate, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionText {
    /// The name of the predicate, quoted where SMT-LIB needs that.
    pub name: String,
    /// The names and the sorts of the parameters.
    pub parameters: Vec<(String, String)>,
    /// The formula.
    pub body: String,
}

/// The definitions of a model, one for every predicate, as [`write_model`] writes them.
pub fn model_texts(store: &Store, system: &System, model: &Model) -> Vec<DefinitionText> {
    definitions(store, system, model, |body| body.to_string()).collect()
}

fn definitions<'a>(
    store: &'a Store,
    system: &'a System,
    model: &'a Model,
    show: impl Fn(Display<'_>) -> String + 'a,
) -> impl Iterator<Item = DefinitionText> + 'a {
    system.predicates.iter().zip(&model.definitions).map(move |(predicate, definition)| {
        let mut prefix = String::from("x");
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        while applied_names(store, &[definition.body], &[])
            .any(|name| name.strip_prefix(&prefix).is_some_and(is_number))
        {
            prefix.push('!');
        }
        let sorts = predicate.sorts.iter().map(|&sort| store.display_sort(sort).to_string());
        let parameters: Vec<(String, String)> =
            sorts.enumerate().map(|(i, sort)| (format!("{prefix}{i}"), sort)).collect();
        let symbols =
            definition.parameters.iter().map(|&p| store.as_var(p).expect("a parameter is a variable"));
        let mut names: Vec<(Symbol, &str)> =
            symbols.zip(&parameters).map(|(symbol, (name, _))| (symbol, &**name)).collect();
        names.sort_unstable();
        let text = |symbol| {
            let at = names.binary_search_by_key(&symbol, |&(symbol, _)| symbol).ok()?;
            Some(names[at].1)
        };
        let body = show(store.display(definition.body).with_symbols(&text));
        DefinitionText { name: quote_symbol(&predicate.name).into_owned(), parameters, body }
    })
}

fn write_definitions(
    out: &mut impl Write,
    store: &Store,
    system: &System,
    model: &Model,
    show: impl Fn(Display<'_>) -> String,
) -> io::Result<()> {
    writeln!(out, "(")?;
    for DefinitionText { name, parameters, body } in definitions(store, system, model, show) {
        let parameters: Vec<String> =
            parameters.iter().map(|(name, sort)| format!("({name} {sort})")).collect();
        writeln!(out, "  (define-fun {name} ({}) Bool\n    {body})", parameters.join(" "))?;
    }
    writeln!(out, ")")
}
