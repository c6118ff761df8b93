//! The one reader of problems as they are written: declarations, definitions and terms.
//!
//! Nothing recurses: terms that are not complete are frames on a stack. The text has been read and checked before, so
//! mistakes are not told with their places here.

use std::collections::HashMap;

use shem_base::{BitVec, Int, Rat, counted};
use shem_term::smtlib::{Lexer, Token, TokenKind};

use super::bits::{self, is_reserved};
use super::terms::{Shape, Sort, TermId, Terms, VariableId};
use crate::error::{ProofError, Result, malformed, unsupported};

/// Symbols and sorts of arithmetic, which a script may declare otherwise if its logic has no numbers.
const ARITHMETIC: [&str; 16] = [
    "+", "-", "*", "/", "div", "mod", "abs", "<=", "<", ">=", ">", "to_real", "to_int", "is_int", "Int",
    "Real",
];

/// How deep sorts may be nested.
const DEEPEST_SORT: usize = 100;

/// A defined function.
#[derive(Clone, Debug)]
struct Definition {
    parameters: Vec<VariableId>,
    body: TermId,
    /// Whether the body has quantifiers, which get variables of their own in each application.
    quantified: bool,
}

/// What is being read.
enum OpenTerm {
    /// An application: its name and the arguments so far.
    Apply(String, Vec<TermId>),
    /// Bindings: those so far, and the name whose value is being read.
    Let(Vec<(String, TermId)>, String),
    /// The body below these bindings.
    Body(Vec<String>),
    /// The body of a quantifier, which is universal or not, with its variables and their names.
    Quantified(bool, Vec<VariableId>, Vec<String>),
    /// A term with annotations.
    Annotated,
}

