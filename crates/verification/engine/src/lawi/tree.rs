//! The tree of abstract states, and which nodes are covered.
//!
//! A node stands for a path of the graph, the edges from the root to it; its label contains all states at the end
//! of that path. A node is *covered* if its label implies the disjunction of the labels of older nodes
//! of the same vertex; a node whose label is false is covered by none. What is below a covered node is *blocked*
//! with it: it is not expanded and covers nothing. A node is covered by older ones only, so coverings are acyclic.

use std::collections::{BTreeMap, BTreeSet};

use shem_base::dense_id;
use shem_chc::VertexId;

use super::label::LabelId;

dense_id! {
    /// A node of the tree.
    pub(super) struct NodeId("n");
}

/// A node of the tree, at a vertex of the graph.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) vertex: VertexId,
    /// The node before, or none for the target of a fact.
    pub(super) parent: Option<NodeId>,
    /// The index of the edge by which the node is reached.
    pub(super) edge: usize,
    /// The number of edges from the root, at least 1.
    pub(super) depth: usize,
    pub(super) label: LabelId,
    /// Whether the label has changed since coverings were looked for.
    pub(super) is_changed: bool,
    pub(super) is_expanded: bool,
    children: Vec<NodeId>,
    /// BLOCKED: how many of the node and its ancestors are covered.
    blocked: usize,
    /// The nodes that cover it, if it is covered.
    covered: Option<Vec<NodeId>>,
    /// The nodes that it is needed to cover.
    covers: BTreeSet<NodeId>,
}

/// The tree.
#[derive(Debug, Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    by_vertex: BTreeMap<VertexId, Vec<NodeId>>,
    /// OPEN: the nodes that are neither expanded nor blocked.
    open: BTreeSet<NodeId>,
}

impl Tree {
    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    pub(super) fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.index()]
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn add(&mut self, vertex: VertexId, parent: Option<NodeId>, edge: usize) -> NodeId {
        let id = NodeId::new(self.nodes.len());
        let (depth, blocked) = match parent {
            None => (1, 0),
            Some(parent) => (self.node(parent).depth + 1, self.node(parent).blocked),
        };
        self.nodes.push(Node {
            vertex,
            parent,
            edge,
            depth,
            label: LabelId::TRUE,
            is_changed: false,
            is_expanded: false,
            children: Vec::new(),
            blocked,
            covered: None,
            covers: BTreeSet::new(),
        });
        if let Some(parent) = parent {
            self.node_mut(parent).children.push(id);
        }
        self.by_vertex.entry(vertex).or_default().push(id);
        if blocked == 0 {
            self.open.insert(id);
        }
        id
    }

    /// The nodes that are neither expanded nor blocked.
    pub(super) fn open(&self) -> &BTreeSet<NodeId> {
        &self.open
    }

    pub(super) fn is_blocked(&self, id: NodeId) -> bool {
        self.node(id).blocked > 0
    }

    /// Whether no ancestor is covered.
    pub(super) fn has_no_covered_ancestor(&self, id: NodeId) -> bool {
        let node = self.node(id);
        node.blocked == usize::from(node.covered.is_some())
    }

    /// All nodes, the oldest first.
    pub(super) fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len()).map(NodeId::new)
    }

    /// Marks a node as expanded: its children exist.
    pub(super) fn set_expanded(&mut self, id: NodeId) {
        self.node_mut(id).is_expanded = true;
        self.open.remove(&id);
    }

    /// The nodes of a vertex, the oldest first.
    pub(super) fn nodes_of(&self, vertex: VertexId) -> &[NodeId] {
        self.by_vertex.get(&vertex).map_or(&[], Vec::as_slice)
    }

    /// The nodes that may cover this one, the oldest first.
    pub(super) fn candidates(&self, id: NodeId) -> Vec<NodeId> {
        let nodes = self.nodes_of(self.node(id).vertex).iter().copied();
        nodes.take_while(|&other| other < id).filter(|&other| !self.is_blocked(other)).collect()
    }

    /// The nodes from the root to a node.
    pub(super) fn path(&self, id: NodeId) -> Vec<NodeId> {
        let mut path = vec![id];
        while let Some(parent) = self.node(path[path.len() - 1]).parent {
            path.push(parent);
        }
        path.reverse();
        path
    }

    /// The nodes that a node is needed to cover.
    pub(super) fn covers(&self, id: NodeId) -> Vec<NodeId> {
        self.node(id).covers.iter().copied().collect()
    }

    /// The nodes that cover a node, if it is covered.
    pub(super) fn covered_by(&self, id: NodeId) -> Option<&[NodeId]> {
        self.node(id).covered.as_deref()
    }

    /// Covers a node. Nothing below it covers any more.
    pub(super) fn cover(&mut self, id: NodeId, by: Vec<NodeId>) {
        debug_assert!(by.iter().all(|&other| other < id && !self.is_blocked(other)));
        debug_assert!(self.node(id).covered.is_none());
        for &other in &by {
            self.node_mut(other).covers.insert(id);
        }
        self.node_mut(id).covered = Some(by);
        let mut free = Vec::new();
        let mut stack = vec![id];
        while let Some(at) = stack.pop() {
            let node = &mut self.nodes[at.index()];
            node.blocked += 1;
            free.extend(node.covers.iter().copied());
            stack.extend_from_slice(&node.children);
            self.open.remove(&at);
        }
        for other in free {
            self.uncover(other);
        }
    }

    /// Takes a covering back.
    pub(super) fn uncover(&mut self, id: NodeId) {
        let Some(by) = self.node_mut(id).covered.take() else { return };
        for other in by {
            self.node_mut(other).covers.remove(&id);
        }
        self.node_mut(id).is_changed = true;
        let mut stack = vec![id];
        while let Some(at) = stack.pop() {
            let node = &mut self.nodes[at.index()];
            node.blocked -= 1;
            if node.blocked == 0 && !node.is_expanded {
                self.open.insert(at);
            }
            stack.extend_from_slice(&node.children);
        }
    }

    /// Whether BLOCKED, OPEN and the coverings are consistent.
    pub(super) fn check_invariants(&self) -> bool {
        self.nodes.iter().enumerate().all(|(index, node)| {
            let above = node.parent.map_or(0, |parent| self.node(parent).blocked);
            let id = NodeId::new(index);
            node.blocked == above + usize::from(node.covered.is_some())
                && self.open.contains(&id) == (node.blocked == 0 && !node.is_expanded)
                && node.covered.iter().flatten().all(|&other| {
                    other < id && !self.is_blocked(other) && self.node(other).covers.contains(&id)
                })
                && node
                    .covers
                    .iter()
                    .all(|&other| self.node(other).covered.as_ref().is_some_and(|by| by.contains(&id)))
        })
    }
}
