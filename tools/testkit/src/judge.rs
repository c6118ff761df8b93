//! Stand-alone problems for the oracle.
//!
//! Every claim of a solver about a check becomes a problem that z3 decides: the check itself, the
//! model (each constant is *defined* as its value, so that the assertions are merely evaluated) and
//! the core (the kept assertions or assumptions alone must be unsatisfiable).

use crate::script::{Check, Constant, declared_constant};
use crate::sexpr::Sexpr;
use std::collections::BTreeMap;
use std::fmt::Write;

/// What a solver said about a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Satisfiable.
    Sat,
    /// Unsatisfiable.
    Unsat,
    /// Undecided.
    Unknown,
}

impl Answer {
    /// Reads `sat`, `unsat` or `unknown`.
    pub fn read(text: &str) -> Option<Self> {
        match text {
            "sat" => Some(Self::Sat),
            "unsat" => Some(Self::Unsat),
            "unknown" => Some(Self::Unknown),
            _ => None,
        }
    }
}

/// The problem of the check itself.
pub fn whole(check: &Check) -> String {
    let mut query = String::new();
    for command in &check.preamble {
        line(&mut query, command);
    }
    for assertion in &check.assertions {
        assert(&mut query, &assertion.formula);
    }
    for assumption in check.assumptions.iter().flatten() {
        assert(&mut query, assumption);
    }
    query
}

/// The values that a solver gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Valuation {
    /// Values of constants.
    pub constants: Vec<(String, Sexpr)>,
    /// Values of further terms.
    pub terms: Vec<(Sexpr, Sexpr)>,
    /// Definitions of functions with parameters, by name.
    pub functions: Vec<(String, Sexpr)>,
}

/// Reads the reply to `get-value` of the constants followed by further terms. The terms of the reply
/// are not looked at: a solver may print them in another form, and their order is prescribed.
pub fn read_values(reply: &Sexpr, constants: &[Constant], terms: &[Sexpr]) -> Result<Valuation, String> {
    let pairs = reply.list().ok_or("the reply is no list")?;
    if pairs.len() != constants.len() + terms.len() {
        return Err(format!("{} values where {} were asked for", pairs.len(), constants.len() + terms.len()));
    }
    let values = pairs.iter().map(|pair| match pair.list() {
        Some([_, value]) => Ok(value.clone()),
        _ => Err(format!("{pair} is no pair of a term and its value")),
    });
    let mut values = values.collect::<Result<Vec<_>, _>>()?.into_iter();
    let named: Vec<_> = constants.iter().map(|constant| constant.name.clone()).zip(&mut values).collect();
    let terms = terms.iter().cloned().zip(values).collect();
    complete(Valuation { constants: named, terms, functions: Vec::new() }, constants)
}

/// Reads the reply to `get-model`. Definitions of constants that were not asked for are passed over.
pub fn read_model(reply: &Sexpr, constants: &[Constant]) -> Result<Valuation, String> {
    let mut valuation = Valuation { constants: Vec::new(), terms: Vec::new(), functions: Vec::new() };
    for item in reply.list().ok_or("the reply is no list")? {
        match item.list() {
            Some([head, name, parameters, sort, value]) if head.text() == Some("define-fun") => {
                let name = name.text().ok_or("a definition without name")?;
                if parameters.list().is_some_and(|parameters| !parameters.is_empty()) {
                    valuation.functions.push((name.to_owned(), item.clone()));
                    continue;
                }
                let Some(constant) = constants.iter().find(|constant| constant.name == name) else {
                    continue;
                };
                if parameters.list() != Some(&[]) || sort.to_string() != constant.sort {
                    return Err(format!("{name} is defined with another sort"));
                }
                valuation.constants.push((name.to_owned(), value.clone()));
            }
            None if item.text() == Some("model") => {}
            _ => return Err(format!("{item} is no definition")),
        }
    }
    complete(valuation, constants)
}

/// The valuation, if it gives each constant a value of its sort.
fn complete(valuation: Valuation, constants: &[Constant]) -> Result<Valuation, String> {
    for constant in constants {
        let value = valuation.constants.iter().find(|(name, _)| *name == constant.name);
        let (name, value) = value.ok_or_else(|| format!("{} has no value", constant.name))?;
        if !is_value(value, &constant.sort) {
            return Err(format!("{name} has the value {value}, which is none of sort {}", constant.sort));
        }
    }
    Ok(valuation)
}

/// Whether a term is a value of a sort as SMT-LIB writes them.
fn is_value(term: &Sexpr, sort: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let decimal = |text: &str| {
        digits(text)
            || text.split_once('.').is_some_and(|(whole, fraction)| digits(whole) && digits(fraction))
    };
    match (term, sort) {
        (Sexpr::Atom(text), "Bool") => text == "true" || text == "false",
        (Sexpr::Atom(text), "Int") => digits(text),
        (Sexpr::Atom(text), "Real") => decimal(text),
        (Sexpr::List(items), "Int" | "Real") => match items.as_slice() {
            [op, value] if op.text() == Some("-") => value.head() != Some("-") && is_value(value, sort),
            [op, above, below] if sort == "Real" && op.text() == Some("/") => {
                is_value(above, sort) && below.text().is_some_and(decimal)
            }
            _ => false,
        },
        (_, "Bool") => false,
        // Values of other sorts are judged by the oracle, which must be able to read them.
        _ => true,
    }
}

