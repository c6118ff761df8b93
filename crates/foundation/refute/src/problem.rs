//! The problem: declarations, definitions and assertions, read as they are written.

use std::collections::HashMap;

use shem_base::{Int, Rat};
use shem_term::smtlib::{Lexer, Token, TokenKind};

use crate::error::RefuteError;
use crate::terms::{Id, Shape, Sort, Terms};

type Result<T> = std::result::Result<T, RefuteError>;

/// How deep sorts may be nested.
const DEEPEST_SORT: usize = 100;

/// A defined function: the number of its parameters, and its body with parameters in place of their names.
#[derive(Clone, Copy, Debug)]
struct Definition {
    arity: usize,
    body: Id,
}

/// What is being read.
enum Frame {
    /// An application: its name and the arguments so far.
    Apply(String, Vec<Id>),
    /// Bindings: those so far, and the name whose value is being read.
    Let(Vec<(String, Id)>, String),
    /// The body below so many bindings.
    Body(Vec<String>),
    /// A term with annotations.
    Annotated,
}

/// A problem in SMT-LIB of which a proof may be wanted.
///
/// ```
/// use shem_base::Budget;
/// use shem_refute::Problem;
///
/// let mut problem = Problem::default();
/// problem.read("(declare-const x Int) (assert (< x 3)) (assert (> x 2))")?;
/// let mut proof = Vec::new();
/// problem.refute(&mut Budget::unlimited(), &mut proof)?;
/// assert!(String::from_utf8(proof).unwrap().contains(":rule la_generic"));
/// # Ok::<(), shem_refute::RefuteError>(())
/// ```
#[derive(Debug, Default)]
pub struct Problem {
    pub(crate) terms: Terms,
    /// The assertions and assumptions.
    pub(crate) premises: Vec<Id>,
    functions: HashMap<String, Sort>,
    definitions: HashMap<String, Definition>,
    sorts: Vec<String>,
    /// Values of bound names, the innermost last.
    bound: HashMap<String, Vec<Id>>,
    numerals_are_real: bool,
}

fn malformed<T>(what: impl Into<String>) -> Result<T> {
    Err(RefuteError::Malformed(what.into()))
}

fn unsupported<T>(what: impl Into<String>) -> Result<T> {
    Err(RefuteError::Unsupported(what.into()))
}

/// The name that a token is.
fn name(lexer: &Lexer<'_>, token: Token) -> Result<String> {
    let text = lexer.slice(token.span());
    match token.kind {
        TokenKind::Symbol => Ok(text.to_owned()),
        TokenKind::Quoted => Ok(text[1..text.len() - 1].to_owned()),
        _ => malformed(format!("expected a symbol, found {text}")),
    }
}

fn expect(lexer: &mut Lexer<'_>, kind: TokenKind) -> Result<Token> {
    let token = lexer.next_token();
    if token.kind == kind {
        Ok(token)
    } else {
        malformed(format!("unexpected {}", lexer.slice(token.span())))
    }
}

/// Reads up to the end of the list in which the lexer is.
fn skip(lexer: &mut Lexer<'_>) -> Result<()> {
    let mut depth = 1;
    while depth > 0 {
        match lexer.next_token().kind {
            TokenKind::Open => depth += 1,
            TokenKind::Close => depth -= 1,
            TokenKind::End | TokenKind::Malformed => return malformed("the text ends within a command"),
            _ => {}
        }
    }
    Ok(())
}

impl Problem {
    /// Reads commands. Those that declare, define, assert or assume something count, and so does `set-logic`.
    pub fn read(&mut self, text: &str) -> Result<()> {
        let mut lexer = Lexer::new(text).map_err(|error| RefuteError::Malformed(error.to_string()))?;
        loop {
            match lexer.next_token().kind {
                TokenKind::End => return Ok(()),
                TokenKind::Open => self.command(&mut lexer)?,
                _ => return malformed("expected a command"),
            }
        }
    }

