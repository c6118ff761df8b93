//! Equations between the arguments of a predicate, found before the search (the setting `spacer.equations`).
//!
//! A comparison of two programs needs that their heaps are equal; a lemma from an obligation says so of one index at
//! a time and never of the whole array. So for systems with other sorts than numbers and truth values, the strongest
//! equations are computed that are inductive: linear ones between numbers (Karr 1976), and equalities of variables
//! of the same sort. They are a [`Domain`] of the abstract interpretation that the pass `invariants` uses, too. Each state
//! that is joined adds a dimension or splits a class, so that there are at most as many as there are arguments and one; an
//! edge that adds nothing costs one query.
//!
//! Beside the arguments, reads of an array argument at a numeric argument are numbers that may occur in equations.
//!
//! Unlike other lemmas these hold at all heights from the beginning. Where a query is too hard, there are none for the
//! predicate; if there are too many queries, there are none at all.

use shem_base::{Budget, Effort, Rat, UnknownReason};
use shem_chc::{Graph, VertexId};
use shem_proof::NoProof;
use shem_smt::{Answer, Model, Solver};
use shem_term::{Sort, Store, Term, Value};
use shem_transform::domain::{AbstractInterpretation, Domain, Elements, Subspace, equality, terms_of};

use super::search::SpacerSearch;
use super::summary::{INFINITE_HEIGHT, Lemma};

/// The effort of one query.
const QUERY_EFFORT: Effort = Effort { conflicts: 1_000, pivots: 50_000, splits: 1_000 };

/// How many queries are made for each edge at most, all in all.
const QUERIES_PER_EDGE: usize = 60;

/// How many reads of arrays a predicate has at most.
const MAX_READS: usize = 24;

/// How many numbers a predicate has at most, reads included; the others are left out.
const MAX_NUMBERS: usize = 80;

/// What equations of a vertex may be about.
struct Subjects {
    state: Vec<Term>,
    /// Terms over the state that are numbers of one sort each.
    numbers: [Vec<Term>; 2],
    /// Variables of other sorts, those of the same sort together.
    others: Vec<Vec<Term>>,
}

/// The domain, with the subjects of each vertex.
struct Equations(Vec<Subjects>);

/// What some states have in common.
struct Common {
    /// The affine hulls of the values of the numbers.
    hulls: [Subspace; 2],
    /// Variables of other sorts, in classes of those that are equal; a class of one is left out.
    classes: Vec<Vec<Term>>,
    /// Truth values and constructors that are the same.
    constants: Vec<(Term, Value)>,
}

