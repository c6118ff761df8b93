//! A closed unwinding: the certificate of lazy abstraction.
//!
//! A node is a set of states of a vertex. From the states of a node that is expanded every edge leads into a node, or
//! cannot be taken, and the edges to falsehood are among the latter; facts lead into nodes, too. A node that is covered
//! lies in the union of nodes that are expanded. So the unions of the expanded nodes contain all that can be derived.
//! This is looked at node by node and edge by edge: that the unions are closed, which is what a model has to show in
//! one query for each clause, may be much harder to see.

use std::collections::BTreeMap;

use hashbrown::HashSet;
use rustc_hash::FxBuildHasher;
use shem_base::Budget;
use shem_chc::{EdgeId, Graph, VertexId};
use shem_proof::NoProof;
use shem_smt::Solver;
use shem_term::{Store, Term};

use crate::induction::expect_unsat;
use crate::reason::CertificateError;
use crate::verdict::Certificate;

/// Which edges lead into which nodes; those that are not here cannot be taken.
pub(super) type Ways = BTreeMap<EdgeId, usize>;

/// A set of states.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) vertex: VertexId,
    /// Over the state of the vertex.
    pub(super) label: Term,
    pub(super) fate: Fate,
}

/// What becomes of the states of a node.
#[derive(Clone, Debug)]
pub(super) enum Fate {
    /// They lie in the union of these nodes.
    Covered(Vec<usize>),
    /// Edges lead on.
    Expanded(Ways),
}

/// A closed unwinding of a linear graph.
#[derive(Clone, Debug)]
pub(super) struct Unwinding {
    pub(super) graph: Graph,
    /// The edges without a source.
    pub(super) facts: Ways,
    pub(super) places: Vec<Place>,
}

impl Unwinding {
    fn place(&self, at: usize, vertex: VertexId) -> Result<&Place, CertificateError> {
        let place = self.places.get(at).filter(|place| place.vertex == vertex);
        place.ok_or(CertificateError::wrong("a node is of another vertex"))
    }

    /// Every edge from an expanded node leads into a node, or cannot be taken.
    fn check_edge(&self, store: &mut Store, id: EdgeId, budget: &mut Budget) -> Result<(), CertificateError> {
        let edge = self.graph.edge(id);
        let mut origins = Vec::new();
        match *edge.sources {
            [] => origins.push((Term::TRUE, &self.facts)),
            [source] => origins.extend(self.places.iter().filter(|place| place.vertex == source).filter_map(
                |place| match &place.fate {
                    Fate::Expanded(ways) => Some((place.label, ways)),
                    Fate::Covered(_) => None,
                },
            )),
            _ => return Err(CertificateError::wrong("the graph is not linear")),
        }
        let target = self.graph.vertex(edge.target);
        let mut solver = Solver::with_proof(Default::default(), NoProof);
        solver.assert(store, edge.label);
        let mut known: HashSet<(Term, Term), FxBuildHasher> = HashSet::default();
        for (from, ways) in origins {
            let to = match ways.get(&id) {
                None => Term::FALSE,
                Some(&at) => self.place(at, edge.target)?.label,
            };
            if !known.insert((from, to)) {
                continue;
            }
            let outside = store.rename(!to, target.state(), target.target());
            solver.push();
            solver.assert(store, from);
            solver.assert(store, outside);
            expect_unsat(&solver.check(store, budget), "an edge leads out of the unwinding")?;
            solver.pop();
        }
        Ok(())
    }

    /// The covered nodes of a vertex lie in unions of expanded ones.
    fn check_vertex(
        &self,
        store: &mut Store,
        vertex: VertexId,
        budget: &mut Budget,
    ) -> Result<(), CertificateError> {
        let mut solver = Solver::with_proof(Default::default(), NoProof);
        for place in self.places.iter().filter(|place| place.vertex == vertex) {
            let Fate::Covered(by) = &place.fate else { continue };
            solver.push();
            solver.assert(store, place.label);
            for &at in by {
                let other = self.place(at, vertex)?;
                if !matches!(other.fate, Fate::Expanded(_)) {
                    return Err(CertificateError::wrong("a node is covered by a covered one"));
                }
                solver.assert(store, !other.label);
            }
            expect_unsat(&solver.check(store, budget), "a node is not covered")?;
            solver.pop();
        }
        Ok(())
    }
}

