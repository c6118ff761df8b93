//! Tests of the checker.

mod arithmetic;
