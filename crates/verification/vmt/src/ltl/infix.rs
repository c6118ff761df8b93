//! The usual notation of linear temporal logic: `G (p -> F q)`.
//!
//! Operators from the tightest on: `!` `X` `F` `G` before their formula (of the past `Y` `Z` `O` `H`), `U` `R` `W` `M` (of the past `S` `T`) between
//! two, `&`, `|`, `->`, `<->`; those between two group to the right. Atoms are `true`, `false`, names, quoted where needed
//! (`|a b|`, and whatever is an operator otherwise), and terms of SMT-LIB in their parentheses: a parenthesis is one if what comes
//! first in it is neither an operator before a formula nor a term alone. `p W q` is read as `q R (p | q)`, `p M q` as `q U (p & q)`.

use shem_term::smtlib::{ErrorKind, Lexer, ReadError, Reader, Span};
use shem_term::{Sort, Store, Symbol, Term};

/// An operator of the notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    Open,
    Not,
    /// A temporal operator with one formula.
    Before(&'static str),
    /// A temporal operator between two.
    Between(&'static str),
    WeakUntil,
    StrongRelease,
    And,
    Or,
    Implies,
    Iff,
}

impl Sign {
    /// How tightly it binds what is on its left; prefixes have nothing there.
    fn strength(self) -> u8 {
        match self {
            Sign::Open => 0,
            Sign::Iff => 1,
            Sign::Implies => 2,
            Sign::Or => 3,
            Sign::And => 4,
            Sign::Between(_) | Sign::WeakUntil | Sign::StrongRelease => 5,
            Sign::Not | Sign::Before(_) => 6,
        }
    }

    fn prefix(word: &str) -> Option<Sign> {
        Some(Sign::Before(match word {
            "X" => "ltl.X",
            "F" => "ltl.F",
            "G" => "ltl.G",
            "Y" => "ltl.Y",
            "Z" => "ltl.Z",
            "O" => "ltl.O",
            "H" => "ltl.H",
            _ => return None,
        }))
    }

    fn between(word: &str) -> Option<Sign> {
        Some(match word {
            "U" => Sign::Between("ltl.U"),
            "R" => Sign::Between("ltl.R"),
            "S" => Sign::Between("ltl.S"),
            "T" => Sign::Between("ltl.T"),
            "W" => Sign::WeakUntil,
            "M" => Sign::StrongRelease,
            _ => return None,
        })
    }

    /// The operator between two formulas with which a text begins, and its length.
    fn read_between(text: &str) -> Option<(Sign, usize)> {
        const SIGNS: [(&str, Sign); 8] = [
            ("<->", Sign::Iff),
            ("<=>", Sign::Iff),
            ("->", Sign::Implies),
            ("=>", Sign::Implies),
            ("&&", Sign::And),
            ("&", Sign::And),
            ("||", Sign::Or),
            ("|", Sign::Or),
        ];
        if let Some((own, sign)) = SIGNS.iter().find(|(own, _)| text.starts_with(own)) {
            return Some((*sign, own.len()));
        }
        let word = &text[..word_length(text)];
        Sign::between(word).map(|sign| (sign, word.len()))
    }
}

/// The length of the name without quotes with which a text begins.
fn word_length(text: &str) -> usize {
    let is_part = |c: char| c.is_alphanumeric() || "_.$@%?'#:[]~^".contains(c);
    text.find(|c: char| !is_part(c)).unwrap_or(text.len())
}

/// The length of the quoted name with which a text begins.
fn quoted_length(text: &str) -> Option<usize> {
    text.strip_prefix('|').and_then(|rest| rest.find('|')).map(|end| end + 2)
}

/// The length of the parenthesis with which a text begins.
fn parenthesis_length(text: &str) -> Option<usize> {
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(c) = text[at..].chars().next() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1)?,
            '|' => at += quoted_length(&text[at..])? - 1,
            _ => {}
        }
        at += c.len_utf8();
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// Whether the parenthesis with which a text begins is a term of SMT-LIB: whether what comes first in it is neither an operator nor a
/// parenthesis nor something that is a term alone.
fn is_term(store: &mut Store, reader: &mut Reader, text: &str) -> bool {
    let inside = text[1..].trim_start();
    let length = quoted_length(inside).unwrap_or_else(|| word_length(inside));
    let word = &inside[..length];
    if word.is_empty() {
        return inside.starts_with(['=', '<', '>', '+', '-', '*', '/']);
    }
    let mut alone = |lexer: Result<Lexer<'_>, ReadError>| reader.read_term(&mut lexer?, store);
    Sign::prefix(word).is_none() && alone(Lexer::new(word)).is_err()
}

