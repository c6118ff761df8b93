//! The languages of Horn problems, each behind one trait.
//!
//! A script is a conversation, read and answered command by command; clauses as CHC-COMP has them and the fixed-point
//! form of z3 are two dialects of it with one reader. Any other language is read as a whole and becomes a transition
//! system with properties, whose answers go back to the words of the file.
//!
//! A new language implements [`InputFormat`] and gets a line in [`FORMATS`].

use std::path::Path;
use std::sync::Arc;

use shem_base::StopToken;
use shem_chc::{Request, Script, System};
use shem_circuit::{Circuit, NoWitness, Run, aiger_text, is_aiger, is_btor2};
use shem_term::Store;
use shem_term::smtlib::{ErrorKind, Location, ReadError, Span};
use shem_termination::{Runs, is_ari, read_ari};
use shem_vmt::{Mistake, PropertyKind, Reduction, Vmt, is_vmt};

use crate::horn::{Options, infinite_states};
use crate::input;

/// A language of Horn problems.
pub(crate) trait InputFormat: Sync {
    /// Its name in messages.
    fn name(&self) -> &'static str;

    /// Whether an input is in this language: by its path, and by what it begins with or all of it.
    fn recognises(&self, path: &Path, text: &str) -> bool;

    /// Whether it is read command by command.
    fn is_script(&self) -> bool {
        false
    }

    /// Reads a text that is there as a whole.
    fn read(&self, store: &mut Store, text: &str) -> Result<Contents, ReadError>;

    /// Reads a text whose runs are asked for: whether they end.
    fn read_runs(&self, store: &mut Store, text: &str) -> Result<Runs, ReadError> {
        let vmt = match self.read(store, text)? {
            Contents::Transitions(vmt) => vmt,
            Contents::Circuit(circuit, _) => circuit.transitions(store).vmt,
            Contents::Runs(system) => return Ok(Runs { system, complete: true }),
            // Formulas that are read are simplified, and steps may be lost.
            Contents::Checks(systems) => {
                let system = systems.into_iter().next().unwrap_or_default();
                return Ok(Runs { system, complete: false });
            }
        };
        let system = vmt
            .runs(store)
            .map_err(|error| ReadError::new(ErrorKind::Unsupported, Span::new(0, 0), error.to_string()))?;
        Ok(Runs { system, complete: true })
    }

    /// Reads such a text about which formulas of temporal logic are asked, instead of what it asks itself.
    fn read_asking(&self, store: &mut Store, text: &str, formulas: &[String]) -> Result<Contents, Mistake> {
        if formulas.is_empty() {
            return Ok(self.read(store, text)?);
        }
        let message = format!("formulas are asked about transition systems in VMT, not in {}", self.name());
        let error = ReadError::new(ErrorKind::Unsupported, Span::new(0, 0), message);
        Err(Mistake { formula: Some(0), error })
    }
}

/// What a text contains.
pub(crate) enum Contents {
    /// The systems of the checks of a script; the one at the end if there is no check.
    Checks(Vec<Arc<System>>),
    /// A transition system with its properties.
    Transitions(Vmt),
    /// Clauses whose runs are asked for: whether they end.
    Runs(Arc<System>),
    /// A circuit, and how its witnesses are written.
    Circuit(Circuit, CircuitFormat),
}

/// The languages, in the order in which they are tried. The last one takes whatever is left.
static FORMATS: [&dyn InputFormat; 5] =
    [&CircuitFormat::Btor2, &CircuitFormat::Aiger, &AriFormat, &VmtFormat, &SmtLib];

/// The language of an input.
pub(crate) fn recognise(path: &Path, text: &str) -> &'static dyn InputFormat {
    FORMATS.into_iter().find(|format| format.recognises(path, text)).unwrap_or(&SmtLib)
}

/// The text of an input: its bytes, but where a language that is no text needs others.
pub(crate) fn text_of_bytes(bytes: Vec<u8>) -> Vec<u8> {
    aiger_text(&bytes).map_or(bytes, String::into_bytes)
}

