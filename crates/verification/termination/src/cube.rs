//! Transitions as conjunctions of linear constraints: their *cases*.
//!
//! The formula of a transition is taken apart by the solver: a model of it gives literals that imply it, the literals are
//! excluded, and so on, until nothing is left. A case is the rows of its literals. Where all cases fix the same arguments
//! of a predicate to one of a few values, such as a program counter, the predicate is split into *nodes*, one for each
//! combination of values.

use std::collections::{BTreeMap, BTreeSet};

use shem_base::{Budget, Rat};
use shem_chc::PredicateId;
use shem_proof::NoProof;
use shem_smt::project::Projector;
use shem_smt::{Answer, Solver};
use shem_term::{Store, Term};

use crate::linear::{Row, rows_of, without_inequations};
use crate::problem::{Problem, Transition};

/// The greatest number of cases of all transitions.
const MOST_CASES: usize = 256;
/// The greatest number of values of an argument that splits its predicate.
const MOST_VALUES: usize = 24;

/// A case of a transition.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// The number of the transition in the problem.
    pub(crate) transition: usize,
    /// Literals that imply the formula of the transition.
    pub(crate) literals: Vec<Term>,
    pub(crate) rows: Vec<Row>,
    /// The values of columns that the rows fix.
    pub(crate) constants: BTreeMap<Term, Rat>,
    /// The nodes from and to which it leads.
    pub(crate) source: usize,
    pub(crate) target: usize,
    /// The case of which this one is a part.
    pub(crate) origin: Option<usize>,
}

/// A predicate with some of its arguments fixed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Node {
    pub(crate) predicate: PredicateId,
    /// The values of the arguments at the positions that split the predicate.
    pub(crate) values: Vec<Rat>,
    /// Formulas over its variables before a step that hold in its states, besides.
    pub(crate) region: Vec<Term>,
}

/// All cases, and the nodes between which they lead.
#[derive(Debug)]
pub(crate) struct Cases {
    pub(crate) cases: Vec<Case>,
    pub(crate) nodes: Vec<Node>,
    /// For each predicate, the positions of the arguments that split it.
    pub(crate) splitting: Vec<Vec<usize>>,
}

impl Cases {
    /// The cases of the transitions of a problem from states of which these formulas hold; the error says why there are
    /// none.
    pub(crate) fn of(
        store: &mut Store,
        problem: &Problem,
        known: &[Term],
        budget: &mut Budget,
    ) -> Result<Cases, &'static str> {
        let mut cases = Vec::new();
        for (at, transition) in problem.transitions.iter().enumerate() {
            let source = transition.source.expect("a transition has a source");
            let formula = store.and2(transition.formula, known[source.index()]);
            for literals in cubes(store, formula, MOST_CASES - cases.len().min(MOST_CASES), budget)? {
                let rows = rows_of(store, &literals);
                let constants = constants(&rows);
                cases.push(Case {
                    transition: at,
                    literals,
                    rows,
                    constants,
                    source: 0,
                    target: 0,
                    origin: None,
                });
            }
        }
        let mut result = Cases { cases, nodes: Vec::new(), splitting: Vec::new() };
        result.split(problem);
        Ok(result)
    }

    /// Finds the arguments that split predicates, and the nodes of all cases.
    fn split(&mut self, problem: &Problem) {
        let ends = |case: &Case| {
            let Transition { source, target, .. } = problem.transitions[case.transition];
            let source = source.expect("a transition has a source");
            [(source, &problem.states[source.index()]), (target, &problem.nexts[target.index()])]
        };
        for (index, state) in problem.states.iter().enumerate() {
            let predicate = PredicateId::new(index);
            let mut positions = Vec::new();
            for at in 0..state.len() {
                let mut values: BTreeSet<&Rat> = BTreeSet::new();
                let mut fixed = true;
                for case in &self.cases {
                    for (_, variables) in ends(case).into_iter().filter(|(end, _)| *end == predicate) {
                        match case.constants.get(&variables[at]) {
                            Some(value) => {
                                values.insert(value);
                            }
                            None => fixed = false,
                        }
                    }
                }
                if fixed && values.len() > 1 && values.len() <= MOST_VALUES {
                    positions.push(at);
                }
            }
            self.splitting.push(positions);
        }
        let mut index: BTreeMap<Node, usize> = BTreeMap::new();
        for case in &mut self.cases {
            let ends = ends(case).map(|(predicate, variables)| {
                let positions = &self.splitting[predicate.index()];
                let values = positions.iter().map(|&at| case.constants[&variables[at]].clone()).collect();
                let node = Node { predicate, values, region: Vec::new() };
                *index.entry(node.clone()).or_insert_with(|| {
                    self.nodes.push(node);
                    self.nodes.len() - 1
                })
            });
            [case.source, case.target] = ends;
        }
    }

    /// The numbers of the strongly connected components of the nodes by these cases, in an order in which each case leads
    /// to a component with the same or a smaller number.
    pub(crate) fn components(&self, alive: &[usize]) -> Vec<usize> {
        let mut successors = vec![Vec::new(); self.nodes.len()];
        for &at in alive {
            successors[self.cases[at].source].push(self.cases[at].target);
        }
        components(&successors)
    }
}

