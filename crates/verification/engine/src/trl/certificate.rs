//! The certificate of safety: the rules, and what was excluded at each step of an unrolling that has an end.
//!
//! The argument is the one in `search`. It needs that rule 0 is the transition; that every pair of states that was
//! excluded as superfluous is related by a rule that was known at its first step; that a rule that may not be
//! chosen twice in a row is transitive; and that the unrolling, built anew here as plain formulas, reaches no bad state
//! and has no last step. All of it is asked of fresh solvers.

use std::collections::BTreeSet;

use shem_base::Budget;
use shem_chc::TransitionSystem;
use shem_proof::NoProof;
use shem_smt::project::eliminate;
use shem_smt::{Answer, Solver};
use shem_term::{Sort, Store, Term};

use super::relation::Vocabulary;
use crate::Certificate;
use crate::reason::CertificateError;

/// What a step may not be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exclusion {
    /// A step between two states of the formula by a rule older than this one.
    Older {
        /// The rule that relates them.
        rule: usize,
        /// Over a state and the next one.
        formula: Term,
    },
    /// The last of several steps, the first of which has this number, between two states of the formula.
    Longer {
        /// The first of the steps.
        first: usize,
        /// The rule that relates them.
        rule: usize,
        /// Over a state and the next one.
        formula: Term,
    },
}

/// An unrolling without a last step.
#[derive(Clone, Debug)]
pub struct FiniteDiameter {
    /// The system, or the reversed one.
    pub system: TransitionSystem,
    /// Its variables.
    pub vocabulary: Vocabulary,
    /// The rules, the first of them the transition.
    pub rules: Vec<Term>,
    /// The number of rules that each step may choose from. No rule but the first is chosen twice in a row.
    pub known: Vec<usize>,
    /// What was excluded at each step.
    pub exclusions: Vec<Vec<Exclusion>>,
}

impl FiniteDiameter {
    /// The variables of a rule beside the states.
    fn auxiliaries(&self, store: &Store, rule: usize) -> Vec<Term> {
        let mut auxiliaries = store.free_variables(&[self.rules[rule]]);
        auxiliaries.retain(|v| !self.vocabulary.state.contains(v) && !self.vocabulary.next.contains(v));
        auxiliaries
    }

    /// Numbers and kinds of what the certificate consists of.
    fn check_form(&self, store: &Store) -> Result<(), CertificateError> {
        let wrong = |what: &'static str| Err(CertificateError::wrong(what));
        if self.rules.first() != Some(&self.system.transition) {
            return wrong("the first rule is not the transition");
        }
        if self.vocabulary.state != self.system.state || self.vocabulary.next != self.system.next {
            return wrong("the variables are not those of the system");
        }
        if self.known.is_empty() || self.known.len() != self.exclusions.len() {
            return wrong("the steps of the unrolling are not described");
        }
        if self.known.iter().any(|&known| known == 0 || known > self.rules.len()) {
            return wrong("a step chooses from rules that are not there");
        }
        let pair = [&self.system.state[..], &self.system.next[..]].concat();
        for (at, exclusions) in self.exclusions.iter().enumerate() {
            for exclusion in exclusions {
                let (first, rule, formula) = match *exclusion {
                    Exclusion::Older { rule, formula } => (at, rule, formula),
                    Exclusion::Longer { first, rule, formula } => {
                        if first >= at {
                            return wrong("what is said of several steps is said of one");
                        }
                        (first, rule, formula)
                    }
                };
                if rule >= self.known[first] {
                    return wrong("a rule was not known where it is needed");
                }
                if store.free_variables(&[formula]).iter().any(|v| !pair.contains(v)) {
                    return wrong("an exclusion is not about two states");
                }
            }
        }
        Ok(())
    }

    /// The rules are what exclusions take them for.
    fn check_rules(&self, store: &mut Store, budget: &mut Budget) -> Result<(), CertificateError> {
        let mut claims: BTreeSet<(usize, Term)> = BTreeSet::new();
        for exclusion in self.exclusions.iter().flatten() {
            match *exclusion {
                Exclusion::Older { rule, formula } | Exclusion::Longer { rule, formula, .. } => {
                    claims.insert((rule, formula));
                }
            }
        }
        let twice = self.known.windows(2).map(|pair| pair[0].min(pair[1])).max().unwrap_or(0);
        let mut whole: Vec<Option<Term>> = vec![None; self.rules.len()];
        let needed: BTreeSet<usize> = claims.iter().map(|claim| claim.0).chain(1..twice).collect();
        for rule in needed {
            let auxiliaries = self.auxiliaries(store, rule);
            whole[rule] = Some(eliminate(store, &auxiliaries, self.rules[rule], budget)?);
        }
        for (rule, formula) in claims {
            let whole = whole[rule].expect("computed above");
            if whole != formula {
                let beyond = store.and2(formula, !whole);
                refute(store, &[beyond], "an excluded pair of states is not related by its rule", budget)?;
            }
        }
        for rule in 1..twice {
            let whole = whole[rule].expect("computed above");
            let broken = self.vocabulary.composition(store, whole, whole);
            refute(store, &[broken], "a rule is not transitive", budget)?;
        }
        Ok(())
    }

