//! The values of a clause's variables in a step of a derivation.
//!
//! A derivation gives the arguments of facts only. Where an argument is a variable, its value is read off; if
//! that leaves no variable open, evaluation decides whether the step is an instance of its clause. Otherwise a
//! solver, one for each clause that needs it, finds values for the rest.

use std::collections::BTreeMap;

use shem_base::{Budget, UnknownReason};
use shem_proof::NoProof;
use shem_smt::{Answer, Solver};
use shem_term::{Store, Symbol, Term, Value};

use crate::derivation::{Derivation, StepId};
use crate::system::{Clause, ClauseId, System};

/// Finds the values of clauses' variables in the steps of derivations from one system.
#[derive(Default)]
pub struct Instances {
    /// Solvers that hold the constraints of their clauses.
    solvers: BTreeMap<ClauseId, Solver<NoProof>>,
}

impl Instances {
    /// Nothing is known yet.
    pub fn new() -> Instances {
        Instances::default()
    }

    /// Values for the variables of the step's clause, in their order, under which the constraint holds, the
    /// atoms of the body are the facts of the premises and the head is the fact of the step. `None` if there
    /// are none: the step is wrong.
    pub fn values(
        &mut self,
        store: &mut Store,
        system: &System,
        derivation: &Derivation<ClauseId>,
        step: StepId,
        budget: &mut Budget,
    ) -> Result<Option<Vec<Value>>, UnknownReason> {
        let step = derivation.step(step);
        let clause = system.clause(step.rule);
        let Some(pairs) = arguments(system, derivation, clause, step.premises, step.values) else {
            return Ok(None);
        };
        let mut known: BTreeMap<Symbol, &Value> = BTreeMap::new();
        let negations: Vec<Value> = vec![Value::Bool(true), Value::Bool(false)];
        for &(argument, value) in &pairs {
            let Some(symbol) = store.as_var(argument) else { continue };
            let value = match value {
                Value::Bool(truth) if argument.is_negated() => &negations[usize::from(*truth)],
                value => value,
            };
            if *known.entry(symbol).or_insert(value) != value {
                return Ok(None);
            }
        }
        let mut values: Vec<Option<Value>> = Vec::with_capacity(clause.variables.len());
        for &variable in &clause.variables {
            let symbol = store.as_var(variable).expect("a variable");
            values.push(known.get(&symbol).map(|&value| value.clone()));
        }
        if let Some(values) = values.into_iter().collect::<Option<Vec<Value>>>() {
            return Ok(holds(store, clause, &pairs, &values).then_some(values));
        }
        self.solve(store, step.rule, clause, &pairs, budget)
    }

    /// Has a solver find the values.
    fn solve(
        &mut self,
        store: &mut Store,
        id: ClauseId,
        clause: &Clause,
        pairs: &[(Term, &Value)],
        budget: &mut Budget,
    ) -> Result<Option<Vec<Value>>, UnknownReason> {
        let solver = self.solvers.entry(id).or_insert_with(|| {
            let mut solver = Solver::with_proof(Default::default(), NoProof);
            solver.assert(store, clause.constraint);
            solver
        });
        let mut equations = Vec::with_capacity(pairs.len());
        for &(argument, value) in pairs {
            equations.push(match value {
                Value::Bool(truth) => argument.xor(!truth),
                Value::Num(number) => {
                    let number = store.numeral(number, store.sort(argument));
                    store.eq(argument, number)
                }
            });
        }
        match solver.check_assuming(store, &equations, budget) {
            Answer::Unsat => Ok(None),
            Answer::Unknown(reason) => Err(reason),
            Answer::Sat => {
                let model = solver.model();
                let symbols = clause.variables.iter().map(|&v| store.as_var(v).expect("a variable"));
                let values: Vec<Value> = symbols.map(|s| model.value_or_default(store, s)).collect();
                debug_assert!(holds(store, clause, pairs, &values));
                Ok(Some(values))
            }
        }
    }
}

/// The arguments of body and head with the values that premises and fact have for them. `None` if a premise is
/// a fact of another predicate, or one is missing.
fn arguments<'a>(
    system: &System,
    derivation: &'a Derivation<ClauseId>,
    clause: &Clause,
    premises: &[StepId],
    values: &'a [Value],
) -> Option<Vec<(Term, &'a Value)>> {
    if premises.len() != clause.body.len() {
        return None;
    }
    let mut pairs = Vec::new();
    for (atom, &premise) in clause.body.iter().zip(premises) {
        let premise = derivation.step(premise);
        let fact = system.clause(premise.rule).head.as_ref()?;
        if fact.predicate != atom.predicate || premise.values.len() != atom.args.len() {
            return None;
        }
        pairs.extend(atom.args.iter().copied().zip(premise.values));
    }
    let arity = clause.head.as_ref().map_or(0, |head| head.args.len());
    if values.len() != arity {
        return None;
    }
    if let Some(head) = &clause.head {
        pairs.extend(head.args.iter().copied().zip(values));
    }
    Some(pairs)
}

/// Whether the values satisfy the constraint and give the arguments their values.
fn holds(store: &Store, clause: &Clause, pairs: &[(Term, &Value)], values: &[Value]) -> bool {
    let mut assignment: Vec<(Symbol, &Value)> = Vec::with_capacity(values.len());
    for (&variable, value) in clause.variables.iter().zip(values) {
        assignment.push((store.as_var(variable).expect("a variable"), value));
    }
    assignment.sort_unstable_by_key(|&(symbol, _)| symbol);
    let value = |symbol: Symbol| {
        let at = assignment.binary_search_by_key(&symbol, |&(symbol, _)| symbol).ok()?;
        Some(assignment[at].1.clone())
    };
    let is = |term: Term, expected: &Value| {
        // A plain variable has been compared already.
        (store.as_var(term).is_some()
            && !term.is_negated()
            && store.as_var(term).and_then(value).as_ref() == Some(expected))
            || store.evaluate(term, &value).as_ref() == Some(expected)
    };
    is(clause.constraint, &Value::Bool(true)) && pairs.iter().all(|&(term, expected)| is(term, expected))
}
