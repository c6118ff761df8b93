//! Smaller models.
//!
//! What engines and passes leave in a model is often said twice: bounds that others imply, disjuncts that others cover,
//! lemmas that were needed on the way and not in the end. Four things are done, all of them within a budget:
//!
//! - definitions are simplified (`shem_smt::interpolate::simplify`): of bounds on one linear form the strongest is kept,
//!   and two bounds become an equality;
//! - a member of a conjunction that the others imply goes, and so does a member of a disjunction that the others cover,
//!   as a solver decides. Inside of a member, what is beside and above it is taken for granted. The meaning stays;
//! - members at the top of definitions go that no query needs: a query needs those that its refutation uses, and a
//!   needed member needs those that the refutations of its clauses use. What is left is a model, weaker than before;
//! - a member at the top of a definition goes if the clauses hold without it, in which the predicate occurs. The
//!   definition gets weaker or stronger, and the model stays a model.
//!
//! Nothing of this is believed: whoever prints the result has it judged like any model, and prints the old one if that
//! fails.
//!
//! The cost is a check of a solver for each member of each conjunction and disjunction, and one for each clause of the
//! predicate and each member at the top.

use shem_base::{Budget, Effort};
use shem_chc::{Clause, Definition, Model, PredicateId, System};
use shem_proof::NoProof;
use shem_smt::interpolate::simplify;
use shem_smt::{Answer, Solver, SolverOptions};
use shem_term::{Store, Term, View};

use crate::model::{definition_instance, instance_of};

/// How many members of one conjunction are looked at, and how deep.
const MEMBERS: usize = 400;
const DEPTH: usize = 8;
/// The effort for one member.
const MEMBER_EFFORT: Effort = Effort { conflicts: 100, pivots: 1_000, splits: 20 };
/// The effort for one clause.
const CLAUSE_EFFORT: Effort = Effort { conflicts: 2_000, pivots: 20_000, splits: 200 };

/// A model with smaller definitions, which has to be judged; the budget says how much work that is worth.
pub fn prune_model(store: &mut Store, system: &System, model: &Model, budget: &mut Budget) -> Model {
    let mut pruned = model.clone();
    for definition in &mut pruned.definitions {
        definition.body = simplify(store, definition.body);
    }
    let quantified = |store: &Store, term: Term| store.has_quantifier(term);
    let open = system.clauses.iter().any(|clause| quantified(store, clause.constraint))
        || pruned.definitions.iter().any(|definition| quantified(store, definition.body));
    // What takes the fewest checks and drops the most comes first.
    if !open {
        keep_needed(store, system, &mut pruned, budget);
    }
    for definition in &mut pruned.definitions {
        definition.body = prune(store, definition.body, budget);
    }
    if !open {
        for at in 0..system.predicates.len() {
            drop_members(store, system, &mut pruned, PredicateId::new(at), budget);
        }
    }
    pruned
}

/// An equivalent formula.
fn prune(store: &mut Store, formula: Term, budget: &mut Budget) -> Term {
    let mut pruner =
        Pruner { solver: Solver::with_proof(SolverOptions::default(), NoProof), context: Vec::new(), budget };
    let formula = pruner.prune(store, formula, 0);
    simplify(store, formula)
}

struct Pruner<'b> {
    solver: Solver<NoProof>,
    /// What is taken for granted.
    context: Vec<Term>,
    budget: &'b mut Budget,
}

impl Pruner<'_> {
    /// A formula that is equivalent where the context holds.
    fn prune(&mut self, store: &mut Store, formula: Term, depth: usize) -> Term {
        // A disjunction is the negation of the conjunction that is looked at.
        let View::And(members) = store.view(formula) else { return formula };
        if members.len() > MEMBERS || depth > DEPTH {
            return formula;
        }
        let mut members = members.to_vec();
        self.drop_implied(store, &mut members);
        for at in 0..members.len() {
            if self.budget.check_stop().is_err() {
                break;
            }
            if let View::And(_) = store.view(members[at]) {
                let height = self.context.len();
                let others = members.iter().enumerate().filter(|&(i, _)| i != at).map(|(_, &other)| other);
                self.context.extend(others);
                members[at] = self.prune(store, members[at], depth + 1);
                self.context.truncate(height);
            }
        }
        store.and(&members).xor(formula.is_negated())
    }

    /// Drops members that the context and the others imply, large ones first.
    fn drop_implied(&mut self, store: &mut Store, members: &mut Vec<Term>) {
        let mut order: Vec<(usize, Term)> =
            members.iter().map(|&member| (store.subterms(&[member]).len(), member)).collect();
        order.sort_unstable_by(|a, b| b.cmp(a));
        for (_, member) in order {
            if members.len() == 1 || self.budget.check_stop().is_err() {
                return;
            }
            let mut assumed = self.context.clone();
            assumed.extend(members.iter().map(|&other| if other == member { !other } else { other }));
            let effort = &mut self.budget.at_most(MEMBER_EFFORT);
            if self.solver.check_assuming(store, &assumed, effort).is_unsat() {
                members.retain(|&other| other != member);
            }
        }
    }
}