/// The problem that is satisfiable exactly when the valuation satisfies the check, whatever is chosen for
/// functions that it does not define.
pub fn with_values(check: &Check, valuation: &Valuation) -> String {
    let mut query = String::new();
    let mut elements = Elements::default();
    let is_sort = |command: &Sexpr| {
        matches!(
            command.head(),
            Some("declare-sort" | "define-sort" | "declare-datatype" | "declare-datatypes")
        )
    };
    for command in check.preamble.iter().filter(|command| is_sort(command)) {
        line(&mut query, command);
    }
    let mut definitions = String::new();
    for command in check.preamble.iter().filter(|command| !is_sort(command)) {
        if let Some(constant) = declared_constant(command) {
            let value = valuation.constants.iter().find(|(name, _)| *name == constant.name);
            if let Some((name, value)) = value {
                let (sort, value) = (constant.sort, elements.name(value));
                let _ = writeln!(definitions, "(define-fun {name} () {sort} {value})");
            }
            continue;
        }
        let name = command.list().and_then(|items| items.get(1)).and_then(Sexpr::text);
        match valuation.functions.iter().find(|(function, _)| Some(function.as_str()) == name) {
            Some((_, definition)) if command.head() == Some("declare-fun") => {
                line(&mut definitions, &elements.name(definition));
            }
            _ => line(&mut definitions, command),
        }
    }
    let terms: Vec<_> =
        valuation.terms.iter().map(|(term, value)| (term.clone(), elements.name(value))).collect();
    query.push_str(&elements.declarations());
    query.push_str(&definitions);
    for assertion in &check.assertions {
        assert(&mut query, &assertion.formula);
    }
    for assumption in check.assumptions.iter().flatten() {
        assert(&mut query, assumption);
    }
    for (term, value) in terms {
        assert(&mut query, &Sexpr::app("=", [term, value]));
    }
    query
}

/// The elements `(as @name Sort)` of declared sorts that values mention: constants that are all different.
#[derive(Default)]
struct Elements {
    /// By sort: the names.
    names: BTreeMap<String, Vec<String>>,
}

impl Elements {
    /// The value with constants in the place of elements.
    fn name(&mut self, value: &Sexpr) -> Sexpr {
        let Sexpr::List(items) = value else { return value.clone() };
        if let [head, name, sort] = items.as_slice()
            && head.text() == Some("as")
            && let Some(name) = name.text().filter(|name| name.starts_with('@'))
        {
            let known = self.names.entry(sort.to_string()).or_default();
            let constant = format!("element{}", name.replace('|', ""));
            if !known.contains(&constant) {
                known.push(constant.clone());
            }
            return Sexpr::atom(constant);
        }
        Sexpr::List(items.iter().map(|item| self.name(item)).collect())
    }

    fn declarations(&self) -> String {
        let mut text = String::new();
        for (sort, names) in &self.names {
            for name in names {
                let _ = writeln!(text, "(declare-const {name} {sort})");
            }
            if names.len() > 1 {
                let _ = writeln!(text, "(assert (distinct {}))", names.join(" "));
            }
        }
        text
    }
}

/// The problem of an unsat core: unnamed assertions, the named ones that the core keeps, and all
/// assumptions. The error says why the reply is no core of this check.
pub fn core(check: &Check, reply: &Sexpr) -> Result<String, String> {
    let kept = reply.list().ok_or("the reply is no list")?;
    for name in kept {
        let known = check.assertions.iter().any(|assertion| assertion.name.as_deref() == name.text());
        if name.text().is_none() || !known {
            return Err(format!("{name} names no active assertion"));
        }
    }
    let mut part = check.clone();
    part.assertions.retain(|assertion| match &assertion.name {
        None => true,
        Some(name) => kept.iter().any(|item| item.text() == Some(name)),
    });
    Ok(whole(&part))
}

/// The problem of unsat assumptions: all assertions and the kept assumptions.
pub fn assumption_core(check: &Check, reply: &Sexpr) -> Result<String, String> {
    let kept = reply.list().ok_or("the reply is no list")?;
    for literal in kept {
        if !check.assumptions.iter().flatten().any(|assumption| assumption == literal) {
            return Err(format!("{literal} was not assumed"));
        }
    }
    let mut part = check.clone();
    part.assumptions = Some(kept.to_vec());
    Ok(whole(&part))
}

fn assert(query: &mut String, formula: &Sexpr) {
    let _ = writeln!(query, "(assert {})", in_z3_dialect(formula));
}

fn line(query: &mut String, command: &Sexpr) {
    let _ = writeln!(query, "{}", in_z3_dialect(command));
}

