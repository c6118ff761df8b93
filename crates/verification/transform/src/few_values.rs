//! Atoms about conditional numbers that have few values become formulas.
//!
//! A number that is made of constants by conditionals and sums, such as the count of votes
//! `(+ (ite (= x y) 1 0) (ite (= x z) 1 0))`, has few values, and each of them under a condition. An atom about such
//! numbers holds if one of the values has its condition that makes it true: it is a formula over the conditions, without
//! arithmetic. The conditions of the values of a sum are found term by term, so that a sum of n conditionals between
//! 0 and 1 has about n² connectives, as a binary decision diagram has (Eén and Sörensson 2006). Solvers propagate such a
//! formula completely, where a row of the tableau with a variable for each conditional has to be searched, and
//! projection and interpolation have nothing to say about counters.
//!
//! Atoms with variables outside of conditions stay as they are, but for the conditions. The new label is equivalent to
//! the old one, so no witness notices. A label that would get much larger stays as it is.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use shem_base::Rat;
use shem_chc::EdgeId;
use shem_term::{Poly, Store, Term, View};

use crate::pass::{Back, Pass, PassDescription, Work};
use crate::scan::Scan;

/// The number of values up to which they are few.
const VALUES: usize = 64;

/// How many times larger a label may get; small ones may become as large as this number of small ones.
const GROWTH: usize = 4;
const SMALL: usize = 200;

/// Replaces atoms about conditional numbers with few values.
#[derive(Clone, Copy, Debug, Default)]
pub struct FewValues;

/// The values of a number, each with its condition. In every state one of the conditions holds.
type Cases = BTreeMap<Rat, Term>;

/// The replacement of atoms in one label.
#[derive(Default)]
struct Replacement {
    /// The cases of conditionals and sums, if they are few.
    cases: FxHashMap<Term, Option<Cases>>,
    /// The atoms that are replaced, with what replaces them.
    pairs: Vec<(Term, Term)>,
    /// Conditions with their atoms replaced.
    conditions: FxHashMap<Term, Term>,
}

impl Pass for FewValues {
    fn description(&self) -> PassDescription {
        PassDescription::new("few-values", "replaces atoms about conditional numbers that have few values")
    }

    fn apply(&self, Work { store, graph, statistics, budget }: Work<'_>) -> Option<Box<dyn Back>> {
        let mut scan = Scan::default();
        let edges: Vec<EdgeId> = graph.edges().map(|(id, _)| id).collect();
        for id in edges {
            if budget.check_stop().is_err() {
                break;
            }
            let label = graph.edge(id).label;
            let mut replacement = Replacement::default();
            let new = replacement.apply(store, &mut scan, label);
            let most = GROWTH * scan.size(store, label).max(SMALL);
            if new != label && scan.size(store, new) <= most {
                graph.set_label(id, new);
                statistics.add("labels", 1);
                statistics.add("atoms", replacement.pairs.len() as u64);
            }
        }
        None
    }
}

impl Replacement {
    fn apply(&mut self, store: &mut Store, scan: &mut Scan, label: Term) -> Term {
        let mut terms = Vec::new();
        let mut has_conditional = false;
        scan.each(store, &[label], |term| match store.view(term) {
            View::Ite(..) if store.sort(term).is_arithmetic() => {
                has_conditional = true;
                terms.push(term);
            }
            View::Linear(..) | View::Le(..) | View::Lt(..) | View::Eq(..) => terms.push(term),
            _ => {}
        });
        if !has_conditional {
            return label;
        }
        // Terms are older than those that they occur in.
        terms.sort_unstable();
        for term in terms {
            match store.view(term) {
                View::Ite(condition, then, otherwise) => {
                    let cases = self.of_conditional(store, condition, then, otherwise);
                    self.cases.insert(term, cases);
                }
                View::Linear(scale, poly, offset) => {
                    let (scale, offset) = (scale.clone(), offset.clone());
                    let cases = self.of_sum(store, poly);
                    let moved = cases.map(|cases| {
                        cases
                            .into_iter()
                            .map(|(value, condition)| (&scale * &value + &offset, condition))
                            .collect()
                    });
                    self.cases.insert(term, moved);
                }
                View::Le(poly, _) | View::Lt(poly, _) | View::Eq(poly, _) => {
                    let Some(cases) = self.of_sum(store, poly) else { continue };
                    let holds = |value: &Rat| match store.view(term) {
                        View::Le(_, bound) => value <= bound,
                        View::Lt(_, bound) => value < bound,
                        View::Eq(_, bound) => value == bound,
                        _ => unreachable!("matched above"),
                    };
                    let holding =
                        cases.iter().filter(|(value, _)| holds(value)).map(|(_, &condition)| condition);
                    let holding: Vec<Term> = holding.collect();
                    let formula = store.or(&holding);
                    self.pairs.push((term, formula));
                }
                _ => {}
            }
        }
        if self.pairs.is_empty() { label } else { store.replace(label, &self.pairs) }
    }

    /// The cases of a number; `None` if they are not known or not few.
    fn of_number(&self, store: &Store, number: Term) -> Option<Cases> {
        match store.as_num(number) {
            Some(value) => Some(BTreeMap::from([(value.clone(), Term::TRUE)])),
            None => self.cases.get(&number)?.clone(),
        }
    }

    fn of_conditional(
        &mut self,
        store: &mut Store,
        condition: Term,
        then: Term,
        otherwise: Term,
    ) -> Option<Cases> {
        let then = self.of_number(store, then)?;
        let otherwise = self.of_number(store, otherwise)?;
        let condition = match self.conditions.get(&condition) {
            Some(&known) => known,
            None => {
                let replaced = store.replace(condition, &self.pairs);
                self.conditions.insert(condition, replaced);
                replaced
            }
        };
        let mut cases = Cases::new();
        for value in then.keys().chain(otherwise.keys()) {
            if !cases.contains_key(value) {
                let [a, b] = [&then, &otherwise].map(|side| side.get(value).copied().unwrap_or(Term::FALSE));
                cases.insert(value.clone(), store.ite(condition, a, b));
            }
        }
        (cases.len() <= VALUES).then_some(cases)
    }

    /// The cases of a sum of conditionals.
    fn of_sum(&mut self, store: &mut Store, poly: Poly) -> Option<Cases> {
        let mut sum = BTreeMap::from([(Rat::ZERO, Term::TRUE)]);
        for term in store.poly_terms(poly).to_vec() {
            let cases = self.of_number(store, term.leaf)?;
            let coefficient = Rat::from(term.coeff);
            let mut next: BTreeMap<Rat, Vec<Term>> = BTreeMap::new();
            for (before, &condition) in &sum {
                for (value, &case) in &cases {
                    let both = store.and2(condition, case);
                    if both != Term::FALSE {
                        next.entry(before + &(&coefficient * value)).or_default().push(both);
                    }
                }
            }
            if next.len() > VALUES {
                return None;
            }
            sum = next.into_iter().map(|(value, conditions)| (value, store.or(&conditions))).collect();
        }
        Some(sum)
    }
}
