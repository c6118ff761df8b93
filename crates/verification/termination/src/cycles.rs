//! Recurrent sets of cycles of moves.
//!
//! A cycle is a function U with a guard G, over the variables of the location where it begins. A set of states in G that U
//! maps into itself has an infinite run from each of its states. It is looked for as a conjunction of atoms, in three ways,
//! beginning with those of G. What one round does not keep is made stronger: by what it was before the round (the
//! greatest such set, if that ends soon), by the demand that its sum does not go down, which is a set of states that accelerate away
//! from the guard, or, at once, by the demand that nothing changes.

use shem_base::{Budget, Effort, Rat};
use shem_chc::{Atom, Clause, ClauseId};
use shem_chc::{Derivation, PredicateId, System};
use shem_check::Choice;
use shem_proof::NoProof;
use shem_smt::Solver;
use shem_term::smtlib::Span;
use shem_term::{Sort, Store, Term, View};

use crate::linear::collect;
use crate::moves::Move;
use crate::problem::Problem;
use crate::safety::{Safe, Safety};

/// The effort of one question.
const EFFORT: Effort = Effort { conflicts: 2_000, pivots: 20_000, splits: 500 };
/// How often atoms are made stronger by what they were before a round, and by differences.
const ROUNDS_BEFORE: usize = 3;
const ROUNDS_OF_DIFFERENCES: usize = 5;
/// The greatest number of atoms of a set.
const MOST_ATOMS: usize = 60;

/// A set of states of each predicate, with moves that stay in it.
pub(crate) struct Closed {
    /// By predicate, over its variables before a step.
    pub(crate) set: Vec<Term>,
    pub(crate) choices: Vec<Vec<Choice>>,
    /// Where the cycle begins, and the part of the set there.
    pub(crate) head: PredicateId,
    pub(crate) at_head: Term,
}

/// How a set is made stronger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Strengthening {
    Before,
    Differences,
    Unchanged,
}

/// Closed sets of a cycle of moves, which lead from each predicate to the next one.
pub(crate) fn closed_sets(
    store: &mut Store,
    problem: &Problem,
    word: &[(&Move, ClauseId, PredicateId)],
    budget: &mut Budget,
) -> Vec<Closed> {
    let head = word[0].2;
    let state = problem.states[head.index()].clone();
    let mut now = state.clone();
    let mut guard = Vec::new();
    for (one, _, predicate) in word {
        let variables = &problem.states[predicate.index()];
        for &literal in &one.guard {
            let renamed = store.rename(literal, variables, &now);
            guard.extend(store.conjuncts(renamed));
        }
        now = one.updates.iter().map(|&update| store.rename(update, variables, &now)).collect();
    }
    guard.sort_unstable();
    guard.dedup();
    if guard.contains(&Term::FALSE) {
        return Vec::new();
    }
    let cycle = Cycle { state, update: now, guard };
    let ways = [Strengthening::Before, Strengthening::Differences, Strengthening::Unchanged];
    let mut found: Vec<Closed> = Vec::new();
    for way in ways {
        let Some(atoms) = cycle.close(store, way, budget) else { continue };
        let at_head = store.and(&atoms);
        if found.iter().all(|other| other.at_head != at_head) {
            found.push(along(store, problem, word, at_head));
        }
    }
    found
}

/// A cycle as one function.
struct Cycle {
    state: Vec<Term>,
    update: Vec<Term>,
    guard: Vec<Term>,
}

impl Cycle {
    /// Atoms that hold after a round if they hold before it, the guard among them; they have a common solution.
    fn close(&self, store: &mut Store, way: Strengthening, budget: &mut Budget) -> Option<Vec<Term>> {
        let mut atoms = self.guard.clone();
        if way == Strengthening::Unchanged {
            for (&variable, &update) in self.state.iter().zip(&self.update) {
                atoms.push(store.eq(variable, update));
            }
        }
        let rounds = match way {
            Strengthening::Before => ROUNDS_BEFORE,
            Strengthening::Differences => ROUNDS_OF_DIFFERENCES,
            Strengthening::Unchanged => 1,
        };
        for round in 0..=rounds {
            let all = store.and(&atoms);
            atoms = store.conjuncts(all);
            if atoms.len() > MOST_ATOMS || atoms.contains(&Term::FALSE) {
                return None;
            }
            let mut solver = Solver::with_proof(Default::default(), NoProof);
            solver.assert(store, all);
            if !budget.within(EFFORT, |part| solver.check(store, part).is_sat()) {
                return None;
            }
            let mut stronger = Vec::new();
            let mut is_closed = true;
            for &atom in &atoms {
                let after = store.rename(atom, &self.state, &self.update);
                if budget.within(EFFORT, |part| solver.check_assuming(store, &[!after], part).is_unsat()) {
                    continue;
                }
                is_closed = false;
                stronger.push(match way {
                    Strengthening::Differences => self.not_less(store, atom).unwrap_or(after),
                    _ => after,
                });
            }
            if is_closed {
                return Some(atoms);
            }
            if round == rounds {
                return None;
            }
            atoms.extend(stronger);
        }
        None
    }

