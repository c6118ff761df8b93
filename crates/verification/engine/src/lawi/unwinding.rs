//! A closed unwinding: the certificate of lazy abstraction.
//!
//! A node is a set of states of a vertex. From the states of a node that is expanded every edge leads into a node, or
//! cannot be taken, and the edges to falsehood are among the latter; facts lead into nodes, too. A node that is covered
//! lies in the union of nodes that are expanded. So the unions of the expanded nodes contain all that can be derived.
//! The check goes node by node and edge by edge; the check of a model, with the unions in one query for each clause,
//! may be much harder.

use std::collections::BTreeMap;

use hashbrown::HashSet;
use rustc_hash::FxBuildHasher;
use shem_base::Budget;
use shem_chc::{EdgeId, Graph, VertexId};
use shem_term::{Store, Term};

use crate::induction::{expect_unsat, refuter};
use crate::reason::CertificateError;
use crate::verdict::Certificate;

/// The nodes from which an edge leads are checked in so many parts, at most: a part begins with a solver of its own.
const PARTS_OF_EDGE: usize = 8;

/// Which edges lead into which nodes; those that are not here cannot be taken.
pub(super) type EdgeTargets = BTreeMap<EdgeId, usize>;

/// A node of the unwinding: a set of states of a vertex.
#[derive(Clone, Debug)]
pub(super) struct UnwindingNode {
    pub(super) vertex: VertexId,
    /// Over the state of the vertex.
    pub(super) label: Term,
    pub(super) status: NodeStatus,
}

/// Whether a node is covered or expanded.
#[derive(Clone, Debug)]
pub(super) enum NodeStatus {
    /// They lie in the union of these nodes.
    Covered(Vec<usize>),
    /// Edges lead from them into these nodes.
    Expanded(EdgeTargets),
}

/// A closed unwinding of a linear graph.
#[derive(Clone, Debug)]
pub(super) struct Unwinding {
    pub(super) graph: Graph,
    /// The edges without a source.
    pub(super) facts: EdgeTargets,
    pub(super) nodes: Vec<UnwindingNode>,
}

impl Unwinding {
    fn node(&self, at: usize, vertex: VertexId) -> Result<&UnwindingNode, CertificateError> {
        let node = self.nodes.get(at).filter(|node| node.vertex == vertex);
        node.ok_or(CertificateError::wrong("a node is of another vertex"))
    }

    /// What is to be shown of an edge: from which sets of states it leads into which, each pair once.
    fn steps_of(&self, id: EdgeId) -> Result<Vec<(Term, Term)>, CertificateError> {
        let edge = self.graph.edge(id);
        let mut origins = Vec::new();
        match *edge.sources {
            [] => origins.push((Term::TRUE, &self.facts)),
            [source] => {
                origins.extend(self.nodes.iter().filter(|node| node.vertex == source).filter_map(|node| {
                    match &node.status {
                        NodeStatus::Expanded(targets) => Some((node.label, targets)),
                        NodeStatus::Covered(_) => None,
                    }
                }))
            }
            _ => return Err(CertificateError::wrong("the graph is not linear")),
        }
        let mut known: HashSet<(Term, Term), FxBuildHasher> = HashSet::default();
        let mut steps = Vec::with_capacity(origins.len());
        for (from, targets) in origins {
            let to = match targets.get(&id) {
                None => Term::FALSE,
                Some(&at) => self.node(at, edge.target)?.label,
            };
            if known.insert((from, to)) {
                steps.push((from, to));
            }
        }
        Ok(steps)
    }

    /// Every edge from an expanded node leads into a node, or cannot be taken: this part of the nodes.
    fn check_edge(
        &self,
        store: &mut Store,
        id: EdgeId,
        part: usize,
        budget: &mut Budget,
    ) -> Result<(), CertificateError> {
        let edge = self.graph.edge(id);
        let target = self.graph.vertex(edge.target);
        let steps = self.steps_of(id)?;
        let size = steps.len().div_ceil(PARTS_OF_EDGE).max(1);
        let Some(steps) = steps.chunks(size).nth(part) else { return Ok(()) };
        let mut solver = refuter();
        solver.assert(store, edge.label);
        for &(from, to) in steps {
            let outside = store.rename(!to, target.state(), target.target());
            solver.push();
            solver.assert(store, from);
            solver.assert(store, outside);
            expect_unsat(&solver.check(store, budget), "an edge leads out of the unwinding")?;
            solver.pop();
        }
        Ok(())
    }

