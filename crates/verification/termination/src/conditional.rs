//! Levels that need invariants which nobody knows yet.
//!
//! A ranking function is guessed from finitely many steps of runs: linear inequalities about its coefficients, together with what
//! Farkas' lemma demands of them for all states. Whether all steps of facts go down is a question of safety. If so, its model
//! has the invariants that were missing; if not, the derivation ends with a step that does not go down, and the next guess has
//! to take it into account.

use shem_base::{Budget, Effort, Rat};
use shem_chc::System;
use shem_proof::NoProof;
use shem_smt::{Answer, Solver};
use shem_term::{Sort, Store, Term, Value};

use crate::cube::{Case, Cases};
use crate::cycles::query;
use crate::farkas::{Template, assert_implied};
use crate::invariants::formulas_of;
use crate::levels::{NodeLevel, Unknowns};
use crate::problem::Problem;
use crate::runs::State;
use crate::safety::{Safe, Safety};

/// The effort of one linear problem.
const EFFORT: Effort = Effort { conflicts: 20_000, pivots: 100_000, splits: 1_000 };
/// How often a guess is refuted before the next kind of guess.
const MOST_GUESSES: usize = 8;
/// The greatest number of steps that a guess takes into account at first.
const MOST_SAMPLES: usize = 40;
/// The greatest coefficient of a guess.
const MOST_COEFFICIENT: i64 = 8;

/// A step of a case between two states.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) case: usize,
    pub(crate) before: Vec<Value>,
    pub(crate) after: Vec<Value>,
}

/// What is demanded of all states, and what of samples only.
#[derive(Clone, Copy, Debug)]
struct Kind {
    bounded_everywhere: bool,
    down_everywhere: bool,
}

const KINDS: [Kind; 3] = [
    Kind { bounded_everywhere: true, down_everywhere: false },
    Kind { bounded_everywhere: false, down_everywhere: true },
    Kind { bounded_everywhere: false, down_everywhere: false },
];

/// A search for a level of a component.
pub(crate) struct Guessing<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) cases: &'a Cases,
    /// The clauses without queries.
    pub(crate) steps: &'a System,
    /// The cases of the component, and those of them that are to be strict.
    pub(crate) component: &'a [usize],
    pub(crate) strict: &'a [usize],
}