    fn command(&mut self, lexer: &mut Lexer<'_>) -> Result<()> {
        let word = expect(lexer, TokenKind::Symbol)?;
        match lexer.slice(word.span()) {
            "set-logic" => {
                let token = lexer.next_token();
                let logic = name(lexer, token)?;
                // As the checker does it.
                self.numerals_are_real =
                    ["LRA", "NRA", "RDL"].iter().any(|part| logic.contains(part)) && !logic.contains('I');
            }
            "assert" => {
                let term = self.term(lexer)?;
                self.premises.push(term);
            }
            "check-sat-assuming" => {
                expect(lexer, TokenKind::Open)?;
                while lexer.peek().kind != TokenKind::Close {
                    let term = self.term(lexer)?;
                    self.premises.push(term);
                }
                lexer.next_token();
            }
            "declare-const" => {
                let name = self.new_name(lexer)?;
                let sort = self.sort(lexer, 0)?;
                self.functions.insert(name, sort);
            }
            "declare-fun" => {
                let name = self.new_name(lexer)?;
                expect(lexer, TokenKind::Open)?;
                while lexer.peek().kind != TokenKind::Close {
                    self.sort(lexer, 0)?;
                }
                lexer.next_token();
                let sort = self.sort(lexer, 0)?;
                self.functions.insert(name, sort);
            }
            "declare-sort" => {
                let name = self.new_name(lexer)?;
                let arity = expect(lexer, TokenKind::Numeral)?;
                if lexer.slice(arity.span()) != "0" {
                    return unsupported("sorts with parameters");
                }
                self.sorts.push(name);
            }
            "define-fun" | "define-const" => self.definition(lexer, word)?,
            word @ ("declare-datatype" | "declare-datatypes" | "define-sort" | "define-fun-rec"
            | "define-funs-rec") => {
                return unsupported(word);
            }
            _ => return skip(lexer),
        }
        expect(lexer, TokenKind::Close)?;
        Ok(())
    }

    fn new_name(&mut self, lexer: &mut Lexer<'_>) -> Result<String> {
        let token = lexer.next_token();
        let name = name(lexer, token)?;
        self.definitions.remove(&name);
        Ok(name)
    }

    fn definition(&mut self, lexer: &mut Lexer<'_>, word: Token) -> Result<()> {
        let name = self.new_name(lexer)?;
        let mut parameters = Vec::new();
        if lexer.slice(word.span()) == "define-fun" {
            expect(lexer, TokenKind::Open)?;
            while lexer.peek().kind != TokenKind::Close {
                expect(lexer, TokenKind::Open)?;
                let token = lexer.next_token();
                let parameter = self::name(lexer, token)?;
                let sort = self.sort(lexer, 0)?;
                expect(lexer, TokenKind::Close)?;
                let id = self.terms.intern(Shape::Parameter(parameters.len() as u32), sort);
                self.bound.entry(parameter.clone()).or_default().push(id);
                parameters.push(parameter);
            }
            lexer.next_token();
        }
        self.sort(lexer, 0)?;
        let body = self.term(lexer)?;
        for parameter in &parameters {
            self.bound.get_mut(parameter).expect("bound above").pop();
        }
        self.definitions.insert(name, Definition { arity: parameters.len(), body });
        Ok(())
    }

    fn sort(&mut self, lexer: &mut Lexer<'_>, depth: usize) -> Result<Sort> {
        if depth > DEEPEST_SORT {
            return unsupported("sorts that are nested so deeply");
        }
        let token = lexer.next_token();
        if token.kind == TokenKind::Open {
            let token = lexer.next_token();
            if name(lexer, token)? != "Array" {
                return unsupported(format!("the sort ({} …)", lexer.slice(token.span())));
            }
            let index = self.sort(lexer, depth + 1)?;
            let element = self.sort(lexer, depth + 1)?;
            expect(lexer, TokenKind::Close)?;
            return Ok(Sort::Array(Box::new(index), Box::new(element)));
        }
        let name = name(lexer, token)?;
        match &*name {
            "Bool" => Ok(Sort::Bool),
            "Int" => Ok(Sort::Int),
            "Real" => Ok(Sort::Real),
            _ if self.sorts.contains(&name) => Ok(Sort::Declared(name)),
            _ => unsupported(format!("the sort {name}")),
        }
    }

