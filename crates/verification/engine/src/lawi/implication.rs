//! Small implications, asked of solvers that are never rebuilt, and asked once.
//!
//! There is a solver for each vertex, which knows nothing but the formulas that occur in its labels, and one for
//! each edge, which knows the edge, too. Every formula is a group of its own, so a query names the few that it
//! is about and the others sleep. Answers are remembered by label and conjunct; a label that does not imply a
//! conjunct leaves a state behind, and conjuncts that fail in a state left behind are not asked about.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use shem_base::{Budget, UnknownReason};
use shem_proof::ProofLog;
use shem_smt::{Answer, Group, Solver};
use shem_term::{Evaluator, Store, Symbol, Term, Value};

use super::label::{LabelId, Labels};

/// How many states of a label are kept.
const STATES: usize = 4;

/// What is known of a label.
#[derive(Debug, Default)]
struct Known {
    /// Whether it implies a formula, as far as that was asked of the solver.
    answers: HashMap<Term, bool, FxBuildHasher>,
    /// States of the label, or to which an edge leads from it.
    states: Vec<Vec<Value>>,
}

/// Whether labels imply formulas, for the labels of one vertex or of one edge.
pub(super) struct Implications {
    solver: Solver<ProofLog>,
    /// What conclusions are about, by place, and what the solver calls it.
    places: HashMap<Symbol, usize, FxBuildHasher>,
    targets: Vec<Symbol>,
    /// For an edge: the same as variables.
    step: Option<(Vec<Term>, Vec<Term>)>,
    premises: HashMap<Term, (Group, u32), FxBuildHasher>,
    conclusions: HashMap<Term, Group, FxBuildHasher>,
    /// What is known of labels.
    known: HashMap<LabelId, Known, FxBuildHasher>,
    evaluators: HashMap<Term, Evaluator, FxBuildHasher>,
    pub(super) queries: u64,
    groups: Vec<Group>,
}

impl Implications {
    /// Implications between formulas about a state.
    pub(super) fn of_state(store: &Store, state: &[Term], solver: Solver<ProofLog>) -> Implications {
        let targets = symbols(store, state);
        Implications {
            solver,
            places: targets.iter().enumerate().map(|(place, &symbol)| (symbol, place)).collect(),
            targets,
            evaluators: HashMap::default(),
            step: None,
            premises: HashMap::default(),
            conclusions: HashMap::default(),
            known: HashMap::default(),
            queries: 0,
            groups: Vec::new(),
        }
    }

    /// Implications by an edge with this label: from formulas about its source to formulas about its target,
    /// which are over `state` and about `target`.
    pub(super) fn of_edge(
        store: &mut Store,
        label: Term,
        state: &[Term],
        target: &[Term],
        mut solver: Solver<ProofLog>,
    ) -> Implications {
        solver.assert(store, label);
        let mut implications = Implications::of_state(store, state, solver);
        implications.targets = symbols(store, target);
        implications.step = Some((state.to_vec(), target.to_vec()));
        implications
    }

    fn premise(&mut self, store: &mut Store, formula: Term) -> (Group, u32) {
        if let Some(&known) = self.premises.get(&formula) {
            return known;
        }
        let group = self.solver.new_group();
        let number = self.solver.assert_in_group(store, group, formula);
        self.premises.insert(formula, (group, number));
        (group, number)
    }

    fn negated_conclusion(&mut self, store: &mut Store, formula: Term) -> Group {
        let Some((state, target)) = &self.step else { return self.premise(store, !formula).0 };
        if let Some(&group) = self.conclusions.get(&formula) {
            return group;
        }
        let about = store.rename(!formula, state, target);
        let group = self.solver.new_group();
        self.solver.assert_in_group(store, group, about);
        self.conclusions.insert(formula, group);
        group
    }

