//! Tests of the checker.

mod arithmetic;
mod bridge;
mod equality;
