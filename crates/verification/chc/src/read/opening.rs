//! Quantifiers inside constraints.
//!
//! A constraint stands on the left of the implication, so a variable that it quantifies existentially is as
//! good as a variable of the clause: existential blocks are opened wherever only conjunctions and disjunctions
//! lie above them. One witness serves two occurrences of the same block, so sharing does no harm. All other
//! blocks are eliminated, within a budget.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use shem_base::Budget;
use shem_smt::project::eliminate_quantifiers;
use shem_term::smtlib::{ErrorKind, ReadError, Span};
use shem_term::{Store, Term, View};

use super::clauses::Extractor;

/// The effort for the elimination of the quantifiers of one formula.
fn budget() -> Budget {
    Budget { conflicts: 100_000, pivots: 1_000_000, splits: 10_000, ..Budget::unlimited() }
}

impl Extractor {
    /// The constraint without quantifiers; variables that are opened are added to those of the clause.
    pub(super) fn open_constraint(
        &mut self,
        store: &mut Store,
        constraint: Term,
        span: Span,
    ) -> Result<Term, ReadError> {
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
                    _ => self.eliminate(store, term, span)?,
                }
            };
            stack.pop();
            done.insert(term, result);
        }
        Ok(done[&constraint])
    }

    /// An equivalent term without quantifiers.
    pub(super) fn eliminate(&mut self, store: &mut Store, term: Term, span: Span) -> Result<Term, ReadError> {
        let mut budget = Budget { stop: self.stop.clone(), ..budget() };
        let result = eliminate_quantifiers(store, term, &mut budget).map_err(|reason| {
            let message = format!("a quantifier in a constraint could not be eliminated: {reason}");
            ReadError::new(ErrorKind::Unsupported, span, message)
        })?;
        self.contents.extend(store);
        Ok(result)
    }
}
