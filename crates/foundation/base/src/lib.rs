//! What all other crates use: exact numbers, literals, budgets, seeded randomness, statistics and dense sets.
//!
//! Nothing here knows about terms, clauses or solvers. Results do not depend on addresses, hash order or the
//! clock, so the same seed gives the same run.

mod bits;
mod budget;
mod id;
mod lit;
mod messages;
mod meter;
mod num;
mod rng;
mod stamp;
mod stats;
mod work;

pub use bits::BitVec;
pub use budget::{Budget, Effort, Pace, StopToken, UnknownReason};
pub use lit::{Lit, Var};
pub use messages::{closest, counted, hint};
pub use meter::{CheckDepth, Meter, Reading, Since, Work};
pub use num::{DeltaRat, Int, ParseNumberError, Rat};
pub use rng::{Rng, TieBreak};
pub use stamp::{StampMap, StampSet};
pub use stats::{Statistic, Statistics};
pub use work::{add_work, work_done};
