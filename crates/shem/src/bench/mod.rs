//! `shem bench`: many files, several engines, one table.
//!
//! Each file is decided by this program in a process of its own, one after the other, so that times can be compared and
//! no run disturbs another. `campaign` runs them and keeps the results in a file, from which an interrupted run goes on;
//! `results` reads and writes that file; `table` and `plot` show what came out.

mod campaign;
mod options;
mod plot;
mod results;
mod table;

pub(crate) use campaign::run;
pub(crate) use options::BENCH;
pub use options::Options;
