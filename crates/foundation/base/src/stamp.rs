//! Dense sets and maps that are emptied in constant time.
//!
//! Each entry carries the epoch at which it was written, and counts only if that is the current one; emptying
//! begins a new epoch. When the epochs run out, after 2^32 of them, all entries are cleared once.

/// A set of small indices.
#[derive(Clone, Debug)]
pub struct StampSet {
    stamps: Vec<u32>,
    /// Invariant *current*: no stamp is above it, and it is never zero, which marks entries that are not set.
    epoch: u32,
}

impl StampSet {
    /// The empty set.
    pub fn new() -> StampSet {
        StampSet { stamps: Vec::new(), epoch: 1 }
    }

    /// Adds the index; true if it was not in the set. The set grows to hold it.
    #[inline]
    pub fn insert(&mut self, index: usize) -> bool {
        if index >= self.stamps.len() {
            self.grow(index + 1);
        }
        let stamp = &mut self.stamps[index];
        let is_new = *stamp != self.epoch;
        *stamp = self.epoch;
        is_new
    }

    /// Removes the index; true if it was in the set.
    #[inline]
    pub fn remove(&mut self, index: usize) -> bool {
        let was_there = self.contains(index);
        if was_there {
            self.stamps[index] = 0;
        }
        was_there
    }

    /// Whether the index is in the set.
    #[inline]
    pub fn contains(&self, index: usize) -> bool {
        self.stamps.get(index).is_some_and(|&stamp| stamp == self.epoch)
    }

    /// Empties the set, in constant time.
    #[inline]
    pub fn clear(&mut self) {
        match self.epoch.checked_add(1) {
            Some(epoch) => self.epoch = epoch,
            None => {
                self.stamps.fill(0);
                self.epoch = 1;
            }
        }
    }

    /// Makes room for indices below `len`, so that adding one does not allocate.
    #[cold]
    pub fn grow(&mut self, len: usize) {
        if len > self.stamps.len() {
            self.stamps.resize(len, 0);
        }
    }
}

impl Default for StampSet {
    fn default() -> StampSet {
        StampSet::new()
    }
}

/// A map from small indices.
///
/// Values of past epochs stay where they are until overwritten; what they own is freed then.
#[derive(Clone, Debug)]
pub struct StampMap<T> {
    keys: StampSet,
    /// Invariant *covering*: as long as the greatest key inserted so far requires.
    values: Vec<T>,
}

impl<T: Default> StampMap<T> {
    /// The empty map.
    pub fn new() -> StampMap<T> {
        StampMap { keys: StampSet::new(), values: Vec::new() }
    }

    /// Sets the value of the index; the previous one, if there was one.
    #[inline]
    pub fn insert(&mut self, index: usize, value: T) -> Option<T> {
        let is_new = self.keys.insert(index);
        if index >= self.values.len() {
            self.values.resize_with(index + 1, T::default);
        }
        let previous = std::mem::replace(&mut self.values[index], value);
        if is_new { None } else { Some(previous) }
    }

    /// The value of the index.
    #[inline]
    pub fn get(&self, index: usize) -> Option<&T> {
        if self.keys.contains(index) { Some(&self.values[index]) } else { None }
    }

    /// The value of the index, for changing it.
    #[inline]
    pub fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        if self.keys.contains(index) { Some(&mut self.values[index]) } else { None }
    }

    /// The value of the index, which becomes the default if there was none.
    #[inline]
    pub fn entry(&mut self, index: usize) -> &mut T {
        if !self.keys.contains(index) {
            self.insert(index, T::default());
        }
        &mut self.values[index]
    }

    /// Removes the index; its value, if there was one.
    #[inline]
    pub fn remove(&mut self, index: usize) -> Option<T> {
        if self.keys.remove(index) { Some(std::mem::take(&mut self.values[index])) } else { None }
    }

    /// Whether the index has a value.
    #[inline]
    pub fn contains(&self, index: usize) -> bool {
        self.keys.contains(index)
    }

    /// Empties the map, in constant time.
    #[inline]
    pub fn clear(&mut self) {
        self.keys.clear();
    }
}

impl<T: Default> Default for StampMap<T> {
    fn default() -> StampMap<T> {
        StampMap::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rng;
    use std::collections::BTreeMap;

    #[test]
    fn map_agrees_with_an_ordered_map() {
        let mut rng = Rng::new(5);
        let mut map = StampMap::new();
        let mut model = BTreeMap::new();
        for step in 0..5000u64 {
            let index = rng.index(40);
            match rng.below(8) {
                0..4 => assert_eq!(map.insert(index, step), model.insert(index, step)),
                4 => assert_eq!(map.remove(index), model.remove(&index)),
                5 => {
                    *map.entry(index) += 1;
                    *model.entry(index).or_default() += 1;
                }
                6 => assert_eq!(map.get_mut(index), model.get_mut(&index)),
                _ if rng.chance(10) => {
                    map.clear();
                    model.clear();
                }
                _ => assert_eq!(map.contains(index), model.contains_key(&index)),
            }
            assert_eq!(map.get(index), model.get(&index));
        }
    }

    #[test]
    fn running_out_of_epochs_keeps_the_set_right() {
        let mut set = StampSet::new();
        set.insert(1);
        set.epoch = u32::MAX;
        assert!(!set.contains(1));
        assert!(set.insert(2) && !set.insert(2));
        set.clear();
        assert!(!set.contains(1) && !set.contains(2) && !set.contains(900));
        assert!(set.insert(1) && set.contains(1) && set.remove(1) && !set.remove(1));
    }
}
