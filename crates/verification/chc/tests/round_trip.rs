//! A system that is printed and read again is the same system.

use std::fs;
use std::path::Path;

use shem_base::StopToken;
use shem_chc::{Atom, Clause, PredicateId, Request, Script, System, normalise, write_system};
use shem_term::{Store, Substitution, Term};

fn texts() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/systems");
    let mut paths: Vec<_> = fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        (path.display().to_string(), fs::read_to_string(path).expect("a readable file"))
    };
    paths.iter().map(read).collect()
}

fn read(store: &mut Store, name: &str, text: &str) -> Script {
    let script = Script::read(store, text, &StopToken::new());
    script.unwrap_or_else(|error| panic!("{name}: {error} at {:?}\n{text}", error.span))
}

/// The atoms with variables renamed, in an order that does not depend on the terms' age.
fn atoms(store: &mut Store, atoms: &[Atom], renaming: &Substitution) -> Vec<(PredicateId, Vec<Term>)> {
    let mut renamed: Vec<(PredicateId, Vec<Term>)> = Vec::new();
    for atom in atoms {
        let args = atom.args.iter().map(|&arg| store.substitute(arg, renaming)).collect();
        renamed.push((atom.predicate, args));
    }
    renamed.sort();
    renamed
}

fn assert_same(store: &mut Store, one: &Clause, other: &Clause, context: &str) {
    assert_eq!(one.variables.len(), other.variables.len(), "{context}");
    let mut renaming = Substitution::new();
    for (&from, &to) in other.variables.iter().zip(&one.variables) {
        renaming.insert(store.as_var(from).expect("a variable"), to);
    }
    let none = Substitution::new();
    let renamed = store.substitute(other.constraint, &renaming);
    if store.has_quantifier(renamed) {
        // Bound variables have symbols of their own.
        let [one, other] = [one.constraint, renamed].map(|term| store.display(term).to_string());
        assert_eq!(one, other, "{context}");
    } else {
        assert_eq!(one.constraint, renamed, "{context}");
    }
    assert_eq!(atoms(store, &one.body, &none), atoms(store, &other.body, &renaming), "{context}");
    let heads = [one, other].map(|clause| clause.head.clone().into_iter().collect::<Vec<_>>());
    assert_eq!(atoms(store, &heads[0], &none), atoms(store, &heads[1], &renaming), "{context}");
}

fn check(store: &mut Store, name: &str, system: &System) {
    let mut printed = Vec::new();
    write_system(&mut printed, store, system).expect("written");
    let printed = String::from_utf8(printed).expect("text");
    let again = read(store, name, &printed).system;
    let context = format!("{name}\n{printed}");
    assert_eq!(again.predicates.len(), system.predicates.len(), "{context}");
    for (one, other) in system.predicates.iter().zip(&again.predicates) {
        assert_eq!(one.name, other.name, "{context}");
        if one.sorts != other.sorts {
            // Datatypes that are declared again are others with the same names, so texts are compared.
            let mut repeated = Vec::new();
            write_system(&mut repeated, store, &again).expect("written");
            assert_eq!(String::from_utf8(repeated).expect("text"), printed, "{name}");
            return;
        }
    }
    // A clause whose constraint is false is no clause any more.
    let clauses: Vec<&Clause> = system.clauses.iter().filter(|c| c.constraint != Term::FALSE).collect();
    assert_eq!(again.clauses.len(), clauses.len(), "{context}");
    for (&one, other) in clauses.iter().zip(&again.clauses) {
        assert_same(store, one, other, &context);
    }
    normalise(store, system);
}

#[test]
fn printed_systems_are_read_as_they_were() {
    let mut systems = 0;
    for (name, text) in texts() {
        let mut store = Store::new();
        for request in read(&mut store, &name, &text).requests {
            if let Request::Check { system, .. } = request {
                check(&mut store, &name, &system);
                systems += 1;
            }
        }
    }
    assert!(systems >= 8, "only {systems} systems");
}
