//! The hulls of all vertices: for each a set of single states and an element for each phase.

use std::collections::{BTreeMap, BTreeSet};

use shem_base::UnknownReason;
use shem_chc::{Interpretation, VertexId};
use shem_term::{Store, Term, Value};
use shem_transform::domain::Form;

use super::element::{Element, Extremes, Seen};
use super::features::{Features, Phase};
use super::program::State;

/// Why a search for hulls has no end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// There are too many phases.
    Phases,
    /// The hulls have grown too often.
    Growth,
    /// A limit, or something that has no value.
    Unknown(UnknownReason),
}

impl From<UnknownReason> for Failure {
    fn from(reason: UnknownReason) -> Failure {
        Failure::Unknown(reason)
    }
}

impl From<Failure> for UnknownReason {
    fn from(failure: Failure) -> UnknownReason {
        match failure {
            Failure::Phases => UnknownReason::Incomplete("there are too many phases"),
            Failure::Growth => UnknownReason::Incomplete("the hulls have grown too often"),
            Failure::Unknown(reason) => reason,
        }
    }
}

/// A part of the hull of a vertex.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// The single state with this number.
    Single(usize),
    /// The element of a phase.
    Phase(Phase),
}

/// The hull of a vertex.
struct VertexHull {
    features: Features,
    singles: Vec<State>,
    /// The single states once more, for membership.
    known: BTreeSet<State>,
    elements: BTreeMap<Phase, Element>,
    extremes: BTreeMap<Phase, Extremes>,
    /// The formulas of elements, as long as they do not change.
    formulas: BTreeMap<Phase, Term>,
}

/// The hulls of the vertices of a graph.
pub(super) struct Hulls {
    /// By the index of the vertex.
    hulls: Vec<Option<VertexHull>>,
    phases: usize,
    max_phases: usize,
}

impl Hulls {
    /// Empty hulls, which may have this many phases together.
    pub(super) fn new(features: Vec<Features>, bound: usize, max_phases: usize) -> Hulls {
        let mut hulls: Vec<Option<VertexHull>> = (0..bound).map(|_| None).collect();
        for features in features {
            let at = features.vertex.index();
            hulls[at] = Some(VertexHull {
                features,
                singles: Vec::new(),
                known: BTreeSet::new(),
                elements: BTreeMap::new(),
                extremes: BTreeMap::new(),
                formulas: BTreeMap::new(),
            });
        }
        Hulls { hulls, phases: 0, max_phases }
    }

    fn at(&self, vertex: VertexId) -> &VertexHull {
        self.hulls[vertex.index()].as_ref().expect("a vertex of the graph")
    }

    fn at_mut(&mut self, vertex: VertexId) -> &mut VertexHull {
        self.hulls[vertex.index()].as_mut().expect("a vertex of the graph")
    }

    /// What is observed of the states of a vertex.
    pub(super) fn features(&self, vertex: VertexId) -> &Features {
        &self.at(vertex).features
    }

    /// Lets bounds stop at the extremes of these states.
    pub(super) fn look_at<'a>(&mut self, store: &Store, states: impl Iterator<Item = &'a (VertexId, State)>) {
        let mut seen: Vec<Seen> = self.hulls.iter().map(|_| Seen::default()).collect();
        for (vertex, state) in states {
            let hull = self.at_mut(*vertex);
            if let Some(observation) = hull.features.observe(store, state) {
                seen[vertex.index()].add(&hull.features, &observation.phase, &observation.point);
            }
        }
        for (hull, seen) in self.hulls.iter_mut().zip(seen) {
            if let Some(hull) = hull {
                hull.extremes = seen.extremes();
            }
        }
    }

    /// Adds a state as a part of its own.
    pub(super) fn add_single(&mut self, vertex: VertexId, state: &State) {
        let hull = self.at_mut(vertex);
        if hull.known.insert(state.clone()) {
            hull.singles.push(state.clone());
        }
    }

    /// Adds a state to the hull of its phase. Returns the phase if its element has grown.
    pub(super) fn add(
        &mut self,
        store: &Store,
        vertex: VertexId,
        state: &[Value],
    ) -> Result<Option<Phase>, Failure> {
        let hull = self.hulls[vertex.index()].as_mut().expect("a vertex of the graph");
        if hull.known.contains(state) {
            return Ok(None);
        }
        let observation = hull.features.observe(store, state);
        let observation = observation.ok_or(UnknownReason::Incomplete("a state without a value"))?;
        let extremes = hull.extremes.get(&observation.phase);
        let grown = match hull.elements.get_mut(&observation.phase) {
            Some(element) => element.join(&hull.features, extremes, &observation.point),
            None => {
                if self.phases >= self.max_phases {
                    return Err(Failure::Phases);
                }
                self.phases += 1;
                let element = Element::new(&hull.features, extremes, &observation.point);
                hull.elements.insert(observation.phase.clone(), element);
                true
            }
        };
        if grown {
            hull.formulas.remove(&observation.phase);
        }
        Ok(grown.then_some(observation.phase))
    }

    /// The parts of the hull of a vertex.
    pub(super) fn parts(&self, vertex: VertexId) -> Vec<Part> {
        let hull = self.at(vertex);
        let singles = (0..hull.singles.len()).map(Part::Single);
        singles.chain(hull.elements.keys().cloned().map(Part::Phase)).collect()
    }

    /// The formula of a part, over the state variables of its vertex.
    pub(super) fn part_formula(&mut self, store: &mut Store, vertex: VertexId, part: &Part) -> Term {
        let hull = self.at_mut(vertex);
        let phase = match part {
            Part::Single(at) => return store.value_cube(&hull.features.state, &hull.singles[*at]),
            Part::Phase(phase) => phase,
        };
        if let Some(&formula) = hull.formulas.get(phase) {
            return formula;
        }
        let mut parts = hull.elements[phase].constraints(store, &hull.features);
        parts.push(hull.features.cube(store, phase));
        let formula = store.and(&parts);
        hull.formulas.insert(phase.clone(), formula);
        formula
    }

    /// The formula of the hull of a vertex, over its state variables.
    pub(super) fn formula(&mut self, store: &mut Store, vertex: VertexId) -> Term {
        let parts = self.parts(vertex);
        let formulas: Vec<Term> = parts.iter().map(|part| self.part_formula(store, vertex, part)).collect();
        store.or(&formulas)
    }

    /// The formulas of all vertices.
    pub(super) fn interpretation(&mut self, store: &mut Store) -> Interpretation {
        let mut interpretation = Interpretation::new();
        let vertices: Vec<VertexId> = self.hulls.iter().flatten().map(|hull| hull.features.vertex).collect();
        for vertex in vertices {
            let formula = self.formula(store, vertex);
            interpretation.insert(vertex, formula);
        }
        interpretation
    }

    /// The equalities of a vertex that elements have lost.
    pub(super) fn lost(&self, vertex: VertexId) -> Vec<Form> {
        self.at(vertex).elements.values().flat_map(|element| element.lost().iter().cloned()).collect()
    }

    /// The number of phases.
    pub(super) fn phase_count(&self) -> usize {
        self.phases
    }
}
