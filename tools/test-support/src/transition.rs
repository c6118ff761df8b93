//! Transition systems from text, and judges of what is said about them.

use shem_base::Budget;
use shem_chc::{Path, TransitionSystem};
use shem_smt::Solver;
use shem_term::smtlib::{Lexer, Reader};
use shem_term::{Sort, Store, Substitution, Symbol, Term, Value};

use crate::oracle::point;

/// The system over these variables; the state after a step has the same names with a suffix `.next`.
pub fn system(
    store: &mut Store,
    sorts: &[(&str, Sort)],
    initial: &str,
    transition: &str,
    bad: &str,
) -> TransitionSystem {
    let mut declarations = String::new();
    for &(name, sort) in sorts {
        let sort = store.display_sort(sort);
        declarations += &format!("(declare-const {name} {sort})(declare-const {name}.next {sort})");
    }
    let mut reader = Reader::new();
    let mut lexer = Lexer::new(&declarations).unwrap();
    while reader.next_command(&mut lexer, store).unwrap().is_some() {}
    let [initial, transition, bad] = [initial, transition, bad].map(|text| {
        let mut lexer = Lexer::new(text).unwrap();
        reader.read_term(&mut lexer, store).unwrap()
    });
    let symbols: Vec<Symbol> = reader.declarations().iter().map(|d| d.symbol).collect();
    let state = symbols.iter().step_by(2).map(|&symbol| store.var(symbol)).collect();
    let next = symbols.iter().skip(1).step_by(2).map(|&symbol| store.var(symbol)).collect();
    TransitionSystem { state, next, initial, transition, bad }
}

/// The path is one from an initial to a bad state, by the definition of the formulas. A solver is asked only about
/// steps with variables that belong to neither state.
pub fn judge_path(store: &mut Store, system: &TransitionSystem, path: &Path) {
    let holds = |store: &mut Store, formula: Term, now: &[Value], next: &[Value]| {
        let value = |symbol: Symbol| {
            let find = |variables: &[Term], values: &[Value]| {
                let at = variables.iter().position(|&v| store.as_var(v) == Some(symbol))?;
                values.get(at).cloned()
            };
            find(&system.state, now).or_else(|| find(&system.next, next))
        };
        match store.evaluate(formula, &value) {
            Some(value) => value == Value::Bool(true),
            None => {
                let here = point(store, &system.state, now);
                let there = if next.is_empty() { Term::TRUE } else { point(store, &system.next, next) };
                !is_unsatisfiable(store, &[formula, here, there])
            }
        }
    };
    let (first, last) = (path.first().expect("a state"), path.last().expect("a state"));
    assert!(holds(store, system.initial, first, &[]), "the path begins in an initial state");
    assert!(holds(store, system.bad, last, &[]), "the path ends in a bad state");
    for (at, step) in path.windows(2).enumerate() {
        assert!(holds(store, system.transition, &step[0], &step[1]), "step {at} is a transition");
    }
}

fn is_unsatisfiable(store: &mut Store, formulas: &[Term]) -> bool {
    let mut solver = Solver::new(Default::default());
    for &formula in formulas {
        solver.assert(store, formula);
    }
    solver.check(store, &mut Budget::unlimited()).is_unsat()
}

/// The invariant is inductive, has all initial states and no bad one.
pub fn judge_invariant(store: &mut Store, system: &TransitionSystem, invariant: Term) {
    let mut substitution = Substitution::new();
    for (&state, &next) in system.state.iter().zip(&system.next) {
        substitution.insert(store.as_var(state).unwrap(), next);
    }
    let free = store.free_variables(&[invariant]);
    assert!(free.iter().all(|v| system.state.contains(v)), "the invariant is about states");
    let next = store.substitute(invariant, &substitution);
    let unsatisfiable: [&[Term]; 3] =
        [&[system.initial, !invariant], &[invariant, system.transition, !next], &[invariant, system.bad]];
    for (at, formulas) in unsatisfiable.into_iter().enumerate() {
        assert!(is_unsatisfiable(store, formulas), "condition {at} of the invariant");
    }
}
