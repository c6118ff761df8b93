//! Which assertions go together, and which cuts through them are asked for.
//!
//! Groups are numbered; the last one takes everything that was not assigned. A cut is a set of groups, its A
//! side. For a path, cut `i` is the groups up to `i`; for a tree, the groups of the subtree of `i`. In both
//! cases a larger cut has a larger A side, and `parent` gives the next larger one; two groups are a path.

use shem_term::Term;

use super::cutset::CutSet;
use super::error::ItpError;

/// A division of assertions and assumptions into groups.
#[derive(Clone, Debug)]
pub struct Partition {
    groups: usize,
    /// By number of assertion; `u32::MAX` stands for the last group.
    assertions: Vec<u32>,
    assumptions: Vec<(Term, u32)>,
}

impl Partition {
    /// A partition with this many groups; everything is in the last one.
    pub fn new(groups: usize) -> Partition {
        Partition { groups, assertions: Vec::new(), assumptions: Vec::new() }
    }

    /// Two groups: A, with these assertions, and B, with all others.
    pub fn binary(a: &[u32]) -> Partition {
        let mut partition = Partition::new(2);
        for &assertion in a {
            partition.assign(assertion, 0);
        }
        partition
    }

    /// The number of groups.
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// Puts an assertion into a group.
    ///
    /// # Panics
    /// If there is no such group.
    pub fn assign(&mut self, assertion: u32, group: usize) {
        assert!(group < self.groups, "no such group");
        if self.assertions.len() <= assertion as usize {
            self.assertions.resize(assertion as usize + 1, u32::MAX);
        }
        self.assertions[assertion as usize] = group as u32;
    }

    /// Puts an assumption of the check into a group.
    ///
    /// # Panics
    /// If there is no such group.
    pub fn assign_assumption(&mut self, assumption: Term, group: usize) {
        assert!(group < self.groups, "no such group");
        self.assumptions.push((assumption, group as u32));
    }

    /// The group of an assertion.
    pub fn group(&self, assertion: u32) -> usize {
        let group = self.assertions.get(assertion as usize).copied().unwrap_or(u32::MAX);
        (group as usize).min(self.groups - 1)
    }

    /// The group of an assumption.
    pub fn group_of_assumption(&self, assumption: Term) -> usize {
        let found = self.assumptions.iter().rev().find(|entry| entry.0 == assumption);
        found.map_or(self.groups - 1, |entry| entry.1 as usize)
    }

    /// Fails if an assertion is named that does not exist.
    pub(super) fn check(&self, assertion_count: u32) -> Result<(), ItpError> {
        if !(2..=1025).contains(&self.groups) {
            return Err(ItpError::Groups(self.groups));
        }
        if self.assertions.len() > assertion_count as usize {
            return Err(ItpError::NoSuchAssertion(self.assertions.len() as u32 - 1));
        }
        Ok(())
    }
}

/// The cuts of a query, smaller ones first.
#[derive(Clone, Debug)]
pub(super) enum Cuts {
    /// This many cuts, one after each group but the last.
    Path(usize),
    /// One cut for the subtree of each group but the root, which is the last.
    Tree {
        /// By group: the cuts on whose A side it is, increasing.
        members: Vec<Vec<usize>>,
        /// By cut: the next larger cut.
        parents: Vec<Option<usize>>,
    },
}

impl Cuts {
    /// The cuts of a path.
    pub(super) fn path(groups: usize) -> Cuts {
        Cuts::Path(groups - 1)
    }

    /// The cuts of a tree.
    pub(super) fn tree(parents: &[usize]) -> Result<Cuts, ItpError> {
        let groups = parents.len();
        let root = groups - 1;
        if (0..root).any(|group| parents[group] <= group || parents[group] > root) {
            return Err(ItpError::NotATree);
        }
        let mut members = vec![Vec::new(); groups];
        for (group, cuts) in members.iter_mut().enumerate() {
            let mut ancestor = group;
            while ancestor != root {
                cuts.push(ancestor);
                ancestor = parents[ancestor];
            }
        }
        let parents = parents[..root].iter().map(|&parent| Some(parent).filter(|&p| p != root)).collect();
        Ok(Cuts::Tree { members, parents })
    }

    /// The number of cuts.
    pub(super) fn len(&self) -> usize {
        match self {
            Cuts::Path(count) => *count,
            Cuts::Tree { parents, .. } => parents.len(),
        }
    }

    /// The cuts on whose A side a group is.
    pub(super) fn cuts_containing<const W: usize>(&self, group: usize) -> CutSet<W> {
        match self {
            Cuts::Path(count) => CutSet::first(*count) & !CutSet::first(group),
            Cuts::Tree { members, .. } => {
                let mut set = CutSet::EMPTY;
                members[group].iter().for_each(|&cut| set.insert(cut));
                set
            }
        }
    }

    /// Whether a group is on the A side of a cut.
    pub(super) fn is_inside(&self, group: usize, cut: usize) -> bool {
        match self {
            Cuts::Path(_) => group <= cut,
            Cuts::Tree { members, .. } => members[group].binary_search(&cut).is_ok(),
        }
    }

    /// The next larger cut; it has a larger index.
    pub(super) fn parent(&self, cut: usize) -> Option<usize> {
        match self {
            Cuts::Path(count) => Some(cut + 1).filter(|next| next < count),
            Cuts::Tree { parents, .. } => parents[cut],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_trees() {
        let path = Cuts::path(3);
        let cuts_containing =
            |cuts: &Cuts, group| cuts.cuts_containing::<1>(group).iter().collect::<Vec<_>>();
        assert_eq!([0, 1, 2].map(|group| cuts_containing(&path, group)), [vec![0, 1], vec![1], vec![]]);
        assert_eq!([0, 1].map(|cut| path.parent(cut)), [Some(1), None]);
        assert!(path.is_inside(1, 1) && !path.is_inside(1, 0));
        // Groups 0 and 1 are children of 2, which is a child of the root.
        let tree = Cuts::tree(&[2, 2, 3, 3]).unwrap();
        assert_eq!(
            [0, 1, 2, 3].map(|group| cuts_containing(&tree, group)),
            [vec![0, 2], vec![1, 2], vec![2], vec![]]
        );
        assert_eq!([0, 1, 2].map(|cut| tree.parent(cut)), [Some(2), Some(2), None]);
        assert!(tree.is_inside(1, 2) && !tree.is_inside(2, 1));
        assert!(matches!(Cuts::tree(&[0, 1]), Err(ItpError::NotATree)));
        let mut partition = Partition::binary(&[1]);
        assert_eq!((partition.group(0), partition.group(1), partition.group(9)), (1, 0, 1));
        partition.assign(0, 1);
        assert!(partition.check(2).is_ok() && partition.check(1).is_err());
    }
}
