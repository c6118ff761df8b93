//! `shem convert`: a problem in another language.
//!
//! Whatever is read is clauses or a transition system. A script with several checks, or a VMT file with several
//! properties, becomes a script with as many checks and a `reset` between them; VMT has no such thing, so there only one
//! is written.

use std::path::Path;
use std::str::FromStr;

use clap::ValueEnum;
use shem_chc::{write_fixed_point, write_system};
use shem_term::Store;
use shem_vmt::write_vmt;

use super::options::Options;
use crate::format::read_systems;
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
    let mut store = Store::new();
    let (systems, read) = read_systems(file, &mut store, options)?;
    if let (Format::Vmt, [_, _, ..]) = (format, &systems[..]) {
        let count = systems.len();
        let choose = if read.is_script() { "" } else { ": choose one by --property" };
        return Err(format!("{name}: there are {count} questions, and VMT is written for one{choose}"));
    }
    if systems.iter().any(|system| system.is_over_approximated()) {
        let message =
            "operations on single bits of unknown numbers are approximated: the clauses are not those of";
        return Err(format!("{name}: {message} the input"));
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