/// Conjunctions of literals whose disjunction is the formula.
pub(crate) fn cubes(
    store: &mut Store,
    formula: Term,
    most: usize,
    budget: &mut Budget,
) -> Result<Vec<Vec<Term>>, &'static str> {
    let mut solver = Solver::with_proof(Default::default(), NoProof);
    solver.assert(store, formula);
    let mut projector = Projector::new();
    let mut found = Vec::new();
    loop {
        let model = match solver.check(store, budget) {
            Answer::Unsat(_) => return Ok(found),
            Answer::Unknown(_) => return Err("the cases of a clause could not be told apart in time"),
            Answer::Sat(mut solution) => solution.model(),
        };
        if found.len() >= most {
            return Err("the clauses have too many cases");
        }
        let Ok(mut literals) = projector.literals(store, &[formula], &model) else {
            return Err("a clause has a term that is not linear");
        };
        without_inequations(store, &mut literals, &model);
        let cube = store.and(&literals);
        solver.assert(store, !cube);
        found.push(literals);
    }
}

/// The columns to which rows give a value.
fn constants(rows: &[Row]) -> BTreeMap<Term, Rat> {
    let mut values: BTreeMap<Term, Rat> = BTreeMap::new();
    loop {
        let before = values.len();
        for row in rows.iter().filter(|row| row.is_equation) {
            let mut open = row.terms.iter().filter(|(column, _)| !values.contains_key(column));
            let (Some((column, factor)), None) = (open.next(), open.next()) else { continue };
            let mut sum = row.constant.clone();
            for (other, factor) in row.terms.iter().filter(|(other, _)| other != column) {
                sum = &sum + &(factor * &values[other]);
            }
            values.insert(*column, -&(&sum / factor));
        }
        if values.len() == before {
            return values;
        }
    }
}

/// The number of the component of each vertex: those that can be reached have the same or smaller numbers (Tarjan 1972,
/// without recursion).
fn components(successors: &[Vec<usize>]) -> Vec<usize> {
    const NONE: usize = usize::MAX;
    let count = successors.len();
    let (mut order, mut low, mut component) = (vec![NONE; count], vec![0; count], vec![NONE; count]);
    let (mut next, mut components, mut stack) = (0, 0, Vec::new());
    for root in 0..count {
        if order[root] != NONE {
            continue;
        }
        let mut calls = vec![(root, 0)];
        while let Some(&mut (vertex, ref mut child)) = calls.last_mut() {
            if *child == 0 {
                (order[vertex], low[vertex]) = (next, next);
                next += 1;
                stack.push(vertex);
            }
            if let Some(&successor) = successors[vertex].get(*child) {
                *child += 1;
                if order[successor] == NONE {
                    calls.push((successor, 0));
                } else if component[successor] == NONE {
                    low[vertex] = low[vertex].min(order[successor]);
                }
                continue;
            }
            calls.pop();
            if let Some(&(caller, _)) = calls.last() {
                low[caller] = low[caller].min(low[vertex]);
            }
            if low[vertex] == order[vertex] {
                while let Some(member) = stack.pop() {
                    component[member] = components;
                    if member == vertex {
                        break;
                    }
                }
                components += 1;
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_numbered_from_the_end() {
        let numbers = components(&[vec![1], vec![2, 0], vec![3], vec![3, 2], vec![0]]);
        assert_eq!(numbers, [1, 1, 0, 0, 2]);
        assert_eq!(components(&[vec![], vec![]]), [0, 1]);
    }
}
