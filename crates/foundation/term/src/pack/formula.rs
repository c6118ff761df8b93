//! Formulas as text, and the limits that bind them.
//!
//! A formula travels in SMT-LIB over variables that are named by their places: `x0`, `x1` and so on for the
//! arguments of a predicate or the variables of a state, `y0`, `y1` for those of a later state. No name of the
//! input is needed to read it.
//!
//! Text from elsewhere is looked through before anything is built of it. The reader of terms expands `let`, and
//! canonical forms may copy what is shared, so a short text can stand for a large term, or a large number: the
//! square of the square of a number, say, twenty times over. What bounds all of this is the *expanded size*: the
//! number of symbols that the text would have without `let`. It is counted here without expanding anything. Besides,
//! only the symbols that the printer writes are let through: there is none that makes more of its arguments than
//! their sum, but for products, which are multiplied out to a few dozen summands at most.

use std::collections::HashMap;

use crate::bits::MAX_WIDTH;
use crate::smtlib::{Lexer, TokenKind};
use thiserror::Error;

/// What a formula may be at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormulaLimits {
    /// The bytes of the text.
    pub bytes: usize,
    /// The symbols of the text without `let`.
    pub expanded: u64,
}

impl FormulaLimits {
    /// For lemmas.
    pub const LEMMA: FormulaLimits = FormulaLimits { bytes: 16 << 10, expanded: 100_000 };
    /// For definitions of predicates in a witness.
    pub const DEFINITION: FormulaLimits = FormulaLimits { bytes: 1 << 20, expanded: 4_000_000 };
    /// For certificates, which have to fit into a line of a report.
    pub const CERTIFICATE: FormulaLimits = FormulaLimits { bytes: 90_000, expanded: 4_000_000 };
    /// None.
    pub const NONE: FormulaLimits = FormulaLimits { bytes: usize::MAX, expanded: u64::MAX };
}

/// What is wrong with the text of a formula.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FormulaError {
    /// More bytes than allowed.
    #[error("the formula is too long")]
    TooLong,
    /// More symbols than allowed, once `let` is expanded.
    #[error("the formula stands for too large a term")]
    TooLarge,
    /// A symbol that formulas here do not have.
    #[error("the symbol {0:?} is not allowed")]
    Symbol(String),
    /// Parentheses or words in the wrong places.
    #[error("the formula is malformed")]
    Malformed,
}

/// The text of a formula that keeps to the limits. Its sorts are checked when it is read into a store.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Formula(Box<str>);

impl Formula {
    /// The formula of this text.
    pub fn new(text: &str, limits: FormulaLimits) -> Result<Formula, FormulaError> {
        let mut lexer = Lexer::new(text).map_err(|_| FormulaError::TooLong)?;
        let formula = Formula::take(&mut lexer, limits)?;
        if lexer.next_token().kind != TokenKind::End {
            return Err(FormulaError::Malformed);
        }
        Ok(formula)
    }

    /// The formula that comes next in a text.
    fn take(lexer: &mut Lexer<'_>, limits: FormulaLimits) -> Result<Formula, FormulaError> {
        let start = lexer.peek().start as usize;
        Scan { stack: Vec::new(), names: HashMap::new(), limits, start }.run(lexer)?;
        Ok(Formula(lexer.text()[start..lexer.offset() as usize].into()))
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.0
    }
}

/// The symbols with arguments that the printer of terms writes.
const OPERATORS: [&str; 38] = [
    "not",
    "and",
    "or",
    "=>",
    "=",
    "ite",
    "+",
    "-",
    "*",
    "/",
    "div",
    "mod",
    "<=",
    "<",
    ">=",
    ">",
    "to_int",
    "to_real",
    "select",
    "store",
    "concat",
    "bvnot",
    "bvneg",
    "bvand",
    "bvor",
    "bvxor",
    "bvadd",
    "bvmul",
    "bvudiv",
    "bvurem",
    "bvshl",
    "bvlshr",
    "bvashr",
    "bvule",
    "bvult",
    "bvsle",
    "bvslt",
    "ubv_to_int",
];

/// The operators with indices that the printer of terms writes, and how many indices each has.
const INDEXED: [(&str, usize); 4] = [("divisible", 1), ("extract", 2), ("sign_extend", 1), ("int_to_bv", 1)];

