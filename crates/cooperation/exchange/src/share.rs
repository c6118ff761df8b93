//! What is shared.

use std::fmt;
use std::str::FromStr;

/// What instances send each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Bounded invariants of reachability engines.
    pub reach: bool,
    /// Pushed lemmas of induction engines with their counterexamples, and elements of transition powers.
    pub induction: bool,
    /// Inductive invariants, between engines of all kinds.
    pub invariants: bool,
}

impl Share {
    /// Everything.
    pub const ALL: Share = Share { reach: true, induction: true, invariants: true };
    /// Nothing.
    pub const NONE: Share = Share { reach: false, induction: false, invariants: false };
    /// Only what is of use to engines of all kinds.
    pub const INVARIANTS: Share = Share { invariants: true, ..Share::NONE };

    /// The words for what may be shared.
    pub const WORDS: &'static [&'static str] = &["none", "invariants", "reach", "induction", "all"];

    /// What these words stand for. Where lemmas that count steps are shared, invariants are, too.
    const MEANINGS: [Share; 5] = [
        Share::NONE,
        Share::INVARIANTS,
        Share { reach: true, ..Share::INVARIANTS },
        Share { induction: true, ..Share::INVARIANTS },
        Share::ALL,
    ];

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

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let meaning = Share { invariants: self.invariants || self.reach || self.induction, ..*self };
        let at = Share::MEANINGS.iter().position(|&share| share == meaning);
        f.write_str(at.map_or("none", |at| Share::WORDS[at]))
    }
}

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Share, String> {
        let at = Share::WORDS.iter().position(|&word| word == text);
        at.map(|at| Share::MEANINGS[at])
            .ok_or_else(|| format!("--share takes none, invariants, reach, induction or all, not {text}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read() {
        for word in Share::WORDS {
            let share = word.parse::<Share>().expect("a word for what is shared");
            assert_eq!((share.is_none(), share.to_string()), (*word == "none", (*word).to_owned()));
        }
        assert!("some".parse::<Share>().is_err());
    }
}
