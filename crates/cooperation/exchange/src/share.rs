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

    /// What these words stand for; several of them stand for what each does.
    const MEANINGS: [Share; 5] = [
        Share::NONE,
        Share::INVARIANTS,
        Share { reach: true, ..Share::NONE },
        Share { induction: true, ..Share::NONE },
        Share::ALL,
    ];

    /// What either shares.
    fn or(self, other: Share) -> Share {
        Share {
            reach: self.reach || other.reach,
            induction: self.induction || other.induction,
            invariants: self.invariants || other.invariants,
        }
    }

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
        let words = || Share::MEANINGS.into_iter().zip(Share::WORDS);
        let one = words().find(|(share, _)| share == self).map(|(_, word)| (*word).to_owned());
        let several = || words().filter(|(share, _)| !share.is_none() && share.or(*self) == *self);
        f.write_str(&one.unwrap_or_else(|| several().map(|(_, word)| *word).collect::<Vec<_>>().join(",")))
    }
}

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Share, String> {
        let meaning = |part: &str| {
            let at = Share::WORDS.iter().position(|&word| word == part);
            at.map(|at| Share::MEANINGS[at])
                .ok_or_else(|| format!("--share takes none, invariants, reach, induction or all, not {part}"))
        };
        text.split(',').try_fold(Share::NONE, |share, part| Ok(share.or(meaning(part)?)))
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
        assert!("some".parse::<Share>().is_err() && "reach,".parse::<Share>().is_err());
        // Invariants go with either, and both lemmas that count steps go without them.
        for (text, [reach, induction, invariants]) in [
            ("reach", [true, false, false]),
            ("invariants,reach", [true, false, true]),
            ("invariants,induction", [false, true, true]),
            ("reach,induction", [true, true, false]),
        ] {
            let share = Share { reach, induction, invariants };
            assert_eq!((text.parse(), share.to_string()), (Ok(share), text.to_owned()));
        }
        assert_eq!("induction,reach,invariants".parse(), Ok(Share::ALL));
    }
}
