//! Tests of the core against exhaustive search, with checked models, cores and proofs.

mod cases;
mod differences;
mod oracle;
mod random;
