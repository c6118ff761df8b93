//! Equations between the arguments of a predicate, found before the search (the setting `spacer.equations`).
//!
//! A comparison of two programs needs that their heaps are equal; a lemma from an obligation says so of one index at
//! a time and never of the whole array. So for systems with other sorts than numbers and truth values, the strongest
//! equations are computed that are inductive: linear ones between numbers (Karr 1976), and equalities of variables
//! of the same sort. The way is that of symbolic abstraction (Reps, Sagiv and Yorsh 2004): as long as an edge leads
//! from states with the equations of its sources to one without those of its target, the target's equations are
//! those that this state has, too. Each such state adds a dimension or splits a class, so that there are at most as
//! many as there are arguments and one; an edge that adds nothing costs one query.
//!
//! Beside the arguments, reads of an array argument at a numeric argument are numbers that may occur in equations.
//!
//! Unlike other lemmas these hold at all heights from the beginning. If the effort is not enough, there are none.

use std::collections::{BTreeSet, VecDeque};

use shem_base::{Budget, Effort, Rat, UnknownReason};
use shem_chc::{EdgeId, Graph, VertexId};
use shem_proof::NoProof;
use shem_smt::{Answer, Model, Solver};
use shem_term::{Sort, Store, Term, Value};

use super::hull::Hull;
use super::search::{SpacerSearch, state_in};
use super::summary::{INFINITE_HEIGHT, Lemma};

/// The effort of one query.
const QUERY_EFFORT: Effort = Effort { conflicts: 1_000, pivots: 50_000, splits: 1_000 };

/// How many queries are made for each edge at most, all in all.
const QUERIES_PER_EDGE: usize = 60;

/// How many reads of arrays a predicate has at most.
const MAX_READS: usize = 24;

/// How many numbers a predicate has at most, reads included; the others are left out.
const MAX_NUMBERS: usize = 80;

/// The states of a vertex that were met, as far as equations tell them apart.
struct Points {
    /// Terms over the state of the vertex that are numbers of one sort each.
    numbers: [Vec<Term>; 2],
    /// Their values: points that span the states met so far.
    points: [Vec<Vec<Rat>>; 2],
    /// Variables of other sorts, in classes of those that were equal so far; a class of one is left out.
    classes: Vec<Vec<Term>>,
    /// Truth values and constructors that were the same so far.
    constants: Vec<(Term, Value)>,
    /// The equations, or none if no state was met.
    equations: Option<Vec<Term>>,
}

impl Points {
    fn new(store: &mut Store, state: &[Term]) -> Points {
        let mut numbers = [Vec::new(), Vec::new()];
        let mut classes: Vec<Vec<Term>> = Vec::new();
        for &variable in state {
            match store.sort(variable) {
                Sort::Int => numbers[0].push(variable),
                Sort::Real => numbers[1].push(variable),
                sort => match classes.iter_mut().find(|class| store.sort(class[0]) == sort) {
                    Some(class) => class.push(variable),
                    None => classes.push(vec![variable]),
                },
            }
        }
        let mut reads = Vec::new();
        for class in &classes {
            let Some((index, element)) = store.array_parts(store.sort(class[0])) else { continue };
            if index != Sort::Int || element != Sort::Int {
                continue;
            }
            for &array in class {
                reads.extend(numbers[0].iter().map(|&index| (array, index)));
            }
        }
        if reads.len() <= MAX_READS {
            for (array, index) in reads {
                let read = store.select(array, index);
                numbers[0].push(read);
            }
        }
        for list in &mut numbers {
            list.truncate(MAX_NUMBERS);
        }
        Points { numbers, points: Default::default(), classes, constants: Vec::new(), equations: None }
    }

    /// Takes a state in; afterwards the equations hold of it, too.
    fn join(&mut self, store: &mut Store, state: &Model) {
        let value = |term: Term| store.evaluate(term, &state.completed(store));
        for (numbers, points) in self.numbers.iter().zip(&mut self.points) {
            if !numbers.is_empty() {
                let point = numbers.iter().map(|&term| match value(term) {
                    Some(Value::Num(number)) => number,
                    _ => Rat::ZERO,
                });
                points.push(point.collect());
            }
        }
        let first = self.equations.is_none();
        let mut classes: Vec<Vec<Term>> = Vec::new();
        for class in std::mem::take(&mut self.classes) {
            let mut parts: Vec<(Option<Value>, Vec<Term>)> = Vec::new();
            for variable in class {
                let value = value(variable);
                if first && matches!(value, Some(Value::Bool(_) | Value::Data(_))) {
                    self.constants.extend(value.clone().map(|value| (variable, value)));
                }
                match parts.iter_mut().find(|part| part.0 == value) {
                    Some(part) => part.1.push(variable),
                    None => parts.push((value, vec![variable])),
                }
            }
            classes.extend(parts.into_iter().map(|part| part.1).filter(|class| class.len() > 1));
        }
        self.constants.retain(|(variable, constant)| value(*variable).as_ref() == Some(constant));
        self.classes = classes;
        self.write_equations(store);
    }

