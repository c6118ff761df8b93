//! The search: expand, refine, cover.

use shem_base::{Budget, TieBreak, UnknownReason};
use shem_chc::{Derivation, EdgeId, Graph, Interpretation, VertexId};
use shem_check::certificate::{EdgeTargets, NodeStatus, Unwinding, UnwindingNode};
use shem_smt::Solver;
use shem_term::{Store, Term, Value};

use super::edges::Edges;
use super::implication::Implications;
use super::label::{LabelId, Labels};
use super::path::{Feasibility, PathSolver};
use super::settings::Settings;
use super::tree::{NodeId, Tree};
use crate::context::{Context, Progress};
use crate::counters::counters;

counters! {
    /// What was done.
    pub(super) struct Counters {
        /// The greatest distance from the root.
        depth: "depth",
        /// Nodes that were expanded.
        expanded: "nodes.expanded",
        /// Edges that a label excludes.
        dead_edges: "dead-edges",
        /// Nodes that another one covers.
        covers: "covers",
        /// Nodes that several others cover together.
        joint_covers: "covers.joint",
        /// Leaves that took over the label of another node.
        adoptions: "covers.adopted",
        /// Coverings by strengthening the labels on the way.
        forced_covers: "covers.forced",
        /// Attempts at that which failed.
        forced_failures: "covers.forced-failed",
        /// Coverings that a stronger label has ended.
        uncovers: "covers.lost",
        /// Paths that were refuted.
        refinements: "refinements",
        /// Those of them that were refuted from a label on.
        local_refinements: "refinements.local",
        /// Interpolants, other than truth, that strengthened labels.
        interpolants: "interpolants",
        /// Conjuncts that were added to labels.
        conjuncts: "conjuncts",
        /// Labels that said something and were asserted along paths from the root.
        path_labels: "path-labels",
    }
}

/// How a search ends.
pub(super) enum End {
    Safe(Interpretation, Box<Unwinding>),
    Unsafe(Derivation<EdgeId>),
}

/// The state of a run of lazy abstraction.
pub(super) struct LawiSearch<'a> {
    pub(super) graph: &'a Graph,
    pub(super) settings: &'a Settings,
    pub(super) edges: Edges,
    pub(super) labels: Labels,
    pub(super) tree: Tree,
    pub(super) path: PathSolver,
    /// For suffixes of paths, which begin with the label of a node.
    pub(super) suffix: PathSolver,
    /// By vertex and by edge.
    pub(super) at_vertex: Vec<Implications>,
    pub(super) by_edge: Vec<Implications>,
    pub(super) counters: Counters,
}

