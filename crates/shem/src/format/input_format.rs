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
use shem_term::Store;
use shem_term::smtlib::{Location, ReadError};
use shem_vmt::{Reduction, Vmt, is_vmt};

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
}

/// What a text contains.
pub(crate) enum Contents {
    /// The systems of the checks of a script; the one at the end if there is no check.
    Checks(Vec<Arc<System>>),
    /// A transition system with its properties.
    Transitions(Vmt),
}

/// The languages, in the order in which they are tried. The last one takes whatever is left.
static FORMATS: [&dyn InputFormat; 2] = [&VmtFormat, &SmtLib];

/// The language of an input.
pub(crate) fn recognise(path: &Path, text: &str) -> &'static dyn InputFormat {
    FORMATS.into_iter().find(|format| format.recognises(path, text)).unwrap_or(&SmtLib)
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
}

/// The systems of the questions of a file, at least one, and its language. The error says why there are none.
pub(crate) fn read_systems(
    file: &Path,
    store: &mut Store,
    options: &Options,
) -> Result<(Vec<Arc<System>>, &'static dyn InputFormat), String> {
    let name = input::name(file);
    let bytes = input::read(file).map_err(|error| format!("{name}: {error}"))?;
    let text = String::from_utf8(bytes).map_err(|error| format!("{name}: {error}"))?;
    let format = recognise(file, &text);
    let contents = format.read(store, &text).map_err(|error| {
        let Location { line, column } = Location::of(&text, error.span.start);
        format!("{name}:{line}:{column}: error: {}", error.message)
    })?;
    let systems = match contents {
        Contents::Checks(systems) => systems,
        Contents::Transitions(vmt) => {
            properties(&vmt, store, options).map_err(|message| format!("{name}: {message}"))?
        }
    };
    Ok((systems, format))
}

/// The clauses of the properties of a transition system, as they decide the properties.
fn properties(vmt: &Vmt, store: &mut Store, options: &Options) -> Result<Vec<Arc<System>>, String> {
    let mut systems = Vec::new();
    for property in &vmt.properties {
        if options.property.is_some_and(|index| index != property.index) {
            continue;
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
        ] {
            assert_eq!(recognise(Path::new(path), text).name(), name, "{path}: {text}");
        }
    }
}