    fn write_equations(&mut self, store: &mut Store) {
        let mut equations = Vec::new();
        for (numbers, points) in self.numbers.iter().zip(&self.points) {
            if !points.is_empty() {
                let sort = store.sort(numbers[0]);
                for (coefficients, value) in Hull::new(points).equations {
                    let terms = coefficients.into_iter().zip(numbers.iter().copied());
                    let terms: Vec<(Rat, Term)> = terms.filter(|term| !term.0.is_zero()).collect();
                    let sum = store.linear(&terms, &Rat::ZERO, sort);
                    let value = store.numeral(&value, sort);
                    equations.push(store.eq(sum, value));
                }
            }
        }
        for class in &self.classes {
            for pair in class.windows(2) {
                equations.push(store.eq(pair[0], pair[1]));
            }
        }
        for (variable, value) in &self.constants {
            equations.push(store.value_literal(*variable, value));
        }
        equations.retain(|&equation| equation != Term::TRUE);
        self.equations = Some(equations);
    }
}

/// The equations of each vertex, or nothing if the effort is not enough.
fn equations(
    store: &mut Store,
    graph: &Graph,
    budget: &mut Budget,
) -> Result<Option<Vec<Vec<Term>>>, UnknownReason> {
    let mut all: Vec<Points> = Vec::with_capacity(graph.vertex_bound());
    for index in 0..graph.vertex_bound() {
        let state = graph.vertex(VertexId::new(index)).state().to_vec();
        all.push(Points::new(store, &state));
    }
    let mut queue: VecDeque<EdgeId> = VecDeque::new();
    let mut queued: BTreeSet<EdgeId> = BTreeSet::new();
    for (id, edge) in graph.edges() {
        if edge.target != VertexId::FALSE && edge.sources.is_empty() {
            queue.push_back(id);
            queued.insert(id);
        }
    }
    let mut left = QUERIES_PER_EDGE * graph.edge_count();
    while let Some(id) = queue.pop_front() {
        queued.remove(&id);
        let edge = graph.edge(id);
        let target = edge.target;
        let mut solver = Solver::with_proof(Default::default(), NoProof);
        solver.assert(store, edge.label);
        for (position, &source) in edge.sources.iter().enumerate() {
            let state = graph.vertex(source).state();
            let variables = graph.source_variables(edge, position);
            for &equation in all[source.index()].equations.iter().flatten() {
                let equation = store.rename(equation, state, variables);
                solver.assert(store, equation);
            }
        }
        let (state, next) = (graph.vertex(target).state(), graph.vertex(target).target());
        let mut changed = false;
        loop {
            budget.check_stop()?;
            if left == 0 {
                return Ok(None);
            }
            left -= 1;
            let points = &mut all[target.index()];
            let known = points.equations.as_ref().map_or(Term::FALSE, |known| store.and(known));
            let outside = store.rename(!known, state, next);
            let found = match solver.check_assuming(store, &[outside], &mut budget.at_most(QUERY_EFFORT)) {
                Answer::Unsat(_) => break,
                Answer::Sat(mut solution) => solution.model(),
                Answer::Unknown(UnknownReason::Stopped) => return Err(UnknownReason::Stopped),
                Answer::Unknown(_) => return Ok(None),
            };
            let found = state_in(store, &found, state, next);
            points.join(store, &found);
            changed = true;
        }
        if changed {
            for (other, edge) in graph.edges() {
                let ready = edge.sources.iter().all(|source| all[source.index()].equations.is_some());
                if edge.target != VertexId::FALSE
                    && edge.sources.contains(&target)
                    && ready
                    && queued.insert(other)
                {
                    queue.push_back(other);
                }
            }
        }
    }
    // A vertex that no edge reaches has no facts.
    let found = all.into_iter().map(|points| points.equations.unwrap_or_else(|| vec![Term::FALSE]));
    Ok(Some(found.collect()))
}

impl SpacerSearch<'_> {
    /// Adds the equations that hold of all facts, if there are other sorts than numbers and truth values.
    pub(super) fn add_equations(
        &mut self,
        store: &mut Store,
        budget: &mut Budget,
    ) -> Result<(), UnknownReason> {
        let beyond = |vertex| self.graph.vertex(vertex).sorts().iter().any(|sort| !sort.is_basic());
        if !self.settings.equations || !self.graph.vertices().any(beyond) {
            return Ok(());
        }
        let Some(found) = equations(store, self.graph, budget)? else { return Ok(()) };
        for vertex in self.graph.vertices() {
            for formula in independent(store, &found[vertex.index()], budget)? {
                self.counters.equations += 1;
                self.add_lemma(store, vertex, Lemma { formula, level: INFINITE_HEIGHT });
            }
        }
        Ok(())
    }
}

/// The equations without those that simpler ones imply: that arrays are equal says the same of all reads.
fn independent(store: &mut Store, found: &[Term], budget: &Budget) -> Result<Vec<Term>, UnknownReason> {
    let mut sorted: Vec<(usize, Term)> = Vec::with_capacity(found.len());
    for &equation in found {
        sorted.push((store.subterms(&[equation]).len(), equation));
    }
    sorted.sort_unstable();
    let mut solver = Solver::with_proof(Default::default(), NoProof);
    let mut kept = Vec::new();
    for (_, equation) in sorted {
        match solver.check_assuming(store, &[!equation], &mut budget.at_most(QUERY_EFFORT)) {
            Answer::Unknown(UnknownReason::Stopped) => return Err(UnknownReason::Stopped),
            answer if answer.is_unsat() => continue,
            _ => {}
        }
        solver.assert(store, equation);
        kept.push(equation);
    }
    Ok(kept)
}