impl<'a> LawiSearch<'a> {
    pub(super) fn new(
        store: &mut Store,
        graph: &'a Graph,
        settings: &'a Settings,
        context: &mut Context<'_>,
    ) -> LawiSearch<'a> {
        let edges = Edges::new(store, graph, TieBreak::new(context.seed));
        let mut solver = || {
            let mut solver = Solver::new(Default::default());
            context.set_up(&mut solver);
            solver
        };
        let path = PathSolver::new(solver());
        let suffix = PathSolver::new(solver());
        let mut at_vertex = Vec::with_capacity(graph.vertex_bound());
        for index in 0..graph.vertex_bound() {
            let state = graph.vertex(VertexId::new(index)).state();
            at_vertex.push(Implications::of_state(store, state, solver()));
        }
        let mut by_edge = Vec::with_capacity(edges.all.len());
        for edge in &edges.all {
            let target = graph.vertex(edge.target);
            by_edge.push(Implications::of_edge(store, edge.label, target.state(), target.target(), solver()));
        }
        LawiSearch {
            graph,
            settings,
            edges,
            labels: Labels::new(),
            tree: Tree::default(),
            path,
            suffix,
            at_vertex,
            by_edge,
            counters: Counters::default(),
        }
    }

    pub(super) fn run(&mut self, store: &mut Store, context: &mut Context<'_>) -> Result<End, UnknownReason> {
        if let Some(derivation) = self.expand(store, None, &mut context.budget)? {
            return Ok(End::Unsafe(derivation));
        }
        while let Some(node) = self.next() {
            context.budget.check_stop()?;
            debug_assert!(self.tree.check_invariants());
            let depth = self.tree.node(node).depth as u64;
            if depth > self.counters.depth {
                self.counters.depth = depth;
                context.events.progress(Progress { depth, lemmas: self.counters.conjuncts });
            }
            if self.close(store, node, &mut context.budget)? {
                continue;
            }
            if self.cover_leaf(store, node, &mut context.budget)? {
                continue;
            }
            if let Some(derivation) = self.expand(store, Some(node), &mut context.budget)? {
                return Ok(End::Unsafe(derivation));
            }
        }
        let unwinding = Box::new(self.unwinding(store));
        Ok(End::Safe(self.interpretation(store), unwinding))
    }

    /// The leaf to look at next: the oldest, so that shortest paths are found first.
    fn next(&self) -> Option<NodeId> {
        self.tree.open().first().copied()
    }

    /// Looks for coverings of the nodes on the path to this one whose labels have changed, from the root on.
    /// Returns whether the node is blocked then.
    fn close(&mut self, store: &mut Store, node: NodeId, budget: &mut Budget) -> Result<bool, UnknownReason> {
        for at in self.tree.path(node) {
            if self.tree.node(at).is_changed {
                self.tree.node_mut(at).is_changed = false;
                if self.cover(store, at, budget)? {
                    break;
                }
            }
        }
        Ok(self.tree.is_blocked(node))
    }

    /// Expands a node that is not blocked, or the root: looks whether falsehood is reached from it, and adds its
    /// children. Refinement may cover it instead.
    fn expand(
        &mut self,
        store: &mut Store,
        node: Option<NodeId>,
        budget: &mut Budget,
    ) -> Result<Option<Derivation<EdgeId>>, UnknownReason> {
        let vertex = node.map(|node| self.tree.node(node).vertex);
        let outgoing = self.edges.from(vertex).to_vec();
        for &edge in &outgoing {
            let label = node.map_or(LabelId::TRUE, |node| self.tree.node(node).label);
            if self.by_edge[edge].implies(store, &self.labels, label, Term::FALSE, budget)? {
                self.counters.dead_edges += 1;
                continue;
            }
            let target = self.edges.all[edge].target;
            if target != VertexId::FALSE {
                self.tree.add(target, node, edge);
                continue;
            }
            if let Some(derivation) = self.refine(store, node, edge, budget)? {
                return Ok(Some(derivation));
            }
            let node = node.expect("an edge from true to false that is not dead can be taken");
            if self.close(store, node, budget)? {
                return Ok(None);
            }
        }
        self.counters.expanded += 1;
        if let Some(node) = node {
            self.tree.set_expanded(node);
        }
        Ok(None)
    }

    /// Looks whether the path to a node and this edge to false can be taken; if not, strengthens the labels on
    /// the path so that the edge is dead.
    fn refine(
        &mut self,
        store: &mut Store,
        node: Option<NodeId>,
        edge: usize,
        budget: &mut Budget,
    ) -> Result<Option<Derivation<EdgeId>>, UnknownReason> {
        let nodes = node.map_or(Vec::new(), |node| self.tree.path(node));
        if self.refine_locally(store, &nodes, edge, budget)? {
            return Ok(None);
        }
        let path: Vec<usize> = nodes.iter().map(|&n| self.tree.node(n).edge).collect();
        self.path.set_path(store, self.graph, &self.edges.all, &path);
        if self.settings.path_labels {
            for (at, &node) in nodes.iter().enumerate() {
                let label = self.tree.node(node).label;
                self.counters.path_labels += u64::from(label != LabelId::TRUE);
                self.path.assert_label(store, self.graph, at, &self.labels, label);
            }
        }
        let options = &self.settings.interpolation;
        match self.path.ask_edge(store, self.graph, &self.edges.all[edge], options, budget)? {
            Feasibility::Feasible(values) => Ok(Some(self.derivation(&path, edge, values))),
            Feasibility::Refuted(interpolants) => {
                self.counters.refinements += 1;
                for (&node, interpolant) in nodes.iter().zip(interpolants) {
                    self.strengthen(store, node, interpolant, budget)?;
                }
                Ok(None)
            }
        }
    }

    /// Looks for a suffix of the path that cannot be taken from the label where it begins, short ones first, and
    /// strengthens the labels on it. Returns whether there is one.
    fn refine_locally(
        &mut self,
        store: &mut Store,
        nodes: &[NodeId],
        edge: usize,
        budget: &mut Budget,
    ) -> Result<bool, UnknownReason> {
        let mut length = 1;
        while length <= self.settings.local_refinement && length < nodes.len() {
            let end = &nodes[nodes.len() - 1 - length..];
            self.set_suffix(store, end);
            let options = &self.settings.interpolation;
            let asked = self.suffix.ask_edge(store, self.graph, &self.edges.all[edge], options, budget)?;
            if let Feasibility::Refuted(interpolants) = asked {
                self.counters.refinements += 1;
                self.counters.local_refinements += 1;
                self.strengthen_suffix(store, end, &interpolants, budget)?;
                return Ok(true);
            }
            length *= 2;
        }
        Ok(false)
    }

    /// Loads the path through these nodes, which begins with the label of the first, into the second solver.
    pub(super) fn set_suffix(&mut self, store: &mut Store, nodes: &[NodeId]) {
        self.suffix.start_at(store, self.graph, self.tree.node(nodes[0]).vertex);
        for (at, &node) in nodes.iter().enumerate() {
            if at > 0 {
                let edge = self.tree.node(node).edge;
                self.suffix.push_step(store, self.graph, edge, &self.edges.all[edge]);
            }
            let label = self.tree.node(node).label;
            self.suffix.assert_label(store, self.graph, at, &self.labels, label);
        }
    }

    /// Strengthens labels by the interpolants of a path that begins with a label; the first of them follows
    /// from that label.
    pub(super) fn strengthen_suffix(
        &mut self,
        store: &mut Store,
        nodes: &[NodeId],
        interpolants: &[Term],
        budget: &mut Budget,
    ) -> Result<(), UnknownReason> {
        for (&node, &interpolant) in nodes.iter().zip(interpolants).skip(1) {
            self.strengthen(store, node, interpolant, budget)?;
        }
        Ok(())
    }

    /// Adds a formula to the label of a node, which has to follow from the label of its parent.
    pub(super) fn strengthen(
        &mut self,
        store: &mut Store,
        node: NodeId,
        formula: Term,
        budget: &mut Budget,
    ) -> Result<(), UnknownReason> {
        if formula == Term::TRUE {
            return Ok(());
        }
        self.counters.interpolants += 1;
        let vertex = self.tree.node(node).vertex.index();
        let before = self.tree.node(node).label;
        let mut set = self.labels.conjuncts(before).to_vec();
        for conjunct in store.conjuncts(formula) {
            if !self.at_vertex[vertex].implies(store, &self.labels, before, conjunct, budget)? {
                set.push(conjunct);
            }
        }
        let mut label = self.labels.of(&set);
        if label == before {
            return Ok(());
        }
        if self.at_vertex[vertex].implies(store, &self.labels, label, Term::FALSE, budget)? {
            label = LabelId::FALSE;
        }
        self.counters.conjuncts += (self.labels.conjuncts(label).len() as u64)
            .saturating_sub(self.labels.conjuncts(before).len() as u64);
        self.tree.node_mut(node).label = label;
        self.tree.node_mut(node).is_changed = true;
        for covered in self.tree.covers(node) {
            if !self.still_covers(store, covered, budget)? {
                self.counters.uncovers += 1;
                self.tree.uncover(covered);
            }
        }
        Ok(())
    }

    fn derivation(&self, path: &[usize], last: usize, values: Vec<Vec<Value>>) -> Derivation<EdgeId> {
        let mut derivation = Derivation::new();
        let mut premise = None;
        let steps = path.iter().zip(values).map(|(&edge, values)| (edge, values));
        for (edge, values) in steps.chain([(last, Vec::new())]) {
            premise = Some(derivation.push(self.edges.all[edge].id, premise.as_slice(), values));
        }
        derivation
    }

    /// The certificate: the nodes that are not below covered ones.
    fn unwinding(&self, store: &mut Store) -> Unwinding {
        let nodes: Vec<NodeId> =
            self.tree.nodes().filter(|&node| self.tree.has_no_covered_ancestor(node)).collect();
        let number = |node: NodeId| {
            nodes.binary_search(&node).expect("covering nodes and parents have no covered ancestor")
        };
        let mut facts = EdgeTargets::new();
        let mut unwinding_nodes: Vec<UnwindingNode> = Vec::with_capacity(nodes.len());
        for (at, &id) in nodes.iter().enumerate() {
            let node = self.tree.node(id);
            let status = match self.tree.covered_by(id) {
                Some(by) => NodeStatus::Covered(by.iter().map(|&other| number(other)).collect()),
                None => NodeStatus::Expanded(EdgeTargets::new()),
            };
            unwinding_nodes.push(UnwindingNode {
                vertex: node.vertex,
                label: self.labels.formula(store, node.label),
                status,
            });
            // Parents are older.
            let targets = match node.parent.map(number).map(|parent| &mut unwinding_nodes[parent].status) {
                None => &mut facts,
                Some(NodeStatus::Expanded(targets)) => targets,
                Some(NodeStatus::Covered(_)) => unreachable!("a parent of these nodes is not covered"),
            };
            targets.insert(self.edges.all[node.edge].id, at);
        }
        Unwinding { facts, nodes: unwinding_nodes }
    }

    /// For each vertex the disjunction of the labels of its nodes that are not blocked. It holds of what
    /// facts and edges from the sources lead to: the target of such an edge is a node whose label follows, or is
    /// covered by such nodes, unless the edge is dead.
    fn interpretation(&self, store: &mut Store) -> Interpretation {
        let mut interpretation = Interpretation::new();
        for vertex in self.graph.vertices() {
            let mut disjuncts = Vec::new();
            for &node in self.tree.nodes_of(vertex) {
                if !self.tree.is_blocked(node) {
                    disjuncts.push(self.labels.formula(store, self.tree.node(node).label));
                }
            }
            disjuncts.sort_unstable();
            disjuncts.dedup();
            let formula = store.or(&disjuncts);
            interpretation.insert(vertex, formula);
        }
        interpretation
    }
}