/// Scripts of SMT-LIB: Horn clauses, or rules and queries.
struct SmtLib;

impl InputFormat for SmtLib {
    fn name(&self) -> &'static str {
        "SMT-LIB"
    }

    fn recognises(&self, _: &Path, _: &str) -> bool {
        true
    }

    fn is_script(&self) -> bool {
        true
    }

    fn read(&self, store: &mut Store, text: &str) -> Result<Contents, ReadError> {
        let script = Script::read(store, text, &StopToken::new())?;
        let check = |request: &Request| match request {
            Request::Check { system, .. } => Some(Arc::clone(system)),
            _ => None,
        };
        let mut systems: Vec<Arc<System>> = script.requests.iter().filter_map(check).collect();
        if systems.is_empty() {
            systems.push(script.system);
        }
        Ok(Contents::Checks(systems))
    }

    fn read_runs(&self, store: &mut Store, text: &str) -> Result<Runs, ReadError> {
        Runs::read(store, text)
    }
}

/// Transition systems in VMT.
struct VmtFormat;

impl InputFormat for VmtFormat {
    fn name(&self) -> &'static str {
        "VMT"
    }

    fn recognises(&self, path: &Path, text: &str) -> bool {
        path.extension().is_some_and(|extension| extension == "vmt") || is_vmt(text)
    }

    fn read(&self, store: &mut Store, text: &str) -> Result<Contents, ReadError> {
        Vmt::read(store, text).map(Contents::Transitions)
    }

    fn read_asking(&self, store: &mut Store, text: &str, formulas: &[String]) -> Result<Contents, Mistake> {
        Vmt::read_asking(store, text, formulas).map(Contents::Transitions)
    }
}

/// Integer transition systems in ARI.
struct AriFormat;

impl InputFormat for AriFormat {
    fn name(&self) -> &'static str {
        "ARI"
    }

    fn recognises(&self, path: &Path, text: &str) -> bool {
        path.extension().is_some_and(|extension| extension == "ari") || is_ari(text)
    }

    fn read(&self, store: &mut Store, text: &str) -> Result<Contents, ReadError> {
        read_ari(store, text).map(|system| Contents::Runs(Arc::new(system)))
    }
}

/// Languages of circuits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CircuitFormat {
    Btor2,
    Aiger,
}

impl CircuitFormat {
    /// A run as a witness in this language, once the circuit has replayed it.
    pub(crate) fn witness(self, circuit: &Circuit, run: &Run) -> Result<String, NoWitness> {
        match self {
            CircuitFormat::Btor2 => run.btor2(circuit),
            CircuitFormat::Aiger => run.aiger(circuit),
        }
    }
}

impl InputFormat for CircuitFormat {
    fn name(&self) -> &'static str {
        match self {
            CircuitFormat::Btor2 => "BTOR2",
            CircuitFormat::Aiger => "AIGER",
        }
    }

    fn recognises(&self, path: &Path, text: &str) -> bool {
        let (endings, recognised): (&[&str], fn(&str) -> bool) = match self {
            CircuitFormat::Btor2 => (&["btor", "btor2"], is_btor2),
            CircuitFormat::Aiger => (&["aag", "aig"], is_aiger),
        };
        path.extension().is_some_and(|ending| endings.iter().any(|known| ending == *known))
            || recognised(text)
    }

    fn read(&self, _: &mut Store, text: &str) -> Result<Contents, ReadError> {
        let circuit = match self {
            CircuitFormat::Btor2 => Circuit::read_btor2(text),
            CircuitFormat::Aiger => Circuit::read_aiger(text),
        };
        circuit.map(|circuit| Contents::Circuit(circuit, *self))
    }
}