/// A formula in the making: operators that wait for what comes on their right.
struct Stack<'s> {
    store: &'s mut Store,
    operators: &'s [(&'static str, Symbol)],
    formulas: Vec<Term>,
    signs: Vec<(Sign, usize)>,
}

impl Stack<'_> {
    fn temporal(&mut self, name: &str, args: &[Term]) -> Term {
        let found = self.operators.iter().find(|(own, _)| *own == name);
        let (_, symbol) = found.expect("each operator has a symbol");
        self.store.apply(*symbol, args)
    }

    /// Applies the operators that bind at least so tightly.
    fn reduce(&mut self, least: u8) {
        while let Some(&(sign, _)) = self.signs.last()
            && sign.strength() >= least
            && sign != Sign::Open
        {
            self.signs.pop();
            let last = self.formulas.pop().expect("an operator has a formula on its right");
            let formula = match sign {
                Sign::Not => !last,
                Sign::Before(name) => self.temporal(name, &[last]),
                _ => {
                    let first = self.formulas.pop().expect("an operator has a formula on its left");
                    match sign {
                        Sign::Between(name) => self.temporal(name, &[first, last]),
                        Sign::WeakUntil => {
                            let one = self.store.or2(first, last);
                            self.temporal("ltl.R", &[last, one])
                        }
                        Sign::StrongRelease => {
                            let both = self.store.and2(first, last);
                            self.temporal("ltl.U", &[last, both])
                        }
                        Sign::And => self.store.and2(first, last),
                        Sign::Or => self.store.or2(first, last),
                        Sign::Implies => self.store.implies(first, last),
                        _ => self.store.iff(first, last),
                    }
                }
            };
            self.formulas.push(formula);
        }
    }
}

