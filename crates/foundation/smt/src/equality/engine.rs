//! The congruence closure together with the rules of the theories that rest on it.

use super::arrays::{ArrayModel, ArrayOutcome, ArraySort, Arrays};
use super::closure::{Closure, Conflict};
use super::datatypes::{Datatype, Datatypes, Request};
use super::forest::Explanation;
use super::node::{Node, NodeSort};

/// Equality with functions, datatypes and arrays.
#[derive(Debug)]
pub struct Equality {
    closure: Closure,
    datatypes: Datatypes,
    arrays: Arrays,
}

impl Equality {
    /// Without nodes but truth and falsity, which have this sort.
    pub fn new(boolean: NodeSort) -> Equality {
        Equality {
            closure: Closure::new(boolean),
            datatypes: Datatypes::default(),
            arrays: Arrays::default(),
        }
    }

    /// The congruence closure.
    #[inline]
    pub fn closure(&self) -> &Closure {
        &self.closure
    }

    /// The congruence closure, for making nodes, assertions and explanations. It is closed and undone, and scopes are
    /// opened and closed, by the methods of this type only.
    #[inline]
    pub fn closure_mut(&mut self) -> &mut Closure {
        &mut self.closure
    }

    /// Takes note of a datatype, before nodes of it are made. Its functions are declared by this. The number is the
    /// one that [`super::Kind`] has for it.
    pub fn declare_datatype(&mut self, number: u32, datatype: Datatype) {
        self.datatypes.declare(number, datatype, &mut self.closure);
    }

    /// Takes note of a sort of arrays, before nodes of it are made.
    pub fn declare_array(&mut self, sort: NodeSort, of: ArraySort) {
        self.arrays.declare(sort, of);
    }

    /// Applies the rules of arrays, after [`Equality::close`].
    pub fn check_arrays(&mut self) -> ArrayOutcome {
        self.arrays.check(&mut self.closure)
    }

    /// The pairs of indices of which that check wants to know whether they are equal.
    pub fn open_indices(&self) -> &[(Node, Node)] {
        self.arrays.open_pairs()
    }

    /// What arrays contain, after a check of arrays that found nothing to do.
    pub fn array_models(&mut self) -> Vec<ArrayModel> {
        self.arrays.model(&self.closure)
    }

    /// Brings the classes up to date with all assertions and with all that the rules derive. On a contradiction
    /// fills `out` with literals that are asserted and contradict each other.
    pub fn close(&mut self, out: &mut Explanation) -> Result<(), Conflict> {
        if self.datatypes.is_empty() {
            return self.closure.close(out);
        }
        // The rules run after each assertion, so that undoing later ones keeps what they derived. Cycles are looked
        // for at the end, since the search goes through all that can be reached.
        loop {
            let more = self.closure.close_next(out)?;
            self.apply_rules(out)?;
            if !more {
                break;
            }
        }
        if self.datatypes.find_cycle(&mut self.closure) {
            self.closure.process(out)?;
        }
        Ok(())
    }

    fn apply_rules(&mut self, out: &mut Explanation) -> Result<(), Conflict> {
        loop {
            self.datatypes.propagate(&mut self.closure);
            if !self.closure.has_pending() {
                return Ok(());
            }
            self.closure.process(out)?;
        }
    }

    /// Adds what has to be made or decided before the classes describe a model, after [`Equality::close`]; nothing
    /// if they do.
    pub fn requests(&mut self, out: &mut Vec<Request>) {
        if !self.datatypes.is_empty() {
            self.datatypes.requests(&self.closure, out);
        }
    }

    /// Takes back the most recent assertions until `count` are left.
    pub fn undo(&mut self, count: usize) {
        self.closure.undo(count);
        self.datatypes.undo(&self.closure);
    }

    /// Opens a scope: nodes made from now on go with [`Equality::pop`]. Datatypes stay.
    pub fn push(&mut self) {
        self.closure.push();
    }

    /// Closes the innermost scope. Assertions about its nodes have been taken back before.
    pub fn pop(&mut self) {
        self.closure.pop();
        self.datatypes.undo(&self.closure);
        self.arrays.truncate(self.closure.len());
    }

    /// Checks all invariants, for tests.
    ///
    /// # Panics
    /// If one does not hold.
    pub fn check_invariants(&self) {
        self.closure.check_invariants();
    }
}
