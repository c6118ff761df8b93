//! Programs that only some tests need and that need not be there.
//!
//! A test that cannot run must not look like one that has passed: it says so in a line that the test harness does
//! not hide, and where an environment variable asks for it (continuous integration does), it fails.

use std::io::{self, Write};

/// A program that tests start.
#[derive(Clone, Copy, Debug)]
pub struct External {
    /// Its name on the search path.
    pub program: &'static str,
    /// What is tested with it.
    pub purpose: &'static str,
    /// The environment variable that makes its absence a failure, unless it is empty or `0`.
    pub required_by: &'static str,
}

/// The broker of `--join`.
pub const REDIS: External =
    External { program: "redis-server", purpose: "joining a run", required_by: "SHEM_REQUIRE_REDIS" };

/// The oracle of the test kit.
pub const Z3: External =
    External { program: "z3", purpose: "agreement with z3", required_by: "SHEM_REQUIRE_Z3" };

/// The checker of proofs in Alethe.
pub const CARCARA: External =
    External { program: "carcara", purpose: "proofs in Alethe", required_by: "SHEM_REQUIRE_CARCARA" };

/// From Verilog to BTOR2.
pub const YOSYS: External =
    External { program: "yosys", purpose: "circuits in Verilog", required_by: "SHEM_REQUIRE_YOSYS" };

/// What runs `scripts/tidy`.
pub const PYTHON: External = External {
    program: "python3",
    purpose: "tidiness by the rules of CONTRIBUTING.md",
    required_by: "SHEM_REQUIRE_PYTHON",
};

impl External {
    /// Takes note that the program is absent.
    ///
    /// # Panics
    ///
    /// If it was asked for.
    #[track_caller]
    pub fn is_absent(&self) {
        self.skip(&format!("{} is absent", self.program));
    }

    /// Takes note that a test cannot run, for this reason.
    ///
    /// # Panics
    ///
    /// If the tests with this program were asked for.
    #[track_caller]
    pub fn skip(&self, reason: &str) {
        let External { purpose, required_by, .. } = self;
        let required = std::env::var_os(required_by).is_some_and(|value| !value.is_empty() && value != "0");
        assert!(!required, "{reason}, and {required_by} asks for the tests of {purpose}");
        // Not by a macro: the harness hides what those print.
        let line = format!("skipped: {purpose} is not tested, since {reason}\n");
        let _ = io::stderr().write_all(line.as_bytes());
    }
}