impl Certificate for Unwinding {
    fn check(&self, store: &mut Store, budget: &mut Budget) -> Result<(), CertificateError> {
        for place in &self.places {
            let state = self.graph.vertex(place.vertex).state();
            if place.vertex == VertexId::FALSE
                || store.free_variables(&[place.label]).iter().any(|variable| !state.contains(variable))
            {
                return Err(CertificateError::wrong("a node is no set of states"));
            }
        }
        for (id, _) in self.graph.edges() {
            self.check_edge(store, id, budget)?;
        }
        self.graph.vertices().try_for_each(|vertex| self.check_vertex(store, vertex, budget))
    }
}

#[cfg(test)]
mod tests {
    use shem_base::StopToken;
    use shem_chc::{Script, normalise};

    use super::*;

    /// `x` goes from 0 to 1 and back; bad is 2 and above. Nodes are intervals.
    fn unwinding(places: &[(i64, i64)], fates: &[Fate], facts: Option<usize>) -> (Store, Unwinding) {
        let mut store = Store::new();
        let text = "(declare-fun p (Int) Bool)
            (assert (forall ((x Int)) (=> (= x 0) (p x))))
            (assert (forall ((x Int)) (=> (p x) (p (- 1 x)))))
            (assert (forall ((x Int)) (=> (and (p x) (>= x 2)) false)))";
        let script = Script::read(&mut store, text, &StopToken::new()).expect("a script");
        let graph = normalise(&mut store, &script.system);
        let vertex = graph.vertices().next().expect("a vertex");
        let x = graph.vertex(vertex).state()[0];
        let fact = graph.edges().find(|(_, edge)| edge.sources.is_empty()).expect("a fact").0;
        let facts = facts.map(|at| (fact, at)).into_iter().collect();
        let mut made = Vec::new();
        for (&(low, high), fate) in places.iter().zip(fates) {
            let (low, high) = (store.int(low), store.int(high));
            let bounds = [store.ge(x, low), store.le(x, high)];
            made.push(Place { vertex, label: store.and(&bounds), fate: fate.clone() });
        }
        (store, Unwinding { graph, facts, places: made })
    }

    /// Expanded, with the loop leading to this node.
    fn expanded(to: Option<usize>) -> Fate {
        let (_, example) = unwinding(&[], &[], None);
        let looping = example.graph.edges().find(|(_, edge)| edge.is_loop()).expect("a loop").0;
        Fate::Expanded(to.map(|at| (looping, at)).into_iter().collect())
    }

    #[track_caller]
    fn check(
        places: &[(i64, i64)],
        fates: &[Fate],
        facts: Option<usize>,
        expected: Result<(), &'static str>,
    ) {
        let (mut store, unwinding) = unwinding(places, fates, facts);
        let found = unwinding.check(&mut store, &mut Budget::unlimited());
        assert_eq!(found, expected.map_err(CertificateError::wrong));
    }

    #[test]
    fn unwindings() {
        let covered = |by: &[usize]| Fate::Covered(by.to_vec());
        let out = Err("an edge leads out of the unwinding");
        let chain = [expanded(Some(1)), expanded(Some(2)), covered(&[0])];
        check(&[(0, 0), (1, 1), (0, 0)], &chain, Some(0), Ok(()));
        check(&[(0, 1)], &[expanded(Some(0))], Some(0), Ok(()));
        // Together.
        let halves = [expanded(Some(1)), expanded(Some(0)), covered(&[0, 1])];
        check(&[(0, 0), (1, 1), (0, 1)], &halves, Some(2), Ok(()));
        check(&[(0, 0), (1, 1), (0, 2)], &halves, Some(2), Err("a node is not covered"));
        // Facts, steps and bad states.
        check(&[(0, 1)], &[expanded(Some(0))], None, out);
        check(&[(1, 1), (0, 0)], &[expanded(Some(1)), expanded(Some(0))], Some(0), out);
        check(&[(0, 0), (1, 1)], &[expanded(Some(1)), expanded(None)], Some(0), out);
        check(&[(-1, 2)], &[expanded(Some(0))], Some(0), out);
        // Nonsense.
        check(&[(0, 1)], &[expanded(Some(7))], Some(0), Err("a node is of another vertex"));
        let circle = [covered(&[1]), covered(&[0])];
        check(&[(0, 0), (0, 0)], &circle, Some(0), Err("a node is covered by a covered one"));
        check(
            &[(0, 0), (1, 1), (0, 0)],
            &[expanded(Some(1)), expanded(Some(2)), covered(&[1])],
            Some(0),
            Err("a node is not covered"),
        );
    }
}
