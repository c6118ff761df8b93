//! What is shared.

use std::str::FromStr;

/// What instances tell each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Bounded invariants of reachability engines.
    pub reach: bool,
    /// Pushed lemmas of induction engines with their counterexamples, and elements of transition powers.
    pub induction: bool,
}

impl Share {
    /// Everything.
    pub const ALL: Share = Share { reach: true, induction: true };
    /// Nothing.
    pub const NONE: Share = Share { reach: false, induction: false };

    /// The words for what may be shared.
    pub const WORDS: &'static [&'static str] = &["none", "reach", "induction", "all"];

    /// Whether nothing is shared.
    pub fn is_none(self) -> bool {
        self == Share::NONE
    }
}

impl Default for Share {
    fn default() -> Share {
        Share::ALL
    }
}

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Share, String> {
        match text {
            "none" => Ok(Share::NONE),
            "reach" => Ok(Share { reach: true, induction: false }),
            "induction" => Ok(Share { reach: false, induction: true }),
            "all" => Ok(Share::ALL),
            _ => Err(format!("--share takes none, reach, induction or all, not {text}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read() {
        for word in Share::WORDS {
            assert_eq!(word.parse::<Share>().map(Share::is_none), Ok(*word == "none"));
        }
        assert!("some".parse::<Share>().is_err());
    }
}
