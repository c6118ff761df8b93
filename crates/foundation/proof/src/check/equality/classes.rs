//! Partitions of the numbers below some other.

/// A partition, as a forest: the root of a tree is the name of its class.
#[derive(Clone, Debug)]
pub(super) struct Classes {
    /// By member: the next one on the way to the root; the root itself at the root.
    parents: Vec<usize>,
    /// By root: how many members its class has. The smaller class goes below the larger one, so no way is long.
    sizes: Vec<usize>,
}

impl Classes {
    /// Each number alone.
    pub(super) fn new(len: usize) -> Classes {
        Classes { parents: (0..len).collect(), sizes: vec![1; len] }
    }

    /// The name of the class of a member, which is one of its members.
    pub(super) fn of(&self, mut member: usize) -> usize {
        while self.parents[member] != member {
            member = self.parents[member];
        }
        member
    }

    /// Whether both are in one class.
    pub(super) fn same(&self, a: usize, b: usize) -> bool {
        self.of(a) == self.of(b)
    }

    /// Unites the classes of both; its name is that of one of them.
    pub(super) fn unite(&mut self, a: usize, b: usize) {
        let (a, b) = (self.of(a), self.of(b));
        if a != b {
            let (root, other) = if self.sizes[a] < self.sizes[b] { (b, a) } else { (a, b) };
            self.parents[other] = root;
            self.sizes[root] += self.sizes[other];
        }
    }
}
