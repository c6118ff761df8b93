//! Horn clauses as VMT, if they are a transition system: one predicate, and at most one of its facts in each body.
//!
//! Clauses without a body make `:init`, those with body and head `:trans`, those without a head the property. What is no
//! argument of the predicate in a clause is an input. A predicate without arguments that only says that falsehood follows,
//! as the fixed-point form has one, is read as falsehood.

use std::collections::BTreeMap;
use std::io::{self, Write};

use shem_chc::{Atom, Clause, Predicate, System, reserved_names, write_sorts};
use shem_term::smtlib::Span;
use shem_term::{Sort, Store, Substitution, Symbol, Term, View, quote_symbol};
use thiserror::Error;

use crate::names::Names;
use crate::system::{Property, PropertyKind, StateVariable, Vmt};

/// Why clauses cannot be written as VMT.
#[derive(Debug, Error)]
pub enum NoTransitionSystem {
    /// They have no predicate.
    #[error("the clauses are no transition system: they have no predicate")]
    NoPredicate,
    /// They have several predicates.
    #[error("the clauses are no transition system: they have several predicates, {0} and {1} among them")]
    SeveralPredicates(String, String),
    /// A clause has several facts in its body; its number, from one.
    #[error("the clauses are no transition system: the body of clause {0} has several facts")]
    NotLinear(usize),
    /// A clause asks for falsehood without a fact; its number, from one.
    #[error("the clauses are no transition system: clause {0} has no predicate")]
    NoFact(usize),
    /// The output cannot be written.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// The state variables, and the inputs so far, with the names that the output has for them.
struct Variables {
    names: Names,
    texts: Vec<(Symbol, String)>,
    current: Vec<Term>,
    next: Vec<Term>,
    inputs: Vec<Term>,
}

impl Variables {
    fn make(&mut self, store: &mut Store, name: &str, sort: Sort) -> Term {
        let name = self.fresh(name);
        let term = store.variable(&name, sort);
        self.texts.push((store.as_var(term).expect("a variable"), quote_symbol(&name).into_owned()));
        term
    }

