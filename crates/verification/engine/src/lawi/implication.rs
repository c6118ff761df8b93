//! Implications between labels and conjuncts, by incremental solvers and with a cache.
//!
//! There is a solver for each vertex, with the formulas that occur in its labels, and one for each edge, which has
//! the edge as well. Every formula is a group of its own, so a query activates only the few that it needs. Answers
//! are kept by label and conjunct. A label that does not imply a conjunct gives a state of the label; conjuncts that
//! are false in such a state need no query.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use shem_base::{Budget, UnknownReason};
use shem_proof::ProofLog;
use shem_smt::{Answer, Group, Solver};
use shem_term::{Evaluator, Store, Symbol, Term, Value};

use super::label::{LabelId, Labels};

/// The greatest number of states that are kept for a label.
const MAX_STATES: usize = 4;

/// The answers about a label.
#[derive(Debug, Default)]
struct KnownImplications {
    /// Whether it implies a formula, as far as that was asked of the solver.
    answers: HashMap<Term, bool, FxBuildHasher>,
    /// States of the label, or to which an edge leads from it.
    states: Vec<Vec<Value>>,
}

/// Whether labels imply formulas, for the labels of one vertex or of one edge.
pub(super) struct Implications {
    solver: Solver<ProofLog>,
    /// The state variables in conclusions with their positions, and the variables of the solver for them.
    positions: HashMap<Symbol, usize, FxBuildHasher>,
    conclusion_symbols: Vec<Symbol>,
    /// For an edge: the variables of the state and those of the target.
    renaming: Option<(Vec<Term>, Vec<Term>)>,
    premises: HashMap<Term, (Group, u32), FxBuildHasher>,
    conclusions: HashMap<Term, Group, FxBuildHasher>,
    /// The answers so far.
    known: HashMap<LabelId, KnownImplications, FxBuildHasher>,
    evaluators: HashMap<Term, Evaluator, FxBuildHasher>,
    pub(super) queries: u64,
    groups: Vec<Group>,
}

impl Implications {
    /// Implications between formulas about a state.
    pub(super) fn of_state(store: &Store, state: &[Term], solver: Solver<ProofLog>) -> Implications {
        let conclusion_symbols = symbols(store, state);
        Implications {
            solver,
            positions: conclusion_symbols
                .iter()
                .enumerate()
                .map(|(position, &symbol)| (symbol, position))
                .collect(),
            conclusion_symbols,
            evaluators: HashMap::default(),
            renaming: None,
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
        implications.conclusion_symbols = symbols(store, target);
        implications.renaming = Some((state.to_vec(), target.to_vec()));
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
        let Some((state, target)) = &self.renaming else { return self.premise(store, !formula).0 };
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
        if self.renaming.is_none() && labels.contains(label, formula) {
            return Ok(true);
        }
        if let Some(known) = self.known.get(&label) {
            if let Some(&answer) = known.answers.get(&formula) {
                return Ok(answer);
            }
            if fails_in(store, &self.positions, &mut self.evaluators, &known.states, formula) {
                return Ok(false);
            }
        }
        let (holds, state) = self.decide(store, labels, label, formula, budget)?;
        let known = self.known.entry(label).or_default();
        known.answers.insert(formula, holds);
        if let Some(state) = state {
            if known.states.len() == MAX_STATES {
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
                let state =
                    self.conclusion_symbols.iter().map(|&s| model.value_or_default(store, s)).collect();
                Ok((false, Some(state)))
            }
        };
        self.groups = groups;
        found
    }

    /// Whether a label implies the disjunction of other labels of the vertex; if so, those that it needs, as
    /// positions in the list.
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
                let needed = |&position: &usize| used.binary_search(&numbers[position]).is_ok();
                Ok(Some((0..others.len()).filter(needed).collect()))
            }
        }
    }
}

fn symbols(store: &Store, variables: &[Term]) -> Vec<Symbol> {
    variables.iter().map(|&v| store.as_var(v).expect("a variable")).collect()
}

/// Whether a formula is false in one of these states, whose values are by position.
fn fails_in(
    store: &Store,
    positions: &HashMap<Symbol, usize, FxBuildHasher>,
    evaluators: &mut HashMap<Term, Evaluator, FxBuildHasher>,
    states: &[Vec<Value>],
    formula: Term,
) -> bool {
    if formula == Term::FALSE || states.is_empty() {
        return !states.is_empty();
    }
    let evaluator = evaluators.entry(formula).or_insert_with(|| Evaluator::new(store, formula));
    states.iter().rev().any(|state| {
        let value = |symbol: Symbol| positions.get(&symbol).map(|&position| state[position].clone());
        evaluator.evaluate(store, &value) == Some(Value::Bool(false))
    })
}
