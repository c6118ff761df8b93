//! Paths of the graph in one solver.
//!
//! The solver holds the edges of one path, each in a scope of its own, so that of two paths asked about one after
//! the other the common beginning stays. Edges are instances of templates. The variables of a vertex at a
//! distance from the root are the same in all paths, and what interpolants say of them is renamed once.
//!
//! The labels of the nodes on the path are consequences of the edges before them. Asserted beside the edges they
//! change no answer, but a refutation may begin at a label in the middle of the path instead of at the root, and
//! then speaks of the end of the path only. The argument that interpolants keep the tree labelled goes through:
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
const CUTS: usize = 1024;

/// In place of an edge where a path begins at a vertex.
const NO_EDGE: usize = usize::MAX;

/// A step of a path: an edge and the vertex to which it leads.
struct Frame {
    edge: usize,
    vertex: VertexId,
    variables: Vec<Variable>,
    /// The conjuncts that are asserted about this vertex, in order.
    asserted: Vec<Term>,
    /// The label of which they are, unless it is to be asserted again.
    label: LabelId,
    /// What was asserted about vertices in the scope of this step: the frame, and how many conjuncts
    /// it had before.
    undo: Vec<(usize, usize)>,
}

/// A solver with a path in it.
pub(super) struct PathSolver {
    solver: Solver,
    frames: Vec<Frame>,
    /// By assertion: the place on the path to which it belongs.
    places: Vec<usize>,
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
            frames: Vec::new(),
            places: Vec::new(),
            copies: HashMap::default(),
            templates: HashMap::default(),
            renamed: HashMap::default(),
            queries: 0,
        }
    }

    /// Makes the path in the solver one without edges that begins at a vertex.
    pub(super) fn begin(&mut self, store: &mut Store, graph: &Graph, vertex: VertexId) {
        while !self.frames.is_empty() {
            self.leave();
        }
        self.solver.push();
        self.add_frame(store, graph, NO_EDGE, vertex);
    }

    /// Makes the path in the solver this one: edges by place, one after the other.
    pub(super) fn enter(&mut self, store: &mut Store, graph: &Graph, edges: &[CompiledEdge], path: &[usize]) {
        debug_assert!(self.frames.first().is_none_or(|frame| frame.edge != NO_EDGE));
        let common = self.frames.iter().zip(path).take_while(|(frame, edge)| frame.edge == **edge).count();
        while self.frames.len() > common {
            self.leave();
        }
        for &edge in &path[common..] {
            self.step(store, graph, edge, &edges[edge]);
        }
    }

    fn leave(&mut self) {
        self.solver.pop();
        let frame = self.frames.pop().expect("a step");
        for (at, count) in frame.undo.into_iter().rev() {
            if let Some(frame) = self.frames.get_mut(at) {
                frame.asserted.truncate(count);
                frame.label = LabelId::TRUE;
            }
        }
        self.places.truncate(self.solver.assertion_count() as usize);
    }

    /// Adds an edge, given with its place, to the end of the path.
    pub(super) fn step(&mut self, store: &mut Store, graph: &Graph, place: usize, edge: &CompiledEdge) {
        self.solver.push();
        let mut actuals = self.frames.last().map_or(Vec::new(), |frame| frame.variables.clone());
        self.add_frame(store, graph, place, edge.target);
        let at = self.frames.len() - 1;
        actuals.extend_from_slice(&self.frames[at].variables);
        self.solver.instantiate(store, &edge.template, &actuals);
        self.places.push(at);
    }

    fn add_frame(&mut self, store: &mut Store, graph: &Graph, edge: usize, vertex: VertexId) {
        let at = self.frames.len();
        let terms = self.copies.entry((at, vertex)).or_insert_with(|| {
            let vertex = graph.vertex(vertex);
            let copy = |(i, &sort)| store.variable(&format!("{}#{i}@{at}", vertex.name()), sort);
            vertex.sorts().iter().enumerate().map(copy).collect()
        });
        let variables = terms.iter().map(|&t| self.solver.variable(store, t)).collect();
        self.frames.push(Frame {
            edge,
            vertex,
            variables,
            asserted: Vec::new(),
            label: LabelId::TRUE,
            undo: Vec::new(),
        });
    }

    /// Asserts the label of the vertex at this place, as far as it is not there.
    pub(super) fn assume(
        &mut self,
        store: &mut Store,
        graph: &Graph,
        at: usize,
        labels: &Labels,
        label: LabelId,
    ) {
        if self.frames[at].label == label {
            return;
        }
        self.frames[at].label = label;
        let (count, top) = (self.frames[at].asserted.len(), self.frames.len() - 1);
        self.frames[top].undo.push((at, count));
        for &conjunct in labels.conjuncts(label) {
            if !self.frames[at].asserted[..count].contains(&conjunct) {
                self.frames[at].asserted.push(conjunct);
                self.instantiate(store, graph, at, conjunct);
                self.places.push(at);
            }
        }
    }

    fn instantiate(&mut self, store: &mut Store, graph: &Graph, at: usize, formula: Term) -> u32 {
        let Frame { vertex, variables, .. } = &self.frames[at];
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
        let actuals = self.frames.last().map_or(Vec::new(), |frame| frame.variables.clone());
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
        self.instantiate(store, graph, self.frames.len() - 1, !formula);
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
                let mut values = Vec::with_capacity(self.frames.len());
                for frame in &self.frames {
                    values.push(frame.variables.iter().map(|&v| solution.value(v)).collect());
                }
                Ok(Feasibility::Feasible(values))
            }
            Answer::Unsat(refutation) => {
                let length = self.frames.len();
                let found = interpolate(refutation, store, &self.places, length, options, budget);
                found.map(|mut found| {
                    for (at, formula) in found.iter_mut().enumerate() {
                        *formula = self.about_state(store, graph, at, *formula);
                    }
                    Feasibility::Refuted(found)
                })
            }
        };
        self.solver.pop();
        result
    }

    /// A formula about the vertex at this place, over the state of the vertex.
    fn about_state(&mut self, store: &mut Store, graph: &Graph, at: usize, formula: Term) -> Term {
        let positive = formula.positive();
        let vertex = self.frames[at].vertex;
        let copies = &self.copies[&(at, vertex)];
        let renamed = *self
            .renamed
            .entry(positive)
            .or_insert_with(|| store.rename(positive, copies, graph.vertex(vertex).state()));
        renamed.xor(formula.is_negated())
    }
}

/// The interpolants of the refutation, one for each vertex of a path of this length; `places` are those of the
/// assertions.
fn interpolate(
    mut refutation: Refutation<'_>,
    store: &mut Store,
    places: &[usize],
    length: usize,
    options: &ItpOptions,
    budget: &mut Budget,
) -> Result<Vec<Term>, UnknownReason> {
    // Only between the first and the last place that the refutation mentions there is something to say.
    let place = |number: u32| places.get(number as usize).copied().unwrap_or(length);
    let used = refutation.used_assertions();
    let first = used.iter().map(|&number| place(number)).min().unwrap_or(0);
    let last = used.iter().map(|&number| place(number)).max().unwrap_or(0);
    let mut found = vec![Term::TRUE; first.min(length)];
    if first < last {
        // Interpolants of several queries need not fit together, so there is one query or none.
        let cuts = last - first;
        if cuts > CUTS {
            return Err(UnknownReason::Incomplete("a path is too long to be interpolated"));
        }
        let mut partition = Partition::new(cuts + 1);
        for (number, &at) in places.iter().enumerate() {
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
