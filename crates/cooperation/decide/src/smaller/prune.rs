//! Smaller models.
//!
//! What engines and passes leave in a model is often said twice: bounds that others imply, disjuncts that others cover,
//! lemmas that were needed on the way and not in the end. First the model is weakened to what its clauses need:
//!
//! - definitions are simplified (`shem_smt::interpolate::simplify`): of bounds on one linear form the strongest is kept,
//!   and two bounds become an equality;
//! - members at the top of definitions go that no query needs (`needed`);
//! - definitions with connectives inside are replaced by those clauses over their atoms that clauses need (`weaken`). That
//!   is what makes a model small that was put together from interpolants: one of 260,000 characters becomes one of 10,000.
//!
//! Then it is pruned:
//!
//! - a member of a conjunction that the others imply goes, and so does a member of a disjunction that the others cover,
//!   as a solver decides. Inside of a member, what is beside and above it is taken for granted. The meaning stays;
//! - a member at the top of a definition goes if the clauses hold without it, in which the predicate occurs. The
//!   definition gets weaker or stronger, and the model stays a model.
//!
//! All of it is done within a budget, and nothing is believed: whoever prints the result has it judged like any model,
//! and prints the old one if that fails.
//!
//! The cost of pruning is a check of a solver for each member of each conjunction and disjunction, and one for each
//! clause of the predicate and each member at the top.

use shem_base::{Budget, Effort};
use shem_chc::{Clause, Definition, Model, PredicateId, System, write_model};
use shem_proof::NoProof;
use shem_smt::interpolate::simplify;
use shem_smt::{Solver, SolverOptions};
use shem_term::{Store, Term, View};

use super::needed::keep_needed;
use super::weaken::weaken;

/// How many members of one conjunction are looked at, and how deep.
const MEMBERS: usize = 400;
const DEPTH: usize = 8;
/// The effort for one member.
const MEMBER_EFFORT: Effort = Effort { conflicts: 100, pivots: 1_000, splits: 20 };
/// The effort for one clause.
pub(super) const CLAUSE_EFFORT: Effort = Effort { conflicts: 2_000, pivots: 20_000, splits: 200 };

/// A weaker model, if that makes it smaller. It has to be judged; the budget says how much work that is worth.
pub fn weaken_model(store: &mut Store, system: &System, model: &Model, budget: &mut Budget) -> Model {
    let mut found = simplified(store, model);
    if has_quantifiers(store, system, &found) {
        return smaller_of(store, system, found, model);
    }
    let are_cubes = found.definitions.iter().all(|definition| is_cube(store, definition.body));
    // Of definitions without members at the top little can go that way.
    let has_members = |definition: &Definition| {
        matches!(store.view(definition.body), View::And(_)) && !definition.body.is_negated()
    };
    if are_cubes || found.definitions.iter().any(has_members) {
        keep_needed(store, system, &mut found, budget);
    }
    if !are_cubes && let Some(weaker) = weaken(store, system, &found, budget) {
        let mut weaker = simplified(store, &weaker);
        keep_needed(store, system, &mut weaker, budget);
        found = smaller_of(store, system, weaker, &found);
    }
    smaller_of(store, system, found, model)
}

/// A model with smaller definitions, if there is one. It has to be judged; the budget says how much work that is worth.
pub fn prune_model(store: &mut Store, system: &System, model: &Model, budget: &mut Budget) -> Model {
    let mut pruned = simplified(store, model);
    for definition in &mut pruned.definitions {
        definition.body = prune(store, definition.body, budget);
    }
    if !has_quantifiers(store, system, &pruned) {
        for at in 0..system.predicates.len() {
            drop_members(store, system, &mut pruned, PredicateId::new(at), budget);
        }
    }
    smaller_of(store, system, pruned, model)
}

fn simplified(store: &mut Store, model: &Model) -> Model {
    let mut simplified = model.clone();
    for definition in &mut simplified.definitions {
        definition.body = simplify(store, definition.body);
    }
    simplified
}