/// Reads a formula over what the reader knows.
pub(crate) fn read_infix(store: &mut Store, reader: &mut Reader, text: &str) -> Result<Term, ReadError> {
    let mut operators = Vec::new();
    for (_, name, _) in super::Operator::ALL {
        let symbol = reader.read_function_name(&mut Lexer::new(name)?);
        let symbol = symbol.filter(|&symbol| super::Operator::of(store, symbol).is_some());
        let Some(symbol) = symbol else {
            let message = format!("the file gives {name} another meaning");
            return Err(ReadError::new(ErrorKind::Unsupported, Span::new(0, 0), message));
        };
        operators.push((name, symbol));
    }
    let mut stack = Stack { store, operators: &operators, formulas: Vec::new(), signs: Vec::new() };
    let place = |at: usize, length: usize| {
        let number = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Span::new(number(at), number((at + length).min(text.len())))
    };
    let mistake = |at: usize, message: &str| ReadError::new(ErrorKind::Syntax, place(at, 1), message);
    let (mut at, mut wants_formula) = (0, true);
    loop {
        at += text[at..].len() - text[at..].trim_start().len();
        let rest = &text[at..];
        if !wants_formula {
            if rest.is_empty() {
                stack.reduce(0);
                return match stack.signs.pop() {
                    Some((_, open)) => Err(mistake(open, "this parenthesis is not closed")),
                    None => Ok(stack.formulas.pop().expect("a formula was read")),
                };
            }
            if rest.starts_with(')') {
                stack.reduce(0);
                if stack.signs.pop().is_none() {
                    return Err(mistake(at, "there is no parenthesis to be closed"));
                }
                at += 1;
                continue;
            }
            let Some((sign, length)) = Sign::read_between(rest) else {
                return Err(mistake(at, "an operator between two formulas is expected"));
            };
            stack.reduce(sign.strength() + 1);
            stack.signs.push((sign, at));
            at += length;
            wants_formula = true;
            continue;
        }
        let is_term = rest.starts_with('(') && is_term(stack.store, reader, rest);
        if rest.starts_with('!') || rest.starts_with('(') && !is_term {
            let sign = if rest.starts_with('!') { Sign::Not } else { Sign::Open };
            stack.signs.push((sign, at));
            at += 1;
            continue;
        }
        let word = &rest[..word_length(rest)];
        if let Some(sign) = Sign::prefix(word) {
            stack.signs.push((sign, at));
            at += word.len();
            continue;
        }
        let length = if is_term {
            parenthesis_length(rest).ok_or_else(|| mistake(at, "this parenthesis is not closed"))?
        } else if rest.starts_with('|') {
            quoted_length(rest).ok_or_else(|| mistake(at, "this name is not closed"))?
        } else {
            word.len()
        };
        if length == 0 || Sign::between(&rest[..length]).is_some() {
            return Err(mistake(at, "a formula is expected"));
        }
        let formula = reader.read_term(&mut Lexer::new(&rest[..length])?, stack.store).map_err(|error| {
            let start = at + error.span.start as usize;
            ReadError::new(
                error.kind,
                place(start, (error.span.end - error.span.start) as usize),
                error.message,
            )
        })?;
        if stack.store.sort(formula) != Sort::Bool {
            let sort = stack.store.display_sort(stack.store.sort(formula));
            let message = format!("a formula is expected, not a term of sort {sort}");
            return Err(ReadError::new(ErrorKind::IllSorted, place(at, length), message));
        }
        stack.formulas.push(formula);
        at += length;
        wants_formula = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A formula over p, q, r and an integer x as it is printed.
    fn read(text: &str) -> Result<String, (u32, String)> {
        let mut store = Store::new();
        let mut reader = Reader::new();
        for (_, name, arity) in super::super::Operator::ALL {
            let symbol = super::super::Operator::declare(&mut store, name, arity);
            reader.name_function(name, symbol);
        }
        for (name, sort) in [("p", Sort::Bool), ("q", Sort::Bool), ("G", Sort::Bool), ("x", Sort::Int)] {
            let variable = store.variable(name, sort);
            reader.name_term(name, variable);
        }
        let formula = read_infix(&mut store, &mut reader, text);
        formula.map(|term| store.display(term).to_string()).map_err(|error| (error.span.start, error.message))
    }

    #[track_caller]
    fn same(text: &str, expected: &str) {
        assert_eq!(read(text).expect(text), read(expected).expect(expected), "{text}");
    }

    #[test]
    fn operators_bind_as_they_should() {
        same("G p -> F q", "(=> (ltl.G p) (ltl.F q))");
        same("G(p->F q)", "(ltl.G (=> p (ltl.F q)))");
        same("!p U q & p", "(and (ltl.U (not p) q) p)");
        same("p U q U p", "(ltl.U p (ltl.U q p))");
        same("p -> q -> p", "(=> p (=> q p))");
        same("p | q & p <-> q", "(= (or p (and q p)) q)");
        same("X X ! F p", "(ltl.X (ltl.X (not (ltl.F p))))");
        same("p W q", "(ltl.R q (or p q))");
        same("p M q", "(ltl.U q (and p q))");
        same("|G| R |p|", "(ltl.R |G| p)");
        same("p || q && |G|", "(or p (and q |G|))");
        same("H p S O q T Y p", "(ltl.S (ltl.H p) (ltl.T (ltl.O q) (ltl.Y p)))");
    }

    #[test]
    fn terms_of_the_file_are_atoms() {
        same("G (> x 3)", "(ltl.G (> x 3))");
        same("((= x 1)) U (and p (not q))", "(ltl.U (= x 1) (and p (not q)))");
        same("(p) U (p U q)", "(ltl.U p (ltl.U p q))");
        same("(let ((y (+ x 1))) (< x y)) -> true", "true");
        same("F (ltl.G p)", "(ltl.F (ltl.G p))");
        same("(p | q) & (|p| -> q)", "(and (or p q) (=> p q))");
    }

    #[test]
    fn mistakes_have_a_place() {
        for (text, place, words) in [
            ("", 0, "a formula is expected"),
            ("G", 1, "a formula is expected"),
            ("p U", 3, "a formula is expected"),
            ("p U U q", 4, "a formula is expected"),
            ("p q", 2, "an operator between"),
            ("(p -> q", 0, "not closed"),
            ("p)", 1, "no parenthesis"),
            ("p & |q", 4, "not closed"),
            ("p & (> x", 4, "not closed"),
            ("p & r", 4, "r"),
            ("p & (> x y)", 9, "y"),
            ("p & x", 4, "sort Int"),
        ] {
            let (found, message) = read(text).expect_err(text);
            assert!(found == place && message.contains(words), "{text}: {found}, {message}");
        }
    }
}
