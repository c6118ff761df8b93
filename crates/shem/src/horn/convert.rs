//! `shem convert`: a problem in another language.
//!
//! Whatever is read is clauses or a transition system. A script with several checks, or a VMT file with several
//! properties, becomes a script with as many checks and a `reset` between them; VMT has no such thing, so there only one
//! is written.

use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use clap::ValueEnum;
use shem_base::StopToken;
use shem_chc::{Request, Script, System, write_fixed_point, write_system};
use shem_term::Store;
use shem_term::smtlib::{Location, ReadError};
use shem_vmt::{Reduction, Vmt, is_vmt, write_vmt};

use super::options::Options;
use crate::input;

/// A language for problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Horn clauses as CHC-COMP has them.
    Chc,
    /// The fixed-point form of z3.
    #[value(name = "fixedpoint")]
    FixedPoint,
    /// A transition system in VMT.
    Vmt,
}

impl Format {
    /// The words for the formats.
    pub(crate) fn words() -> Vec<String> {
        let values = Format::value_variants().iter().filter_map(ValueEnum::to_possible_value);
        values.map(|value| value.get_name().to_owned()).collect()
    }
}

impl FromStr for Format {
    type Err = ();

    fn from_str(text: &str) -> Result<Format, ()> {
        <Format as ValueEnum>::from_str(text, false).map_err(|_| ())
    }
}

/// A problem in another language. The error says why it cannot be read or written.
pub(crate) fn convert(format: Format, file: &Path, options: &Options) -> Result<String, String> {
    let name = input::name(file);
    let bytes = input::read(file).map_err(|error| format!("{name}: {error}"))?;
    let text = String::from_utf8(bytes).map_err(|error| format!("{name}: {error}"))?;
    let is_vmt = is_vmt(&text) || file.extension().is_some_and(|extension| extension == "vmt");
    let mut store = Store::new();
    let systems = match is_vmt {
        true => properties(&name, &text, &mut store, options)?,
        false => checks(&name, &text, &mut store)?,
    };
    if let (Format::Vmt, [_, _, ..]) = (format, &systems[..]) {
        let count = systems.len();
        let choose = if is_vmt { ": choose one by --property" } else { "" };
        return Err(format!("{name}: there are {count} questions, and VMT is written for one{choose}"));
    }
    let mut out = Vec::new();
    for (i, system) in systems.iter().enumerate() {
        if i > 0 {
            out.extend_from_slice(b"(reset)\n");
        }
        let written = match format {
            Format::Chc => write_system(&mut out, &mut store, system).map_err(|error| error.to_string()),
            Format::FixedPoint => {
                write_fixed_point(&mut out, &mut store, system).map_err(|error| error.to_string())
            }
            Format::Vmt => write_vmt(&mut out, &mut store, system).map_err(|error| error.to_string()),
        };
        written.map_err(|message| format!("{name}: {message}"))?;
    }
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// The message for a mistake in a text.
fn place(name: &str, text: &str, error: &ReadError) -> String {
    let Location { line, column } = Location::of(text, error.span.start);
    format!("{name}:{line}:{column}: error: {}", error.message)
}

/// The systems of the checks of a script; the one at the end if there is no check.
fn checks(name: &str, text: &str, store: &mut Store) -> Result<Vec<Arc<System>>, String> {
    let script = Script::read(store, text, &StopToken::new()).map_err(|error| place(name, text, &error))?;
    let mut systems = Vec::new();
    for request in &script.requests {
        if let Request::Check { system, .. } = request {
            systems.push(Arc::clone(system));
        }
    }
    if systems.is_empty() {
        systems.push(Arc::clone(&script.system));
    }
    Ok(systems)
}

/// The clauses of the properties of a VMT file, as they decide the properties.
fn properties(
    name: &str,
    text: &str,
    store: &mut Store,
    options: &Options,
) -> Result<Vec<Arc<System>>, String> {
    let vmt = Vmt::read(store, text).map_err(|error| place(name, text, &error))?;
    let mut systems = Vec::new();
    for property in &vmt.properties {
        if options.property.is_some_and(|index| index != property.index) {
            continue;
        }
        let mut reduction = Reduction::of(property.kind);
        if let (Reduction::Lasso, Some(variable)) = (reduction, vmt.infinite_variable(store)) {
            let Some(bound) = options.live_bound else {
                return Err(format!("{name}: {}", super::vmt::infinite(property, variable)));
            };
            reduction = Reduction::Count(bound);
        }
        let encoding = vmt.clauses(store, property, reduction).map_err(|error| format!("{name}: {error}"))?;
        systems.push(encoding.system);
    }
    match (systems.is_empty(), options.property) {
        (false, _) => Ok(systems),
        (true, Some(index)) => Err(format!("{name}: there is no property {index}")),
        (true, None) => Err(format!("{name}: there is no property")),
    }
}

/// The first property of a VMT file as a script of clauses.
pub(super) fn first_property(name: &str, text: &str) -> Result<String, String> {
    let mut store = Store::new();
    let systems = properties(name, text, &mut store, &Options::default())?;
    let mut out = Vec::new();
    write_system(&mut out, &mut store, &systems[0]).map_err(|error| format!("{name}: {error}"))?;
    Ok(String::from_utf8_lossy(&out).into_owned())
}