    /// The unrolling reaches no bad state, and there is no last step.
    fn check_unrolling(&self, store: &mut Store, budget: &mut Budget) -> Result<(), CertificateError> {
        let mut solver = Solver::with_proof(Default::default(), NoProof);
        let mut states = vec![self.system.state.clone()];
        solver.assert(store, self.system.initial);
        let mut earlier: Vec<Term> = Vec::new();
        for (at, (&known, exclusions)) in self.known.iter().zip(&self.exclusions).enumerate() {
            let bad = self.fresh_instance(store, self.system.bad, &self.system.state, &states[at]);
            solver.push();
            solver.assert(store, bad);
            expect_unsat(solver.check(store, budget), "the unrolling reaches a bad state")?;
            solver.pop();
            let after = fresh_like(store, &self.system.state);
            let from = [&self.system.state[..], &self.system.next[..]].concat();
            let to = [&states[at][..], &after[..]].concat();
            let mut choices = Vec::with_capacity(known);
            for rule in 0..known {
                let choice = store.variable("choice", Sort::Bool);
                let instance = self.fresh_instance(store, self.rules[rule], &from, &to);
                let guarded = store.implies(choice, instance);
                solver.assert(store, guarded);
                choices.push(choice);
            }
            let some = store.or(&choices);
            solver.assert(store, some);
            for exclusion in exclusions {
                let clause = match *exclusion {
                    Exclusion::Older { rule, formula } => {
                        let pair = store.rename(formula, &from, &to);
                        let younger = store.or(&choices[rule..]);
                        store.implies(pair, younger)
                    }
                    Exclusion::Longer { first, formula, .. } => {
                        let to = [&states[first][..], &after[..]].concat();
                        !store.rename(formula, &from, &to)
                    }
                };
                solver.assert(store, clause);
            }
            for (&before, &now) in earlier.iter().zip(&choices).skip(1) {
                let clause = store.or2(!before, !now);
                solver.assert(store, clause);
            }
            earlier = choices;
            states.push(after);
        }
        expect_unsat(solver.check(store, budget), "the unrolling goes on")
    }

    /// A formula about other variables, with fresh ones in place of its auxiliaries.
    fn fresh_instance(&self, store: &mut Store, formula: Term, from: &[Term], to: &[Term]) -> Term {
        let mut auxiliaries = store.free_variables(&[formula]);
        auxiliaries.retain(|v| !from.contains(v));
        let fresh = fresh_like(store, &auxiliaries);
        store.rename(formula, &[from, &auxiliaries[..]].concat(), &[to, &fresh[..]].concat())
    }
}

impl Certificate for FiniteDiameter {
    fn check_part(&self, _: usize, store: &mut Store, budget: &mut Budget) -> Result<(), CertificateError> {
        self.check_form(store)?;
        self.check_rules(store, budget)?;
        self.check_unrolling(store, budget)
    }
}

fn refute(
    store: &mut Store,
    formulas: &[Term],
    otherwise: &'static str,
    budget: &mut Budget,
) -> Result<(), CertificateError> {
    let mut solver = Solver::with_proof(Default::default(), NoProof);
    for &formula in formulas {
        solver.assert(store, formula);
    }
    expect_unsat(solver.check(store, budget), otherwise)
}

fn expect_unsat(answer: Answer<'_, NoProof>, otherwise: &'static str) -> Result<(), CertificateError> {
    match answer {
        Answer::Unsat(_) => Ok(()),
        Answer::Sat(_) => Err(CertificateError::wrong(otherwise)),
        Answer::Unknown(reason) => Err(reason.into()),
    }
}

/// New variables of the sorts of these.
fn fresh_like(store: &mut Store, variables: &[Term]) -> Vec<Term> {
    let mut fresh = Vec::with_capacity(variables.len());
    for &variable in variables {
        let name = store.name(store.as_var(variable).expect("a variable")).to_owned();
        let sort = store.sort(variable);
        fresh.push(store.variable(&name, sort));
    }
    fresh
}
