//! An unrolling without a last step, by rules that stand for many steps: a bounded diameter.
//!
//! Rules are relations between states; the first one is the transition. Each step of the unrolling chooses among the
//! first so many rules, and some choices are excluded as superfluous.
//!
//! **Claim.** Every pair of states that was excluded is related by a rule that was known at its first step; a rule that
//! may not be chosen twice in a row is transitive; and the unrolling reaches no bad state, and has no last step.
//!
//! **Why that suffices.** A run of the system is *covered* by going from some of its states to later ones by a rule each.
//! Take the cover whose first step goes farthest along the run, then the second, and so on, each by the youngest rule that
//! was known there. It is one of the traces that are left, since whatever is excluded would have taken it farther or by a
//! younger rule. So if no trace has more than n steps, and none of up to n ends in a bad state, no run does. Nothing of
//! this depends on what the other rules are. Without other rules and exclusions the claim is that no run has n steps, and
//! that no shorter one ends in a bad state.
//!
//! Rules may have variables beside those of states, the number of rounds for instance. Where a rule has to hold, these
//! are eliminated by the solver's projection, which is the only part of this check that no proof confirms.

use std::collections::BTreeSet;

use shem_base::Budget;
use shem_chc::TransitionSystem;
use shem_smt::project::eliminate;
use shem_term::{Sort, Store, Term};

use super::error::CertificateError;
use super::refuter::{Refuter, expect_contradiction};
use super::{check_variables, fresh_like};

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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FiniteDiameter {
    /// The rules after the first, which is the transition.
    pub learnt: Vec<Term>,
    /// The number of rules, the transition among them, that each step may choose from. No rule but the first is chosen
    /// twice in a row.
    pub known: Vec<usize>,
    /// What was excluded at each step.
    pub exclusions: Vec<Vec<Exclusion>>,
}

impl FiniteDiameter {
    pub(super) const PARTS: usize = 2;

    /// The claim that no run has so many steps, and that no shorter one ends in a bad state.
    pub fn plain(length: usize) -> FiniteDiameter {
        FiniteDiameter { learnt: Vec::new(), known: vec![1; length], exclusions: vec![Vec::new(); length] }
    }

    pub(super) fn check_part(
        &self,
        part: usize,
        store: &mut Store,
        system: &TransitionSystem,
        budget: &mut Budget,
    ) -> Result<(), CertificateError> {
        self.check_form(store, system)?;
        let rules = [&[system.transition], &self.learnt[..]].concat();
        if part == 0 {
            self.check_rules(store, system, &rules, budget)
        } else {
            self.check_unrolling(store, system, &rules, budget)
        }
    }

