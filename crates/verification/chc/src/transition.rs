//! Transition systems: a graph with one vertex, as formulas for initial states, transitions and bad states.

use shem_term::{Store, Term, Value};

use crate::derivation::Derivation;
use crate::graph::{Edge, Graph, VertexId};
use crate::shape::Shape;

/// Initial states, transitions and bad states, as formulas.
///
/// All other variables of a formula are auxiliary and quantified existentially; the three formulas share none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransitionSystem {
    /// The variables of a state.
    pub state: Vec<Term>,
    /// The variables of the state after a step.
    pub next: Vec<Term>,
    /// The initial states, over `state` and auxiliaries.
    pub initial: Term,
    /// The steps, over `state`, `next` and auxiliaries.
    pub transition: Term,
    /// The bad states, over `state` and auxiliaries.
    pub bad: Term,
}

/// The witness against a transition system: states from an initial to a bad one, each step a transition.
pub type Path = Vec<Vec<Value>>;

/// The witness against a transition system: a path, all of whose states may be listed or not.
#[derive(Clone, Debug, PartialEq)]
pub enum Trail {
    /// All states.
    States(Path),
    /// The states as facts, each from the one before, with repetitions.
    Rounds(Derivation<()>),
}

impl Trail {
    /// All states, however many these are.
    pub fn into_states(self, store: &Store) -> Path {
        let rounds = match self {
            Trail::States(states) => return states,
            Trail::Rounds(rounds) => rounds,
        };
        let mut states = Vec::new();
        let done: Result<(), std::convert::Infallible> = rounds.visit_steps(store, |step| {
            states.push(step.values.to_vec());
            Ok(())
        });
        match done {
            Ok(()) => states,
        }
    }
}

impl From<Path> for Trail {
    fn from(path: Path) -> Trail {
        Trail::States(path)
    }
}

impl TransitionSystem {
    /// The transition system that a graph of shape [`Shape::TransitionSystem`] is, with its vertex; parallel
    /// edges become disjunctions. `None` for other shapes, or if an edge leads from true to false.
    pub fn of(store: &mut Store, graph: &mut Graph) -> Option<(VertexId, TransitionSystem)> {
        if Shape::of(graph) != Shape::TransitionSystem {
            return None;
        }
        let vertex = graph.vertices().next()?;
        if graph.edges().any(|(_, e)| e.sources.is_empty() && e.target == VertexId::FALSE) {
            return None;
        }
        let state = graph.vertex(vertex).state().to_vec();
        let next = graph.vertex(vertex).target().to_vec();
        let (mut initial, mut transition, mut bad) = (Vec::new(), Vec::new(), Vec::new());
        let edges: Vec<Edge> = graph.edges().map(|(_, e)| e.clone()).collect();
        for edge in edges {
            match (edge.sources.is_empty(), edge.target == VertexId::FALSE) {
                (true, _) => initial.push(graph.instantiate(store, &edge, &[], &state)),
                (false, true) => bad.push(edge.label),
                (false, false) => transition.push(edge.label),
            }
        }
        let initial = store.or(&initial);
        let transition = store.or(&transition);
        let bad = store.or(&bad);
        Some((vertex, TransitionSystem { state, next, initial, transition, bad }))
    }

    /// The system that goes backwards: from bad states to initial ones. Paths from an initial to a bad state are the
    /// same, read from the end.
    pub fn reversed(&self, store: &mut Store) -> TransitionSystem {
        let from = [&self.state[..], &self.next[..]].concat();
        let to = [&self.next[..], &self.state[..]].concat();
        TransitionSystem {
            state: self.state.clone(),
            next: self.next.clone(),
            initial: self.bad,
            transition: store.rename(self.transition, &from, &to),
            bad: self.initial,
        }
    }

    /// The system without the steps and bad states outside of a formula over the state. If the formula is an inductive
    /// invariant, the paths are the same.
    pub fn strengthened(&self, store: &mut Store, invariant: Term) -> TransitionSystem {
        let after = store.rename(invariant, &self.state, &self.next);
        TransitionSystem {
            transition: store.and(&[self.transition, invariant, after]),
            bad: store.and2(self.bad, invariant),
            ..self.clone()
        }
    }
}
