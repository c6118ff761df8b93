//! The text of a clause, made once and written many times.
//!
//! A clause is written with its variables and, in derivations, again with values instead. Its text is
//! made with a mark for every variable and split at the marks, so that writing it costs no pass over terms.

use std::collections::BTreeSet;
use std::io::{self, Write};

use hashbrown::{HashMap, HashSet};
use rustc_hash::FxBuildHasher;
use shem_term::{Role, Sort, Store, Symbol, Term, View, quote_symbol};

use crate::system::{Atom, Clause, Premise, System};

/// Symbols of the theories: a variable must not be printed by such a name, it would hide them.
pub(super) const THEORY: [&str; 27] = [
    "true", "false", "not", "and", "or", "xor", "=>", "=", "distinct", "ite", "+", "-", "*", "/", "div",
    "mod", "abs", "<=", "<", ">=", ">", "to_real", "to_int", "is_int", "select", "store", "const",
];

/// What stands on both sides of a variable's number in the text that is to be cut. No symbol has it.
const MARK: char = '\\';

/// A part of a clause's text.
#[derive(Clone, Debug)]
pub(super) enum Piece {
    Text(Box<str>),
    /// A variable, by its position.
    Variable(usize),
}

/// A clause, ready to be written.
#[derive(Clone, Debug)]
pub(super) struct ClauseText {
    /// The names of the variables, quoted and each once.
    pub(super) names: Vec<String>,
    pub(super) pieces: Vec<Piece>,
}

impl ClauseText {
    /// The text of a clause of the system: `(=> body head)`, the body a conjunction where needed.
    pub(super) fn new(store: &mut Store, system: &System, clause: &Clause) -> ClauseText {
        ClauseText::with_goal(store, system, clause, "false")
    }

    /// The same; a clause without a head gets this one.
    pub(super) fn with_goal(store: &mut Store, system: &System, clause: &Clause, goal: &str) -> ClauseText {
        let mut roots = vec![clause.constraint];
        roots.extend(clause.premises.iter().map(|premise| premise_term(store, system, premise)));
        let bound = bound_variables(store, &roots);
        let premises = roots.split_off(1);
        let mut names = variable_names(store, system, clause, &bound);
        let bound_names = names.split_off(clause.variables.len());
        let body: Vec<Term> = clause.body.iter().map(|atom| atom_term(store, system, atom)).collect();
        let head = clause.head.as_ref().map(|atom| atom_term(store, system, atom));
        let mut marks: HashMap<Symbol, String, FxBuildHasher> = HashMap::default();
        for (i, &variable) in clause.variables.iter().enumerate() {
            let symbol = store.as_var(variable).expect("a variable");
            marks.insert(symbol, format!("{MARK}{i}{MARK}"));
        }
        for (&variable, name) in bound.iter().zip(bound_names) {
            marks.insert(store.as_var(variable).expect("a variable"), name);
        }
        let mark = |symbol: Symbol| marks.get(&symbol).map(String::as_str);
        let show = |term| store.display(term).with_symbols(&mark).to_string();
        let mut members: Vec<String> = body.iter().chain(&premises).map(|&term| show(term)).collect();
        let constraint = show(clause.constraint);
        let conjuncts = constraint.strip_prefix("(and ").and_then(|rest| rest.strip_suffix(')'));
        if clause.constraint != Term::TRUE {
            // A conjunction beside atoms gives its members to the conjunction of the body.
            members.push(conjuncts.filter(|_| !members.is_empty()).unwrap_or(&constraint).to_owned());
        }
        let body = match &members[..] {
            [] => "true".to_owned(),
            [single] => single.clone(),
            members => format!("(and {})", members.join(" ")),
        };
        let head = head.map_or_else(|| goal.to_owned(), show);
        let text = format!("(=> {body} {head})");
        let mut pieces = Vec::new();
        for (i, part) in text.split(MARK).enumerate() {
            pieces.push(match i % 2 {
                0 => Piece::Text(part.into()),
                _ => Piece::Variable(part.parse().expect("a mark holds a number")),
            });
        }
        ClauseText { names, pieces }
    }

    /// Writes the clause with these texts for its variables.
    pub(super) fn write(&self, out: &mut impl Write, texts: &[String]) -> io::Result<()> {
        self.pieces.iter().try_for_each(|piece| match piece {
            Piece::Text(text) => out.write_all(text.as_bytes()),
            Piece::Variable(position) => out.write_all(texts[*position].as_bytes()),
        })
    }

    /// Writes the clause with its quantifier.
    pub(super) fn write_closed(
        &self,
        out: &mut impl Write,
        store: &Store,
        variables: &[Term],
    ) -> io::Result<()> {
        if variables.is_empty() {
            return self.write(out, &[]);
        }
        write!(out, "(forall (")?;
        for (i, (name, &variable)) in self.names.iter().zip(variables).enumerate() {
            let space = if i == 0 { "" } else { " " };
            write!(out, "{space}({name} {})", store.display_sort(store.sort(variable)))?;
        }
        write!(out, ") ")?;
        self.write(out, &self.names)?;
        write!(out, ")")
    }
}

