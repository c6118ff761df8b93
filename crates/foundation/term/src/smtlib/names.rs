//! Interned names: each different symbol of a text gets a dense number, found from its bytes without
//! allocation. What a name means is then one access to an array.
//!
//! Nearly all names are short. Up to sixteen bytes, a name is determined by its length and two machine words;
//! these serve as its hash and for comparison, and its characters are not read again.

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

/// The length and, up to sixteen bytes, the content of a name; beyond, two hashes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Digest {
    words: [u64; 2],
    len: usize,
}

impl Digest {
    #[inline]
    fn of(name: &[u8]) -> Digest {
        let len = name.len();
        let words = match (name.first_chunk::<8>(), name.last_chunk::<8>()) {
            // The two words overlap if the name is shorter than both.
            (Some(first), Some(last)) if len <= 16 => [u64::from_le_bytes(*first), u64::from_le_bytes(*last)],
            (Some(first), Some(last)) => {
                let mut hasher = FxHasher::default();
                hasher.write(name);
                [hasher.finish(), u64::from_le_bytes(*first) ^ u64::from_le_bytes(*last)]
            }
            _ => match (name.first_chunk::<4>(), name.last_chunk::<4>()) {
                (Some(first), Some(last)) => {
                    [u64::from(u32::from_le_bytes(*first)), u64::from(u32::from_le_bytes(*last))]
                }
                _ => [name.iter().fold(0, |word, &byte| word << 8 | u64::from(byte)), 0],
            },
        };
        Digest { words, len }
    }

    /// Whether the digest determines the name.
    #[inline]
    fn is_exact(&self) -> bool {
        self.len <= 16
    }

    #[inline]
    fn hash(&self) -> u64 {
        // The full product of the words, each with bits flipped all over, folded: every bit reaches every other.
        let first = self.words[0] ^ 0x9e37_79b9_7f4a_7c15;
        let second = self.words[1] ^ 0xc2b2_ae3d_27d4_eb4f ^ self.len as u64;
        let product = u128::from(first) * u128::from(second);
        (product >> 64) as u64 ^ product as u64
    }
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    digest: Digest,
    /// Where the characters start.
    start: usize,
}

/// A table of names. The characters of all names stand in one string.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    characters: String,
    entries: Vec<Entry>,
    index: HashTable<u32>,
}

impl Names {
    /// The number of names.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The characters of a name.
    pub(super) fn text(&self, name: Name) -> &str {
        let Entry { digest, start } = self.entries[name.index()];
        &self.characters[start..start + digest.len]
    }

    /// The number of a name, which is new if the name is.
    #[inline]
    pub(super) fn intern(&mut self, name: &str) -> Name {
        let digest = Digest::of(name.as_bytes());
        let hash = digest.hash();
        let found = self.index.find(hash, |&id| {
            self.entries[id as usize].digest == digest && (digest.is_exact() || self.text(Name(id)) == name)
        });
        match found {
            Some(&id) => Name(id),
            None => self.insert(hash, digest, name),
        }
    }

    #[cold]
    fn insert(&mut self, hash: u64, digest: Digest, name: &str) -> Name {
        let id = u32::try_from(self.entries.len()).expect("fewer than 2^32 names");
        self.entries.push(Entry { digest, start: self.characters.len() });
        self.characters.push_str(name);
        let entries = &self.entries;
        self.index.insert_unique(hash, id, |&id| entries[id as usize].digest.hash());
        Name(id)
    }
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

    /// Names of every length that differ in one byte, or only in length, are different.
    #[test]
    fn every_byte_counts() {
        let mut names = Names::default();
        let mut all = Vec::new();
        for len in 0..40 {
            all.push("a".repeat(len));
            for at in 0..len {
                let mut text = "a".repeat(len);
                text.replace_range(at..=at, "b");
                all.push(text);
            }
        }
        all.push("\0".to_owned());
        all.push("\0\0".to_owned());
        let ids: Vec<Name> = all.iter().map(|text| names.intern(text)).collect();
        assert_eq!(names.len(), all.len());
        for (id, text) in ids.iter().zip(&all) {
            assert_eq!(names.text(*id), text);
            assert_eq!(names.intern(text), *id);
        }
    }
}
