//! Dense identifiers: indices into arrays, with a type each so that they cannot be mixed up.

/// Declares a dense identifier: a `u32` in a type of its own, printed with a prefix.
///
/// ```
/// shem_base::dense_id! {
///     /// A row of the tableau.
///     pub struct RowId("r");
/// }
/// let row = RowId::new(3);
/// assert_eq!(row.index(), 3);
/// assert_eq!(format!("{row:?}"), "r3");
/// ```
#[macro_export]
macro_rules! dense_id {
    ($(#[$attribute:meta])* $visibility:vis struct $name:ident($prefix:literal);) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $visibility struct $name(u32);

        #[allow(dead_code, reason = "not every kind of identifier needs every function")]
        impl $name {
            /// The identifier of this index.
            ///
            /// # Panics
            /// If the index needs more than 32 bits.
            #[inline]
            $visibility const fn new(index: usize) -> $name {
                assert!(index <= u32::MAX as usize, "too many identifiers");
                $name(index as u32)
            }

            /// The dense index.
            #[inline]
            $visibility const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl ::core::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::write!(f, ::core::concat!($prefix, "{}"), self.0)
            }
        }
    };
}
