//! Terms of bit-vectors, in canonical form.
//!
//! Terms are made of the few operations of [`BitOp`](crate::BitOp); what else SMT-LIB has is written by them, so that
//! whoever looks at terms has little to know:
//!
//! - Sums are collected: leaves with coefficients modulo 2^n, sorted, and a number at the end. `bvneg`, `bvsub`, the
//!   negation of a sum and shifts to the left by a number are such sums; equations are solved for a leaf with an odd
//!   coefficient.
//! - Bitwise operations are conjunction, exclusive disjunction and negation. A disjunction is the negation of a
//!   conjunction of negations, as for formulas.
//! - Extracts are pushed inwards as far as they go without making the term larger; shifts to the right by a number,
//!   rotations, repetitions and zero extensions are extracts and concatenations.
//! - Comparisons are `<=` with and without signs, with a number on the right side only.
//! - Quotients and remainders with signs are conditionals over those without.

mod bitwise;
mod convert;
mod division;
mod overflow;
mod parts;
mod relations;
mod sums;
mod symbols;