/// What a file contains, and its language. The error says why it cannot be read.
pub(crate) fn read_contents(
    file: &Path,
    store: &mut Store,
    options: &Options,
) -> Result<(Contents, &'static dyn InputFormat), String> {
    let name = input::name(file);
    let bytes = input::read(file).map_err(|error| format!("{name}: {error}"))?;
    let text = String::from_utf8(bytes).map_err(|error| format!("{name}: {error}"))?;
    let format = recognise(file, &text);
    let contents = format.read_asking(store, &text, &options.ltl).map_err(|Mistake { formula, error }| {
        let (name, text) = formula.map_or((&*name, &text), |number| ("--ltl", &options.ltl[number]));
        let Location { line, column } = Location::of(text, error.span.start);
        format!("{name}:{line}:{column}: error: {}", error.message)
    })?;
    Ok((contents, format))
}

/// The systems of the questions of a file, at least one, and its language. The error says why there are none.
pub(crate) fn read_systems(
    file: &Path,
    store: &mut Store,
    options: &Options,
) -> Result<(Vec<Arc<System>>, &'static dyn InputFormat), String> {
    let (contents, format) = read_contents(file, store, options)?;
    let systems = contents.systems(store, options);
    Ok((systems.map_err(|message| format!("{}: {message}", input::name(file)))?, format))
}

impl Contents {
    /// The systems of the questions, at least one. The error says why there are none.
    pub(crate) fn systems(self, store: &mut Store, options: &Options) -> Result<Vec<Arc<System>>, String> {
        match self {
            Contents::Checks(systems) => Ok(systems),
            Contents::Runs(system) => Ok(vec![system]),
            Contents::Transitions(vmt) => properties(&vmt, store, options),
            Contents::Circuit(circuit, _) => properties(&circuit.transitions(store).vmt, store, options),
        }
    }
}

/// The clauses of the properties of a transition system, as they decide the properties.
fn properties(vmt: &Vmt, store: &mut Store, options: &Options) -> Result<Vec<Arc<System>>, String> {
    let mut systems = Vec::new();
    for property in &vmt.properties {
        if options.property.is_some_and(|index| index != property.index) {
            continue;
        }
        let product;
        let (mut vmt, mut property) = (vmt, property);
        if property.kind == PropertyKind::Ltl {
            product = vmt.product(store, property).map_err(|reason| reason.to_string())?;
            (vmt, property) = (&product.vmt, &product.property);
        }
        let mut reduction = Reduction::of(property.kind);
        if let (Reduction::Lasso, Some(variable)) = (reduction, vmt.infinite_variable(store)) {
            let bound = options.live_bound.ok_or_else(|| infinite_states(property, variable))?;
            reduction = Reduction::Count(bound);
        }
        let encoding = vmt.clauses(store, property, reduction).map_err(|error| error.to_string())?;
        systems.push(encoding.system);
    }
    match (systems.is_empty(), options.property) {
        (false, _) => Ok(systems),
        (true, Some(index)) => Err(format!("there is no property {index}")),
        (true, None) => Err("there is no property".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_or_the_text_tells_the_language() {
        let system = "(define-fun i () Bool (! true :init true))";
        for (path, text, name) in [
            ("a.vmt", "", "VMT"),
            ("a.smt2", system, "VMT"),
            ("-", system, "VMT"),
            ("a.smt2", "; :init\n(set-logic HORN)", "SMT-LIB"),
            ("-", "(declare-rel p ())", "SMT-LIB"),
            ("vmt", "", "SMT-LIB"),
            ("a.btor2", "", "BTOR2"),
            ("a.btor", "", "BTOR2"),
            ("-", "; 1\n\n 1 sort bitvec 1\n", "BTOR2"),
            ("-", "; 1\n1 input 2\n", "SMT-LIB"),
            ("a.aag", "", "AIGER"),
            ("a.aig", "", "AIGER"),
            ("-", "aag 0 0 0 1 0\n0\n", "AIGER"),
            ("-", "aig 1 1 0 1 0 0 0 0 0\n2\n", "AIGER"),
            ("-", "aag 1\n", "SMT-LIB"),
            ("a.ari", "", "ARI"),
            ("-", "; a comment\n(format LCTRS :smtlib 2.6)", "ARI"),
            ("-", "(format of something)", "SMT-LIB"),
        ] {
            assert_eq!(recognise(Path::new(path), text).name(), name, "{path}: {text}");
        }
    }
}
