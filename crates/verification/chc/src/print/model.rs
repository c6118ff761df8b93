//! Models as lists of definitions, over several lines where they are long.

use std::collections::BTreeSet;
use std::io::{self, Write};

use shem_term::{DatatypeId, Display, RecursiveDefinition, Sort, Store, Symbol, quote_symbol};

use super::clause::{THEORY, applied_names, bound_variables};
use super::layout::lay_out;
use crate::model::Model;
use crate::system::System;

/// Writes a model as a list with a `define-fun` for every predicate, in the order of declaration, in standard
/// SMT-LIB. The parameters have the names of the variables of a clause where that is possible; otherwise they are named
/// `x0`, `x1` and so on, or `x!0` if a constructor or selector has such a name.
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

/// The recursive definitions of the sizes of datatypes that a model mentions, as commands.
pub fn size_texts(store: &Store, system: &System, model: &Model) -> Vec<String> {
    SizeNames::new(store, system, model).texts(store)
}

fn definitions<'a>(
    store: &'a Store,
    system: &'a System,
    model: &'a Model,
    show: impl Fn(Display<'_>) -> String + 'a,
) -> impl Iterator<Item = DefinitionText> + 'a {
    let sizes = SizeNames::new(store, system, model);
    let written = system.argument_names(store);
    let predicates = system.predicates.iter().zip(&model.definitions).zip(written);
    predicates.map(move |((predicate, definition), written)| {
        let mut applied: BTreeSet<&str> = applied_names(store, &[definition.body], &[]).collect();
        let bound = bound_variables(store, &[definition.body]);
        applied.extend(bound.iter().filter_map(|&v| store.as_var(v)).map(|symbol| store.name(symbol)));
        let names = parameter_names(predicate.sorts.len(), written, |name| {
            applied.contains(name) || sizes.is_taken(name)
        });
        let sorts = predicate.sorts.iter().map(|&sort| store.display_sort(sort).to_string());
        let parameters: Vec<(String, String)> = names.into_iter().zip(sorts).collect();
        let symbols =
            definition.parameters.iter().map(|&p| store.as_var(p).expect("a parameter is a variable"));
        let mut names: Vec<(Symbol, &str)> =
            symbols.zip(&parameters).map(|(symbol, (name, _))| (symbol, &**name)).collect();
        names.sort_unstable();
        let text = |symbol| {
            let parameter = names.binary_search_by_key(&symbol, |&(symbol, _)| symbol).ok();
            parameter.map(|at| names[at].1).or_else(|| sizes.name(symbol))
        };
        let body = show(store.display(definition.body).with_symbols(&text).with_differences());
        DefinitionText { name: quote_symbol(&predicate.name).into_owned(), parameters, body }
    })
}

/// Names for the parameters of a predicate: those that the input has, unless one of them means something else, in the
/// body or in SMT-LIB.
fn parameter_names(count: usize, written: Option<Vec<&str>>, is_taken: impl Fn(&str) -> bool) -> Vec<String> {
    let free = |names: &Vec<&str>| names.iter().all(|name| !is_taken(name) && !THEORY.contains(name));
    if let Some(names) = written.filter(free) {
        return names.into_iter().map(|name| quote_symbol(name).into_owned()).collect();
    }
    let numbered = |prefix: &str| (0..count).map(|i| format!("{prefix}{i}")).collect::<Vec<String>>();
    let mut prefix = String::from("x");
    while numbered(&prefix).iter().any(|name| is_taken(name)) {
        prefix.push('!');
    }
    numbered(&prefix)
}

fn write_definitions(
    out: &mut impl Write,
    store: &Store,
    system: &System,
    model: &Model,
    show: impl Fn(Display<'_>) -> String,
) -> io::Result<()> {
    writeln!(out, "(")?;
    for text in size_texts(store, system, model) {
        writeln!(out, "  {text}")?;
    }
    for DefinitionText { name, parameters, body } in definitions(store, system, model, show) {
        let parameters: Vec<String> =
            parameters.iter().map(|(name, sort)| format!("({name} {sort})")).collect();
        let body = lay_out(&body, 4);
        writeln!(out, "  (define-fun {name} ({}) Bool\n    {body})", parameters.join(" "))?;
    }
    writeln!(out, ")")
}

/// The sizes and folds of datatypes that a model mentions, with names that nothing else has.
struct SizeNames<'s> {
    /// Those that are defined together stand together.
    groups: Vec<Vec<(&'s RecursiveDefinition, String)>>,
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
        let mut groups: Vec<Vec<(&RecursiveDefinition, String)>> = Vec::new();
        let mut done: BTreeSet<DatatypeId> = BTreeSet::new();
        for id in used {
            if done.contains(&id) {
                continue;
            }
            let whole = Sort::from(id);
            let mut group = Vec::new();
            for (member, size) in store.sizes() {
                let sort = Sort::from(member);
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
        let mut folds: BTreeSet<usize> = BTreeSet::new();
        if store.folds().next().is_some() {
            for term in store.subterms(&bodies) {
                folds.extend(store.as_app(term).and_then(|(symbol, ..)| store.fold_of_symbol(symbol)));
            }
        }
        for fold in folds {
            let mut group = Vec::new();
            for (_, definition) in store.folds().filter(|&(number, _)| number == fold) {
                let mut name = store.name(definition.symbol).to_owned();
                // Several folds of a datatype have the same name.
                let mut given = groups.iter().flatten();
                let quoted = quote_symbol(&name).to_string();
                let is_given = given.any(|(_, known)| *known == quoted);
                if is_given {
                    name.push_str(&format!(" {fold}"));
                }
                while taken.contains(name.as_str()) {
                    name.push('!');
                }
                group.push((definition, quote_symbol(&name).to_string()));
            }
            groups.push(group);
        }
        SizeNames { groups }
    }

    /// Whether one of them has this name.
    fn is_taken(&self, name: &str) -> bool {
        self.groups.iter().flatten().any(|(_, own)| own == name)
    }

    fn name(&self, symbol: Symbol) -> Option<&str> {
        let found = self.groups.iter().flatten().find(|(size, _)| size.symbol == symbol);
        found.map(|(_, name)| name.as_str())
    }

    fn texts(&self, store: &Store) -> Vec<String> {
        let mut texts = Vec::with_capacity(self.groups.len());
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
            texts.push(match (&signatures[..], &bodies[..]) {
                ([signature], [body]) => format!("(define-fun-rec {signature}\n    {body})"),
                _ => {
                    let signatures: Vec<String> = signatures.iter().map(|s| format!("({s})")).collect();
                    let (signatures, bodies) = (signatures.join(" "), bodies.join("\n     "));
                    format!("(define-funs-rec ({signatures})\n    ({bodies}))")
                }
            });
        }
        texts
    }
}