/// What the names of a script mean, and the terms that have been read.
#[derive(Debug, Default)]
pub(crate) struct Script {
    pub(crate) terms: Terms,
    functions: HashMap<String, Sort>,
    definitions: HashMap<String, Definition>,
    /// Declared sorts, and names for sorts.
    sorts: HashMap<String, Sort>,
    /// Values of bound names, the innermost last.
    bound: HashMap<String, Vec<TermId>>,
    /// What is unsupported in the declarations and definitions of these names.
    refused: HashMap<String, String>,
    /// The name that the command at hand declares or defines.
    declaring: Option<String>,
    numerals_are_real: bool,
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

fn next_name(lexer: &mut Lexer<'_>) -> Result<String> {
    let token = lexer.next_token();
    name(lexer, token)
}

fn expect(lexer: &mut Lexer<'_>, kind: TokenKind) -> Result<Token> {
    let token = lexer.next_token();
    if token.kind == kind {
        Ok(token)
    } else {
        malformed(format!("unexpected {}", lexer.slice(token.span())))
    }
}

/// Whether another member of the current list follows; otherwise its closing parenthesis has been read.
fn has_next(lexer: &mut Lexer<'_>) -> bool {
    let next = lexer.peek().kind != TokenKind::Close;
    if !next {
        lexer.next_token();
    }
    next
}

/// Reads up to the end of the list in which the lexer is.
pub(crate) fn skip(lexer: &mut Lexer<'_>) -> Result<()> {
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

/// Reads the rest of a sort that begins with `(_`.
fn bit_vector_sort(lexer: &mut Lexer<'_>) -> Result<Sort> {
    let (name, width) = (next_name(lexer)?, lexer.next_token());
    expect(lexer, TokenKind::Close)?;
    let sort = bits::width(lexer.slice(width.span())).filter(|_| name == "BitVec");
    sort.map_or_else(|| unsupported(format!("the sort (_ {name} …)")), Ok)
}

/// Reads the rest of an indexed symbol that stands at the head of an application, `(_ extract 7 0)`, after its first
/// parenthesis.
fn indexed_symbol(lexer: &mut Lexer<'_>) -> Result<String> {
    if next_name(lexer)? != "_" {
        return unsupported("qualified symbols");
    }
    let operator = next_name(lexer)?;
    let mut indices = Vec::new();
    while has_next(lexer) {
        let index = lexer.next_token();
        indices.push(lexer.slice(index.span()));
    }
    Ok(bits::indexed_name(&operator, &indices))
}

impl Script {
    /// Reads a command after its opening parenthesis: gives the formulas that it asserts or assumes. Commands that neither
    /// declare nor define anything, and do not set the logic, are passed over.
    pub(crate) fn command(&mut self, lexer: &mut Lexer<'_>) -> Result<Vec<TermId>> {
        self.bound.clear(); // An error may have left names there.
        self.declaring = None;
        let result = self.read_command(lexer);
        if let (Err(ProofError::Unsupported(what)), Some(name)) = (&result, self.declaring.take()) {
            self.refused.insert(name, what.clone());
        }
        result
    }

    fn read_command(&mut self, lexer: &mut Lexer<'_>) -> Result<Vec<TermId>> {
        let mut formulas = Vec::new();
        let word = expect(lexer, TokenKind::Symbol)?;
        match lexer.slice(word.span()) {
            "set-logic" => {
                let logic = next_name(lexer)?;
                // As the checker does it.
                self.numerals_are_real =
                    ["LRA", "NRA", "RDL"].iter().any(|part| logic.contains(part)) && !logic.contains('I');
            }
            "assert" => formulas.push(self.term(lexer)?),
            "check-sat-assuming" => {
                expect(lexer, TokenKind::Open)?;
                while has_next(lexer) {
                    formulas.push(self.term(lexer)?);
                }
            }
            word @ ("declare-const" | "declare-fun") => {
                let name = self.new_name(lexer)?;
                if word == "declare-fun" {
                    expect(lexer, TokenKind::Open)?;
                    while has_next(lexer) {
                        self.sort(lexer, 0)?;
                    }
                }
                let sort = self.sort(lexer, 0)?;
                self.functions.insert(name, sort);
            }
            "declare-sort" => {
                let name = self.new_name(lexer)?;
                let arity = expect(lexer, TokenKind::Numeral)?;
                if lexer.slice(arity.span()) != "0" {
                    return unsupported("sorts with parameters");
                }
                self.sorts.insert(name.clone(), Sort::Declared(name));
            }
            "define-sort" => {
                let name = next_name(lexer)?;
                expect(lexer, TokenKind::Open)?;
                expect(lexer, TokenKind::Close)?;
                match self.sort(lexer, 0)? {
                    // Names in names would be sorts of any depth.
                    Sort::Array(..) => return unsupported("names for sorts of arrays"),
                    sort => self.sorts.insert(name, sort),
                };
            }
            word @ ("define-fun" | "define-const") => self.definition(lexer, word == "define-fun")?,
            word @ ("declare-datatype" | "declare-datatypes" | "define-fun-rec" | "define-funs-rec") => {
                return unsupported(word);
            }
            _ => {
                skip(lexer)?;
                return Ok(formulas);
            }
        }
        expect(lexer, TokenKind::Close)?;
        Ok(formulas)
    }

    /// Reads the formula of an assertion.
    pub(crate) fn formula(&mut self, lexer: &mut Lexer<'_>) -> Result<TermId> {
        self.bound.clear();
        self.term(lexer)
    }

    fn new_name(&mut self, lexer: &mut Lexer<'_>) -> Result<String> {
        let name = next_name(lexer)?;
        // The checker would take a symbol of arithmetic for what it means there.
        if is_reserved(&name) || ARITHMETIC.contains(&&*name) {
            return unsupported(format!("a symbol with the name {name}"));
        }
        self.functions.remove(&name);
        self.definitions.remove(&name);
        self.refused.remove(&name);
        self.declaring = Some(name.clone());
        Ok(name)
    }

    fn definition(&mut self, lexer: &mut Lexer<'_>, has_parameters: bool) -> Result<()> {
        let name = self.new_name(lexer)?;
        let (mut names, mut parameters) = (Vec::new(), Vec::new());
        if has_parameters {
            (names, parameters) = self.variables(lexer)?;
        }
        self.sort(lexer, 0)?;
        let before = self.terms.quantifier_count();
        let body = self.term(lexer)?;
        self.unbind(&names);
        let quantified = self.terms.quantifier_count() > before;
        self.definitions.insert(name, Definition { parameters, body, quantified });
        Ok(())
    }

    /// Reads a list of variables and binds their names.
    fn variables(&mut self, lexer: &mut Lexer<'_>) -> Result<(Vec<String>, Vec<VariableId>)> {
        let (mut names, mut variables) = (Vec::new(), Vec::new());
        expect(lexer, TokenKind::Open)?;
        while has_next(lexer) {
            expect(lexer, TokenKind::Open)?;
            let name = next_name(lexer)?;
            let sort = self.sort(lexer, 0)?;
            expect(lexer, TokenKind::Close)?;
            let (variable, term) = self.terms.new_variable(&name, sort);
            self.bound.entry(name.clone()).or_default().push(term);
            names.push(name);
            variables.push(variable);
        }
        Ok((names, variables))
    }

    fn unbind(&mut self, names: &[String]) {
        for name in names {
            self.bound.get_mut(name).and_then(Vec::pop);
        }
    }

    fn sort(&mut self, lexer: &mut Lexer<'_>, depth: usize) -> Result<Sort> {
        if depth > DEEPEST_SORT {
            return unsupported("sorts that are nested so deeply");
        }
        let token = lexer.next_token();
        if token.kind == TokenKind::Open {
            let token = lexer.next_token();
            match &*name(lexer, token)? {
                "Array" => {}
                "_" => return bit_vector_sort(lexer),
                other => return unsupported(format!("the sort ({other} …)")),
            }
            let index = self.sort(lexer, depth + 1)?;
            let element = self.sort(lexer, depth + 1)?;
            expect(lexer, TokenKind::Close)?;
            return Ok(Sort::Array(Box::new(index), Box::new(element)));
        }
        let name = name(lexer, token)?;
        match (&*name, self.sorts.get(&name)) {
            ("Bool", _) => Ok(Sort::Bool),
            ("Int", _) => Ok(Sort::Int),
            ("Real", _) => Ok(Sort::Real),
            (_, Some(sort)) => Ok(sort.clone()),
            _ => unsupported(format!("the sort {name}")),
        }
    }

    /// Reads a term.
    fn term(&mut self, lexer: &mut Lexer<'_>) -> Result<TermId> {
        let mut stack: Vec<OpenTerm> = Vec::new();
        let mut value: Option<TermId> = None;
        loop {
            if let Some(id) = value.take() {
                match stack.pop() {
                    None => return Ok(id),
                    Some(OpenTerm::Apply(name, mut args)) => {
                        args.push(id);
                        stack.push(OpenTerm::Apply(name, args));
                    }
                    Some(OpenTerm::Let(mut bindings, pending)) => {
                        bindings.push((pending, id));
                        expect(lexer, TokenKind::Close)?;
                        if has_next(lexer) {
                            expect(lexer, TokenKind::Open)?;
                            stack.push(OpenTerm::Let(bindings, next_name(lexer)?));
                        } else {
                            stack.push(self.bind(bindings));
                        }
                    }
                    Some(OpenTerm::Body(names)) => {
                        self.unbind(&names);
                        expect(lexer, TokenKind::Close)?;
                        value = Some(id);
                        continue;
                    }
                    Some(OpenTerm::Quantified(universal, variables, names)) => {
                        self.unbind(&names);
                        expect(lexer, TokenKind::Close)?;
                        value = Some(self.terms.quantify(universal, variables, id));
                        continue;
                    }
                    Some(OpenTerm::Annotated) => {
                        skip(lexer)?;
                        value = Some(id);
                        continue;
                    }
                }
            }
            let token = lexer.next_token();
            match token.kind {
                TokenKind::Open => stack.push(self.open(lexer)?),
                TokenKind::Close => match stack.pop() {
                    Some(OpenTerm::Apply(name, args)) => value = Some(self.apply(&name, &args)?),
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
                TokenKind::Binary | TokenKind::Hexadecimal => {
                    let text = lexer.slice(token.span());
                    let bits = if token.kind == TokenKind::Binary { 1 } else { 4 };
                    let Some(literal) = BitVec::from_digits(&text[2..], bits) else { return malformed(text) };
                    value = Some(self.apply(&bits::literal_name(&literal), &[])?);
                }
                _ => return unsupported(lexer.slice(token.span())),
            }
        }
    }

    /// What a list in the place of a term begins.
    fn open(&mut self, lexer: &mut Lexer<'_>) -> Result<OpenTerm> {
        let token = lexer.next_token();
        if token.kind == TokenKind::Open {
            return Ok(OpenTerm::Apply(indexed_symbol(lexer)?, Vec::new()));
        }
        let name = name(lexer, token)?;
        if token.kind == TokenKind::Quoted {
            return Ok(OpenTerm::Apply(name, Vec::new()));
        }
        match &*name {
            "let" => {
                expect(lexer, TokenKind::Open)?;
                if !has_next(lexer) {
                    return Ok(OpenTerm::Body(Vec::new()));
                }
                expect(lexer, TokenKind::Open)?;
                Ok(OpenTerm::Let(Vec::new(), next_name(lexer)?))
            }
            "!" => Ok(OpenTerm::Annotated),
            "forall" | "exists" => {
                let (names, variables) = self.variables(lexer)?;
                Ok(OpenTerm::Quantified(name == "forall", variables, names))
            }
            "_" => {
                let (name, width) = (next_name(lexer)?, expect(lexer, TokenKind::Numeral)?);
                match bits::numbered_literal(&name, lexer.slice(width.span())) {
                    Some(literal) => Ok(OpenTerm::Apply(bits::literal_name(&literal), Vec::new())),
                    None => unsupported(format!("(_ {name} …) here")),
                }
            }
            "match" | "as" | "lambda" => unsupported(format!("({name} …) here")),
            _ => Ok(OpenTerm::Apply(name, Vec::new())),
        }
    }

    fn bind(&mut self, bindings: Vec<(String, TermId)>) -> OpenTerm {
        let mut names = Vec::with_capacity(bindings.len());
        for (name, value) in bindings {
            self.bound.entry(name.clone()).or_default().push(value);
            names.push(name);
        }
        OpenTerm::Body(names)
    }

    /// Whether a symbol was declared by the problem.
    pub(crate) fn is_declared(&self, name: &str) -> bool {
        self.functions.contains_key(name)
    }

    fn apply(&mut self, name: &str, args: &[TermId]) -> Result<TermId> {
        if let Some(Definition { parameters, body, quantified }) = self.definitions.get(name) {
            if parameters.len() != args.len() {
                return malformed(format!("{name} has another number of arguments"));
            }
            return Ok(match args {
                [] if !quantified => *body,
                _ => self.terms.instantiate(*body, parameters, args),
            });
        }
        if let Some(sort) = self.functions.get(name) {
            let sort = sort.clone();
            return Ok(self.terms.apply(name, args, sort));
        }
        if let ("/", &[a, b]) = (name, args)
            && let (Some(a), Some(b)) = (self.integer_literal(a), self.integer_literal(b))
            && a.is_positive()
            && b.is_positive()
            && !(a.is_one() && b.is_one())
            && a.gcd(&b).is_one()
        {
            return Ok(self.terms.number(&Rat::new(a, b), true));
        }
        let sort = |at: usize| args.get(at).map(|&arg| self.terms.sort(arg).clone());
        let numeric = |args: &[TermId]| {
            let real = args.iter().any(|&arg| *self.terms.sort(arg) == Sort::Real);
            if real { Sort::Real } else { Sort::Int }
        };
        let result = match (name, args.len()) {
            ("true" | "false", 0) | ("not" | "is_int", 1) | ("and" | "or", 1..) => Sort::Bool,
            ("=>" | "=" | "distinct" | "xor" | "<" | "<=" | ">" | ">=", 2..) => Sort::Bool,
            ("ite", 3) => match sort(1) {
                Some(Sort::Int | Sort::Real) => numeric(&args[1..]),
                other => other.expect("three arguments"),
            },
            ("+" | "*", 2..) | ("-", 1..) | ("abs", 1) => numeric(args),
            ("/", 2..) | ("to_real", 1) => Sort::Real,
            ("div" | "mod", 2) | ("to_int", 1) => Sort::Int,
            ("select", 2) => match sort(0) {
                Some(Sort::Array(_, element)) => *element,
                _ => return malformed("select without an array"),
            },
            ("store", 3) => sort(0).expect("three arguments"),
            _ => {
                let sorts: Vec<Sort> = args.iter().map(|&arg| self.terms.sort(arg).clone()).collect();
                match (bits::operation_sort(name, &sorts), self.refused.get(name)) {
                    (Some(sort), _) => sort,
                    (_, Some(what)) => return unsupported(format!("{what}, which {name} needs")),
                    _ => return unsupported(format!("{name} with {}", counted(args.len(), "argument"))),
                }
            }
        };
        Ok(self.terms.apply(name, args, result))
    }

    /// The value of an integer literal; all literals that are integers are, where numerals are real.
    fn integer_literal(&self, id: TermId) -> Option<Int> {
        match self.terms.shape(id) {
            Shape::Number(value, real) if !real || self.numerals_are_real => value.to_int(),
            _ => None,
        }
    }

    /// Refuses what the rules for problems of SMT-LIB do not cover in these formulas: quantifiers, and quotients that the
    /// checker takes for other numbers.
    pub(crate) fn refuse_without_rules(&self, formulas: &[TermId]) -> Result<()> {
        for id in self.terms.within(formulas) {
            if let Some(quantifier) = self.terms.quantifier(id) {
                return unsupported(if quantifier.universal {
                    "(forall …) here"
                } else {
                    "(exists …) here"
                });
            }
            match self.terms.parts(id) {
                ("/", [_, _, _, ..]) => return unsupported("/ with several divisors"),
                // The checker's rule for chains is for equations alone.
                ("<" | "<=" | ">" | ">=", [_, _, _, ..]) => return unsupported("a chain of comparisons"),
                ("/", &[a, b])
                    if self.integer_literal(a).is_some()
                        && self.integer_literal(b).is_some_and(|b| b.is_zero()) =>
                {
                    return unsupported("a quotient by zero");
                }
                // The checker takes such a quotient for a fraction.
                ("div", &[a, b])
                    if self.terms.signed_literal(a).is_some()
                        && self.terms.signed_literal(b).is_some()
                        && self.terms.exact_quotient(id).is_none() =>
                {
                    return unsupported("a quotient of two numerals that is not exact");
                }
                _ => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The formula that the last command of a script asserts, with the script.
    fn read(text: &str) -> Result<(Script, TermId)> {
        let (mut script, mut last) = (Script::default(), None);
        let mut lexer = Lexer::new(text).expect("a short text");
        while lexer.next_token().kind == TokenKind::Open {
            last = script.command(&mut lexer)?.last().copied();
        }
        Ok((script, last.expect("an assertion")))
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let (script, root) = read(text).expect("a script");
        let mut out = String::new();
        script.terms.write(&mut out, root, &|_, _| false);
        assert_eq!(out, expected);
    }

    #[test]
    fn nothing_is_simplified() {
        check(
            "(assert (and true (or (not (not false)) (< 1 1 2))))",
            "(and true (or (not (not false)) (< 1 1 2)))",
        );
        check("(assert (= 0.5 (/ 1 2) (/ 2 4) (- 1.0)))", "(= (/ 1 2) (/ 1 2) (/ 2 4) (- 1.0))");
        check("(set-logic QF_LRA) (assert (! (= 1 0.0) :named a))", "(= 1.0 0.0)");
        check("(assert (let ((x 1) (y 2)) (let ((x y)) (distinct x y))))", "(distinct 2 2)");
    }

    /// Every application of a definition has quantifiers of its own; what is bound is not captured.
    #[test]
    fn definitions() {
        let text =
            "(define-sort I () Int) (define-fun f ((a I)) Bool (exists ((b Int) (|c d| Bool)) (< a b)))
            (assert (forall ((b I)) (=> (f b) (f 1))))";
        let body = |a: &str| format!("(exists ((b Int) (|c d| Bool)) (< {a} b))");
        check(text, &format!("(forall ((b Int)) (=> {} {}))", body("b"), body("1")));
        let (script, root) = read(text).expect("a script");
        let quantifiers =
            script.terms.within(&[root]).into_iter().filter_map(|id| script.terms.quantifier(id));
        let mut bound: Vec<VariableId> =
            quantifiers.flat_map(|quantifier| quantifier.variables.clone()).collect();
        bound.sort_unstable();
        bound.dedup();
        assert_eq!(bound.len(), 5);
        check("(define-const c Int 2) (define-const c Int 3) (assert (= c 1))", "(= 3 1)");
    }

    /// An error leaves no names behind, but the reason why a name has no meaning.
    #[test]
    fn errors() {
        let mut script = Script::default();
        let mut refuse = |text: &str| {
            let mut lexer = Lexer::new(text).expect("a short text");
            script.command(&mut lexer).expect_err("an error").to_string()
        };
        assert!(refuse("define-fun f ((x Int)) Bool (g x))").ends_with("g with 1 argument"));
        assert!(refuse("assert (forall ((x Int)) (q x)))").ends_with("q with 1 argument"));
        assert!(refuse("assert (= x 1))").ends_with("x with 0 arguments"));
        assert!(refuse("declare-fun p (List) Bool)").ends_with("the sort List"));
        assert!(refuse("assert (p 1))").ends_with("the sort List, which p needs"));
        assert!(read("(assert (_ char 2))").is_err() && read("(assert (= 1 2)").is_err());
        assert!(refuse("declare-fun mod (Bool) Bool)").ends_with("a symbol with the name mod"));
        assert!(refuse("declare-const |#b01| Bool)").ends_with("a symbol with the name #b01"));
    }
}