/// The form in which z3, which is told no logic, reads a command or a term as we mean it.
///
/// It does not know `((_ divisible k) t)` and is given `(= (mod t k) 0)`; the body of a Real function may
/// be a bare numeral in a logic without integers, which is made a sum with a real.
pub(crate) fn in_z3_dialect(term: &Sexpr) -> Sexpr {
    let Sexpr::List(items) = term else { return term.clone() };
    if let [head, name, parameters, sort, body] = items.as_slice()
        && head.text() == Some("define-fun")
        && sort.text() == Some("Real")
    {
        let body = Sexpr::app("+", [Sexpr::atom("0.0"), in_z3_dialect(body)]);
        return Sexpr::List(vec![head.clone(), name.clone(), parameters.clone(), sort.clone(), body]);
    }
    if let [Sexpr::List(index), argument] = items.as_slice()
        && let [underscore, name, modulus] = index.as_slice()
        && underscore.text() == Some("_")
        && name.text() == Some("divisible")
    {
        let remainder = Sexpr::app("mod", [in_z3_dialect(argument), modulus.clone()]);
        return Sexpr::app("=", [remainder, Sexpr::atom("0")]);
    }
    Sexpr::List(items.iter().map(in_z3_dialect).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::checks;
    use crate::sexpr::read_all;

    fn one(text: &str) -> Sexpr {
        read_all(text).unwrap().remove(0)
    }

    fn check(script: &str) -> Check {
        checks(&read_all(script).unwrap()).unwrap().remove(0)
    }

    const SCRIPT: &str = "(declare-const x Int)(declare-fun r () Real)(declare-const p Bool)
        (assert (! (> x 0) :named a))(assert ((_ divisible 3) x))(check-sat-assuming (p (not p)))";

    #[test]
    fn values_are_read_from_both_forms() {
        let check = check(SCRIPT);
        let constants = check.constants();
        let pairs = one("((x (- 3)) (r (/ 1.0 3.0)) (p true) ((+ 1 x) (- 2)))");
        let valuation = read_values(&pairs, &constants, &[one("(+ x 1)")]).unwrap();
        assert_eq!((valuation.constants.len(), valuation.terms.len()), (3, 1));
        let query = with_values(&check, &valuation);
        assert!(query.contains("(define-fun x () Int (- 3))"), "{query}");
        assert!(query.contains("(assert (= (mod x 3) 0))"), "{query}");
        assert!(query.contains("(assert (= (+ x 1) (- 2)))"), "{query}");
        let model =
            one("((define-fun x () Int 3) (define-fun r () Real (- (/ 2 3))) (define-fun p () Bool false)
              (define-fun a () Bool true))");
        assert_eq!(read_model(&model, &constants).unwrap().constants.len(), 3);
    }

    #[test]
    fn functions_and_elements_are_defined() {
        let check = check(
            "(declare-sort U 0)(declare-fun u () U)(declare-fun f (U) Int)(declare-fun g (Int) Int)
             (assert (= (f u) (g 1)))(check-sat)",
        );
        let model =
            one("((define-fun u () U (as @U!0 U)) (define-fun f ((x U)) Int (ite (= x (as @U!1 U)) 0 1)))");
        let query = with_values(&check, &read_model(&model, &check.constants()).unwrap());
        let lines: Vec<&str> = query.lines().collect();
        assert_eq!(
            lines,
            [
                "(declare-sort U 0)",
                "(declare-const element@U!0 U)",
                "(declare-const element@U!1 U)",
                "(assert (distinct element@U!0 element@U!1))",
                "(define-fun u () U element@U!0)",
                "(define-fun f ((x U)) Int (ite (= x element@U!1) 0 1))",
                "(declare-fun g (Int) Int)",
                "(assert (= (f u) (g 1)))",
            ]
        );
    }

    #[test]
    fn what_is_no_value_is_refused() {
        let constants = check(SCRIPT).constants();
        for reply in [
            "((x 1) (r 0.5))",
            "((x 1.0) (r 0.5) (p true))",
            "((x 1) (r (/ 1 x)) (p true))",
            "((x -1) (r 0.5) (p true))",
            "((x 1) (r 0.5) (p 1))",
            "((x 1) (r 0.5) (p true) (q true))",
        ] {
            assert!(read_values(&one(reply), &constants, &[]).is_err(), "{reply}");
        }
        let model = "((define-fun x () Real 1.0) (define-fun r () Real 1.0) (define-fun p () Bool true))";
        assert!(read_model(&one(model), &constants).is_err());
    }

    #[test]
    fn cores_keep_what_they_name() {
        let check = check(SCRIPT);
        assert!(core(&check, &one("(a)")).unwrap().contains("(> x 0)"));
        assert!(!core(&check, &one("()")).unwrap().contains("(> x 0)"));
        assert!(core(&check, &one("(b)")).is_err());
        assert!(!assumption_core(&check, &one("(p)")).unwrap().contains("(not p)"));
        assert!(assumption_core(&check, &one("(q)")).is_err());
    }
}
