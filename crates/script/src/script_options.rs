//! The options that a script sets for itself with `set-option`.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;
use std::time::Duration;

use shem_smt::interpolate::ItpOptions;
use shem_term::smtlib::{Attribute, ErrorKind, ReadError};

/// A format of proofs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProofFormat {
    /// Alethe, from the assertions as they are written.
    #[default]
    Alethe,
    /// The steps of the search, over the solver's own atoms.
    Shem,
}

impl Display for ProofFormat {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ProofFormat::Alethe => "alethe",
            ProofFormat::Shem => "shem",
        })
    }
}

impl FromStr for ProofFormat {
    type Err = ();

    fn from_str(text: &str) -> Result<ProofFormat, ()> {
        match text {
            "alethe" => Ok(ProofFormat::Alethe),
            "shem" => Ok(ProofFormat::Shem),
            _ => Err(()),
        }
    }
}

/// The values of the options that SMT-LIB knows and Shem heeds, and those of its own. Models, cores, failed
/// assumptions and interpolants cost nothing until they are asked for, so they are on from the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptOptions {
    /// Whether each command that has no answer of its own is answered.
    pub print_success: bool,
    pub(crate) produce_models: bool,
    /// Whether models were switched on, and not only left on.
    announced: bool,
    pub(crate) produce_unsat_cores: bool,
    /// Whether cores of Horn problems are made minimal.
    pub minimal_unsat_cores: bool,
    pub(crate) produce_unsat_assumptions: bool,
    pub(crate) produce_interpolants: bool,
    pub(crate) produce_assertions: bool,
    pub(crate) produce_assignments: bool,
    pub(crate) produce_proofs: bool,
    /// How proofs are printed.
    pub(crate) proof_format: ProofFormat,
    pub(crate) global_declarations: bool,
    pub(crate) random_seed: u64,
    pub(crate) verbosity: u64,
    /// Conflicts for each query; 0 means no limit.
    pub(crate) resource_limit: u64,
    /// Milliseconds for each query; 0 means no limit.
    pub(crate) timeout: u64,
    /// Algorithms of interpolation.
    pub(crate) interpolation: ItpOptions,
}

impl Default for ScriptOptions {
    fn default() -> Self {
        ScriptOptions {
            print_success: false,
            produce_models: true,
            announced: false,
            produce_unsat_cores: true,
            minimal_unsat_cores: false,
            produce_unsat_assumptions: true,
            produce_interpolants: true,
            produce_assertions: false,
            produce_assignments: false,
            produce_proofs: false,
            proof_format: ProofFormat::default(),
            global_declarations: false,
            random_seed: 0,
            verbosity: 0,
            resource_limit: 0,
            timeout: 0,
            interpolation: ItpOptions::default(),
        }
    }
}

/// What the values of options are, for messages.
const FLAG: &str = "true or false";
const NUMBER: &str = "a numeral below 2^64";
const FORMAT: &str = "alethe or shem";
const SYSTEM: &str = "mcmillan, pudlak, dual-mcmillan, occurrence or proof-sensitive";
const THEORY: &str = "farkas, dual-farkas, decomposed or dual-decomposed";

/// The value of an option.
trait OptionValue: Display {
    /// Takes the value of this text, if it is one.
    fn set(&mut self, text: &str) -> bool;
}

impl<T: FromStr + Display> OptionValue for T {
    fn set(&mut self, text: &str) -> bool {
        text.parse().map(|value| *self = value).is_ok()
    }
}

