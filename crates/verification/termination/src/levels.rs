//! Levels of a lexicographic order, found by linear algebra.
//!
//! The cases that are left fall into strongly connected components of nodes; those between components go down in a level
//! that numbers the components. For a component, unknown affine functions, one for each node and phase, must not grow in
//! any of its cases; then as many cases as possible are made strict, one after the other (lexicographic linear ranking
//! functions: Bradley, Manna and Sipma 2005; of one loop: Podelski and Rybalchenko 2004; several phases: Ben-Amram and
//! Genaim 2017). Strict cases are done, and the rest falls into smaller components.

use std::collections::BTreeMap;

use shem_base::{Budget, Effort, Int, Rat};
use shem_check::{Level, RankingFunction};
use shem_proof::NoProof;
use shem_smt::{Answer, Model, Solver};
use shem_term::{Sort, Store, Term, Value};

use crate::cube::{Case, Cases};
use crate::farkas::{Coefficient, Template, assert_implied};
use crate::linear::term_of;
use crate::problem::Problem;

/// The effort of one linear problem.
const EFFORT: Effort = Effort { conflicts: 20_000, pivots: 100_000, splits: 1_000 };
/// The greatest number of phases.
const MOST_PHASES: usize = 4;
/// A component with more cases is not tried case by case.
const MOST_SINGLE_CASES: usize = 8;

/// An affine function of the variables of a node: factors of argument positions, and a number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Affine {
    pub(crate) factors: BTreeMap<usize, Rat>,
    pub(crate) constant: Rat,
}

/// For each node its phases; nodes without an entry have zero.
pub(crate) type NodeFunctions = BTreeMap<usize, Vec<Affine>>;

/// A level as functions of nodes.
#[derive(Clone, Debug)]
pub(crate) struct NodeLevel {
    pub(crate) phases: usize,
    pub(crate) functions: NodeFunctions,
}

/// What was found: levels, and the cases that go down in none of them.
pub(crate) struct Found {
    pub(crate) levels: Vec<NodeLevel>,
    /// By component.
    pub(crate) left: Vec<Vec<usize>>,
}

/// Looks for levels for these cases.
pub(crate) fn find_levels(
    store: &mut Store,
    problem: &Problem,
    cases: &Cases,
    alive: Vec<usize>,
    budget: &mut Budget,
) -> Found {
    let mut found = Found { levels: Vec::new(), left: Vec::new() };
    let mut pending = vec![alive];
    while let Some(alive) = pending.pop() {
        for component in split(cases, &alive, &mut found.levels) {
            match find_level(store, problem, cases, &component, budget) {
                Some((level, strict)) => {
                    found.levels.push(level);
                    pending.push(component.into_iter().filter(|at| !strict.contains(at)).collect());
                }
                None => found.left.push(component),
            }
        }
    }
    found
}

/// The cases within each component. If some lead from one to another, a level numbers the components.
pub(crate) fn split(cases: &Cases, alive: &[usize], levels: &mut Vec<NodeLevel>) -> Vec<Vec<usize>> {
    let numbers = cases.components(alive);
    let mut within: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut is_connected = true;
    for &at in alive {
        let Case { source, target, .. } = cases.cases[at];
        if numbers[source] == numbers[target] {
            within.entry(numbers[source]).or_default().push(at);
        } else {
            is_connected = false;
        }
    }
    if !is_connected {
        let number =
            |node: usize| Affine { factors: BTreeMap::new(), constant: Rat::from(numbers[node] as i64) };
        // Nodes of other components stay at zero, so that their steps are weak.
        let ends = alive.iter().flat_map(|&at| [cases.cases[at].source, cases.cases[at].target]);
        let functions = ends.map(|node| (node, vec![number(node)])).collect();
        levels.push(NodeLevel { phases: 1, functions });
    }
    within.into_values().collect()
}

/// A level for a component in which some of its cases are strict, with these.
fn find_level(
    store: &mut Store,
    problem: &Problem,
    cases: &Cases,
    component: &[usize],
    budget: &mut Budget,
) -> Option<(NodeLevel, Vec<usize>)> {
    (1..=MOST_PHASES).find_map(|phases| {
        budget.check_stop().ok()?;
        find_with_phases(store, problem, cases, component, phases, budget)
    })
}

