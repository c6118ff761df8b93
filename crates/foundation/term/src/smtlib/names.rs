//! Interned names: each different symbol of a text gets a dense number, found from its bytes without
//! allocation. What a name means is then one access to an array.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

/// The number of a name in its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(u32);

impl Name {
    /// The dense index of the name.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The name with this index; for tables that are filled in a known order.
    pub(super) const fn from_index(index: u32) -> Name {
        Name(index)
    }
}

/// A table of names. The characters of all names stand in one string.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    characters: String,
    /// Where each name ends in `characters`; it starts where the one before it ends.
    ends: Vec<usize>,
    index: HashTable<u32>,
}

#[inline]
fn hash_name(name: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(name.as_bytes());
    hasher.finish()
}

impl Names {
    /// The number of names.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The characters of a name.
    pub(super) fn text(&self, name: Name) -> &str {
        text_of(&self.characters, &self.ends, name.0)
    }

    /// The number of a name, which is new if the name is.
    #[inline]
    pub(super) fn intern(&mut self, name: &str) -> Name {
        let hash = hash_name(name);
        let Names { characters, ends, index } = self;
        match index.find(hash, |&id| text_of(characters, ends, id) == name) {
            Some(&id) => Name(id),
            None => self.insert(hash, name),
        }
    }

    #[cold]
    fn insert(&mut self, hash: u64, name: &str) -> Name {
        let id = u32::try_from(self.ends.len()).expect("a text below 4 GiB has fewer than 2^32 names");
        self.characters.push_str(name);
        self.ends.push(self.characters.len());
        let Names { characters, ends, index } = self;
        index.insert_unique(hash, id, |&id| hash_name(text_of(characters, ends, id)));
        Name(id)
    }
}

#[inline]
fn text_of<'a>(characters: &'a str, ends: &[usize], id: u32) -> &'a str {
    let id = id as usize;
    let start = if id == 0 { 0 } else { ends[id - 1] };
    &characters[start..ends[id]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_interned_once() {
        let mut names = Names::default();
        let a = names.intern("a");
        let empty = names.intern("");
        let ab = names.intern("ab");
        assert_eq!((names.intern("a"), names.intern(""), names.intern("ab")), (a, empty, ab));
        assert_eq!((names.text(a), names.text(empty), names.text(ab)), ("a", "", "ab"));
        for i in 0..1000 {
            names.intern(&i.to_string());
        }
        assert_eq!(names.len(), 1003);
        assert_eq!(names.intern("999").index(), 1002);
    }
}
