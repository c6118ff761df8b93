//! Quantifiers inside constraints.
//!
//! A constraint stands on the left of the implication, so a variable that it quantifies existentially is as
//! good as a variable of the clause: existential blocks are opened wherever only conjunctions and disjunctions
//! lie above them. One witness serves two occurrences of the same block, so sharing does no harm. All other
//! blocks stay as they are.

use hashbrown::{HashMap, HashSet};
use rustc_hash::FxBuildHasher;
use shem_term::{Store, Term, View};

use super::clauses::Extractor;

impl Extractor {
    /// The constraint with its existential blocks opened; their variables are added to those of the clause.
    pub(super) fn open_constraint(&mut self, store: &mut Store, constraint: Term) -> Term {
        self.claim_bound(store, constraint);
        // What became of a formula as it stands, with its negation.
        let mut done: HashMap<Term, Term, FxBuildHasher> = HashMap::default();
        // The bodies of the blocks that are being opened.
        let mut bodies: HashMap<Term, Term, FxBuildHasher> = HashMap::default();
        let mut stack = vec![constraint];
        let mut missing = Vec::new();
        while let Some(&term) = stack.last() {
            if done.contains_key(&term) {
                stack.pop();
                continue;
            }
            let result = if !self.contents.has_quantifier(term) {
                term
            } else {
                match store.view(term) {
                    View::And(members) => {
                        let flip = term.is_negated();
                        let members: Vec<Term> = members.iter().map(|t| t.xor(flip)).collect();
                        missing.extend(members.iter().copied().filter(|t| !done.contains_key(t)));
                        if !missing.is_empty() {
                            stack.append(&mut missing);
                            continue;
                        }
                        let members: Vec<Term> = members.iter().map(|t| done[t]).collect();
                        if flip { store.or(&members) } else { store.and(&members) }
                    }
                    View::Forall(vars, body) if term.is_negated() => match bodies.get(&term) {
                        Some(body) if done.contains_key(body) => done[body],
                        Some(_) => unreachable!("the body of a block was pushed above it"),
                        None => {
                            let vars = vars.to_vec();
                            let body = !self.open(store, &vars, body);
                            bodies.insert(term, body);
                            stack.push(body);
                            continue;
                        }
                    },
                    _ => term,
                }
            };
            stack.pop();
            done.insert(term, result);
        }
        self.contents.extend(store);
        done[&constraint]
    }

    /// Claims the variables of the blocks that will stay: the same block may be opened elsewhere in the
    /// constraint, and its variables must not be bound and free in one clause.
    fn claim_bound(&mut self, store: &Store, constraint: Term) {
        let mut seen: HashSet<Term, FxBuildHasher> = HashSet::default();
        let mut kept = Vec::new();
        let mut stack = vec![constraint];
        while let Some(term) = stack.pop() {
            if !self.contents.has_quantifier(term) || !seen.insert(term) {
                continue;
            }
            match store.view(term) {
                View::And(members) => stack.extend(members.iter().map(|t| t.xor(term.is_negated()))),
                View::Forall(_, body) if term.is_negated() => stack.push(!body),
                _ => kept.push(term),
            }
        }
        for term in store.subterms(&kept) {
            if let View::Forall(vars, _) = store.view(term) {
                for var in vars {
                    self.claimed.insert(var.index());
                }
            }
        }
    }
}