fn find_with_phases(
    store: &mut Store,
    problem: &Problem,
    cases: &Cases,
    component: &[usize],
    phases: usize,
    budget: &mut Budget,
) -> Option<(NodeLevel, Vec<usize>)> {
    let unknowns = Unknowns::new(store, problem, cases, component, phases);
    let mut solver = Solver::with_proof(Default::default(), NoProof);
    let demands = Demands { problem, cases, unknowns: &unknowns };
    if phases > 1 {
        // A strict step need not be weak: the later phases may grow at first.
        let mut ways = vec![component.to_vec()];
        if component.len() > 1 && component.len() <= MOST_SINGLE_CASES {
            ways.extend(component.iter().map(|&at| vec![at]));
        }
        for strict in ways {
            budget.check_stop().ok()?;
            solver.push();
            for &at in component {
                demands.assert(store, &mut solver, at, strict.contains(&at));
            }
            if let Some(model) = solve(store, &mut solver, budget) {
                return Some((NodeLevel { phases, functions: unknowns.functions(store, &model) }, strict));
            }
            solver.pop();
        }
        return None;
    }
    for &at in component {
        demands.assert(store, &mut solver, at, false);
    }
    let mut strict = Vec::new();
    let mut model: Option<Model> = None;
    for &at in component {
        budget.check_stop().ok()?;
        solver.push();
        demands.assert(store, &mut solver, at, true);
        match solve(store, &mut solver, budget) {
            Some(found) => {
                strict.push(at);
                model = Some(found);
            }
            None => solver.pop(),
        }
    }
    let functions = unknowns.functions(store, &model?);
    Some((NodeLevel { phases, functions }, strict))
}

fn solve(store: &mut Store, solver: &mut Solver<NoProof>, budget: &mut Budget) -> Option<Model> {
    budget.within(EFFORT, |part| match solver.check(store, part) {
        Answer::Sat(mut solution) => Some(solution.model()),
        _ => None,
    })
}

/// What a level demands of cases.
struct Demands<'a> {
    problem: &'a Problem,
    cases: &'a Cases,
    unknowns: &'a Unknowns,
}

impl Demands<'_> {
    /// Asserts that a case is strict, or that it is weak.
    fn assert(&self, store: &mut Store, solver: &mut Solver<NoProof>, at: usize, is_strict: bool) {
        let rows = &self.cases.cases[at].rows;
        let (before, after) = self.unknowns.ends(self.problem, self.cases, at);
        for (phase, (from, to)) in before.iter().zip(&after).enumerate() {
            let mut goal = from.clone();
            goal.add(-1, to);
            if is_strict {
                if let Some(earlier) = phase.checked_sub(1) {
                    goal.add(1, &before[earlier]);
                }
                goal.shift(-1);
            }
            assert_implied(store, solver, rows, &goal);
        }
        if let Some(bounded) = before.last().filter(|_| is_strict) {
            assert_implied(store, solver, rows, bounded);
        }
    }
}

/// Unknown factors of argument positions, and an unknown number.
type UnknownFunction = (BTreeMap<usize, Term>, Term);

/// The unknown functions of the nodes of a component.
pub(crate) struct Unknowns {
    /// For each node and phase, the unknowns for argument positions, and that of the constant.
    nodes: BTreeMap<usize, Vec<UnknownFunction>>,
}

impl Unknowns {
    pub(crate) fn new(
        store: &mut Store,
        problem: &Problem,
        cases: &Cases,
        component: &[usize],
        phases: usize,
    ) -> Unknowns {
        let mut nodes = BTreeMap::new();
        for &at in component {
            for node in [cases.cases[at].source, cases.cases[at].target] {
                nodes.entry(node).or_insert_with(|| {
                    let predicate = cases.nodes[node].predicate.index();
                    let one_phase = |store: &mut Store| {
                        let mut factors = BTreeMap::new();
                        for position in 0..problem.states[predicate].len() {
                            if !cases.splitting[predicate].contains(&position) {
                                factors.insert(position, store.variable("a", Sort::Real));
                            }
                        }
                        (factors, store.variable("b", Sort::Real))
                    };
                    (0..phases).map(|_| one_phase(store)).collect::<Vec<_>>()
                });
            }
        }
        Unknowns { nodes }
    }

    /// The unknown factors of arguments.
    pub(crate) fn factors(&self) -> Vec<Term> {
        self.nodes.values().flatten().flat_map(|(factors, _)| factors.values().copied()).collect()
    }

