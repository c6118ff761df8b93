//! The forms of an operator: by value and by reference on either side, all meaning `&a op &b`.

/// Given `impl Op<&T> for &T` and `impl OpAssign<&T> for T`, adds the forms that take either side by value.
macro_rules! forward_operator {
    ($type:ty, $op:ident, $method:ident, $op_assign:ident, $assign:ident) => {
        impl std::ops::$op<$type> for $type {
            type Output = $type;

            #[inline]
            fn $method(mut self, other: $type) -> $type {
                std::ops::$op_assign::$assign(&mut self, &other);
                self
            }
        }

        impl std::ops::$op<&$type> for $type {
            type Output = $type;

            #[inline]
            fn $method(mut self, other: &$type) -> $type {
                std::ops::$op_assign::$assign(&mut self, other);
                self
            }
        }

        impl std::ops::$op<$type> for &$type {
            type Output = $type;

            #[inline]
            fn $method(self, other: $type) -> $type {
                std::ops::$op::$method(self, &other)
            }
        }

        impl std::ops::$op_assign<$type> for $type {
            #[inline]
            fn $assign(&mut self, other: $type) {
                std::ops::$op_assign::$assign(self, &other);
            }
        }
    };
}

/// Converts from machine integers through `From<i64>` or, where that is too narrow, through `From<i128>`.
macro_rules! convert_words {
    ($type:ty) => {
        convert_words!($type, i64: i8 i16 i32 u8 u16 u32 isize);
        convert_words!($type, i128: u64 usize);
    };
    ($type:ty, $via:ty: $($word:ty)*) => {
        $(impl From<$word> for $type {
            #[inline]
            fn from(n: $word) -> $type {
                <$type>::from(n as $via)
            }
        })*
    };
}

pub(super) use {convert_words, forward_operator};
