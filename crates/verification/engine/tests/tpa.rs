//! `tpa` and `split-tpa` on systems with known answers; every witness and certificate is judged.

mod dag;
mod known;
mod random;
mod summaries;
