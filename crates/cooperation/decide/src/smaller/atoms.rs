//! A formula as a function of its atoms.

use std::collections::BTreeMap;

use shem_base::{Budget, Effort};
use shem_chc::{Atom, Definition};
use shem_proof::NoProof;
use shem_smt::{Answer, Model as Values, Solver, SolverOptions};
use shem_term::{Sort, Store, Symbol, Term, Value, View};

/// The effort for the question whether literals contradict a formula.
const CORE_EFFORT: Effort = Effort { conflicts: 200, pivots: 2_000, splits: 20 };
/// In how many orders the literals of a contradiction are assumed, and how many are tried to be left out after that.
const ORDERS: usize = 3;
const TRIED: usize = 8;

/// A formula over the parameters of a definition, in a solver.
pub(super) struct Atoms {
    parameters: Box<[Term]>,
    nodes: Vec<Node>,
    solver: Solver<NoProof>,
}

/// A part of the formula; the parts of connectives come before them, each with whether it is negated.
enum Node {
    True,
    Atom { term: Term, size: u64 },
    And(Vec<(usize, bool)>),
    Iff((usize, bool), (usize, bool)),
    Ite([(usize, bool); 3]),
}

/// The values of a definition's parameters.
pub(super) type State = BTreeMap<Symbol, Value>;

impl Atoms {
    /// The formula is the body of the definition, or its negation.
    pub(super) fn new(store: &mut Store, definition: &Definition, negated: bool) -> Atoms {
        let formula = definition.body.xor(negated);
        let mut solver = Solver::with_proof(SolverOptions::default(), NoProof);
        solver.assert(store, formula);
        Atoms { parameters: definition.parameters.clone(), nodes: nodes_of(store, formula), solver }
    }

    /// The values of an application's arguments.
    pub(super) fn state(&self, store: &Store, values: &Values, application: &Atom) -> Option<State> {
        let assignment = values.completed(store);
        let pairs = self.parameters.iter().zip(&application.args);
        pairs.map(|(&p, &a)| Some((store.as_var(p)?, store.evaluate(a, &assignment)?))).collect()
    }

    /// Literals that are true for these values and contradict the formula, few of them; the inner option is empty
    /// if the formula is true for the values.
    pub(super) fn contradiction(
        &mut self,
        store: &mut Store,
        state: &State,
        budget: &mut Budget,
    ) -> Option<Option<Vec<Term>>> {
        let Some(mut literals) = self.reasons(store, state)? else { return Some(None) };
        // Other orders of assumptions give other cores, and a contradiction is found faster than a solution.
        for _ in 0..ORDERS {
            let before = literals.len();
            literals.reverse();
            literals = self.core(store, &literals, budget)?;
            if literals.len() == before {
                break;
            }
        }
        // Long ones go first.
        let mut order: Vec<(usize, Term)> =
            literals.iter().map(|&literal| (store.subterms(&[literal]).len(), literal)).collect();
        order.sort_unstable_by(|a, b| b.cmp(a));
        for (_, literal) in order.into_iter().take(TRIED) {
            if literals.len() <= 1 || budget.check_stop().is_err() {
                break;
            }
            if literals.contains(&literal) {
                let without: Vec<Term> = literals.iter().copied().filter(|&other| other != literal).collect();
                if let Some(core) = self.core(store, &without, budget) {
                    literals = core;
                }
            }
        }
        Some(Some(literals))
    }

