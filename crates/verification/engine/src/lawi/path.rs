//! Paths of the graph in one solver.
//!
//! The solver holds the edges of one path, each in a scope of its own, so that of two paths asked about one after
//! the other the common beginning stays. Edges are instances of templates. The variables of a vertex at a
//! distance from the root are the same in all paths, and what interpolants say of them is renamed once.
//!
//! The labels of the nodes on the path are consequences of the edges before them. Asserted beside the edges they
//! change no answer, but a refutation may begin at a label in the middle of the path instead of at the root, and
//! then concerns the end of the path only. The labelling of the tree stays correct:
//! let `Lᵢ` be the labels, `Eᵢ` the edges and `Iᵢ` the interpolants, where the groups are `Eᵢ ∧ Lᵢ`. From
//! `Iᵢ ∧ Eᵢ₊₁ ∧ Lᵢ₊₁ ⇒ Iᵢ₊₁` and `Lᵢ ∧ Eᵢ₊₁ ⇒ Lᵢ₊₁` follows `(Lᵢ ∧ Iᵢ) ∧ Eᵢ₊₁ ⇒ Lᵢ₊₁ ∧ Iᵢ₊₁`.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use shem_base::{Budget, UnknownReason};
use shem_chc::{Graph, VertexId};
use shem_smt::interpolate::{ItpError, ItpOptions, Partition};
use shem_smt::{Answer, Refutation, Solver, Template, Variable};
use shem_term::{Store, Term, Value};

use super::edges::CompiledEdge;
use super::label::{LabelId, Labels};

/// The greatest number of cuts of one interpolation query.
const MAX_CUTS: usize = 1024;

/// Stands for the edge of the first step of a path that begins at a vertex.
const NO_EDGE: usize = usize::MAX;

/// A step of a path: an edge and the vertex to which it leads.
struct PathStep {
    edge: usize,
    vertex: VertexId,
    variables: Vec<Variable>,
    /// The conjuncts that are asserted about this vertex, in order.
    asserted: Vec<Term>,
    /// The label of which they are, unless it is to be asserted again.
    label: LabelId,
    /// What was asserted about vertices in the scope of this step: the position of the step that it is about, and how
    /// many conjuncts that had before.
    undo: Vec<(usize, usize)>,
}

/// A solver with a path in it.
pub(super) struct PathSolver {
    solver: Solver,
    steps: Vec<PathStep>,
    /// By assertion: the position on the path to which it belongs.
    assertion_positions: Vec<usize>,
    /// The variables of a vertex at a distance from the root.
    copies: HashMap<(usize, VertexId), Vec<Term>, FxBuildHasher>,
    templates: HashMap<(VertexId, Term), Template, FxBuildHasher>,
    renamed: HashMap<Term, Term, FxBuildHasher>,
    pub(super) queries: u64,
}

/// The answer about a path.
pub(super) enum Feasibility {
    /// It can be taken; the values of its vertices.
    Feasible(Vec<Vec<Value>>),
    /// It cannot, and these formulas about its vertices say why, from the first on.
    Refuted(Vec<Term>),
}

impl PathSolver {
    pub(super) fn new(solver: Solver) -> PathSolver {
        PathSolver {
            solver,
            steps: Vec::new(),
            assertion_positions: Vec::new(),
            copies: HashMap::default(),
            templates: HashMap::default(),
            renamed: HashMap::default(),
            queries: 0,
        }
    }

    /// Replaces the path by one without edges that begins at a vertex.
    pub(super) fn start_at(&mut self, store: &mut Store, graph: &Graph, vertex: VertexId) {
        while !self.steps.is_empty() {
            self.pop_step();
        }
        self.solver.push();
        self.add_step(store, graph, NO_EDGE, vertex);
    }

    /// Replaces the path by this one, given by the indices of its edges. What both have in common at the beginning
    /// stays in the solver.
    pub(super) fn set_path(
        &mut self,
        store: &mut Store,
        graph: &Graph,
        edges: &[CompiledEdge],
        path: &[usize],
    ) {
        debug_assert!(self.steps.first().is_none_or(|step| step.edge != NO_EDGE));
        let common = self.steps.iter().zip(path).take_while(|(step, edge)| step.edge == **edge).count();
        while self.steps.len() > common {
            self.pop_step();
        }
        for &edge in &path[common..] {
            self.push_step(store, graph, edge, &edges[edge]);
        }
    }

    fn pop_step(&mut self) {
        self.solver.pop();
        let step = self.steps.pop().expect("a step");
        for (at, count) in step.undo.into_iter().rev() {
            if let Some(step) = self.steps.get_mut(at) {
                step.asserted.truncate(count);
                step.label = LabelId::TRUE;
            }
        }
        self.assertion_positions.truncate(self.solver.assertion_count() as usize);
    }

    /// Adds an edge, given with its index, to the end of the path.
    pub(super) fn push_step(&mut self, store: &mut Store, graph: &Graph, index: usize, edge: &CompiledEdge) {
        self.solver.push();
        let mut actuals = self.steps.last().map_or(Vec::new(), |step| step.variables.clone());
        self.add_step(store, graph, index, edge.target);
        let at = self.steps.len() - 1;
        actuals.extend_from_slice(&self.steps[at].variables);
        self.solver.instantiate(store, &edge.template, &actuals);
        self.assertion_positions.push(at);
    }

    fn add_step(&mut self, store: &mut Store, graph: &Graph, edge: usize, vertex: VertexId) {
        let at = self.steps.len();
        let terms = self.copies.entry((at, vertex)).or_insert_with(|| {
            let vertex = graph.vertex(vertex);
            let copy = |(i, &sort)| store.variable(&format!("{}#{i}@{at}", vertex.name()), sort);
            vertex.sorts().iter().enumerate().map(copy).collect()
        });
        let variables = terms.iter().map(|&t| self.solver.variable(store, t)).collect();
        self.steps.push(PathStep {
            edge,
            vertex,
            variables,
            asserted: Vec::new(),
            label: LabelId::TRUE,
            undo: Vec::new(),
        });
    }