    /// A name for something new. Those that the printer of terms makes up are avoided.
    fn fresh(&mut self, name: &str) -> String {
        if name.starts_with("_let_") { self.names.fresh(&format!("v{name}")) } else { self.names.fresh(name) }
    }
}

/// A system as a transition system with the invariant property 0, and the texts of its variables.
fn transition_system(
    store: &mut Store,
    system: &System,
) -> Result<(Variables, [Term; 3]), NoTransitionSystem> {
    let goals = goals(system);
    let predicate = single_predicate(system, &goals)?;
    let mut variables = Variables {
        names: Names::default(),
        texts: Vec::new(),
        current: Vec::new(),
        next: Vec::new(),
        inputs: Vec::new(),
    };
    // The definitions of the output, and what its datatypes are made of.
    let definitions = (0..predicate.sorts.len()).map(|i| format!(".state{i}"));
    let definitions = definitions.chain([".init", ".trans", ".property"].map(str::to_owned));
    for name in definitions.chain(reserved_names(store, system)) {
        variables.names.take(&name);
    }
    let names = state_names(store, system, predicate);
    for (name, &sort) in names.iter().zip(&predicate.sorts) {
        let term = variables.make(store, name, sort);
        variables.current.push(term);
    }
    for (name, &sort) in names.iter().zip(&predicate.sorts) {
        let term = variables.make(store, &format!("{name}.next"), sort);
        variables.next.push(term);
    }
    let (mut init, mut trans, mut bad) = (Vec::new(), Vec::new(), Vec::new());
    for (at, clause) in system.clauses.iter().enumerate() {
        let head = clause.head.as_ref().filter(|head| !goals[head.predicate.index()]);
        if clause.body.iter().any(|atom| goals[atom.predicate.index()]) {
            continue;
        }
        match (&clause.body[..], head) {
            ([], None) if clause.constraint == Term::FALSE => {}
            ([], None) => return Err(NoTransitionSystem::NoFact(at + 1)),
            (body, head) if body.len() <= 1 => {
                let formula = formula(store, &mut variables, clause, head);
                match (body.is_empty(), head) {
                    (true, _) => init.push(formula),
                    (false, Some(_)) => trans.push(formula),
                    (false, None) => bad.push(formula),
                }
            }
            _ => return Err(NoTransitionSystem::NotLinear(at + 1)),
        }
    }
    let formulas = [store.or(&init), store.or(&trans), store.or(&bad)];
    Ok((variables, formulas))
}

impl Vmt {
    /// The transition system that clauses are, with the invariant property 0.
    ///
    /// # Errors
    /// If the clauses are none.
    pub fn of_clauses(store: &mut Store, system: &System) -> Result<Vmt, NoTransitionSystem> {
        let (Variables { current, next, inputs, .. }, [init, trans, bad]) = transition_system(store, system)?;
        let named = |term: Term| -> Box<str> { store.name(store.as_var(term).expect("a variable")).into() };
        let states = current.iter().zip(&next);
        let states =
            states.map(|(&current, &next)| StateVariable { name: named(current), current, next }).collect();
        let inputs = inputs.into_iter().map(|input| (named(input), input)).collect();
        let (kind, name, span) = (PropertyKind::Invariant, ".property".into(), Span::new(0, 0));
        let properties = vec![Property { kind, index: 0, name, formula: !bad, span }];
        Ok(Vmt { states, inputs, init, trans, properties })
    }
}

/// Writes a system as VMT, with the invariant property 0.
///
/// # Errors
/// If the system is no transition system, or the output cannot be written.
pub fn write_vmt(out: &mut impl Write, store: &mut Store, system: &System) -> Result<(), NoTransitionSystem> {
    let (mut variables, [init, trans, bad]) = transition_system(store, system)?;
    for term in store.subterms(&[init, trans, bad]) {
        let View::Forall(bound, _) = store.view(term) else { continue };
        for &variable in bound {
            let symbol = store.as_var(variable).expect("a variable");
            if variables.texts.iter().all(|(known, _)| *known != symbol) {
                let name = variables.fresh(store.name(symbol));
                variables.texts.push((symbol, quote_symbol(&name).into_owned()));
            }
        }
    }
    let texts: BTreeMap<Symbol, String> = std::mem::take(&mut variables.texts).into_iter().collect();
    write_sorts(out, store, system)?;
    let text = |term: Term| {
        let known = |symbol: Symbol| texts.get(&symbol).map(String::as_str);
        store.display(term).with_differences().with_symbols(&known).to_string()
    };
    for &term in variables.current.iter().chain(&variables.next).chain(&variables.inputs) {
        writeln!(out, "(declare-fun {} () {})", text(term), store.display_sort(store.sort(term)))?;
    }
    for (i, (&current, &next)) in variables.current.iter().zip(&variables.next).enumerate() {
        let sort = store.display_sort(store.sort(current));
        writeln!(out, "(define-fun .state{i} () {sort} (! {} :next {}))", text(current), text(next))?;
    }
    writeln!(out, "(define-fun .init () Bool (! {} :init true))", text(init))?;
    writeln!(out, "(define-fun .trans () Bool (! {} :trans true))", text(trans))?;
    writeln!(out, "(define-fun .property () Bool (! {} :invar-property 0))", text(!bad))?;
    Ok(())
}

/// By predicate, whether it stands for falsehood: it has no arguments, and all that follows from it is falsehood.
fn goals(system: &System) -> Vec<bool> {
    let mut goals = vec![false; system.predicates.len()];
    let mut others = goals.clone();
    for clause in &system.clauses {
        let closes = clause.head.is_none() && clause.body.len() == 1 && clause.constraint == Term::TRUE;
        for atom in &clause.body {
            let list = if closes && atom.args.is_empty() { &mut goals } else { &mut others };
            list[atom.predicate.index()] = true;
        }
    }
    goals.iter().zip(&others).map(|(goal, other)| *goal && !other).collect()
}

/// The one predicate that clauses mention, but for those that stand for falsehood.
fn single_predicate<'s>(system: &'s System, goals: &[bool]) -> Result<&'s Predicate, NoTransitionSystem> {
    let mut found = None;
    for atom in system.clauses.iter().flat_map(|clause| clause.body.iter().chain(&clause.head)) {
        match found {
            _ if goals[atom.predicate.index()] => {}
            None => found = Some(atom.predicate),
            Some(other) if other != atom.predicate => {
                let [a, b] = [other, atom.predicate].map(|id| system.predicate(id).name.to_string());
                return Err(NoTransitionSystem::SeveralPredicates(a, b));
            }
            _ => {}
        }
    }
    found.map(|id| system.predicate(id)).ok_or(NoTransitionSystem::NoPredicate)
}

