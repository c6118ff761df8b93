//! Derivations without steps that falsehood does not need.
//!
//! Engines and passes may leave facts that nobody uses, or the same fact twice: a path that comes back to where it
//! was, a premise that was derived for two uses. Of steps with the same fact the first is kept and serves for all; what
//! the last step does not use then, directly or not, goes. Repetitions and runs are kept or dropped as a whole, since
//! each of their steps but the last serves the next one.
//!
//! One look at each step and one entry in a table.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use shem_term::Value;

use crate::derivation::{Derivation, Node, StepId};
use crate::system::PredicateId;

impl<R: Copy> Derivation<R> {
    /// The derivation without steps that its last one does not need, and without steps that derive a fact again. The
    /// function gives the predicate of the fact that a rule derives.
    pub fn concise(self, predicate: impl Fn(R) -> Option<PredicateId>) -> Derivation<R> {
        let Some(last) = self.len().checked_sub(1) else { return self };
        // By step: the first one with its fact.
        let first = self.first_with_fact(predicate);
        let nodes: Vec<Node<'_, R>> = self.nodes().collect();
        let mut needed = vec![false; self.len()];
        needed[first[last].index()] = true;
        for node in nodes.iter().rev() {
            let (begin, length) = match node {
                Node::Step(id, _) | Node::Run(id, ..) => (id.index(), 1),
                Node::Repetition(repetition) => (repetition.first().index(), repetition.length()),
            };
            if needed[begin..begin + length].contains(&true) {
                needed[begin..begin + length].fill(true);
                // The other steps of a word have the step before as their premise.
                for premise in self.step(StepId::new(begin)).premises {
                    needed[first[premise.index()].index()] = true;
                }
            }
        }
        if !needed.contains(&false) {
            drop(nodes);
            return self;
        }
        let mut result = Derivation::new();
        // By step: that of the result with its fact.
        let mut steps: Vec<Option<StepId>> = vec![None; self.len()];
        for node in &nodes {
            let kept = |steps: &[Option<StepId>], id: StepId| {
                steps[first[id.index()].index()].expect("a needed step comes before its use")
            };
            match node {
                Node::Step(id, step) if needed[id.index()] => {
                    let premises: Vec<StepId> = step.premises.iter().map(|&p| kept(&steps, p)).collect();
                    steps[id.index()] = Some(result.push(step.rule, &premises, step.values.iter().cloned()));
                }
                Node::Run(id, step, run) if needed[id.index()] => {
                    let premise = kept(&steps, step.premises[0]);
                    let new = result.push_run(premise, (*run).clone(), step.values.iter().cloned());
                    steps[id.index()] = Some(new);
                }
                Node::Repetition(repetition) if needed[repetition.first().index()] => {
                    let premise = kept(&steps, repetition.premise());
                    let length = repetition.length();
                    let word: Vec<_> =
                        (0..length).map(|at| (repetition.rule(at), repetition.courses(at))).collect();
                    let end = result.push_repetition(premise, repetition.rounds(), &word).index();
                    for at in 0..length {
                        steps[repetition.first().index() + at] = Some(StepId::new(end + 1 - length + at));
                    }
                }
                _ => {}
            }
        }
        result
    }

