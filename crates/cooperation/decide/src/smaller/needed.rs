//! The members of definitions that queries need.
//!
//! A query needs the members that its refutation uses, and a needed member needs those that the refutations of its
//! clauses use. One check for each needed member and each clause of its predicate.

use shem_base::Budget;
use shem_chc::{Clause, Model, System};
use shem_proof::NoProof;
use shem_smt::{Answer, Solver, SolverOptions};
use shem_term::{Store, Term, View};

use super::prune::CLAUSE_EFFORT;

/// Keeps those members at the top of definitions that queries need, directly or not. Nothing changes if that is not
/// found out.
pub(super) fn keep_needed(store: &mut Store, system: &System, model: &mut Model, budget: &mut Budget) {
    let members: Vec<Vec<Term>> = model
        .definitions
        .iter()
        .map(|definition| match store.view(definition.body) {
            View::And(members) if !definition.body.is_negated() => members.to_vec(),
            _ => vec![definition.body],
        })
        .collect();
    let mut needed: Vec<Vec<bool>> = members.iter().map(|members| vec![false; members.len()]).collect();
    let mut ready: Vec<Option<ReadyClause>> = system.clauses.iter().map(|_| None).collect();
    let mut heads: Vec<Vec<usize>> = vec![Vec::new(); members.len()];
    let mut pending: Vec<(usize, Option<usize>)> = Vec::new();
    for (at, clause) in system.clauses.iter().enumerate() {
        match &clause.head {
            Some(head) => heads[head.predicate.index()].push(at),
            None => pending.push((at, None)),
        }
    }
    while let Some((at, goal)) = pending.pop() {
        if budget.check_stop().is_err() {
            return;
        }
        let clause = &system.clauses[at];
        let ready = ready[at].get_or_insert_with(|| ReadyClause::new(store, model, &members, clause));
        let goal = match (&clause.head, goal) {
            (Some(head), Some(member)) => {
                let parameters = &model.definition(head.predicate).parameters;
                Some(store.rename(members[head.predicate.index()][member], parameters, &head.args))
            }
            _ => None,
        };
        let Some(used) = ready.used(store, goal, budget) else { return };
        for (predicate, member) in used {
            if !std::mem::replace(&mut needed[predicate][member], true) {
                pending.extend(heads[predicate].iter().map(|&clause| (clause, Some(member))));
            }
        }
    }
    for (at, definition) in model.definitions.iter_mut().enumerate() {
        let kept: Vec<Term> =
            members[at].iter().zip(&needed[at]).filter(|(_, needed)| **needed).map(|(&m, _)| m).collect();
        definition.body = store.and(&kept);
    }
}

/// A clause whose constraint is in a solver.
struct ReadyClause {
    solver: Solver<NoProof>,
    /// The members of the definitions in the body, as instances, with predicate and position.
    assumed: Vec<(Term, usize, usize)>,
}

impl ReadyClause {
    fn new(store: &mut Store, model: &Model, members: &[Vec<Term>], clause: &Clause) -> ReadyClause {
        let mut solver = Solver::with_proof(SolverOptions::default(), NoProof);
        solver.assert(store, clause.constraint);
        let mut assumed = Vec::new();
        for atom in &clause.body {
            let predicate = atom.predicate.index();
            let parameters = &model.definition(atom.predicate).parameters;
            for (position, &body) in members[predicate].iter().enumerate() {
                assumed.push((store.rename(body, parameters, &atom.args), predicate, position));
            }
        }
        ReadyClause { solver, assumed }
    }

    /// The members of the body that a refutation of the goal's negation uses.
    fn used(
        &mut self,
        store: &mut Store,
        goal: Option<Term>,
        budget: &mut Budget,
    ) -> Option<Vec<(usize, usize)>> {
        if goal == Some(Term::TRUE) {
            return Some(Vec::new());
        }
        if let Some(&(_, predicate, position)) = self.assumed.iter().find(|(term, ..)| *term == Term::FALSE) {
            return Some(vec![(predicate, position)]);
        }
        let mut assumptions: Vec<Term> = self.assumed.iter().map(|&(term, ..)| term).collect();
        assumptions.extend(goal.map(|goal| !goal));
        match self.solver.check_assuming(store, &assumptions, &mut budget.at_most(CLAUSE_EFFORT)) {
            Answer::Unsat(refutation) => {
                let failed = refutation.failed_assumptions();
                let used = self.assumed.iter().filter(|(term, ..)| failed.contains(term));
                Some(used.map(|&(_, predicate, position)| (predicate, position)).collect())
            }
            _ => None,
        }
    }
}
