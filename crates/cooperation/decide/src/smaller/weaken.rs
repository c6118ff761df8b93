//! Weaker definitions, made of what clauses need.
//!
//! Every predicate begins with `true`. Where a clause fails, the values of some body atom are no solution of the
//! predicate's old definition, since that one is a model. The literals over the old definition's atoms that are true
//! for these values contradict the old definition; the negation of a small core of them is a *lemma*: it follows
//! from the old definition and excludes the values. With it the clause is tried again, and each clause with the predicate
//! in its head has to give the lemma, too. What clauses need of the old definitions is a set of lemmas in the end, which
//! are inductive together; all else is gone, however deep it stood.
//!
//! This is the lazy side of PDR (Bradley 2011), with the old definitions in the place of reachable sets: a lemma
//! is never wrong, so there is no backtracking, and nothing is generalised but against the old definition. The atoms
//! are finitely many, so there is an end. A disjunction of many conjunctions may need more lemmas than there are
//! literals in it; then the way is given up.
//!
//! The cost is a check for each lemma and each clause of its predicate, one for each lemma that was missing, and the
//! checks of the core.

use shem_base::Budget;
use shem_chc::{Model, System};
use shem_proof::NoProof;
use shem_smt::{Answer, Model as Values, Solver, SolverOptions};
use shem_term::{Store, Term};

use super::atoms::Atoms;
use super::prune::CLAUSE_EFFORT;

/// How many literals lemmas may have for each subterm of the old definitions.
const LITERALS: usize = 2;

/// Definitions that follow from those of the model and are a model, too, unless that takes too long or gets too large.
pub(super) fn weaken(
    store: &mut Store,
    system: &System,
    model: &Model,
    budget: &mut Budget,
) -> Option<Model> {
    let bodies: Vec<Term> = model.definitions.iter().map(|definition| definition.body).collect();
    let mut search = Weakening {
        system,
        model,
        old: model.definitions.iter().map(|_| None).collect(),
        lemmas: vec![Vec::new(); bodies.len()],
        clauses: system.clauses.iter().map(|_| None).collect(),
        left: LITERALS * store.subterms(&bodies).len(),
    };
    let mut pending: Vec<(usize, Option<Term>)> = Vec::new();
    let queries = system.clauses.iter().enumerate().filter(|(_, clause)| clause.head.is_none());
    pending.extend(queries.map(|(at, _)| (at, None)));
    while let Some((at, goal)) = pending.pop() {
        while let Some(values) = search.counterexample(store, at, goal, budget)? {
            let (predicate, lemma) = search.lemma(store, at, &values, budget)?;
            let heads = system.clauses.iter().enumerate().filter(|(_, clause)| {
                clause.head.as_ref().is_some_and(|head| head.predicate.index() == predicate)
            });
            pending.extend(heads.map(|(clause, _)| (clause, Some(lemma))));
        }
    }
    let mut weaker = model.clone();
    for (definition, lemmas) in weaker.definitions.iter_mut().zip(&search.lemmas) {
        definition.body = store.and(lemmas);
    }
    Some(weaker)
}

struct Weakening<'s> {
    system: &'s System,
    model: &'s Model,
    /// The old definitions, for those predicates of which lemmas were needed.
    old: Vec<Option<Atoms>>,
    lemmas: Vec<Vec<Term>>,
    /// Constraint and lemmas of the body, for clauses that were looked at; how many lemmas of each body atom.
    clauses: Vec<Option<(Solver<NoProof>, Vec<usize>)>>,
    /// How many literals new lemmas may have.
    left: usize,
}

impl Weakening<'_> {
    /// Values of a clause's variables for which the lemmas of its body are true and the goal, about the head, is not;
    /// nothing at all if that is not found out.
    fn counterexample(
        &mut self,
        store: &mut Store,
        at: usize,
        goal: Option<Term>,
        budget: &mut Budget,
    ) -> Option<Option<Values>> {
        budget.check_stop().ok()?;
        let clause = &self.system.clauses[at];
        let (solver, asserted) = self.clauses[at].get_or_insert_with(|| {
            let mut solver = Solver::with_proof(SolverOptions::default(), NoProof);
            solver.assert(store, clause.constraint);
            (solver, vec![0; clause.body.len()])
        });
        for (atom, count) in clause.body.iter().zip(asserted) {
            let predicate = atom.predicate.index();
            let parameters = &self.model.definition(atom.predicate).parameters;
            for &body in &self.lemmas[predicate][*count..] {
                let instance = store.rename(body, parameters, &atom.args);
                solver.assert(store, instance);
            }
            *count = self.lemmas[predicate].len();
        }
        let goal = clause.head.as_ref().zip(goal).map(|(head, body)| {
            !store.rename(body, &self.model.definition(head.predicate).parameters, &head.args)
        });
        let assumed = goal.as_slice();
        match solver.check_assuming(store, assumed, &mut budget.at_most(CLAUSE_EFFORT)) {
            Answer::Unsat(_) => Some(None),
            Answer::Sat(mut solution) => Some(Some(solution.model())),
            Answer::Unknown(_) => None,
        }
    }

    /// A lemma about a predicate in the body of a clause that excludes these values.
    fn lemma(
        &mut self,
        store: &mut Store,
        at: usize,
        values: &Values,
        budget: &mut Budget,
    ) -> Option<(usize, Term)> {
        for atom in &self.system.clauses[at].body {
            let predicate = atom.predicate.index();
            let definition = self.model.definition(atom.predicate);
            let old = self.old[predicate].get_or_insert_with(|| Atoms::new(store, definition, false));
            let state = old.state(store, values, atom)?;
            let Some(core) = old.contradiction(store, &state, budget)? else { continue };
            self.left = self.left.checked_sub(core.len())?;
            let lemma = !store.and(&core);
            self.lemmas[predicate].push(lemma);
            return Some((predicate, lemma));
        }
        None
    }
}
