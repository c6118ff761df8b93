//! Unrolling of a transition system in an incremental solver.
//!
//! The three formulas of the system are compiled once ([`Compiled`]); a step is an instance of the compiled
//! transition with the solver's variables of two states, and builds no terms. The variables of all states are
//! made by the solver itself and have no names until their terms are asked for, which interpolation
//! does. Every assertion is given its number, by which interpolation divides them.
//!
//! Nothing is asserted that the caller did not ask for, so that one unrolling serves bounded model checking
//! (initial state, steps, bad state), induction (steps and properties without an initial state) and
//! interpolation.

use shem_chc::{Path, TransitionSystem};
use shem_proof::ProofSink;
use shem_smt::{Solution, Solver, Template, Variable};
use shem_term::{Sort, Store, Substitution, Term, Value};

/// The formulas of a transition system, compiled for instances at any step of an unrolling.
#[derive(Debug)]
pub struct Compiled {
    sorts: Vec<Sort>,
    initial: Template,
    transition: Template,
    bad: Template,
}

impl Compiled {
    /// Compiles the formulas of a system.
    pub fn new(store: &mut Store, system: &TransitionSystem) -> Compiled {
        let pair = [&system.state[..], &system.next[..]].concat();
        Compiled {
            sorts: system.state.iter().map(|&v| store.sort(v)).collect(),
            initial: Template::new(store, system.initial, &system.state),
            transition: Template::new(store, system.transition, &pair),
            bad: Template::new(store, system.bad, &system.state),
        }
    }

    /// The initial states, over the state.
    pub fn initial(&self) -> &Template {
        &self.initial
    }

    /// The steps, over the state and the state after it.
    pub fn transition(&self) -> &Template {
        &self.transition
    }

    /// The bad states, over the state.
    pub fn bad(&self) -> &Template {
        &self.bad
    }

    /// The sorts of the variables of a state.
    pub fn sorts(&self) -> &[Sort] {
        &self.sorts
    }
}

/// A solver with the variables of consecutive states.
///
/// ```
/// use shem_base::Budget;
/// use shem_chc::TransitionSystem;
/// use shem_engine::{Compiled, Unrolling};
/// use shem_smt::{Answer, Solver};
/// use shem_term::{Sort, Store, Value};
///
/// // x begins at 0 and is doubled and increased; can it be 7 after three steps?
/// let mut store = Store::new();
/// let x = store.variable("x", Sort::Int);
/// let next = store.variable("x'", Sort::Int);
/// let (zero, seven) = (store.int(0), store.int(7));
/// let sum = store.linear(&[(2.into(), x)], &1.into(), Sort::Int);
/// let system = TransitionSystem {
///     state: vec![x],
///     next: vec![next],
///     initial: store.eq(x, zero),
///     transition: store.eq(next, sum),
///     bad: store.eq(x, seven),
/// };
/// let compiled = Compiled::new(&mut store, &system);
/// let mut unrolling = Unrolling::new(Solver::new(Default::default()), &compiled);
/// unrolling.assert_at(&mut store, compiled.initial(), 0);
/// for at in 0..3 {
///     unrolling.assert_step(&mut store, compiled.transition(), at);
/// }
/// unrolling.assert_at(&mut store, compiled.bad(), 3);
/// let answer = unrolling.solver.check(&mut store, &mut Budget::unlimited());
/// let Answer::Sat(mut solution) = answer else { panic!("{answer}") };
/// let path = unrolling.states.path(&mut solution, 3);
/// let path: Vec<Value> = path.iter().map(|state| state[0].clone()).collect();
/// assert_eq!(path, [0, 1, 3, 7].map(|number| Value::Num(number.into())));
/// ```
pub struct Unrolling<P> {
    /// The solver, for checks, scopes and everything that is not about a step of the unrolling.
    pub solver: Solver<P>,
    /// The states that exist.
    pub states: States,
}

/// The states of an unrolling.
#[derive(Clone, Debug)]
pub struct States {
    sorts: Vec<Sort>,
    /// The variables of all states, one after the other.
    variables: Vec<Variable>,
    /// The number of states: those without variables exist, too.
    count: usize,
}

impl<P: ProofSink> Unrolling<P> {
    /// An unrolling without states in this solver.
    pub fn new(solver: Solver<P>, compiled: &Compiled) -> Unrolling<P> {
        let states = States { sorts: compiled.sorts.clone(), variables: Vec::new(), count: 0 };
        Unrolling { solver, states }
    }

    /// Makes sure that there are the states up to this one. A state lives as long as the scope in which it
    /// was made, so this is called outside the scopes that close before.
    pub fn reach(&mut self, store: &Store, at: usize) {
        let States { sorts, variables, count } = &mut self.states;
        while *count <= at {
            for &sort in sorts.iter() {
                variables.push(self.solver.fresh_of(store, sort));
            }
            *count += 1;
        }
    }

    /// The variables of a state, which is made if need be (see [`Unrolling::reach`]).
    pub fn state(&mut self, store: &Store, at: usize) -> &[Variable] {
        self.reach(store, at);
        self.states.at(at)
    }

    /// Asserts a formula about a state; returns the number of the assertion.
    pub fn assert_at(&mut self, store: &mut Store, formula: &Template, at: usize) -> u32 {
        self.reach(store, at);
        self.solver.instantiate(store, formula, self.states.at(at))
    }

    /// Asserts a formula about a state and the next one; returns the number of the assertion.
    pub fn assert_step(&mut self, store: &mut Store, formula: &Template, at: usize) -> u32 {
        self.reach(store, at + 1);
        self.solver.instantiate(store, formula, self.states.between(at, at + 1))
    }

    /// The terms of the variables of a state, by which interpolants speak of them.
    pub fn terms(&mut self, store: &mut Store, at: usize) -> Vec<Term> {
        self.reach(store, at);
        self.states.at(at).iter().map(|&v| self.solver.term(store, v)).collect()
    }

    /// A formula about the variables of the state `at`, such as an interpolant, about these variables
    /// instead.
    pub fn about(&mut self, store: &mut Store, formula: Term, at: usize, variables: &[Term]) -> Term {
        let mut renaming = Substitution::new();
        for (term, &variable) in self.terms(store, at).into_iter().zip(variables) {
            renaming.insert(store.as_var(term).expect("a variable"), variable);
        }
        store.substitute(formula, &renaming)
    }
}

impl States {
    /// The variables of a state that has been made.
    fn at(&self, at: usize) -> &[Variable] {
        self.between(at, at)
    }

    /// The variables of the states from one to another, both included.
    fn between(&self, first: usize, last: usize) -> &[Variable] {
        let width = self.sorts.len();
        &self.variables[first * width..(last + 1) * width]
    }

    /// The values of a state.
    pub fn values<P: ProofSink>(&self, solution: &mut Solution<'_, P>, at: usize) -> Vec<Value> {
        self.at(at).iter().map(|&variable| solution.value(variable)).collect()
    }

    /// The states from the first to this one.
    pub fn path<P: ProofSink>(&self, solution: &mut Solution<'_, P>, last: usize) -> Path {
        (0..=last).map(|at| self.values(solution, at)).collect()
    }
}
