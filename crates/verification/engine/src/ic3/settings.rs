//! Settings of the engine.

use crate::settings;

settings! {
    /// Settings of IC3.
    pub struct Ic3Settings {
        ctgs: usize = 3,
            "ic3.ctgs", "how many counterexamples to a generalisation are excluded one after the other",
            "ic3.md#measurements";
        ctg_depth: usize = 1,
            "ic3.ctg-depth", "how deep generalisations of such counterexamples are nested",
            "ic3.md#measurements";
        most_gates: usize = 5_000_000,
            "ic3.most-gates", "the number of gates up to which a system is looked at",
            "ic3.md#measurements";
    }
}