/// Keeps those members at the top of definitions that queries need, directly or not. Nothing changes if that is not
/// found out.
fn keep_needed(store: &mut Store, system: &System, model: &mut Model, budget: &mut Budget) {
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
                let definition = model.definition(head.predicate);
                let single = Definition {
                    parameters: definition.parameters.clone(),
                    body: members[head.predicate.index()][member],
                };
                Some(instance_of(store, &single, head))
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
                let member = Definition { parameters: parameters.clone(), body };
                assumed.push((instance_of(store, &member, atom), predicate, position));
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

/// Drops members at the top of a definition without which the clauses of the predicate hold.
fn drop_members(
    store: &mut Store,
    system: &System,
    model: &mut Model,
    predicate: PredicateId,
    budget: &mut Budget,
) {
    let body = model.definition(predicate).body;
    let View::And(members) = store.view(body) else { return };
    if members.len() > MEMBERS {
        return;
    }
    let mut members = members.to_vec();
    let concerns =
        |clause: &&Clause| clause.body.iter().chain(&clause.head).any(|atom| atom.predicate == predicate);
    let clauses: Vec<&Clause> = system.clauses.iter().filter(concerns).collect();
    let mut order: Vec<(usize, Term)> =
        members.iter().map(|&member| (store.subterms(&[member]).len(), member)).collect();
    order.sort_unstable_by(|a, b| b.cmp(a));
    for (_, member) in order {
        if budget.check_stop().is_err() {
            return;
        }
        let without: Vec<Term> = members.iter().copied().filter(|&other| other != member).collect();
        let smaller = store.and(&without).xor(body.is_negated());
        let before = std::mem::replace(&mut definition_mut(model, predicate).body, smaller);
        if clauses.iter().all(|clause| holds(store, model, clause, budget)) {
            members = without;
        } else {
            definition_mut(model, predicate).body = before;
        }
    }
}

fn definition_mut(model: &mut Model, predicate: PredicateId) -> &mut Definition {
    &mut model.definitions[predicate.index()]
}

/// Whether a solver finds quickly that a clause holds under a model.
fn holds(store: &mut Store, model: &Model, clause: &Clause, budget: &mut Budget) -> bool {
    if budget.check_stop().is_err() {
        return false;
    }
    let mut solver = Solver::with_proof(SolverOptions::default(), NoProof);
    solver.assert(store, clause.constraint);
    for atom in &clause.body {
        let instance = definition_instance(store, model, atom);
        solver.assert(store, instance);
    }
    if let Some(head) = &clause.head {
        let instance = definition_instance(store, model, head);
        solver.assert(store, !instance);
    }
    solver.check(store, &mut budget.at_most(CLAUSE_EFFORT)).is_unsat()
}

#[cfg(test)]
mod tests {
    use shem_base::StopToken;
    use shem_chc::Script;
    use shem_term::Sort;

    use super::*;
    use crate::{Validity, check_model};

    #[test]
    fn models_get_smaller_and_stay_models() {
        let mut store = Store::new();
        let input = "(declare-fun P (Int Int) Bool)
            (assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 0)) (P x y))))
            (assert (forall ((x Int) (y Int)) (=> (and (P x y) (< x 5)) (P (+ x 1) (+ y 1)))))
            (assert (forall ((x Int) (y Int)) (=> (and (P x y) (> x y)) false)))";
        let system = Script::read(&mut store, input, &StopToken::new()).expect("a system").system;
        let [x, y] = ["x", "y"].map(|name| store.variable(name, Sort::Int));
        let difference = store.sub(x, y);
        let [zero, one, nine] = [0, 1, 9].map(|n| store.int(n));
        // x - y <= 0, the same with 1 and 9, and a disjunction of bounds of which one covers the others.
        let needed = store.le(difference, zero);
        let [weak, weaker] = [one, nine].map(|bound| store.le(difference, bound));
        let bounds: Vec<Term> = (0..20).map(|n| store.int(n)).collect();
        let disjuncts: Vec<Term> = bounds.into_iter().map(|bound| store.le(x, bound)).collect();
        let covered = store.or(&disjuncts);
        let unneeded = store.ge(x, zero);
        let body = store.and(&[weaker, needed, covered, weak, unneeded]);
        let parameters: Box<[Term]> = [x, y].into();
        let model = Model { definitions: vec![Definition { parameters: parameters.clone(), body }] };
        let equivalent = prune(&mut store, body, &mut Budget::unlimited());
        let last = store.int(19);
        let top = store.le(x, last);
        assert_eq!(equivalent, store.and(&[needed, top, unneeded]));
        let pruned = prune_model(&mut store, &system, &model, &mut Budget::unlimited());
        assert_eq!(pruned.definitions[0].body, needed);
        assert_eq!(check_model(&mut store, &system, &pruned, &mut Budget::unlimited()), Validity::Valid);
        // Without time there is no check.
        let token = StopToken::new();
        token.stop();
        let kept = prune_model(&mut store, &system, &model, &mut Budget::until(token));
        assert!(matches!(store.view(kept.definitions[0].body), View::And(_)));
    }
}
