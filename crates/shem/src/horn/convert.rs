//! `shem convert`: a problem in another language.
//!
//! Whatever is read is clauses, a transition system or a circuit. A script with several checks, or a VMT file with several
//! properties, becomes a script with as many checks and a `reset` between them; VMT has no such thing, so there only one
//! is written. A circuit stays one, with all its properties, in the languages of circuits.

use std::path::Path;
use std::str::FromStr;

use clap::ValueEnum;
use shem_chc::{System, write_fixed_point, write_system};
use shem_circuit::Circuit;
use shem_term::Store;
use shem_vmt::{Vmt, write_vmt};

use super::options::Options;
use crate::format::{Contents, read_contents};
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
    /// A circuit in BTOR2.
    Btor2,
    /// A circuit of gates in AIGER, as text.
    Aag,
    /// A circuit of gates in AIGER, encoded.
    Aig,
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
pub(crate) fn convert(format: Format, file: &Path, options: &Options) -> Result<Vec<u8>, String> {
    let name = input::name(file);
    let mut store = Store::new();
    let (contents, read) = read_contents(file, &mut store, options)?;
    let words = |message: String| format!("{name}: {message}");
    let contents = match (contents, format) {
        (Contents::Circuit(mut circuit, _), Format::Btor2 | Format::Aag | Format::Aig) => {
            circuit.keep_properties(|index| options.property.is_none_or(|chosen| chosen == index as u64));
            return write_circuit(format, &circuit).map_err(words);
        }
        (contents, _) => contents,
    };
    let systems = contents.systems(&mut store, options).map_err(words)?;
    if let (Format::Vmt | Format::Btor2 | Format::Aag | Format::Aig, [_, _, ..]) = (format, &systems[..]) {
        let count = systems.len();
        let choose = if read.is_script() { "" } else { ": choose one by --property" };
        let language = if format == Format::Vmt { "VMT" } else { "a circuit" };
        return Err(words(format!("there are {count} questions, and {language} is written for one{choose}")));
    }
    let is_script = matches!(format, Format::Chc | Format::FixedPoint);
    if !is_script && systems.iter().any(|system| system.has_premises()) {
        return Err(words(
            "clauses with a predicate under a quantifier in the body are no transition system".to_owned(),
        ));
    }
    if systems.iter().any(|system| system.first_stronger.is_some()) {
        let message = "operations on single bits of unknown numbers and heaps from nowhere are approximated: the clauses are not those of";
        return Err(words(format!("{message} the input")));
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
            Format::Btor2 | Format::Aag | Format::Aig => circuit_of(&mut store, system)
                .and_then(|circuit| write_circuit(format, &circuit))
                .map(|bytes| out = bytes),
        };
        written.map_err(words)?;
    }
    Ok(out)
}

/// Clauses as a circuit.
fn circuit_of(store: &mut Store, system: &System) -> Result<Circuit, String> {
    let vmt = Vmt::of_clauses(store, system).map_err(|error| error.to_string())?;
    Circuit::of_transitions(store, &vmt).map_err(|error| error.to_string())
}

/// A circuit in one of its languages.
fn write_circuit(format: Format, circuit: &Circuit) -> Result<Vec<u8>, String> {
    match format {
        Format::Btor2 => circuit
            .btor2()
            .map(String::into_bytes)
            .ok_or_else(|| "BTOR2 has constant arrays only as values of states at the start".to_owned()),
        _ => circuit.aiger(format == Format::Aig).ok_or_else(|| "AIGER has no arrays".to_owned()),
    }
}