impl ScriptOptions {
    /// An option's place in the struct, and what its values are.
    fn find(&mut self, keyword: &str) -> Option<(&mut dyn OptionValue, &'static str)> {
        Some(match keyword {
            ":print-success" => (&mut self.print_success, FLAG),
            ":produce-models" => (&mut self.produce_models, FLAG),
            ":produce-unsat-cores" => (&mut self.produce_unsat_cores, FLAG),
            ":minimal-unsat-cores" => (&mut self.minimal_unsat_cores, FLAG),
            ":produce-unsat-assumptions" => (&mut self.produce_unsat_assumptions, FLAG),
            ":produce-interpolants" => (&mut self.produce_interpolants, FLAG),
            ":interpolation-system" => (&mut self.interpolation.system, SYSTEM),
            ":interpolation-theory" => (&mut self.interpolation.theory, THEORY),
            ":prune-interpolants" => (&mut self.interpolation.prune, FLAG),
            ":simplify-interpolants" => (&mut self.interpolation.simplify, FLAG),
            ":produce-assertions" | ":interactive-mode" => (&mut self.produce_assertions, FLAG),
            ":produce-assignments" => (&mut self.produce_assignments, FLAG),
            ":produce-proofs" => (&mut self.produce_proofs, FLAG),
            ":proof-format" => (&mut self.proof_format, FORMAT),
            ":global-declarations" => (&mut self.global_declarations, FLAG),
            ":random-seed" => (&mut self.random_seed, NUMBER),
            ":verbosity" => (&mut self.verbosity, NUMBER),
            ":reproducible-resource-limit" => (&mut self.resource_limit, NUMBER),
            ":timeout" => (&mut self.timeout, NUMBER),
            _ => return None,
        })
    }

    /// Sets an option. `false` if Shem does not support it.
    pub fn set(&mut self, attribute: &Attribute<'_>) -> Result<bool, ReadError> {
        let Attribute { keyword, value, span } = *attribute;
        let Some((option, values)) = self.find(keyword) else {
            return Ok(false);
        };
        // OpenSMT's option of this name is a number, and its scripts say 1.
        let value = match (keyword, value) {
            (":produce-interpolants", "0") => "false",
            (":produce-interpolants", "1") => "true",
            _ => value,
        };
        if !option.set(value) {
            let message = format!("the option {keyword} needs {values}");
            return Err(ReadError::new(ErrorKind::Syntax, span, message));
        }
        self.announced |= keyword == ":produce-models" && self.produce_models;
        Ok(true)
    }

    /// The value of an option as it is printed.
    pub fn get(&mut self, keyword: &str) -> Option<String> {
        self.find(keyword).map(|(option, _)| option.to_string())
    }

    /// Whether the script has said that it will ask for models or proofs.
    pub fn announces_witness(&self) -> bool {
        self.announced || self.produce_proofs
    }

    /// The time for each query, if it is limited.
    pub fn query_timeout(&self) -> Option<Duration> {
        // These two mean no limit in z3, whose option this is.
        let unlimited = matches!(self.timeout, 0 | 4_294_967_295);
        (!unlimited).then(|| Duration::from_millis(self.timeout))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shem_term::smtlib::Span;

    #[test]
    fn options_are_set_and_read_back() {
        let mut options = ScriptOptions::default();
        let mut set = |keyword, value| options.set(&Attribute { keyword, value, span: Span::new(0, 1) });
        assert_eq!(set(":print-success", "true"), Ok(true));
        assert_eq!(set(":timeout", "250"), Ok(true));
        assert_eq!(set(":proof-format", "shem"), Ok(true));
        assert!(set(":proof-format", "lfsc").is_err());
        assert_eq!(set(":unheard-of", "1"), Ok(false));
        assert_eq!(set(":interpolation-theory", "decomposed"), Ok(true));
        assert!(set(":interpolation-system", "craig").is_err());
        assert!(set(":print-success", "1").is_err());
        assert_eq!(set(":produce-interpolants", "1"), Ok(true));
        assert_eq!(set(":produce-interpolants", "0"), Ok(true));
        assert!(set(":produce-interpolants", "2").is_err());
        assert!(set(":timeout", "(- 1)").is_err());
        assert_eq!(options.get(":print-success").as_deref(), Some("true"));
        assert_eq!(options.get(":produce-interpolants").as_deref(), Some("false"));
        assert_eq!(options.get(":proof-format").as_deref(), Some("shem"));
        assert_eq!(options.get(":unheard-of"), None);
        assert_eq!(options.query_timeout(), Some(Duration::from_millis(250)));
    }
}