    /// Literals that are true for these values and that make the formula false by its connectives. Of a conjunction that
    /// is false the member is taken that needs the fewest.
    fn reasons(&self, store: &Store, state: &State) -> Option<Option<Vec<Term>>> {
        let assignment = |symbol: Symbol| state.get(&symbol).cloned();
        let mut values: Vec<(bool, u64)> = Vec::with_capacity(self.nodes.len());
        let value = |values: &[(bool, u64)], (at, negated): (usize, bool)| values[at].0 != negated;
        for node in &self.nodes {
            let cost = |parts: &[(usize, bool)]| {
                parts.iter().fold(0u64, |sum, &(at, _)| sum.saturating_add(values[at].1))
            };
            values.push(match node {
                Node::True => (true, 0),
                Node::Atom { term, size } => match store.evaluate(*term, &assignment)? {
                    Value::Bool(value) => (value, *size),
                    _ => return None,
                },
                Node::And(members) => match cheapest_false(members, &values) {
                    Some((at, _)) => (false, values[at].1),
                    None => (true, cost(members)),
                },
                Node::Iff(a, b) => (value(&values, *a) == value(&values, *b), cost(&[*a, *b])),
                Node::Ite([c, a, b]) => {
                    let branch = if value(&values, *c) { *a } else { *b };
                    (value(&values, branch), cost(&[*c, branch]))
                }
            });
        }
        let root = self.nodes.len() - 1;
        if values[root].0 {
            return Some(None);
        }
        let mut reached = vec![false; self.nodes.len()];
        reached[root] = true;
        let mut literals = Vec::new();
        for at in (0..=root).rev() {
            if !reached[at] {
                continue;
            }
            match &self.nodes[at] {
                Node::True => {}
                Node::Atom { term, .. } => literals.push(term.xor(!values[at].0)),
                Node::And(members) => match cheapest_false(members, &values) {
                    Some((member, _)) => reached[member] = true,
                    None => members.iter().for_each(|&(member, _)| reached[member] = true),
                },
                Node::Iff(a, b) => [a, b].into_iter().for_each(|part| reached[part.0] = true),
                Node::Ite([c, a, b]) => {
                    let branch = if value(&values, *c) { a } else { b };
                    [c, branch].into_iter().for_each(|part| reached[part.0] = true);
                }
            }
        }
        Some(Some(literals))
    }

    /// Those of the literals that a refutation uses.
    fn core(&mut self, store: &mut Store, literals: &[Term], budget: &mut Budget) -> Option<Vec<Term>> {
        match self.solver.check_assuming(store, literals, &mut budget.at_most(CORE_EFFORT)) {
            Answer::Unsat(refutation) => {
                let failed = refutation.failed_assumptions();
                Some(literals.iter().copied().filter(|literal| failed.contains(literal)).collect())
            }
            _ => None,
        }
    }
}

/// The parts of a formula below connectives, the formula last.
fn nodes_of(store: &Store, formula: Term) -> Vec<Node> {
    // Subterms come before what they are part of.
    let terms = store.subterms(&[formula]);
    let plain = |term: Term| term.xor(term.is_negated());
    let place = |term: Term| terms.binary_search(&plain(term)).expect("a subterm");
    let parts = |term: Term| match store.view(term) {
        View::And(members) => members.to_vec(),
        View::Iff(a, b) => vec![a, b],
        View::Ite(c, a, b) if store.sort(a) == Sort::Bool => vec![c, a, b],
        _ => Vec::new(),
    };
    let mut reached = vec![false; terms.len()];
    reached[place(formula)] = true;
    for at in (0..terms.len()).rev() {
        if reached[at] {
            parts(terms[at]).into_iter().for_each(|part| reached[place(part)] = true);
        }
    }
    let mut numbers = vec![0; terms.len()];
    let mut nodes = Vec::new();
    for (at, &term) in terms.iter().enumerate().filter(|&(at, _)| reached[at]) {
        let part = |term: Term| (numbers[place(term)], term.is_negated());
        let node = match store.view(term) {
            View::True => Node::True,
            View::And(members) => Node::And(members.iter().map(|&member| part(member)).collect()),
            View::Iff(a, b) => Node::Iff(part(a), part(b)),
            View::Ite(c, a, b) if store.sort(a) == Sort::Bool => Node::Ite([c, a, b].map(part)),
            _ => Node::Atom { term, size: store.subterms(&[term]).len() as u64 },
        };
        numbers[at] = nodes.len();
        nodes.push(node);
    }
    if formula.is_negated() {
        nodes.push(Node::And(vec![(nodes.len() - 1, true)]));
    }
    nodes
}

/// Of the members that are false the one with the smallest cost.
fn cheapest_false(members: &[(usize, bool)], values: &[(bool, u64)]) -> Option<(usize, bool)> {
    let wrong = members.iter().filter(|&&(at, negated)| values[at].0 == negated);
    wrong.min_by_key(|&&(at, _)| values[at].1).copied()
}