    /// Numbers and kinds of what the certificate consists of.
    fn check_form(&self, store: &Store, system: &TransitionSystem) -> Result<(), CertificateError> {
        let wrong = |what: &'static str| Err(CertificateError::wrong(what));
        if self.known.is_empty() || self.known.len() != self.exclusions.len() {
            return wrong("the steps of the unrolling are not described");
        }
        if self.known.iter().any(|&known| known == 0 || known > self.learnt.len() + 1) {
            return wrong("a step chooses from rules that are not there");
        }
        if self.learnt.iter().any(|&rule| store.sort(rule) != Sort::Bool) {
            return wrong("a rule is no formula");
        }
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
                let other = "an exclusion is not about two states";
                check_variables(store, &[formula], &[&system.state, &system.next], other)?;
            }
        }
        Ok(())
    }

    /// The rules are what exclusions take them for.
    fn check_rules(
        &self,
        store: &mut Store,
        system: &TransitionSystem,
        rules: &[Term],
        budget: &mut Budget,
    ) -> Result<(), CertificateError> {
        let mut claims: BTreeSet<(usize, Term)> = BTreeSet::new();
        for exclusion in self.exclusions.iter().flatten() {
            match *exclusion {
                Exclusion::Older { rule, formula } | Exclusion::Longer { rule, formula, .. } => {
                    claims.insert((rule, formula));
                }
            }
        }
        let twice = self.known.windows(2).map(|pair| pair[0].min(pair[1])).max().unwrap_or(0);
        let needed: BTreeSet<usize> = claims.iter().map(|claim| claim.0).chain(1..twice).collect();
        let mut whole: Vec<Option<Term>> = vec![None; rules.len()];
        for rule in needed {
            let mut auxiliaries = store.free_variables(&[rules[rule]]);
            auxiliaries.retain(|v| !system.state.contains(v) && !system.next.contains(v));
            whole[rule] = Some(eliminate(store, &auxiliaries, rules[rule], budget)?);
        }
        for (rule, formula) in claims {
            let whole = whole[rule].expect("computed above");
            if whole != formula {
                let otherwise = "an excluded pair of states is not related by its rule";
                expect_contradiction(store, &[formula, !whole], otherwise, budget)?;
            }
        }
        let middle = fresh_like(store, &system.state);
        for rule in 1..twice {
            let whole = whole[rule].expect("computed above");
            let first = store.rename(whole, &system.next, &middle);
            let second = store.rename(whole, &system.state, &middle);
            expect_contradiction(store, &[first, second, !whole], "a rule is not transitive", budget)?;
        }
        Ok(())
    }

    /// The unrolling reaches no bad state, and there is no last step.
    fn check_unrolling(
        &self,
        store: &mut Store,
        system: &TransitionSystem,
        rules: &[Term],
        budget: &mut Budget,
    ) -> Result<(), CertificateError> {
        let pair = [&system.state[..], &system.next[..]].concat();
        let mut refuter = Refuter::new();
        let mut states = vec![system.state.clone()];
        refuter.assert(store, system.initial);
        let mut earlier: Vec<Term> = Vec::new();
        for (at, (&known, exclusions)) in self.known.iter().zip(&self.exclusions).enumerate() {
            let bad = fresh_instance(store, system.bad, &system.state, &states[at]);
            refuter.push();
            refuter.assert(store, bad);
            refuter.expect_refuted(store, &[], "the unrolling reaches a bad state", budget)?;
            refuter.pop();
            let after = fresh_like(store, &system.state);
            let to = [&states[at][..], &after[..]].concat();
            let mut choices = Vec::with_capacity(known);
            for &rule in &rules[..known] {
                let choice = store.variable("choice", Sort::Bool);
                let instance = fresh_instance(store, rule, &pair, &to);
                let guarded = store.implies(choice, instance);
                refuter.assert(store, guarded);
                choices.push(choice);
            }
            let some = store.or(&choices);
            refuter.assert(store, some);
            for exclusion in exclusions {
                let clause = match *exclusion {
                    Exclusion::Older { rule, formula } => {
                        let related = store.rename(formula, &pair, &to);
                        let younger = store.or(&choices[rule..]);
                        store.implies(related, younger)
                    }
                    Exclusion::Longer { first, formula, .. } => {
                        let to = [&states[first][..], &after[..]].concat();
                        !store.rename(formula, &pair, &to)
                    }
                };
                refuter.assert(store, clause);
            }
            for (&before, &now) in earlier.iter().zip(&choices).skip(1) {
                let clause = store.or2(!before, !now);
                refuter.assert(store, clause);
            }
            earlier = choices;
            states.push(after);
        }
        refuter.expect_refuted(store, &[], "the unrolling goes on", budget)
    }
}

/// A formula about other variables, with fresh ones in place of its auxiliaries.
fn fresh_instance(store: &mut Store, formula: Term, from: &[Term], to: &[Term]) -> Term {
    let mut auxiliaries = store.free_variables(&[formula]);
    auxiliaries.retain(|v| !from.contains(v));
    let fresh = fresh_like(store, &auxiliaries);
    store.rename(formula, &[from, &auxiliaries[..]].concat(), &[to, &fresh[..]].concat())
}