    /// The phases before and after a case, as templates over its columns.
    pub(crate) fn ends(&self, problem: &Problem, cases: &Cases, at: usize) -> (Vec<Template>, Vec<Template>) {
        let Case { source, target, .. } = cases.cases[at];
        let [from, to] = [source, target].map(|node| cases.nodes[node].predicate.index());
        (self.templates(source, &problem.states[from]), self.templates(target, &problem.nexts[to]))
    }

    fn templates(&self, node: usize, variables: &[Term]) -> Vec<Template> {
        let unknown =
            |&unknown: &Term| Coefficient { unknowns: vec![(Rat::from(1), unknown)], ..Default::default() };
        let template = |(factors, constant): &UnknownFunction| Template {
            columns: factors.iter().map(|(&at, factor)| (variables[at], unknown(factor))).collect(),
            constant: unknown(constant),
        };
        self.nodes[&node].iter().map(template).collect()
    }

    /// The functions that a model gives, multiplied so that all factors are integers.
    pub(crate) fn functions(&self, store: &Store, model: &Model) -> NodeFunctions {
        let value = |term: Term| {
            let symbol = store.as_var(term).expect("an unknown is a variable");
            match model.value_or_default(store, symbol) {
                Value::Num(number) => number,
                _ => Rat::from(0),
            }
        };
        let mut functions = NodeFunctions::new();
        let mut common = Int::from(1);
        for (&node, phases) in &self.nodes {
            let affine = |(factors, constant): &UnknownFunction| Affine {
                factors: factors.iter().map(|(&at, &factor)| (at, value(factor))).collect(),
                constant: value(*constant),
            };
            let phases: Vec<Affine> = phases.iter().map(affine).collect();
            for number in phases.iter().flat_map(|f| f.factors.values().chain([&f.constant])) {
                common = common.lcm(&number.denom());
            }
            functions.insert(node, phases);
        }
        let common = Rat::from(common);
        for function in functions.values_mut().flatten() {
            function.constant = &function.constant * &common;
            function.factors.values_mut().for_each(|factor| *factor = &*factor * &common);
            function.factors.retain(|_, factor| !factor.is_zero());
        }
        functions
    }
}

impl NodeLevel {
    /// The level about predicates.
    pub(crate) fn level(&self, store: &mut Store, problem: &Problem, cases: &Cases) -> Level {
        let mut sort = Sort::Int;
        for (&node, phases) in &self.functions {
            let state = &problem.states[cases.nodes[node].predicate.index()];
            let reals = |f: &Affine| {
                !f.constant.is_integer()
                    || f.factors
                        .iter()
                        .any(|(&at, factor)| !factor.is_integer() || store.sort(state[at]) == Sort::Real)
            };
            if phases.iter().any(reals) {
                sort = Sort::Real;
            }
        }
        let zero = store.numeral(&Rat::from(0), sort);
        let mut functions: Vec<RankingFunction> = problem
            .states
            .iter()
            .map(|state| RankingFunction {
                parameters: state.clone().into(),
                phases: vec![zero; self.phases].into(),
            })
            .collect();
        for (&node, phases) in &self.functions {
            let predicate = cases.nodes[node].predicate.index();
            let state = &problem.states[predicate];
            let here = cases.condition(store, problem, node);
            for (phase, Affine { factors, constant }) in phases.iter().enumerate() {
                let terms: Vec<(Term, Rat)> = factors.iter().map(|(&at, f)| (state[at], f.clone())).collect();
                let value = term_of(store, &terms, constant, sort);
                let other = functions[predicate].phases[phase];
                functions[predicate].phases[phase] = store.ite(here, value, other);
            }
        }
        Level { functions }
    }
}

impl Cases {
    /// What holds of the states of a node: the values of the arguments that split its predicate.
    pub(crate) fn condition(&self, store: &mut Store, problem: &Problem, node: usize) -> Term {
        let predicate = self.nodes[node].predicate.index();
        let mut parts = Vec::new();
        for (&at, value) in self.splitting[predicate].iter().zip(&self.nodes[node].values) {
            let variable = problem.states[predicate][at];
            parts.push(match store.sort(variable) {
                Sort::Bool => variable.xor(value.is_zero()),
                sort => {
                    let number = store.numeral(value, sort);
                    store.eq(variable, number)
                }
            });
        }
        parts.extend(&self.nodes[node].region);
        store.and(&parts)
    }
}
