//! The options that a script sets for itself with `set-option`.

use std::time::Duration;

use shem_smt::interpolate::{InterpolationSystem, ItpOptions, TheoryRule};
use shem_term::smtlib::{Attribute, ErrorKind, ReadError};

/// The values of the options that SMT-LIB knows and Shem heeds, and those of its own. Models, cores, failed
/// assumptions and interpolants cost nothing until they are asked for, so they are on from the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ScriptOptions {
    pub(super) print_success: bool,
    pub(super) produce_models: bool,
    pub(super) produce_unsat_cores: bool,
    pub(super) produce_unsat_assumptions: bool,
    pub(super) produce_interpolants: bool,
    pub(super) produce_assertions: bool,
    pub(super) global_declarations: bool,
    pub(super) random_seed: u64,
    pub(super) verbosity: u64,
    /// Conflicts for each query; 0 means no limit.
    pub(super) resource_limit: u64,
    /// Milliseconds for each query; 0 means no limit.
    pub(super) timeout: u64,
    /// Algorithms of interpolation.
    pub(super) interpolation: ItpOptions,
}

impl Default for ScriptOptions {
    fn default() -> Self {
        ScriptOptions {
            print_success: false,
            produce_models: true,
            produce_unsat_cores: true,
            produce_unsat_assumptions: true,
            produce_interpolants: true,
            produce_assertions: false,
            global_declarations: false,
            random_seed: 0,
            verbosity: 0,
            resource_limit: 0,
            timeout: 0,
            interpolation: ItpOptions::default(),
        }
    }
}

const SYSTEMS: &str = "mcmillan, pudlak, dual-mcmillan, occurrence or proof-sensitive";
const THEORIES: &str = "farkas, dual-farkas, decomposed or dual-decomposed";

/// An option's place in the struct.
enum Slot<'a> {
    Flag(&'a mut bool),
    Number(&'a mut u64),
    System(&'a mut InterpolationSystem),
    Theory(&'a mut TheoryRule),
    /// A channel that cannot be redirected: the only value it accepts.
    Fixed(&'static str),
}

impl ScriptOptions {
    fn slot(&mut self, keyword: &str) -> Option<Slot<'_>> {
        Some(match keyword {
            ":print-success" => Slot::Flag(&mut self.print_success),
            ":produce-models" => Slot::Flag(&mut self.produce_models),
            ":produce-unsat-cores" => Slot::Flag(&mut self.produce_unsat_cores),
            ":produce-unsat-assumptions" => Slot::Flag(&mut self.produce_unsat_assumptions),
            ":produce-interpolants" => Slot::Flag(&mut self.produce_interpolants),
            ":interpolation-system" => Slot::System(&mut self.interpolation.system),
            ":interpolation-theory" => Slot::Theory(&mut self.interpolation.theory),
            ":prune-interpolants" => Slot::Flag(&mut self.interpolation.prune),
            ":simplify-interpolants" => Slot::Flag(&mut self.interpolation.simplify),
            ":produce-assertions" | ":interactive-mode" => Slot::Flag(&mut self.produce_assertions),
            ":global-declarations" => Slot::Flag(&mut self.global_declarations),
            ":random-seed" => Slot::Number(&mut self.random_seed),
            ":verbosity" => Slot::Number(&mut self.verbosity),
            ":reproducible-resource-limit" => Slot::Number(&mut self.resource_limit),
            ":timeout" => Slot::Number(&mut self.timeout),
            ":regular-output-channel" => Slot::Fixed("\"stdout\""),
            ":diagnostic-output-channel" => Slot::Fixed("\"stderr\""),
            _ => return None,
        })
    }

    /// Sets an option. `false` if Shem does not support it, or not with this value.
    pub(super) fn set(&mut self, attribute: &Attribute<'_>) -> Result<bool, ReadError> {
        let wrong = |expected: &str| {
            let message = format!("the option {} needs {expected}", attribute.keyword);
            ReadError::new(ErrorKind::Syntax, attribute.span, message)
        };
        match self.slot(attribute.keyword) {
            None => return Ok(false),
            Some(Slot::Flag(flag)) => {
                *flag = match attribute.value {
                    "true" => true,
                    "false" => false,
                    _ => return Err(wrong("true or false")),
                }
            }
            Some(Slot::Number(number)) => {
                *number = attribute.value.parse().map_err(|_| wrong("a numeral below 2^64"))?;
            }
            Some(Slot::System(system)) => {
                *system = attribute.value.parse().map_err(|_| wrong(SYSTEMS))?;
            }
            Some(Slot::Theory(theory)) => {
                *theory = attribute.value.parse().map_err(|_| wrong(THEORIES))?;
            }
            Some(Slot::Fixed(only)) => return Ok(attribute.value == only),
        }
        Ok(true)
    }

    /// The value of an option as it is printed.
    pub(super) fn get(&mut self, keyword: &str) -> Option<String> {
        Some(match self.slot(keyword)? {
            Slot::Flag(flag) => flag.to_string(),
            Slot::Number(number) => number.to_string(),
            Slot::System(system) => system.to_string(),
            Slot::Theory(theory) => theory.to_string(),
            Slot::Fixed(only) => only.to_owned(),
        })
    }

    /// The time for each query, if it is limited.
    pub(super) fn query_timeout(&self) -> Option<Duration> {
        (self.timeout > 0).then(|| Duration::from_millis(self.timeout))
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
        assert_eq!(set(":regular-output-channel", "\"file\""), Ok(false));
        assert_eq!(set(":unheard-of", "1"), Ok(false));
        assert_eq!(set(":interpolation-theory", "decomposed"), Ok(true));
        assert!(set(":interpolation-system", "craig").is_err());
        assert!(set(":print-success", "1").is_err());
        assert!(set(":timeout", "(- 1)").is_err());
        assert_eq!(options.get(":print-success").as_deref(), Some("true"));
        assert_eq!(options.get(":unheard-of"), None);
        assert_eq!(options.query_timeout(), Some(Duration::from_millis(250)));
    }
}