fn smaller_of(store: &Store, system: &System, model: Model, other: &Model) -> Model {
    if model_size(store, system, &model) < model_size(store, system, other) { model } else { other.clone() }
}

fn has_quantifiers(store: &Store, system: &System, model: &Model) -> bool {
    system.clauses.iter().any(|clause| store.has_quantifier(clause.constraint))
        || model.definitions.iter().any(|definition| store.has_quantifier(definition.body))
}

/// Whether a formula is a conjunction of literals, or a literal.
fn is_cube(store: &Store, formula: Term) -> bool {
    let is_literal = |term: Term| !matches!(store.view(term), View::And(_) | View::Iff(..) | View::Ite(..));
    match store.view(formula) {
        View::And(members) if !formula.is_negated() => members.iter().all(|&member| is_literal(member)),
        _ => is_literal(formula),
    }
}

/// The characters of a model, as it is printed.
pub fn model_size(store: &Store, system: &System, model: &Model) -> usize {
    let mut text = Vec::new();
    write_model(&mut text, store, system, model).map_or(usize::MAX, |()| text.len())
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
        let instance = model.apply(store, atom.predicate, &atom.args);
        solver.assert(store, instance);
    }
    if let Some(head) = &clause.head {
        let instance = model.apply(store, head.predicate, &head.args);
        solver.assert(store, !instance);
    }
    solver.check(store, &mut budget.at_most(CLAUSE_EFFORT)).is_unsat()
}

#[cfg(test)]
mod tests {
    use shem_base::StopToken;
    use shem_chc::Script;
    use shem_check::{Validity, check_model};
    use shem_term::Sort;

    use super::*;

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
        let weaker = weaken_model(&mut store, &system, &model, &mut Budget::unlimited());
        assert_eq!(weaker.definitions[0].body, needed);
        let pruned = prune_model(&mut store, &system, &model, &mut Budget::unlimited());
        assert_eq!(pruned.definitions[0].body, needed);
        assert_eq!(check_model(&mut store, &system, &pruned, &mut Budget::unlimited()), Validity::Valid);
        // Without time there is no check.
        let token = StopToken::new();
        token.stop();
        let mut budget = Budget::until(token);
        let kept = weaken_model(&mut store, &system, &model, &mut budget);
        let kept = prune_model(&mut store, &system, &kept, &mut budget);
        assert!(matches!(store.view(kept.definitions[0].body), View::And(_)));
    }

    /// A disjunction of squares, cut out of one another: the query needs one side of it.
    #[test]
    fn what_clauses_need_is_found_below_connectives() {
        let mut store = Store::new();
        let input = "(declare-fun P (Int Int) Bool)
            (assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 0)) (P x y))))
            (assert (forall ((x Int) (y Int)) (=> (and (P x y) (< x 50)) (P (+ x 1) (+ y 2)))))
            (assert (forall ((x Int) (y Int)) (=> (and (P x y) (< y 0)) false)))";
        let system = Script::read(&mut store, input, &StopToken::new()).expect("a system").system;
        let [x, y] = ["x", "y"].map(|name| store.variable(name, Sort::Int));
        let twice = store.add(&[x, x]);
        let on_line = store.eq(y, twice);
        let mut squares = Vec::new();
        for n in 0..=50 {
            let [low, high] = [n, n + 1].map(|n| store.int(n));
            let parts = [store.ge(x, low), store.lt(x, high), store.ge(y, low), on_line];
            squares.push(store.and(&parts));
        }
        let body = store.or(&squares);
        let model = Model { definitions: vec![Definition { parameters: [x, y].into(), body }] };
        let mut budget = Budget::unlimited();
        assert_eq!(check_model(&mut store, &system, &model, &mut budget), Validity::Valid);
        let weaker = weaken_model(&mut store, &system, &model, &mut budget);
        assert_eq!(check_model(&mut store, &system, &weaker, &mut budget), Validity::Valid);
        let [before, after] = [&model, &weaker].map(|model| model_size(&store, &system, model));
        assert!(after * 10 < before, "{before} characters become {after}");
    }
}