impl Guessing<'_> {
    /// A level in which the chosen cases are strict, and formulas that hold of all facts under which they are.
    pub(crate) fn search(
        &self,
        store: &mut Store,
        samples: &mut Vec<Sample>,
        safety: &mut dyn Safety,
        effort: u64,
        budget: &mut Budget,
    ) -> Option<(NodeLevel, Vec<Term>)> {
        let mut tried = Vec::new();
        for kind in KINDS {
            for _ in 0..MOST_GUESSES {
                budget.check_stop().ok()?;
                let Some(level) = self.guess(store, kind, samples, budget) else { break };
                let words = format!("{level:?}");
                if tried.contains(&words) {
                    break;
                }
                tried.push(words);
                match self.ask(store, &level, safety, effort, budget)? {
                    Ok(invariants) => return Some((level, invariants)),
                    Err(sample) => samples.push(sample),
                }
            }
        }
        None
    }

    /// Functions that fit the samples.
    fn guess(
        &self,
        store: &mut Store,
        kind: Kind,
        samples: &[Sample],
        budget: &mut Budget,
    ) -> Option<NodeLevel> {
        let Guessing { problem, cases, component, .. } = *self;
        let unknowns = Unknowns::new(store, problem, cases, component, 1);
        let mut solver = Solver::with_proof(Default::default(), NoProof);
        for unknown in unknowns.factors() {
            let [least, most] = [-MOST_COEFFICIENT, MOST_COEFFICIENT].map(|n| store.real(Rat::from(n)));
            let (low, high) = (store.ge(unknown, least), store.le(unknown, most));
            solver.assert(store, low);
            solver.assert(store, high);
        }
        for &at in component {
            let rows = &cases.cases[at].rows;
            let (before, after) = unknowns.ends(problem, cases, at);
            let is_strict = self.strict.contains(&at);
            let mut drop = before[0].clone();
            drop.add(-1, &after[0]);
            drop.shift(-i64::from(is_strict));
            if kind.down_everywhere {
                assert_implied(store, &mut solver, rows, &drop);
            }
            if is_strict && kind.bounded_everywhere {
                assert_implied(store, &mut solver, rows, &before[0]);
            }
            let own = samples.iter().rev().filter(|sample| self.fits(store, sample, at)).take(MOST_SAMPLES);
            for sample in own.collect::<Vec<_>>() {
                let value = |column: Term| self.value(sample, column);
                let mut demands = vec![store_value(store, &drop, &value)];
                if is_strict {
                    demands.push(store_value(store, &before[0], &value));
                }
                for number in demands {
                    let zero = store.real(Rat::from(0));
                    let enough = store.ge(number, zero);
                    solver.assert(store, enough);
                }
            }
        }
        let model = budget.within(EFFORT, |part| match solver.check(store, part) {
            Answer::Sat(mut solution) => Some(solution.model()),
            _ => None,
        })?;
        Some(NodeLevel { phases: 1, functions: unknowns.functions(store, &model) })
    }

    /// Whether a sample is one of a case.
    fn fits(&self, store: &Store, sample: &Sample, at: usize) -> bool {
        let Case { source, target, origin, .. } = self.cases.cases[at];
        sample.case == at
            || origin == Some(sample.case)
                && self.cases.is_in(store, self.problem, source, &sample.before)
                && self.cases.is_in(store, self.problem, target, &sample.after)
    }

    /// The value of a column in a sample.
    fn value(&self, sample: &Sample, column: Term) -> Rat {
        let transition = &self.problem.transitions[self.cases.cases[sample.case].transition];
        let state = &self.problem.states[transition.source.expect("a transition has a source").index()];
        let next = &self.problem.nexts[transition.target.index()];
        let before = state.iter().position(|&variable| variable == column).map(|at| &sample.before[at]);
        let after = || next.iter().position(|&variable| variable == column).map(|at| &sample.after[at]);
        match before.or_else(after) {
            Some(Value::Num(number)) => number.clone(),
            Some(Value::Bool(true)) => Rat::from(1),
            _ => Rat::from(0),
        }
    }

    /// Whether all steps of facts go down: formulas that show it, or a step that does not.
    fn ask(
        &self,
        store: &mut Store,
        level: &NodeLevel,
        safety: &mut dyn Safety,
        effort: u64,
        budget: &mut Budget,
    ) -> Option<Result<Vec<Term>, Sample>> {
        let Guessing { problem, cases, steps, .. } = *self;
        let mut system = steps.clone();
        let about = level.level(store, problem, cases);
        let mut wrong = Vec::new();
        for &at in self.component {
            let transition = &problem.transitions[cases.cases[at].transition];
            let source = transition.source.expect("a transition has a source");
            let [from, to] = [(source, &problem.states), (transition.target, &problem.nexts)].map(
                |(predicate, variables)| {
                    let function = &about.functions[predicate.index()];
                    let variables = &variables[predicate.index()];
                    store.rename(function.phases[0], &function.parameters, variables)
                },
            );
            let sort = store.sort(from);
            let (drop, zero) = (store.sub(from, to), store.numeral(&Rat::from(0), sort));
            let least = store.numeral(&Rat::from(i64::from(self.strict.contains(&at))), sort);
            let mut right = store.ge(drop, least);
            if self.strict.contains(&at) {
                let bounded = store.ge(from, zero);
                right = store.and2(right, bounded);
            }
            let case = store.and(&cases.cases[at].literals);
            let formula = store.and2(case, !right);
            if formula == Term::FALSE {
                continue;
            }
            wrong.push((at, source, formula));
            system.clauses.push(query(store, &problem.states[source.index()], source, formula));
        }
        match safety.decide(store, &system.into(), effort)? {
            Safe::Yes(model) => Some(Ok(formulas_of(store, problem, &model))),
            Safe::No(mut derivation) => {
                let last = derivation.len().checked_sub(1)?;
                let rule = derivation.step(shem_chc::StepId::new(last)).rule;
                let (at, source, formula) = *wrong.get(rule.index().checked_sub(steps.clauses.len())?)?;
                derivation.pop();
                let end = derivation.len().checked_sub(1)?;
                let before = derivation.step(shem_chc::StepId::new(end)).values.to_vec();
                let state = State { predicate: source, values: before };
                self.sample(store, at, state, formula, budget).map(Err)
            }
        }
    }

    /// A step from a state that satisfies a formula.
    fn sample(
        &self,
        store: &mut Store,
        case: usize,
        state: State,
        formula: Term,
        budget: &mut Budget,
    ) -> Option<Sample> {
        let variables = self.problem.states[state.predicate.index()].clone();
        let target = self.problem.transitions[self.cases.cases[case].transition].target;
        let mut solver = Solver::with_proof(Default::default(), NoProof);
        solver.assert(store, formula);
        let here = store.value_cube(&variables, &state.values);
        solver.assert(store, here);
        let Answer::Sat(mut solution) = solver.check(store, budget) else { return None };
        let model = solution.model();
        let value =
            |&variable: &Term| model.value_or_default(store, store.as_var(variable).expect("a variable"));
        let after = self.problem.nexts[target.index()].iter().map(value).collect();
        Some(Sample { case, before: state.values, after })
    }
}

/// A template for values of its columns: a sum of its unknowns.
fn store_value(store: &mut Store, template: &Template, value: &impl Fn(Term) -> Rat) -> Term {
    let mut sum = template.constant.clone();
    for (&column, coefficient) in &template.columns {
        let value = value(column);
        sum.unknowns.extend(coefficient.unknowns.iter().map(|(factor, unknown)| (factor * &value, *unknown)));
        sum.constant = &sum.constant + &(&coefficient.constant * &value);
    }
    store.linear(&sum.unknowns, &sum.constant, Sort::Real)
}
