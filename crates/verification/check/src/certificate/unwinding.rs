//! A closed unwinding, by lazy abstraction.
//!
//! **Claim.** A node is a set of states of a vertex. From the states of a node that is expanded every edge leads into a
//! node, or cannot be taken, and the edges to falsehood are among the latter; facts lead into nodes, too. A node that is
//! covered lies in the union of nodes that are expanded.
//!
//! **Why that suffices.** By induction over derivations every fact is in an expanded node, and from there falsehood is not
//! derived.
//!
//! The check goes node by node and edge by edge; the check of a model, with the unions in one query for each clause, may
//! be much harder.

use std::collections::{BTreeMap, BTreeSet};

use shem_base::Budget;
use shem_chc::{EdgeId, Graph, VertexId};
use shem_term::{Store, Term};

use super::check_variables;
use super::error::CertificateError;
use super::refuter::Refuter;

/// The nodes from which an edge leads are checked in so many parts, at most: a part begins with a solver of its own.
const PARTS_OF_EDGE: usize = 8;

/// Which edges lead into which nodes; those that are not here cannot be taken.
pub type EdgeTargets = BTreeMap<EdgeId, usize>;

/// A node of the unwinding: a set of states of a vertex.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnwindingNode {
    /// The vertex.
    pub vertex: VertexId,
    /// The states, over those of the vertex.
    pub label: Term,
    /// Whether it is covered.
    pub status: NodeStatus,
}

/// Whether a node is covered or expanded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeStatus {
    /// It lies in the union of these nodes.
    Covered(Vec<usize>),
    /// Edges lead from it into these nodes.
    Expanded(EdgeTargets),
}

/// A closed unwinding of a linear graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unwinding {
    /// Where the edges without a source lead.
    pub facts: EdgeTargets,
    /// The nodes.
    pub nodes: Vec<UnwindingNode>,
}

pub(super) fn parts(graph: &Graph) -> usize {
    1 + graph.edge_count() * PARTS_OF_EDGE
}

impl Unwinding {
    /// The first part are the nodes by themselves, then come the edges.
    pub(super) fn check_part(
        &self,
        part: usize,
        store: &mut Store,
        graph: &Graph,
        budget: &mut Budget,
    ) -> Result<(), CertificateError> {
        let Some(part) = part.checked_sub(1) else { return self.check_nodes(store, graph, budget) };
        let edge = graph.edges().nth(part / PARTS_OF_EDGE);
        let (id, _) = edge.ok_or(CertificateError::wrong("there is no such part"))?;
        self.check_edge(store, graph, id, part % PARTS_OF_EDGE, budget)
    }

    fn node(&self, at: usize, vertex: VertexId) -> Result<&UnwindingNode, CertificateError> {
        let node = self.nodes.get(at).filter(|node| node.vertex == vertex);
        node.ok_or(CertificateError::wrong("a node is of another vertex"))
    }

    /// What is to be shown of an edge: from which sets of states it leads into which, each pair once.
    fn steps_of(&self, graph: &Graph, id: EdgeId) -> Result<Vec<(Term, Term)>, CertificateError> {
        let edge = graph.edge(id);
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
        let mut known: BTreeSet<(Term, Term)> = BTreeSet::new();
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
        graph: &Graph,
        id: EdgeId,
        part: usize,
        budget: &mut Budget,
    ) -> Result<(), CertificateError> {
        let edge = graph.edge(id);
        let target = graph.vertex(edge.target);
        let steps = self.steps_of(graph, id)?;
        let size = steps.len().div_ceil(PARTS_OF_EDGE).max(1);
        let Some(steps) = steps.chunks(size).nth(part) else { return Ok(()) };
        let mut refuter = Refuter::new();
        refuter.assert(store, edge.label);
        for &(from, to) in steps {
            let outside = store.rename(!to, target.state(), target.target());
            refuter.push();
            refuter.assert(store, from);
            refuter.assert(store, outside);
            refuter.expect_refuted(store, &[], "an edge leads out of the unwinding", budget)?;
            refuter.pop();
        }
        Ok(())
    }

    /// Nodes are sets of states, and those that are covered lie in unions of others.
    fn check_nodes(
        &self,
        store: &mut Store,
        graph: &Graph,
        budget: &mut Budget,
    ) -> Result<(), CertificateError> {
        let vertices: BTreeSet<VertexId> = graph.vertices().collect();
        for node in &self.nodes {
            let other = "a node is no set of states";
            if !vertices.contains(&node.vertex) {
                return Err(CertificateError::wrong(other));
            }
            check_variables(store, &[node.label], &[graph.vertex(node.vertex).state()], other)?;
        }
        vertices.into_iter().try_for_each(|vertex| self.check_vertex(store, vertex, budget))
    }

    /// The covered nodes of a vertex lie in unions of expanded ones.
    fn check_vertex(
        &self,
        store: &mut Store,
        vertex: VertexId,
        budget: &mut Budget,
    ) -> Result<(), CertificateError> {
        let mut refuter = Refuter::new();
        for node in self.nodes.iter().filter(|node| node.vertex == vertex) {
            let NodeStatus::Covered(by) = &node.status else { continue };
            refuter.push();
            refuter.assert(store, node.label);
            for &at in by {
                let other = self.node(at, vertex)?;
                if !matches!(other.status, NodeStatus::Expanded(_)) {
                    return Err(CertificateError::wrong("a node is covered by a covered one"));
                }
                refuter.assert(store, !other.label);
            }
            refuter.expect_refuted(store, &[], "a node is not covered", budget)?;
            refuter.pop();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use shem_base::StopToken;
    use shem_chc::{Script, normalise};

    use super::*;
    use crate::certificate::Certificate;

    /// `x` goes from 0 to 1 and back; bad is 2 and above. Nodes are intervals.
    fn unwinding(
        nodes: &[(i64, i64)],
        statuses: &[NodeStatus],
        facts: Option<usize>,
    ) -> (Store, Graph, Unwinding) {
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
        (store, graph, Unwinding { facts, nodes: made })
    }

    /// Expanded, with the loop leading to this node.
    fn expanded(to: Option<usize>) -> NodeStatus {
        let (_, example, _) = unwinding(&[], &[], None);
        let looping = example.edges().find(|(_, edge)| edge.is_loop()).expect("a loop").0;
        NodeStatus::Expanded(to.map(|at| (looping, at)).into_iter().collect())
    }

    #[track_caller]
    fn check(
        nodes: &[(i64, i64)],
        statuses: &[NodeStatus],
        facts: Option<usize>,
        expected: Result<(), &'static str>,
    ) {
        let (mut store, graph, unwinding) = unwinding(nodes, statuses, facts);
        let found = Certificate::Unwinding(unwinding).check(&mut store, &graph, &mut Budget::unlimited());
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