/// How many bits of a number weigh as much as a symbol.
const BITS: u64 = 64;

/// Whether a name is one of those that stand for constructors, selectors, testers (`c0.1`, `s0.1.2`, `t0.1`), sizes
/// (`z0`), functions (`f0`) or constant arrays (`k0`).
fn is_numbered(name: &str) -> bool {
    let numbers = |text: &str| {
        text.split('.').all(|n| !n.is_empty() && n.len() <= 9 && n.bytes().all(|b| b.is_ascii_digit()))
    };
    let dots = name.bytes().filter(|&b| b == b'.').count();
    match name.as_bytes().first() {
        Some(b'c' | b't') => dots == 1 && numbers(&name[1..]),
        Some(b's') => dots == 2 && numbers(&name[1..]),
        Some(b'f' | b'k' | b'z') => dots == 0 && numbers(&name[1..]),
        _ => false,
    }
}

fn not_allowed(name: &str) -> FormulaError {
    FormulaError::Symbol(name.chars().take(40).collect())
}

/// What an operator with indices weighs, after the parenthesis before `_`. Those that widen a number weigh as much as what
/// they may add.
fn indexed_operator(lexer: &mut Lexer<'_>) -> Result<u64, FormulaError> {
    let [underscore, name] = [lexer.next_token(), lexer.next_token()].map(|token| lexer.slice(token.span()));
    let known = INDEXED.iter().find(|(known, _)| *known == name);
    let Some(&(_, indices)) = known.filter(|_| underscore == "_") else {
        return Err(FormulaError::Malformed);
    };
    let mut weight = 2;
    for _ in 0..indices {
        let index = lexer.next_token();
        if index.kind != TokenKind::Numeral {
            return Err(FormulaError::Malformed);
        }
        if matches!(name, "sign_extend" | "int_to_bv") {
            let bits: u32 = lexer.slice(index.span()).parse().map_err(|_| FormulaError::TooLarge)?;
            weight += u64::from(bits) / BITS;
        }
    }
    match lexer.next_token().kind {
        TokenKind::Close => Ok(weight),
        _ => Err(FormulaError::Malformed),
    }
}

/// The names in the list of bound variables of a quantifier, of basic sorts or bit-vectors.
fn bound_variables<'t>(lexer: &mut Lexer<'t>) -> Result<Vec<&'t str>, FormulaError> {
    let expect = |kind: TokenKind, wanted: TokenKind| match kind == wanted {
        true => Ok(()),
        false => Err(FormulaError::Malformed),
    };
    expect(lexer.next_token().kind, TokenKind::Open)?;
    let mut names = Vec::new();
    loop {
        match lexer.next_token().kind {
            TokenKind::Open => {}
            TokenKind::Close if !names.is_empty() => return Ok(names),
            _ => return Err(FormulaError::Malformed),
        }
        let [name, sort] = [lexer.next_token(), lexer.next_token()];
        expect(name.kind, TokenKind::Symbol)?;
        if sort.kind == TokenKind::Open {
            let tokens = [lexer.next_token(), lexer.next_token(), lexer.next_token(), lexer.next_token()];
            let [mark, kind, width] = [0, 1, 2].map(|at| lexer.slice(tokens[at].span()));
            let width = width.parse().is_ok_and(|width: u32| (1..=MAX_WIDTH).contains(&width));
            expect(tokens[3].kind, TokenKind::Close)?;
            if mark != "_" || kind != "BitVec" || !width {
                return Err(FormulaError::Malformed);
            }
        } else {
            expect(sort.kind, TokenKind::Symbol)?;
            if !["Int", "Real", "Bool"].contains(&lexer.slice(sort.span())) {
                return Err(not_allowed(lexer.slice(sort.span())));
            }
        }
        expect(lexer.next_token().kind, TokenKind::Close)?;
        names.push(lexer.slice(name.span()));
    }
}