/// Names for the state variables: those that a clause gives them, if it has a different one for each.
fn state_names(store: &Store, system: &System, predicate: &Predicate) -> Vec<String> {
    let atoms = system.clauses.iter().flat_map(|clause| clause.body.iter().chain(&clause.head));
    for atom in atoms.filter(|atom| atom.args.len() == predicate.sorts.len()) {
        let mut names = Names::default();
        let own = |&arg: &Term| Some(store.name(plain(store, arg)?)).filter(|name| names.take(name));
        let found: Option<Vec<&str>> = atom.args.iter().map(own).collect();
        if let Some(found) = found {
            return found.into_iter().map(str::to_owned).collect();
        }
    }
    (0..predicate.sorts.len()).map(|i| format!("x{i}")).collect()
}

/// The symbol of a variable that is not negated.
fn plain(store: &Store, term: Term) -> Option<Symbol> {
    store.as_var(term).filter(|_| !term.is_negated())
}

/// What a clause says of the state variables before and after the step.
fn formula(store: &mut Store, variables: &mut Variables, clause: &Clause, head: Option<&Atom>) -> Term {
    let mut substitution = Substitution::new();
    let mut equations: Vec<(Term, Term)> = Vec::new();
    let mut meet = |store: &Store, atom: &Atom, states: &[Term]| {
        for (&arg, &state) in atom.args.iter().zip(states) {
            match plain(store, arg).filter(|&symbol| substitution.get(symbol).is_none()) {
                Some(symbol) => {
                    substitution.insert(symbol, state);
                }
                None => equations.push((arg, state)),
            }
        }
    };
    if let Some(body) = clause.body.first() {
        meet(store, body, &variables.current);
    }
    if let Some(head) = head {
        meet(store, head, if clause.body.is_empty() { &variables.current } else { &variables.next });
    }
    // Inputs of one name and sort serve all clauses.
    let mut used: Vec<Term> = Vec::new();
    for &variable in &clause.variables {
        let symbol = store.as_var(variable).expect("a variable");
        if substitution.get(symbol).is_some() {
            continue;
        }
        let (name, sort) = (store.name(symbol).to_owned(), store.sort(variable));
        let fits = |&input: &Term| {
            let known = store.name(store.as_var(input).expect("a variable"));
            let same = known == name || known.strip_prefix(&*name).is_some_and(|rest| rest.starts_with('!'));
            same && store.sort(input) == sort && !used.contains(&input)
        };
        let known = variables.inputs.iter().copied().find(fits);
        let input = known.unwrap_or_else(|| {
            let input = variables.make(store, &name, sort);
            variables.inputs.push(input);
            input
        });
        used.push(input);
        substitution.insert(symbol, input);
    }
    let mut parts = vec![store.substitute(clause.constraint, &substitution)];
    for (arg, state) in equations {
        let arg = store.substitute(arg, &substitution);
        parts.push(store.eq(arg, state));
    }
    store.and(&parts)
}