    /// By step: the first one with its fact.
    fn first_with_fact(&self, predicate: impl Fn(R) -> Option<PredicateId>) -> Vec<StepId> {
        let mut first: Vec<StepId> = Vec::with_capacity(self.len());
        let mut facts: HashMap<(Option<PredicateId>, &[Value]), StepId, FxBuildHasher> = HashMap::default();
        for node in self.nodes() {
            match node {
                Node::Step(id, step) => {
                    first.push(*facts.entry((predicate(step.rule), step.values)).or_insert(id));
                }
                Node::Run(id, step, _) => {
                    facts.entry((predicate(step.rule), step.values)).or_insert(id);
                    first.push(id);
                }
                Node::Repetition(repetition) => {
                    let begin = repetition.first().index();
                    first.extend((begin..begin + repetition.length()).map(StepId::new));
                    let end = StepId::new(begin + repetition.length() - 1);
                    let step = self.step(end);
                    facts.entry((predicate(step.rule), step.values)).or_insert(end);
                }
            }
        }
        first
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use shem_base::Rng;

    use super::*;
    use crate::progression::Course;

    fn number(n: i64) -> Value {
        Value::Num(n.into())
    }

    /// The rule `n` derives a fact of predicate `n / 10`; rule 0 derives falsehood.
    fn predicate(rule: usize) -> Option<PredicateId> {
        (rule > 0).then(|| PredicateId::new(rule / 10))
    }

    #[test]
    fn what_is_not_used_goes_and_facts_are_derived_once() {
        let mut derivation = Derivation::new();
        let start = derivation.push(10, &[], [number(1)]);
        let unused = derivation.push(20, &[start], [number(2)]);
        derivation.push(21, &[unused], [number(3)]);
        // Around a loop and back to the first fact.
        let round = derivation.push(21, &[start], [number(7)]);
        let again = derivation.push(11, &[round], [number(1)]);
        // The same value of another predicate is another fact.
        let other = derivation.push(21, &[again], [number(1)]);
        derivation.push(0, &[again, other, again], []);
        let mut expected = Derivation::new();
        let start = expected.push(10, &[], [number(1)]);
        let other = expected.push(21, &[start], [number(1)]);
        expected.push(0, &[start, other, start], []);
        let concise = derivation.concise(predicate);
        assert_eq!(concise, expected);
        assert_eq!(concise.clone().concise(predicate), concise);
    }

    #[test]
    fn repetitions_are_kept_or_dropped_as_a_whole() {
        let course = |values: [i64; 2]| vec![Course::through(&values.map(number)).unwrap()];
        let build = |with: bool| {
            let mut derivation = Derivation::new();
            let start = derivation.push(10, &[], [number(0)]);
            if with {
                derivation.push_repetition(start, 50, &[(11, course([1, 2]))]);
            }
            let word = [(11, course([2, 4])), (11, course([3, 5]))];
            let end = derivation.push_repetition(start, 100, &word);
            if with {
                // The fact after the last round.
                let again = derivation.push(12, &[start], [number(201)]);
                derivation.push(0, &[again], []);
            } else {
                derivation.push(0, &[end], []);
            }
            derivation
        };
        assert_eq!(build(true).concise(predicate), build(false));
    }

    /// Random derivations over few facts: the last step stays, everything is used, and no fact is there twice.
    #[test]
    fn random_derivations_get_concise() {
        let mut shorter = 0;
        for seed in 0..500 {
            let mut rng = Rng::new(seed);
            let mut derivation = Derivation::new();
            let count = 2 + rng.index(30);
            for at in 0..count {
                let premises: Vec<StepId> =
                    (0..rng.index(3).min(at)).map(|_| StepId::new(rng.index(at))).collect();
                derivation.push(10 + rng.index(20), &premises, [number(rng.range(0..=6))]);
            }
            derivation.push(0, &[StepId::new(rng.index(count)), StepId::new(rng.index(count))], []);
            let before = derivation.clone();
            let concise = derivation.concise(predicate);
            shorter += usize::from(concise.len() < before.len());
            let mut used = vec![false; concise.len()];
            let mut facts = HashSet::new();
            let fact = |derivation: &Derivation<usize>, id: StepId| {
                let step = derivation.step(id);
                (predicate(step.rule), step.values.to_vec())
            };
            for (id, step) in concise.steps() {
                assert!(facts.insert(fact(&concise, id)), "a fact is derived twice");
                step.premises.iter().for_each(|premise| used[premise.index()] = true);
                // Each step was there, with the same facts as its premises.
                let facts_of = |derivation: &Derivation<usize>, premises: &[StepId]| {
                    premises.iter().map(|&premise| fact(derivation, premise)).collect::<Vec<_>>()
                };
                let was_there = before.steps().any(|(_, old)| {
                    (old.rule, old.values) == (step.rule, step.values)
                        && facts_of(&before, old.premises) == facts_of(&concise, step.premises)
                });
                assert!(was_there, "a step is new");
            }
            assert_eq!(used.pop(), Some(false));
            assert!(!used.contains(&false), "a step is not used");
            let last = concise.step(StepId::new(concise.len() - 1));
            assert_eq!(last.rule, 0);
        }
        assert!(shorter > 300);
    }
}