    /// That the sum of an atom is not farther from its bound after a round; for an equation, that it is the same.
    fn not_less(&self, store: &mut Store, atom: Term) -> Option<Term> {
        let (poly, sign, is_equation) = match (store.view(atom), atom.is_negated()) {
            (View::Le(poly, _), false) | (View::Lt(poly, _), false) => (poly, -1, false),
            (View::Le(poly, _), true) | (View::Lt(poly, _), true) => (poly, 1, false),
            (View::Eq(poly, _), false) => (poly, 1, true),
            _ => return None,
        };
        let terms: Vec<(Term, Rat)> =
            store.poly_terms(poly).iter().map(|term| (term.leaf, Rat::from(&term.coeff))).collect();
        let is_real = terms.iter().any(|(leaf, _)| store.sort(*leaf) == Sort::Real);
        let sort = if is_real { Sort::Real } else { Sort::Int };
        let before = crate::linear::term_of(store, &collect(terms), &Rat::from(0), sort);
        let after = store.rename(before, &self.state, &self.update);
        Some(match (is_equation, sign) {
            (true, _) => store.eq(before, after),
            (_, 1) => store.ge(after, before),
            _ => store.le(after, before),
        })
    }
}

/// The set at all locations of a cycle, from that at its head.
fn along(
    store: &mut Store,
    problem: &Problem,
    word: &[(&Move, ClauseId, PredicateId)],
    at_head: Term,
) -> Closed {
    let count = problem.states.len();
    let mut set = vec![Term::FALSE; count];
    let mut choices: Vec<Vec<Choice>> = vec![Vec::new(); count];
    let (head, mut after) = (word[0].2, at_head);
    for (position, (one, clause, predicate)) in word.iter().enumerate().rev() {
        let target = word.get(position + 1).map_or(head, |next| next.2);
        // Where the cycle begins, the set is what was found; elsewhere it is what leads there.
        let here = if position == 0 {
            at_head
        } else {
            let there = store.rename(after, &problem.states[target.index()], &one.updates);
            let guard = store.and(&one.guard);
            store.and2(guard, there)
        };
        let index = predicate.index();
        set[index] = store.or2(set[index], here);
        choices[index].push(Choice { clause: *clause, values: one.values.clone().into() });
        after = here;
    }
    Closed { set, choices, head, at_head }
}

/// A derivation of a fact of a predicate in which a formula over its variables before a step holds.
pub(crate) fn reach(
    store: &mut Store,
    problem: &Problem,
    steps: &System,
    (predicate, formula): (PredicateId, Term),
    safety: &mut dyn Safety,
    effort: u64,
) -> Option<Derivation<ClauseId>> {
    let mut system = steps.clone();
    system.clauses.push(query(store, &problem.states[predicate.index()], predicate, formula));
    let Safe::No(mut derivation) = safety.decide(store, &system.into(), effort)? else { return None };
    derivation.pop();
    Some(derivation)
}

/// The clause that a formula holds of no fact of a predicate.
pub(crate) fn query(store: &mut Store, state: &[Term], predicate: PredicateId, formula: Term) -> Clause {
    let mut others = store.free_variables(&[formula]);
    others.retain(|variable| !state.contains(variable));
    let old: Vec<Term> = state.iter().chain(&others).copied().collect();
    let fresh: Vec<Term> = old
        .iter()
        .map(|&variable| {
            let name = store.name(store.as_var(variable).expect("a variable")).to_owned();
            let sort = store.sort(variable);
            store.variable(&name, sort)
        })
        .collect();
    Clause {
        constraint: store.rename(formula, &old, &fresh),
        body: [Atom { predicate, args: fresh[..state.len()].into() }].into(),
        variables: fresh.into(),
        premises: [].into(),
        head: None,
        span: Span::new(0, 0),
    }
}