    /// Reads a term.
    fn term(&mut self, lexer: &mut Lexer<'_>) -> Result<Id> {
        let mut stack: Vec<Frame> = Vec::new();
        let mut value: Option<Id> = None;
        loop {
            if let Some(id) = value.take() {
                match stack.last_mut() {
                    None => return Ok(id),
                    Some(Frame::Apply(_, args)) => args.push(id),
                    Some(Frame::Let(bindings, pending)) => {
                        bindings.push((std::mem::take(pending), id));
                        expect(lexer, TokenKind::Close)?;
                        if lexer.peek().kind == TokenKind::Open {
                            lexer.next_token();
                            let token = lexer.next_token();
                            *pending = name(lexer, token)?;
                            continue;
                        }
                        expect(lexer, TokenKind::Close)?;
                        let bindings = std::mem::take(bindings);
                        stack.pop();
                        stack.push(self.bind(bindings));
                    }
                    Some(Frame::Body(names)) => {
                        for name in names {
                            self.bound.get_mut(name).expect("bound before").pop();
                        }
                        expect(lexer, TokenKind::Close)?;
                        stack.pop();
                        value = Some(id);
                        continue;
                    }
                    Some(Frame::Annotated) => {
                        skip(lexer)?;
                        stack.pop();
                        value = Some(id);
                        continue;
                    }
                }
            }
            let token = lexer.next_token();
            match token.kind {
                TokenKind::Open => stack.push(self.open(lexer)?),
                TokenKind::Close => match stack.pop() {
                    Some(Frame::Apply(name, args)) => value = Some(self.apply(&name, &args)?),
                    _ => return malformed("unexpected )"),
                },
                TokenKind::Symbol | TokenKind::Quoted => {
                    let name = name(lexer, token)?;
                    value = Some(match self.bound.get(&name).and_then(|values| values.last()) {
                        Some(&bound) => bound,
                        None => self.apply(&name, &[])?,
                    });
                }
                TokenKind::Numeral | TokenKind::Decimal => {
                    let text = lexer.slice(token.span());
                    let Ok(number) = Rat::parse_decimal(text) else { return malformed(text) };
                    let real = token.kind == TokenKind::Decimal || self.numerals_are_real;
                    value = Some(self.terms.number(&number, real));
                }
                _ => return unsupported(lexer.slice(token.span())),
            }
        }
    }

    /// What a list in the place of a term begins.
    fn open(&mut self, lexer: &mut Lexer<'_>) -> Result<Frame> {
        let token = lexer.next_token();
        if token.kind == TokenKind::Open {
            return unsupported("indexed and qualified symbols");
        }
        let name = name(lexer, token)?;
        if token.kind == TokenKind::Quoted {
            return Ok(Frame::Apply(name, Vec::new()));
        }
        match &*name {
            "let" => {
                expect(lexer, TokenKind::Open)?;
                if lexer.peek().kind == TokenKind::Close {
                    lexer.next_token();
                    return Ok(Frame::Body(Vec::new()));
                }
                expect(lexer, TokenKind::Open)?;
                let token = lexer.next_token();
                Ok(Frame::Let(Vec::new(), self::name(lexer, token)?))
            }
            "!" => Ok(Frame::Annotated),
            "forall" | "exists" | "match" | "_" | "as" => unsupported(format!("({name} …) here")),
            _ => Ok(Frame::Apply(name, Vec::new())),
        }
    }

    fn bind(&mut self, bindings: Vec<(String, Id)>) -> Frame {
        let mut names = Vec::with_capacity(bindings.len());
        for (name, value) in bindings {
            self.bound.entry(name.clone()).or_default().push(value);
            names.push(name);
        }
        Frame::Body(names)
    }

