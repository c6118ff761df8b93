//! Bit-blasting: formulas about bit-vectors as formulas about their bits.
//!
//! Every term of bit-vectors becomes a list of formulas, one a bit, by the circuits of hardware: ripple-carry adders,
//! shift-and-add multipliers, restoring dividers, barrel shifters. The formulas are terms of the store, so circuits are
//! shared and constants folded by its builders, and clauses come from the translation that all formulas go through. The
//! result has a model exactly if the formula has one; [`BitBlaster::value`] reads the bit-vectors off it.
//!
//! Functions, arrays and quantifiers over bit-vectors are refused, and so is what would take more gates than allowed: a
//! product of n bits takes about n² adders. The number of gates is known before any of them is made.

mod blaster;
mod circuits;

pub use blaster::{BitBlaster, BlastError};
