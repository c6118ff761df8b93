//! Models as lists of definitions, over several lines where they are long.

use std::collections::BTreeSet;
use std::io::{self, Write};

use shem_term::{DatatypeId, Display, Size, Sort, Store, Symbol, quote_symbol};

use super::clause::applied_names;
use super::layout::lay_out;
use crate::model::Model;
use crate::system::System;

/// Writes a model as a list with a `define-fun` for every predicate, in the order of declaration, in standard
/// SMT-LIB. The parameters are named `x0`, `x1` and so on, or `x!0` if a constructor or selector has such a name.
/// Before them come the recursive definitions of the sizes of datatypes that they mention.
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
    let sizes = SizeNames::new(store, system, model);
    sizes.write(out, store)?;
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
            let parameter = names.binary_search_by_key(&symbol, |&(symbol, _)| symbol).ok();
            parameter.map(|at| names[at].1.as_str()).or_else(|| sizes.name(symbol))
        };
        let body = store.display(definition.body).with_symbols(&text).without_divisible().with_differences();
        let body = lay_out(&show(body), 4);
        writeln!(out, ") Bool\n    {body})")?;
    }
    writeln!(out, ")")
}

/// The sizes of datatypes that a model mentions, with names that nothing else has.
struct SizeNames<'s> {
    /// Those that are defined together stand together.
    groups: Vec<Vec<(&'s Size, String)>>,
}

impl<'s> SizeNames<'s> {
    fn new(store: &'s Store, system: &System, model: &Model) -> SizeNames<'s> {
        let bodies: Vec<_> = model.definitions.iter().map(|definition| definition.body).collect();
        let mut used: BTreeSet<DatatypeId> = BTreeSet::new();
        if store.sizes().next().is_some() {
            for term in store.subterms(&bodies) {
                used.extend(store.as_app(term).and_then(|(symbol, ..)| store.sized_by(symbol)));
            }
        }
        let sorts: Vec<Sort> = system.predicates.iter().flat_map(|p| p.sorts.iter().copied()).collect();
        let mut taken: BTreeSet<&str> = applied_names(store, &[], &sorts).collect();
        taken.extend(system.predicates.iter().map(|predicate| &*predicate.name));
        let mut groups: Vec<Vec<(&Size, String)>> = Vec::new();
        let mut done: BTreeSet<DatatypeId> = BTreeSet::new();
        for id in used {
            if done.contains(&id) {
                continue;
            }
            let whole = Sort::Datatype(id);
            let mut group = Vec::new();
            for (member, size) in store.sizes() {
                let sort = Sort::Datatype(member);
                let together = store.parts_of_sorts(&[whole]).contains(&sort)
                    && store.parts_of_sorts(&[sort]).contains(&whole);
                if together && done.insert(member) {
                    let mut name = store.name(size.symbol).to_owned();
                    while taken.contains(name.as_str()) {
                        name.push('!');
                    }
                    group.push((size, quote_symbol(&name).to_string()));
                }
            }
            groups.push(group);
        }
        SizeNames { groups }
    }

    fn name(&self, symbol: Symbol) -> Option<&str> {
        let found = self.groups.iter().flatten().find(|(size, _)| size.symbol == symbol);
        found.map(|(_, name)| name.as_str())
    }

    fn write(&self, out: &mut impl Write, store: &Store) -> io::Result<()> {
        for group in &self.groups {
            let mut signatures = Vec::new();
            let mut bodies = Vec::new();
            for (size, name) in group {
                let parameter = store.as_var(size.parameter).expect("a parameter is a variable");
                let text = |symbol| if symbol == parameter { Some("x!") } else { self.name(symbol) };
                let sort = store.display_sort(store.sort(size.parameter));
                signatures.push(format!("{name} ((x! {sort})) Int"));
                bodies.push(store.display(size.body).with_symbols(&text).to_string());
            }
            match (&signatures[..], &bodies[..]) {
                ([signature], [body]) => writeln!(out, "  (define-fun-rec {signature}\n    {body})")?,
                _ => {
                    let signatures: Vec<String> = signatures.iter().map(|s| format!("({s})")).collect();
                    let (signatures, bodies) = (signatures.join(" "), bodies.join("\n     "));
                    writeln!(out, "  (define-funs-rec ({signatures})\n    ({bodies}))")?;
                }
            }
        }
        Ok(())
    }
}
