//! Coverings: by one older node, by several together, by taking over a label, by force.
//!
//! - A node is covered by another if its label implies the other's, conjunct by conjunct. Failing that, all
//!   candidates are tried together: their labels may cover the node's where none does alone.
//! - *Adoption*: a leaf whose label is weak because nothing was refuted below it yet takes over the label of a
//!   candidate if that follows from the label of its parent and the edge between them. That needs no
//!   interpolants.
//! - *Forced covering* (McMillan, 2006): the label of the candidate follows from the label of the nearest common
//!   ancestor and the path from there. The labels in between are strengthened by interpolants, so that the leaf
//!   is covered; labels above stay as they are.

use shem_base::{Budget, UnknownReason};
use shem_term::Store;

use super::label::LabelId;
use super::path::Feasibility;
use super::search::LawiSearch;
use super::tree::NodeId;

/// How many candidates are tried together.
const MAX_JOINT_CANDIDATES: usize = 64;

impl LawiSearch<'_> {
    /// Whether the label of a node implies that of another node of its vertex.
    fn implies(
        &mut self,
        store: &mut Store,
        node: NodeId,
        other: NodeId,
        budget: &mut Budget,
    ) -> Result<bool, UnknownReason> {
        let (mine, wanted) = (self.tree.node(node).label, self.tree.node(other).label);
        if mine == wanted {
            return Ok(true);
        }
        let implications = &mut self.at_vertex[self.tree.node(node).vertex.index()];
        for &conjunct in self.labels.conjuncts(wanted) {
            if !implications.implies(store, &self.labels, mine, conjunct, budget)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the label of a covered node implies those that cover it.
    pub(super) fn still_covers(
        &mut self,
        store: &mut Store,
        node: NodeId,
        budget: &mut Budget,
    ) -> Result<bool, UnknownReason> {
        let Some(by) = self.tree.covered_by(node) else { return Ok(true) };
        if let &[other] = by {
            return self.implies(store, node, other, budget);
        }
        let others: Vec<LabelId> = by.iter().map(|&other| self.tree.node(other).label).collect();
        let label = self.tree.node(node).label;
        let implications = &mut self.at_vertex[self.tree.node(node).vertex.index()];
        let found = implications.implies_some(store, &self.labels, label, &others, budget)?;
        Ok(found.is_some())
    }

    /// Covers a node that is not blocked, if its label allows; whether it did.
    pub(super) fn cover(
        &mut self,
        store: &mut Store,
        node: NodeId,
        budget: &mut Budget,
    ) -> Result<bool, UnknownReason> {
        if self.tree.node(node).label == LabelId::FALSE {
            self.tree.cover(node, Vec::new());
            return Ok(true);
        }
        let candidates = self.tree.candidates(node);
        let is_true = self.tree.node(node).label == LabelId::TRUE;
        for &other in &candidates {
            // The label true implies only labels that are true.
            if is_true && self.tree.node(other).label != LabelId::TRUE {
                continue;
            }
            if self.implies(store, node, other, budget)? {
                self.counters.covers += 1;
                self.tree.cover(node, vec![other]);
                return Ok(true);
            }
        }
        self.cover_jointly(store, node, &candidates, budget)
    }

    fn cover_jointly(
        &mut self,
        store: &mut Store,
        node: NodeId,
        candidates: &[NodeId],
        budget: &mut Budget,
    ) -> Result<bool, UnknownReason> {
        let label = self.tree.node(node).label;
        let (mut others, mut nodes): (Vec<LabelId>, Vec<NodeId>) = (Vec::new(), Vec::new());
        for &other in candidates.iter().rev() {
            let wanted = self.tree.node(other).label;
            if others.len() < MAX_JOINT_CANDIDATES && !others.contains(&wanted) {
                others.push(wanted);
                nodes.push(other);
            }
        }
        if label == LabelId::TRUE || others.len() < 2 {
            return Ok(false);
        }
        let implications = &mut self.at_vertex[self.tree.node(node).vertex.index()];
        let Some(needed) = implications.implies_some(store, &self.labels, label, &others, budget)? else {
            return Ok(false);
        };
        self.counters.joint_covers += 1;
        self.tree.cover(node, needed.into_iter().map(|index| nodes[index]).collect());
        Ok(true)
    }

    /// Covers a leaf that is not blocked, if need be by a stronger label; whether it did.
    pub(super) fn cover_leaf(
        &mut self,
        store: &mut Store,
        node: NodeId,
        budget: &mut Budget,
    ) -> Result<bool, UnknownReason> {
        if self.cover(store, node, budget)? {
            return Ok(true);
        }
        let mut candidates = self.tree.candidates(node);
        candidates.reverse();
        for &other in &candidates {
            if self.adopt_label(store, node, other, budget)? {
                return Ok(true);
            }
        }
        if self.settings.forced_covering {
            for &other in candidates.iter().take(self.settings.forced_candidates) {
                if self.force_cover(store, node, other, budget)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Takes over the label of a candidate if it follows from that of the parent.
    fn adopt_label(
        &mut self,
        store: &mut Store,
        node: NodeId,
        other: NodeId,
        budget: &mut Budget,
    ) -> Result<bool, UnknownReason> {
        let (parent, edge) = (self.tree.node(node).parent, self.tree.node(node).edge);
        let before = parent.map_or(LabelId::TRUE, |parent| self.tree.node(parent).label);
        let (mine, wanted) = (self.tree.node(node).label, self.tree.node(other).label);
        for &conjunct in self.labels.conjuncts(wanted) {
            if !self.labels.contains(mine, conjunct)
                && !self.by_edge[edge].implies(store, &self.labels, before, conjunct, budget)?
            {
                return Ok(false);
            }
        }
        self.counters.adoptions += 1;
        let formula = self.labels.formula(store, wanted);
        self.strengthen(store, node, formula, budget)?;
        self.tree.node_mut(node).is_changed = false;
        self.cover(store, node, budget)
    }

    /// Tries to have a leaf covered by a candidate by strengthening the labels below their nearest common
    /// ancestor.
    fn force_cover(
        &mut self,
        store: &mut Store,
        node: NodeId,
        other: NodeId,
        budget: &mut Budget,
    ) -> Result<bool, UnknownReason> {
        let (path, other_path) = (self.tree.path(node), self.tree.path(other));
        let common = path.iter().zip(&other_path).take_while(|(a, b)| a == b).count();
        let Some(start) = common.checked_sub(1) else { return Ok(false) };
        self.set_suffix(store, &path[start..]);
        let wanted = self.tree.node(other).label;
        let formula = self.labels.formula(store, wanted);
        let options = &self.settings.interpolation;
        match self.suffix.ask_outside(store, self.graph, formula, options, budget)? {
            Feasibility::Feasible(_) => {
                self.counters.forced_failures += 1;
                Ok(false)
            }
            Feasibility::Refuted(interpolants) => {
                self.counters.forced_covers += 1;
                self.strengthen_suffix(store, &path[start..], &interpolants, budget)?;
                self.strengthen(store, node, formula, budget)?;
                self.tree.node_mut(node).is_changed = false;
                self.cover(store, node, budget)
            }
        }
    }
}