impl Subjects {
    fn new(store: &mut Store, state: &[Term]) -> Subjects {
        let mut numbers = [Vec::new(), Vec::new()];
        let mut others: Vec<Vec<Term>> = Vec::new();
        for &variable in state {
            match store.sort(variable) {
                Sort::Int => numbers[0].push(variable),
                Sort::Real => numbers[1].push(variable),
                sort => match others.iter_mut().find(|same| store.sort(same[0]) == sort) {
                    Some(same) => same.push(variable),
                    None => others.push(vec![variable]),
                },
            }
        }
        let mut reads = Vec::new();
        for arrays in &others {
            let Some((index, element)) = store.array_parts(store.sort(arrays[0])) else { continue };
            if index != Sort::Int || element != Sort::Int {
                continue;
            }
            for &array in arrays {
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
        Subjects { state: state.to_vec(), numbers, others }
    }

    /// The state as a model.
    fn model(&self, store: &Store, state: &[Value]) -> Model {
        let mut model = Model::default();
        for (&variable, value) in self.state.iter().zip(state) {
            model.insert(store.as_var(variable).expect("a variable"), value.clone());
        }
        model
    }

    /// The values of the numbers.
    fn points(&self, store: &Store, state: &Model) -> [Vec<Rat>; 2] {
        let state = state.completed(store);
        let value = |&term: &Term| match store.evaluate(term, &state) {
            Some(Value::Num(number)) => number,
            _ => Rat::ZERO,
        };
        self.numbers.each_ref().map(|numbers| numbers.iter().map(value).collect())
    }
}

impl Domain for Equations {
    type Element = Common;
    const IS_MONOTONE: bool = true;

    fn is_empty(&self) -> bool {
        self.0.iter().all(|subjects| subjects.state.is_empty())
    }

    fn of_state(&self, store: &Store, vertex: VertexId, state: &[Value]) -> Option<Common> {
        let subjects = &self.0[vertex.index()];
        let is_constant = |value: &Value| matches!(value, Value::Bool(_) | Value::Data(_));
        let constants = subjects.state.iter().copied().zip(state.iter().cloned());
        let model = subjects.model(store, state);
        let mut common = Common {
            hulls: subjects.points(store, &model).map(Subspace::of_point),
            classes: subjects.others.clone(),
            constants: constants.filter(|(_, value)| is_constant(value)).collect(),
        };
        common.split(store, &model);
        Some(common)
    }

    fn join(&self, store: &Store, vertex: VertexId, common: &mut Common, state: &[Value]) -> bool {
        let subjects = &self.0[vertex.index()];
        let model = subjects.model(store, state);
        let mut grown = common.split(store, &model);
        for (hull, point) in common.hulls.iter_mut().zip(subjects.points(store, &model)) {
            grown |= hull.join_point(&point);
        }
        grown
    }

    fn constraints(&self, store: &mut Store, vertex: VertexId, common: &Common) -> Vec<Term> {
        let mut equations = Vec::new();
        for (numbers, hull) in self.0[vertex.index()].numbers.iter().zip(&common.hulls) {
            for (form, value) in hull.equalities() {
                equations.push(equality(store, &terms_of(&form, numbers), &value));
            }
        }
        for pair in common.classes.iter().flat_map(|class| class.windows(2)) {
            equations.push(store.eq(pair[0], pair[1]));
        }
        for (variable, value) in &common.constants {
            equations.push(store.value_literal(*variable, value));
        }
        equations.retain(|&equation| equation != Term::TRUE);
        equations
    }
}

impl Common {
    /// Splits classes by the values of a state, and drops constants that have another value. Returns whether anything has
    /// changed.
    fn split(&mut self, store: &Store, state: &Model) -> bool {
        let value = |variable: Term| state.get(store.as_var(variable).expect("a variable"));
        let mut changed = false;
        let mut classes: Vec<Vec<Term>> = Vec::new();
        for class in std::mem::take(&mut self.classes) {
            let mut parts: Vec<Vec<Term>> = Vec::new();
            for variable in class {
                match parts.iter_mut().find(|part| value(part[0]) == value(variable)) {
                    Some(part) => part.push(variable),
                    None => parts.push(vec![variable]),
                }
            }
            changed |= parts.len() > 1;
            classes.extend(parts.into_iter().filter(|class| class.len() > 1));
        }
        self.classes = classes;
        let before = self.constants.len();
        self.constants.retain(|(variable, constant)| value(*variable) == Some(constant));
        changed || self.constants.len() < before
    }
}

/// The equations of each vertex, or nothing if the effort is not enough.
fn equations(
    store: &mut Store,
    graph: &Graph,
    budget: &mut Budget,
) -> Result<Option<Vec<Vec<Term>>>, UnknownReason> {
    let mut subjects = Vec::with_capacity(graph.vertex_bound());
    for index in 0..graph.vertex_bound() {
        subjects.push(Subjects::new(store, graph.vertex(VertexId::new(index)).state()));
    }
    let mut elements = Elements::new(Equations(subjects), graph);
    let mut interpretation = AbstractInterpretation::new(graph, QUERY_EFFORT);
    interpretation.most_questions = (QUERIES_PER_EDGE * graph.edge_count()) as u64;
    match interpretation.close(store, &mut elements, budget) {
        Err(UnknownReason::Stopped) => return Err(UnknownReason::Stopped),
        Err(_) => return Ok(None),
        Ok(()) => {}
    }
    let mut found = Vec::with_capacity(graph.vertex_bound());
    for index in 0..graph.vertex_bound() {
        // A vertex that no edge reaches has no facts.
        let constraints = elements.constraints(store, VertexId::new(index));
        found.push(constraints.map_or_else(|| vec![Term::FALSE], <[Term]>::to_vec));
    }
    Ok(Some(found))
}

impl SpacerSearch<'_> {
    /// Adds the equations that hold of all facts, if there are other sorts than numbers and truth values.
    pub(super) fn add_equations(
        &mut self,
        store: &mut Store,
        budget: &mut Budget,
    ) -> Result<(), UnknownReason> {
        let beyond = |vertex| self.graph.vertex(vertex).sorts().iter().any(|sort| !sort.is_basic());
        if !self.graph.vertices().any(beyond) {
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
