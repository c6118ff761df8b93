//! What an incremental script asks at each of its checks.
//!
//! A script is flattened by the SMT-LIB rules of scoping into [`Check`]s, each of which stands alone:
//! the declarations and definitions in force, the active assertions and the assumptions. The oracle
//! answers these stand-alone problems, so its own incremental machinery and its treatment of `reset`
//! play no part in what we believe.

use crate::sexpr::Sexpr;

/// An active assertion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assertion {
    /// The asserted formula without its annotation.
    pub formula: Sexpr,
    /// The label given by `:named`.
    pub name: Option<String>,
}

/// A constant in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    /// Its symbol.
    pub name: String,
    /// Its sort: `Bool`, `Int` or `Real`.
    pub sort: String,
}

/// One `check-sat` or `check-sat-assuming` with everything that it depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The position of the command in the script.
    pub command: usize,
    /// Declarations and definitions in force, in their order.
    pub preamble: Vec<Sexpr>,
    /// The active assertions.
    pub assertions: Vec<Assertion>,
    /// The assumptions; `None` for a plain `check-sat`.
    pub assumptions: Option<Vec<Sexpr>>,
    /// The answer that a preceding `(set-info :status …)` promised.
    pub status: Option<String>,
}

impl Check {
    /// The declared constants in force.
    pub fn constants(&self) -> Vec<Constant> {
        self.preamble.iter().filter_map(declared_constant).collect()
    }
}

/// The constant that a command declares.
pub fn declared_constant(command: &Sexpr) -> Option<Constant> {
    let items = command.list()?;
    let sort = match (command.head()?, items) {
        ("declare-const", [_, _, sort]) => sort,
        ("declare-fun", [_, _, parameters, sort]) if parameters.list()?.is_empty() => sort,
        _ => return None,
    };
    Some(Constant { name: items[1].text()?.to_owned(), sort: sort.to_string() })
}

/// Lengths of the context's lists when a scope was opened.
struct Scope {
    preamble: usize,
    assertions: usize,
}

/// The checks of a script in order, or a sentence on why it is not a script.
pub fn checks(commands: &[Sexpr]) -> Result<Vec<Check>, String> {
    let mut preamble = Vec::new();
    let mut assertions = Vec::new();
    let mut scopes: Vec<Scope> = Vec::new();
    let mut status = None;
    let mut checks = Vec::new();
    for (position, command) in commands.iter().enumerate() {
        let malformed = || format!("malformed command {command}");
        let items = command.list().ok_or_else(malformed)?;
        match command.head().ok_or_else(malformed)? {
            "declare-const" | "declare-fun" | "define-fun" | "define-const" | "define-sort"
            | "declare-sort" | "declare-datatype" | "declare-datatypes" => {
                preamble.push(command.clone());
            }
            "assert" => assertions.push(assertion(items.get(1).ok_or_else(malformed)?)),
            "push" => {
                let scope = || Scope { preamble: preamble.len(), assertions: assertions.len() };
                scopes.extend((0..levels(items).ok_or_else(malformed)?).map(|_| scope()));
            }
            "pop" => {
                for _ in 0..levels(items).ok_or_else(malformed)? {
                    let scope = scopes.pop().ok_or("pop without push")?;
                    preamble.truncate(scope.preamble);
                    assertions.truncate(scope.assertions);
                }
            }
            "reset" | "reset-assertions" => {
                preamble.clear();
                assertions.clear();
                scopes.clear();
            }
            "set-info" => {
                if let [_, key, value] = items
                    && key.text() == Some(":status")
                {
                    status = Some(value.to_string());
                }
            }
            head @ ("check-sat" | "check-sat-assuming") => {
                let assumptions = match head {
                    "check-sat" => None,
                    _ => Some(items.get(1).and_then(Sexpr::list).ok_or_else(malformed)?.to_vec()),
                };
                checks.push(Check {
                    command: position,
                    preamble: preamble.clone(),
                    assertions: assertions.clone(),
                    assumptions,
                    status: status.take(),
                });
            }
            "exit" => break,
            _ => {}
        }
    }
    Ok(checks)
}

/// The number of levels of a push or pop.
fn levels(items: &[Sexpr]) -> Option<usize> {
    match items {
        [_] => Some(1),
        [_, count] => count.text()?.parse().ok().filter(|&levels| levels <= 1_000),
        _ => None,
    }
}

fn assertion(term: &Sexpr) -> Assertion {
    if let (Some("!"), Some([_, formula, attributes @ ..])) = (term.head(), term.list()) {
        let name = attributes
            .windows(2)
            .find(|pair| pair[0].text() == Some(":named"))
            .and_then(|pair| pair[1].text().map(str::to_owned));
        return Assertion { formula: formula.clone(), name };
    }
    Assertion { formula: term.clone(), name: None }
}

/// The text of a script, one command a line.
pub fn print(commands: &[Sexpr]) -> String {
    let mut text = String::new();
    for command in commands {
        text.push_str(&command.to_string());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sexpr::read_all;

    #[test]
    fn scopes_end_with_their_pop() {
        let script = "(declare-const x Int)(assert (! (> x 0) :named a))(push 1)(declare-fun y () Int)
            (assert (< y x))(set-info :status sat)(check-sat)(pop 1)(check-sat-assuming ((not p)))
            (reset-assertions)(check-sat)";
        let checks = checks(&read_all(script).unwrap()).unwrap();
        let shape: Vec<_> =
            checks.iter().map(|check| (check.constants().len(), check.assertions.len())).collect();
        assert_eq!(shape, [(2, 2), (1, 1), (0, 0)]);
        assert_eq!(checks[0].assertions[0].name.as_deref(), Some("a"));
        assert_eq!(checks[0].assertions[0].formula.to_string(), "(> x 0)");
        assert_eq!(checks[0].status.as_deref(), Some("sat"));
        assert_eq!(checks[1].assumptions.as_ref().map(Vec::len), Some(1));
        assert_eq!(checks[1].status, None);
    }

    #[test]
    fn an_unmatched_pop_is_refused() {
        assert!(checks(&read_all("(push 1)(pop 2)").unwrap()).is_err());
    }
}
