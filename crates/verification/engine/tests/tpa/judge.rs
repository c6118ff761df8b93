//! Systems from text, and the judge of verdicts about them.

use shem_base::{Budget, Statistics};
use shem_chc::{Path, TransitionSystem};
use shem_engine::tpa::Tpa;
use shem_engine::{Context, NoEvents, Outcome, Reason, TransitionEngine};
use shem_smt::Solver;
use shem_term::smtlib::{Lexer, Reader};
use shem_term::{Sort, Store, Substitution, Symbol, Term, Value};

/// The system over these variables; the state after a step has the same names with a suffix `.next`.
pub fn system(
    store: &mut Store,
    sorts: &[(&str, Sort)],
    initial: &str,
    transition: &str,
    bad: &str,
) -> TransitionSystem {
    let mut declarations = String::new();
    for (name, sort) in sorts {
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

/// What was found out.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// Safe, with a certificate that was accepted, and an invariant that was, if one was built.
    Safe { invariant: bool },
    /// Unsafe, by a path of so many steps that was accepted.
    Unsafe { steps: usize },
    /// Unknown.
    Unknown(Reason),
}

/// Runs an engine and judges what it says.
pub fn run(
    mut engine: Tpa,
    store: &mut Store,
    system: &TransitionSystem,
    budget: Budget,
) -> (Found, Statistics) {
    let mut context =
        Context { budget, seed: 1, witness: true, events: &mut NoEvents, statistics: Statistics::new() };
    let verdict = engine.solve(store, system, &mut context);
    let found = match verdict {
        Outcome::Unknown(reason) => Found::Unknown(reason),
        Outcome::Unsafe(proven) => {
            let path = proven.witness.get(store, &mut Budget::unlimited()).expect("a path");
            judge_path(store, system, &path);
            Found::Unsafe { steps: path.len() - 1 }
        }
        Outcome::Safe(proven) => {
            let certificate = proven.certificate.expect("a certificate");
            certificate.check(store, &mut Budget::unlimited()).expect("a right certificate");
            let mut budget = Budget { conflicts: 2_000, pivots: 20_000, ..Budget::unlimited() };
            let invariant = proven.witness.get(store, &mut budget);
            if let Ok(invariant) = invariant {
                judge_invariant(store, system, invariant);
            }
            Found::Safe { invariant: invariant.is_ok() }
        }
    };
    (found, context.statistics)
}

/// The path is one from an initial to a bad state, by the definition of the formulas.
pub fn judge_path(store: &Store, system: &TransitionSystem, path: &Path) {
    let holds = |formula: Term, now: &[Value], next: &[Value]| {
        let value = |symbol: Symbol| {
            let find = |variables: &[Term], values: &[Value]| {
                let at = variables.iter().position(|&v| store.as_var(v) == Some(symbol))?;
                values.get(at).cloned()
            };
            find(&system.state, now).or_else(|| find(&system.next, next))
        };
        store.evaluate(formula, &value) == Some(Value::Bool(true))
    };
    let (first, last) = (path.first().expect("a state"), path.last().expect("a state"));
    assert!(holds(system.initial, first, &[]), "the path begins in an initial state");
    assert!(holds(system.bad, last, &[]), "the path ends in a bad state");
    for (at, step) in path.windows(2).enumerate() {
        assert!(holds(system.transition, &step[0], &step[1]), "step {at} is a transition");
    }
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
        let mut solver = Solver::new(Default::default());
        for &formula in formulas {
            solver.assert(store, formula);
        }
        assert!(solver.check(store, &mut Budget::unlimited()).is_unsat(), "condition {at} of the invariant");
    }
}