    /// Nodes are sets of states, and those that are covered lie in unions of others.
    fn check_nodes(&self, store: &mut Store, budget: &mut Budget) -> Result<(), CertificateError> {
        for node in &self.nodes {
            let state = self.graph.vertex(node.vertex).state();
            if node.vertex == VertexId::FALSE
                || store.free_variables(&[node.label]).iter().any(|variable| !state.contains(variable))
            {
                return Err(CertificateError::wrong("a node is no set of states"));
            }
        }
        self.graph.vertices().try_for_each(|vertex| self.check_vertex(store, vertex, budget))
    }

    /// The covered nodes of a vertex lie in unions of expanded ones.
    fn check_vertex(
        &self,
        store: &mut Store,
        vertex: VertexId,
        budget: &mut Budget,
    ) -> Result<(), CertificateError> {
        let mut solver = refuter();
        for node in self.nodes.iter().filter(|node| node.vertex == vertex) {
            let NodeStatus::Covered(by) = &node.status else { continue };
            solver.push();
            solver.assert(store, node.label);
            for &at in by {
                let other = self.node(at, vertex)?;
                if !matches!(other.status, NodeStatus::Expanded(_)) {
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
    fn parts(&self) -> usize {
        1 + self.graph.edges().count() * PARTS_OF_EDGE
    }

    /// The first part are the nodes by themselves, then come the edges.
    fn check_part(
        &self,
        part: usize,
        store: &mut Store,
        budget: &mut Budget,
    ) -> Result<(), CertificateError> {
        let Some(part) = part.checked_sub(1) else { return self.check_nodes(store, budget) };
        let edge = self.graph.edges().nth(part / PARTS_OF_EDGE);
        let (id, _) = edge.ok_or(CertificateError::wrong("there is no such part"))?;
        self.check_edge(store, id, part % PARTS_OF_EDGE, budget)
    }
}

#[cfg(test)]
mod tests {
    use shem_base::StopToken;
    use shem_chc::{Script, normalise};

    use super::*;

    /// `x` goes from 0 to 1 and back; bad is 2 and above. Nodes are intervals.
    fn unwinding(nodes: &[(i64, i64)], statuses: &[NodeStatus], facts: Option<usize>) -> (Store, Unwinding) {
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
        for (&(low, high), status) in nodes.iter().zip(statuses) {
            let (low, high) = (store.int(low), store.int(high));
            let bounds = [store.ge(x, low), store.le(x, high)];
            made.push(UnwindingNode { vertex, label: store.and(&bounds), status: status.clone() });
        }
        (store, Unwinding { graph, facts, nodes: made })
    }

    /// Expanded, with the loop leading to this node.
    fn expanded(to: Option<usize>) -> NodeStatus {
        let (_, example) = unwinding(&[], &[], None);
        let looping = example.graph.edges().find(|(_, edge)| edge.is_loop()).expect("a loop").0;
        NodeStatus::Expanded(to.map(|at| (looping, at)).into_iter().collect())
    }

    #[track_caller]
    fn check(
        nodes: &[(i64, i64)],
        statuses: &[NodeStatus],
        facts: Option<usize>,
        expected: Result<(), &'static str>,
    ) {
        let (mut store, unwinding) = unwinding(nodes, statuses, facts);
        let found = unwinding.check(&mut store, &mut Budget::unlimited());
        assert_eq!(found, expected.map_err(CertificateError::wrong));
    }

    #[test]
    fn unwindings() {
        let covered = |by: &[usize]| NodeStatus::Covered(by.to_vec());
        let out = Err("an edge leads out of the unwinding");
        let chain = [expanded(Some(1)), expanded(Some(2)), covered(&[0])];
        check(&[(0, 0), (1, 1), (0, 0)], &chain, Some(0), Ok(()));
        check(&[(0, 1)], &[expanded(Some(0))], Some(0), Ok(()));
        // Two nodes cover one together.
        let halves = [expanded(Some(1)), expanded(Some(0)), covered(&[0, 1])];
        check(&[(0, 0), (1, 1), (0, 1)], &halves, Some(2), Ok(()));
        check(&[(0, 0), (1, 1), (0, 2)], &halves, Some(2), Err("a node is not covered"));
        // Facts, steps and bad states.
        check(&[(0, 1)], &[expanded(Some(0))], None, out);
        check(&[(1, 1), (0, 0)], &[expanded(Some(1)), expanded(Some(0))], Some(0), out);
        check(&[(0, 0), (1, 1)], &[expanded(Some(1)), expanded(None)], Some(0), out);
        check(&[(-1, 2)], &[expanded(Some(0))], Some(0), out);
        // Malformed unwindings.
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