    /// Whether a symbol was declared by the problem.
    pub(crate) fn is_declared(&self, name: &str) -> bool {
        self.functions.contains_key(name)
    }

    fn apply(&mut self, name: &str, args: &[Id]) -> Result<Id> {
        if let Some(&Definition { arity, body }) = self.definitions.get(name) {
            if arity != args.len() {
                return malformed(format!("{name} has another number of arguments"));
            }
            return Ok(if arity == 0 { body } else { self.terms.instantiate(body, args) });
        }
        if let Some(sort) = self.functions.get(name) {
            let sort = sort.clone();
            return Ok(self.terms.apply(name, args, sort));
        }
        let sort = |at: usize| args.get(at).map(|&arg| self.terms.sort(arg).clone());
        let numeric = |args: &[Id]| {
            let real = args.iter().any(|&arg| *self.terms.sort(arg) == Sort::Real);
            if real { Sort::Real } else { Sort::Int }
        };
        let result = match (name, args.len()) {
            ("true" | "false", 0) | ("not", 1) | ("and" | "or", 1..) => Sort::Bool,
            ("=>" | "=" | "distinct" | "xor", 2..) => Sort::Bool,
            ("<" | "<=" | ">" | ">=", 2) => Sort::Bool,
            ("ite", 3) => match sort(1) {
                Some(Sort::Int | Sort::Real) => numeric(&args[1..]),
                other => other.expect("three arguments"),
            },
            ("+" | "*", 2..) | ("-", 1..) => numeric(args),
            ("/", 2) => match (self.integer_literal(args[0]), self.integer_literal(args[1])) {
                (Some(a), Some(b)) => {
                    if b.is_zero() {
                        return unsupported("a quotient by zero");
                    }
                    if a.is_positive() && !(a.is_one() && b.is_one()) && a.gcd(&b).is_one() {
                        return Ok(self.terms.number(&Rat::new(a, b), true));
                    }
                    Sort::Real
                }
                _ => Sort::Real,
            },
            ("div", 2) => match (self.signed_literal(args[0]), self.signed_literal(args[1])) {
                // The checker takes such a quotient for a fraction.
                (Some(a), Some(b)) if b.is_zero() || !(&a / &b).is_integer() => {
                    return unsupported("a quotient of two numerals that is not exact");
                }
                _ => Sort::Int,
            },
            ("mod", 2) => Sort::Int,
            ("abs", 1) => numeric(args),
            ("to_real", 1) => Sort::Real,
            ("select", 2) => match sort(0) {
                Some(Sort::Array(_, element)) => *element,
                _ => return malformed("select without an array"),
            },
            ("store", 3) => sort(0).expect("three arguments"),
            _ => return unsupported(format!("{name} with {} arguments", args.len())),
        };
        Ok(self.terms.apply(name, args, result))
    }

    /// The value of an integer literal; all literals that are integers are, where numerals are real.
    fn integer_literal(&self, id: Id) -> Option<Int> {
        match self.terms.shape(id) {
            Shape::Number(value, real) if !real || self.numerals_are_real => value.to_int(),
            _ => None,
        }
    }

    /// The value of an exact quotient of two numerals.
    pub(crate) fn exact_quotient(&self, id: Id) -> Option<Rat> {
        let ("div", &[a, b]) = self.terms.parts(id) else { return None };
        let (a, b) = (self.signed_literal(a)?, self.signed_literal(b)?);
        (!b.is_zero()).then(|| &a / &b).filter(Rat::is_integer)
    }

    /// The value of a number or of its negation.
    pub(crate) fn signed_literal(&self, id: Id) -> Option<Rat> {
        match (self.terms.shape(id), self.terms.parts(id)) {
            (Shape::Number(value, _), _) => Some(value.clone()),
            (_, ("-", &[inner])) => match self.terms.shape(inner) {
                Shape::Number(value, _) => Some(-value.clone()),
                _ => None,
            },
            _ => None,
        }
    }
}