/// An open parenthesis.
enum Frame<'t> {
    /// An application, and what its parts weigh.
    Apply(u64),
    /// The bindings of a `let` that are complete.
    Bindings(Vec<(&'t str, u64)>),
    /// A binding of a `let`, before its term or after.
    Binding(&'t str, Option<u64>),
    /// The body of a `let` or a quantifier that binds these names, before the term or after.
    Body(Vec<&'t str>, Option<u64>),
}

struct Scan<'t> {
    stack: Vec<Frame<'t>>,
    /// What the names weigh that `let` has bound, the innermost last.
    names: HashMap<&'t str, Vec<u64>>,
    limits: FormulaLimits,
    start: usize,
}

impl<'t> Scan<'t> {
    fn run(mut self, lexer: &mut Lexer<'t>) -> Result<(), FormulaError> {
        loop {
            let token = lexer.next_token();
            if (token.end as usize).saturating_sub(self.start) > self.limits.bytes {
                return Err(FormulaError::TooLong);
            }
            let weight = match token.kind {
                TokenKind::Open => {
                    self.open(lexer)?;
                    continue;
                }
                TokenKind::Close => match self.close()? {
                    Some(weight) => weight,
                    None => continue,
                },
                TokenKind::Symbol => self.leaf(lexer.slice(token.span()))?,
                TokenKind::Numeral | TokenKind::Decimal | TokenKind::Hexadecimal => {
                    1 + u64::from(token.end - token.start) / 16
                }
                TokenKind::Binary => 1 + u64::from(token.end - token.start) / BITS,
                _ => return Err(FormulaError::Malformed),
            };
            if weight > self.limits.expanded {
                return Err(FormulaError::TooLarge);
            }
            match self.stack.last_mut() {
                None => return Ok(()),
                Some(Frame::Apply(sum)) => *sum = sum.saturating_add(weight),
                Some(Frame::Binding(_, slot @ None) | Frame::Body(_, slot @ None)) => *slot = Some(weight),
                Some(_) => return Err(FormulaError::Malformed),
            }
        }
    }

    /// What a constant, a variable or a name weighs.
    fn leaf(&self, name: &str) -> Result<u64, FormulaError> {
        if let Some(&weight) = self.names.get(name).and_then(|weights| weights.last()) {
            return Ok(weight);
        }
        let variable = name.strip_prefix(['x', 'y']).is_some_and(|digits| {
            !digits.is_empty() && digits.len() <= 9 && digits.bytes().all(|b| b.is_ascii_digit())
        });
        if variable || matches!(name, "true" | "false") || is_numbered(name) {
            return Ok(1);
        }
        Err(not_allowed(name))
    }

    fn open(&mut self, lexer: &mut Lexer<'t>) -> Result<(), FormulaError> {
        if let Some(Frame::Bindings(_)) = self.stack.last() {
            let name = lexer.next_token();
            if name.kind != TokenKind::Symbol {
                return Err(FormulaError::Malformed);
            }
            self.stack.push(Frame::Binding(lexer.slice(name.span()), None));
            return Ok(());
        }
        let token = lexer.next_token();
        match token.kind {
            TokenKind::Symbol => match lexer.slice(token.span()) {
                "let" => {
                    if lexer.next_token().kind != TokenKind::Open {
                        return Err(FormulaError::Malformed);
                    }
                    self.stack.push(Frame::Bindings(Vec::new()));
                }
                "forall" => {
                    let names = bound_variables(lexer)?;
                    for &name in &names {
                        self.names.entry(name).or_default().push(1);
                    }
                    self.stack.push(Frame::Body(names, None));
                }
                name if OPERATORS.contains(&name) || is_numbered(name) => self.stack.push(Frame::Apply(1)),
                name => return Err(not_allowed(name)),
            },
            // ((_ divisible k) t)
            TokenKind::Open => {
                let weight = indexed_operator(lexer)?;
                self.stack.push(Frame::Apply(weight));
            }
            _ => return Err(FormulaError::Malformed),
        }
        Ok(())
    }

    /// Closes a parenthesis; gives what a finished term weighs.
    fn close(&mut self) -> Result<Option<u64>, FormulaError> {
        match self.stack.pop() {
            Some(Frame::Apply(sum)) => Ok(Some(sum)),
            Some(Frame::Binding(name, Some(weight))) => match self.stack.last_mut() {
                Some(Frame::Bindings(bindings)) => {
                    bindings.push((name, weight));
                    Ok(None)
                }
                _ => Err(FormulaError::Malformed),
            },
            Some(Frame::Bindings(bindings)) => {
                let names = bindings.iter().map(|&(name, _)| name).collect();
                for (name, weight) in bindings {
                    self.names.entry(name).or_default().push(weight);
                }
                self.stack.push(Frame::Body(names, None));
                Ok(None)
            }
            Some(Frame::Body(names, Some(weight))) => {
                for name in names {
                    self.names.get_mut(name).and_then(Vec::pop);
                }
                Ok(Some(weight))
            }
            _ => Err(FormulaError::Malformed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<(), FormulaError>) {
        let limits = FormulaLimits { bytes: 2_000, expanded: 1_000 };
        assert_eq!(Formula::new(text, limits).map(|_| ()), expected, "for {text}");
    }

    #[test]
    fn what_the_printer_writes_is_let_through() {
        for text in [
            "true",
            "(<= x0 (- 5))",
            "(and (<= (+ x0 (* 3 x1)) 7) (or (< x2 (/ 1.0 3.0)) (not x3)))",
            "(let ((.1 (+ x0 x1 x2 x3))) (let ((.2 (<= .1 4))) (or .2 (and .2 (= .1 7)))))",
            "((_ divisible 3) (+ x0 1))",
            "(= (mod (+ x0 y0) 2) 0)",
            "(or (not (= ((_ extract 5 3) x0) #b010)) (bvsle (bvadd x1 #xff) ((_ sign_extend 4) x2)))",
            "(= (ubv_to_int (concat x0 (bvnot x1))) 5)",
        ] {
            check(text, Ok(()));
        }
    }

    #[test]
    fn mistakes_are_typed() {
        for text in ["", "(", ")", "(and x0", "(and x0))", "x0 x1", "()", "(let x0 x1)", "(let ((a x0)))"] {
            check(text, Err(FormulaError::Malformed));
        }
        for text in ["(let ((a)) x0)", "(let ((a x0) (b)) a)", "(let ((a x0 x1)) a)", "\"x\"", "(5 x0)"] {
            check(text, Err(FormulaError::Malformed));
        }
        for text in
            ["((_ extract 5) x0)", "((_ extract 5 3 1) x0)", "((_ repeat 9) x0)", "((_ divisible x0) x0)"]
        {
            check(text, Err(FormulaError::Malformed));
        }
        check("((_ sign_extend 65000) x0)", Err(FormulaError::TooLarge));
        check("((_ int_to_bv 99999999999) x0)", Err(FormulaError::TooLarge));
        check("z", Err(FormulaError::Symbol("z".to_owned())));
        check("x", Err(FormulaError::Symbol("x".to_owned())));
        check("(distinct x0 x1)", Err(FormulaError::Symbol("distinct".to_owned())));
        check("(exists ((x0 Int)) true)", Err(FormulaError::Symbol("exists".to_owned())));
        check("(forall ((i Int) (j Real)) (or (<= (+ x0 i) 0) (< j 0)))", Ok(()));
        check("(and (forall ((i Int)) (<= i 0)) (<= i 0))", Err(FormulaError::Symbol("i".to_owned())));
        check("(forall ((i (Array Int Int))) true)", Err(FormulaError::Malformed));
        check("(forall ((i (_ BitVec 4)) (j Int)) (= i x0))", Ok(()));
        for text in
            ["(_ BitVec 0)", "(_ BitVec 65537)", "(_ BitVec x0)", "(_ FloatingPoint 4)", "(_ BitVec 4", "(_)"]
        {
            check(&format!("(forall ((i {text})) true)"), Err(FormulaError::Malformed));
        }
        check("(forall ((i Other)) true)", Err(FormulaError::Symbol("Other".to_owned())));
        check("(forall () true)", Err(FormulaError::Malformed));
        check("(forall ((i Int)) true true)", Err(FormulaError::Malformed));
        check("(forall ((i Int)))", Err(FormulaError::Malformed));
        check(&format!("(and {})", "x0 ".repeat(800)), Err(FormulaError::TooLong));
    }

    #[test]
    fn sharing_is_counted() {
        // Sixty squares of squares in five hundred bytes.
        let mut text = String::from("(let ((a0 9)) ");
        for i in 0..40 {
            text += &format!("(let ((a{} (* a{i} a{i}))) ", i + 1);
        }
        text += "(= x0 a40)";
        text += &")".repeat(41);
        check(&text, Err(FormulaError::TooLarge));
        // A name is free again after its let.
        check("(and (let ((a x0)) a) a)", Err(FormulaError::Symbol("a".to_owned())));
    }
}
