//! Names that nothing else has.

use std::collections::BTreeSet;

/// Names that are taken.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names(BTreeSet<String>);

impl Names {
    /// Takes a name; whether it was free.
    pub(crate) fn take(&mut self, name: &str) -> bool {
        self.0.insert(name.to_owned())
    }

    /// Takes this name, or one with a number behind it if it is taken.
    pub(crate) fn fresh(&mut self, name: &str) -> String {
        let mut candidate = name.to_owned();
        let mut number = 0;
        while !self.take(&candidate) {
            number += 1;
            candidate = format!("{name}!{number}");
        }
        candidate
    }
}
