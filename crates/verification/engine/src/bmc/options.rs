//! Options of bounded model checking.

use crate::settings;

settings! {
    /// Options of bounded model checking.
    pub struct BmcOptions {
        force_ts: bool = false,
            "force-ts", "turn the system into one transition system even if it need not be one";
        max_depth: Option<usize> = None, "bmc.max-depth", "the greatest number of steps to look at";
    }
}