    /// Asserts the conjuncts of a label at this position of the path that are not asserted there yet.
    pub(super) fn assert_label(
        &mut self,
        store: &mut Store,
        graph: &Graph,
        at: usize,
        labels: &Labels,
        label: LabelId,
    ) {
        if self.steps[at].label == label {
            return;
        }
        self.steps[at].label = label;
        let (count, top) = (self.steps[at].asserted.len(), self.steps.len() - 1);
        self.steps[top].undo.push((at, count));
        for &conjunct in labels.conjuncts(label) {
            if !self.steps[at].asserted[..count].contains(&conjunct) {
                self.steps[at].asserted.push(conjunct);
                self.instantiate(store, graph, at, conjunct);
                self.assertion_positions.push(at);
            }
        }
    }

    fn instantiate(&mut self, store: &mut Store, graph: &Graph, at: usize, formula: Term) -> u32 {
        let PathStep { vertex, variables, .. } = &self.steps[at];
        let template = self
            .templates
            .entry((*vertex, formula))
            .or_insert_with(|| Template::new(store, formula, graph.vertex(*vertex).state()));
        self.solver.instantiate(store, template, variables)
    }

    /// Asks whether the path can be taken and this edge to false at its end.
    pub(super) fn ask_edge(
        &mut self,
        store: &mut Store,
        graph: &Graph,
        edge: &CompiledEdge,
        options: &ItpOptions,
        budget: &mut Budget,
    ) -> Result<Feasibility, UnknownReason> {
        self.solver.push();
        let actuals = self.steps.last().map_or(Vec::new(), |step| step.variables.clone());
        self.solver.instantiate(store, &edge.template, &actuals);
        self.ask(store, graph, options, budget)
    }

    /// Asks whether the path can be taken to a state outside of this formula.
    pub(super) fn ask_outside(
        &mut self,
        store: &mut Store,
        graph: &Graph,
        formula: Term,
        options: &ItpOptions,
        budget: &mut Budget,
    ) -> Result<Feasibility, UnknownReason> {
        self.solver.push();
        self.instantiate(store, graph, self.steps.len() - 1, !formula);
        self.ask(store, graph, options, budget)
    }

    /// Decides the path with what the innermost scope adds to its end, and closes the scope.
    fn ask(
        &mut self,
        store: &mut Store,
        graph: &Graph,
        options: &ItpOptions,
        budget: &mut Budget,
    ) -> Result<Feasibility, UnknownReason> {
        self.queries += 1;
        let result = match self.solver.check(store, budget) {
            Answer::Unknown(reason) => Err(reason),
            Answer::Sat(mut solution) => {
                let mut values = Vec::with_capacity(self.steps.len());
                for step in &self.steps {
                    values.push(step.variables.iter().map(|&v| solution.value(v)).collect());
                }
                Ok(Feasibility::Feasible(values))
            }
            Answer::Unsat(refutation) => {
                let length = self.steps.len();
                let found =
                    interpolate(refutation, store, &self.assertion_positions, length, options, budget);
                found.map(|mut found| {
                    for (at, formula) in found.iter_mut().enumerate() {
                        *formula = self.rename_to_state(store, graph, at, *formula);
                    }
                    Feasibility::Refuted(found)
                })
            }
        };
        self.solver.pop();
        result
    }

    /// A formula about the vertex at this position, renamed to the state of the vertex.
    fn rename_to_state(&mut self, store: &mut Store, graph: &Graph, at: usize, formula: Term) -> Term {
        let positive = formula.positive();
        let vertex = self.steps[at].vertex;
        let copies = &self.copies[&(at, vertex)];
        let renamed = *self
            .renamed
            .entry(positive)
            .or_insert_with(|| store.rename(positive, copies, graph.vertex(vertex).state()));
        renamed.xor(formula.is_negated())
    }
}

/// The interpolants of the refutation, one for each vertex of a path of this length; `assertion_positions`
/// are those of the assertions.
fn interpolate(
    mut refutation: Refutation<'_>,
    store: &mut Store,
    assertion_positions: &[usize],
    length: usize,
    options: &ItpOptions,
    budget: &mut Budget,
) -> Result<Vec<Term>, UnknownReason> {
    // Before the first position that the refutation uses interpolants are true, after the last one false.
    let position = |number: u32| assertion_positions.get(number as usize).copied().unwrap_or(length);
    let used = refutation.used_assertions();
    let first = used.iter().map(|&number| position(number)).min().unwrap_or(0);
    let last = used.iter().map(|&number| position(number)).max().unwrap_or(0);
    let mut found = vec![Term::TRUE; first.min(length)];
    if first < last {
        // Interpolants of several queries need not form a path of interpolants, so one query has all cuts.
        let cuts = last - first;
        if cuts > MAX_CUTS {
            return Err(UnknownReason::Incomplete("a path is too long to be interpolated"));
        }
        let mut partition = Partition::new(cuts + 1);
        for (number, &at) in assertion_positions.iter().enumerate() {
            partition.assign(number as u32, at.saturating_sub(first).min(cuts));
        }
        found.extend(refutation.path_interpolants(store, &partition, options, budget).map_err(unknown)?);
    }
    found.resize(length, Term::FALSE);
    Ok(found)
}

fn unknown(error: ItpError) -> UnknownReason {
    match error {
        ItpError::Unknown(reason) => reason,
        _ => UnknownReason::Incomplete("a path could not be interpolated"),
    }
}
