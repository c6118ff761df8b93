//! The logics whose name `set-logic` accepts.
//!
//! The name of a logic says which theories it has, one after the other: `QF_` if it has no quantifiers, `A` or `AX`
//! for arrays, `UF` for functions, `BV` for bit-vectors, `DT` for datatypes, and at the end the kind of arithmetic. A logic does not restrict
//! what a script may say: terms of all sorts are read and decided in each of them. It only settles whether a numeral
//! is an integer or a real, and whether quantifiers are eliminated.

use std::fmt;

use shem_base::hint;

/// The theories that a name may have before its arithmetic, and for those that Shem does not have, what they are.
const THEORIES: [(&str, Option<&str>); 9] = [
    ("A", None),
    ("UF", None),
    ("BV", None),
    ("FF", Some("finite fields")),
    ("FP", Some("floating-point numbers")),
    ("DT", None),
    ("FS", Some("finite sets")),
    ("SEQ", Some("sequences")),
    ("S", Some("strings")),
];

/// The kinds of arithmetic, and whether reals are its only numbers.
const ARITHMETICS: [(&str, bool); 8] = [
    ("IDL", false),
    ("RDL", true),
    ("LIA", false),
    ("LRA", true),
    ("LIRA", false),
    ("NIA", false),
    ("NRA", true),
    ("NIRA", false),
];

/// The logics that suggestions are made from.
const COMMON: [&str; 11] = [
    "ALL",
    "LIA",
    "LRA",
    "QF_AUFBV",
    "QF_AUFLIA",
    "QF_BV",
    "QF_LIA",
    "QF_LIRA",
    "QF_LRA",
    "QF_UF",
    "QF_UFLIA",
];

/// A logic of SMT-LIB that Shem knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logic {
    name: String,
    reals_only: bool,
    has_numbers: bool,
}

/// Why a name is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogicError {
    /// The logic of this name has a theory that Shem does not have.
    Theory(String, &'static str),
    /// There is no logic of this name.
    Unknown(String),
}

impl fmt::Display for LogicError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LogicError::Theory(name, theory) => {
                write!(f, "the logic {name} is not supported: {theory} are not supported yet")
            }
            LogicError::Unknown(name) if name == "HORN" => {
                f.write_str("HORN is the logic of Horn clauses: run shem without the word smt")
            }
            LogicError::Unknown(name) => {
                write!(f, "the logic {name} is not supported (known are {})", Logic::names())?;
                match name.to_uppercase() {
                    upper if Logic::from_name(&upper).is_ok() => write!(f, "; did you mean {upper}?"),
                    _ => f.write_str(&hint(name, COMMON)),
                }
            }
        }
    }
}

impl std::error::Error for LogicError {}

impl Logic {
    /// The logic of this name.
    pub fn from_name(name: &str) -> Result<Logic, LogicError> {
        let made = |reals_only, has_numbers| Logic { name: name.to_owned(), reals_only, has_numbers };
        if matches!(name, "ALL" | "QF_BOOL") {
            return Ok(made(false, name == "ALL"));
        }
        let mut rest = name.strip_prefix("QF_").unwrap_or(name);
        let (mut missing, mut some) = (None, false);
        for (letters, theory) in THEORIES {
            if let Some(after) = rest.strip_prefix(letters) {
                let extensional = if letters == "A" { after.strip_prefix('X') } else { None };
                (rest, some) = (extensional.unwrap_or(after), true);
                missing = missing.or(theory);
            }
        }
        let reals_only = match ARITHMETICS.iter().find(|(letters, _)| *letters == rest) {
            Some(&(_, reals_only)) => reals_only,
            None if rest.is_empty() && some => false,
            None => return Err(LogicError::Unknown(name.to_owned())),
        };
        match missing {
            Some(theory) => Err(LogicError::Theory(name.to_owned(), theory)),
            None => Ok(made(reals_only, !rest.is_empty())),
        }
    }

    /// The names of all logics, in words.
    pub fn names() -> String {
        let arithmetics = ARITHMETICS.map(|(letters, _)| letters).join(", ");
        format!(
            "ALL, QF_BOOL, and what is made of QF_, A or AX, UF, BV, DT and one of {arithmetics}, in this order"
        )
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether its only numbers are reals.
    pub fn reals_only(&self) -> bool {
        self.reals_only
    }

    /// Whether it has integers or reals. In a logic without, scripts may declare symbols and sorts of these names.
    pub fn has_numbers(&self) -> bool {
        self.has_numbers
    }

    /// Whether quantifiers are eliminated. In the other logics they are read, and answered with `unknown` unless the
    /// formula can be decided without looking inside.
    pub fn eliminates_quantifiers(&self) -> bool {
        !self.name.starts_with("QF_")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_of_theories() {
        for name in [
            "ALL",
            "QF_BOOL",
            "QF_UF",
            "UF",
            "QF_AX",
            "QF_ALIA",
            "QF_AUFLIA",
            "QF_AUFLIRA",
            "QF_DT",
            "QF_UFDT",
            "QF_UFDTLIA",
            "QF_AUFDTLIRA",
            "QF_UFIDL",
            "QF_RDL",
            "LIA",
            "AUFLIA",
            "QF_NIA",
            "QF_UFNRA",
            "AUFDTNIRA",
            "QF_BV",
            "QF_AUFBV",
            "QF_UFBVDTLIA",
            "BV",
        ] {
            assert_eq!(Logic::from_name(name).map(|logic| logic.name), Ok(name.to_owned()));
        }
        for name in [
            "",
            "QF_",
            "QF",
            "LIAUF",
            "QF_UFUF",
            "QF_AAX",
            "QF_AXALIA",
            "QF_LIA_",
            "qf_lia",
            "HORN",
            "QF_NRAT",
        ] {
            assert_eq!(Logic::from_name(name), Err(LogicError::Unknown(name.to_owned())), "{name}");
        }
        for (name, theory) in [
            ("QF_FP", "floating-point numbers"),
            ("QF_BVFPLRA", "floating-point numbers"),
            ("QF_SLIA", "strings"),
        ] {
            assert_eq!(Logic::from_name(name), Err(LogicError::Theory(name.to_owned(), theory)), "{name}");
        }
    }

    #[test]
    fn the_arithmetic_settles_numerals() {
        let reals_only = |name| Logic::from_name(name).map(|logic| logic.reals_only());
        assert_eq!(reals_only("QF_UFLRA"), Ok(true));
        assert_eq!(reals_only("QF_AUFLIRA"), Ok(false));
        assert_eq!(reals_only("QF_UF"), Ok(false));
        for (name, has_numbers) in [("QF_UF", false), ("QF_AX", false), ("QF_UFLIA", true), ("ALL", true)] {
            assert_eq!(Logic::from_name(name).map(|logic| logic.has_numbers()), Ok(has_numbers), "{name}");
        }
    }
}
