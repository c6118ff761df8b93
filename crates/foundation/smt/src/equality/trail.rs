//! Undoing, scopes, and events for the rules.
//!
//! The trail holds what changed the classes and the signature table, in order. Taking back an assertion undoes the
//! events since it was processed, the latest first; after that everything is as it was. Nodes that were made after
//! the assertion stay: they wait in `unseated` until they are given a place in the table again.
//!
//! Closing a scope removes nodes, and assertions that stay may have met them. So a scope remembers the lowest point
//! to which the trail was undone since it was opened; closing undoes all from there, and the assertions that stay
//! are processed again.

use super::closure::Closure;
use super::node::Node;
use super::nodes::NONE;

/// Something that was done to the classes or the signature table.
#[derive(Clone, Copy, Debug)]
pub(super) enum Event {
    /// The class with root `absorbed` became part of another one because of an equality of `left` and `right`.
    Merge {
        absorbed: Node,
        /// The node after the root in the absorbed class, when it was merged.
        first: Node,
        left: Node,
        right: Node,
        /// Where the nodes begin that the merge took from the table.
        moves: u32,
    },
    /// The node was given its place in the signature table.
    Seat(Node),
    /// The node was found to be decided already when it began to be watched.
    Watch(Node),
}

/// Lengths of the arrays before an assertion was processed or a scope was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) trail: u32,
    pub(super) derivations: u32,
    pub(super) decided: u32,
    /// The number of events that the rules had seen: what they derived from later ones goes, too.
    pub(super) seen: u32,
}

/// A scope that is open.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope {
    nodes: u32,
    /// LOWEST: the lowest state that was undone to since the scope was opened, and the number of assertions that
    /// had been processed there.
    mark: Mark,
    processed: u32,
}

/// A change of the classes that rules look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Two classes became one.
    Merged {
        /// The root of the class that was absorbed. [`Closure::absorbed_members`] gives its nodes.
        absorbed: Node,
        /// The node after the root in that class.
        first: Node,
    },
    /// An application or equation is new, or is looked at again after undoing.
    Made(Node),
}

impl Closure {
    pub(super) fn mark(&self) -> Mark {
        Mark {
            trail: self.trail.len() as u32,
            derivations: self.forest.derivations() as u32,
            decided: self.decided.len() as u32,
            seen: self.seen as u32,
        }
    }

    /// Takes back the most recent assertions until `count` are left.
    pub fn undo(&mut self, count: usize) {
        self.assertions.truncate(count);
        if count < self.marks.len() {
            self.undo_to(self.marks[count], count);
        }
    }

    /// Opens a scope: nodes made from now on go with [`Closure::pop`].
    pub fn push(&mut self) {
        let mut scope =
            Scope { nodes: self.nodes.len() as u32, mark: self.mark(), processed: self.marks.len() as u32 };
        // Equalities that are left after a conflict belong to the latest assertion: closing the scope must find
        // them again.
        if self.has_pending() && scope.processed > 0 {
            scope.processed -= 1;
            scope.mark = self.marks[scope.processed as usize];
        }
        self.scopes.push(scope);
    }

    /// Closes the innermost scope: its nodes are gone. Assertions about its nodes have been taken back before.
    pub fn pop(&mut self) {
        let Some(scope) = self.scopes.pop() else { return };
        let nodes = scope.nodes as usize;
        self.undo_to(scope.mark, scope.processed as usize);
        debug_assert!(self.assertions.iter().all(|it| it.a.index() < nodes && it.b.index() < nodes));
        self.unseated.retain(|node| node.index() < nodes);
        self.unwatched.retain(|node| node.index() < nodes);
        self.roots.truncate(nodes);
        self.classes.truncate(nodes);
        self.table.truncate_nodes(nodes);
        self.forest.truncate_nodes(nodes);
        self.nodes.truncate(nodes);
    }

    fn undo_to(&mut self, mark: Mark, processed: usize) {
        while self.trail.len() > mark.trail as usize {
            let Some(event) = self.trail.pop() else { break };
            match event {
                Event::Merge { absorbed, left, right, moves, .. } => {
                    self.undo_merge(absorbed, left, right, moves as usize);
                }
                Event::Seat(node) => {
                    self.table.remove(node);
                    self.unseated.push(node);
                }
                Event::Watch(node) => self.unwatched.push(node),
            }
        }
        self.forest.truncate_derivations(mark.derivations as usize);
        for node in self.decided.drain(mark.decided as usize..) {
            self.classes[node.index()].reported = false;
        }
        self.pending.clear();
        self.pending_head = 0;
        self.marks.truncate(processed);
        self.seen = self.seen.min(mark.seen as usize);
        for scope in self.scopes.iter_mut().rev() {
            if scope.mark.trail <= mark.trail && scope.processed as usize <= processed {
                break;
            }
            scope.mark = mark;
            scope.processed = processed as u32;
        }
    }

    fn undo_merge(&mut self, absorbed: Node, left: Node, right: Node, moves: usize) {
        let root = self.class(absorbed);
        for &(node, _) in &self.moves[moves..] {
            self.table.remove(node);
        }
        let value = self.classes[absorbed.index()].value;
        let next = self.classes[absorbed.index()].next;
        self.classes[absorbed.index()].next = std::mem::replace(&mut self.classes[root.index()].next, next);
        self.classes[root.index()].size -= self.classes[absorbed.index()].size;
        let mut node = absorbed;
        loop {
            self.roots[node.index()] = absorbed;
            node = self.classes[node.index()].next;
            if node == absorbed {
                break;
            }
        }
        let class = &mut self.classes[root.index()];
        if class.value == value {
            class.value = NONE;
        }
        for (node, hash) in self.moves.drain(moves..) {
            self.table.insert(node, hash);
        }
        self.forest.cut(left, right);
    }

    /// The next change that the rules have not seen.
    pub fn next_change(&mut self) -> Option<Change> {
        loop {
            let event = *self.trail.get(self.seen)?;
            self.seen += 1;
            match event {
                Event::Merge { absorbed, first, .. } => return Some(Change::Merged { absorbed, first }),
                Event::Seat(node) => return Some(Change::Made(node)),
                Event::Watch(_) => {}
            }
        }
    }

    /// The number of changes that are not undone. Those made later have larger numbers, until they are undone.
    pub(super) fn change_count(&self) -> usize {
        self.trail.len()
    }

    /// The value that a class had when it was absorbed by another one, as long as that is not undone.
    pub fn absorbed_value(&self, absorbed: Node) -> Option<Node> {
        let value = self.classes[absorbed.index()].value;
        (value != NONE).then_some(Node::new(value))
    }

    /// The nodes of a class that was absorbed by another one, as long as that is not undone.
    ///
    /// They stay together in the circle of the larger class, since circles are joined at their roots only.
    pub fn absorbed_members(&self, absorbed: Node, first: Node) -> impl Iterator<Item = Node> + '_ {
        let mut next = Some(first);
        std::iter::from_fn(move || {
            let node = next?;
            next = (node != absorbed).then(|| self.classes[node.index()].next);
            Some(node)
        })
    }
}