    /// Whether a label implies a formula about the state, or about that of the edge's target.
    pub(super) fn implies(
        &mut self,
        store: &mut Store,
        labels: &Labels,
        label: LabelId,
        formula: Term,
        budget: &mut Budget,
    ) -> Result<bool, UnknownReason> {
        if formula == Term::TRUE || label == LabelId::FALSE {
            return Ok(true);
        }
        if self.step.is_none() && labels.contains(label, formula) {
            return Ok(true);
        }
        if let Some(known) = self.known.get(&label) {
            if let Some(&answer) = known.answers.get(&formula) {
                return Ok(answer);
            }
            if fails_in(store, &self.places, &mut self.evaluators, &known.states, formula) {
                return Ok(false);
            }
        }
        let (holds, state) = self.decide(store, labels, label, formula, budget)?;
        let known = self.known.entry(label).or_default();
        known.answers.insert(formula, holds);
        if let Some(state) = state {
            if known.states.len() == STATES {
                known.states.remove(0);
            }
            known.states.push(state);
        }
        Ok(holds)
    }

    /// Asks the solver; if the answer is no, there is a state.
    fn decide(
        &mut self,
        store: &mut Store,
        labels: &Labels,
        label: LabelId,
        formula: Term,
        budget: &mut Budget,
    ) -> Result<(bool, Option<Vec<Value>>), UnknownReason> {
        let mut groups = std::mem::take(&mut self.groups);
        groups.clear();
        for &conjunct in labels.conjuncts(label) {
            groups.push(self.premise(store, conjunct).0);
        }
        if formula != Term::FALSE {
            groups.push(self.negated_conclusion(store, formula));
        }
        self.queries += 1;
        let found = match self.solver.check_with(store, &groups, &[], budget) {
            Answer::Unsat(_) => Ok((true, None)),
            Answer::Unknown(reason) => Err(reason),
            Answer::Sat(mut solution) => {
                let model = solution.model();
                let state = self.targets.iter().map(|&s| model.value_or_default(store, s)).collect();
                Ok((false, Some(state)))
            }
        };
        self.groups = groups;
        found
    }

    /// Whether a label implies the disjunction of other labels of the vertex; if so, those that it needs, as
    /// places in the list.
    pub(super) fn implies_some(
        &mut self,
        store: &mut Store,
        labels: &Labels,
        label: LabelId,
        others: &[LabelId],
        budget: &mut Budget,
    ) -> Result<Option<Vec<usize>>, UnknownReason> {
        let mut groups: Vec<Group> = Vec::new();
        for &conjunct in labels.conjuncts(label) {
            groups.push(self.premise(store, conjunct).0);
        }
        let mut numbers = Vec::with_capacity(others.len());
        for &other in others {
            let formula = labels.formula(store, other);
            let (group, number) = self.premise(store, !formula);
            groups.push(group);
            numbers.push(number);
        }
        groups.sort_unstable();
        groups.dedup();
        self.queries += 1;
        match self.solver.check_with(store, &groups, &[], budget) {
            Answer::Sat(_) => Ok(None),
            Answer::Unknown(reason) => Err(reason),
            Answer::Unsat(refutation) => {
                let used = refutation.used_assertions();
                let needed = |&place: &usize| used.binary_search(&numbers[place]).is_ok();
                Ok(Some((0..others.len()).filter(needed).collect()))
            }
        }
    }
}

fn symbols(store: &Store, variables: &[Term]) -> Vec<Symbol> {
    variables.iter().map(|&v| store.as_var(v).expect("a variable")).collect()
}

/// Whether a formula is false in one of these states, whose values are by place.
fn fails_in(
    store: &Store,
    places: &HashMap<Symbol, usize, FxBuildHasher>,
    evaluators: &mut HashMap<Term, Evaluator, FxBuildHasher>,
    states: &[Vec<Value>],
    formula: Term,
) -> bool {
    if formula == Term::FALSE || states.is_empty() {
        return !states.is_empty();
    }
    let evaluator = evaluators.entry(formula).or_insert_with(|| Evaluator::new(store, formula));
    states.iter().rev().any(|state| {
        let value = |symbol: Symbol| places.get(&symbol).map(|&place| state[place].clone());
        evaluator.evaluate(store, &value) == Some(Value::Bool(false))
    })
}
