//! The order in which variables are decided: exponential VSIDS.
//!
//! A variable that takes part in a conflict gains activity; the gain grows by a constant factor with every
//! conflict, which is the same as letting all other activities decay (Eén and Sörensson, 2003). Variables
//! are kept in an indexed binary heap. Ties keep the order that the heap's history gives them, no addresses; a seed
//! breaks them by small activities from the beginning.

use shem_base::{Rng, Var};

const ABSENT: u32 = u32::MAX;
const RESCALE: f64 = 1e100;
const DECAY: f64 = 0.95;
/// The share of the current gain above which an activity is recent.
const RECENT: f64 = 0.001;
/// Activities that a seed gives are smaller than this: less than a recent one, as a gain is never below 0.05.
const INITIAL: f64 = 1e-5;

/// A heap of variables, the most active one first.
pub(super) struct VarHeap {
    heap: Vec<Var>,
    /// By variable: its index in `heap`, or `ABSENT`.
    indices: Vec<u32>,
    activities: Vec<f64>,
    gain: f64,
}

impl VarHeap {
    /// An empty heap.
    pub fn new() -> VarHeap {
        VarHeap { heap: Vec::new(), indices: Vec::new(), activities: Vec::new(), gain: 1.0 }
    }

    /// Adds the next variable to the tables; it is not in the heap yet. The random number decides its rank among the
    /// variables of no conflict.
    pub fn add_var(&mut self, random: Option<u64>) {
        self.indices.push(ABSENT);
        self.activities.push(random.map_or(0.0, |number| number as f64 / u64::MAX as f64 * INITIAL));
    }

    /// Removes the last variable.
    pub fn remove_last_var(&mut self) {
        let var = Var::new(self.indices.len() as u32 - 1);
        self.remove(var);
        self.indices.pop();
        self.activities.pop();
    }

    /// Whether the variable is in the heap.
    #[inline]
    pub fn contains(&self, var: Var) -> bool {
        self.indices[var.index()] != ABSENT
    }

    /// Adds a variable, unless it is in the heap already.
    #[inline]
    pub fn insert(&mut self, var: Var) {
        if !self.contains(var) {
            let index = self.heap.len();
            self.heap.push(var);
            self.indices[var.index()] = index as u32;
            self.sift_up(index);
        }
    }

    /// The most active variable.
    #[inline]
    pub fn first(&self) -> Option<Var> {
        self.heap.first().copied()
    }

    /// Removes the most active variable.
    pub fn pop(&mut self) -> Option<Var> {
        let first = *self.heap.first()?;
        self.remove(first);
        Some(first)
    }

    /// Removes a variable, any one, as the generator has it.
    pub fn pop_any(&mut self, rng: &mut Rng) -> Option<Var> {
        let any = *self.heap.get(rng.index(self.heap.len().max(1)))?;
        self.remove(any);
        Some(any)
    }

    /// Removes a variable, if it is in the heap.
    fn remove(&mut self, var: Var) {
        let index = self.indices[var.index()];
        if index == ABSENT {
            return;
        }
        let index = index as usize;
        self.indices[var.index()] = ABSENT;
        let last = self.heap.pop().expect("the variable is in the heap");
        if index < self.heap.len() {
            self.heap[index] = last;
            self.indices[last.index()] = index as u32;
            self.sift_up(index);
            self.sift_down(self.indices[last.index()] as usize);
        }
    }

    /// Rewards a variable for its part in a conflict.
    #[inline]
    pub fn bump(&mut self, var: Var) {
        let activity = &mut self.activities[var.index()];
        *activity += self.gain;
        if *activity > RESCALE {
            self.rescale();
        }
        let index = self.indices[var.index()];
        if index != ABSENT {
            self.sift_up(index as usize);
        }
    }

    /// Whether the variable took part in a conflict not long ago (135 conflicts for a single part).
    #[inline]
    pub fn is_recent(&self, var: Var) -> bool {
        self.activities[var.index()] > self.gain * RECENT
    }

    /// Makes later gains count more, which is the same as letting all activities decay.
    #[inline]
    pub fn decay(&mut self) {
        self.gain /= DECAY;
    }

    #[cold]
    fn rescale(&mut self) {
        for activity in &mut self.activities {
            *activity /= RESCALE;
        }
        self.gain /= RESCALE;
    }

    /// Whether the first variable is more active than the second.
    #[inline]
    pub fn precedes(&self, left: Var, right: Var) -> bool {
        self.activities[left.index()] > self.activities[right.index()]
    }

    fn sift_up(&mut self, mut index: usize) {
        let var = self.heap[index];
        while index > 0 {
            let parent = (index - 1) / 2;
            let above = self.heap[parent];
            if !self.precedes(var, above) {
                break;
            }
            self.heap[index] = above;
            self.indices[above.index()] = index as u32;
            index = parent;
        }
        self.heap[index] = var;
        self.indices[var.index()] = index as u32;
    }

    fn sift_down(&mut self, mut index: usize) {
        let var = self.heap[index];
        loop {
            let mut child = 2 * index + 1;
            if child >= self.heap.len() {
                break;
            }
            if child + 1 < self.heap.len() && self.precedes(self.heap[child + 1], self.heap[child]) {
                child += 1;
            }
            let below = self.heap[child];
            if !self.precedes(below, var) {
                break;
            }
            self.heap[index] = below;
            self.indices[below.index()] = index as u32;
            index = child;
        }
        self.heap[index] = var;
        self.indices[var.index()] = index as u32;
    }

    /// Panics unless parents precede their children and indices are right.
    #[cfg(test)]
    pub fn check_invariants(&self) {
        for (index, &var) in self.heap.iter().enumerate() {
            assert_eq!(self.indices[var.index()] as usize, index);
            assert!(index == 0 || !self.precedes(var, self.heap[(index - 1) / 2]));
        }
        let waiting = self.indices.iter().filter(|&&index| index != ABSENT).count();
        assert_eq!(waiting, self.heap.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a seed gives ranks variables below all that took part in a conflict.
    #[test]
    fn initial_activities_are_small() {
        let mut rng = Rng::new(3);
        let mut heap = VarHeap::new();
        for index in 0..40 {
            heap.add_var(Some(rng.next_u64()));
            heap.insert(Var::new(index));
            assert!(!heap.is_recent(Var::new(index)));
        }
        assert_ne!(heap.first(), Some(Var::new(0)));
        heap.bump(Var::new(0));
        assert_eq!(heap.first(), Some(Var::new(0)));
        let mut seen = std::collections::BTreeSet::new();
        while let Some(var) = heap.pop_any(&mut rng) {
            seen.insert(var);
            heap.check_invariants();
        }
        assert_eq!(seen.len(), 40);
    }

    #[test]
    fn pops_by_activity() {
        let mut rng = Rng::new(7);
        let mut heap = VarHeap::new();
        for index in 0..50 {
            heap.add_var(None);
            heap.insert(Var::new(index));
        }
        for _ in 0..500 {
            heap.bump(Var::new(rng.below(50) as u32));
            heap.decay();
            heap.check_invariants();
        }
        for _ in 0..10 {
            heap.remove_last_var();
            heap.check_invariants();
        }
        let mut last = f64::INFINITY;
        while let Some(var) = heap.pop() {
            assert!(var.index() < 40);
            assert!(heap.activities[var.index()] <= last);
            last = heap.activities[var.index()];
            heap.check_invariants();
        }
    }
}