fn atom_term(store: &mut Store, system: &System, atom: &Atom) -> Term {
    store.apply(system.predicate(atom.predicate).symbol, &atom.args)
}

fn premise_term(store: &mut Store, system: &System, premise: &Premise) -> Term {
    let atom = atom_term(store, system, &premise.atom);
    let implication = store.implies(premise.guard, atom);
    store.forall(&premise.variables, implication)
}

/// The variables that the quantifiers of these formulas bind, sorted.
pub(super) fn bound_variables(store: &Store, formulas: &[Term]) -> Vec<Term> {
    let mut bound = Vec::new();
    for term in store.subterms(formulas) {
        if let View::Forall(vars, _) = store.view(term) {
            bound.extend_from_slice(vars);
        }
    }
    bound.sort_unstable();
    bound.dedup();
    bound
}

/// The names of constructors and selectors that may occur in the text of these terms, and of values of these sorts.
pub(super) fn applied_names<'s>(
    store: &'s Store,
    roots: &[Term],
    sorts: &[Sort],
) -> impl Iterator<Item = &'s str> {
    let mut datatypes = BTreeSet::new();
    datatypes.extend(store.parts_of_sorts(sorts).into_iter().filter_map(Sort::as_datatype));
    for term in store.subterms(roots) {
        let Some((_, role, _)) = store.as_app(term) else { continue };
        if let Role::Constructor { datatype, .. }
        | Role::Selector { datatype, .. }
        | Role::Tester { datatype, .. } = role
        {
            datatypes.insert(datatype);
        }
    }
    datatypes.into_iter().flat_map(|id| store.datatype(id).constructors()).flat_map(|constructor| {
        let selectors = constructor.selectors.iter().copied();
        selectors.chain([constructor.symbol]).map(|symbol| store.name(symbol))
    })
}

/// The names that must not be given to anything new beside a system's clauses: those of theories, constructors and
/// selectors.
pub fn reserved_names(store: &Store, system: &System) -> BTreeSet<String> {
    let mut roots: Vec<Term> = Vec::new();
    for clause in &system.clauses {
        roots.push(clause.constraint);
        roots.extend(clause.atoms().flat_map(|atom| atom.args.iter()));
        roots.extend(clause.premises.iter().map(|premise| premise.guard));
        roots.extend(&clause.variables);
    }
    let mut sorts: Vec<Sort> = roots.iter().map(|&term| store.sort(term)).collect();
    sorts.extend(system.predicates.iter().flat_map(|predicate| predicate.sorts.iter()));
    let applied = applied_names(store, &roots, &sorts);
    THEORY.into_iter().chain(applied).map(str::to_owned).collect()
}

/// Names for the variables of a clause and then those of its quantifiers: their own, with a number where that is
/// taken or means something else.
fn variable_names(store: &Store, system: &System, clause: &Clause, bound: &[Term]) -> Vec<String> {
    let mut taken: HashSet<&str, FxBuildHasher> = THEORY.into_iter().collect();
    taken.extend(clause.atoms().map(|atom| &*system.predicate(atom.predicate).name));
    let mut roots = vec![clause.constraint];
    roots.extend(clause.atoms().flat_map(|atom| atom.args.iter()));
    roots.extend(clause.premises.iter().map(|premise| premise.guard));
    // Values, too, may be written in place of the variables.
    let sorts: Vec<Sort> = clause.variables.iter().map(|&variable| store.sort(variable)).collect();
    taken.extend(applied_names(store, &roots, &sorts));
    let own: Vec<&str> = clause
        .variables
        .iter()
        .chain(bound)
        .map(|&v| store.name(store.as_var(v).expect("a variable")))
        .collect();
    // The names that the printer of terms makes up are avoided, too: it does not see those of the variables.
    let good = |name: &str| !taken.contains(name) && !name.starts_with("_let_");
    let mut first = HashSet::<&str, FxBuildHasher>::default();
    let keeps: Vec<bool> = own.iter().map(|&name| good(name) && first.insert(name)).collect();
    taken.extend(first);
    let mut made = HashSet::<String, FxBuildHasher>::default();
    let mut counts = HashMap::<&str, usize, FxBuildHasher>::default();
    let mut names = Vec::with_capacity(own.len());
    for (&name, keep) in own.iter().zip(keeps) {
        if keep {
            names.push(quote_symbol(name).into_owned());
            continue;
        }
        let count = counts.entry(name).or_insert(0);
        let unique = loop {
            *count += 1;
            let candidate = format!("{name}!{count}");
            if !taken.contains(candidate.as_str()) && made.insert(candidate.clone()) {
                break candidate;
            }
        };
        names.push(quote_symbol(&unique).into_owned());
    }
    names
}
