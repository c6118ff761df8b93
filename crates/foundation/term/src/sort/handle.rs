//! Handles of sorts: four bytes, copied freely, compared by identity.
//!
//! The number of a sort has three bytes, so that a sort with its kind fits the word that a term has for it.

use std::hash::{Hash, Hasher};

use crate::bits::MAX_WIDTH;

/// A dense number of three bytes. The most significant comes first, so that the order is that of the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Number([u8; 3]);

impl Number {
    const fn new(index: usize) -> Number {
        let [_, a, b, c] = (index as u32).to_be_bytes();
        Number([a, b, c])
    }

    const fn index(self) -> usize {
        let [a, b, c] = self.0;
        u32::from_be_bytes([0, a, b, c]) as usize
    }
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Number);

        impl $name {
            pub(super) const fn new(index: usize) -> $name {
                $name(Number::new(index))
            }

            /// The dense index among the sorts of this kind in the store.
            pub const fn index(self) -> usize {
                self.0.index()
            }
        }
    };
}

id! {
    /// The number of an array sort.
    ArrayId
}
id! {
    /// The number of a datatype.
    DatatypeId
}
id! {
    /// The number of a declared sort.
    DeclaredId
}

/// The width of a bit-vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Width(Number);

/// The sort of a term. Those with a number belong to the [`Store`](crate::Store) that made them;
/// [`Store::display_sort`](crate::Store::display_sort) writes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sort {
    /// Truth values.
    Bool,
    /// Integers.
    Int,
    /// Real numbers.
    Real,
    /// Arrays: total functions from an index sort to an element sort.
    Array(ArrayId),
    /// Values made by constructors, and by nothing else.
    Datatype(DatatypeId),
    /// A sort of which nothing is known but that it has a value.
    Declared(DeclaredId),
    /// Bit-vectors of a width; made by [`Sort::bit_vec`].
    BitVec(Width),
}

/// By one word: the sort is part of what every term is found by.
impl Hash for Sort {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        let (kind, number) = match self {
            Sort::Bool => (0, 0),
            Sort::Int => (1, 0),
            Sort::Real => (2, 0),
            Sort::Array(id) => (3, id.index()),
            Sort::Datatype(id) => (4, id.index()),
            Sort::Declared(id) => (5, id.index()),
            Sort::BitVec(width) => (6, width.0.index()),
        };
        state.write_u32(kind << 24 | number as u32);
    }
}

impl From<DatatypeId> for Sort {
    fn from(id: DatatypeId) -> Sort {
        Sort::Datatype(id)
    }
}

/// What can be asked of a sort without its store. Whoever needs a sort asks here or the store instead of matching, so
/// that a new sort is a matter of few files.
impl Sort {
    /// Whether the sort is one of arrays.
    pub const fn is_array(self) -> bool {
        matches!(self, Sort::Array(_))
    }

    /// Whether the sort is a datatype.
    pub const fn is_datatype(self) -> bool {
        matches!(self, Sort::Datatype(_))
    }

    /// Whether the sort is one of which nothing is known but that it has a value.
    pub const fn is_declared(self) -> bool {
        matches!(self, Sort::Declared(_))
    }

    /// The bit-vectors of a width; `None` for no bits, or for more than [`MAX_WIDTH`].
    pub const fn bit_vec(width: u32) -> Option<Sort> {
        if width == 0 || width > MAX_WIDTH {
            return None;
        }
        Some(Sort::BitVec(Width(Number::new(width as usize))))
    }

    /// The width, if the sort is one of bit-vectors.
    pub const fn bit_width(self) -> Option<u32> {
        match self {
            Sort::BitVec(width) => Some(width.0.index() as u32),
            _ => None,
        }
    }

    /// The number of the datatype, if the sort is one.
    pub const fn as_datatype(self) -> Option<DatatypeId> {
        match self {
            Sort::Datatype(id) => Some(id),
            _ => None,
        }
    }

    /// Whether the sort is `Int` or `Real`.
    pub const fn is_arithmetic(self) -> bool {
        matches!(self, Sort::Int | Sort::Real)
    }

    /// Whether the sort is `Bool`, `Int` or `Real`.
    pub const fn is_basic(self) -> bool {
        matches!(self, Sort::Bool | Sort::Int | Sort::Real)
    }

    /// The name of `Bool`, `Int` or `Real`, which no store is needed for.
    pub const fn basic_name(self) -> Option<&'static str> {
        match self {
            Sort::Bool => Some("Bool"),
            Sort::Int => Some("Int"),
            Sort::Real => Some("Real"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sort_is_a_word_and_ordered_by_number() {
        assert_eq!(size_of::<Sort>(), 4);
        assert_eq!(size_of::<Option<Sort>>(), 4);
        for index in [0, 1, 255, 256, 65_535, 65_536, (1 << 24) - 1] {
            assert_eq!(ArrayId::new(index).index(), index);
        }
        assert!(ArrayId::new(255) < ArrayId::new(256) && ArrayId::new(65_535) < ArrayId::new(65_536));
    }
}
