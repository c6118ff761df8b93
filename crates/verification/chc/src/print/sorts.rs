//! Declarations of sorts.
//!
//! Datatypes are declared together, so that they may name each other in any order. Of a datatype with parameters only
//! the instances are known: the declaration is made of one of them, by putting parameters where it has its
//! arguments, and if the other instances do not fit, it cannot be written.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use shem_term::{Datatype, Sort, Store, Term, quote_symbol};

use crate::system::System;

/// Writes the declarations of all sorts that occur in a system.
pub fn write_sorts(out: &mut impl Write, store: &Store, system: &System) -> io::Result<()> {
    let mut terms = Vec::new();
    for clause in &system.clauses {
        terms.push(clause.constraint);
        terms.extend(clause.atoms().flat_map(|atom| atom.args.iter()));
        terms.extend(clause.premises.iter().map(|premise| premise.guard));
        terms.extend(&clause.variables);
    }
    let sorts = system.predicates.iter().flat_map(|predicate| predicate.sorts.iter().copied());
    write_sorts_of(out, store, sorts, &terms)
}

/// Writes the declarations of these sorts and of all that occur in these terms.
pub(crate) fn write_sorts_of(
    out: &mut impl Write,
    store: &Store,
    sorts: impl IntoIterator<Item = Sort>,
    terms: &[Term],
) -> io::Result<()> {
    let mut roots: BTreeSet<Sort> = sorts.into_iter().collect();
    roots.extend(store.subterms(terms).into_iter().map(|term| store.sort(term)));
    let roots: Vec<Sort> = roots.into_iter().filter(|sort| !sort.is_basic()).collect();
    let mut declared: BTreeMap<&str, usize> = BTreeMap::new();
    let mut datatypes: BTreeMap<&str, (usize, String)> = BTreeMap::new();
    for sort in store.parts_of_sorts(&roots) {
        let Some((name, arguments)) = store.sort_name(sort) else { continue };
        let Some(datatype) = store.datatype_of(sort) else {
            declared.insert(name, arguments.len());
            continue;
        };
        let text = declaration(store, datatype);
        let (_, known) = datatypes.entry(name).or_insert_with(|| (arguments.len(), text.clone()));
        if *known != text {
            let message = format!("the declaration of {name} is not known");
            return Err(io::Error::new(io::ErrorKind::Unsupported, message));
        }
    }
    for (name, arity) in declared {
        writeln!(out, "(declare-sort {} {arity})", quote_symbol(name))?;
    }
    if datatypes.is_empty() {
        return Ok(());
    }
    write!(out, "(declare-datatypes (")?;
    for (i, (name, (arity, _))) in datatypes.iter().enumerate() {
        write!(out, "{}({} {arity})", if i == 0 { "" } else { " " }, quote_symbol(name))?;
    }
    write!(out, ") (")?;
    for (_, text) in datatypes.values() {
        write!(out, "\n  {text}")?;
    }
    writeln!(out, "))")
}

/// The constructors of a datatype, with its parameters if it has any.
fn declaration(store: &Store, datatype: &Datatype) -> String {
    let arguments = datatype.arguments();
    let mut text = String::new();
    if !arguments.is_empty() {
        let names: Vec<String> = (0..arguments.len()).map(|i| format!("T!{i}")).collect();
        text += &format!("(par ({}) ", names.join(" "));
    }
    text.push('(');
    for (i, constructor) in datatype.constructors().iter().enumerate() {
        let space = if i == 0 { "" } else { " " };
        text += &format!("{space}({}", quote_symbol(store.name(constructor.symbol)));
        for &selector in &constructor.selectors {
            let signature = store.signature(selector);
            let sort = with_parameters(store, signature.result, arguments);
            text += &format!(" ({} {sort})", quote_symbol(&signature.name));
        }
        text.push(')');
    }
    text.push(')');
    if !arguments.is_empty() {
        text.push(')');
    }
    text
}

/// The text of a sort with parameters in place of these arguments.
fn with_parameters(store: &Store, sort: Sort, arguments: &[Sort]) -> String {
    enum Job {
        Sort(Sort),
        Text(&'static str),
    }
    let mut text = String::new();
    let mut jobs = vec![Job::Sort(sort)];
    while let Some(job) = jobs.pop() {
        let sort = match job {
            Job::Text(part) => {
                text.push_str(part);
                continue;
            }
            Job::Sort(sort) => sort,
        };
        if let Some(at) = arguments.iter().position(|&argument| argument == sort) {
            text += &format!("T!{at}");
            continue;
        }
        let parts: Vec<Sort> = match (sort.basic_name(), store.array_parts(sort)) {
            (Some(name), _) => {
                text.push_str(name);
                continue;
            }
            (_, Some((index, element))) => {
                text.push_str("(Array");
                vec![index, element]
            }
            _ => {
                let (name, parts) = store.sort_name(sort).expect("a sort with a name");
                if parts.is_empty() {
                    text.push_str(&quote_symbol(name));
                    continue;
                }
                text += &format!("({}", quote_symbol(name));
                parts.to_vec()
            }
        };
        jobs.push(Job::Text(")"));
        for part in parts.into_iter().rev() {
            jobs.push(Job::Sort(part));
            jobs.push(Job::Text(" "));
        }
    }
    text
}
