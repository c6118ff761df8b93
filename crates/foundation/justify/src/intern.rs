//! Numbers for things that are the same if they are equal.

use std::hash::Hash;
use std::rc::Rc;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

/// Things with dense numbers, each once.
#[derive(Debug)]
pub(crate) struct Interner<T> {
    things: Vec<Rc<T>>,
    index: HashMap<Rc<T>, u32, FxBuildHasher>,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Interner { things: Vec::new(), index: HashMap::default() }
    }
}

impl<T: Eq + Hash> Interner<T> {
    /// The number of a thing.
    pub(crate) fn intern(&mut self, thing: T) -> u32 {
        if let Some(&number) = self.index.get(&thing) {
            return number;
        }
        let number = self.things.len() as u32;
        let thing = Rc::new(thing);
        self.things.push(thing.clone());
        self.index.insert(thing, number);
        number
    }

    /// The thing with this number.
    pub(crate) fn get(&self, number: u32) -> &Rc<T> {
        &self.things[number as usize]
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.things.len()
    }
}
